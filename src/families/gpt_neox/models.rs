//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "pythia-160m", "Pythia 160M", "EleutherAI/pythia-160m", "2023-02";
    "pythia-1.4b", "Pythia 1.4B", "EleutherAI/pythia-1.4b", "2023-02";
}

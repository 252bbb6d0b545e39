//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "pythia-160m", "Pythia 160M", "EleutherAI/pythia-160m", "2023-02";
    "pythia-1.4b", "Pythia 1.4B", "EleutherAI/pythia-1.4b", "2023-02";
    "pythia-1b", "Pythia 1B", "EleutherAI/pythia-1b", "2023-03";
    "pythia-70m", "Pythia 70M", "EleutherAI/pythia-70m", "2023-02";
    "pythia-410m", "Pythia 410M", "EleutherAI/pythia-410m", "2023-02";
    "pythia-2.8b", "Pythia 2.8B", "EleutherAI/pythia-2.8b", "2023-02";
    "pythia-6.9b", "Pythia 6.9B", "EleutherAI/pythia-6.9b", "2023-02";
    "pythia-12b", "Pythia 12B", "EleutherAI/pythia-12b", "2023-02";
    "redpajama-incite-3b", "RedPajama-INCITE 3B", "togethercomputer/RedPajama-INCITE-Base-3B-v1", "2023-05";
}

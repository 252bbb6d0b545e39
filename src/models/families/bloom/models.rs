//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "bloom-560m", "BLOOM 560M", "bigscience/bloom-560m", "2022-05";
    "bloom-1.1b", "BLOOM 1.1B", "bigscience/bloom-1b1", "2022-05";
    "bloom-1.7b", "BLOOM 1.7B", "bigscience/bloom-1b7", "2022-05";
    "bloom-3b", "BLOOM 3B", "bigscience/bloom-3b", "2022-05";
    "bloom-7.1b", "BLOOM 7.1B", "bigscience/bloom-7b1", "2022-05";
    "bloom-176b", "BLOOM 176B", "bigscience/bloom", "2022-05";
}

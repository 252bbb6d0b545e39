//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "t5gemma-2b-2b", "T5Gemma 2B-2B", "google/t5gemma-2b-2b-ul2", "2025-07";
    "t5gemma-9b-2b", "T5Gemma 9B-2B", "google/t5gemma-9b-2b-ul2", "2025-07";
    "t5gemma-9b-9b", "T5Gemma 9B-9B", "google/t5gemma-9b-9b-ul2", "2025-07";
}

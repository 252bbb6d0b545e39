//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "gemma-2b", "Gemma 2B", "google/gemma-2b", "2024-02";
    "gemma-2-2b", "Gemma 2 2B", "google/gemma-2-2b", "2024-07";
    "gemma-2-9b", "Gemma 2 9B", "google/gemma-2-9b", "2024-06";
    "gemma-2-27b", "Gemma 2 27B", "google/gemma-2-27b", "2024-06";
    "gemma-3-1b", "Gemma 3 1B", "google/gemma-3-1b-pt", "2025-03";
    "gemma-3n-e2b", "Gemma 3n E2B (text part)", "google/gemma-3n-E2B", "2025-06";
    "gemma-3n-e4b", "Gemma 3n E4B (text part)", "google/gemma-3n-E4B", "2025-06";
    "gemma-3-270m", "Gemma 3 270M", "google/gemma-3-270m", "2025-08";
    "gemma-4-e2b", "Gemma 4 E2B (text part)", "google/gemma-4-E2B", "2026-04";
    "gemma-4-26b-a4b", "Gemma 4 26B-A4B (text part)", "google/gemma-4-26B-A4B", "2026-04";
    "gemma-4-31b", "Gemma 4 31B (text part)", "google/gemma-4-31B", "2026-04";
    "gemma-7b", "Gemma 7B", "google/gemma-7b", "2024-02";
}

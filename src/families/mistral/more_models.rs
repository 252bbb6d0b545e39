//! Further published models of these families. A list of its own, so that a page whose model is in the first list need
//! not hold it.

crate::families::models::published_models! {
    "ministral-3-3b", "Ministral 3 3B, text", "mistralai/Ministral-3-3B-Base-2512", "2025-12";
    "ministral-3-14b", "Ministral 3 14B, text", "mistralai/Ministral-3-14B-Base-2512", "2025-12";
    "ministral-8b-2410", "Ministral 8B", "mistralai/Ministral-8B-Instruct-2410", "2024-10";
}

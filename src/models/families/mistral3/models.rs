//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "mistral-small-3.1-24b", "Mistral Small 3.1 24B, with images", "mistralai/Mistral-Small-3.1-24B-Instruct-2503", "2025-03";
    "mistral-small-3.2-24b", "Mistral Small 3.2 24B, with images", "mistralai/Mistral-Small-3.2-24B-Instruct-2506", "2025-06";
}

//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "mistral-7b", "Mistral 7B v0.1", "mistralai/Mistral-7B-v0.1", "2023-09";
    "mistral-7b-v0.2", "Mistral 7B v0.2", "mistralai/Mistral-7B-Instruct-v0.2", "2023-12";
    "mistral-7b-v0.3", "Mistral 7B v0.3", "mistralai/Mistral-7B-v0.3", "2024-05";
    "mixtral-8x7b", "Mixtral 8x7B", "mistralai/Mixtral-8x7B-v0.1", "2023-12";
}

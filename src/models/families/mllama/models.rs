//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "llama-3.2-11b-vision", "Llama 3.2 11B Vision", "meta-llama/Llama-3.2-11B-Vision", "2024-09";
    "llama-3.2-11b-vision-instruct", "Llama 3.2 11B Vision Instruct", "meta-llama/Llama-3.2-11B-Vision-Instruct", "2024-09";
    "llama-3.2-90b-vision-instruct", "Llama 3.2 90B Vision Instruct", "meta-llama/Llama-3.2-90B-Vision-Instruct", "2024-09";
}

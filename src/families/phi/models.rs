//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "phi-2", "Phi-2 2.7B", "microsoft/phi-2", "2023-12";
    "phi-3.5-moe", "Phi-3.5 MoE 42B", "microsoft/Phi-3.5-MoE-instruct", "2024-08";
    "phi-3-mini", "Phi-3 mini 3.8B", "microsoft/Phi-3-mini-4k-instruct", "2024-04";
}

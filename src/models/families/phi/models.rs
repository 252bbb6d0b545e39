//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "phi-2", "Phi-2 2.7B", "microsoft/phi-2", "2023-12";
    "phi-3.5-moe", "Phi-3.5 MoE 42B", "microsoft/Phi-3.5-MoE-instruct", "2024-08";
    "phi-3.5-mini", "Phi-3.5-mini", "microsoft/Phi-3.5-mini-instruct", "2024-08";
    "phi-3-mini", "Phi-3 mini 3.8B", "microsoft/Phi-3-mini-4k-instruct", "2024-04";
    "phi-3-medium", "Phi-3-medium 14B", "microsoft/Phi-3-medium-4k-instruct", "2024-05";
    "phi-4", "Phi-4 14B", "microsoft/phi-4", "2024-12";
    "phi-4-mini", "Phi-4-mini 3.8B", "microsoft/Phi-4-mini-instruct", "2025-02";
    "phi-1.5", "Phi-1.5", "microsoft/phi-1_5", "2023-09";
}

//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "olmoe-1b-7b", "OLMoE 1B-7B", "allenai/OLMoE-1B-7B-0924", "2024-09";
    "flex-olmo-7x7b", "FlexOlmo 7x7B", "allenai/FlexOlmo-7x7B-1T", "2025-07";
    "olmo-1b", "OLMo 1B", "allenai/OLMo-1B-hf", "2024-04";
    "olmo-7b", "OLMo 7B", "allenai/OLMo-7B-hf", "2024-04";
    "olmo-3-7b", "OLMo 3 7B", "allenai/Olmo-3-1025-7B", "2025-11";
    "olmo-2-1b", "OLMo 2 1B", "allenai/OLMo-2-0425-1B", "2025-04";
    "olmo-2-7b", "OLMo 2 7B", "allenai/OLMo-2-1124-7B", "2024-11";
    "olmo-2-13b", "OLMo 2 13B", "allenai/OLMo-2-1124-13B", "2024-11";
    "olmo-2-32b", "OLMo 2 32B", "allenai/OLMo-2-0325-32B", "2025-03";
}

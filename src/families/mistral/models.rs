//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "mistral-7b", "Mistral 7B v0.1", "mistralai/Mistral-7B-v0.1", "2023-09";
    "mistral-7b-v0.2", "Mistral 7B v0.2", "mistralai/Mistral-7B-Instruct-v0.2", "2023-12";
    "mistral-7b-v0.3", "Mistral 7B v0.3", "mistralai/Mistral-7B-v0.3", "2024-05";
    "mistral-nemo-12b", "Mistral Nemo 12B", "mistralai/Mistral-Nemo-Base-2407", "2024-07";
    "mistral-small-22b", "Mistral Small 22B", "mistralai/Mistral-Small-Instruct-2409", "2024-09";
    "mistral-small-24b", "Mistral Small 3 24B", "mistralai/Mistral-Small-24B-Base-2501", "2025-01";
    "mistral-large-123b", "Mistral Large 2 123B", "mistralai/Mistral-Large-Instruct-2407", "2024-07";
    "mixtral-8x7b", "Mixtral 8x7B", "mistralai/Mixtral-8x7B-v0.1", "2023-12";
    "mixtral-8x22b", "Mixtral 8x22B", "mistralai/Mixtral-8x22B-v0.1", "2024-04";
    "ministral-3-8b", "Ministral 3 8B, text", "mistralai/Ministral-3-8B-Base-2512", "2025-12";
    "mistral-small-4-119b", "Mistral Small 4 119B-A6B, text", "mistralai/Mistral-Small-4-119B-2603", "2026-03";
}

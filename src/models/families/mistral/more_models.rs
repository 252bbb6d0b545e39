//! Further published models of these families. A list of its own, so that a page whose model is in the first list need
//! not hold it.

crate::families::models::published_models! {
    "mistral-nemo-12b", "Mistral Nemo 12B", "mistralai/Mistral-Nemo-Base-2407", "2024-07";
    "mistral-small-22b", "Mistral Small 22B", "mistralai/Mistral-Small-Instruct-2409", "2024-09";
    "mistral-small-24b", "Mistral Small 3 24B", "mistralai/Mistral-Small-24B-Base-2501", "2025-01";
    "mistral-large-123b", "Mistral Large 2 123B", "mistralai/Mistral-Large-Instruct-2407", "2024-07";
    "mixtral-8x22b", "Mixtral 8x22B", "mistralai/Mixtral-8x22B-v0.1", "2024-04";
    "ministral-3-8b", "Ministral 3 8B, text", "mistralai/Ministral-3-8B-Base-2512", "2025-12";
    "mistral-small-4-119b", "Mistral Small 4 119B-A6B, text", "mistralai/Mistral-Small-4-119B-2603", "2026-03";
    "ministral-3-3b", "Ministral 3 3B, text", "mistralai/Ministral-3-3B-Base-2512", "2025-12";
    "ministral-3-14b", "Ministral 3 14B, text", "mistralai/Ministral-3-14B-Base-2512", "2025-12";
    "pixtral-12b", "Pixtral 12B (text part)", "mistral-community/pixtral-12b", "2024-09";
    "ministral-8b-2410", "Ministral 8B", "mistralai/Ministral-8B-Instruct-2410", "2024-10";
}

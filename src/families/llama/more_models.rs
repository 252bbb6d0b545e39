//! Further published models of these families. A list of its own, so that a page whose model is in the first list need
//! not hold it.

crate::families::models::published_models! {
    "codellama-13b", "CodeLlama 13B", "codellama/CodeLlama-13b-hf", "2023-08";
    "codellama-70b", "CodeLlama 70B", "codellama/CodeLlama-70b-hf", "2024-01";
    "yi-9b", "Yi 9B", "01-ai/Yi-9B", "2024-03";
    "llama-4-maverick", "Llama 4 Maverick 17B-128E, text", "meta-llama/Llama-4-Maverick-17B-128E", "2025-04";
    "falcon3-1b", "Falcon3 1B", "tiiuae/Falcon3-1B-Base", "2024-12";
    "falcon3-3b", "Falcon3 3B", "tiiuae/Falcon3-3B-Base", "2024-12";
    "falcon3-7b", "Falcon3 7B", "tiiuae/Falcon3-7B-Base", "2024-12";
    "falcon3-10b", "Falcon3 10B", "tiiuae/Falcon3-10B-Base", "2024-12";
    "afm-4.5b", "AFM 4.5B", "arcee-ai/AFM-4.5B-Base", "2025-07";
}

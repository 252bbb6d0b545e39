//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "llama-3.3-70b", "Llama 3.3 70B", "meta-llama/Llama-3.3-70B-Instruct", "2024-12";
    "llama-3.2-1b", "Llama 3.2 1B", "meta-llama/Llama-3.2-1B", "2024-09";
    "llama-3.2-3b", "Llama 3.2 3B", "meta-llama/Llama-3.2-3B", "2024-09";
    "llama-3.1-8b", "Llama 3.1 8B", "meta-llama/Llama-3.1-8B", "2024-07";
    "llama-3.1-70b", "Llama 3.1 70B", "meta-llama/Llama-3.1-70B", "2024-07";
    "llama-3.1-405b", "Llama 3.1 405B", "meta-llama/Llama-3.1-405B", "2024-07";
    "llama-3-8b", "Llama 3 8B", "meta-llama/Meta-Llama-3-8B", "2024-04";
    "llama-3-70b", "Llama 3 70B", "meta-llama/Meta-Llama-3-70B", "2024-04";
    "llama-2-7b", "Llama 2 7B", "meta-llama/Llama-2-7b-hf", "2023-07";
    "llama-2-13b", "Llama 2 13B", "meta-llama/Llama-2-13b-hf", "2023-07";
    "llama-2-70b", "Llama 2 70B", "meta-llama/Llama-2-70b-hf", "2023-07";
    "smollm2-135m", "SmolLM2 135M", "HuggingFaceTB/SmolLM2-135M", "2024-10";
    "tinyllama-1.1b", "TinyLlama 1.1B", "TinyLlama/TinyLlama-1.1B-Chat-v1.0", "2023-12";
}

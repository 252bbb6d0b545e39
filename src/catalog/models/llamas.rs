//! Decoders that are read and built as Llama is (`llama`, `mistral`, `qwen2`, `qwen3`): what is asked for most.

use super::Model;

models! {
    /// Llama and its kin, by family and size.
    LLAMAS;
    "qwen3-0.6b", "Qwen3 0.6B", "Qwen/Qwen3-0.6B", "2025-04";
    "qwen3-1.7b", "Qwen3 1.7B", "Qwen/Qwen3-1.7B", "2025-04";
    "qwen3-4b", "Qwen3 4B", "Qwen/Qwen3-4B", "2025-04";
    "qwen3-8b", "Qwen3 8B", "Qwen/Qwen3-8B", "2025-04";
    "qwen3-14b", "Qwen3 14B", "Qwen/Qwen3-14B", "2025-04";
    "qwen3-32b", "Qwen3 32B", "Qwen/Qwen3-32B", "2025-04";
    "qwen2.5-0.5b", "Qwen2.5 0.5B", "Qwen/Qwen2.5-0.5B", "2024-09";
    "qwen2.5-1.5b", "Qwen2.5 1.5B", "Qwen/Qwen2.5-1.5B", "2024-09";
    "qwen2.5-3b", "Qwen2.5 3B", "Qwen/Qwen2.5-3B", "2024-09";
    "qwen2.5-7b", "Qwen2.5 7B", "Qwen/Qwen2.5-7B", "2024-09";
    "qwen2.5-14b", "Qwen2.5 14B", "Qwen/Qwen2.5-14B", "2024-09";
    "qwen2.5-32b", "Qwen2.5 32B", "Qwen/Qwen2.5-32B", "2024-09";
    "qwen2.5-72b", "Qwen2.5 72B", "Qwen/Qwen2.5-72B", "2024-09";
    "qwen2-0.5b", "Qwen2 0.5B", "Qwen/Qwen2-0.5B", "2024-06";
    "qwen2-1.5b", "Qwen2 1.5B", "Qwen/Qwen2-1.5B", "2024-06";
    "qwen2-7b", "Qwen2 7B", "Qwen/Qwen2-7B", "2024-06";
    "qwen2-72b", "Qwen2 72B", "Qwen/Qwen2-72B", "2024-06";
    "qwen1.5-1.8b", "Qwen1.5 1.8B", "Qwen/Qwen1.5-1.8B", "2024-02";
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
    "llama-7b", "LLaMA 7B", "huggyllama/llama-7b", "2023-02";
    "llama-13b", "LLaMA 13B", "huggyllama/llama-13b", "2023-02";
    "llama-65b", "LLaMA 65B", "huggyllama/llama-65b", "2023-02";
    "codellama-7b", "Code Llama 7B", "codellama/CodeLlama-7b-hf", "2023-08";
    "codellama-34b", "Code Llama 34B", "codellama/CodeLlama-34b-hf", "2023-08";
    "mistral-7b", "Mistral 7B v0.1", "mistralai/Mistral-7B-v0.1", "2023-09";
    "mistral-7b-v0.2", "Mistral 7B v0.2", "mistralai/Mistral-7B-Instruct-v0.2", "2023-12";
    "mistral-7b-v0.3", "Mistral 7B v0.3", "mistralai/Mistral-7B-v0.3", "2024-05";
    "mistral-nemo-12b", "Mistral Nemo 12B", "mistralai/Mistral-Nemo-Base-2407", "2024-07";
    "mistral-small-22b", "Mistral Small 22B", "mistralai/Mistral-Small-Instruct-2409", "2024-09";
    "mistral-small-24b", "Mistral Small 3 24B", "mistralai/Mistral-Small-24B-Base-2501", "2025-01";
    "mistral-large-123b", "Mistral Large 2 123B", "mistralai/Mistral-Large-Instruct-2407", "2024-07";
    "deepseek-r1-distill-qwen-1.5b", "DeepSeek-R1 Distill Qwen 1.5B", "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", "2025-01";
    "deepseek-r1-distill-llama-8b", "DeepSeek-R1 Distill Llama 8B", "deepseek-ai/DeepSeek-R1-Distill-Llama-8B", "2025-01";
    "deepseek-llm-7b", "DeepSeek LLM 7B", "deepseek-ai/deepseek-llm-7b-base", "2023-11";
    "deepseek-coder-1.3b", "DeepSeek Coder 1.3B", "deepseek-ai/deepseek-coder-1.3b-base", "2023-10";
    "deepseek-coder-6.7b", "DeepSeek Coder 6.7B", "deepseek-ai/deepseek-coder-6.7b-base", "2023-10";
    "smollm2-135m", "SmolLM2 135M", "HuggingFaceTB/SmolLM2-135M", "2024-10";
    "smollm2-360m", "SmolLM2 360M", "HuggingFaceTB/SmolLM2-360M", "2024-10";
    "smollm2-1.7b", "SmolLM2 1.7B", "HuggingFaceTB/SmolLM2-1.7B", "2024-10";
    "tinyllama-1.1b", "TinyLlama 1.1B", "TinyLlama/TinyLlama-1.1B-Chat-v1.0", "2023-12";
    "sheared-llama-1.3b", "Sheared LLaMA 1.3B", "princeton-nlp/Sheared-LLaMA-1.3B", "2023-10";
    "open-llama-3b", "OpenLLaMA 3B", "openlm-research/open_llama_3b", "2023-06";
    "yi-6b", "Yi 6B", "01-ai/Yi-6B", "2023-11";
    "yi-34b", "Yi 34B", "01-ai/Yi-34B", "2023-11";
    "solar-10.7b", "SOLAR 10.7B", "upstage/SOLAR-10.7B-v1.0", "2023-12";
}

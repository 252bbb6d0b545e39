//! Further published models of these families. A list of its own, so that a page whose model is in the first list need
//! not hold it.

crate::families::models::published_models! {
    "llama-7b", "LLaMA 7B", "huggyllama/llama-7b", "2023-02";
    "llama-13b", "LLaMA 13B", "huggyllama/llama-13b", "2023-02";
    "llama-65b", "LLaMA 65B", "huggyllama/llama-65b", "2023-02";
    "codellama-7b", "Code Llama 7B", "codellama/CodeLlama-7b-hf", "2023-08";
    "codellama-34b", "Code Llama 34B", "codellama/CodeLlama-34b-hf", "2023-08";
    "deepseek-r1-distill-llama-8b", "DeepSeek-R1 Distill Llama 8B", "deepseek-ai/DeepSeek-R1-Distill-Llama-8B", "2025-01";
    "deepseek-llm-7b", "DeepSeek LLM 7B", "deepseek-ai/deepseek-llm-7b-base", "2023-11";
    "deepseek-coder-1.3b", "DeepSeek Coder 1.3B", "deepseek-ai/deepseek-coder-1.3b-base", "2023-10";
    "deepseek-coder-6.7b", "DeepSeek Coder 6.7B", "deepseek-ai/deepseek-coder-6.7b-base", "2023-10";
    "smollm2-360m", "SmolLM2 360M", "HuggingFaceTB/SmolLM2-360M", "2024-10";
    "smollm2-1.7b", "SmolLM2 1.7B", "HuggingFaceTB/SmolLM2-1.7B", "2024-10";
    "sheared-llama-1.3b", "Sheared LLaMA 1.3B", "princeton-nlp/Sheared-LLaMA-1.3B", "2023-10";
    "open-llama-3b", "OpenLLaMA 3B", "openlm-research/open_llama_3b", "2023-06";
    "yi-6b", "Yi 6B", "01-ai/Yi-6B", "2023-11";
    "yi-34b", "Yi 34B", "01-ai/Yi-34B", "2023-11";
    "solar-10.7b", "SOLAR 10.7B", "upstage/SOLAR-10.7B-v1.0", "2023-12";
    "llama-4-scout", "Llama 4 Scout 17B-16E, text", "meta-llama/Llama-4-Scout-17B-16E", "2025-04";
    "gpt-oss-20b", "gpt-oss 20B", "openai/gpt-oss-20b", "2025-08";
    "gpt-oss-120b", "gpt-oss 120B", "openai/gpt-oss-120b", "2025-08";
    "apertus-8b", "Apertus 8B", "swiss-ai/Apertus-8B-2509", "2025-09";
    "trinity-nano", "Trinity Nano 6B-A1B", "arcee-ai/Trinity-Nano-Base", "2025-12";
    "trinity-mini", "Trinity Mini 26B-A3B", "arcee-ai/Trinity-Mini-Base", "2025-12";
    "bitnet-b1.58-2b", "BitNet b1.58 2B", "microsoft/bitnet-b1.58-2B-4T-bf16", "2025-04";
    "persimmon-8b", "Persimmon 8B", "adept/persimmon-8b-base", "2023-09";
    "nanochat-d32", "nanochat d32 1.9B", "karpathy/nanochat-d32", "2025-10";
    "solar-open-100b", "Solar Open 100B", "upstage/Solar-Open-100B", "2025-12";
    "cwm-32b", "Code World Model 32B", "facebook/cwm", "2025-09";
    "internlm3-8b", "InternLM3 8B", "internlm/internlm3-8b-instruct", "2025-01";
    "iquest-coder-40b", "IQuest-Coder V1 40B", "IQuestLab/IQuest-Coder-V1-40B-Instruct", "2026-01";
    "jais-2-8b", "Jais 2 8B", "inceptionai/Jais-2-8B-Chat", "2025-12";
    "starcoder2-3b", "StarCoder2 3B", "bigcode/starcoder2-3b", "2024-02";
    "starcoder2-7b", "StarCoder2 7B", "bigcode/starcoder2-7b", "2024-02";
    "starcoder2-15b", "StarCoder2 15B", "bigcode/starcoder2-15b", "2024-02";
    "stablelm-3b", "StableLM 3B", "stabilityai/stablelm-3b-4e1t", "2023-09";
    "stablelm-2-1.6b", "StableLM 2 1.6B", "stabilityai/stablelm-2-1_6b", "2024-01";
    "smollm3-3b", "SmolLM3 3B", "HuggingFaceTB/SmolLM3-3B", "2025-07";
    "minitron-4b", "Minitron 4B", "nvidia/Minitron-4B-Base", "2024-07";
    "helium-1-2b", "Helium 1 preview 2B", "kyutai/helium-1-preview-2b", "2025-01";
    "seed-oss-36b", "Seed-OSS 36B", "ByteDance-Seed/Seed-OSS-36B-Base", "2025-08";
    "codellama-13b", "CodeLlama 13B", "codellama/CodeLlama-13b-hf", "2023-08";
    "codellama-70b", "CodeLlama 70B", "codellama/CodeLlama-70b-hf", "2024-01";
    "yi-9b", "Yi 9B", "01-ai/Yi-9B", "2024-03";
    "llama-4-maverick", "Llama 4 Maverick 17B-128E, text", "meta-llama/Llama-4-Maverick-17B-128E", "2025-04";
    "falcon3-1b", "Falcon3 1B", "tiiuae/Falcon3-1B-Base", "2024-12";
    "falcon3-3b", "Falcon3 3B", "tiiuae/Falcon3-3B-Base", "2024-12";
    "falcon3-7b", "Falcon3 7B", "tiiuae/Falcon3-7B-Base", "2024-12";
    "falcon3-10b", "Falcon3 10B", "tiiuae/Falcon3-10B-Base", "2024-12";
    "llama-3-8b-pro", "Llama 3 8B of 40 layers (LLaMA-Factory's expand.sh)", "models/llama3-8b-pro", "2024-06";
    "xgen-7b-8k", "XGen 7B 8K", "Salesforce/xgen-7b-8k-base", "2023-06";
    "voxtral-mini-3b", "Voxtral Mini 3B (text part)", "mistralai/Voxtral-Mini-3B-2507", "2025-07";
    "afm-4.5b", "AFM 4.5B", "arcee-ai/AFM-4.5B-Base", "2025-07";
}

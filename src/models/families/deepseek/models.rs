//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "ax-k1-519b-a33b", "A.X K1 519B-A33B", "skt/A.X-K1", "2026-01";
    "minicpm3-4b", "MiniCPM3 4B", "openbmb/MiniCPM3-4B", "2024-09";
    "youtu-llm-2b", "Youtu-LLM 2B", "tencent/Youtu-LLM-2B", "2025-12";
    "deepseek-v2-lite", "DeepSeek V2 Lite", "deepseek-ai/DeepSeek-V2-Lite", "2024-05";
    "deepseek-v2", "DeepSeek V2", "deepseek-ai/DeepSeek-V2", "2024-05";
    "deepseek-v3", "DeepSeek V3", "deepseek-ai/DeepSeek-V3", "2024-12";
    "deepseek-v3.2", "DeepSeek V3.2", "deepseek-ai/DeepSeek-V3.2", "2025-12";
}

//! Further published models of these families. A list of its own, so that a page whose model is in the first list need
//! not hold it.

crate::families::models::published_models! {
    "qwen2-0.5b", "Qwen2 0.5B", "Qwen/Qwen2-0.5B", "2024-06";
    "qwen2-1.5b", "Qwen2 1.5B", "Qwen/Qwen2-1.5B", "2024-06";
    "qwen2-7b", "Qwen2 7B", "Qwen/Qwen2-7B", "2024-06";
    "qwen2-72b", "Qwen2 72B", "Qwen/Qwen2-72B", "2024-06";
    "qwen1.5-1.8b", "Qwen1.5 1.8B", "Qwen/Qwen1.5-1.8B", "2024-02";
    "deepseek-r1-distill-qwen-1.5b", "DeepSeek-R1 Distill Qwen 1.5B", "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", "2025-01";
    "qwen1.5-moe-a2.7b", "Qwen1.5 MoE A2.7B", "Qwen/Qwen1.5-MoE-A2.7B", "2024-03";
    "qwen3-30b-a3b", "Qwen3 30B-A3B", "Qwen/Qwen3-30B-A3B", "2025-04";
    "qwen3-235b-a22b", "Qwen3 235B-A22B", "Qwen/Qwen3-235B-A22B", "2025-04";
    "qwen3-next-80b-a3b", "Qwen3-Next 80B-A3B", "Qwen/Qwen3-Next-80B-A3B-Instruct", "2025-09";
    "qwen3.5-9b", "Qwen3.5 9B, text", "Qwen/Qwen3.5-9B", "2026-03";
    "qwen3.5-35b-a3b", "Qwen3.5 35B-A3B, text", "Qwen/Qwen3.5-35B-A3B", "2026-02";
    "qwen1.5-0.5b", "Qwen1.5 0.5B", "Qwen/Qwen1.5-0.5B", "2024-02";
    "qwen1.5-4b", "Qwen1.5 4B", "Qwen/Qwen1.5-4B", "2024-02";
    "qwen1.5-7b", "Qwen1.5 7B", "Qwen/Qwen1.5-7B", "2024-02";
    "qwen1.5-14b", "Qwen1.5 14B", "Qwen/Qwen1.5-14B", "2024-02";
    "qwen1.5-32b", "Qwen1.5 32B", "Qwen/Qwen1.5-32B", "2024-04";
    "qwen1.5-72b", "Qwen1.5 72B", "Qwen/Qwen1.5-72B", "2024-02";
    "mimo-7b", "MiMo 7B, without its MTP layer", "XiaomiMiMo/MiMo-7B-RL", "2025-04";
    "qwen3.5-0.8b", "Qwen3.5 0.8B, text", "Qwen/Qwen3.5-0.8B", "2026-03";
    "qwen3.5-2b", "Qwen3.5 2B, text", "Qwen/Qwen3.5-2B", "2026-03";
    "qwen3.5-4b", "Qwen3.5 4B, text", "Qwen/Qwen3.5-4B", "2026-03";
    "qwen3.5-27b", "Qwen3.5 27B, text", "Qwen/Qwen3.5-27B", "2026-02";
    "qwen3.5-122b-a10b", "Qwen3.5 122B-A10B, text", "Qwen/Qwen3.5-122B-A10B", "2026-02";
    "qwen3.5-397b-a17b", "Qwen3.5 397B-A17B, text", "Qwen/Qwen3.5-397B-A17B", "2026-02";
    "qwen3-coder-480b-a35b", "Qwen3-Coder 480B-A35B", "Qwen/Qwen3-Coder-480B-A35B-Instruct", "2025-07";
}

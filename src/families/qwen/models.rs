//! Published models of these families, by family and size.

crate::families::models::published_models! {
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
    "deepseek-r1-distill-qwen-1.5b", "DeepSeek-R1 Distill Qwen 1.5B", "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", "2025-01";
    "qwen1.5-moe-a2.7b", "Qwen1.5 MoE A2.7B", "Qwen/Qwen1.5-MoE-A2.7B", "2024-03";
    "qwen3-30b-a3b", "Qwen3 30B-A3B", "Qwen/Qwen3-30B-A3B", "2025-04";
    "qwen3-235b-a22b", "Qwen3 235B-A22B", "Qwen/Qwen3-235B-A22B", "2025-04";
    "qwen3-next-80b-a3b", "Qwen3-Next 80B-A3B", "Qwen/Qwen3-Next-80B-A3B-Instruct", "2025-09";
    "qwen3.5-9b", "Qwen3.5 9B, text", "Qwen/Qwen3.5-9B", "2026-03";
    "qwen3.5-35b-a3b", "Qwen3.5 35B-A3B, text", "Qwen/Qwen3.5-35B-A3B", "2026-02";
}

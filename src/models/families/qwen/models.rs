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
}

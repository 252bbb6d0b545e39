//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "qwen3-vl-2b-instruct", "Qwen3-VL 2B", "Qwen/Qwen3-VL-2B-Instruct", "2025-10";
    "qwen3-vl-4b-instruct", "Qwen3-VL 4B", "Qwen/Qwen3-VL-4B-Instruct", "2025-10";
    "qwen3-vl-8b-instruct", "Qwen3-VL 8B", "Qwen/Qwen3-VL-8B-Instruct", "2025-10";
    "qwen3-vl-32b-instruct", "Qwen3-VL 32B", "Qwen/Qwen3-VL-32B-Instruct", "2025-10";
    "qwen3-vl-30b-a3b-instruct", "Qwen3-VL 30B A3B", "Qwen/Qwen3-VL-30B-A3B-Instruct", "2025-10";
    "qwen3-vl-235b-a22b-instruct", "Qwen3-VL 235B A22B", "Qwen/Qwen3-VL-235B-A22B-Instruct", "2025-09";
    "qwen2.5-vl-3b-instruct", "Qwen2.5-VL 3B", "Qwen/Qwen2.5-VL-3B-Instruct", "2025-01";
    "qwen2.5-vl-7b-instruct", "Qwen2.5-VL 7B", "Qwen/Qwen2.5-VL-7B-Instruct", "2025-01";
    "qwen2.5-vl-32b-instruct", "Qwen2.5-VL 32B", "Qwen/Qwen2.5-VL-32B-Instruct", "2025-03";
    "qwen2.5-vl-72b-instruct", "Qwen2.5-VL 72B", "Qwen/Qwen2.5-VL-72B-Instruct", "2025-01";
    "qwen2-vl-2b-instruct", "Qwen2-VL 2B", "Qwen/Qwen2-VL-2B-Instruct", "2024-08";
    "qwen2-vl-7b-instruct", "Qwen2-VL 7B", "Qwen/Qwen2-VL-7B-Instruct", "2024-08";
    "qwen2-vl-72b-instruct", "Qwen2-VL 72B", "Qwen/Qwen2-VL-72B-Instruct", "2024-09";
}

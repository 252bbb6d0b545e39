//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "gemma-3-4b", "Gemma 3 4B, with images", "google/gemma-3-4b-pt", "2025-03";
    "gemma-3-12b", "Gemma 3 12B, with images", "google/gemma-3-12b-pt", "2025-03";
    "gemma-3-27b", "Gemma 3 27B, with images", "google/gemma-3-27b-pt", "2025-03";
    "llava-1.5-7b-hf", "LLaVA 1.5 7B", "llava-hf/llava-1.5-7b-hf", "2023-12";
    "llava-1.5-13b-hf", "LLaVA 1.5 13B", "llava-hf/llava-1.5-13b-hf", "2023-12";
    "llava-1.6-mistral-7b-hf", "LLaVA 1.6 7B (Mistral)", "llava-hf/llava-v1.6-mistral-7b-hf", "2024-01";
    "llava-1.6-vicuna-7b-hf", "LLaVA 1.6 7B (Vicuna)", "llava-hf/llava-v1.6-vicuna-7b-hf", "2024-01";
    "llava-1.6-vicuna-13b-hf", "LLaVA 1.6 13B (Vicuna)", "llava-hf/llava-v1.6-vicuna-13b-hf", "2024-01";
    "llava-1.6-34b-hf", "LLaVA 1.6 34B", "llava-hf/llava-v1.6-34b-hf", "2024-02";
    "paligemma-3b-pt-224", "PaliGemma 3B, images of 224", "google/paligemma-3b-pt-224", "2024-05";
    "paligemma2-3b-pt-224", "PaliGemma 2 3B, images of 224", "google/paligemma2-3b-pt-224", "2024-12";
    "paligemma2-10b-pt-224", "PaliGemma 2 10B, images of 224", "google/paligemma2-10b-pt-224", "2024-12";
    "paligemma2-28b-pt-224", "PaliGemma 2 28B, images of 224", "google/paligemma2-28b-pt-224", "2024-12";
    "smolvlm-256m-instruct", "SmolVLM 256M", "HuggingFaceTB/SmolVLM-256M-Instruct", "2025-01";
    "smolvlm-500m-instruct", "SmolVLM 500M", "HuggingFaceTB/SmolVLM-500M-Instruct", "2025-01";
    "smolvlm-instruct", "SmolVLM 2.2B", "HuggingFaceTB/SmolVLM-Instruct", "2024-11";
    "smolvlm2-256m-video-instruct", "SmolVLM2 256M", "HuggingFaceTB/SmolVLM2-256M-Video-Instruct", "2025-02";
    "smolvlm2-500m-video-instruct", "SmolVLM2 500M", "HuggingFaceTB/SmolVLM2-500M-Video-Instruct", "2025-02";
    "smolvlm2-2.2b-instruct", "SmolVLM2 2.2B", "HuggingFaceTB/SmolVLM2-2.2B-Instruct", "2025-02";
    "idefics3-8b-llama3", "Idefics3 8B", "HuggingFaceM4/Idefics3-8B-Llama3", "2024-08";
}

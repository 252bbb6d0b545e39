//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "jamba-v0.1", "Jamba 52B", "ai21labs/Jamba-v0.1", "2024-03";
    "jamba-1.5-large", "Jamba 1.5 Large", "ai21labs/AI21-Jamba-1.5-Large", "2024-08";
    "bamba-9b", "Bamba 9B", "ibm-ai-platform/Bamba-9B-v1", "2024-12";
    "nemotron-h-8b", "Nemotron-H 8B", "nvidia/Nemotron-H-8B-Base-8K", "2025-03";
    "nemotron-nano-9b-v2", "Nemotron Nano 2 9B", "nvidia/NVIDIA-Nemotron-Nano-9B-v2", "2025-08";
    "nemotron-3-nano-30b-a3b", "Nemotron 3 Nano 30B-A3B", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "2025-12";
    "nemotron-3-super-120b-a12b", "Nemotron 3 Super 120B-A12B", "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16", "2026-03";
    "falcon-h1-0.5b", "Falcon-H1 0.5B", "tiiuae/Falcon-H1-0.5B-Base", "2025-05";
    "falcon-h1-1.5b-deep", "Falcon-H1 1.5B-Deep", "tiiuae/Falcon-H1-1.5B-Deep-Base", "2025-05";
    "falcon-h1-3b", "Falcon-H1 3B", "tiiuae/Falcon-H1-3B-Base", "2025-05";
    "falcon-h1-7b", "Falcon-H1 7B", "tiiuae/Falcon-H1-7B-Base", "2025-05";
    "falcon-h1-34b", "Falcon-H1 34B", "tiiuae/Falcon-H1-34B-Base", "2025-05";
    "falcon-h1-1.5b", "Falcon-H1 1.5B", "tiiuae/Falcon-H1-1.5B-Base", "2025-05";
    "lfm2-350m", "LFM2 350M", "LiquidAI/LFM2-350M", "2025-07";
    "lfm2-vl-450m", "LFM2-VL 450M (text part)", "LiquidAI/LFM2-VL-450M", "2025-08";
    "lfm2-700m", "LFM2 700M", "LiquidAI/LFM2-700M", "2025-07";
    "lfm2-1.2b", "LFM2 1.2B", "LiquidAI/LFM2-1.2B", "2025-07";
    "lfm2-8b-a1b", "LFM2 8B-A1B", "LiquidAI/LFM2-8B-A1B", "2025-10";
    "lfm2-2.6b", "LFM2 2.6B", "LiquidAI/LFM2-2.6B", "2025-09";
}

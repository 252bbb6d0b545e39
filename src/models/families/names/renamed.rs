//! Models under other names than that whose config they have.
//!
//! Each line names the model that was tuned, as model cards and trainers' recipes state it (until 2026-06). If tokens
//! were added, `vocab_size` is given, too. Of 151 names the architecture is that of the registry of transformer-lens
//! 4.3, which has none of the others; the repositories' own `config.json` files were not compared.

/// A name, and the catalog's model whose sizes it has.
pub(super) struct Renamed {
    /// The name of the repository without its owner.
    pub(super) name: &'static str,
    /// The catalog's id.
    pub(super) id: &'static str,
    /// `vocab_size` where it differs.
    pub(super) vocabulary: Option<u64>,
}

macro_rules! renamed {
    ($($id:literal: $($name:literal $(= $vocabulary:literal)?),+;)+) => {
        /// The names.
        pub(super) static RENAMED: &[Renamed] = &[$($(renamed!(@ $name, $id $(, $vocabulary)?)),+),+];
    };
    (@ $name:literal, $id:literal) => {
        Renamed { name: $name, id: $id, vocabulary: None }
    };
    (@ $name:literal, $id:literal, $vocabulary:literal) => {
        Renamed { name: $name, id: $id, vocabulary: Some($vocabulary) }
    };
}

renamed! {
    "qwen1.5-7b": "qwen-7b";
    "paddleocr-vl-0.9b": "paddleocr-vl-1.5", "paddleocr-vl-1.6";
    "qwen2.5-0.5b": "qwen2.5-coder-0.5b";
    "qwen2.5-1.5b": "qwen2.5-coder-1.5b", "qwen2.5-math-1.5b", "arch-router-1.5b", "openthinker3-1.5b";
    "qwen2.5-3b": "qwen2.5-coder-3b";
    "qwen2.5-7b": "qwen2.5-coder-7b", "qwen2.5-math-7b", "qwen2.5-7b-instruct-1m",
        "deepseek-r1-distill-qwen-7b", "openr1-qwen-7b", "openr1-distill-7b", "olympiccoder-7b", "openthinker-7b",
        "openthinker2-7b", "openthinker3-7b", "bespoke-stratos-7b", "skywork-or1-7b", "openreasoning-nemotron-7b",
        "acereason-nemotron-7b", "acereason-nemotron-1.1-7b";
    "qwen2.5-14b": "qwen2.5-coder-14b", "qwen2.5-14b-instruct-1m", "deepseek-r1-distill-qwen-14b",
        "deepcoder-14b", "cogito-v1-preview-qwen-14b", "openreasoning-nemotron-14b", "acereason-nemotron-14b";
    "qwen2.5-32b": "qwen2.5-coder-32b", "deepseek-r1-distill-qwen-32b", "qwq-32b", "openthinker-32b",
        "openthinker2-32b", "s1-32b", "s1.1-32b", "sky-t1-32b", "bespoke-stratos-32b", "olympiccoder-32b",
        "skywork-or1-32b", "cogito-v1-preview-qwen-32b", "openreasoning-nemotron-32b", "light-r1-32b";
    "qwen2.5-72b": "qwen2.5-math-72b";
    "qwen2-1.5b": "qwen2-math-1.5b";
    "qwen2-7b": "qwen2-math-7b", "marco-o1";
    "qwen2-72b": "qwen2-math-72b";
    "deepseek-r1-distill-qwen-1.5b": "deepscaler-1.5b", "deepcoder-1.5b";
    "qwen3-0.6b": "skywork-reward-v2-qwen3-0.6b", "qwen3guard-gen-0.6b";
    "qwen3-1.7b": "skywork-reward-v2-qwen3-1.7b";
    "qwen3-4b": "skywork-reward-v2-qwen3-4b", "qwen3guard-gen-4b", "plano-orchestrator-4b", "jan-nano";
    "qwen3-8b": "skywork-reward-v2-qwen3-8b", "qwen3guard-gen-8b", "deepseek-r1-0528-qwen3-8b";
    "qwen3-32b": "deepswe";
    "qwen3-30b-a3b": "qwen3-coder-30b-a3b", "tongyi-deepresearch-30b-a3b";
    "qwen3-next-80b-a3b": "qwen3-coder-next";
    "llama-3.3-70b": "deepseek-r1-distill-llama-70b", "cogito-v1-preview-llama-70b";
    "llama-3.2-1b": "llama-guard-3-1b", "skywork-reward-v2-llama-3.2-1b";
    "llama-3.2-3b": "cogito-v1-preview-llama-3b", "hermes-3-llama-3.2-3b", "skywork-reward-v2-llama-3.2-3b",
        "orpheus-3b-0.1-ft" = 156_940, "orpheus-3b-0.1" = 156_940;
    "llama-3.1-8b": "hermes-3-llama-3.1-8b", "cogito-v1-preview-llama-8b", "llama-guard-3-8b",
        "sparse-llama-3.1-8b-2of4", "llama-3.1-nemotron-nano-8b-v1", "skywork-reward-llama-3.1-8b",
        "skywork-reward-llama-3.1-8b-v0.2", "skywork-reward-v2-llama-3.1-8b",
        "llama-3.1-tulu-3-8b" = 128_264;
    "llama-3.1-70b": "hermes-3-llama-3.1-70b", "llama-3.1-nemotron-70b", "reflection-llama-3.1-70b";
    "llama-3.1-405b": "hermes-3-llama-3.1-405b";
    "llama-3-8b": "llama-guard-2-8b", "meta-llama-guard-2-8b", "hermes-2-pro-llama-3-8b" = 128_288,
        "hermes-2-theta-llama-3-8b" = 128_256, "openbiollm-llama3-8b" = 128_256;
    "llama-2-7b": "vicuna-7b-v1.5", "llamaguard-7b", "tulu-2-7b";
    "llama-2-13b": "vicuna-13b-v1.5", "tulu-2-13b", "nous-hermes-llama2-13b" = 32_032;
    "llama-2-70b": "tulu-2-70b";
    "llama-7b": "open_llama_7b", "open_llama_7b_v2", "vicuna-7b-v1.3";
    "llama-13b": "open_llama_13b", "vicuna-13b-v1.3";
    "open-llama-3b": "open_llama_3b_v2";
    "tinyllama-1.1b": "tinyllama_v1.1", "tinyllama-1.1b-intermediate-step-1431k-3t",
        "tinyllama-1.1b-intermediate-step-955k-token-2t", "tinyllama-1.1b-intermediate-step-1195k-token-2.5t",
        "tinyllama-1.1b-chat-v0.6";
    "mistral-7b": "zephyr-7b", "zephyr-7b-alpha", "zephyr-7b-beta", "mistral-7b-sft-beta", "mistral-7b-sft-alpha",
        "zephyr-7b-sft-full", "zephyr-7b-sft-qlora", "zephyr-7b-dpo-full", "zephyr-7b-dpo-qlora",
        "mistral-7b-sft-constitutional-ai", "neural-chat-7b-v3", "neural-chat-7b-v3-1", "biomistral-7b",
        "openhermes-2.5-mistral-7b" = 32_002, "openhermes-2-mistral-7b" = 32_002,
        "nous-hermes-2-mistral-7b-dpo" = 32_002, "openchat-3.5" = 32_002, "openchat_3.5" = 32_002,
        "openchat-3.5-0106" = 32_002, "starling-lm-7b-alpha" = 32_002, "starling-lm-7b-beta" = 32_002;
    "mistral-7b-v0.3": "mathstral-7b-v0.1", "hermes-3-mistral-7b";
    "mistral-small-22b": "codestral-22b-v0.1";
    "mistral-small-24b": "devstral-small-2505", "devstral-small-2507", "devstral-small", "magistral-small-2506",
        "magistral-small-2507";
    "mistral-small-3.2-24b": "magistral-small-2509";
    "mixtral-8x7b": "nous-hermes-2-mixtral-8x7b-dpo" = 32_002, "dolphin-2.5-mixtral-8x7b" = 32_002;
    "mixtral-8x22b": "zephyr-orpo-141b-a35b-v0.1";
    "gpt-oss-20b": "gpt-oss-safeguard-20b";
    "gpt-oss-120b": "gpt-oss-safeguard-120b";
    "gemma-2b": "codegemma-2b", "gemma-1.1-2b";
    "gemma-2-2b": "shieldgemma-2b", "txgemma-2b";
    "gemma-3-4b": "medgemma-4b";
    "gemma-3-27b": "medgemma-27b";
    "deepseek-v3": "deepseek-v3.1", "deepseek-v3.1-terminus", "deepseek-r1", "deepseek-r1-zero";
    "deepseek-v3.2": "deepseek-v3.2-speciale";
    "deepseek-v2": "deepseek-v2.5", "deepseek-coder-v2";
    "deepseek-v2-lite": "deepseek-coder-v2-lite";
    "deepseek-llm-7b": "deepseek-math-7b", "deepseek-coder-7b-v1.5", "deepseek-prover-v1.5", "deepseek-prover-v2-7b";
    "starcoder2-15b": "starchat2-15b", "starchat2-15b-sft-v0.1", "starchat2-15b-v0.1";
    "starcoder-15b": "starchat-beta" = 49_156, "starchat-alpha" = 49_156, "starcoderbase";
    "yi-6b": "yi-1.5-6b", "yi-6b-200k";
    "yi-34b": "yi-1.5-34b", "yi-34b-200k", "nous-hermes-2-yi-34b";
    "bitnet-b1.58-2b": "bitnet-b1.58-2b-4t";
    "qwen3.5-27b": "qwen3.6-27b";
    "qwen3.5-35b-a3b": "qwen3.6-35b-a3b";
    "gemma-7b": "zephyr-7b-gemma-sft-v0.1", "zephyr-7b-gemma-v0.1", "codegemma-7b", "gemma-1.1-7b";
    "gemma-2-9b": "shieldgemma-9b", "txgemma-9b";
    "gemma-2-27b": "shieldgemma-27b", "txgemma-27b", "skywork-reward-gemma-2-27b";
    "gemma-3-270m": "functiongemma-270m";
    "phi-4": "phi-4-reasoning", "phi-4-reasoning-plus";
    "phi-4-mini": "phi-4-mini-reasoning";
    "minitron-4b": "nemotron-mini-4b";
    "jamba-v0.1": "ai21-jamba-1.5-mini", "jamba-1.5-mini", "ai21-jamba-mini-1.5";
    "jamba-1.5-large": "ai21-jamba-1.5-large", "ai21-jamba-large-1.5";
    "smollm2-135m": "smollm-135m";
    "smollm2-360m": "smollm-360m";
    "smollm2-1.7b": "smollm-1.7b";
    "yi-9b": "yi-1.5-9b", "yi-9b-200k";
    "phi-3.5-mini": "phi-3-mini-128k-instruct";
    "falcon-h1-7b": "falcon-h1r-7b";
    "redpajama-incite-3b": "redpajama-incite-base-3b-v1", "redpajama-incite-chat-3b-v1", "redpajama-incite-instruct-3b-v1";
}

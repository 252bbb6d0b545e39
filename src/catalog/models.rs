//! Published models by name.

/// A published model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Stable id, as in links.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// Where its `config.json` was read: the repository on the Hugging Face Hub.
    pub source: &'static str,
    /// Year and month of publication.
    pub published: &'static str,
    /// The fields of that `config.json` that decide sizes.
    pub config: &'static str,
}

impl Model {
    /// Whether this is its id or its repository on the hub, however the letters are cased.
    fn is_called(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case(self.id) || name.eq_ignore_ascii_case(self.source)
    }
}

/// The models by family and size, the Llamas first. Lists are asked for one after the other: what no
/// one asks for need not be there.
const LISTS: [fn() -> &'static [Model]; 2] = [|| LLAMAS, || OTHERS];

/// Every model, by family and size.
pub fn models() -> impl Iterator<Item = &'static Model> {
    LISTS.iter().flat_map(|list| list())
}

/// The model with this id, or with this repository on the hub, however its letters are cased.
pub fn model(name: &str) -> Option<&'static Model> {
    models().find(|model| model.is_called(name))
}

macro_rules! models {
    ($(#[$what:meta])+ $list:ident; $($id:literal, $name:literal, $source:literal, $published:literal;)+) => {
        $(#[$what])+
        pub(super) static $list: &[Model] = &[$(Model {
            id: $id,
            name: $name,
            source: $source,
            published: $published,
            config: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/catalog/models/", $id, ".json")),
        }),+];
    };
}

mod llamas;

use llamas::LLAMAS;

models! {
    /// The other models, by family and size.
    OTHERS;
    "mixtral-8x7b", "Mixtral 8x7B", "mistralai/Mixtral-8x7B-v0.1", "2023-12";
    "mixtral-8x22b", "Mixtral 8x22B", "mistralai/Mixtral-8x22B-v0.1", "2024-04";
    "olmoe-1b-7b", "OLMoE 1B-7B", "allenai/OLMoE-1B-7B-0924", "2024-09";
    "qwen1.5-moe-a2.7b", "Qwen1.5 MoE A2.7B", "Qwen/Qwen1.5-MoE-A2.7B", "2024-03";
    "qwen3-30b-a3b", "Qwen3 30B-A3B", "Qwen/Qwen3-30B-A3B", "2025-04";
    "qwen3-235b-a22b", "Qwen3 235B-A22B", "Qwen/Qwen3-235B-A22B", "2025-04";
    "glm-4.5-air", "GLM-4.5 Air", "zai-org/GLM-4.5-Air", "2025-07";
    "ax-k1-519b-a33b", "A.X K1 519B-A33B", "skt/A.X-K1", "2026-01";
    "glm-4.7-flash", "GLM-4.7 Flash 30B-A3B", "zai-org/GLM-4.7-Flash", "2026-01";
    "ernie-4.5-0.3b", "ERNIE 4.5 0.3B", "baidu/ERNIE-4.5-0.3B-PT", "2025-06";
    "ernie-4.5-21b-a3b", "ERNIE 4.5 21B-A3B", "baidu/ERNIE-4.5-21B-A3B-PT", "2025-06";
    "llama-4-scout", "Llama 4 Scout 17B-16E, text", "meta-llama/Llama-4-Scout-17B-16E", "2025-04";
    "hunyuan-a13b", "Hunyuan A13B", "tencent/Hunyuan-A13B-Instruct", "2025-06";
    "hunyuan-1.8b", "Hunyuan 1.8B", "tencent/Hunyuan-1.8B-Instruct", "2025-07";
    "qwen3-next-80b-a3b", "Qwen3-Next 80B-A3B", "Qwen/Qwen3-Next-80B-A3B-Instruct", "2025-09";
    "qwen3.5-9b", "Qwen3.5 9B, text", "Qwen/Qwen3.5-9B", "2026-03";
    "qwen3.5-35b-a3b", "Qwen3.5 35B-A3B, text", "Qwen/Qwen3.5-35B-A3B", "2026-02";
    "jamba-v0.1", "Jamba 52B", "ai21labs/Jamba-v0.1", "2024-03";
    "granite-4.0-h-tiny", "Granite 4.0 H Tiny", "ibm-granite/granite-4.0-h-tiny", "2025-10";
    "gpt-oss-20b", "gpt-oss 20B", "openai/gpt-oss-20b", "2025-08";
    "gpt-oss-120b", "gpt-oss 120B", "openai/gpt-oss-120b", "2025-08";
    "granite-3.1-1b-a400m", "Granite 3.1 1B A400M", "ibm-granite/granite-3.1-1b-a400m-base", "2024-12";
    "granite-3.1-3b-a800m", "Granite 3.1 3B A800M", "ibm-granite/granite-3.1-3b-a800m-base", "2024-12";
    "ministral-3-8b", "Ministral 3 8B, text", "mistralai/Ministral-3-8B-Base-2512", "2025-12";
    "apertus-8b", "Apertus 8B", "swiss-ai/Apertus-8B-2509", "2025-09";
    "minimax-text-01", "MiniMax Text 01 456B", "MiniMaxAI/MiniMax-Text-01-hf", "2025-01";
    "minimax-m2", "MiniMax M2 229B", "MiniMaxAI/MiniMax-M2", "2025-10";
    "flex-olmo-7x7b", "FlexOlmo 7x7B", "allenai/FlexOlmo-7x7B-1T", "2025-07";
    "trinity-nano", "Trinity Nano 6B-A1B", "arcee-ai/Trinity-Nano-Base", "2025-12";
    "trinity-mini", "Trinity Mini 26B-A3B", "arcee-ai/Trinity-Mini-Base", "2025-12";
    "hy3-295b-a21b", "Hy3 295B-A21B", "tencent/Hy3-preview", "2026-04";
    "bitnet-b1.58-2b", "BitNet b1.58 2B", "microsoft/bitnet-b1.58-2B-4T-bf16", "2025-04";
    "persimmon-8b", "Persimmon 8B", "adept/persimmon-8b-base", "2023-09";
    "biogpt", "BioGPT 347M", "microsoft/biogpt", "2022-08";
    "xglm-564m", "XGLM 564M", "facebook/xglm-564M", "2021-12";
    "xglm-1.7b", "XGLM 1.7B", "facebook/xglm-1.7B", "2021-12";
    "xglm-2.9b", "XGLM 2.9B", "facebook/xglm-2.9B", "2021-12";
    "xglm-4.5b", "XGLM 4.5B", "facebook/xglm-4.5B", "2021-12";
    "xglm-7.5b", "XGLM 7.5B", "facebook/xglm-7.5B", "2021-12";
    "minicpm3-4b", "MiniCPM3 4B", "openbmb/MiniCPM3-4B", "2024-09";
    "youtu-llm-2b", "Youtu-LLM 2B", "tencent/Youtu-LLM-2B", "2025-12";
    "nanochat-d32", "nanochat d32 1.9B", "karpathy/nanochat-d32", "2025-10";
    "k-exaone-236b-a23b", "K-EXAONE 236B-A23B", "LGAI-EXAONE/K-EXAONE-236B-A23B", "2025-12";
    "solar-open-100b", "Solar Open 100B", "upstage/Solar-Open-100B", "2025-12";
    "cwm-32b", "Code World Model 32B", "facebook/cwm", "2025-09";
    "internlm3-8b", "InternLM3 8B", "internlm/internlm3-8b-instruct", "2025-01";
    "iquest-coder-40b", "IQuest-Coder V1 40B", "IQuestLab/IQuest-Coder-V1-40B-Instruct", "2026-01";
    "mistral-small-4-119b", "Mistral Small 4 119B-A6B, text", "mistralai/Mistral-Small-4-119B-2603", "2026-03";
    "mbart-large-50", "mBART-50 611M", "facebook/mbart-large-50", "2020-08";
    "nllb-200-distilled-600m", "NLLB-200 distilled 600M", "facebook/nllb-200-distilled-600M", "2022-07";
    "nllb-200-1.3b", "NLLB-200 1.3B", "facebook/nllb-200-1.3B", "2022-07";
    "opus-mt-en-de", "OPUS-MT en-de 74M", "Helsinki-NLP/opus-mt-en-de", "2020-03";
    "pegasus-large", "PEGASUS large", "google/pegasus-large", "2020-06";
    "jais-2-8b", "Jais 2 8B", "inceptionai/Jais-2-8B-Chat", "2025-12";
    "deepseek-v2-lite", "DeepSeek V2 Lite", "deepseek-ai/DeepSeek-V2-Lite", "2024-05";
    "deepseek-v2", "DeepSeek V2", "deepseek-ai/DeepSeek-V2", "2024-05";
    "deepseek-v3", "DeepSeek V3", "deepseek-ai/DeepSeek-V3", "2024-12";
    "deepseek-v3.2", "DeepSeek V3.2", "deepseek-ai/DeepSeek-V3.2", "2025-12";
    "glm-5", "GLM-5 744B-A40B", "zai-org/GLM-5", "2026-02";
    "gpt2", "GPT-2 124M", "openai-community/gpt2", "2019-02";
    "gpt2-medium", "GPT-2 Medium 355M", "openai-community/gpt2-medium", "2019-02";
    "gpt2-large", "GPT-2 Large 774M", "openai-community/gpt2-large", "2019-02";
    "gpt2-xl", "GPT-2 XL 1.6B", "openai-community/gpt2-xl", "2019-02";
    "gpt-neo-125m", "GPT-Neo 125M", "EleutherAI/gpt-neo-125m", "2021-03";
    "gpt-neo-1.3b", "GPT-Neo 1.3B", "EleutherAI/gpt-neo-1.3B", "2021-03";
    "gpt-neo-2.7b", "GPT-Neo 2.7B", "EleutherAI/gpt-neo-2.7B", "2021-03";
    "gpt-j-6b", "GPT-J 6B", "EleutherAI/gpt-j-6b", "2021-06";
    "codegen-350m", "CodeGen 350M", "Salesforce/codegen-350M-mono", "2022-03";
    "codegen-2b", "CodeGen 2B", "Salesforce/codegen-2B-mono", "2022-03";
    "codegen-6b", "CodeGen 6B", "Salesforce/codegen-6B-mono", "2022-03";
    "codegen-16b", "CodeGen 16B", "Salesforce/codegen-16B-mono", "2022-03";
    "distilgpt2", "DistilGPT2 82M", "distilbert/distilgpt2", "2019-10";
    "t5-small", "T5 small", "google-t5/t5-small", "2019-10";
    "t5-base", "T5 base", "google-t5/t5-base", "2019-10";
    "t5-large", "T5 large", "google-t5/t5-large", "2019-10";
    "flan-t5-small", "Flan-T5 small", "google/flan-t5-small", "2022-10";
    "flan-t5-base", "Flan-T5 base", "google/flan-t5-base", "2022-10";
    "flan-t5-large", "Flan-T5 large", "google/flan-t5-large", "2022-10";
    "flan-t5-xl", "Flan-T5 XL", "google/flan-t5-xl", "2022-10";
    "mt5-small", "mT5 small", "google/mt5-small", "2020-10";
    "bert-base", "BERT base", "google-bert/bert-base-uncased", "2018-10";
    "bert-large", "BERT large", "google-bert/bert-large-uncased", "2018-10";
    "pythia-160m", "Pythia 160M", "EleutherAI/pythia-160m", "2023-02";
    "pythia-1.4b", "Pythia 1.4B", "EleutherAI/pythia-1.4b", "2023-02";
    "gemma-2b", "Gemma 2B", "google/gemma-2b", "2024-02";
    "gemma-2-2b", "Gemma 2 2B", "google/gemma-2-2b", "2024-07";
    "gemma-3-1b", "Gemma 3 1B", "google/gemma-3-1b-pt", "2025-03";
    "gemma-3-4b", "Gemma 3 4B, with images", "google/gemma-3-4b-pt", "2025-03";
    "gemma-3-12b", "Gemma 3 12B, with images", "google/gemma-3-12b-pt", "2025-03";
    "gemma-3-27b", "Gemma 3 27B, with images", "google/gemma-3-27b-pt", "2025-03";
    "gemma-3n-e2b", "Gemma 3n E2B (text part)", "google/gemma-3n-E2B", "2025-06";
    "gemma-3n-e4b", "Gemma 3n E4B (text part)", "google/gemma-3n-E4B", "2025-06";
    "gemma-4-e2b", "Gemma 4 E2B (text part)", "google/gemma-4-E2B", "2026-04";
    "gemma-4-26b-a4b", "Gemma 4 26B-A4B (text part)", "google/gemma-4-26B-A4B", "2026-04";
    "gemma-4-31b", "Gemma 4 31B (text part)", "google/gemma-4-31B", "2026-04";
    "starcoder-15b", "StarCoder 15B", "bigcode/starcoder", "2023-05";
    "starcoderbase-1b", "StarCoderBase 1B", "bigcode/starcoderbase-1b", "2023-07";
    "santacoder-1.1b", "SantaCoder 1.1B", "bigcode/gpt_bigcode-santacoder", "2023-04";
    "starcoder2-3b", "StarCoder2 3B", "bigcode/starcoder2-3b", "2024-02";
    "starcoder2-7b", "StarCoder2 7B", "bigcode/starcoder2-7b", "2024-02";
    "starcoder2-15b", "StarCoder2 15B", "bigcode/starcoder2-15b", "2024-02";
    "granite-3.1-2b", "Granite 3.1 2B", "ibm-granite/granite-3.1-2b-base", "2024-12";
    "granite-3.1-8b", "Granite 3.1 8B", "ibm-granite/granite-3.1-8b-base", "2024-12";
    "command-r-35b", "Command R 35B", "CohereForAI/c4ai-command-r-v01", "2024-03";
    "aya-23-8b", "Aya 23 8B", "CohereForAI/aya-23-8B", "2024-05";
    "command-r7b", "Command R7B", "CohereForAI/c4ai-command-r7b-12-2024", "2024-12";
    "stablelm-3b", "StableLM 3B", "stabilityai/stablelm-3b-4e1t", "2023-09";
    "stablelm-2-1.6b", "StableLM 2 1.6B", "stabilityai/stablelm-2-1_6b", "2024-01";
    "olmo-1b", "OLMo 1B", "allenai/OLMo-1B-hf", "2024-04";
    "olmo-7b", "OLMo 7B", "allenai/OLMo-7B-hf", "2024-04";
    "olmo-3-7b", "OLMo 3 7B", "allenai/Olmo-3-1025-7B", "2025-11";
    "smollm3-3b", "SmolLM3 3B", "HuggingFaceTB/SmolLM3-3B", "2025-07";
    "minitron-4b", "Minitron 4B", "nvidia/Minitron-4B-Base", "2024-07";
    "helium-1-2b", "Helium 1 preview 2B", "kyutai/helium-1-preview-2b", "2025-01";
    "seed-oss-36b", "Seed-OSS 36B", "ByteDance-Seed/Seed-OSS-36B-Base", "2025-08";
    "exaone-4-1.2b", "EXAONE 4.0 1.2B", "LGAI-EXAONE/EXAONE-4.0-1.2B", "2025-07";
    "exaone-4-32b", "EXAONE 4.0 32B", "LGAI-EXAONE/EXAONE-4.0-32B", "2025-07";
    "glm-4-9b", "GLM-4 9B", "THUDM/glm-4-9b-hf", "2024-10";
    "glm-4-9b-0414", "GLM-4 9B 0414", "THUDM/GLM-4-9B-0414", "2025-04";
    "olmo-2-1b", "OLMo 2 1B", "allenai/OLMo-2-0425-1B", "2025-04";
    "mpt-7b", "MPT 7B", "mosaicml/mpt-7b", "2023-05";
    "mpt-30b", "MPT 30B", "mosaicml/mpt-30b", "2023-06";
    "phi-2", "Phi-2 2.7B", "microsoft/phi-2", "2023-12";
    "phi-3.5-moe", "Phi-3.5 MoE 42B", "microsoft/Phi-3.5-MoE-instruct", "2024-08";
    "phi-3-mini", "Phi-3 mini 3.8B", "microsoft/Phi-3-mini-4k-instruct", "2024-04";
    "opt-125m", "OPT 125M", "facebook/opt-125m", "2022-05";
    "opt-1.3b", "OPT 1.3B", "facebook/opt-1.3b", "2022-05";
    "mamba-130m", "Mamba 130M", "state-spaces/mamba-130m-hf", "2023-12";
    "mamba-370m", "Mamba 370M", "state-spaces/mamba-370m-hf", "2023-12";
    "mamba-790m", "Mamba 790M", "state-spaces/mamba-790m-hf", "2023-12";
    "mamba-1.4b", "Mamba 1.4B", "state-spaces/mamba-1.4b-hf", "2023-12";
    "mamba-2.8b", "Mamba 2.8B", "state-spaces/mamba-2.8b-hf", "2023-12";
    "mamba-codestral-7b", "Mamba Codestral 7B", "mistralai/Mamba-Codestral-7B-v0.1", "2024-07";
    "falcon-mamba-7b", "Falcon Mamba 7B", "tiiuae/falcon-mamba-7b", "2024-08";
    "bamba-9b", "Bamba 9B", "ibm-ai-platform/Bamba-9B-v1", "2024-12";
    "nemotron-h-8b", "Nemotron-H 8B", "nvidia/Nemotron-H-8B-Base-8K", "2025-03";
    "nemotron-nano-9b-v2", "Nemotron Nano 2 9B", "nvidia/NVIDIA-Nemotron-Nano-9B-v2", "2025-08";
    "nemotron-3-nano-30b-a3b", "Nemotron 3 Nano 30B-A3B", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "2025-12";
    "falcon-h1-0.5b", "Falcon-H1 0.5B", "tiiuae/Falcon-H1-0.5B-Base", "2025-05";
    "lfm2-350m", "LFM2 350M", "LiquidAI/LFM2-350M", "2025-07";
    "lfm2-700m", "LFM2 700M", "LiquidAI/LFM2-700M", "2025-07";
    "lfm2-1.2b", "LFM2 1.2B", "LiquidAI/LFM2-1.2B", "2025-07";
    "lfm2-8b-a1b", "LFM2 8B-A1B", "LiquidAI/LFM2-8B-A1B", "2025-10";
    "falcon-rw-1b", "Falcon RW 1B", "tiiuae/falcon-rw-1b", "2023-04";
    "falcon-7b", "Falcon 7B", "tiiuae/falcon-7b", "2023-04";
    "falcon-40b", "Falcon 40B", "tiiuae/falcon-40b", "2023-05";
    "bloom-560m", "BLOOM 560M", "bigscience/bloom-560m", "2022-05";
    "bloom-1.1b", "BLOOM 1.1B", "bigscience/bloom-1b1", "2022-05";
    "bloom-1.7b", "BLOOM 1.7B", "bigscience/bloom-1b7", "2022-05";
    "bloom-3b", "BLOOM 3B", "bigscience/bloom-3b", "2022-05";
    "bloom-7.1b", "BLOOM 7.1B", "bigscience/bloom-7b1", "2022-05";
    "bloom-176b", "BLOOM 176B", "bigscience/bloom", "2022-05";
    "roberta-base", "RoBERTa base", "FacebookAI/roberta-base", "2019-07";
    "bart-base", "BART base", "facebook/bart-base", "2019-10";
    "deltanet-340m", "DeltaNet 340M", "fla-hub/delta_net-340M-15B", "2024-06";
    "deltanet-1.3b", "DeltaNet 1.3B", "fla-hub/delta_net-1.3B-100B", "2024-06";
    "gated-deltanet-1.3b", "Gated DeltaNet 1.3B", "m-a-p/1.3B-100B-GatedDeltaNet-pure", "2024-12";
    "retnet-1.3b", "RetNet 1.3B", "fla-hub/retnet-1.3B-100B", "2023-07";
    "hgrn-1.3b", "HGRN 1.3B", "fla-hub/hgrn-1.3B-100B", "2023-11";
    "hgrn2-1.3b", "HGRN2 1.3B", "fla-hub/hgrn2-1.3B-100B", "2024-04";
    "transformer-1.3b", "Transformer 1.3B (flash-linear-attention)", "fla-hub/transformer-1.3B-100B", "2025-07";
    "mamba-1.3b", "Mamba 1.3B (flash-linear-attention)", "fla-hub/mamba-1.3B-100B", "2024-04";
    "mamba-2.7b", "Mamba 2.7B (flash-linear-attention)", "fla-hub/mamba-2.7B-100B", "2024-04";
    "mamba2-1.3b", "Mamba 2 1.3B (flash-linear-attention)", "fla-org/flash-linear-attention", "2024-05";
    "gla-340m", "GLA 340M", "fla-hub/gla-340M-15B", "2024-05";
    "gla-1.3b", "GLA 1.3B", "fla-hub/gla-1.3B-100B", "2024-05";
    "bart-large", "BART large", "facebook/bart-large", "2019-10";
    "bart-large-cnn", "BART large, CNN", "facebook/bart-large-cnn", "2019-10";
    "distilbart-cnn-12-6", "DistilBART 12-6, CNN", "sshleifer/distilbart-cnn-12-6", "2020-08";
    "whisper-tiny", "Whisper tiny", "openai/whisper-tiny", "2022-09";
    "whisper-base", "Whisper base", "openai/whisper-base", "2022-09";
    "whisper-small", "Whisper small", "openai/whisper-small", "2022-09";
    "whisper-medium", "Whisper medium", "openai/whisper-medium", "2022-09";
    "whisper-large-v2", "Whisper large v2", "openai/whisper-large-v2", "2022-12";
    "whisper-large-v3", "Whisper large v3", "openai/whisper-large-v3", "2023-11";
    "whisper-large-v3-turbo", "Whisper large v3 turbo", "openai/whisper-large-v3-turbo", "2024-10";
    "distilbert-base", "DistilBERT base", "distilbert/distilbert-base-uncased", "2019-10";
    "distilbert-base-cased", "DistilBERT base, cased", "distilbert/distilbert-base-cased", "2019-10";
    "distilbert-base-multilingual", "DistilBERT base, multilingual", "distilbert/distilbert-base-multilingual-cased", "2019-10";
    "distilroberta-base", "DistilRoBERTa base", "distilbert/distilroberta-base", "2019-10";
    "bert-base-cased", "BERT base, cased", "google-bert/bert-base-cased", "2018-10";
    "bert-base-multilingual", "BERT base, multilingual", "google-bert/bert-base-multilingual-cased", "2018-11";
    "vit-tiny", "ViT tiny, 16x16 patches", "WinKawaks/vit-tiny-patch16-224", "2022-03";
    "vit-small", "ViT small, 16x16 patches", "WinKawaks/vit-small-patch16-224", "2022-03";
    "vit-base", "ViT base, 16x16 patches", "google/vit-base-patch16-224-in21k", "2020-10";
    "vit-large", "ViT large, 16x16 patches", "google/vit-large-patch16-224", "2020-10";
    "ast-audioset", "Audio spectrogram transformer (AudioSet)", "MIT/ast-finetuned-audioset-10-10-0.4593", "2021-04";
    "vit-msn-small", "ViT MSN small", "facebook/vit-msn-small", "2022-04";
    "deit-base-distilled", "DeiT base distilled", "facebook/deit-base-distilled-patch16-224", "2020-12";
    "dinov2-small", "DINOv2 small", "facebook/dinov2-small", "2023-04";
    "dinov2-base", "DINOv2 base", "facebook/dinov2-base", "2023-04";
    "dinov2-large", "DINOv2 large", "facebook/dinov2-large", "2023-04";
    "dinov2-with-registers-small", "DINOv2 small with registers", "facebook/dinov2-with-registers-small", "2024-12";
    "dinov2-with-registers-base", "DINOv2 base with registers", "facebook/dinov2-with-registers-base", "2024-12";
    "dinov2-with-registers-large", "DINOv2 large with registers", "facebook/dinov2-with-registers-large", "2024-12";
    "clip-vit-base-patch32", "CLIP base, 32x32 patches", "openai/clip-vit-base-patch32", "2021-01";
    "clip-vit-base-patch16", "CLIP base, 16x16 patches", "openai/clip-vit-base-patch16", "2021-07";
    "clip-vit-large-patch14", "CLIP large, 14x14 patches", "openai/clip-vit-large-patch14", "2022-01";
    "siglip-base-patch16-224", "SigLIP base, 16x16 patches", "google/siglip-base-patch16-224", "2023-09";
    "siglip-so400m-patch14-384", "SigLIP SO400M, images of 384", "google/siglip-so400m-patch14-384", "2024-01";
    "siglip2-base-patch16-224", "SigLIP 2 base, 16x16 patches", "google/siglip2-base-patch16-224", "2025-02";
    "siglip2-so400m-patch14-384", "SigLIP 2 SO400M, images of 384", "google/siglip2-so400m-patch14-384", "2025-02";
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
    "qwen3-vl-2b-instruct", "Qwen3-VL 2B", "Qwen/Qwen3-VL-2B-Instruct", "2025-10";
    "qwen3-vl-4b-instruct", "Qwen3-VL 4B", "Qwen/Qwen3-VL-4B-Instruct", "2025-10";
    "qwen3-vl-8b-instruct", "Qwen3-VL 8B", "Qwen/Qwen3-VL-8B-Instruct", "2025-10";
    "qwen3-vl-32b-instruct", "Qwen3-VL 32B", "Qwen/Qwen3-VL-32B-Instruct", "2025-10";
    "qwen3-vl-30b-a3b-instruct", "Qwen3-VL 30B A3B", "Qwen/Qwen3-VL-30B-A3B-Instruct", "2025-10";
    "qwen3-vl-235b-a22b-instruct", "Qwen3-VL 235B A22B", "Qwen/Qwen3-VL-235B-A22B-Instruct", "2025-09";
    "smolvlm-256m-instruct", "SmolVLM 256M", "HuggingFaceTB/SmolVLM-256M-Instruct", "2025-01";
    "smolvlm-500m-instruct", "SmolVLM 500M", "HuggingFaceTB/SmolVLM-500M-Instruct", "2025-01";
    "smolvlm-instruct", "SmolVLM 2.2B", "HuggingFaceTB/SmolVLM-Instruct", "2024-11";
    "smolvlm2-256m-video-instruct", "SmolVLM2 256M", "HuggingFaceTB/SmolVLM2-256M-Video-Instruct", "2025-02";
    "smolvlm2-500m-video-instruct", "SmolVLM2 500M", "HuggingFaceTB/SmolVLM2-500M-Video-Instruct", "2025-02";
    "smolvlm2-2.2b-instruct", "SmolVLM2 2.2B", "HuggingFaceTB/SmolVLM2-2.2B-Instruct", "2025-02";
    "idefics3-8b-llama3", "Idefics3 8B", "HuggingFaceM4/Idefics3-8B-Llama3", "2024-08";
    "internvl3-1b-hf", "InternVL3 1B", "OpenGVLab/InternVL3-1B-hf", "2025-04";
    "internvl3-2b-hf", "InternVL3 2B", "OpenGVLab/InternVL3-2B-hf", "2025-04";
    "internvl3-8b-hf", "InternVL3 8B", "OpenGVLab/InternVL3-8B-hf", "2025-04";
    "internvl3-14b-hf", "InternVL3 14B", "OpenGVLab/InternVL3-14B-hf", "2025-04";
    "internvl3-38b-hf", "InternVL3 38B", "OpenGVLab/InternVL3-38B-hf", "2025-04";
    "internvl3-78b-hf", "InternVL3 78B", "OpenGVLab/InternVL3-78B-hf", "2025-04";
    "llama-3.2-11b-vision", "Llama 3.2 11B Vision", "meta-llama/Llama-3.2-11B-Vision", "2024-09";
    "llama-3.2-11b-vision-instruct", "Llama 3.2 11B Vision Instruct", "meta-llama/Llama-3.2-11B-Vision-Instruct", "2024-09";
    "llama-3.2-90b-vision-instruct", "Llama 3.2 90B Vision Instruct", "meta-llama/Llama-3.2-90B-Vision-Instruct", "2024-09";
    "mistral-small-3.1-24b", "Mistral Small 3.1 24B, with images", "mistralai/Mistral-Small-3.1-24B-Instruct-2503", "2025-03";
    "mistral-small-3.2-24b", "Mistral Small 3.2 24B, with images", "mistralai/Mistral-Small-3.2-24B-Instruct-2506", "2025-06";
    "qwen2.5-vl-3b-instruct", "Qwen2.5-VL 3B", "Qwen/Qwen2.5-VL-3B-Instruct", "2025-01";
    "qwen2.5-vl-7b-instruct", "Qwen2.5-VL 7B", "Qwen/Qwen2.5-VL-7B-Instruct", "2025-01";
    "qwen2.5-vl-32b-instruct", "Qwen2.5-VL 32B", "Qwen/Qwen2.5-VL-32B-Instruct", "2025-03";
    "qwen2.5-vl-72b-instruct", "Qwen2.5-VL 72B", "Qwen/Qwen2.5-VL-72B-Instruct", "2025-01";
    "qwen2-vl-2b-instruct", "Qwen2-VL 2B", "Qwen/Qwen2-VL-2B-Instruct", "2024-08";
    "qwen2-vl-7b-instruct", "Qwen2-VL 7B", "Qwen/Qwen2-VL-7B-Instruct", "2024-08";
    "qwen2-vl-72b-instruct", "Qwen2-VL 72B", "Qwen/Qwen2-VL-72B-Instruct", "2024-09";
    "swin-tiny", "Swin tiny, windows of 7", "microsoft/swin-tiny-patch4-window7-224", "2021-03";
    "swin-base", "Swin base, windows of 7", "microsoft/swin-base-patch4-window7-224", "2021-03";
    "swin-large", "Swin large, windows of 7", "microsoft/swin-large-patch4-window7-224", "2021-03";
    "swinv2-tiny", "Swin V2 tiny, windows of 8", "microsoft/swinv2-tiny-patch4-window8-256", "2021-11";
    "swinv2-base", "Swin V2 base, windows of 8", "microsoft/swinv2-base-patch4-window8-256", "2021-11";
    "swinv2-large", "Swin V2 large, windows of 16", "microsoft/swinv2-large-patch4-window12to16-192to256-22kto1k-ft", "2021-11";
    "wav2vec2-base", "wav2vec 2.0 base", "facebook/wav2vec2-base", "2020-06";
    "wav2vec2-base-960h", "wav2vec 2.0 base, LibriSpeech", "facebook/wav2vec2-base-960h", "2020-06";
    "wav2vec2-large-xlsr-53", "XLSR-53 (wav2vec 2.0 large)", "facebook/wav2vec2-large-xlsr-53", "2020-06";
    "wav2vec2-xls-r-300m", "XLS-R 300M", "facebook/wav2vec2-xls-r-300m", "2021-11";
    "wav2vec2-xls-r-1b", "XLS-R 1B", "facebook/wav2vec2-xls-r-1b", "2021-11";
    "wav2vec2-xls-r-2b", "XLS-R 2B", "facebook/wav2vec2-xls-r-2b", "2021-11";
    "unispeech-sat-base-100h", "UniSpeech-SAT base, LibriSpeech", "microsoft/unispeech-sat-base-100h-libri-ft", "2021-10";
    "data2vec-audio-base-960h", "data2vec audio base, LibriSpeech", "facebook/data2vec-audio-base-960h", "2022-02";
    "data2vec-audio-large-960h", "data2vec audio large, LibriSpeech", "facebook/data2vec-audio-large-960h", "2022-02";
    "wavlm-base", "WavLM base", "microsoft/wavlm-base", "2021-10";
    "wavlm-base-plus", "WavLM base+", "microsoft/wavlm-base-plus", "2021-10";
    "wavlm-large", "WavLM large", "microsoft/wavlm-large", "2021-10";
    "hubert-base-ls960", "HuBERT base", "facebook/hubert-base-ls960", "2021-06";
    "hubert-large-ls960-ft", "HuBERT large, LibriSpeech", "facebook/hubert-large-ls960-ft", "2021-06";
    "convnext-tiny-224", "ConvNeXT tiny", "facebook/convnext-tiny-224", "2022-01";
    "convnext-small-224", "ConvNeXT small", "facebook/convnext-small-224", "2022-01";
    "convnext-base-224", "ConvNeXT base", "facebook/convnext-base-224", "2022-01";
    "convnext-large-224", "ConvNeXT large", "facebook/convnext-large-224", "2022-01";
    "convnextv2-tiny-1k-224", "ConvNeXT V2 tiny", "facebook/convnextv2-tiny-1k-224", "2023-01";
    "convnextv2-base-1k-224", "ConvNeXT V2 base", "facebook/convnextv2-base-1k-224", "2023-01";
    "resnet-18", "ResNet 18", "microsoft/resnet-18", "2015-12";
    "resnet-34", "ResNet 34", "microsoft/resnet-34", "2015-12";
    "resnet-50", "ResNet 50", "microsoft/resnet-50", "2015-12";
    "resnet-101", "ResNet 101", "microsoft/resnet-101", "2015-12";
    "resnet-152", "ResNet 152", "microsoft/resnet-152", "2015-12";
    "beit-base-patch16-224", "BEiT base", "microsoft/beit-base-patch16-224", "2021-06";
    "beit-large-patch16-224", "BEiT large", "microsoft/beit-large-patch16-224", "2021-06";
    "data2vec-vision-base-ft1k", "data2vec vision base", "facebook/data2vec-vision-base-ft1k", "2022-02";
    "data2vec-vision-large-ft1k", "data2vec vision large", "facebook/data2vec-vision-large-ft1k", "2022-02";
    "vit-huge", "ViT huge, 14x14 patches", "google/vit-huge-patch14-224-in21k", "2020-10";
    "xlm-roberta-base", "XLM-RoBERTa base", "FacebookAI/xlm-roberta-base", "2019-11";
    "xlm-roberta-large", "XLM-RoBERTa large", "FacebookAI/xlm-roberta-large", "2019-11";
    "xlm-roberta-xl", "XLM-RoBERTa XL", "facebook/xlm-roberta-xl", "2021-05";
    "xlm-roberta-xxl", "XLM-RoBERTa XXL", "facebook/xlm-roberta-xxl", "2021-05";
    "megatron-bert-345m", "Megatron BERT 345M", "nvidia/megatron-bert-cased-345m", "2019-09";
    "rembert", "RemBERT", "google/rembert", "2020-10";
    "roformer-chinese-base", "RoFormer base, Chinese", "junnyu/roformer_chinese_base", "2021-04";
    "camembert-base", "CamemBERT base", "almanach/camembert-base", "2019-11";
    "deberta-base", "DeBERTa base", "microsoft/deberta-base", "2020-06";
    "deberta-large", "DeBERTa large", "microsoft/deberta-large", "2020-06";
    "deberta-xlarge", "DeBERTa xlarge", "microsoft/deberta-xlarge", "2020-06";
    "deberta-v3-small", "DeBERTa V3 small", "microsoft/deberta-v3-small", "2021-11";
    "deberta-v3-base", "DeBERTa V3 base", "microsoft/deberta-v3-base", "2021-11";
    "deberta-v3-large", "DeBERTa V3 large", "microsoft/deberta-v3-large", "2021-11";
    "eurobert-210m", "EuroBERT 210M", "EuroBERT/EuroBERT-210m", "2025-03";
    "eurobert-610m", "EuroBERT 610M", "EuroBERT/EuroBERT-610m", "2025-03";
    "eurobert-2.1b", "EuroBERT 2.1B", "EuroBERT/EuroBERT-2.1B", "2025-03";
    "ettin-decoder-150m", "Ettin decoder 150M", "jhu-clsp/ettin-decoder-150m", "2025-07";
    "ettin-decoder-400m", "Ettin decoder 400M", "jhu-clsp/ettin-decoder-400m", "2025-07";
    "ettin-decoder-1b", "Ettin decoder 1B", "jhu-clsp/ettin-decoder-1b", "2025-07";
    "umt5-small", "UMT5 small", "google/umt5-small", "2023-04";
    "umt5-base", "UMT5 base", "google/umt5-base", "2023-04";
    "t5gemma-2b-2b", "T5Gemma 2B-2B", "google/t5gemma-2b-2b-ul2", "2025-07";
    "t5gemma-9b-2b", "T5Gemma 9B-2B", "google/t5gemma-9b-2b-ul2", "2025-07";
    "t5gemma-9b-9b", "T5Gemma 9B-9B", "google/t5gemma-9b-9b-ul2", "2025-07";
    "esm2-8m", "ESM-2 8M (proteins)", "facebook/esm2_t6_8M_UR50D", "2022-08";
    "esm2-35m", "ESM-2 35M (proteins)", "facebook/esm2_t12_35M_UR50D", "2022-08";
    "esm2-150m", "ESM-2 150M (proteins)", "facebook/esm2_t30_150M_UR50D", "2022-08";
    "esm2-650m", "ESM-2 650M (proteins)", "facebook/esm2_t33_650M_UR50D", "2022-08";
    "esm2-3b", "ESM-2 3B (proteins)", "facebook/esm2_t36_3B_UR50D", "2022-08";
    "plbart-base", "PLBART base (program code)", "uclanlp/plbart-base", "2021-03";
    "blenderbot-400m-distill", "BlenderBot 400M distill", "facebook/blenderbot-400M-distill", "2020-04";
    "blenderbot-3b", "BlenderBot 3B", "facebook/blenderbot-3B", "2020-04";
    "blenderbot-small-90m", "BlenderBot Small 90M", "facebook/blenderbot_small-90M", "2020-04";
    "nomic-embed-text-v1", "Nomic Embed text v1", "nomic-ai/nomic-embed-text-v1", "2024-02";
    "nomic-embed-text-v1.5", "Nomic Embed text v1.5", "nomic-ai/nomic-embed-text-v1.5", "2024-02";
    "layoutlm-base", "LayoutLM base, uncased", "microsoft/layoutlm-base-uncased", "2019-12";
    "layoutlm-large", "LayoutLM large, uncased", "microsoft/layoutlm-large-uncased", "2019-12";
    "mpnet-base", "MPNet base", "microsoft/mpnet-base", "2020-04";
    "all-mpnet-base-v2", "all-mpnet-base v2 (sentence embeddings)", "sentence-transformers/all-mpnet-base-v2", "2021-08";
    "electra-base", "ELECTRA base", "google/electra-base-discriminator", "2020-03";
    "electra-small", "ELECTRA small", "google/electra-small-discriminator", "2020-03";
    "albert-base-v2", "ALBERT base v2", "albert/albert-base-v2", "2019-10";
    "albert-large-v2", "ALBERT large v2", "albert/albert-large-v2", "2019-10";
    "modernbert-base", "ModernBERT base", "answerdotai/ModernBERT-base", "2024-12";
    "modernbert-large", "ModernBERT large", "answerdotai/ModernBERT-large", "2024-12";
    "gte-modernbert-base", "GTE ModernBERT base", "Alibaba-NLP/gte-modernbert-base", "2025-01";
    "roberta-large", "RoBERTa large", "FacebookAI/roberta-large", "2019-07";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_fit_for_links() {
        let mut ids: Vec<_> = models().map(|model| model.id).collect();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
        assert!(ids.iter().all(|id| id.chars().all(plain)));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), models().count());
    }

    #[test]
    fn a_repository_on_the_hub_names_its_model() {
        assert_eq!(model("qwen/qwen2.5-1.5b"), model("qwen2.5-1.5b"));
        assert!(model("Qwen/Qwen2.5-1.5B").is_some());
        assert!(model("somebody/qwen2.5-1.5b").is_none());
    }

    #[test]
    fn there_is_a_choice() {
        assert!(models().count() >= 50);
    }
}

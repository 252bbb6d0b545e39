//! Which decoders there are.

/// The decoders that are read into a [`DecoderConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecoderType {
    /// Llama.
    Llama,
    /// Mistral.
    Mistral,
    /// Qwen2 and Qwen2.5.
    Qwen2,
    /// Qwen3, with norms on q and k.
    Qwen3,
    /// Mixtral.
    Mixtral,
    /// `OLMoE`.
    Olmoe,
    /// Qwen1.5 and Qwen2 with experts.
    Qwen2Moe,
    /// Qwen3 with experts.
    Qwen3Moe,
    /// Mamba.
    Mamba,
    /// Mamba 2.
    Mamba2,
    /// Falcon Mamba.
    FalconMamba,
    /// Bamba.
    Bamba,
    /// LFM2.
    Lfm2,
    /// LFM2 with experts.
    Lfm2Moe,
    /// Falcon-H1.
    FalconH1,
    /// BLOOM.
    Bloom,
    /// MPT.
    Mpt,
    /// Falcon.
    Falcon,
    /// `DeepSeek` V2.
    DeepseekV2,
    /// `DeepSeek` V3 and R1.
    DeepseekV3,
    /// `DeepSeek` V3.2.
    DeepseekV32,
    /// GLM-5.
    GlmMoeDsa,
    /// GPT-2.
    Gpt2,
    /// `StarCoder` and `SantaCoder`.
    GptBigCode,
    /// GPT-Neo.
    GptNeo,
    /// GPT-J.
    GptJ,
    /// `CodeGen`.
    CodeGen,
    /// `GPT-NeoX` and Pythia.
    GptNeox,
    /// Gemma.
    Gemma,
    /// Gemma 2.
    Gemma2,
    /// The text part of Gemma 3.
    Gemma3,
    /// The text part of Gemma 3n.
    Gemma3n,
    /// The text part of Gemma 4.
    Gemma4,
    /// OPT.
    Opt,
    /// `BioGPT`.
    BioGpt,
    /// XGLM.
    Xglm,
    /// `OLMo` 2.
    Olmo2,
    /// Phi-1, 1.5 and 2.
    Phi,
    /// Phi-3 and Phi-3.5.
    Phi3,
    /// Phi-3.5 with experts.
    PhiMoe,
    /// `StarCoder2`.
    Starcoder2,
    /// `DiffLlama`.
    DiffLlama,
    /// Granite.
    Granite,
    /// Command R.
    Cohere,
    /// Command R7B and A.
    Cohere2,
    /// `StableLM`.
    StableLm,
    /// `OLMo`.
    Olmo,
    /// `OLMo` 3.
    Olmo3,
    /// `SmolLM3`.
    SmolLm3,
    /// Arcee.
    Arcee,
    /// Helium.
    Helium,
    /// Nemotron and Minitron.
    Nemotron,
    /// Seed-OSS.
    SeedOss,
    /// Ministral.
    Ministral,
    /// EXAONE 4.
    Exaone4,
    /// GLM-4 of 2024.
    Glm,
    /// GLM-4 of 2025.
    Glm4,
    /// dots.llm1.
    Dots1,
    /// GLM-4.5 and 4.6.
    Glm4Moe,
    /// GLM-4.7 Flash.
    Glm4MoeLite,
    /// A.X K1.
    AxK1,
    /// ERNIE 4.5.
    Ernie45,
    /// gpt-oss.
    GptOss,
    /// Granite with experts.
    GraniteMoe,
    /// The same with an expert that all tokens go through.
    GraniteMoeShared,
    /// Granite with windows and attention sinks.
    GraniteSwa,
    /// The same with experts.
    GraniteMoeSwa,
    /// Granite 4, whose layers have attention or a state space.
    GraniteMoeHybrid,
    /// ERNIE 4.5 with experts.
    Ernie45Moe,
    /// Hunyuan.
    HunyuanDense,
    /// Hunyuan with experts.
    HunyuanMoe,
    /// The text part of Llama 4.
    Llama4,
    /// Jamba.
    Jamba,
    /// Qwen3-Next.
    Qwen3Next,
    /// The text part of Qwen3.5.
    Qwen35,
    /// The same with experts.
    Qwen35Moe,
    /// `OLMo` Hybrid.
    OlmoHybrid,
    /// Doge, whose mask is made of values.
    Doge,
    /// `JetMoE`, whose attention is a mixture of experts, too.
    JetMoe,
    /// `MiniMax` Text 01.
    MiniMax,
    /// Nemotron-H.
    NemotronH,
    /// Ministral 3.
    Ministral3,
    /// `FlexOlmo`.
    FlexOlmo,
    /// K-EXAONE.
    ExaoneMoe,
    /// Solar Open.
    SolarOpen,
    /// `VaultGemma`.
    VaultGemma,
    /// `MiniMax` M2.
    MiniMaxM2,
    /// Code World Model.
    Cwm,
    /// Apertus.
    Apertus,
    /// Jais 2.
    Jais2,
    /// Trinity of Arcee.
    Afmoe,
    /// Hunyuan 3.
    HyV3,
    /// nanochat.
    NanoChat,
    /// Youtu-LLM.
    Youtu,
    /// `MiniCPM3`.
    MiniCpm3,
    /// `HyperCLOVA` X SEED.
    HyperClovaX,
    /// Mellum 2.
    Mellum,
    /// `BitNet`.
    BitNet,
    /// Persimmon.
    Persimmon,
    /// `InternLM3`.
    InternLm3,
    /// IQuest-Coder.
    IQuestCoder,
    /// The text part of Mistral Small 4.
    Mistral4,
    /// Command A with experts.
    Cohere2Moe,
}

impl DecoderType {
    /// Whether layers without attention follow the gated delta rule.
    pub const fn follows_delta_rule(self) -> bool {
        matches!(
            self,
            Self::Qwen3Next | Self::Qwen35 | Self::Qwen35Moe | Self::OlmoHybrid
        )
    }

    /// Whether all layers are state spaces.
    pub const fn is_mamba(self) -> bool {
        matches!(self, Self::Mamba | Self::FalconMamba | Self::Mamba2)
    }

    /// Whether it is Granite with windows and attention sinks.
    pub const fn is_granite_swa(self) -> bool {
        matches!(self, Self::GraniteSwa | Self::GraniteMoeSwa)
    }

    /// Whether layers without attention are a convolution between two gates.
    pub const fn convolves(self) -> bool {
        matches!(self, Self::Lfm2 | Self::Lfm2Moe)
    }
}

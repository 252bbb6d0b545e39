//! The scenario: the question that is asked. Its keys are the JSON contract and are never renamed.

use super::activations::{ActivationOffload, Selective};
use super::around::Around;
use super::convolutions::Convolutions;
use super::data::{DataLoader, Dataset};
use super::evaluation::Evaluation;
use super::framework::Framework;
use super::host_settings::HostSettings;
use super::implementation::Implementation;
use super::liger::LigerVersion;
use super::lora::Lora;
use super::machine::{AllocatorSettings, Hardware};
use super::model_ref::ModelRef;
use super::objective::Objective;
use super::offload::Offload;
use super::omitted::{is_false, is_nothing};
use super::optimizer::Optimizer;
use super::packing::Packing;
use super::parallelism::{Parallelism, Recompute};
use super::quantization::{ComputeDtype, Quantization};
use crate::units::names;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the scenario format.
pub const SCENARIO_VERSION: u32 = 1;

/// One training run, as somebody asks for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scenario {
    /// Format version.
    pub v: u32,
    /// The model.
    pub model: ModelRef,
    /// Fields that replace those of the model's config, as `{"num_hidden_layers": 2}`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub model_overrides: Map<String, Value>,
    /// The sizes that an exported graph leaves open, by the names of its symbols, or of its inputs with a
    /// dimension, as `{"s2": 640}` or `{"x.2": 640}`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub symbols: Map<String, Value>,
    /// Kernels that convolutions of an exported graph run by.
    #[serde(skip_serializing_if = "Convolutions::is_usual")]
    pub convolutions: Convolutions,
    /// The modules of an exported graph that count as layers, by class, path, or the path of their list: activation
    /// checkpointing runs them again, FSDP shards them one by one. The elements of lists when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layer_modules: Vec<String>,
    /// The environment variable `CUBLAS_WORKSPACE_CONFIG`, as `:4096:8`; cuBLAS' own choice when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cublas_workspace_config: Option<String>,
    /// Whether embedding and head are one parameter; the config's `tie_word_embeddings` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tied_embeddings: Option<bool>,
    /// The model's task; its own task when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// Samples per forward pass on one device (B).
    pub micro_batch_size: u64,
    /// Tokens per sample (S).
    pub seq_len: u64,
    /// Tokens per target of an encoder-decoder; `seq_len` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_seq_len: Option<u64>,
    /// Images of each sample, whose tokens are among the S, where the model sees images.
    pub images: u64,
    /// Pixels along the sides of those images where any size is seen: one number, or width and height
    /// as in `1920x1080`; of Idefics3 what its processor has resized them to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_size: Option<String>,
    /// The fewest pixels that the processor of Qwen2-VL and its like leaves an image; its own when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_pixels: Option<u64>,
    /// The most; images are as large as that where it is given and `image_size` is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pixels: Option<u64>,
    /// Samples are padded to a multiple of this number of tokens (`pad_to_multiple_of` of data collators).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pad_to_multiple_of: Option<u64>,
    /// Several sequences in each row.
    pub packing: Packing,
    /// Micro-batches per optimizer step.
    pub gradient_accumulation_steps: u64,
    /// Precision policy.
    pub precision: Precision,
    /// The dtype that the model is loaded in under autocast; float32 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<ComputeDtype>,
    /// How autocast is applied.
    pub autocast_style: AutocastStyle,
    /// Optimizer and its implementation.
    pub optimizer: Optimizer,
    /// Attention implementation.
    pub attention: Attention,
    /// The sdpa kernel that is forced; PyTorch's own choice when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sdpa_backend: Option<SdpaBackend>,
    /// Whether an attention mask with padding is passed. When absent: in an evaluation, whose
    /// batches a data collator pads, but not in training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub padding_mask: Option<bool>,
    /// Whether the model fills a key-value cache while training.
    pub use_cache: bool,
    /// Activation checkpointing (known to users as gradient checkpointing).
    pub activation_checkpointing: ActivationCheckpointing,
    /// Results that layers keep that are checkpointed operation by operation.
    pub selective: Selective,
    /// `n`: every `n`-th layer is checkpointed, from the first on (torchtitan from the `n`-th on); 1 is every layer.
    pub checkpoint_every: u64,
    /// Activation recomputation of Megatron-Core.
    #[serde(skip_serializing_if = "Recompute::is_usual")]
    pub recompute: Recompute,
    /// Whether Megatron-Core's softmax of attention is computed in fp32 (`attention_softmax_in_fp32`).
    #[serde(skip_serializing_if = "is_false")]
    pub attention_softmax_in_fp32: bool,
    /// Low-rank adapters, when training with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lora: Option<Lora>,
    /// A base model in fewer bits.
    pub quantization: Quantization,
    /// Whether norms, the input embedding and the output layer are in float32 beside weights in half precision, as
    /// axolotl has them where all weights are trained.
    #[serde(skip_serializing_if = "is_false")]
    pub wide_embeddings: bool,
    /// Liger kernels in place of the model's own modules, as `["rms_norm", "swiglu"]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub liger_kernel: Vec<String>,
    /// The version of Liger, where that is not the framework's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub liger_version: Option<LigerVersion>,
    /// The library whose modules the model is built of, where that is not the one that its config is named after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implementation: Option<Implementation>,
    /// Names (or parts of names) of parameters that are not trained.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frozen: Vec<String>,
    /// Whether gradients are clipped by norm.
    pub clip_grad_norm: bool,
    /// Whether `zero_grad` drops gradients (PyTorch's default) or writes zeros.
    pub zero_grad_set_to_none: bool,
    /// The origin of the loss.
    pub loss: Loss,
    /// How much noise is added to what the input embedding gives in training (`NEFTune`); none when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neftune_noise_alpha: Option<f64>,
    /// The objective of a trainer of TRL.
    pub objective: Objective,
    /// Phases around the steps.
    pub around: Around,
    /// Whether the caller still holds the model's outputs while the next step runs.
    pub keep_outputs: bool,
    /// How the job is divided among its GPUs.
    #[serde(skip_serializing_if = "Parallelism::is_none")]
    pub parallelism: Parallelism,
    /// Tensors that live on the host instead of the device.
    #[serde(skip_serializing_if = "Offload::is_none")]
    pub offload: Offload,
    /// Activations that wait on the host.
    pub activation_offload: ActivationOffload,
    /// The program that runs.
    pub program: Program,
    /// The evaluation, or that between the steps of a training run.
    pub evaluation: Evaluation,
    /// The data set.
    pub dataset: Dataset,
    /// `torch.utils.data.DataLoader`.
    pub dataloader: DataLoader,
    /// The training process as the host sees it.
    pub host: HostSettings,
    /// The machine.
    pub hardware: Hardware,
    /// Settings of PyTorch's caching allocator.
    pub allocator: AllocatorSettings,
    /// `torch.cuda.set_per_process_memory_fraction` in bytes: what the allocator may hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<u64>,
    /// Bytes of tensors that the process holds on the device beside the model and its training:
    /// another model, a library's tables.
    #[serde(skip_serializing_if = "is_nothing")]
    pub other_device_memory: u64,
    /// Framework versions, as `torch-2.15/transformers-5.23`.
    pub framework: Framework,
}

impl Scenario {
    /// The catalog id of the model that a page opens with.
    pub const fn default_model_id() -> &'static str {
        "qwen2.5-1.5b"
    }
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            v: SCENARIO_VERSION,
            model: ModelRef::Catalog(Self::default_model_id().to_owned()),
            model_overrides: Map::new(),
            symbols: Map::new(),
            convolutions: Convolutions::Cudnn,
            layer_modules: Vec::new(),
            cublas_workspace_config: None,
            tied_embeddings: None,
            task: None,
            micro_batch_size: 2,
            seq_len: 256,
            target_seq_len: None,
            images: 1,
            image_size: None,
            min_pixels: None,
            max_pixels: None,
            pad_to_multiple_of: None,
            packing: Packing::default(),
            gradient_accumulation_steps: 1,
            precision: Precision::Fp32,
            weights: None,
            autocast_style: AutocastStyle::Plain,
            optimizer: Optimizer::default(),
            attention: Attention::Sdpa,
            sdpa_backend: None,
            padding_mask: None,
            use_cache: false,
            activation_checkpointing: ActivationCheckpointing::None,
            selective: Selective::default(),
            checkpoint_every: 1,
            recompute: Recompute::default(),
            attention_softmax_in_fp32: false,
            lora: None,
            quantization: Quantization::default(),
            wide_embeddings: false,
            liger_kernel: Vec::new(),
            liger_version: None,
            implementation: None,
            frozen: Vec::new(),
            clip_grad_norm: false,
            zero_grad_set_to_none: true,
            loss: Loss::Labels,
            neftune_noise_alpha: None,
            objective: Objective::default(),
            around: Around::default(),
            keep_outputs: false,
            parallelism: Parallelism::default(),
            offload: Offload::default(),
            activation_offload: ActivationOffload::default(),
            program: Program::Training,
            evaluation: Evaluation::default(),
            dataset: Dataset::default(),
            dataloader: DataLoader::default(),
            host: HostSettings::default(),
            hardware: Hardware::default(),
            allocator: AllocatorSettings::default(),
            memory_limit: None,
            other_device_memory: 0,
            framework: Framework::default(),
        }
    }
}

names! {
    /// A task; it decides the head and the loss.
    Task {
        /// Next-token prediction.
        CausalLm = "causal_lm",
        /// Encoder-decoder.
        Seq2SeqLm = "seq2seq_lm",
        /// Masked-token prediction.
        MaskedLm = "masked_lm",
        /// One label per sequence.
        SequenceClassification = "sequence_classification",
        /// One label per token.
        TokenClassification = "token_classification",
        /// The beginning and the end of an answer in a text.
        QuestionAnswering = "question_answering",
        /// One label per image.
        ImageClassification = "image_classification",
        /// The text of a batch that belongs to each of its images.
        Contrastive = "contrastive",
        /// Next-token prediction in texts with images.
        ImageTextToText = "image_text_to_text",
        /// A transcript of a recording.
        Ctc = "ctc",
        /// One label per recording.
        AudioClassification = "audio_classification",
    }
}

names! {
    /// The precision policy.
    Precision {
        /// Everything in float32.
        Fp32 = "fp32",
        /// Autocast to bfloat16 over float32 weights.
        AmpBf16 = "amp_bf16",
        /// Autocast to float16 over float32 weights, with a gradient scaler.
        AmpFp16 = "amp_fp16",
        /// Weights, gradients and optimizer states in bfloat16.
        Bf16 = "bf16",
        /// Weights, gradients and optimizer states in float16.
        Fp16 = "fp16",
    }
}

names! {
    /// How autocast is applied around the model.
    AutocastStyle {
        /// `with torch.autocast(...)` around forward and loss.
        Plain = "plain",
        /// accelerate's wrapper: autocast inside, outputs converted to fp32.
        Accelerate = "accelerate",
    }
}

names! {
    /// transformers' `attn_implementation`.
    Attention {
        /// Written out: scores, softmax, product.
        Eager = "eager",
        /// `torch.nn.functional.scaled_dot_product_attention`.
        Sdpa = "sdpa",
        /// The flash-attn package.
        FlashAttention2 = "flash_attention_2",
    }
}

names! {
    /// The kernels behind `scaled_dot_product_attention`.
    SdpaBackend {
        /// `FlashAttention`.
        Flash = "flash",
        /// Memory-efficient attention.
        Efficient = "efficient",
        /// Written out in PyTorch operations.
        Math = "math",
    }
}

names! {
    /// Activation checkpointing of every layer.
    ActivationCheckpointing {
        /// All saved tensors are kept.
        None = "none",
        /// `use_reentrant=False`, transformers' default since version 5.
        Full = "full",
        /// `use_reentrant=True`.
        FullReentrant = "full_reentrant",
        /// `use_reentrant=False` with a `context_fn` that keeps the results of some operations.
        Operations = "operations",
    }
}

names! {
    /// The origin of the loss.
    Loss {
        /// The model computes it from labels.
        Labels = "labels",
        /// The loss from labels, with head and loss computed piece by piece: torchtune's
        /// `CEWithChunkedOutputLoss`.
        Chunked = "chunked",
        /// The loss from labels and hidden states, without logits: Apple's `cut_cross_entropy`.
        Cut = "cut_cross_entropy",
        /// The loss from labels and logits in the dtype that they have, as models computed it
        /// before they shared one loss (`GPTBigCode` up to transformers 4.48.1).
        Uncast = "labels_uncast",
        /// The loss from labels and logits that the model has cast to float32 before, copied without the last
        /// position, as models computed it up to transformers 4.45.
        Cast = "labels_cast",
        /// The mean of the logits.
        MeanLogits = "mean_logits",
        /// The one that an exported graph returns first.
        Own = "own",
        /// `cross_entropy(out, target)` of an exported graph's first result.
        CrossEntropy = "cross_entropy",
        /// `mse_loss(out, target)` of an exported graph's first result.
        Mse = "mse",
        /// The sum of the means of all results of an exported graph that are floats.
        Mean = "mean",
        /// There is none: forward only.
        None = "none",
    }
}

names! {
    /// The program that runs on the device.
    Program {
        /// Training steps.
        Training = "training",
        /// Forward passes under `no_grad`.
        Forward = "forward",
        /// Evaluation.
        Evaluation = "evaluation",
    }
}

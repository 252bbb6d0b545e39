//! Scenarios and findings.
//!
//! A [`Scenario`] is intent: what a person, a URL or a file asks for, incomplete and possibly wrong. Beside it are the
//! words that its keys take, the limits of its numbers, and [`Finding`]s: its errors, and their fixes.
//!
//! Not here: whether a scenario makes sense (`resolve`), and what models are like (`model`).
//! Invariant: any scenario that can be written as JSON can be held; nothing here refuses one.

mod activations;
mod apply;
mod around;
mod closest;
mod convolutions;
mod data;
mod derived;
mod evaluation;
mod finding;
mod framework;
mod host_settings;
mod implementation;
mod lengths;
mod liger;
mod limits;
mod lora;
mod loss;
mod machine;
mod message;
mod model_ref;
mod objective;
mod offload;
mod omitted;
mod optimizer;
mod packing;
mod parallelism;
mod pattern;
mod precision;
mod quantization;
mod roundup;
mod scenario;
mod task;

pub use activations::{ActivationOffload, ActivationOffloadKind, SavedOperation, Selective};
pub use around::{Around, ModelLoading};
pub use closest::{closest, mistyped, near};
pub use convolutions::Convolutions;
pub use data::{ArrowPool, DataLoader, Dataset, DatasetMode, MultiprocessingContext};
pub use evaluation::{Evaluation, EvaluationKind};
pub use finding::{Finding, Fix, Severity};
pub use framework::Framework;
pub use host_settings::{Checkpoint, HostSettings, Libraries, Saving, TokenizerKind};
pub use implementation::Implementation;
pub use lengths::{LengthShape, SampleLengths};
pub use liger::{LigerKernel, LigerKernels, LigerVersion};
pub use limits::{
    ACCUMULATION, DATASET_BYTES, HEADS, HOST_BYTES, LAYERS, MICRO_BATCH_SIZE, SEQ_LEN,
    TENSOR_BYTES, VOCABULARY, WIDTH, check_range, explain, outside,
};
pub use lora::{ALL_LINEAR, AdapterDtype, Lora, LoraKernel};
pub use lora::{ANY_NUMBER, FUSED, is_called};
pub use machine::{AllocatorSettings, Hardware};
pub use message::message;
pub use message::{Argument, Message, ToArgument};
pub use model_ref::{ExportedModel, LinearModel, ModelRef};
pub use objective::{Generator, LogProbs, LossType, Objective, ObjectiveKind};
pub use offload::Offload;
pub use optimizer::{AdamMiniBlocks, MasterWeights, Optimizer, OptimizerImpl, OptimizerName};
pub use packing::{Packing, PackingKind};
pub use parallelism::{
    BackwardPrefetch, CommHook, ContextParallel, ContextParallelKind, DataParallel,
    DataParallelKind, Ddp, ExpertDispatcher, ExpertParallel, ExpertParallelKind, ExpertRouting,
    Fsdp, MegatronDdp, Mesh, MixedPrecision, OffloadDevice, Parallelism, PipelineParallel,
    PipelineSchedule, Place, Plan, Recompute, RecomputeGranularity, RecomputeMethod, RotateMethod,
    ShardingStrategy, TensorParallel, TensorParallelKind, Zero, ZeroRedundancyOptimizer,
};
pub use pattern::{Pattern, PatternError};
pub use quantization::{ComputeDtype, Quantization, QuantizationStorage, QuantizationType};
pub use roundup::RoundupDivisions;
pub use scenario::{
    ActivationCheckpointing, Attention, AutocastStyle, Loss, Precision, Program, SCENARIO_VERSION,
    Scenario, SdpaBackend, Task,
};

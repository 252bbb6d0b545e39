//! The field's terms: what categories, phases, parts and options are called.

use super::Language;
use crate::ask::{
    ActivationCheckpointing, ActivationOffloadKind, ArrowPool, Attention, AutocastStyle,
    Checkpoint, ContextParallelKind, DataParallelKind, DatasetMode, EvaluationKind, Framework,
    Generator, Loss, MasterWeights, ModelLoading, ObjectiveKind, OptimizerImpl, OptimizerName,
    PackingKind, PipelineSchedule, Plan, Precision, Program, QuantizationType, Task,
    TensorParallelKind, TokenizerKind,
};
use crate::host::{HostPart, HostPhase};
use crate::inputs::{Doing, Purpose};
use crate::sim::Phase;
use crate::tape::Category;

/// Something that has a name in each language.
pub trait Term: Copy {
    /// The name.
    fn term(self, language: Language) -> &'static str;
}

/// Implements [`Term`] for an enum, one line each.
macro_rules! terms {
    ($type:ty { $($variant:ident: $english:literal, $chinese:literal;)+ }) => {
        impl Term for $type {
            fn term(self, language: Language) -> &'static str {
                match (self, language) {
                    $(
                        (<$type>::$variant, Language::English) => $english,
                        (<$type>::$variant, Language::Chinese) => $chinese,
                    )+
                }
            }
        }
    };
}

terms! { Category {
    Parameters: "parameters", "参数";
    Buffers: "buffers", "缓冲区";
    Inputs: "inputs", "输入";
    OptimizerStates: "optimizer states", "优化器状态";
    MasterWeights: "master weights", "主权重";
    Gradients: "gradients", "梯度";
    Activations: "activations", "激活值";
    AutocastWeights: "autocast weights", "自动混合精度权重副本";
    Logits: "logits", "logits";
    Temporaries: "temporaries", "临时张量";
    Workspaces: "workspaces", "工作区";
    Communication: "communication", "通信缓冲";
    KvCache: "KV cache", "KV 缓存";
    Vllm: "vLLM", "vLLM";
} }

terms! { Phase {
    Loading: "loading", "加载";
    Data: "data", "数据传输";
    Generation: "generation", "生成";
    Forward: "forward", "前向";
    ReferenceForward: "reference forward", "参考前向";
    Backward: "backward", "反向";
    Clip: "clip", "梯度裁剪";
    OptimizerStep: "optimizer step", "优化器更新";
    ZeroGrad: "zero_grad", "梯度清零";
    Evaluation: "evaluation", "评估";
    Saving: "saving", "保存";
} }

terms! { Purpose {
    Before: "there before the recording", "记录开始前已有";
    Parameters: "parameters", "参数";
    OptimizerStates: "optimizer states", "优化器状态";
    Gradients: "gradients", "梯度";
    Activations: "activations", "激活值";
    Temporaries: "temporaries, workspaces", "临时张量与工作区";
    Kept: "kept by libraries", "库保留";
    Unknown: "the batch, and the rest", "输入及其他";
} }

terms! { Doing {
    Loading: "loading", "加载";
    Forward: "forward", "前向";
    Backward: "backward", "反向";
    Recompute: "recomputation", "重计算";
    Clip: "clip", "梯度裁剪";
    OptimizerStep: "optimizer step", "优化器更新";
    ZeroGrad: "zero_grad", "梯度清零";
} }

terms! { HostPart {
    Libraries: "libraries", "程序库";
    SharedLibraries: "shared libraries", "共享程序库";
    CudaContext: "CUDA context", "CUDA 上下文";
    Tokenizer: "tokenizer", "分词器";
    Dataset: "dataset", "数据集";
    Workers: "workers", "工作进程";
    PrefetchedBatches: "prefetched batches", "预取批次";
    PinnedMemory: "pinned memory", "锁页内存";
    ModelLoading: "model loading", "模型加载";
    Offload: "offload", "卸载";
    Training: "training on the CPU", "CPU 训练";
    Predictions: "predictions", "预测结果";
    Saving: "saving", "保存";
    PageTables: "page tables", "页表";
    OtherProcesses: "other processes", "其他进程";
} }

terms! { HostPhase {
    Load: "loading", "加载";
    Steady: "training", "训练";
    Evaluation: "evaluating", "评估";
    Save: "saving", "保存";
} }

terms! { Precision {
    Fp32: "fp32", "fp32";
    AmpBf16: "amp bf16 (autocast)", "amp bf16（自动混合精度）";
    AmpFp16: "amp fp16 (autocast)", "amp fp16（自动混合精度）";
    Bf16: "pure bf16", "纯 bf16";
    Fp16: "pure fp16", "纯 fp16";
} }

terms! { OptimizerName {
    AdamW: "AdamW", "AdamW";
    Adam: "Adam", "Adam";
    Sgd: "SGD", "SGD";
    Adafactor: "Adafactor (torch)", "Adafactor（torch）";
    AdafactorTransformers: "Adafactor (transformers)", "Adafactor（transformers）";
    RmsProp: "RMSprop", "RMSprop";
    Adagrad: "Adagrad", "Adagrad";
    Adadelta: "Adadelta", "Adadelta";
    Adamax: "Adamax", "Adamax";
    NAdam: "NAdam", "NAdam";
    Lion: "Lion", "Lion";
    Muon: "Muon (AdamW for the rest)", "Muon（其余用 AdamW）";
    AdamW8bit: "AdamW, 8-bit (bitsandbytes)", "AdamW，8 位（bitsandbytes）";
    PagedAdamW8bit: "AdamW, 8-bit, paged (bitsandbytes)", "AdamW，8 位，分页（bitsandbytes）";
    PagedAdamW32bit: "AdamW, 32-bit, paged (bitsandbytes)", "AdamW，32 位，分页（bitsandbytes）";
    AdamW32bitBitsAndBytes: "AdamW, 32-bit (bitsandbytes)", "AdamW，32 位（bitsandbytes）";
    Lion8bit: "Lion, 8-bit (bitsandbytes)", "Lion，8 位（bitsandbytes）";
    Sgd8bit: "SGD, 8-bit (bitsandbytes)", "SGD，8 位（bitsandbytes）";
    TorchAo8bit: "AdamW, 8-bit (torchao)", "AdamW，8 位（torchao）";
    TorchAo4bit: "AdamW, 4-bit (torchao)", "AdamW，4 位（torchao）";
    TorchAoFp8: "AdamW, fp8 (torchao)", "AdamW，fp8（torchao）";
    AdamMini: "Adam-mini", "Adam-mini";
    Apollo: "APOLLO AdamW", "APOLLO AdamW";
    ApolloMini: "APOLLO-Mini", "APOLLO-Mini";
    Lomo: "LOMO", "LOMO";
    AdaLomo: "AdaLOMO", "AdaLOMO";
    ScheduleFreeAdamW: "AdamW, schedule-free", "AdamW（schedule-free）";
    ScheduleFreeSgd: "SGD, schedule-free", "SGD（schedule-free）";
    None: "none (gradients only)", "无（只有梯度）";
} }

terms! { ActivationOffloadKind {
    None: "none", "无";
    SavedTensors: "saved tensors (TRL)", "保存的张量（TRL）";
    SaveOnCpu: "save_on_cpu (torch)", "save_on_cpu（torch）";
    LayerInputs: "layer inputs (Unsloth, axolotl)", "层输入（Unsloth、axolotl）";
} }

terms! { ObjectiveKind {
    None: "the model's own loss", "模型自身的损失";
    Sft: "SFT (TRL)", "SFT（TRL）";
    Dpo: "DPO (TRL)", "DPO（TRL）";
    Grpo: "GRPO (TRL)", "GRPO（TRL）";
    Kto: "KTO (TRL)", "KTO（TRL）";
    Orpo: "ORPO (TRL)", "ORPO（TRL）";
    Cpo: "CPO (TRL)", "CPO（TRL）";
    Reward: "reward model (TRL)", "奖励模型（TRL）";
    Distillation: "distillation (TRL)", "蒸馏（TRL）";
} }

terms! { Generator {
    None: "elsewhere", "在别处";
    Model: "the model (transformers)", "模型自身（transformers）";
    Vllm: "vLLM beside it", "并置的 vLLM";
    VllmSleep: "vLLM beside it, asleep in between", "并置的 vLLM，训练时休眠";
} }

terms! { ModelLoading {
    None: "not estimated", "不估算";
    Cpu: "host, then model.to", "先到主机，再 model.to";
    DeviceMap: "device_map", "device_map";
    ZeroInit: "zero.Init (ZeRO 3)", "zero.Init（ZeRO 3）";
} }

terms! { PackingKind {
    None: "none", "无";
    PositionIds: "by position_ids", "按 position_ids";
    PaddingFree: "padding-free (TRL)", "无填充（TRL）";
} }

terms! { MasterWeights {
    None: "none", "无";
    DeepSpeed: "DeepSpeed (no ZeRO)", "DeepSpeed（无 ZeRO）";
    Megatron: "Megatron-Core", "Megatron-Core";
} }

terms! { OptimizerImpl {
    Foreach: "foreach", "foreach";
    Fused: "fused", "fused";
    ForLoop: "for loop", "逐个参数";
    Compiled: "compiled", "编译";
    None: "none", "无";
} }

terms! { Attention {
    Eager: "eager", "eager";
    Sdpa: "sdpa", "sdpa";
    FlashAttention2: "flash_attention_2", "flash_attention_2";
} }

terms! { ActivationCheckpointing {
    None: "none", "无";
    Full: "every layer", "每一层";
    FullReentrant: "every layer, re-entrant", "每一层（re-entrant）";
    Operations: "selective, by operation", "选择性（按运算）";
} }

terms! { Task {
    CausalLm: "causal language modeling", "因果语言模型";
    Seq2SeqLm: "sequence to sequence", "序列到序列";
    MaskedLm: "masked language modeling", "掩码语言模型";
    SequenceClassification: "sequence classification", "序列分类";
    TokenClassification: "token classification", "词元分类";
    QuestionAnswering: "question answering", "抽取式问答";
    ImageClassification: "image classification", "图像分类";
    Contrastive: "image-text contrast", "图文对比";
    ImageTextToText: "image and text to text", "图文生成";
    Ctc: "speech recognition (CTC)", "语音识别（CTC）";
    AudioClassification: "audio classification", "音频分类";
} }

terms! { Loss {
    Labels: "from labels", "由标签计算";
    Chunked: "from labels, in chunks", "由标签分块计算";
    Cut: "Cut Cross-Entropy (no logits)", "Cut Cross-Entropy（无 logits）";
    Uncast: "from labels, logits as they are", "由标签计算，不转换 logits";
    Cast: "from labels, logits cast by the model", "由标签计算，logits 由模型转换";
    MeanLogits: "mean of logits", "logits 的均值";
    Own: "the graph's own", "计算图自带";
    CrossEntropy: "cross entropy", "交叉熵";
    Mse: "mean squared error", "均方误差";
    Mean: "mean of results", "输出的均值";
    None: "none (forward only)", "无（仅前向）";
} }

terms! { Program {
    Training: "training", "训练";
    Forward: "forward only", "仅前向";
    Evaluation: "evaluation", "评估";
} }

terms! { EvaluationKind {
    None: "none", "无";
    Loss: "loss only", "仅损失";
    Logits: "logits", "logits";
    Trainer: "Trainer.evaluate", "Trainer.evaluate";
    Generate: "generate", "generate（生成）";
} }

terms! { Framework {
    Torch215Transformers523: "torch 2.15, transformers 5.23", "torch 2.15，transformers 5.23";
    Torch211Transformers523: "torch 2.11, transformers 5.23", "torch 2.11，transformers 5.23";
    Torch26Transformers451: "torch 2.6, transformers 4.51", "torch 2.6，transformers 4.51";
    Torch26Transformers448: "torch 2.6, transformers 4.48", "torch 2.6，transformers 4.48";
    Torch215MegatronCore016: "torch 2.15, megatron-core 0.16", "torch 2.15，megatron-core 0.16";
} }

terms! { DatasetMode {
    MemoryMapped: "memory-mapped (datasets, Arrow)", "内存映射（datasets、Arrow）";
    Pandas: "pandas, Python strings", "pandas，Python 字符串";
    PandasArrow: "pandas, Arrow strings", "pandas，Arrow 字符串";
    ArrowTable: "pyarrow table, read whole", "pyarrow 表整体读入";
    ArrowInMemory: "datasets, keep_in_memory", "datasets，keep_in_memory";
    PythonList: "list of Python strings", "Python 字符串列表";
    TokenLists: "lists of token ids", "词元编号列表";
    TokenArray: "token ids as a numpy array", "词元编号 numpy 数组";
    TokenTensor: "one tensor of token ids", "词元编号张量";
    Reopened: "re-opened for each sample", "逐样本重新打开文件";
} }

terms! { AutocastStyle {
    Plain: "torch.autocast", "torch.autocast";
    Accelerate: "accelerate, Trainer", "accelerate、Trainer";
} }

terms! { QuantizationType {
    None: "its own precision", "原有精度";
    Nf4: "4 bits, nf4", "4 位，nf4";
    Fp4: "4 bits, fp4", "4 位，fp4";
    Int8: "8 bits, LLM.int8()", "8 位，LLM.int8()";
} }

terms! { ArrowPool {
    Mimalloc: "mimalloc keeps it", "mimalloc 保留";
    System: "system, gives most back", "system，归还大部分";
    Released: "release_unused() is called", "调用 release_unused()";
} }

terms! { TokenizerKind {
    None: "none, tokenized already", "无，已分词";
    Bpe: "fast BPE", "BPE（fast）";
    Unigram: "fast Unigram", "Unigram（fast）";
} }

terms! { Checkpoint {
    SameDtype: "a file of the same type", "类型相同的文件";
    Converted: "a file of another type", "类型不同的文件";
    RandomInit: "random initialization", "随机初始化";
    StateDict: "load_state_dict(torch.load())", "load_state_dict(torch.load())";
    MappedStateDict: "load_state_dict(load_file())", "load_state_dict(load_file())";
    TorchLoad: "torch.load alone", "仅 torch.load";
    Mapped: "a mapped file alone (safe_open, mmap=True)", "仅内存映射文件（safe_open、mmap=True）";
    Cast: "from_pretrained in fp32, then .half()", "以 fp32 from_pretrained，再 .half()";
} }

terms! { DataParallelKind {
    None: "none", "无";
    Fsdp1: "FSDP1, the wrapper", "FSDP1（包装类）";
    Fsdp2: "FSDP2, fully_shard", "FSDP2（fully_shard）";
    DeepSpeedZero: "DeepSpeed ZeRO", "DeepSpeed ZeRO";
    Ddp: "DDP", "DDP";
    Megatron: "Megatron-Core", "Megatron-Core";
} }

terms! { TensorParallelKind {
    DTensor: "PyTorch's DTensor", "PyTorch 的 DTensor";
    Megatron: "Megatron-Core", "Megatron-Core";
} }

terms! { Plan {
    Usual: "the usual", "通常方式";
    Transformers: "transformers' own", "transformers 自带";
} }

terms! { PipelineSchedule {
    None: "none", "无";
    GPipe: "GPipe", "GPipe";
    OneForwardOneBackward: "1F1B", "1F1B";
    Interleaved: "interleaved 1F1B", "交错 1F1B";
    LoopedBfs: "looped BFS", "循环 BFS";
    InterleavedZeroBubble: "interleaved zero bubble", "交错零气泡";
    ZeroBubbleV: "ZBV zero bubble", "ZBV 零气泡";
    DualPipeV: "DualPipeV", "DualPipeV";
} }

terms! { ContextParallelKind {
    Ring: "ring attention", "环形注意力";
    Ulysses: "Ulysses", "Ulysses";
} }

/// The name of a value of the setting with this key; none where its name says it.
pub fn value_name(key: &str, name: &str, language: Language) -> Option<&'static str> {
    macro_rules! of {
        ($type:ident) => {
            $type::from_name(name).map(|value| value.term(language))
        };
    }
    match key {
        "task" => of!(Task),
        "precision" => of!(Precision),
        "autocast_style" => of!(AutocastStyle),
        "optimizer.name" => of!(OptimizerName),
        "optimizer.impl" => of!(OptimizerImpl),
        "optimizer.master_weights" => of!(MasterWeights),
        "packing.kind" => of!(PackingKind),
        "objective.kind" => of!(ObjectiveKind),
        "objective.generation" => of!(Generator),
        "around.loading" => of!(ModelLoading),
        "activation_offload.kind" => of!(ActivationOffloadKind),
        "attention" => of!(Attention),
        "activation_checkpointing" => of!(ActivationCheckpointing),
        "quantization.type" => of!(QuantizationType),
        "loss" => of!(Loss),
        "program" => of!(Program),
        "evaluation.kind" => of!(EvaluationKind),
        "dataset.mode" => of!(DatasetMode),
        "dataset.arrow_pool" => of!(ArrowPool),
        "host.tokenizer" => of!(TokenizerKind),
        "host.checkpoint" => of!(Checkpoint),
        "framework" => of!(Framework),
        "parallelism.dp.kind" => of!(DataParallelKind),
        "parallelism.tp.kind" => of!(TensorParallelKind),
        "parallelism.dp.plan" | "parallelism.tp.plan" | "parallelism.ep.plan" => of!(Plan),
        "parallelism.pp.schedule" => of!(PipelineSchedule),
        "parallelism.cp.kind" => of!(ContextParallelKind),
        _ => None,
    }
}

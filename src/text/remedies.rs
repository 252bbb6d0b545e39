//! What to change: names of remedies, what they cost, what they save.

use super::{ByteUnits, Language, amount};
use crate::report::RemedyKind;
use crate::units::Bytes;

/// What a remedy is called.
pub fn remedy_name(kind: RemedyKind, language: Language) -> &'static str {
    match (kind, language) {
        (RemedyKind::SmallerMicroBatch, Language::English) => "Half the micro-batch",
        (RemedyKind::SmallerMicroBatch, Language::Chinese) => "微批次减半",
        (RemedyKind::ActivationCheckpointing, Language::English) => "Activation checkpointing",
        (RemedyKind::ActivationCheckpointing, Language::Chinese) => "激活重计算",
        (RemedyKind::FusedOptimizer, Language::English) => "Fused optimizer",
        (RemedyKind::FusedOptimizer, Language::Chinese) => "fused 优化器",
        (RemedyKind::OffloadOptimizer, Language::English) => "Optimizer on the CPU",
        (RemedyKind::OffloadOptimizer, Language::Chinese) => "优化器放在 CPU",
        (RemedyKind::Autocast, Language::English) => "bf16 autocast",
        (RemedyKind::Autocast, Language::Chinese) => "bf16 自动混合精度",
        (RemedyKind::PureBf16, Language::English) => "Pure bf16",
        (RemedyKind::PureBf16, Language::Chinese) => "纯 bf16",
        (RemedyKind::ExpandableSegments, _) => "expandable_segments:True",
        (RemedyKind::SmallerEvaluation, Language::English) => "Evaluate one sample at a time",
        (RemedyKind::SmallerEvaluation, Language::Chinese) => "逐个样本评估",
        (RemedyKind::MovePredictions, _) => "eval_accumulation_steps=1",
        (RemedyKind::SetToNone, _) => "zero_grad(set_to_none=True)",
        (RemedyKind::DropOutputs, Language::English) => "Drop the outputs",
        (RemedyKind::DropOutputs, Language::Chinese) => "不保留模型输出",
        (RemedyKind::MapDataset, Language::English) => "RAM: memory-map the data set",
        (RemedyKind::MapDataset, Language::Chinese) => "主机内存：内存映射数据集",
        (RemedyKind::NoWorkers, Language::English) => "RAM: no DataLoader workers",
        (RemedyKind::NoWorkers, Language::Chinese) => "主机内存：不用 DataLoader 工作进程",
        (RemedyKind::FreshWorkers, Language::English) => "RAM: persistent_workers=False",
        (RemedyKind::FreshWorkers, Language::Chinese) => "主机内存：persistent_workers=False",
        (RemedyKind::ReleaseArrowPool, Language::English) => "RAM: release Arrow's memory pool",
        (RemedyKind::ReleaseArrowPool, Language::Chinese) => "主机内存：释放 Arrow 内存池",
        (RemedyKind::NoPinning, Language::English) => "RAM: pin_memory=False",
        (RemedyKind::NoPinning, Language::Chinese) => "主机内存：pin_memory=False",
    }
}

/// What a remedy costs.
pub fn remedy_cost(kind: RemedyKind, language: Language) -> &'static str {
    match (kind, language) {
        (RemedyKind::SmallerMicroBatch, Language::English) => {
            "with twice the accumulation: the same global batch, somewhat slower"
        }
        (RemedyKind::SmallerMicroBatch, Language::Chinese) => "梯度累积加倍，全局批次不变，略慢",
        (RemedyKind::ActivationCheckpointing, Language::English) => {
            "about a third more time, the same results"
        }
        (RemedyKind::ActivationCheckpointing, Language::Chinese) => "耗时约增加三分之一，结果不变",
        (RemedyKind::FusedOptimizer, Language::English) => "no cost where it is supported",
        (RemedyKind::FusedOptimizer, Language::Chinese) => "在支持的设备上没有代价",
        (RemedyKind::OffloadOptimizer, Language::English) => {
            "torchao's CPUOffloadOptimizer: a slower step, and host RAM for parameters, gradients and states"
        }
        (RemedyKind::OffloadOptimizer, Language::Chinese) => {
            "torchao 的 CPUOffloadOptimizer：更新变慢，主机内存需容纳参数、梯度和状态"
        }
        (RemedyKind::Autocast, Language::English) => "faster; activations lose precision",
        (RemedyKind::Autocast, Language::Chinese) => "更快；激活值精度降低",
        (RemedyKind::PureBf16, Language::English) => {
            "weights and optimizer states lose precision; training may suffer"
        }
        (RemedyKind::PureBf16, Language::Chinese) => "权重和优化器状态精度降低，可能影响训练",
        (RemedyKind::ExpandableSegments, Language::English) => {
            "PYTORCH_CUDA_ALLOC_CONF; less fragmentation, no cost worth naming"
        }
        (RemedyKind::ExpandableSegments, Language::Chinese) => {
            "PYTORCH_CUDA_ALLOC_CONF；减少碎片，几乎没有代价"
        }
        (RemedyKind::SmallerEvaluation, Language::English) => {
            "per_device_eval_batch_size=1; a slower evaluation"
        }
        (RemedyKind::SmallerEvaluation, Language::Chinese) => {
            "per_device_eval_batch_size=1；评估变慢"
        }
        (RemedyKind::MovePredictions, Language::English) => {
            "predictions go to host RAM after each batch"
        }
        (RemedyKind::MovePredictions, Language::Chinese) => "每个批次后把预测移到主机内存",
        (RemedyKind::SetToNone, Language::English) => "PyTorch's default; no cost",
        (RemedyKind::SetToNone, Language::Chinese) => "PyTorch 的默认值，没有代价",
        (RemedyKind::DropOutputs, Language::English) => "no cost: delete them before the next step",
        (RemedyKind::DropOutputs, Language::Chinese) => "没有代价：在下一步之前删除即可",
        (RemedyKind::MapDataset, Language::English) => {
            "reads through the page cache from a fast disk"
        }
        (RemedyKind::MapDataset, Language::Chinese) => "通过页缓存读取，需要较快的磁盘",
        (RemedyKind::NoWorkers, Language::English) => "the GPU waits while batches are made",
        (RemedyKind::NoWorkers, Language::Chinese) => "准备批次时 GPU 等待",
        (RemedyKind::FreshWorkers, Language::English) => "workers start anew each epoch",
        (RemedyKind::FreshWorkers, Language::Chinese) => "每个 epoch 重新启动工作进程",
        (RemedyKind::ReleaseArrowPool, Language::English) => {
            "one call after reading: default_memory_pool().release_unused()"
        }
        (RemedyKind::ReleaseArrowPool, Language::Chinese) => {
            "读取后调用一次 default_memory_pool().release_unused()"
        }
        (RemedyKind::NoPinning, Language::English) => "slower copies to the GPU",
        (RemedyKind::NoPinning, Language::Chinese) => "复制到 GPU 变慢",
    }
}

/// What a remedy saves: "saves 11.5 GiB, needs 18.0 GiB".
pub fn remedy_saving(saves: Bytes, total: Bytes, units: ByteUnits, language: Language) -> String {
    let (saves, total) = (amount(saves, units), amount(total, units));
    match language {
        Language::English => format!("saves {saves}, needs {total}"),
        Language::Chinese => format!("节省 {saves}，需要 {total}"),
    }
}

/// The one change to be named first: "Fused optimizer: then it needs 17.9 GiB".
pub fn remedy_first(
    kind: RemedyKind,
    total: Bytes,
    fits: bool,
    units: ByteUnits,
    language: Language,
) -> String {
    let name = remedy_name(kind, language);
    let total = amount(total, units);
    match (language, fits) {
        (Language::English, true) => format!("{name}: fits with {total}"),
        (Language::English, false) => format!("{name}: still needs {total}"),
        (Language::Chinese, true) => format!("{name}：降到 {total}，放得下"),
        (Language::Chinese, false) => format!("{name}：仍需 {total}"),
    }
}

/// The largest micro-batch that fits: "Micro-batch 33 still fits".
pub fn largest_batch(size: u64, language: Language) -> String {
    match language {
        Language::English => format!("micro-batch {size} is the largest that fits"),
        Language::Chinese => format!("微批次最大可到 {size}"),
    }
}

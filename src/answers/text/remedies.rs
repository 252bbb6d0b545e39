//! Advice in words: names of changes and plans, what they cost, what they save.

use super::{ByteUnits, Language, Term, amount};
use crate::decide::{Outcome, Price, ReadyKind, RemedyKind, Room, RoomKind, Step};
use crate::figure::Standing;
use crate::units::Bytes;

/// Names of changes, and their costs, in English and Chinese.
macro_rules! changes {
    ($($kind:ident: $name:literal, $chinese:literal; $cost:literal, $in_chinese:literal;)+) => {
        const fn words(kind: RemedyKind) -> [(&'static str, &'static str); 2] {
            match kind {
                $(RemedyKind::$kind => [($name, $chinese), ($cost, $in_chinese)],)+
            }
        }
    };
}

changes! {
    ExpandableSegments: "expandable_segments:True", "expandable_segments:True";
        "PYTORCH_CUDA_ALLOC_CONF; less fragmentation, no cost worth naming",
        "PYTORCH_CUDA_ALLOC_CONF；减少碎片，几乎没有代价";
    SetToNone: "zero_grad(set_to_none=True)", "zero_grad(set_to_none=True)";
        "PyTorch's default; no cost",
        "PyTorch 的默认值，没有代价";
    DropOutputs: "Drop the outputs", "不保留模型输出";
        "no cost: delete them before the next step",
        "没有代价：在下一步之前删除即可";
    FusedOptimizer: "Fused optimizer", "fused 优化器";
        "no cost where it is supported",
        "在支持的设备上没有代价";
    FusedAttention: "A fused attention kernel", "融合注意力内核";
        "keeps no scores; faster, the same results but for rounding",
        "不保存注意力分数；更快，结果仅有舍入差异";
    LigerKernels: "Liger kernels", "Liger 内核";
        "fused norms, rotary embedding, gates and loss; the same results but for rounding",
        "融合归一化、旋转位置编码、门控与损失；结果仅有舍入差异";
    ChunkedLoss: "Head and loss in chunks", "分块计算输出层与损失";
        "logits exist a piece at a time (torchtune's CEWithChunkedOutputLoss); the same results",
        "logits 逐块存在（torchtune 的 CEWithChunkedOutputLoss），结果不变";
    CutCrossEntropy: "Cut Cross-Entropy", "Cut Cross-Entropy";
        "head and loss in one kernel that keeps no logits (cut-cross-entropy); the same results but for rounding",
        "输出层与损失在同一内核中计算，不保存 logits（cut-cross-entropy）；结果仅有舍入差异";
    LogitsToKeep: "logits_to_keep=1 in the evaluation", "评估时 logits_to_keep=1";
        "enough for generation; a loss over all positions needs them all",
        "生成只需最后一个位置；若要计算所有位置的损失则不适用";
    MovePredictions: "eval_accumulation_steps=1", "eval_accumulation_steps=1";
        "predictions go to host RAM after each batch",
        "每个批次后把预测移到主机内存";
    SmallerEvaluation: "Evaluate one sample at a time", "逐个样本评估";
        "per_device_eval_batch_size=1; a slower evaluation",
        "per_device_eval_batch_size=1；评估变慢";
    MapDataset: "RAM: memory-map the data set", "主机内存：内存映射数据集";
        "reads through the page cache from a fast disk",
        "通过页缓存读取，需要较快的磁盘";
    ReleaseArrowPool: "RAM: release Arrow's memory pool", "主机内存：释放 Arrow 内存池";
        "one call after reading: default_memory_pool().release_unused()",
        "读取后调用一次 default_memory_pool().release_unused()";
    FreshWorkers: "RAM: persistent_workers=False", "主机内存：persistent_workers=False";
        "workers start anew each epoch",
        "每个 epoch 重新启动工作进程";
    FewerWorkers: "RAM: two DataLoader workers", "主机内存：两个 DataLoader 工作进程";
        "enough where a batch is made quickly",
        "准备批次较快时足够";
    ActivationCheckpointing: "Activation checkpointing", "激活重计算";
        "layers are computed again in backward; the same results",
        "反向时重新计算各层，结果不变";
    SmallerMicroBatch: "Smaller micro-batch", "更小的微批次";
        "with more accumulation: the same global batch, somewhat slower",
        "增加梯度累积，全局批次不变，略慢";
    ReduceEachBatch: "Reduce gradients after each micro-batch", "每个微批次后归约梯度";
        "no_sync=False (accelerate's sync_each_batch): none are kept whole while they accumulate; more traffic",
        "no_sync=False（accelerate 的 sync_each_batch）：累积时不保留完整梯度；通信增加";
    ShardStates: "ZeRO-2 in place of DDP", "以 ZeRO-2 代替 DDP";
        "optimizer states and gradients are divided among the ranks",
        "优化器状态与梯度在各进程间切分";
    ShardParameters: "Shard the parameters, too", "参数也切分";
        "FSDP2 or ZeRO-3: they are gathered again for each layer, twice a step",
        "FSDP2 或 ZeRO-3：每层都要重新聚合，每步两次";
    NoPinning: "RAM: pin_memory=False", "主机内存：pin_memory=False";
        "slower copies to the GPU",
        "复制到 GPU 变慢";
    FewerJobsPerGpu: "One job less on each GPU", "每块 GPU 少一个任务";
        "the others wait for their turn",
        "其余任务需要排队";
    FewerJobs: "One job less on the machine", "机器上少一个任务";
        "it waits for its turn",
        "该任务需要排队";
    Autocast: "bf16 autocast", "bf16 自动混合精度";
        "faster; activations lose precision",
        "更快；激活值精度降低";
    EightBitOptimizer: "8-bit AdamW", "8 位 AdamW";
        "bitsandbytes; optimizer states lose precision",
        "bitsandbytes；优化器状态精度降低";
    PagedOptimizer: "Paged AdamW", "分页 AdamW";
        "bitsandbytes; states move to host RAM where the GPU is full, a slower step then",
        "bitsandbytes；显存不足时状态移到主机内存，此时更新变慢";
    OffloadOptimizer: "Optimizer on the CPU", "优化器放在 CPU";
        "a slower step, and host RAM for parameters, gradients and states",
        "更新变慢，主机内存需容纳参数、梯度和状态";
    OffloadActivations: "Activations in host RAM", "激活值放在主机内存";
        "TRL's activation_offloading; copies there and back each step",
        "TRL 的 activation_offloading；每步都要来回复制";
    NoWorkers: "RAM: no DataLoader workers", "主机内存：不用 DataLoader 工作进程";
        "the GPU waits while batches are made",
        "准备批次时 GPU 等待";
    PureBf16: "Pure bf16", "纯 bf16";
        "weights and optimizer states lose precision; training may suffer",
        "权重和优化器状态精度降低，可能影响训练";
    Lora: "LoRA on all linear layers", "所有线性层使用 LoRA";
        "adapters of rank 16 are trained instead of all weights: less can be learnt",
        "训练秩 16 的适配器而非全部权重：可学习的内容较少";
    Qlora: "QLoRA: the base in 4 bits", "QLoRA：基座以 4 位保存";
        "adapters over a base in nf4: less can be learnt, slower layers",
        "在 nf4 基座上训练适配器：可学习的内容较少，各层变慢";
}

/// The name of a change.
pub const fn remedy_name(kind: RemedyKind, language: Language) -> &'static str {
    language.of(words(kind)[0])
}

/// The cost of a change.
pub const fn remedy_cost(kind: RemedyKind, language: Language) -> &'static str {
    language.of(words(kind)[1])
}

/// The saving of a change: "saves 11.5 GiB, needs 18.0 GiB".
pub fn remedy_saving(saves: Bytes, total: Bytes, units: ByteUnits, language: Language) -> String {
    let (saves, total) = (amount(saves, units), amount(total, units));
    match language {
        Language::English => format!("saves {saves}, needs {total}"),
        Language::Chinese => format!("节省 {saves}，需要 {total}"),
    }
}

/// A quantity of a step that is counted.
#[derive(Clone, Copy)]
enum Counted {
    Operations,
    Samples,
    Tokens,
}

impl Counted {
    fn noun(self, language: Language) -> &'static str {
        language.of(match self {
            Self::Operations => ("operations", "运算量"),
            Self::Samples => ("samples", "样本数"),
            Self::Tokens => ("tokens", "词元数"),
        })
    }
}

/// A growth in words: "16 times the operations", "33 % more operations"; nothing below half a percent.
fn growth(ratio: f64, what: Counted, language: Language) -> Option<String> {
    let percent = (ratio - 1.0).abs() * 100.0;
    if percent < 0.5 {
        return None;
    }
    let what = what.noun(language);
    let times = format!("{ratio:.1}");
    let times = times.strip_suffix(".0").unwrap_or(&times);
    Some(match language {
        Language::English if ratio >= 2.0 => format!("{times} times the {what}"),
        Language::English if ratio > 1.0 => format!("{percent:.0} % more {what}"),
        Language::English => format!("{percent:.0} % fewer {what}"),
        Language::Chinese if ratio >= 2.0 => format!("{what}为 {times} 倍"),
        Language::Chinese if ratio > 1.0 => format!("{what} +{percent:.0} %"),
        Language::Chinese => format!("{what} −{percent:.0} %"),
    })
}

/// How the operations of a step change, and for how many more samples or tokens: "16 times the operations for 16
/// times the samples".
fn work(now: &Outcome, then: &Outcome, language: Language) -> Option<String> {
    let ratio = |now: u64, then: u64| then as f64 / now.max(1) as f64;
    let operations = growth(
        ratio(now.compute, then.compute),
        Counted::Operations,
        language,
    )?;
    let of_samples = |(now, then), what| growth(ratio(now, then), what, language);
    let samples = of_samples((now.samples, then.samples), Counted::Samples);
    let tokens = || of_samples((now.seq_len, then.seq_len), Counted::Tokens);
    Some(match (samples.or_else(tokens), language) {
        (None, _) => operations,
        (Some(gained), Language::English) => format!("{operations} for {gained}"),
        (Some(gained), Language::Chinese) => format!("{operations}（{gained}）"),
    })
}

/// The other quantities that change with a run, as they are counted: "33 % more operations; sends 3.10 GiB more; RAM
/// +2.1 GiB; then forward binds". Empty where none changes.
pub fn outcome_changes(
    now: &Outcome,
    then: &Outcome,
    units: ByteUnits,
    language: Language,
) -> String {
    let english = language == Language::English;
    let mut said: Vec<String> = work(now, then, language).into_iter().collect();
    let more = |from: Bytes, to: Bytes| {
        let (by, sign) = if to > from {
            (to - from, '+')
        } else {
            (from - to, '−')
        };
        (by.get() >= NAMED).then(|| format!("{sign}{}", amount(by, units)))
    };
    if let Some(sent) = more(now.sent, then.sent) {
        said.push(if english {
            format!("{sent} sent a step")
        } else {
            format!("每步通信 {sent}")
        });
    }
    if let Some(host) = more(now.host.needed, then.host.needed) {
        said.push(if english {
            format!("host RAM {host}")
        } else {
            format!("主机内存 {host}")
        });
    }
    if then.phase != now.phase {
        let phase = then.phase.term(language);
        said.push(if english {
            format!("then {phase} binds")
        } else {
            format!("此后瓶颈为{phase}")
        });
    }
    said.join(if english { "; " } else { "；" })
}

/// Bytes below which a difference is not named.
const NAMED: u64 = 16 << 20;

/// The name of a ready plan.
pub const fn plan_name(kind: ReadyKind, language: Language) -> &'static str {
    language.of(match kind {
        ReadyKind::LeastIntrusive => ("Least intrusive", "改动最小"),
        ReadyKind::Balanced => ("Balanced", "折中"),
        ReadyKind::Maximal => ("Maximal", "最大节省"),
    })
}

/// The sentence about a ready plan.
pub const fn plan_about(kind: ReadyKind, language: Language) -> &'static str {
    language.of(match kind {
        ReadyKind::LeastIntrusive => (
            "no more than it takes; micro-batch, jobs and what is learnt stay",
            "只做必要的改动；微批次、任务与训练结果不变",
        ),
        ReadyKind::Balanced => (
            "until a tenth of each memory is free; the global batch stays",
            "直到每种内存留出十分之一；全局批次不变",
        ),
        ReadyKind::Maximal => (
            "all that saves, whatever it costs in time",
            "用上所有能省的办法，不计时间",
        ),
    })
}

/// The title of changes of one price.
pub const fn price_name(price: Price, language: Language) -> &'static str {
    language.of(match price {
        Price::Free => ("No cost worth naming", "几乎没有代价"),
        Price::Slower => ("Slower", "变慢"),
        Price::FewerJobs => ("Fewer jobs at once", "同时运行的任务减少"),
        Price::Learning => ("Changes training", "改变训练"),
    })
}

/// Before the changes of a plan that goes on where another ends: "All of that, and:".
pub fn steps_beyond(before: ReadyKind, language: Language) -> String {
    let name = plan_name(before, language);
    match language {
        Language::English => format!("All of \u{201c}{name}\u{201d}, and:"),
        Language::Chinese => format!("“{name}”的全部改动，以及："),
    }
}

/// The changes of a plan, each with what the GPU needs after it, or the node where only that needs less: "Smaller
/// micro-batch, 3 times: 18.0 GiB", "RAM: memory-map the data set: host RAM 6.1 GiB".
pub fn steps_text(
    now: &Outcome,
    steps: &[Step],
    units: ByteUnits,
    language: Language,
) -> Vec<String> {
    let before = std::iter::once(now).chain(steps.iter().map(|step| &step.outcome));
    let pairs = before.zip(steps);
    pairs
        .map(|(before, step)| step_text(before, step, units, language))
        .collect()
}

fn step_text(before: &Outcome, step: &Step, units: ByteUnits, language: Language) -> String {
    let name = remedy_name(step.kind, language);
    let on_device = step.outcome.device.needed < before.device.needed;
    let device = amount(step.outcome.device.needed, units);
    let host = amount(step.outcome.host.needed, units);
    let total = match (on_device, language) {
        (true, _) => device,
        (false, Language::English) => format!("host RAM {host}"),
        (false, Language::Chinese) => format!("主机内存 {host}"),
    };
    match (language, step.times) {
        (Language::English, 1) => format!("{name}: {total}"),
        (Language::Chinese, 1) => format!("{name}：{total}"),
        (Language::English, times) => format!("{name}, {times} times: {total}"),
        (Language::Chinese, times) => format!("{name}，{times} 次：{total}"),
    }
}

/// The outcome of a plan: "needs 18.0 GiB and 31.2 GiB of RAM".
pub fn plan_outcome(outcome: &Outcome, units: ByteUnits, language: Language) -> String {
    let device = amount(outcome.device.needed, units);
    let host = amount(outcome.host.needed, units);
    match language {
        Language::English => format!("needs {device}, and {host} of host RAM"),
        Language::Chinese => format!("显存 {device}，主机内存 {host}"),
    }
}

/// The room for more: "Activations kept, at micro-batch 12: 71.0 GiB".
pub fn room_text(room: &Room, units: ByteUnits, language: Language) -> String {
    let (batch, length) = (room.scenario.micro_batch_size, room.scenario.seq_len);
    let total = amount(room.outcome.device.needed, units);
    let english = language == Language::English;
    let name = match (room.kind, english) {
        (RoomKind::LargerMicroBatch, true) => format!("Micro-batch {batch}"),
        (RoomKind::LargerMicroBatch, false) => format!("微批次 {batch}"),
        (RoomKind::LongerSequence, true) => format!("Sequences of {length} tokens"),
        (RoomKind::LongerSequence, false) => format!("序列长度 {length}"),
        (kind, true) => format!("{}, at micro-batch {batch}", room_name(kind, language)),
        (kind, false) => format!("{}（微批次 {batch}）", room_name(kind, language)),
    };
    if english {
        format!("{name}: fits with {total}")
    } else {
        format!("{name}：需要 {total}，放得下")
    }
}

const fn room_name(kind: RoomKind, language: Language) -> &'static str {
    language.of(match kind {
        RoomKind::LargerMicroBatch => ("Larger micro-batch", "更大的微批次"),
        RoomKind::LongerSequence => ("Longer sequences", "更长的序列"),
        RoomKind::NoCheckpointing => ("No activation checkpointing", "不使用激活重计算"),
        RoomKind::NoOffload => ("Nothing offloaded", "不卸载到主机"),
        RoomKind::FullOptimizerStates => ("Optimizer states in full", "完整精度的优化器状态"),
        RoomKind::NoQuantization => ("A base that is not quantized", "基座不量化"),
        RoomKind::FullFineTuning => ("All weights trained", "训练全部权重"),
    })
}

/// The change or plan to be named first: "Fused optimizer: fits with 17.9 GiB".
pub fn change_first(
    name: &str,
    total: Bytes,
    standing: Standing,
    units: ByteUnits,
    language: Language,
) -> String {
    let total = amount(total, units);
    match (language, standing) {
        (Language::English, Standing::Fits) => format!("{name}: fits with {total}"),
        (Language::English, Standing::Tight) => format!("{name}: fits tightly with {total}"),
        (Language::English, Standing::Exceeds) => format!("{name}: still needs {total}"),
        (Language::Chinese, Standing::Fits) => format!("{name}：降到 {total}，放得下"),
        (Language::Chinese, Standing::Tight) => format!("{name}：降到 {total}，勉强放得下"),
        (Language::Chinese, Standing::Exceeds) => format!("{name}：仍需 {total}"),
    }
}

/// The largest micro-batch that leaves a tenth free: "micro-batch 33 still leaves 10 % free".
pub fn largest_batch(size: u64, language: Language) -> String {
    match language {
        Language::English => format!("micro-batch {size} still leaves 10 % free"),
        Language::Chinese => format!("微批次到 {size} 仍余 10%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_as_much_and_more_is_said_as_times() {
        let say = |ratio| growth(ratio, Counted::Operations, Language::English);
        let said = |ratio| say(ratio).expect("a change");
        assert_eq!(said(16.5), "16.5 times the operations");
        assert_eq!(said(2.0), "2 times the operations");
        assert_eq!(said(1.33), "33 % more operations");
        assert_eq!(said(0.25), "75 % fewer operations");
        assert_eq!(say(1.004), None);
        for &language in Language::ALL {
            for hundredths in 0..5000 {
                let ratio = f64::from(hundredths) / 100.0;
                let said = growth(ratio, Counted::Operations, language).unwrap_or_default();
                let percent = said.split_once(" %").and_then(|(before, _)| {
                    let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next();
                    digits.and_then(|digits| digits.parse::<u32>().ok())
                });
                assert!(percent.is_none_or(|percent| percent <= 100), "{said}");
            }
        }
    }
}

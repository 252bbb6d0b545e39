//! Settings that are not shown because nothing depends on them: in which configurations something does.

use super::Language;
use crate::resolve::Idle;

/// In what configurations a setting has an effect that has none because of `idle`.
const fn condition(idle: Idle) -> (&'static str, &'static str) {
    match idle {
        Idle::LinearModel | Idle::Images | Idle::NoAttention => ("with other models", "其他模型"),
        Idle::NoImages => ("with models that read images", "读取图像的模型"),
        Idle::NoDecoder => ("with encoder-decoders", "编码器-解码器模型"),
        Idle::OneTask => ("with models of several tasks", "支持多种任务的模型"),
        Idle::NoGraph => ("with exported graphs", "导出的计算图"),
        Idle::Graph => ("with models of transformers", "transformers 模型"),
        Idle::NoExperts => ("with mixtures of experts", "混合专家模型"),
        Idle::NoModules => ("with models of torchtune", "torchtune 支持的模型"),
        Idle::NoLiger => ("with models that Liger supports", "Liger 支持的模型"),
        Idle::ForwardOnly => ("with a backward pass", "反向传播"),
        Idle::NoOptimizer => ("with an optimizer", "优化器"),
        Idle::OneImplementation | Idle::NoSuchOption => ("with other optimizers", "其他优化器"),
        Idle::NoWorkers => ("with DataLoader workers", "DataLoader 工作进程"),
        Idle::NothingOffloaded => ("with offloading", "卸载"),
        Idle::NotSdpa => ("with sdpa attention", "sdpa 注意力"),
        Idle::NotCheckpointed => ("with activation checkpointing", "激活重计算"),
        Idle::NotSelective => ("with selective checkpointing", "选择性重计算"),
        Idle::NoEvaluation => ("with an evaluation", "评估"),
        Idle::NotTrainer => ("with Trainer.evaluate", "Trainer.evaluate"),
        Idle::NotGenerating => ("with generation", "生成"),
        Idle::NotPacked => ("with packing", "打包"),
        Idle::SameLengths => ("with batches of differing length", "长度不同的批次"),
        Idle::NotOfObjective => ("with other objectives", "其他训练目标"),
        Idle::NoAdapters => ("with LoRA", "LoRA"),
        Idle::NotQuantized => ("with quantization", "量化"),
        Idle::NotPrepared => ("with the rest of the base in fp32", "基座其余部分为 fp32"),
        Idle::NotAutocast => ("with autocast", "自动混合精度"),
        Idle::NoKernels => ("with Liger kernels", "Liger 内核"),
        Idle::OtherDataset => (
            "with a data set that is re-opened",
            "逐样本重新打开的数据集",
        ),
        Idle::OneGpu => ("with several GPUs", "多块 GPU"),
        Idle::NotDataParallel => ("with data parallelism", "数据并行"),
        Idle::NotDdp => ("with DDP", "DDP"),
        Idle::NotFsdp => ("with FSDP", "FSDP"),
        Idle::NotFsdp1 => ("with FSDP1", "FSDP1"),
        Idle::NotFsdp2 => ("with FSDP2", "FSDP2"),
        Idle::NotZero => ("with DeepSpeed ZeRO", "DeepSpeed ZeRO"),
        Idle::NotStage3 => ("with ZeRO-3", "ZeRO-3"),
        Idle::NotMegatron => ("with Megatron-Core", "Megatron-Core"),
        Idle::NotTensor => ("with tensor parallelism", "张量并行"),
        Idle::NotPipeline => ("with pipeline parallelism", "流水线并行"),
        Idle::NotContext => ("with context parallelism", "上下文并行"),
        Idle::NotExpert => ("with expert parallelism", "专家并行"),
        Idle::ByGpu => ("with the same processes on all GPUs", "各 GPU 进程数相同"),
    }
}

/// `text` where it goes on from Chinese letters: a space is before and after others.
fn beside_chinese(text: &str) -> String {
    let is_other =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
    let space = |is_other: bool| if is_other { " " } else { "" };
    let before = space(is_other(text.chars().next()));
    let after = space(is_other(text.chars().next_back()));
    format!("{before}{text}{after}")
}

/// A line in the place of settings without an effect: "DDP: static graph and 5 more: with DDP".
pub fn absent_settings(first: &str, more: usize, idle: Idle, language: Language) -> String {
    let when = language.of(condition(idle));
    match (language, more) {
        (Language::English, 0) => format!("{first}: {when}"),
        (Language::English, more) => format!("{first} and {more} more: {when}"),
        (Language::Chinese, more) => {
            let when = beside_chinese(when);
            let when = when.trim_end();
            let all = more.saturating_add(1);
            match more {
                0 => format!("{first}：用于{when}"),
                _ => format!(
                    "{}等 {all} 项：用于{when}",
                    beside_chinese(first).trim_start()
                ),
            }
        }
    }
}

/// The settings that differ from the default, counted.
pub fn changed_settings(count: usize, language: Language) -> String {
    match language {
        Language::English => format!("Changed ({count})"),
        Language::Chinese => format!("已更改（{count}）"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_first_setting_and_when_all_have_an_effect() {
        let said = |more, language| absent_settings("Rank", more, Idle::NoAdapters, language);
        assert_eq!(said(0, Language::English), "Rank: with LoRA");
        assert_eq!(said(10, Language::English), "Rank and 10 more: with LoRA");
        assert_eq!(said(0, Language::Chinese), "Rank：用于 LoRA");
        assert_eq!(said(10, Language::Chinese), "Rank 等 11 项：用于 LoRA");
        let autocast = absent_settings("权重类型", 1, Idle::NotAutocast, Language::Chinese);
        assert_eq!(autocast, "权重类型等 2 项：用于自动混合精度");
    }
}

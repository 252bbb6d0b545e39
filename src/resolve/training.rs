//! Checks of what a run does: combinations that PyTorch or transformers refuse.

use super::sizes;
use crate::ask::{
    ACCUMULATION, ActivationCheckpointing, Attention, DATASET_BYTES, Finding, Framework,
    HOST_BYTES, LAYERS, MICRO_BATCH_SIZE, Precision, SEQ_LEN, Scenario, SdpaBackend, check,
    explain,
};
use crate::families::reading::Model;
use crate::model::{Architecture, CacheSupport, DeviceFacts, Family};
use crate::units::DType;
use serde_json::Value;

/// Worker processes of a data loader.
const NUM_WORKERS: std::ops::RangeInclusive<u64> = 0..=512;

/// Batches that each worker fetches ahead.
const PREFETCH_FACTOR: std::ops::RangeInclusive<u64> = 1..=1024;

/// Samples of a data set.
const ROWS: std::ops::RangeInclusive<u64> = 0..=1 << 40;

/// Passes over a data set.
const EPOCHS: std::ops::RangeInclusive<u64> = 0..=1_000_000;

/// Tokens of the shortest sample with something to predict.
const SHORTEST: u64 = 2;

/// Text columns of a data set.
const COLUMNS: std::ops::RangeInclusive<u64> = 1..=4096;

/// The first compute capability with `FlashAttention` in PyTorch and flash-attn.
const FLASH_CAPABILITY: u32 = 80;

/// The widest head of `FlashAttention`.
const FLASH_HEAD_DIM: u64 = 256;

/// Numbers that must lie in a range whatever the model is.
pub(crate) fn check_ranges(scenario: &Scenario, findings: &mut Vec<Finding>) {
    check(
        "micro_batch_size",
        scenario.micro_batch_size,
        &MICRO_BATCH_SIZE,
        findings,
    );
    check("seq_len", scenario.seq_len, &SEQ_LEN, findings);
    check(
        "checkpoint_every",
        scenario.checkpoint_every,
        &LAYERS,
        findings,
    );
    let accumulation = scenario.gradient_accumulation_steps;
    check(
        "gradient_accumulation_steps",
        accumulation,
        &ACCUMULATION,
        findings,
    );
    if let Some(multiple) = scenario.pad_to_multiple_of {
        check("pad_to_multiple_of", multiple, &SEQ_LEN, findings);
    }
    if let Some(target) = scenario.target_seq_len {
        check("target_seq_len", target, &SEQ_LEN, findings);
    }
    if let Some(mean) = scenario.dataset.length_mean {
        let lengths = SHORTEST..=scenario.seq_len.max(SHORTEST);
        check("dataset.length_mean", mean, &lengths, findings);
    }
    check_host(scenario, findings);
}

/// The numbers that only the host model reads.
fn check_host(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let (dataset, loader) = (&scenario.dataset, &scenario.dataloader);
    let mut range = |key, value, allowed| check(key, value, &allowed, findings);
    range("dataset.raw_bytes", dataset.raw_bytes, 0..=DATASET_BYTES);
    range("dataset.rows", dataset.rows, ROWS);
    range("dataset.columns", dataset.columns, COLUMNS);
    range("dataset.epochs", dataset.epochs, EPOCHS);
    if let Some(bytes) = dataset.file_bytes {
        range("dataset.file_bytes", bytes, 0..=DATASET_BYTES);
    }
    if let Some(bytes) = dataset.row_group_bytes {
        range("dataset.row_group_bytes", bytes, 1..=HOST_BYTES);
    }
    range("dataloader.num_workers", loader.num_workers, NUM_WORKERS);
    range(
        "dataloader.prefetch_factor",
        loader.prefetch_factor,
        PREFETCH_FACTOR,
    );
    range(
        "host.other_memory",
        scenario.host.other_memory,
        0..=HOST_BYTES,
    );
    for key in ["dataset.raw_bytes", "dataset.file_bytes"] {
        let english = "No machine has disks for more.";
        explain(findings, key, english, "没有机器的磁盘能容纳更多数据。");
    }
    explain(
        findings,
        "dataloader.num_workers",
        "Each is a process of its own, and PyTorch warns of more than there are processor cores.",
        "每个都是独立进程；超过处理器核数时 PyTorch 会发出警告。",
    );
}

/// Combinations of model and options. Numbers must be in their ranges.
pub(crate) fn check_combinations(scenario: &Scenario, model: &Model, findings: &mut Vec<Finding>) {
    sizes::check(scenario, &model.architecture, findings);
    // Options for which one linear layer has no use are idle.
    if !matches!(model.architecture, Architecture::Linear(_)) {
        check_decoder(scenario, model, findings);
    }
}

/// Whether training fills a key-value cache. Models with checkpointed layers do not
/// (`merge_with_config_defaults`, `utils/generic.py`, transformers 5.23), but where a family returns keys
/// and values all the same; nor do hybrids in transformers 4, which want a cache to be given.
pub(crate) fn fills_cache(scenario: &Scenario, architecture: &Architecture) -> bool {
    let checkpoints = scenario.activation_checkpointing != ActivationCheckpointing::None;
    let recent = scenario.framework == Framework::Torch215Transformers523;
    let cache = architecture
        .family()
        .map_or(CacheSupport::USUAL, |family| family.training_cache);
    let waits = matches!(architecture, Architecture::Decoder(config)
        if !recent && !config.mixers.is_empty());
    let checkpointed = cache.checkpointed.has(scenario.framework);
    scenario.use_cache && cache.trained && !waits && (!checkpoints || checkpointed)
}

fn check_decoder(scenario: &Scenario, model: &Model, findings: &mut Vec<Finding>) {
    if scenario.seq_len < 2 && scenario.loss.has_labels() {
        findings.push(
            Finding::error(
                "seq_len",
                "A sample of one token has no next token to predict; at least 2 are needed.",
                "只有一个词元的样本没有可预测的下一个词元；至少需要 2 个。",
            )
            .with_fix("seq_len", 2),
        );
    }
    check_positions(scenario, model, findings);
    if scenario.use_cache && !fills_cache(scenario, &model.architecture) {
        let (english, chinese) = if scenario.activation_checkpointing
            == ActivationCheckpointing::None
        {
            (
                "This model keeps no key-value cache while it trains; use_cache acts in an evaluation only.",
                "该模型在训练时不保存键值缓存；use_cache 只在评估时起作用。",
            )
        } else {
            (
                "Activation checkpointing and a key-value cache exclude each other; transformers turns the cache off.",
                "激活重计算与键值缓存互斥；transformers 会关闭缓存。",
            )
        };
        findings.push(Finding::notice("use_cache", english, chinese).with_fix("use_cache", false));
    }
    let two_lengths = model.architecture.is_encoder_decoder();
    if !two_lengths && scenario.target_seq_len.is_some() {
        findings.push(Finding::notice(
            "target_seq_len",
            "target_seq_len has no effect: the model has no decoder of its own.",
            "target_seq_len 不起作用：该模型不是编码器-解码器结构。",
        ));
    }
}

/// Samples that are longer than the model's positions: a table of learned ones ends there.
fn check_positions(scenario: &Scenario, model: &Model, findings: &mut Vec<Finding>) {
    let seq_len = scenario.padded(scenario.seq_len);
    let Some(positions) = model.max_positions.filter(|&most| most < seq_len) else {
        return;
    };
    let sizes = model.architecture.dimensions();
    let finding = if sizes.is_some_and(|sizes| sizes.position_rows > 0) {
        Finding::error(
            "seq_len",
            format!("The model has a table of {positions} positions; {seq_len} tokens do not fit."),
            format!("模型只有 {positions} 个位置嵌入；序列长度 {seq_len} 超出范围。"),
        )
    } else {
        Finding::notice(
            "seq_len",
            format!(
                "{seq_len} tokens are more than the {positions} positions the model was made for."
            ),
            format!("序列长度 {seq_len} 超过模型设计的 {positions} 个位置。"),
        )
    };
    // The longest samples that still fit when they are padded.
    let multiple = scenario.pad_to_multiple_of.unwrap_or(1).max(1);
    let longest = positions / multiple * multiple;
    findings.push(if longest > 0 {
        finding.with_fix("seq_len", longest)
    } else {
        finding.with_fix("pad_to_multiple_of", Value::Null)
    });
}

/// The implementation that transformers uses where sdpa is asked for: eager attention for models that have no
/// other, and since version 5 for those that cap attention scores; before, sdpa runs without the cap.
pub(crate) fn attention(scenario: &Scenario, architecture: &Architecture) -> Attention {
    let eager_only = |family: &Family| family.attention_support.eager_only.has(scenario.framework);
    if scenario.attention == Attention::Sdpa && architecture.family().is_some_and(eager_only) {
        Attention::Eager
    } else {
        scenario.attention
    }
}

/// Attention kernels that the precision, the device or the head size rules out.
pub(crate) fn check_attention(
    scenario: &Scenario,
    device: &DeviceFacts,
    model: &Model,
    findings: &mut Vec<Finding>,
) {
    let Some(config) = model.architecture.dimensions() else {
        return;
    };
    if attention(scenario, &model.architecture) != scenario.attention {
        findings.push(
            Finding::notice(
                "attention",
                "transformers has no sdpa for this model: told to use it, it fails; told nothing, it runs its eager attention, which is estimated.",
                "transformers 没有为该模型实现 sdpa：明确指定会报错，不指定则运行 eager 注意力；此处按 eager 估算。",
            )
            .with_fix("attention", Attention::Eager.name()),
        );
    }
    let flash_package = scenario.attention == Attention::FlashAttention2;
    let flash_kernel =
        scenario.attention == Attention::Sdpa && scenario.sdpa_backend == Some(SdpaBackend::Flash);
    if scenario.attention != Attention::Sdpa && scenario.sdpa_backend.is_some() {
        findings.push(Finding::notice(
            "sdpa_backend",
            "sdpa_backend has no effect: attention is not sdpa.",
            "sdpa_backend 不起作用：attention 不是 sdpa。",
        ));
    }
    if !flash_package && !flash_kernel {
        return;
    }
    let refuse = |why: &str, why_zh: &str| {
        let finding = Finding::error(
            if flash_package {
                "attention"
            } else {
                "sdpa_backend"
            },
            format!("FlashAttention {why}"),
            format!("FlashAttention {why_zh}"),
        );
        if flash_package {
            finding.with_fix("attention", Attention::Sdpa.name())
        } else {
            finding.with_fix("sdpa_backend", serde_json::Value::Null)
        }
    };
    let missing = |family: &Family| {
        let support = &family.attention_support;
        support.without_flash.has(scenario.framework)
    };
    if flash_package && model.architecture.family().is_some_and(missing) {
        findings.push(refuse(
            "is not written for this model in this version of transformers.",
            "：该版本的 transformers 未为此模型实现。",
        ));
    }
    let autocast = matches!(scenario.precision, Precision::AmpBf16 | Precision::AmpFp16);
    let quantized = flash_kernel && scenario.quantization.is_on() && !autocast;
    if quantized && scenario.quantization.unquantized_dtype() == DType::Float32 {
        findings.push(refuse(
            "computes in float16 and bfloat16 only: the layers of this quantized model, whose norms are in float32, give float32 without autocast.",
            "只支持 float16 和 bfloat16：该量化模型的归一化层为 float32，不用自动混合精度时各层输出 float32。",
        ));
    } else if scenario.precision == Precision::Fp32 && !quantized {
        findings.push(refuse(
            "computes in float16 and bfloat16 only, not in fp32.",
            "只支持 float16 和 bfloat16，不支持 fp32。",
        ));
    }
    if device.compute_capability < FLASH_CAPABILITY {
        findings.push(refuse(
            "needs an Ampere GPU (compute capability 8.0) or newer.",
            "需要 Ampere（计算能力 8.0）或更新的 GPU。",
        ));
    }
    if config.head_dim > FLASH_HEAD_DIM {
        findings.push(refuse(
            "takes heads of at most 256 columns.",
            "的注意力头最多 256 列。",
        ));
    }
    let unequal = match &model.architecture {
        Architecture::Decoder(config) => config.latent.as_ref(),
        _ => None,
    };
    if flash_kernel && unequal.is_some_and(|heads| heads.head_dim() != heads.value) {
        findings.push(refuse(
            "takes no values in sdpa whose heads are not as wide as those of the keys, which are qk_nope_head_dim + qk_rope_head_dim wide (v_head_dim).",
            "在 sdpa 中要求值与键的注意力头等宽（v_head_dim 等于 qk_nope_head_dim + qk_rope_head_dim）。",
        ));
    }
}

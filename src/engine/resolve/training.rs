//! Checks of what a run does: combinations that PyTorch or transformers refuse.

use super::sizes;
use crate::ask::{
    ACCUMULATION, ActivationCheckpointing, Attention, DATASET_BYTES, Finding, HOST_BYTES, LAYERS,
    MICRO_BATCH_SIZE, Message, SEQ_LEN, Scenario, SdpaBackend, check_range, explain, message,
};
use crate::families::ReadModel;
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
    check_range(
        "micro_batch_size",
        scenario.micro_batch_size,
        &MICRO_BATCH_SIZE,
        findings,
    );
    check_range("seq_len", scenario.seq_len, &SEQ_LEN, findings);
    check_range(
        "checkpoint_every",
        scenario.checkpoint_every,
        &LAYERS,
        findings,
    );
    let accumulation = scenario.gradient_accumulation_steps;
    check_range(
        "gradient_accumulation_steps",
        accumulation,
        &ACCUMULATION,
        findings,
    );
    if let Some(multiple) = scenario.pad_to_multiple_of {
        check_range("pad_to_multiple_of", multiple, &SEQ_LEN, findings);
    }
    if let Some(target) = scenario.target_seq_len {
        check_range("target_seq_len", target, &SEQ_LEN, findings);
    }
    if let Some(mean) = scenario.dataset.length_mean {
        let lengths = SHORTEST..=scenario.seq_len.max(SHORTEST);
        check_range("dataset.length_mean", mean, &lengths, findings);
    }
    check_host(scenario, findings);
}

/// The numbers that only the host model reads.
fn check_host(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let (dataset, loader) = (&scenario.dataset, &scenario.dataloader);
    let mut range = |key, value, allowed| check_range(key, value, &allowed, findings);
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
        explain(findings, key, &message!(training::disks));
    }
    explain(
        findings,
        "dataloader.num_workers",
        &message!(training::workers),
    );
}

/// Combinations of model and options. Numbers must be in their ranges.
pub(crate) fn check_combinations(
    scenario: &Scenario,
    model: &ReadModel,
    findings: &mut Vec<Finding>,
) {
    sizes::check(scenario, &model.architecture, findings);
    // Options for which one linear layer has no use are idle.
    if !matches!(
        model.architecture,
        Architecture::Linear(_) | Architecture::Exported(_)
    ) {
        check_decoder(scenario, model, findings);
    }
}

/// Whether training fills a key-value cache. Models with checkpointed layers do not
/// (`merge_with_config_defaults`, `utils/generic.py`, transformers 5.23), but where a family returns keys
/// and values all the same; nor do hybrids in transformers 4, which want a cache to be given.
pub(crate) fn fills_cache(scenario: &Scenario, architecture: &Architecture) -> bool {
    let checkpoints = scenario.activation_checkpointing != ActivationCheckpointing::None;
    let recent = scenario.framework.has_transformers_5();
    let cache = architecture
        .family()
        .map_or(CacheSupport::USUAL, |family| family.training_cache);
    let waits = matches!(architecture, Architecture::Decoder(config)
        if !recent && !config.mixers.is_empty());
    let checkpointed = cache.checkpointed.has(scenario.framework);
    scenario.use_cache && cache.trained && !waits && (!checkpoints || checkpointed)
}

fn check_decoder(scenario: &Scenario, model: &ReadModel, findings: &mut Vec<Finding>) {
    if scenario.seq_len < 2 && scenario.loss.has_labels() {
        findings
            .push(Finding::error("seq_len", message!(training::one_token)).with_fix("seq_len", 2));
    }
    check_positions(scenario, model, findings);
    if scenario.use_cache && !fills_cache(scenario, &model.architecture) {
        let why = if scenario.activation_checkpointing == ActivationCheckpointing::None {
            message!(training::no_cache)
        } else {
            message!(training::cache_turned_off)
        };
        findings.push(Finding::notice("use_cache", why).with_fix("use_cache", false));
    }
    let two_lengths = model.architecture.is_encoder_decoder();
    if !two_lengths && scenario.target_seq_len.is_some() {
        findings.push(Finding::notice(
            "target_seq_len",
            message!(training::target_without_effect),
        ));
    }
}

/// Samples that are longer than the model's positions: a table of learned ones ends there.
fn check_positions(scenario: &Scenario, model: &ReadModel, findings: &mut Vec<Finding>) {
    let seq_len = scenario.padded(scenario.seq_len);
    let Some(positions) = model.max_positions.filter(|&most| most < seq_len) else {
        return;
    };
    let sizes = model.architecture.dimensions();
    let finding = if sizes.is_some_and(|sizes| sizes.position_rows > 0) {
        Finding::error(
            "seq_len",
            message!(training::beyond_table, positions, seq_len),
        )
    } else {
        Finding::notice(
            "seq_len",
            message!(training::beyond_positions, seq_len, positions),
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

/// The implementation that transformers uses where sdpa is asked for: eager attention for models that have no other,
/// and since version 5 for models that cap attention scores; before, sdpa runs without the cap.
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
    model: &ReadModel,
    findings: &mut Vec<Finding>,
) {
    let Some(config) = model.architecture.dimensions() else {
        return;
    };
    if attention(scenario, &model.architecture) != scenario.attention {
        findings.push(
            Finding::notice("attention", message!(training::no_sdpa))
                .with_fix("attention", Attention::Eager.name()),
        );
    }
    let flash_package = scenario.attention == Attention::FlashAttention2;
    let flash_kernel =
        scenario.attention == Attention::Sdpa && scenario.sdpa_backend == Some(SdpaBackend::Flash);
    if scenario.attention != Attention::Sdpa && scenario.sdpa_backend.is_some() {
        findings.push(Finding::notice(
            "sdpa_backend",
            message!(training::backend_without_effect),
        ));
    }
    if !flash_package && !flash_kernel {
        return;
    }
    let refuse = |why: Message| {
        if flash_package {
            Finding::error("attention", why).with_fix("attention", Attention::Sdpa.name())
        } else {
            Finding::error("sdpa_backend", why).with_fix("sdpa_backend", Value::Null)
        }
    };
    let missing = |family: &Family| {
        let support = &family.attention_support;
        support.without_flash.has(scenario.framework)
    };
    if flash_package && model.architecture.family().is_some_and(missing) {
        findings.push(refuse(message!(training::flash_not_written)));
    }
    let autocast = scenario.precision.autocasts();
    let quantized = flash_kernel && scenario.quantization.is_on() && !autocast;
    if quantized && scenario.quantization.embedding_dtype() == DType::Float32 {
        findings.push(refuse(message!(training::flash_over_quantized)));
    } else if !quantized && scenario.computes_in_fp32() {
        findings.push(refuse(message!(training::flash_in_fp32)));
    }
    if device.compute_capability < FLASH_CAPABILITY {
        findings.push(refuse(message!(training::flash_before_ampere)));
    }
    if config.head_dim > FLASH_HEAD_DIM {
        findings.push(refuse(message!(training::flash_wide_heads)));
    }
    let unequal = match &model.architecture {
        Architecture::Decoder(config) => config.latent.as_ref(),
        _ => None,
    };
    if flash_kernel && unequal.is_some_and(|heads| heads.head_dim() != heads.value) {
        findings.push(refuse(message!(training::flash_unequal_heads)));
    }
}

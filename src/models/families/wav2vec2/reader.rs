//! wav2vec 2.0, `HuBERT`, `UniSpeech`, `Data2VecAudio` and `WavLM` (`models/{wav2vec2,hubert,unispeech,
//! unispeech_sat,data2vec,wavlm}/configuration_*.py` of transformers 5.23).

use crate::ask::{
    ActivationCheckpointing, Attention, Finding, HEADS, LAYERS, QuantizationType, SEQ_LEN,
    Scenario, Task, VOCABULARY, WIDTH, message,
};
use crate::families::swin::numbers;
use crate::model::ConfigFields;
use crate::model::{Architecture, Dropout, Family, SpeechConfig, SpeechKind};
use std::ops::RangeInclusive;

/// Convolutions over the waveform.
const CONVOLUTIONS: RangeInclusive<usize> = 1..=16;

/// Samples that a convolution sees, or steps over.
const SAMPLES: RangeInclusive<u64> = 1..=1024;

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(
    family: &'static Family,
    kind: SpeechKind,
    fields: &mut ConfigFields<'_>,
) -> SpeechConfig {
    let data2vec = kind == SpeechKind::Data2Vec;
    let wavlm = kind == SpeechKind::WavLm;
    let hidden_size = fields.optional("hidden_size", &WIDTH, 768);
    let heads = fields.optional("num_attention_heads", &HEADS, 12);
    let hidden = fields.drops("hidden_dropout", true);
    let conv_activation = fields.activation("feat_extract_activation", "gelu");
    let groups = fields.optional("num_conv_pos_embedding_groups", &WIDTH, 16);
    fields.divided(hidden_size, groups, "num_conv_pos_embedding_groups");
    let time = probability(fields, "mask_time_prob", 50_000);
    let features = probability(fields, "mask_feature_prob", 0);
    let augments = fields.flag("apply_spec_augment", true);
    let length = fields.optional("mask_time_length", &SEQ_LEN, 10);
    let least = fields.optional("mask_time_min_masks", &(0..=1 << 24), 2);
    for (field, wanted) in [
        ("add_adapter", false),
        ("use_weighted_layer_sum", false),
        ("conv_pos_batch_norm", false),
    ] {
        if fields.flag(field, wanted) != wanted {
            not_estimated(fields, field, wanted.into());
        }
    }
    if wavlm && features > 0 && fields.get("mask_feature_min_masks").is_none() {
        // `WavLMConfig` lacks what its model reads.
        not_estimated(fields, "mask_feature_prob", 0.into());
    }
    if fields.get("adapter_attn_dim").is_some() {
        not_estimated(fields, "adapter_attn_dim", serde_json::Value::Null);
    }
    SpeechConfig {
        family,
        kind,
        hidden_size,
        intermediate_size: fields.optional("intermediate_size", &WIDTH, 3072),
        num_hidden_layers: fields.optional("num_hidden_layers", &LAYERS, 12),
        num_attention_heads: heads,
        head_dim: fields.divided(hidden_size, heads, "num_attention_heads"),
        convolutions: convolutions(fields),
        conv_bias: fields.flag("conv_bias", false),
        layer_norms: data2vec || fields.text("feat_extract_norm") == Some("layer"),
        projection_norm: kind != SpeechKind::Hubert || fields.flag("feat_proj_layer_norm", true),
        positions: [
            if data2vec {
                fields.optional("conv_pos_kernel_size", &SAMPLES, 19)
            } else {
                fields.optional("num_conv_pos_embeddings", &SAMPLES, 128)
            },
            groups,
        ],
        buckets: if wavlm {
            fields.optional("num_buckets", &VOCABULARY, 320)
        } else {
            0
        },
        position_layers: if data2vec {
            fields.optional("num_conv_pos_embeddings", &SAMPLES, 5)
        } else {
            0
        },
        norms_first: !data2vec && fields.flag("do_stable_layer_norm", false),
        conv_activation,
        activation: fields.activation("hidden_act", "gelu"),
        dropout: Dropout {
            embedding: fields.drops("feat_proj_dropout", false),
            attention: fields.drops("attention_dropout", true),
            residual: hidden,
        },
        activation_dropout: fields.drops("activation_dropout", true),
        final_dropout: fields.drops("final_dropout", true),
        has_mask: kind == SpeechKind::UniSpeechSat || time > 0 || features > 0,
        time_masks: (augments && time > 0).then_some([time, length, least]),
        masks_features: augments && features > 0,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 32),
        mean_loss: match fields.text("ctc_loss_reduction") {
            Some(reduction) => reduction == "mean",
            None => wavlm,
        },
        zero_infinity: fields.flag("ctc_zero_infinity", false),
        classifier_proj_size: fields.optional("classifier_proj_size", &WIDTH, 256),
        num_labels: fields.labels(2),
    }
}

fn not_estimated(fields: &mut ConfigFields<'_>, field: &str, fix: serde_json::Value) {
    let key = fields.key(field);
    fields.push(Finding::error(&key, message!(wav2vec2::not_estimated, field)).with_fix(&key, fix));
}

/// A probability in millionths.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a probability"
)]
fn probability(fields: &mut ConfigFields<'_>, field: &str, default: u64) -> u64 {
    let Some(value) = fields.get(field) else {
        return default;
    };
    // A value that is no probability is reported there.
    fields.permille(field);
    let value = value.as_f64().unwrap_or_default();
    (value.clamp(0.0, 1.0) * 1e6).round() as u64
}

/// Channels, kernels and strides.
fn convolutions(fields: &mut ConfigFields<'_>) -> Vec<[u64; 3]> {
    let channels = numbers(fields, "conv_dim", &[512; 7], &WIDTH);
    let kernels = numbers(fields, "conv_kernel", &[10, 3, 3, 3, 3, 2, 2], &SAMPLES);
    let strides = numbers(fields, "conv_stride", &[5, 2, 2, 2, 2, 2, 2], &SAMPLES);
    let alike = channels.len() == kernels.len() && channels.len() == strides.len();
    if !alike || !CONVOLUTIONS.contains(&channels.len()) {
        let key = fields.key("conv_kernel");
        fields.push(Finding::error(&key, message!(wav2vec2::convolutions)));
        return vec![[1; 3]];
    }
    let kernels = kernels.into_iter().zip(strides);
    channels
        .into_iter()
        .zip(kernels)
        .map(|(channels, (kernel, stride))| [channels, kernel, stride])
        .collect()
}

/// Refuses quantized models of speech.
pub(crate) fn check_quantized(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.quantization.is_on() {
        findings.push(
            Finding::error("quantization.type", message!(wav2vec2::quantized))
                .with_fix("quantization.type", QuantizationType::None.name()),
        );
    }
}

/// Refuses settings that such a model does not take or that are not estimated yet.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    check_quantized(scenario, findings);
    let Architecture::Speech(config) = architecture else {
        return;
    };
    let positions = scenario.padded(scenario.seq_len);
    if let Some([_, length, _]) = config.time_masks
        && length > positions
    {
        findings.push(
            Finding::error(
                "seq_len",
                message!(wav2vec2::mask_too_long, length, positions),
            )
            .with_fix("seq_len", length),
        );
    }
    let target = scenario.target_seq_len.unwrap_or(scenario.seq_len);
    if task == Task::Ctc && target > scenario.seq_len {
        findings.push(
            Finding::error(
                "target_seq_len",
                message!(
                    wav2vec2::transcript_too_long,
                    target,
                    seq_len = scenario.seq_len
                ),
            )
            .with_fix("target_seq_len", scenario.seq_len),
        );
    }
    if config.kind == SpeechKind::WavLm {
        check_wavlm(scenario, findings);
    }
}

/// Refuses options that `WavLM` lacks: its attention is one, and its layers give biases to those below.
fn check_wavlm(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if scenario.has_padding() {
        findings.push(
            Finding::error("padding_mask", message!(wav2vec2::wavlm_padding))
                .with_fix("padding_mask", false),
        );
    }
    if scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error("attention", message!(wav2vec2::wavlm_eager_only))
                .with_fix("attention", Attention::Eager.name()),
        );
    }
    if scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                message!(wav2vec2::wavlm_reentrant),
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::Full.name(),
            ),
        );
    }
}

//! Kernels of attention that a run's masks, and biases of its scores, rule out.

use super::{packing, training};
use crate::ask::{
    ActivationCheckpointing, Attention, Finding, Framework, Precision, Program, Scenario,
    SdpaBackend, message,
};
use crate::model::{Architecture, DecoderConfig};

/// Elements in which memory-efficient attention counts the rows of a bias in backward (torch 2.6,
/// `mem_eff_attention/kernel_backward.h`).
const BIAS_ALIGNMENT: u64 = 4;

/// Whether `scaled_dot_product_attention` is given a mask or a bias in some layer: one for padding, or
/// for what the model itself says.
pub(crate) fn are_given(scenario: &Scenario, architecture: &Architecture) -> bool {
    let Some(family) = architecture.family() else {
        return false;
    };
    let support = &family.attention_support;
    let seq_len = scenario.padded(scenario.seq_len);
    let made = match architecture {
        Architecture::Decoder(config) => masks(config, scenario, seq_len),
        other => other.makes_masks(seq_len),
    };
    let packed = packing::is_masked(scenario, architecture);
    packed
        || made
        || support.masked.has(scenario.framework)
        || support.pads && scenario.has_padding()
}

/// Masks of a decoder whose batches hold no padding.
fn masks(config: &DecoderConfig, scenario: &Scenario, seq_len: u64) -> bool {
    let images = config.images.as_deref();
    let of_images = images.is_some_and(|images| images.kind().makes_masks(scenario.images));
    let idle = scenario.framework == Framework::Torch26Transformers451;
    let idle = config.idle_window.filter(|_| idle);
    let window = config.sliding_window.or(idle);
    let windowed = config.windowed.is_empty() || config.windowed.contains(&true);
    // A mask of no width is of no layer.
    let masked = window.is_some_and(|window| (1..=seq_len).contains(&window));
    config.alibi || of_images || windowed && masked
}

/// Whether torch 2.6 has the math kernel alone for a model: heads of keys that it would broadcast.
fn broadcasts(scenario: &Scenario, architecture: &Architecture) -> bool {
    matches!(architecture, Architecture::Decoder(config)
        if config.family.attention_support.broadcasts_keys.has(scenario.framework)
            && config.num_key_value_heads != config.num_attention_heads)
}

/// Whether memory-efficient attention, which reads 16 bytes at once, cannot run for a model's heads.
fn heads_are_unaligned(scenario: &Scenario, architecture: &Architecture) -> bool {
    let elements = match scenario.precision {
        Precision::Fp32 => 4,
        _ => 8,
    };
    let sizes = architecture.dimensions();
    sizes.is_some_and(|sizes| !sizes.head_dim.is_multiple_of(elements))
}

/// Refuses kernels that are asked for and cannot run, and biases that come back from the host out of
/// line.
pub(crate) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    if training::attention(scenario, architecture) != Attention::Sdpa {
        return;
    }
    let asked = scenario.sdpa_backend;
    if asked == Some(SdpaBackend::Flash) && are_given(scenario, architecture) {
        findings.push(why_not_flash());
    } else if asked.is_some_and(|kernel| kernel != SdpaBackend::Math)
        && broadcasts(scenario, architecture)
    {
        findings.push(why_only_math());
    }
    let unaligned = heads_are_unaligned(scenario, architecture);
    if asked == Some(SdpaBackend::Efficient) && unaligned {
        findings.push(why_aligned());
    }
    let lengths = [scenario.seq_len, scenario.dataset.length_mean.unwrap_or(0)];
    let uneven = |tokens| !scenario.padded(tokens).is_multiple_of(BIAS_ALIGNMENT);
    if scenario.offload.activations
        && scenario.program == Program::Training
        && !scenario.framework.has_transformers_5()
        && scenario.activation_checkpointing == ActivationCheckpointing::None
        && asked != Some(SdpaBackend::Math)
        && lengths.into_iter().any(uneven)
        && are_given(scenario, architecture)
        && !broadcasts(scenario, architecture)
        && !unaligned
    {
        findings.push(why_uneven(scenario));
    }
}

/// `check_attn_mask_shape` and its like (`sdp_utils.cpp`, torch 2.15 and 2.6).
fn why_not_flash() -> Finding {
    Finding::error("sdpa_backend", message!(attention::flash_with_mask))
        .with_fix("sdpa_backend", serde_json::Value::Null)
}

/// `check_head_dim_size_mem_efficient` (`sdp_utils.cpp`, torch 2.15 and 2.6).
fn why_aligned() -> Finding {
    Finding::error("sdpa_backend", message!(attention::efficient_alignment))
        .with_fix("sdpa_backend", serde_json::Value::Null)
}

/// `check_batch_size_and_num_heads_dense` (`sdp_utils_cpp.h`, torch 2.6).
fn why_only_math() -> Finding {
    Finding::error("sdpa_backend", message!(attention::math_only))
        .with_fix("sdpa_backend", serde_json::Value::Null)
}

/// A bias that attention has padded in memory is dense when it comes back from the host
/// (`save_on_cpu`), where `_scaled_dot_product_efficient_attention_backward` of torch 2.6 wants rows
/// of a multiple of four.
fn why_uneven(scenario: &Scenario) -> Finding {
    const KEY: &str = "pad_to_multiple_of";
    let multiple = scenario.pad_to_multiple_of.unwrap_or(1).max(1);
    Finding::error(KEY, message!(attention::uneven_mask))
        .with_fix(KEY, multiple.next_multiple_of(BIAS_ALIGNMENT))
}

#[cfg(test)]
mod tests {
    use crate::resolve::refused::tests::refused;
    use serde_json::{Value, json};

    #[test]
    fn flash_attention_is_refused_where_layers_have_masks_without_padding() {
        let asked = |model: &str, seq_len: u64| {
            refused(&json!({
                "model": model, "precision": "bf16", "seq_len": seq_len, "padding_mask": false,
                "sdpa_backend": "flash",
            }))
        };
        let repaired = Some(("sdpa_backend".to_owned(), Value::Null));
        assert_eq!(asked("t5-small", 128), repaired);
        assert_eq!(asked("mistral-7b", 4096), repaired);
        assert_eq!(asked("mistral-7b", 4095), None);
        assert_eq!(asked("llama-3.2-1b", 128), None);
    }

    #[test]
    fn memory_efficient_attention_is_refused_for_heads_of_no_whole_16_bytes() {
        let asked = |width: u64, precision: &str| {
            refused(&json!({
                "model": {"hf_config": {"model_type": "llama", "hidden_size": 4 * width,
                    "intermediate_size": 128, "num_attention_heads": 4, "num_hidden_layers": 1,
                    "vocab_size": 100}},
                "precision": precision, "seq_len": 64, "sdpa_backend": "efficient",
            }))
        };
        let repaired = Some(("sdpa_backend".to_owned(), Value::Null));
        assert_eq!(asked(20, "bf16"), repaired);
        assert_eq!(asked(20, "fp32"), None);
        assert_eq!(asked(24, "amp_bf16"), None);
        assert_eq!(asked(30, "fp32"), repaired);
    }

    #[test]
    fn masks_come_back_from_the_host_in_lengths_that_4_divides() {
        let asked = |framework: &str, seq_len: u64| {
            refused(&json!({
                "model": "llama-3.2-1b", "framework": framework, "seq_len": seq_len,
                "padding_mask": true, "offload": {"activations": true},
            }))
        };
        let repaired = Some(("pad_to_multiple_of".to_owned(), json!(4)));
        assert_eq!(asked("torch-2.6/transformers-4.51", 63), repaired);
        assert_eq!(asked("torch-2.6/transformers-4.51", 64), None);
        assert_eq!(asked("torch-2.15/transformers-5.23", 63), None);
    }
}

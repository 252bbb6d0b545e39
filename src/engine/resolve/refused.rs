//! Combinations that PyTorch and the libraries beside it refuse although each part of them is there.

use super::{expert_support, training};
use crate::ask::{
    ComputeDtype, EvaluationKind, Finding, Framework, Loss, OptimizerName, Precision, Program,
    QuantizationType, Scenario, Task, message,
};
use crate::model::{Architecture, Mixing};

/// Refuses what fails as soon as it runs.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    expert_support::check(scenario, architecture, task, findings);
    if nobody_attends(architecture) {
        let kind = scenario.asked_evaluation().kind;
        if kind == EvaluationKind::Generate {
            findings.push(why_no_cache("evaluation.kind", EvaluationKind::Loss.name()));
        } else if training::fills_cache(scenario, architecture) {
            findings.push(why_no_cache("use_cache", false));
        } else if kind != EvaluationKind::None && scenario.asked_evaluation().caches() {
            findings.push(why_no_cache("evaluation.use_cache", false));
        }
    }
    if scenario.precision == Precision::AmpFp16
        && scenario.program == Program::Training
        && scenario.loss != Loss::None
        && scenario.optimizer.name != OptimizerName::None
        && scenario.weights_dtype().is_half()
        && trains_weights(scenario, task)
    {
        findings.push(why_not_scaled(scenario));
    }
    let family = architecture.family();
    if let Some(check) = family.and_then(|family| family.quantized_support.check) {
        check(scenario, architecture, findings);
    }
    let evaluation = scenario.asked_evaluation();
    let predicted = family.is_some_and(|family| family.training_cache.predicted);
    if predicted && evaluation.kind == EvaluationKind::Trainer && evaluation.caches() {
        findings.push(why_not_kept());
    }
    let int8 = scenario.quantization.kind == QuantizationType::Int8;
    if int8 && scenario.framework == Framework::Torch26Transformers448 {
        findings.push(why_not_int8());
    }
    let cuts = matches!(architecture, Architecture::Decoder(config) if config.altup.is_some());
    if cuts && scenario.quantization.is_on() && scenario.program == Program::Training {
        findings.push(why_not_cut());
    }
    let recent = scenario.framework.has_transformers_5();
    let latent = matches!(architecture, Architecture::Decoder(config) if config.latent.is_some());
    if int8 && recent && latent {
        findings.push(why_not_in_8_bits());
    }
    let reads_audio = architecture.is_encoder_decoder() && architecture.reads_spectrograms();
    if reads_audio && !scenario.framework.has_transformers_5() {
        findings.extend(why_not_heard(scenario));
    }
}

/// Whether all layers of a hybrid are of the kind that has states instead of keys and values.
fn nobody_attends(architecture: &Architecture) -> bool {
    let Architecture::Decoder(config) = architecture else {
        return false;
    };
    let attends = |mixing: &Mixing| matches!(mixing, Mixing::Attention | Mixing::Both);
    let counts = config.family.training_cache.counts;
    !(config.mixers.is_empty() || counts || config.mixers.iter().any(attends))
}

/// Whether more than adapters is trained: weights in the dtype that they are held in.
fn trains_weights(scenario: &Scenario, task: Task) -> bool {
    let saves = |lora: &crate::ask::Lora| !lora.modules_to_save.is_empty();
    scenario.lora.as_ref().is_none_or(saves) || !task.heads_trained_whole().is_empty()
}

/// `GradScaler` unscales gradients in float32 alone: of others in float16 it says so itself, for those in
/// bfloat16 its kernel is not there (`_amp_foreach_non_finite_check_and_unscale_`, torch 2.15 and 2.6).
fn why_not_scaled(scenario: &Scenario) -> Finding {
    if scenario.quantization.is_on() {
        const KEY: &str = "quantization.prepare_for_kbit_training";
        return Finding::error(KEY, message!(refused::whole_modules_in_16_bits))
            .with_fix(KEY, true);
    }
    let name = scenario.weights.map_or("fp16", ComputeDtype::name);
    Finding::error("weights", message!(refused::gradients_in_16_bits, name))
        .with_fix("weights", ComputeDtype::Fp32.name())
}

/// `Cache.get_seq_length` (`cache_utils.py`, transformers 5.23).
fn why_no_cache(key: &str, fix: impl Into<serde_json::Value>) -> Finding {
    Finding::error(key, message!(refused::nobody_attends)).with_fix(key, fix)
}

/// `Trainer.prediction_step` leaves `past_key_values` out of what it detaches; Mamba's cache is called
/// `cache_params` (`trainer.py`, transformers 5.23, 4.51 and 4.48).
fn why_not_kept() -> Finding {
    Finding::error("evaluation.use_cache", message!(refused::cache_not_kept))
        .with_fix("evaluation.use_cache", false)
}

/// `MatmulLtState` of bitsandbytes 0.45 lacks what `tuners/lora/bnb.py` of PEFT 0.13 asks of it.
fn why_not_int8() -> Finding {
    Finding::error("quantization.type", message!(refused::int8_adapters_in_448))
        .with_fix("framework", Framework::Torch26Transformers451.name())
}

/// `expand_kv` of latent attention (transformers 5.23) gives `kv_b_proj` four dimensions;
/// `int8_mm_dequant` and its like of bitsandbytes take two or three.
fn why_not_in_8_bits() -> Finding {
    Finding::error("quantization.type", message!(refused::latent_in_8_bits))
        .with_fix("quantization.type", QuantizationType::Nf4.name())
}

/// `Gemma3nTextAltUp.predict` and `correct` (transformers 5.23) clamp weights, in training.
fn why_not_cut() -> Finding {
    Finding::error(
        "quantization.type",
        message!(refused::clamped_weights_quantized),
    )
    .with_fix("quantization.type", QuantizationType::None.name())
}

/// Features come in the precision's dtype, in which `WhisperEncoder` of transformers 4 leaves them;
/// its first convolution takes those of its own dtype alone, where autocast does not see to it.
fn why_not_heard(scenario: &Scenario) -> Option<Finding> {
    let held = scenario.quantization.unquantized_dtype();
    let autocast = scenario.precision.autocasts();
    if !scenario.quantization.is_on() || autocast || scenario.precision.dtype() == held {
        return None;
    }
    let mut all = [Precision::Fp32, Precision::Bf16, Precision::Fp16].into_iter();
    let fitting = all.find(|precision| precision.dtype() == held)?.name();
    let given = scenario.precision.name();
    Some(
        Finding::error(
            "precision",
            message!(refused::features_not_cast, given, fitting),
        )
        .with_fix("precision", fitting),
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::ask::Fix;
    use crate::ask::Scenario;
    use crate::ask::Severity;
    use crate::resolve::resolve;
    use serde_json::{Value, json};

    /// The fix of the first error of a scenario, as its key and value.
    pub(crate) fn refused(asked: &Value) -> Option<(String, Value)> {
        let scenario: Scenario = serde_json::from_value(asked.clone()).expect("a scenario");
        let errors = resolve(&scenario).findings.into_iter();
        let mut fixes = errors
            .filter(|finding| finding.severity == Severity::Error)
            .map(|finding| finding.fix.expect("a fix"));
        fixes.next().map(|Fix { key, value }| (key, value))
    }

    #[test]
    fn a_hybrid_without_attention_has_no_cache() {
        let asked = |more: Value| {
            let mut asked = json!({
                "model": "lfm2-350m",
                "model_overrides": {"num_hidden_layers": 2, "layer_types": ["conv", "conv"]},
            });
            asked
                .as_object_mut()
                .expect("an object")
                .extend(more.as_object().cloned().expect("an object"));
            refused(&asked)
        };
        let fix = |key: &str, value: Value| Some((key.to_owned(), value));
        assert_eq!(asked(json!({})), None);
        assert_eq!(
            asked(json!({"use_cache": true})),
            fix("use_cache", json!(false))
        );
        assert_eq!(
            asked(json!({"evaluation": {"kind": "loss", "use_cache": true}})),
            fix("evaluation.use_cache", json!(false))
        );
        assert_eq!(
            asked(json!({"evaluation": {"kind": "generate"}})),
            fix("evaluation.kind", json!("loss"))
        );
    }

    #[test]
    fn a_gradient_scaler_takes_gradients_in_float32_alone() {
        let asked = |weights: &str, lora: Value, program: &str| {
            refused(&json!({
                "model": "llama-3.2-1b", "precision": "amp_fp16", "weights": weights,
                "lora": lora, "program": program,
            }))
        };
        let adapters = json!({"r": 4, "target_modules": ["q_proj"]});
        let and_head = json!({"target_modules": ["q_proj"], "modules_to_save": ["lm_head"]});
        for weights in ["fp16", "bf16"] {
            let repaired = Some(("weights".to_owned(), json!("fp32")));
            assert_eq!(asked(weights, Value::Null, "training"), repaired);
            assert_eq!(asked(weights, and_head.clone(), "training"), repaired);
            assert_eq!(asked(weights, adapters.clone(), "training"), None);
            assert_eq!(asked(weights, Value::Null, "evaluation"), None);
        }
    }

    #[test]
    fn libraries_that_do_not_fit_together_are_refused() {
        let adapters = json!({"r": 4, "target_modules": ["q_proj"]});
        let int8 = |model: &str, framework: &str, precision: &str| {
            refused(&json!({
                "model": model, "framework": framework, "precision": precision, "lora": adapters,
                "quantization": {"type": "int8"},
            }))
        };
        let (v448, v451) = ("torch-2.6/transformers-4.48", "torch-2.6/transformers-4.51");
        let repaired = int8("llama-3.2-1b", v448, "bf16");
        assert_eq!(repaired, Some(("framework".to_owned(), v451.into())));
        assert_eq!(int8("llama-3.2-1b", v451, "bf16"), None);
        let repaired = int8("whisper-tiny", v451, "bf16");
        assert_eq!(repaired, Some(("precision".to_owned(), "fp32".into())));
        assert_eq!(int8("whisper-tiny", v451, "amp_bf16"), None);
        assert_eq!(
            int8("whisper-tiny", "torch-2.15/transformers-5.23", "bf16"),
            None
        );
    }
    #[test]
    fn deberta_over_quantized_layers_runs_without_autocast_only() {
        let asked = |precision: &str| {
            refused(&json!({
                "model": "deberta-v3-base", "precision": precision, "quantization": {"type": "nf4"},
                "lora": {"r": 4, "target_modules": ["query_proj"]},
            }))
        };
        let repaired = Some(("precision".to_owned(), json!("bf16")));
        assert_eq!(asked("amp_bf16"), repaired);
        assert_eq!(asked("bf16"), None);
    }
    #[test]
    fn quantized_layers_give_flash_attention_float32_without_autocast() {
        let asked = |precision: &str, prepare: bool| {
            refused(&json!({
                "model": "qwen3-0.6b", "precision": precision, "sdpa_backend": "flash",
                "quantization": {"type": "nf4", "prepare_for_kbit_training": prepare},
                "lora": {"r": 4, "target_modules": ["q_proj"]},
            }))
        };
        let repaired = Some(("sdpa_backend".to_owned(), json!(null)));
        assert_eq!(asked("bf16", true), repaired);
        assert_eq!(asked("amp_bf16", true), None);
        assert_eq!(asked("bf16", false), None);
        assert_eq!(asked("fp32", false), None);
    }
    #[test]
    fn a_trainer_takes_no_cache_of_mamba() {
        let asked = |kind: &str| {
            refused(&json!({
                "model": "mamba-130m", "evaluation": {"kind": kind, "use_cache": true},
            }))
        };
        let repaired = Some(("evaluation.use_cache".to_owned(), json!(false)));
        assert_eq!(asked("trainer"), repaired);
        assert_eq!(asked("loss"), None);
    }
}

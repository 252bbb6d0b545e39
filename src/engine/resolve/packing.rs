//! Sequences that are packed into rows: where their framework tells them apart, and where not.

use super::training;
use crate::ask::{
    Attention, DataParallelKind, EvaluationKind, Finding, Framework, Message, PackingKind, Program,
    SEQ_LEN, Scenario, Task, check_range, message,
};
use crate::model::{Architecture, Mixing};
use serde_json::Value;

const KIND: &str = "packing.kind";

/// Whether attention is given a mask that keeps sequences apart.
pub(crate) fn is_masked(scenario: &Scenario, architecture: &Architecture) -> bool {
    scenario.packing.is_on() && scenario.packing.sequences > 1 && !architecture.makes_blind_masks()
}

/// Whether layers of a decoder are told where sequences begin and need another package's kernels to keep them apart
/// (`use_kernel_func_from_hub_with_fallback`, `integrations/hub_kernels.py`, transformers 5.23).
fn needs_kernels(architecture: &Architecture) -> bool {
    let Architecture::Decoder(config) = architecture else {
        return false;
    };
    // Mamba 1 is not told.
    let heads = config
        .state_space
        .is_some_and(|space| space.heads.is_some());
    let told = |mixing: &Mixing| match mixing {
        Mixing::StateSpace => heads,
        Mixing::Both | Mixing::ShortConv | Mixing::GatedDelta => true,
        Mixing::Attention | Mixing::Lightning | Mixing::Nothing => false,
    };
    config.mixers.iter().any(told)
}

/// Refuses packed rows where they are not estimated, and says where sequences see each other.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    let packing = scenario.packing;
    if !packing.is_on() {
        return;
    }
    let row = scenario.padded(scenario.seq_len);
    let most = 1..=row.clamp(*SEQ_LEN.start(), *SEQ_LEN.end());
    check_range("packing.sequences", packing.sequences, &most, findings);
    let mut refuse = |key: &str, why: Message, fix: Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    let none = || PackingKind::None.name().into();
    if task != Task::CausalLm {
        return refuse(KIND, message!(packing::models), none());
    }
    if packing.kind == PackingKind::PaddingFree && needs_kernels(architecture) {
        let by_positions = PackingKind::PositionIds.name().into();
        refuse(KIND, message!(packing::kernels), by_positions);
    }
    let recent = Framework::Torch215Transformers523;
    if scenario.framework != recent {
        let why = message!(packing::framework, framework = recent.name());
        refuse("framework", why, recent.name().into());
    }
    if packing.kind == PackingKind::PaddingFree && scenario.micro_batch_size > 1 {
        refuse("micro_batch_size", message!(packing::one_row), 1.into());
    }
    if scenario.has_padding() {
        refuse("padding_mask", message!(packing::padding), false.into());
    }
    if scenario.dataset.length_mean.is_some() {
        refuse(
            "dataset.length_mean",
            message!(packing::lengths),
            Value::Null,
        );
    }
    let evaluation = scenario.asked_evaluation();
    // The batches of an objective's trainer are packed like its training batches.
    let by_objective = scenario.objective.is_on();
    let in_one_row = by_objective || packing.kind == PackingKind::PaddingFree;
    if scenario.program == Program::Forward {
        let training = Program::Training.name();
        refuse("program", message!(packing::training_only), training.into());
    } else if in_one_row && evaluation.micro_batch_size.unwrap_or(1) > 1 {
        let key = "evaluation.micro_batch_size";
        refuse(key, message!(packing::one_row), 1.into());
    } else if !by_objective && evaluation.kind == EvaluationKind::Generate {
        let loss = EvaluationKind::Loss.name();
        let why = message!(packing::training_only);
        refuse("evaluation.kind", why, loss.into());
    }
    let takes_rows = !matches!(
        evaluation.kind,
        EvaluationKind::None | EvaluationKind::Generate
    );
    if takes_rows && !by_objective && evaluation.caches() {
        let key = "evaluation.use_cache";
        refuse(key, message!(packing::cache), false.into());
    }
    if training::fills_cache(scenario, architecture) {
        refuse("use_cache", message!(packing::cache), false.into());
    }
    let parallelism = &scenario.parallelism;
    let sizes = [
        parallelism.tp.size,
        parallelism.pp.size,
        parallelism.cp.size,
    ];
    if sizes.into_iter().any(|size| size > 1) || parallelism.dp.kind == DataParallelKind::Megatron {
        refuse(KIND, message!(packing::ranks), none());
    }
    let flash = training::attention(scenario, architecture) == Attention::FlashAttention2;
    if !flash && packing.sequences > 1 && architecture.makes_blind_masks() {
        let why = message!(packing::unseen);
        findings.push(Finding::warning(KIND, why).with_fix(KIND, none()));
    }
    if flash && packing.sequences > 1 && scenario.micro_batch_size > 1 {
        findings.push(
            Finding::warning("micro_batch_size", message!(packing::contaminated))
                .with_fix("micro_batch_size", 1),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::ask::{Scenario, Severity};
    use crate::resolve::resolve;
    use serde_json::{Value, json};

    /// The severity and the key of the first finding about packed rows with `other`.
    fn said(other: &Value) -> Option<(Severity, String)> {
        let mut asked = json!({
            "model": "qwen2.5-0.5b", "precision": "bf16", "seq_len": 256, "micro_batch_size": 1,
            "packing": {"kind": "position_ids", "sequences": 4},
        });
        for (key, value) in other.as_object().expect("an object") {
            asked[key] = value.clone();
        }
        let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
        let first = resolve(&scenario).findings.into_iter().next();
        first.map(|finding| (finding.severity, finding.key))
    }

    #[test]
    fn packed_rows_are_refused_with_the_key_that_excludes_them() {
        let packing = json!({"kind": "padding_free", "sequences": 4});
        for (other, key) in [
            (
                json!({"micro_batch_size": 2, "packing": packing}),
                "micro_batch_size",
            ),
            (json!({"model": "bert-base"}), "packing.kind"),
            (
                json!({"model": "lfm2-1.2b", "packing": packing}),
                "packing.kind",
            ),
            (
                json!({"framework": "torch-2.6/transformers-4.51"}),
                "framework",
            ),
            (json!({"padding_mask": true}), "padding_mask"),
            (json!({"use_cache": true}), "use_cache"),
            (
                json!({"evaluation": {"kind": "generate"}}),
                "evaluation.kind",
            ),
            (
                json!({"evaluation": {"kind": "loss", "use_cache": true}}),
                "evaluation.use_cache",
            ),
            (
                json!({
                    "packing": packing,
                    "evaluation": {"kind": "loss", "micro_batch_size": 2},
                }),
                "evaluation.micro_batch_size",
            ),
            (json!({"program": "forward"}), "program"),
            (
                json!({"packing": {"kind": "position_ids", "sequences": 257}}),
                "packing.sequences",
            ),
            (json!({"sdpa_backend": "flash"}), "sdpa_backend"),
        ] {
            let error = Some((Severity::Error, key.to_owned()));
            assert_eq!(said(&other), error, "{other}");
        }
        for model in ["qwen2.5-0.5b", "gpt2", "lfm2-1.2b"] {
            assert_eq!(said(&json!({"model": model})), None, "{model}");
        }
    }

    #[test]
    fn rows_whose_sequences_see_each_other_are_warned_of() {
        let rows = json!({"attention": "flash_attention_2", "micro_batch_size": 2});
        let warned = Some((Severity::Warning, "micro_batch_size".to_owned()));
        assert_eq!(said(&rows), warned);
        let one = json!({"attention": "flash_attention_2"});
        assert_eq!(said(&one), None);
        assert_eq!(said(&json!({"micro_batch_size": 2})), None);
        let blind = json!({"model": "gpt-oss-20b", "attention": "eager"});
        let warned = Some((Severity::Warning, "packing.kind".to_owned()));
        assert_eq!(said(&blind), warned);
    }
}

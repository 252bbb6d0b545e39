//! Evaluation and generation, on their own or between the steps of a training run.

use super::places;
use crate::ask::{
    ACCUMULATION, Attention, Evaluation, EvaluationKind, Finding, Framework, MICRO_BATCH_SIZE,
    Message, SEQ_LEN, Scenario, check_range, message,
};
use crate::model::{Architecture, Family, Since};

/// Beams of a beam search.
const NUM_BEAMS: std::ops::RangeInclusive<u64> = 1..=64;

/// The evaluation of a scenario as its model runs it: `logits_to_keep` has no effect if the model's `forward` always
/// computes logits of all positions.
pub(crate) fn of(scenario: &Scenario, architecture: &Architecture) -> Evaluation {
    let takes = architecture.takes_logits_to_keep(scenario.framework);
    let evaluation = scenario.asked_evaluation();
    let always = architecture.generation().keeps_by_default;
    let asked = scenario.evaluation.use_cache.or(always.then_some(true));
    let objective = &scenario.objective;
    if objective.is_on() {
        // Its trainer calls the model without a cache, and computes no metrics of generated texts.
        return Evaluation {
            logits_to_keep: None,
            use_cache: Some(false),
            keep_predictions: evaluation.keep_predictions && !objective.trains_on_generated(),
            ..evaluation
        };
    }
    Evaluation {
        logits_to_keep: evaluation.logits_to_keep.filter(|_| takes),
        use_cache: (asked.or(evaluation.use_cache)).filter(|_| !encodes(architecture)),
        ..evaluation
    }
}

/// Whether a model without a decoder reads texts: it has no cache to fill.
fn encodes(architecture: &Architecture) -> bool {
    let family = architecture.family();
    family.is_some_and(Family::encodes_texts)
}

/// Reports `logits_to_keep` that is set for a model without this parameter.
fn check_logits_to_keep(
    scenario: &Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) {
    let of_logits = scenario.asked_evaluation().kind == EvaluationKind::Logits;
    let Some(kept) = scenario.evaluation.logits_to_keep.filter(|_| of_logits) else {
        return;
    };
    if architecture.takes_logits_to_keep(scenario.framework) {
        return;
    }
    findings.push(without_logits_to_keep(scenario, architecture, kept));
}

/// The finding about `logits_to_keep` that has no effect.
fn without_logits_to_keep(scenario: &Scenario, architecture: &Architecture, kept: u64) -> Finding {
    let framework = scenario.framework.name();
    let key = "evaluation.logits_to_keep";
    let decoder = matches!(architecture, Architecture::Decoder(_));
    let finding = if decoder || scenario.framework.has_transformers_5() {
        Finding::warning(
            key,
            message!(evaluation::logits_to_keep_ignored, framework, kept),
        )
    } else {
        Finding::error(key, message!(evaluation::logits_to_keep_fails, framework))
    };
    finding.with_fix(key, serde_json::Value::Null)
}

/// Numbers that must lie in a range whatever the model is.
pub(crate) fn check_ranges(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let evaluation = &scenario.evaluation;
    let mut range = |key, value, allowed| check_range(key, value, allowed, findings);
    if let Some(size) = evaluation.micro_batch_size {
        range("evaluation.micro_batch_size", size, &MICRO_BATCH_SIZE);
    }
    range("evaluation.batches", evaluation.batches, &ACCUMULATION);
    if let Some(kept) = evaluation.logits_to_keep {
        range("evaluation.logits_to_keep", kept, &SEQ_LEN);
    }
    if let Some(steps) = evaluation.accumulation_steps {
        range("evaluation.accumulation_steps", steps, &ACCUMULATION);
    }
    range(
        "evaluation.max_new_tokens",
        evaluation.max_new_tokens,
        &SEQ_LEN,
    );
    range("evaluation.num_beams", evaluation.num_beams, &NUM_BEAMS);
}

/// Why the engine cannot follow what the model keeps from one token to the next, if it cannot.
fn unknown_cache(
    scenario: &Scenario,
    architecture: &Architecture,
    evaluation: &Evaluation,
) -> Option<Message> {
    let generation = architecture.generation();
    let since = match evaluation.kind {
        EvaluationKind::Generate => generation.caches.max(generation.generates),
        _ => generation.caches,
    };
    if !since.is_in(scenario.framework) {
        return Some(match since {
            Since::Never => message!(evaluation::of_model),
            Since::V5 => message!(evaluation::of_model_in_4),
            Since::V448 | Since::V451 => message!(evaluation::of_model_in_448),
        });
    }
    if scenario.attention == Attention::FlashAttention2 && !generation.flash {
        return Some(message!(evaluation::with_flash));
    }
    let beams = evaluation.num_beams > 1;
    if beams && !generation.beams {
        return Some(message!(evaluation::of_model_with_beams));
    }
    let early = scenario.framework == Framework::Torch26Transformers448;
    if beams && early {
        return Some(message!(evaluation::with_beams_in_448));
    }
    None
}

/// Why the engine cannot follow the model while it generates for an objective, if it cannot.
pub(crate) fn cannot_generate(scenario: &Scenario, architecture: &Architecture) -> Option<Message> {
    let evaluation = Evaluation {
        kind: EvaluationKind::Generate,
        ..Evaluation::default()
    };
    unknown_cache(scenario, architecture, &evaluation)
}

/// Refuses combinations that the model or the framework version rules out.
pub(crate) fn check_combinations(
    scenario: &Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) {
    let evaluation = scenario.asked_evaluation();
    if evaluation.kind == EvaluationKind::None {
        return;
    }
    check_logits_to_keep(scenario, architecture, findings);
    let generates = evaluation.kind == EvaluationKind::Generate;
    if generates {
        places::check(scenario, architecture, findings);
    }
    // transformers 5 takes what encoders have no use for; before, they refuse it.
    let idle = encodes(architecture) && scenario.framework.has_transformers_5();
    if !generates && (!evaluation.caches() || idle) {
        return;
    }
    let Some(which) = unknown_cache(scenario, architecture, &evaluation) else {
        return;
    };
    let finding = if generates {
        Finding::error("evaluation.kind", message!(evaluation::generation, which))
            .with_fix("evaluation.kind", EvaluationKind::Loss.name())
    } else {
        Finding::error("evaluation.use_cache", message!(evaluation::cache, which))
            .with_fix("evaluation.use_cache", false)
    };
    findings.push(finding);
}

//! Objectives of TRL's trainers: what they fix, and where they are not estimated.

mod ranks;

use super::evaluation;
use crate::ask::{
    ACCUMULATION, ActivationCheckpointing, ActivationOffloadKind, AutocastStyle, EvaluationKind,
    Finding, Framework, Generator, LigerKernel, LogProbs, Loss, LossType, MasterWeights, Message,
    ModelRef, Objective, ObjectiveKind, PackingKind, Program, Scenario, Task, check_range, message,
};
use crate::model::{Architecture, DecoderConfig, Experts, Flag};
use serde_json::Value;

const KIND: &str = "objective.kind";
/// How much the balance of experts counts.
const COEFFICIENT: &str = "router_aux_loss_coef";

/// The objective of a run, with the tokens of a row that it scores: of each sequence that is packed into one as many
/// as there are, but for its first.
pub(crate) fn resolve(scenario: &Scenario) -> Objective {
    let tokens = scenario.padded(scenario.seq_len);
    let scored = |longest: u64| {
        let asked = scenario.objective.completion_tokens.unwrap_or(longest);
        asked.min(longest)
    };
    let [shortest, longer] = parts(scenario, tokens);
    let shorter = sequences(scenario) - longer;
    let all = shorter * scored(shortest.saturating_sub(1)) + longer * scored(shortest);
    Objective {
        completion_tokens: Some(all),
        ..scenario.objective.clone()
    }
}

/// Sequences of a row.
fn sequences(scenario: &Scenario) -> u64 {
    let packing = scenario.packing;
    if packing.is_on() {
        packing.sequences.max(1)
    } else {
        1
    }
}

/// Tokens of the shortest sequence of a row of `tokens`, and how many sequences have one more.
fn parts(scenario: &Scenario, tokens: u64) -> [u64; 2] {
    let count = sequences(scenario);
    [tokens / count, tokens % count]
}

/// How autocast is applied: by accelerate, around the models of TRL's trainers.
pub(crate) fn autocast_style(scenario: &Scenario) -> AutocastStyle {
    if scenario.objective.is_on() && scenario.precision.autocasts() {
        AutocastStyle::Accelerate
    } else {
        scenario.autocast_style
    }
}

/// Whether a decoder reads texts alone, of whose hidden states a trainer's kernel computes log-probabilities; it scales
/// and caps logits, too.
pub(super) fn is_of_texts(config: &DecoderConfig) -> bool {
    config.images.is_none()
}

/// Some trainers balance the experts of a model whose config knows of routers' logits, whatever it says of them
/// (`aux_loss_enabled`, trl 1.16), unless they count for nothing.
pub(super) fn balance(scenario: &Scenario, architecture: &mut Architecture) {
    let kind = scenario.objective.kind;
    let Architecture::Decoder(config) = architecture else {
        return;
    };
    let rule = config.family.experts.as_ref();
    let known = rule.is_some_and(|rule| matches!(rule.balanced, Flag::Said(..)));
    let of_config = match &scenario.model {
        ModelRef::HfConfig { hf_config } => hf_config.get(COEFFICIENT),
        _ => None,
    };
    let said = scenario.model_overrides.get(COEFFICIENT).or(of_config);
    let counts = said.and_then(Value::as_f64) != Some(0.0);
    if let Some(experts) = &mut config.experts
        && kind.balances_experts()
    {
        experts.balanced = known && counts && experts.sparse.contains(&true);
    }
}

/// Some trainers switch a model's modules of dropout off (`disable_dropout_in_model`, trl 1.16); what it drops by functions stays.
pub(super) fn without_dropout(scenario: &Scenario, architecture: &mut Architecture) {
    if let Architecture::Decoder(config) = architecture
        && scenario.objective.disables_dropout()
    {
        let modules = config.family.options.dropout.modules;
        config.dropout = config.dropout.without(modules);
    }
}

/// Whether kernels of Liger are to compute the loss, which a trainer computes by itself.
fn scores_with_liger(scenario: &Scenario) -> bool {
    let kernels = [
        LigerKernel::All,
        LigerKernel::CrossEntropy,
        LigerKernel::FusedLinearCrossEntropy,
    ];
    let names = kernels.map(LigerKernel::name);
    (scenario.liger_kernel.iter()).any(|asked| names.contains(&asked.as_str()))
}

/// Other settings of a scenario that an objective excludes: the key, and why.
fn excluded(scenario: &Scenario) -> impl Iterator<Item = (&'static str, Message)> {
    let training = || message!(objective::training_only);
    let alone = || message!(objective::other_losses);
    let usual = || message!(objective::usual_loop);
    let optimizer = &scenario.optimizer;
    let operations = ActivationCheckpointing::Operations;
    let kept = ActivationOffloadKind::None;
    let objective = &scenario.objective;
    let quantized = scenario.quantization.is_on();
    let checks: [(bool, &'static str, Message); 14] = [
        (scenario.program != Program::Training, "program", training()),
        (scenario.loss != Loss::Labels, "loss", alone()),
        (
            scenario.packing.is_on() && objective.kind != ObjectiveKind::Sft,
            "packing.kind",
            alone(),
        ),
        (scores_with_liger(scenario), "liger_kernel", alone()),
        (scenario.use_cache, "use_cache", usual()),
        (scenario.keep_outputs, "keep_outputs", usual()),
        (
            scenario.dataset.length_mean.is_some(),
            "dataset.length_mean",
            usual(),
        ),
        (
            quantized && objective.uses_vllm(),
            "quantization.type",
            usual(),
        ),
        (!scenario.offload.is_none(), "offload", usual()),
        (
            scenario.activation_offload.kind != kept && objective.kind != ObjectiveKind::Sft,
            "activation_offload.kind",
            usual(),
        ),
        (optimizer.in_backward, "optimizer.in_backward", usual()),
        (optimizer.name.fuses_backward(), "optimizer.name", usual()),
        (
            optimizer.master_weights != MasterWeights::None,
            "optimizer.master_weights",
            usual(),
        ),
        (
            scenario.activation_checkpointing == operations,
            "activation_checkpointing",
            usual(),
        ),
    ];
    let found = checks.into_iter().filter(|(excluded, ..)| *excluded);
    found.map(|(_, key, why)| (key, why))
}

/// Refuses an objective where it is not estimated.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    let objective = &scenario.objective;
    if !objective.is_on() {
        return;
    }
    let none = ObjectiveKind::None.name();
    // The job as it is, as if the model computed the loss: what else an objective would need can exclude it, too.
    let before = findings.len();
    findings
        .extend(excluded(scenario).map(|(key, why)| Finding::error(key, why).with_fix(KIND, none)));
    if findings.len() > before {
        return;
    }
    let mut refuse = |key: &str, why: Message, fix: Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    let recent = Framework::Torch215Transformers523;
    if scenario.framework != recent {
        let why = message!(objective::framework, framework = recent.name());
        refuse("framework", why, recent.name().into());
    }
    let config = match architecture {
        Architecture::Decoder(config) if is_of_texts(config) => Some(config),
        _ => None,
    };
    let needed = if objective.kind == ObjectiveKind::Reward {
        Task::SequenceClassification
    } else {
        Task::CausalLm
    };
    let Some(config) = config else {
        return refuse(KIND, message!(objective::models), none.into());
    };
    let balanced = |experts: &Experts| experts.balanced && objective.has_all_logits();
    if config
        .experts
        .as_ref()
        .is_some_and(|experts| balanced(experts) || objective.uses_vllm())
    {
        return refuse(KIND, message!(objective::experts), none.into());
    }
    if task != needed {
        let why = message!(objective::task, task = needed.name());
        return refuse("task", why, needed.name().into());
    }
    let samples = scenario
        .micro_batch_size
        .saturating_mul(scenario.gradient_accumulation_steps);
    if objective.kind == ObjectiveKind::Grpo && samples < 2 {
        refuse("micro_batch_size", message!(objective::group), 2.into());
    }
    // LLaMA-Factory's other prompts come with the data.
    let own_prompts = objective.log_probs() == LogProbs::LogSoftmax;
    if objective.has_divergence() && scenario.micro_batch_size < 2 && !own_prompts {
        refuse(
            "micro_batch_size",
            message!(objective::other_prompts),
            2.into(),
        );
    }
    if objective.has_all_logits() && scenario.quantization.is_on() {
        let why = message!(objective::quantized_logits);
        findings.push(Finding::warning("quantization.type", why));
    }
    let mut refuse = |key: &str, why: Message, fix: Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    let beta = objective.beta.unwrap_or(1.0);
    if objective.has_teacher() && !(0.0..=1.0).contains(&beta) {
        refuse(
            "objective.beta",
            message!(objective::interpolates),
            1.0.into(),
        );
    }
    if scenario.packing.kind == PackingKind::PositionIds {
        let fix = PackingKind::PaddingFree.name().into();
        refuse("packing.kind", message!(objective::padding_free_only), fix);
    }
    check_loss(objective, findings);
    check_evaluation(scenario, findings);
    check_cycle(scenario, architecture, findings);
    ranks::check(scenario, findings);
    let [shortest, _] = parts(scenario, scenario.padded(scenario.seq_len));
    let longest = 1..=shortest.saturating_sub(1).max(1);
    if let Some(tokens) = objective.completion_tokens {
        check_range("objective.completion_tokens", tokens, &longest, findings);
    }
    check_adapters(scenario, config, findings);
}

/// Checks adapters beside an objective.
fn check_adapters(scenario: &Scenario, config: &DecoderConfig, findings: &mut Vec<Finding>) {
    let objective = &scenario.objective;
    let Some(lora) = &scenario.lora else { return };
    let saved = !lora.modules_to_save.is_empty();
    if saved && (objective.has_reference() || scenario.quantization.is_on()) {
        let why = message!(objective::saved_modules);
        findings.push(Finding::warning("lora.modules_to_save", why));
    }
    let mut refuse = |key: &str, why: Message, fix: Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    let again = objective.has_reference() || objective.has_old_log_probs() || objective.generates();
    if again && scenario.checkpoint_every > 1 {
        refuse(
            "checkpoint_every",
            message!(objective::checkpointed_again),
            1.into(),
        );
    }
    let reads_weight = !objective.has_all_logits() && !objective.is_of_recipe();
    if reads_weight && lora.names_module(config.head_name(scenario.framework)) {
        let none = ObjectiveKind::None.name();
        refuse(KIND, message!(objective::adapted_head), none.into());
    }
}

/// Checks the computation of an objective's loss.
fn check_loss(objective: &Objective, findings: &mut Vec<Finding>) {
    const KEY: &str = "objective.loss_type";
    let Some(asked) = objective.loss_type else {
        return;
    };
    let all = objective.kind.losses();
    let why = if all.is_empty() {
        message!(objective::one_loss)
    } else if !all.contains(&asked) {
        let names: Vec<&str> = all.iter().map(|loss| loss.name()).collect();
        message!(
            objective::loss_type,
            name = asked.name(),
            all = names.join(", ")
        )
    } else if asked == LossType::Vespo && objective.uses_vllm() {
        message!(objective::corrected_otherwise)
    } else {
        return;
    };
    findings.push(Finding::error(KEY, why).with_fix(KEY, Value::Null));
}

/// Checks a trainer's evaluation: by its loss, of batches of its own.
fn check_evaluation(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let (objective, evaluation) = (&scenario.objective, &scenario.evaluation);
    let loss = EvaluationKind::Loss;
    if !matches!(
        evaluation.kind,
        EvaluationKind::None | EvaluationKind::Trainer
    ) && evaluation.kind != loss
    {
        findings.push(
            Finding::error("evaluation.kind", message!(objective::evaluation))
                .with_fix("evaluation.kind", loss.name()),
        );
    }
    if evaluation.kind != EvaluationKind::None
        && objective.has_divergence()
        && evaluation.micro_batch_size.is_some_and(|size| size < 2)
    {
        const SIZE: &str = "evaluation.micro_batch_size";
        let why = message!(objective::other_prompts);
        findings.push(Finding::error(SIZE, why).with_fix(SIZE, 2));
    }
}

/// Checks phases around GRPO's steps.
fn check_cycle(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let objective = &scenario.objective;
    let iterations = objective.num_iterations;
    check_range(
        "objective.num_iterations",
        iterations,
        &ACCUMULATION,
        findings,
    );
    if !objective.generates() {
        return;
    }
    if objective.uses_vllm() {
        let share = objective.vllm_gpu_memory_utilization;
        if !(share > 0.0 && share <= 1.0) {
            let key = "objective.vllm_gpu_memory_utilization";
            let nearest = if share > 1.0 { 1.0 } else { 0.01 };
            findings.push(Finding::error(key, message!(objective::share)).with_fix(key, nearest));
        }
        return;
    }
    if let Some(which) = evaluation::cannot_generate(scenario, architecture) {
        let key = "objective.generation";
        let finding = Finding::error(key, message!(objective::generation, which));
        findings.push(finding.with_fix(key, Generator::None.name()));
    }
}

#[cfg(test)]
mod tests {
    use crate::ask::Scenario;
    use crate::resolve::resolve;
    use serde_json::{Value, json};

    /// The key of the first setting that is refused in a scenario with `objective` and `other`.
    fn refused(objective: &Value, other: &Value) -> Option<String> {
        let mut asked = json!({"model": "qwen2.5-0.5b", "seq_len": 64, "objective": objective});
        for (key, value) in other.as_object().expect("an object") {
            asked[key] = value.clone();
        }
        let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
        let resolution = resolve(&scenario);
        assert_eq!(
            resolution.spec.is_some(),
            resolution.findings.is_empty(),
            "{other}"
        );
        let first = resolution.findings.into_iter().next();
        first.map(|finding| finding.key)
    }

    #[test]
    fn objectives_are_refused_with_the_key_that_excludes_them() {
        let dpo = json!({"kind": "dpo"});
        for (objective, other, key) in [
            (&dpo, json!({"model": "bert-base"}), "objective.kind"),
            (
                &dpo,
                json!({"liger_kernel": ["cross_entropy"]}),
                "liger_kernel",
            ),
            (&dpo, json!({"use_cache": true}), "use_cache"),
            (
                &dpo,
                json!({"evaluation": {"kind": "generate"}}),
                "evaluation.kind",
            ),
            (
                &dpo,
                json!({"lora": {"r": 8, "target_modules": ["lm_head"]}}),
                "objective.kind",
            ),
            (
                &json!({"kind": "dpo", "completion_tokens": 64}),
                json!({}),
                "objective.completion_tokens",
            ),
            (
                &json!({"kind": "grpo"}),
                json!({"micro_batch_size": 1}),
                "micro_batch_size",
            ),
            (
                &json!({"kind": "kto"}),
                json!({"micro_batch_size": 1}),
                "micro_batch_size",
            ),
            (
                &json!({"kind": "kto", "loss_type": "ipo"}),
                json!({}),
                "objective.loss_type",
            ),
            (
                &json!({"kind": "orpo", "loss_type": "sigmoid"}),
                json!({}),
                "objective.loss_type",
            ),
            (
                &json!({"kind": "grpo", "loss_type": "vespo", "generation": "vllm"}),
                json!({}),
                "objective.loss_type",
            ),
            (
                &dpo,
                json!({"packing": {"kind": "padding_free"}, "micro_batch_size": 1}),
                "packing.kind",
            ),
            (
                &json!({"kind": "sft"}),
                json!({"packing": {"kind": "position_ids"}, "micro_batch_size": 1}),
                "packing.kind",
            ),
            (
                &json!({"kind": "sft", "completion_tokens": 16}),
                json!({"packing": {"kind": "padding_free"}, "micro_batch_size": 1}),
                "objective.completion_tokens",
            ),
            (&json!({"kind": "reward"}), json!({}), "task"),
            (
                &json!({"kind": "grpo", "num_iterations": 0}),
                json!({}),
                "objective.num_iterations",
            ),
            (
                &json!({"kind": "grpo", "generation": "vllm", "vllm_gpu_memory_utilization": 1.5}),
                json!({}),
                "objective.vllm_gpu_memory_utilization",
            ),
        ] {
            assert_eq!(refused(objective, &other).as_deref(), Some(key), "{other}");
        }
        for kind in ["sft", "dpo", "grpo", "kto", "orpo", "cpo"] {
            assert_eq!(refused(&json!({"kind": kind}), &json!({})), None, "{kind}");
        }
        let alone = json!({"micro_batch_size": 1});
        let without = json!({"kind": "kto", "loss_type": "apo_zero_unpaired"});
        assert_eq!(refused(&without, &alone), None);
        let packed = json!({"micro_batch_size": 1, "packing": {"kind": "padding_free"}});
        assert_eq!(refused(&json!({"kind": "sft"}), &packed), None);
    }
}

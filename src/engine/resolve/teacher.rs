//! The teacher of a distillation: another model, as if it ran alone.

use super::objective::is_of_texts;
use crate::ask::{
    ActivationCheckpointing, ComputeDtype, DataParallelKind, Finding, ModelRef, Objective,
    Precision, Quantization, Scenario, Severity, message,
};
use crate::families::{self, catalog_models};
use crate::model::{Architecture, ResolvedSpec};
use crate::units::DType;
use serde_json::{Map, Value};

const TEACHER: &str = "objective.teacher";

/// Resolves a scenario to its specification.
type Complete = fn(&Scenario, &mut Vec<Finding>) -> Option<ResolvedSpec>;

/// The dtype in which `DeepSpeed`'s engine has its model: it casts one to half precision, and takes none that is in half
/// precision to fp32 (`_configure_distributed_model`, `deepspeed/runtime/engine.py`, 0.19.8).
fn engine_dtype(scenario: &Scenario) -> Option<DType> {
    let by_engine = scenario.parallelism.dp.kind == DataParallelKind::DeepSpeedZero;
    by_engine.then(|| scenario.precision.dtype())
}

/// The scenario of the teacher alone: it is loaded as it is, and neither checkpointed nor wrapped.
fn alone(scenario: &Scenario) -> Scenario {
    let objective = &scenario.objective;
    let named = objective.teacher.clone();
    let model_overrides = if named.is_some() {
        Map::new()
    } else {
        scenario.model_overrides.clone()
    };
    let dtype = objective.teacher_dtype.map(ComputeDtype::dtype);
    let asked = dtype.unwrap_or_else(|| scenario.weights_dtype());
    let of_engine = engine_dtype(scenario).filter(|dtype| *dtype != DType::Float32);
    let precision = match of_engine.unwrap_or(asked) {
        DType::BFloat16 => Precision::Bf16,
        DType::Float16 => Precision::Fp16,
        _ => Precision::Fp32,
    };
    Scenario {
        model: named.unwrap_or_else(|| scenario.model.clone()),
        model_overrides,
        precision,
        weights: None,
        lora: None,
        quantization: Quantization::default(),
        liger_kernel: Vec::new(),
        frozen: Vec::new(),
        activation_checkpointing: ActivationCheckpointing::None,
        checkpoint_every: 1,
        gradient_accumulation_steps: 1,
        padding_mask: Some(scenario.has_padding()),
        objective: Objective::default(),
        ..scenario.clone()
    }
}

/// The model that teaches, if there is one. Errors are pushed to `findings`.
pub(super) fn resolve(
    scenario: &Scenario,
    student: &Architecture,
    complete: Complete,
    findings: &mut Vec<Finding>,
) -> Option<Box<ResolvedSpec>> {
    if !scenario.objective.has_teacher() {
        return None;
    }
    let own = scenario.objective.teacher.is_none();
    let asked = scenario.objective.teacher_dtype.map(ComputeDtype::dtype);
    if engine_dtype(scenario) == Some(DType::Float32)
        && asked.is_some_and(|dtype| dtype != DType::Float32)
    {
        const DTYPE: &str = "objective.teacher_dtype";
        let finding = Finding::error(DTYPE, message!(objective::teacher_in_fp32));
        findings.push(finding.with_fix(DTYPE, Value::Null));
        return None;
    }
    let mut refuse = |why| {
        findings.push(Finding::error(TEACHER, why).with_fix(TEACHER, Value::Null));
    };
    let mut found = Vec::new();
    let spec = complete(&alone(scenario), &mut found);
    // An error of a teacher like the student is reported for the student.
    let wrong = found.into_iter().find(|f| f.severity == Severity::Error);
    if let Some(wrong) = wrong.filter(|_| !own) {
        refuse(message!(objective::teacher, why = wrong.message));
        return None;
    }
    let spec = spec?;
    let (Architecture::Decoder(teacher), Architecture::Decoder(student)) =
        (&spec.architecture, student)
    else {
        refuse(message!(objective::models));
        return None;
    };
    if !is_of_texts(teacher) {
        refuse(message!(objective::models));
        return None;
    }
    if teacher.vocab_size != student.vocab_size {
        let (of_teacher, of_student) = (teacher.vocab_size, student.vocab_size);
        refuse(message!(objective::vocabulary, of_teacher, of_student));
        return None;
    }
    Some(Box::new(spec))
}

/// The models of the catalog that could teach that of a scenario.
pub(super) fn known(scenario: &Scenario) -> Vec<String> {
    if !scenario.objective.has_teacher() {
        return Vec::new();
    }
    let vocabulary = |scenario: &Scenario| {
        let read = families::read(scenario, &mut Vec::new())?;
        match read.architecture {
            Architecture::Decoder(config) if is_of_texts(&config) => Some(config.vocab_size),
            _ => None,
        }
    };
    let own = vocabulary(scenario);
    let fits = |id: &str| {
        let named = Scenario {
            model: ModelRef::Catalog(id.to_owned()),
            framework: scenario.framework,
            ..Scenario::default()
        };
        own.is_some() && vocabulary(&named) == own
    };
    let all = catalog_models().map(|model| model.id);
    all.filter(|id| fits(id)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use crate::ask::Scenario;
    use crate::resolve::resolve;
    use serde_json::{Value, json};

    fn of(teacher: &Value) -> crate::resolve::Resolution {
        let objective = json!({"kind": "distillation", "teacher": teacher});
        let asked = json!({"model": "qwen2.5-0.5b", "seq_len": 64, "objective": objective});
        resolve(&serde_json::from_value::<Scenario>(asked).expect("a scenario"))
    }

    #[test]
    fn a_teacher_is_another_model_of_the_same_vocabulary() {
        let resolved = of(&json!("qwen2.5-1.5b"));
        assert_eq!(resolved.findings, []);
        let spec = resolved.spec.expect("a spec");
        let teacher = spec.teacher.expect("a teacher");
        assert_ne!(spec.architecture, teacher.architecture);
        let copy = of(&Value::Null).spec.expect("a spec");
        assert_eq!(
            copy.teacher.expect("a teacher").architecture,
            copy.architecture
        );
    }

    #[test]
    fn those_that_could_teach_are_offered() {
        let asked = json!({"model": "qwen2.5-0.5b", "objective": {"kind": "distillation"}});
        let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
        let known = super::known(&scenario);
        assert!(known.iter().any(|id| id == "qwen2.5-3b"), "{known:?}");
        assert!(known.iter().all(|id| id.contains("qwen")), "{known:?}");
    }

    #[test]
    fn a_teacher_of_another_vocabulary_and_one_that_nobody_knows_are_refused() {
        for teacher in ["llama-3.2-1b", "qwen2.5-7b", "qwen9", "bert-base"] {
            let resolved = of(&json!(teacher));
            assert!(resolved.spec.is_none(), "{teacher}");
            let keys: Vec<_> = resolved.findings.iter().map(|f| f.key.as_str()).collect();
            assert_eq!(keys, ["objective.teacher"], "{teacher}");
        }
    }
}

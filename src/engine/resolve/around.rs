//! Phases around the steps: how a model comes to the device, and where that is not estimated.

use crate::ask::{
    AdapterDtype, Around, DataParallelKind, Finding, Framework, MasterWeights, Message,
    ModelLoading, ModelRef, Parallelism, Plan, Precision, Program, Saving, Scenario,
    ShardingStrategy, message,
};
use crate::model::{Architecture, Input};

const LOADING: &str = "around.loading";
const SAVING: &str = "around.saving";
const RECENT: Framework = Framework::Torch215Transformers523;

/// How the model of a run is loaded: what bitsandbytes quantizes comes straight to the device
/// (`Bnb4BitHfQuantizer.update_device_map`, transformers 5.23).
pub(crate) fn resolve(scenario: &Scenario) -> Around {
    let loads = scenario.around.loads();
    Around {
        loading: if loads && scenario.quantization.is_on() {
            ModelLoading::DeviceMap
        } else {
            scenario.around.loading
        },
        ..scenario.around
    }
}

/// Data parallelism of a run. What FSDP1 wraps has been loaded onto the host, from where it comes unit by unit
/// (`prepare_model` moves no model of FSDP's, accelerate 1.15).
pub(crate) fn parallelism(scenario: &Scenario) -> Parallelism {
    let mut parallelism = scenario.parallelism;
    let fsdp1 = parallelism.dp.kind == DataParallelKind::Fsdp1;
    parallelism.dp.fsdp.built_on_cpu |= fsdp1 && scenario.around.loads();
    parallelism
}

/// Whether adapters in float32 are trained beside copies of modules in half precision.
fn trains_two_dtypes(scenario: &Scenario) -> bool {
    let half = matches!(scenario.precision, Precision::Bf16 | Precision::Fp16);
    let lora = scenario.lora.as_ref().filter(|_| half);
    lora.is_some_and(|lora| {
        !lora.modules_to_save.is_empty() && lora.adapter_dtype == AdapterDtype::Fp32
    })
}

/// Whether what each of several ranks loads is estimated: under DDP what one GPU loads alone, under FSDP what
/// comes from the host.
fn loads_on_ranks(scenario: &Scenario) -> bool {
    let parallelism = &scenario.parallelism;
    let only_data = Parallelism {
        dp: parallelism.dp,
        ..Parallelism::default()
    };
    let dp = &parallelism.dp;
    let straight = resolve(scenario).loading == ModelLoading::DeviceMap;
    let zero = dp.kind == DataParallelKind::DeepSpeedZero;
    let known = match dp.kind {
        DataParallelKind::Ddp => true,
        DataParallelKind::DeepSpeedZero => !scenario.quantization.is_on(),
        DataParallelKind::Fsdp1 => !straight,
        DataParallelKind::Fsdp2 => !straight && dp.fsdp.plan == Plan::Usual,
        _ => false,
    };
    *parallelism == only_data && known && (zero || !dp.offloads())
}

/// Settings that exclude an estimate of loading: the key, and why.
fn excluded(
    scenario: &Scenario,
    architecture: &Architecture,
) -> impl Iterator<Item = (&'static str, Message)> {
    let straight = resolve(scenario).loading == ModelLoading::DeviceMap;
    let hub = !matches!(
        scenario.model,
        ModelRef::Linear { .. } | ModelRef::Exported(_)
    );
    let fsdp2 = scenario.parallelism.dp.kind == DataParallelKind::Fsdp2;
    let decodes = matches!(architecture, Architecture::Decoder(_));
    let as_built = scenario.around.loading == ModelLoading::ZeroInit;
    let dora = scenario.lora.as_ref().is_some_and(|lora| lora.use_dora);
    let checks: [(bool, &'static str, Message); 14] = [
        (
            scenario.framework != RECENT,
            "framework",
            message!(around::framework, framework = RECENT.name()),
        ),
        (!hub, "model", message!(around::linear)),
        (
            scenario.program == Program::Evaluation,
            "program",
            message!(around::training_only),
        ),
        (
            !scenario.parallelism.is_none() && !loads_on_ranks(scenario),
            "parallelism",
            message!(around::ranks),
        ),
        (
            scenario.objective.is_on(),
            "objective.kind",
            message!(around::own_loop),
        ),
        (
            scenario.optimizer.master_weights != MasterWeights::None,
            "optimizer.master_weights",
            message!(around::own_loop),
        ),
        (
            !scenario.offload.is_none(),
            "offload",
            message!(around::own_loop),
        ),
        (
            straight && architecture.experts().is_some() && !decodes,
            LOADING,
            message!(around::experts),
        ),
        (
            straight && matches!(architecture.input(scenario.seq_len), Input::Waveforms(_)),
            LOADING,
            message!(around::speech),
        ),
        (fsdp2 && !decodes, LOADING, message!(around::shared_weights)),
        (
            as_built && !scenario.parallelism.dp.partitions_parameters(),
            LOADING,
            message!(around::zero_3),
        ),
        (as_built && !decodes, LOADING, message!(around::as_built)),
        (
            as_built && dora,
            "lora.use_dora",
            message!(around::own_loop),
        ),
        (
            as_built && trains_two_dtypes(scenario),
            "lora.modules_to_save",
            message!(around::one_dtype),
        ),
    ];
    let found = checks.into_iter().filter(|(excluded, ..)| *excluded);
    found.map(|(_, key, why)| (key, why))
}

/// Settings that exclude an estimate of saving: the key, and why.
fn not_saved(scenario: &Scenario) -> impl Iterator<Item = (&'static str, Message)> {
    let parallelism = &scenario.parallelism;
    let only_data = Parallelism {
        dp: parallelism.dp,
        ..Parallelism::default()
    };
    let dp = &parallelism.dp;
    let gathers = scenario
        .host
        .saving
        .is_none_or(|saving| saving == Saving::FullState);
    let fsdp1 = dp.kind == DataParallelKind::Fsdp1;
    let whole = dp.fsdp.sharding_strategy == ShardingStrategy::NoShard;
    let checks: [(bool, &'static str, Message); 5] = [
        (
            scenario.program == Program::Evaluation,
            "program",
            message!(around::training_only),
        ),
        (
            *parallelism != only_data || parallelism.dp.kind == DataParallelKind::Megatron,
            "parallelism",
            message!(around::saved_by_data_parallelism),
        ),
        (
            parallelism.dp.offloads(),
            "parallelism.dp",
            message!(around::saved_from_host),
        ),
        (
            fsdp1 && (!gathers || whole),
            SAVING,
            message!(around::saved_by_fsdp1),
        ),
        (
            scenario.framework != RECENT,
            "framework",
            message!(around::framework, framework = RECENT.name()),
        ),
    ];
    let found = checks.into_iter().filter(|(excluded, ..)| *excluded);
    found.map(|(_, key, why)| (key, why))
}

/// Refuses to estimate loading or saving where that is not known.
pub(crate) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let around = scenario.around;
    if around.loads() {
        let none = ModelLoading::None.name();
        let refused = excluded(scenario, architecture);
        findings.extend(refused.map(|(key, why)| Finding::error(key, why).with_fix(LOADING, none)));
    }
    if around.saving {
        let refused = not_saved(scenario);
        findings.extend(refused.map(|(key, why)| Finding::error(key, why).with_fix(SAVING, false)));
    }
}

#[cfg(test)]
mod tests {
    use crate::ask::{ModelLoading, Scenario};
    use crate::resolve::{Resolution, resolve};
    use serde_json::{Value, json};

    fn resolved(around: &Value, other: &Value) -> Resolution {
        let mut asked = json!({"model": "qwen2.5-0.5b", "around": around});
        for (key, value) in other.as_object().expect("an object") {
            asked[key] = value.clone();
        }
        resolve(&serde_json::from_value::<Scenario>(asked).expect("a scenario"))
    }

    #[test]
    fn loading_and_saving_are_refused_with_the_key_that_excludes_them() {
        let (cpu, straight, saving) = (
            json!({"loading": "cpu"}),
            json!({"loading": "device_map"}),
            json!({"saving": true}),
        );
        let ddp = json!({"parallelism": {"dp": {"kind": "ddp", "size": 2}}});
        let fsdp2 = json!({"parallelism": {"dp": {"kind": "fsdp2", "size": 2}}});
        let zero = json!({"parallelism": {"dp": {"kind": "deepspeed_zero", "size": 2}}});
        let as_built = json!({"loading": "zero_init"});
        let zero_3 = json!({"parallelism": {"dp": {"kind": "deepspeed_zero", "size": 2, "stage": 3}}, "precision": "bf16"});
        let with_adapters = |lora: Value| {
            let mut asked = zero_3.clone();
            asked["lora"] = lora;
            asked
        };
        let dora = with_adapters(json!({"r": 8, "target_modules": ["q_proj"], "use_dora": true}));
        let quantized = {
            let mut asked = with_adapters(json!({"r": 8, "target_modules": ["q_proj"]}));
            asked["quantization"] = json!({"type": "nf4"});
            asked
        };
        let copies = with_adapters(
            json!({"r": 8, "target_modules": ["q_proj"], "modules_to_save": ["lm_head"]}),
        );
        let old = json!({"framework": "torch-2.6/transformers-4.51"});
        let sft = json!({"objective": {"kind": "sft"}});
        let mixture = json!({"model": "mixtral-8x7b"});
        let evaluates = json!({"program": "evaluation", "evaluation": {"kind": "loss"}});
        for (around, other, key) in [
            (&cpu, &ddp, None),
            (&cpu, &fsdp2, None),
            (&straight, &fsdp2, Some("parallelism")),
            (&cpu, &zero, None),
            (&as_built, &zero, Some("around.loading")),
            (&cpu, &quantized, Some("parallelism")),
            (&as_built, &zero_3, None),
            (&as_built, &dora, Some("lora.use_dora")),
            (&as_built, &copies, Some("lora.modules_to_save")),
            (&cpu, &old, Some("framework")),
            (&cpu, &sft, Some("objective.kind")),
            (&cpu, &evaluates, Some("program")),
            (&cpu, &mixture, None),
            (&straight, &mixture, None),
            (&saving, &evaluates, Some("program")),
            (&saving, &old, Some("framework")),
            (&saving, &ddp, None),
            (&saving, &mixture, None),
        ] {
            let resolution = resolved(around, other);
            let first = resolution.findings.first().map(|f| f.key.as_str());
            assert_eq!(first, key, "{around} {other}");
            assert_eq!(resolution.spec.is_some(), key.is_none(), "{around} {other}");
        }
    }

    #[test]
    fn what_is_quantized_comes_straight_to_the_device() {
        let quantized = json!({
            "quantization": {"type": "nf4"}, "precision": "bf16",
            "lora": {"r": 8, "target_modules": ["q_proj"]},
        });
        let spec = resolved(&json!({"loading": "cpu"}), &quantized).spec;
        assert_eq!(
            spec.expect("a spec").around.loading,
            ModelLoading::DeviceMap
        );
    }
}

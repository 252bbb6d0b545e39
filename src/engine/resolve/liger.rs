//! Liger kernels: which replace what, and for which models.

use crate::ask::{Finding, Framework, LigerKernel, LigerKernels, Loss, Scenario, closest, message};
use crate::model::{Activation, Architecture, ImageConfig, LigerSupport};

/// The kernels of a scenario, as far as they exist for the model.
pub(crate) fn resolve(
    scenario: &Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) -> LigerKernels {
    let asked = &scenario.liger_kernel;
    if asked.is_empty() {
        return LigerKernels::default();
    }
    let Some(kit) = kit(architecture, scenario.framework) else {
        let packed = architecture.images().and_then(ImageConfig::packed);
        // `model/output_classes.py`, liger-kernel 0.8.5, reads a class that is no more.
        let finding = match packed {
            Some(_) => Finding::error("liger_kernel", message!(liger::former_names)),
            None => Finding::warning("liger_kernel", message!(liger::no_kernels)),
        };
        findings.push(finding.with_fix("liger_kernel", serde_json::json!([])));
        return LigerKernels::default();
    };
    let mut kernels = LigerKernels::default();
    for name in asked {
        match LigerKernel::from_name(name) {
            Some(LigerKernel::All) => kit.usual().for_each(|kernel| kernels.add(kernel)),
            Some(LigerKernel::Layers) => kit.of_layers().for_each(|kernel| kernels.add(kernel)),
            Some(kernel) if kit.lacks == Some(kernel) => findings.push(lacking(asked, kernel)),
            Some(kernel) if kit.ignores(kernel) => findings.push(without_effect(asked, kernel)),
            Some(kernel) => kernels.add(kernel),
            None => findings.push(unknown(asked, name)),
        }
    }
    if kernels.gated && kit.gated == Some(LigerKernel::Swiglu) {
        check_activation(asked, kit, architecture, findings);
    }
    check_loss(scenario, &mut kernels, findings);
    kernels
}

/// Liger's kernels for a model, if any that are estimated.
pub(crate) fn kit(architecture: &Architecture, framework: Framework) -> Option<LigerSupport> {
    let kit = architecture.family()?.liger?;
    let estimated = kit.versions.has(framework) && architecture.images().is_none();
    estimated.then_some(kit)
}

/// Whether Liger runs the experts.
pub(crate) fn runs_experts(scenario: &Scenario, architecture: &Architecture) -> bool {
    let kit = kit(architecture, scenario.framework);
    let gated = kit.and_then(|kit| kit.gated);
    let replaces = |gated: LigerKernel| {
        let groups = [LigerKernel::All, LigerKernel::Layers, LigerKernel::Glu];
        let names = groups.into_iter().chain([gated]).map(LigerKernel::name);
        let names: Vec<&str> = names.collect();
        let mut asked = scenario.liger_kernel.iter();
        asked.any(|name| names.contains(&name.as_str()))
    };
    gated.is_some_and(replaces)
}

/// Liger's modules of gated products know `SiLU` only (`LigerSwiGLUMLP`, `LigerExperts`).
fn check_activation(
    asked: &[String],
    kit: LigerSupport,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) {
    let Architecture::Decoder(config) = architecture else {
        return;
    };
    if config.activation != Activation::Silu {
        let swiglu = LigerKernel::Swiglu;
        let asks = |kernel: LigerKernel| asked.iter().any(|name| name == kernel.name());
        let others = |kernels: &mut dyn Iterator<Item = LigerKernel>| {
            let others = kernels.filter(|kernel| *kernel != swiglu);
            let others: Vec<&str> = others.map(LigerKernel::name).collect();
            serde_json::json!(others)
        };
        let rest = if asks(LigerKernel::All) {
            others(&mut kit.usual())
        } else if asks(LigerKernel::Layers) {
            others(&mut kit.of_layers())
        } else if asks(LigerKernel::Glu) {
            without(asked, LigerKernel::Glu.name())
        } else {
            without(asked, swiglu.name())
        };
        findings.push(
            Finding::error("liger_kernel", message!(liger::swiglu_activation))
                .with_fix("liger_kernel", rest),
        );
    }
}

fn without(asked: &[String], name: &str) -> serde_json::Value {
    let rest: Vec<&String> = asked.iter().filter(|other| *other != name).collect();
    serde_json::json!(rest)
}

fn without_effect(asked: &[String], kernel: LigerKernel) -> Finding {
    let name = kernel.name();
    let why = match kernel {
        LigerKernel::CrossEntropy => message!(liger::loss_not_called, name),
        _ => message!(liger::no_such_product, name),
    };
    Finding::notice("liger_kernel", why).with_fix("liger_kernel", without(asked, name))
}

fn lacking(asked: &[String], kernel: LigerKernel) -> Finding {
    let name = kernel.name();
    Finding::error("liger_kernel", message!(liger::lacking, name))
        .with_fix("liger_kernel", without(asked, name))
}

fn unknown(asked: &[String], name: &str) -> Finding {
    let shown: String = name.chars().take(40).collect();
    let all: Vec<&str> = LigerKernel::ALL
        .iter()
        .map(|kernel| kernel.name())
        .collect();
    let near = closest(name, all.iter().copied());
    let fixed: Vec<&str> = asked
        .iter()
        .filter_map(|other| if other == name { near } else { Some(other) })
        .collect();
    let all = all.join(", ");
    Finding::error("liger_kernel", message!(liger::unknown, shown, all))
        .with_fix("liger_kernel", serde_json::json!(fixed))
}

fn check_loss(scenario: &Scenario, kernels: &mut LigerKernels, findings: &mut Vec<Finding>) {
    let name = LigerKernel::CrossEntropy.name();
    if kernels.cross_entropy && kernels.fused_linear_cross_entropy {
        findings.push(
            Finding::error("liger_kernel", message!(liger::two_losses))
                .with_fix("liger_kernel", without(&scenario.liger_kernel, name)),
        );
    }
    let loss = kernels.cross_entropy || kernels.fused_linear_cross_entropy;
    if loss && !matches!(scenario.loss, Loss::Labels | Loss::Cast) {
        findings.push(Finding::notice(
            "liger_kernel",
            message!(liger::loss_without_effect),
        ));
        kernels.cross_entropy = false;
        kernels.fused_linear_cross_entropy = false;
    }
}

#[cfg(test)]
mod tests {
    use crate::ask::Scenario;
    use crate::ask::Severity;
    use crate::resolve::offers::offers;
    use crate::resolve::refused::tests::refused;
    use crate::resolve::resolve;
    use serde_json::json;

    #[test]
    fn kernels_that_a_patch_lacks_are_refused_and_not_offered() {
        for (model, kernel) in [
            ("granite-3.1-2b", "fused_linear_cross_entropy"),
            ("glm-4-9b-0414", "rope"),
        ] {
            let asked = json!({"model": model, "liger_kernel": ["rms_norm", kernel]});
            let fix = ("liger_kernel".to_owned(), json!(["rms_norm"]));
            assert_eq!(refused(&asked), Some(fix), "{model}");
            let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
            let offered = offers(&scenario, "liger_kernel");
            assert!(!offered.contains(&kernel.to_owned()), "{model}");
            let all = json!({"model": model, "liger_kernel": ["all"]});
            assert_eq!(refused(&all), None, "{model}");
        }
    }

    #[test]
    fn kernels_without_effect_are_a_notice() {
        for (model, kernel) in [
            ("mistral-7b", "cross_entropy"),
            ("gpt-oss-20b", "swiglu"),
            ("llama-3.1-8b", "geglu"),
        ] {
            let asked = json!({"model": model, "liger_kernel": [kernel], "attention": "eager"});
            let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
            let findings = resolve(&scenario).findings;
            let found = findings
                .iter()
                .find(|finding| finding.key == "liger_kernel");
            let severity = found.map(|finding| finding.severity);
            assert_eq!(severity, Some(Severity::Notice), "{model}");
        }
    }

    #[test]
    fn gated_products_of_other_activations_are_refused() {
        let asked = |kernel: &str| {
            json!({
                "model": "llama-3.1-8b", "model_overrides": {"hidden_act": "gelu"},
                "liger_kernel": [kernel],
            })
        };
        let others = ["rope", "rms_norm", "fused_linear_cross_entropy"];
        let key = "liger_kernel".to_owned();
        assert_eq!(refused(&asked("all")), Some((key.clone(), json!(others))));
        assert_eq!(refused(&asked("swiglu")), Some((key, json!([]))));
        assert_eq!(refused(&asked("rope")), None);
    }

    #[test]
    fn experts_of_liger_have_rows_of_any_size() {
        let asked = |kernels: &[&str]| {
            refused(&json!({
                "model": "qwen3-30b-a3b", "precision": "bf16", "liger_kernel": kernels,
                "model_overrides": {"moe_intermediate_size": 100},
            }))
        };
        assert_eq!(asked(&["swiglu"]), None);
        assert_eq!(asked(&["all"]), None);
        assert!(asked(&["rope"]).is_some());
    }
}

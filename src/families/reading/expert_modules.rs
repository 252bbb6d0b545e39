//! The modules of mixtures of experts.

use crate::ask::Framework;
use crate::model::{
    AFTER_EXPERTS, BESIDE, Correction, DecoderConfig, DecoderType, ExpertForm, Experts, LATENT,
    LayerNames, LogitsDtype, Module, ModuleKind, PLAIN, Routing, SharedForm, SigmoidScores, linear,
    norm, other,
};

/// The modules of an expert that is a part of the layer, not of its mixture, if there is one.
pub(crate) fn beside(
    config: &DecoderConfig,
    layer_part: impl Fn(&'static str) -> String,
) -> Vec<Module> {
    let experts = config.experts.as_ref();
    if !experts.is_some_and(Experts::has_one_beside) {
        return Vec::new();
    }
    BESIDE
        .map(|name| linear(layer_part("shared_mlp.") + name, false))
        .into()
}

/// The same module with matrices of its own.
fn matrices(module: Module) -> Module {
    Module {
        kind: ModuleKind::Matrices,
        ..module
    }
}

/// The modules with parameters of the mixture in `layer`, whose parts `layer_part` names, in the order
/// in which they are built; none where the layer has no experts.
pub(crate) fn modules(
    config: &DecoderConfig,
    layer: u64,
    framework: Framework,
    layer_part: impl Fn(&'static str) -> String,
) -> Vec<Module> {
    let Some(experts) = config
        .experts
        .as_ref()
        .filter(|experts| usize::try_from(layer).is_ok_and(|layer| experts.is_sparse(layer)))
    else {
        return Vec::new();
    };
    let four = framework != Framework::Torch215Transformers523;
    let names = LayerNames::of(config);
    let path = layer_part(names.feed_forward(four));
    let at = |name: &str| format!("{path}.{name}");
    let router = names.router(four);
    let plain_gate = !four || matches!(experts.routing, Routing::Corrected(_));
    let gate = match experts.routing {
        Routing::Largest { biased: true } => matrices(norm(at(router))),
        Routing::WideGate => linear(at(router) + ".wg", false),
        Routing::Sigmoids(scores) if scores.logits == LogitsDtype::WideBehindGate => {
            matrices(linear(at(router) + ".gate", false))
        }
        _ if experts.run_in_turn(four) => linear(at(router) + ".layer", false),
        _ if plain_gate => matrices(other(at(router))),
        _ => linear(at(router), false),
    };
    let gated = ["gate_proj", "up_proj", "down_proj"];
    let bias = config.mlp_bias;
    let parts = match experts.form {
        ExpertForm::Plain(_) => PLAIN.as_slice(),
        _ => gated.as_slice(),
    };
    let routed = if experts.run_in_turn(four) {
        BESIDE.map(|name| other(at(name))).into()
    } else if four {
        let numbered = names.numbers_experts(four);
        let names = [gated, ["w1", "w2", "w3"]][usize::from(numbered)];
        let part = |index, name| linear(at(&format!("experts.{index}.{name}")), false);
        (0..experts.count)
            .flat_map(|index| names.map(|name| part(index, name)))
            .collect()
    } else {
        vec![Module {
            path: at("experts"),
            kind: ModuleKind::Matrices,
            parameters: match experts.form {
                ExpertForm::Gated | ExpertForm::GatedBy(_) => &["gate_up_proj", "down_proj"],
                ExpertForm::Clamped => &[
                    "gate_up_proj",
                    "gate_up_proj_bias",
                    "down_proj",
                    "down_proj_bias",
                ],
                ExpertForm::Plain(_) => &PLAIN,
            },
        }]
    };
    let mut all = vec![gate];
    if experts.routing == Routing::Static {
        all.push(Module {
            parameters: &["e_score_correction_bias"],
            ..other(at(router) + ".moe_statics")
        });
    }
    let first = if experts.are_built_first(four) {
        0
    } else {
        all.len()
    };
    all.splice(first..first, routed);
    let fixed = |scores: SigmoidScores| scores.correction == Correction::Fixed;
    if matches!(experts.routing, Routing::Sigmoids(scores) if fixed(scores)) {
        all.push(Module {
            parameters: &["expert_bias"],
            ..other(path.clone())
        });
    }
    if experts.shared_intermediate_size.is_some() {
        let within = |name: &str| {
            let of = |part: &&str| linear(at(name) + "." + part, bias);
            parts.iter().map(of).collect::<Vec<_>>()
        };
        let shared = names.shared;
        match experts.shared {
            SharedForm::Gated => {
                all.extend(within(shared));
                all.push(linear(at("shared_expert_gate"), false));
            }
            SharedForm::Between => {
                all.splice(1..1, within(shared));
            }
            // The layer builds it behind its norms.
            SharedForm::Beside => {}
            _ => all.extend(within(shared)),
        }
    }
    let normed = config.model_type == DecoderType::AxK1;
    all.extend(normed.then(|| other(at(AFTER_EXPERTS))));
    if experts.latent_size.is_some() {
        all.extend(LATENT.map(|name| linear(at(name), bias)));
    }
    all
}

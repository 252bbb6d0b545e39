//! Checks of graphs that `torch.export` wrote.

use super::adapters::SHOWN;
use crate::ask::{
    ActivationCheckpointing, Convolutions, DataParallelKind, EvaluationKind, Finding, Loss,
    ModelRef, Precision, Scenario, message,
};
use crate::exported::Argument;
use crate::families::{Gap, adapted_modules, layer_classes, layer_paths};
use crate::model::{Architecture, ExportedConfig, ResolvedSpec};
use crate::units::DType;
use serde_json::Value;
use std::borrow::Cow;

/// Operations that a message names.
const NAMED: usize = 5;

/// The scenario with a graph's loss, where the combinations that it asks for are estimated of a graph.
pub(crate) fn settle<'a>(
    scenario: Cow<'a, Scenario>,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) -> Cow<'a, Scenario> {
    match architecture {
        Architecture::Exported(config) => settle_graph(scenario, config, findings),
        _ if scenario.loss.is_of_graph() => {
            refuse_loss(scenario.loss, findings);
            scenario
        }
        _ => scenario,
    }
}

fn settle_graph<'a>(
    scenario: Cow<'a, Scenario>,
    config: &ExportedConfig,
    findings: &mut Vec<Finding>,
) -> Cow<'a, Scenario> {
    let scenario = with_loss(scenario, config, findings);
    check(&scenario, config, findings);
    scenario
}

/// Refuses a loss that only a graph has.
fn refuse_loss(loss: Loss, findings: &mut Vec<Finding>) {
    let name = loss.name();
    findings.push(
        Finding::error("loss", message!(exported::no_graph, name))
            .with_fix("loss", Loss::Labels.name()),
    );
}

/// The scenario with the loss that a graph has where it is not said, or said as other models have it.
fn with_loss<'a>(
    scenario: Cow<'a, Scenario>,
    config: &ExportedConfig,
    findings: &mut Vec<Finding>,
) -> Cow<'a, Scenario> {
    let own = returns_number(config);
    match scenario.loss {
        Loss::Own if !own => {
            findings.push(
                Finding::error("loss", message!(exported::own_loss))
                    .with_fix("loss", Loss::CrossEntropy.name()),
            );
            scenario
        }
        Loss::Own | Loss::CrossEntropy | Loss::Mse | Loss::Mean | Loss::None => scenario,
        _ => {
            let loss = if own { Loss::Own } else { Loss::Mean };
            let name = loss.name();
            findings.push(
                Finding::notice("loss", message!(exported::loss_as, name)).with_fix("loss", name),
            );
            let mut scenario = scenario.into_owned();
            scenario.loss = loss;
            Cow::Owned(scenario)
        }
    }
}

/// Whether the first result is a single number that may be trained with.
fn returns_number(config: &ExportedConfig) -> bool {
    let mut outputs = config.graph.body.outputs.iter();
    let first = outputs.next().copied().flatten();
    let first = first.and_then(|id| config.tensor(id));
    first.is_some_and(|(shape, dtype)| shape.rank() == 0 && dtype.is_float())
}

/// Combinations that are not estimated of a graph.
fn check(scenario: &Scenario, config: &ExportedConfig, findings: &mut Vec<Finding>) {
    let dp = &scenario.parallelism.dp;
    let refused: [(bool, &str); 7] = [
        (dp.partitions_parameters(), "parallelism.dp.zero.stage"),
        (scenario.parallelism.tp.size > 1, "parallelism.tp.size"),
        (scenario.parallelism.pp.size > 1, "parallelism.pp.size"),
        (scenario.objective.is_on(), "objective.kind"),
        (
            matches!(
                scenario.asked_evaluation().kind,
                EvaluationKind::Trainer | EvaluationKind::Generate
            ),
            "evaluation.kind",
        ),
        (scenario.offload.activations, "offload.activations"),
        (!scenario.liger_kernel.is_empty(), "liger_kernel"),
    ];
    for (_, key) in refused.iter().filter(|(asked, _)| *asked) {
        findings.push(Finding::error(
            key,
            message!(exported::not_modelled, what = *key),
        ));
    }
    check_precision(scenario, config, findings);
    check_adapters(scenario, config, findings);
    check_layers(scenario, config, findings);
    check_batch_norms(scenario, config, findings);
    let convolves = || {
        let nodes = config.graph.nodes();
        nodes
            .iter()
            .any(|node| node.target.starts_with("aten.conv"))
    };
    if scenario.convolutions == Convolutions::Cudnn && convolves() {
        findings.push(
            Finding::warning("convolutions", message!(exported::cudnn))
                .with_fix("convolutions", Convolutions::Native.name()),
        );
    }
}

/// Says which modules count as layers where that matters, and refuses names that mean none.
fn check_layers(scenario: &Scenario, config: &ExportedConfig, findings: &mut Vec<Finding>) {
    let key = "layer_modules";
    let graph = &config.graph;
    let named = &scenario.layer_modules;
    let meets = |name: &&String| !layer_paths(graph, std::slice::from_ref(*name)).is_empty();
    if let Some(unknown) = named.iter().find(|name| !meets(name)) {
        let shown: String = unknown.chars().take(SHOWN).collect();
        let classes = layer_classes(scenario).join(", ");
        let rest: Vec<&String> = named.iter().filter(meets).collect();
        findings.push(
            Finding::error(key, message!(exported::no_layer, shown, classes))
                .with_fix(key, serde_json::json!(rest)),
        );
        return;
    }
    let shards = matches!(
        scenario.parallelism.dp.kind,
        DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2
    );
    if scenario.activation_checkpointing == ActivationCheckpointing::None && !shards {
        return;
    }
    let paths = layer_paths(graph, named);
    let Some(example) = paths.first() else {
        let classes = layer_classes(scenario).join(", ");
        findings.push(Finding::warning(
            key,
            message!(exported::no_layers, classes),
        ));
        return;
    };
    if named.is_empty() {
        let count = paths.len();
        findings.push(Finding::notice(
            key,
            message!(exported::layers, count, example),
        ));
    }
}

/// Batch normalization beside FSDP's mixed precision: FSDP2 casts its weights and not its running statistics, which the
/// kernel refuses (`batch_norm_cuda`, `Normalization.cuh`, torch 2.15); FSDP1 makes it a unit of its own in float32
/// (`_auto_wrap`, `fsdp/wrap.py`).
fn check_batch_norms(scenario: &Scenario, config: &ExportedConfig, findings: &mut Vec<Finding>) {
    let dp = &scenario.parallelism.dp;
    let narrow = dp.compute_dtype().is_some() && scenario.precision == Precision::Fp32;
    let nodes = config.graph.nodes();
    if !narrow || !nodes.iter().any(|node| node.operation() == "batch_norm") {
        return;
    }
    let key = "parallelism.dp.mixed_precision.param";
    match dp.kind {
        DataParallelKind::Fsdp2 => findings.push(
            Finding::error(key, message!(exported::batch_norm_of_fsdp2)).with_fix(key, Value::Null),
        ),
        DataParallelKind::Fsdp1 => {
            findings.push(Finding::warning(
                key,
                message!(exported::batch_norm_of_fsdp1),
            ));
        }
        _ => {}
    }
}

/// Refuses adapters that PEFT refuses, or that are not estimated of a graph.
fn check_adapters(scenario: &Scenario, config: &ExportedConfig, findings: &mut Vec<Finding>) {
    let Some(lora) = &scenario.lora else { return };
    let adapted = adapted_modules(&config.graph, lora);
    let mut convolutions = adapted.iter().filter(|module| module.groups.is_some());
    if lora.use_dora && convolutions.next().is_some() {
        let what = "lora.use_dora";
        findings.push(
            Finding::error(what, message!(exported::not_modelled, what)).with_fix(what, false),
        );
    }
    for (asked, what) in [
        (!lora.modules_to_save.is_empty(), "lora.modules_to_save"),
        (!lora.target_parameters.is_empty(), "lora.target_parameters"),
    ] {
        if asked {
            findings.push(
                Finding::error(what, message!(exported::not_modelled, what))
                    .with_fix(what, Value::Array(Vec::new())),
            );
        }
    }
    let divides = |groups: &u64| !lora.r.is_multiple_of(*groups);
    let grouped = adapted
        .iter()
        .find(|module| module.groups.as_ref().is_some_and(divides));
    if let Some(module) = grouped {
        // `_ConvNd.__init__`, `tuners/lora/layer.py`, peft 0.21.
        let (path, groups, rank) = (&module.path, module.groups.unwrap_or(1), lora.r);
        findings.push(
            Finding::error(
                "lora.r",
                message!(exported::rank_of_groups, path, groups, rank),
            )
            .with_fix("lora.r", groups),
        );
    }
}

/// A graph whose weights are in one of the narrow types holds for that.
fn check_precision(scenario: &Scenario, config: &ExportedConfig, findings: &mut Vec<Finding>) {
    let graph = &config.graph;
    let inputs = graph
        .inputs
        .iter()
        .filter_map(|input| graph.tensor(input.value));
    let trained = inputs.filter(|meta| meta.requires_grad);
    let mut halves = trained
        .filter_map(|meta| meta.dtype)
        .filter(|dtype| dtype.is_half());
    let Some(of) = halves.next() else {
        let narrow = scenario.parallelism.dp.compute_dtype().is_some();
        let casts = (scenario.precision != Precision::Fp32 || narrow)
            .then(|| cast(config))
            .flatten();
        if let Some(operation) = casts {
            findings.push(Finding::warning(
                "precision",
                message!(exported::casts, operation),
            ));
        }
        return;
    };
    let (name, own) = match of {
        DType::BFloat16 => ("bf16", Precision::Bf16),
        _ => ("fp16", Precision::Fp16),
    };
    // FSDP casts float32 to it where the graph was exported in what it casts to.
    let narrows = scenario.parallelism.dp.compute_dtype() == Some(of);
    if scenario.quantization.is_on() && scenario.quantization.prepare_for_kbit_training {
        findings.push(Finding::warning(
            "precision",
            message!(exported::widened, of = name),
        ));
    } else if scenario.precision != own && !(narrows && scenario.precision == Precision::Fp32) {
        findings.push(
            Finding::error("precision", message!(exported::precision, of = name))
                .with_fix("precision", own.name()),
        );
    }
}

/// An operation of a graph that casts floats to float32.
fn cast(config: &ExportedConfig) -> Option<&str> {
    let nodes = config.graph.nodes().into_iter();
    let mut casts = nodes.filter(|node| {
        let base = node.operation();
        let to_float32 = Argument::DType(Some(DType::Float32));
        let named =
            matches!(base, "to" | "_to_copy") && node.argument("dtype") == Some(&to_float32);
        let given = node
            .arguments
            .first()
            .and_then(|(_, argument)| match argument {
                Argument::Tensor(id) => config.graph.tensor(*id)?.dtype,
                _ => None,
            });
        named && given.is_some_and(DType::is_float)
    });
    casts.next().map(|node| node.target.as_str())
}

/// Says which operations are not estimated as what they are.
pub(crate) fn tell_gaps(spec: &ResolvedSpec, findings: &mut Vec<Finding>) {
    if matches!(spec.scenario.model, ModelRef::Exported(_)) {
        tell_gaps_of_graph(spec, findings);
    }
}

fn tell_gaps_of_graph(spec: &ResolvedSpec, findings: &mut Vec<Finding>) {
    let gaps = Gap::all(spec);
    if gaps.is_empty() {
        return;
    }
    let count = gaps.len();
    let named = gaps.iter().take(NAMED).map(|gap| {
        let place = gap.source.as_ref().unwrap_or(&gap.module);
        if place.is_empty() {
            gap.operation.clone()
        } else {
            format!("{} in {place}", gap.operation)
        }
    });
    let names = named.collect::<Vec<_>>().join(", ");
    findings.push(Finding::warning(
        "model",
        message!(exported::gaps, count, names),
    ));
}

//! PEFT's adapters of a graph's linear layers and convolutions.

use super::module_scopes::ModuleScopes;
use crate::ask::{ALL_LINEAR, Lora};
use crate::exported::{Argument, Graph, InputKind, Node, ValueId};
use crate::nn::adapters::{Adapter, Slot};
use crate::nn::build::Builder;
use crate::tape::{Tape, Tensor, Windows};
use crate::units::Shape;
use std::collections::BTreeMap;

/// A module of a graph that gets an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdaptedModule {
    /// Its path.
    pub path: String,
    /// Groups of channels of a convolution; none of a linear layer.
    pub groups: Option<u64>,
    pub(super) weight: ValueId,
    /// The path of its bias, if it has one.
    pub(super) bias: Option<String>,
}

/// The linear layers and convolutions that PEFT adapts, in the order of the model's modules. `all-linear` means
/// linear layers alone.
pub fn adapted_modules(graph: &Graph, lora: &Lora) -> Vec<AdaptedModule> {
    let all_linear = lora.target_modules.iter().any(|name| name == ALL_LINEAR);
    let mut adapted = adaptable_modules(graph);
    adapted
        .retain(|module| all_linear && module.groups.is_none() || lora.names_module(&module.path));
    adapted
}

/// All linear layers and convolutions of a graph, in the order of its parameters.
pub(super) fn adaptable_modules(graph: &Graph) -> Vec<AdaptedModule> {
    let mut by_weight: BTreeMap<ValueId, &Node> = BTreeMap::new();
    for node in &graph.body.nodes {
        let adapts = matches!(node.operation(), "linear" | "conv1d" | "conv2d" | "conv3d");
        if let (true, Some(Argument::Tensor(weight))) = (adapts, node.argument("weight")) {
            by_weight.entry(*weight).or_insert(node);
        }
    }
    let each = graph.inputs.iter().filter_map(|input| {
        let InputKind::Parameter { path, .. } = &input.kind else {
            return None;
        };
        let path = path.strip_suffix(".weight")?;
        let node = by_weight.get(&input.value)?;
        let wanted = match node.operation() {
            "conv1d" => 3,
            "conv2d" => 4,
            "conv3d" => 5,
            _ => 2,
        };
        let rank = graph.tensor(input.value)?.sizes.len();
        (rank == wanted).then_some(())?;
        // Others read the weights of modules that they do not call.
        let module = graph.modules.get(*node.stack.last()? as usize)?;
        (module.path == path).then(|| AdaptedModule {
            path: path.to_owned(),
            groups: (node.operation() != "linear").then(|| groups(node)),
            weight: input.value,
            bias: matches!(node.argument("bias"), Some(Argument::Tensor(_)))
                .then(|| format!("{path}.bias")),
        })
    });
    each.collect()
}

fn groups(node: &Node) -> u64 {
    let given = match node.argument("groups") {
        Some(Argument::Int(size)) => size.value(&[]).and_then(|n| u64::try_from(n).ok()),
        _ => None,
    };
    given.unwrap_or(1).max(1)
}

/// The places of adapters beside held weights, which are filled when the model is built.
pub(super) fn places(
    b: &Builder,
    (graph, scopes): (&Graph, &ModuleScopes),
    held: &[Option<Tensor>],
) -> BTreeMap<ValueId, Slot> {
    let Some(lora) = &b.plan.spec.lora else {
        return BTreeMap::new();
    };
    let each = adapted_modules(graph, lora).into_iter();
    let places = each.filter_map(|module| {
        let weight = held.get(module.weight as usize)?.as_ref()?;
        let b = b.of_scope(scopes.around(&format!("{}.weight", module.path)));
        let shapes = factors(weight.shape(), lora.r, module.groups);
        Some((module.weight, b.adapter_beside(weight, shapes)))
    });
    places.collect()
}

/// The shapes of A and B beside a weight `[outputs, inputs, ..]`: of a convolution A has its window, and B its groups
/// (`_ConvNd.update_layer`, `tuners/lora/layer.py`, peft 0.21).
fn factors(weight: &Shape, rank: u64, groups: Option<u64>) -> [Shape; 2] {
    let groups = groups.unwrap_or(1);
    let dims = weight.dims();
    let window = dims.get(2..).unwrap_or_default();
    let a = [&[rank, weight.dim(1) * groups], window].concat();
    let b = [&[weight.dim(0), rank / groups][..], &vec![1; window.len()]].concat();
    [Shape::new(&a), Shape::new(&b)]
}

/// Adds the adapter's part to a convolution's result of x; A moves as the layer does, with neither its groups nor its
/// dilation.
pub(super) fn convolved(
    t: &Tape,
    adapter: &Adapter,
    (x, result): (&Tensor, Tensor),
    windows: &Windows,
) -> Tensor {
    let rank = windows.size.len();
    let to = result.shape().dims()[2..].to_vec();
    let of_a = Windows {
        dilation: vec![1; rank],
        groups: 1,
        ..windows.clone()
    };
    let of_b = Windows {
        size: vec![1; rank],
        stride: vec![1; rank],
        padding: vec![0; rank],
        dilation: vec![1; rank],
        ..windows.clone()
    };
    adapter.forward_convolved(t, x, result, |x, factor, is_first| {
        let windows = if is_first { &of_a } else { &of_b };
        t.convolve([x, factor], None, windows, &to)
    })
}

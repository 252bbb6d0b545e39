//! Layers that kernels run together with their adapters.

use crate::nn::build::Linear;
use crate::tape::{LoraInput, LoraLayer, Tape, Tensor};

/// `[B, S, inputs]` through each layer with its adapter, which read one input; nothing where one has none.
pub(crate) fn projections<const N: usize>(
    t: &Tape,
    x: &Tensor,
    layers: [&Linear; N],
) -> Option<[Tensor; N]> {
    let (layers, dropped) = together(t, x, layers)?;
    let dropped = dropped.as_ref();
    Some(t.lora_projections(LoraInput { x, dropped }, &layers))
}

/// `[B, S, H]` through gate, up and down with their adapters.
pub(crate) fn gated_mlp(t: &Tape, x: &Tensor, layers: [&Linear; 3]) -> Option<Tensor> {
    let (layers, dropped) = together(t, x, layers)?;
    let dropped = dropped.as_ref();
    Some(t.lora_mlp(LoraInput { x, dropped }, &layers))
}

/// Layers with their adapters, and the input as the first one's reads it, where that is dropped out.
fn together<const N: usize>(
    t: &Tape,
    x: &Tensor,
    layers: [&Linear; N],
) -> Option<([LoraLayer; N], Option<Tensor>)> {
    let adapted: Option<Vec<_>> = layers.iter().map(|layer| layer.with_adapter()).collect();
    let adapted = adapted?;
    let (_, first) = adapted.first()?;
    let dropped = first.read(t, x);
    let layers: Vec<LoraLayer> = adapted.into_iter().map(|(layer, _)| layer).collect();
    Some((layers.try_into().ok()?, dropped))
}

//! What each layer of Gemma 4 reads of an embedding of its own.
//!
//! Source: transformers 5.23, `models/gemma4/modeling_gemma4.py`.

use super::builder::Builder;
use super::layers::{Embedding, Linear};
use super::norm::{Norm, NormKind};
use crate::spec::{DecoderConfig, GemmaLayers};
use crate::tape::{Tape, Tensor};
use crate::units::Shape;

/// `embed_tokens_per_layer` and what mixes the tokens' embeddings into it.
pub(super) struct LayerInputs {
    embedding: Embedding,
    projection: Linear,
    norm: Norm,
    layers: u64,
    columns: u64,
}

/// What adds a layer's input to the residual stream.
pub(super) struct InputGate {
    gate: Linear,
    projection: Linear,
    norm: Norm,
}

impl LayerInputs {
    /// Of a model whose layers have an input.
    pub(super) fn new(model: &Builder, c: &DecoderConfig, layers: GemmaLayers) -> Option<Self> {
        let columns = layers.input_columns;
        if columns == 0 {
            return None;
        }
        let all = c.num_hidden_layers * columns;
        let at = model.at("embed_tokens_per_layer");
        let embedding = Embedding::new(&at, layers.input_rows, all);
        let scale = || at.buffer("embed_scale", Shape::new(&[]), model.dtype());
        let copy = at.is_copied();
        let embedding = embedding.scaled_by(Some(scale()), copy.then(scale));
        let at = model.at("per_layer_model_projection");
        Some(Self {
            embedding,
            projection: Linear::new(&at, c.hidden_size, all, false),
            norm: Norm::new(
                &model.at("per_layer_projection_norm"),
                NormKind::Power,
                columns,
            ),
            layers: c.num_hidden_layers,
            columns,
        })
    }

    /// Token ids `[B, S]` and their embeddings `[B, S, H]` to what the layers read, `[B, S, L, P]`.
    pub(super) fn forward(&self, t: &Tape, input_ids: &Tensor, embedded: &Tensor) -> Tensor {
        let shape = [
            input_ids.dim(0),
            input_ids.dim(1),
            self.layers,
            self.columns,
        ];
        let of_tokens = t.scoped("embed_tokens_per_layer", None, || {
            t.reshape(&self.embedding.forward(t, input_ids), shape)
        });
        let projected = {
            let projected = t.scoped("per_layer_model_projection", None, || {
                self.projection.forward(t, embedded)
            });
            let scaled = t.mul_scalar(&projected);
            drop(projected);
            t.reshape(&scaled, shape)
        };
        let normalized = t.scoped("per_layer_projection_norm", None, || {
            self.norm.forward(t, &projected)
        });
        drop(projected);
        let sum = t.add(&normalized, &of_tokens);
        t.mul_scalar(&sum)
    }
}

impl InputGate {
    /// Of a layer that has an input.
    pub(super) fn new(layer: &Builder, c: &DecoderConfig, layers: GemmaLayers) -> Option<Self> {
        let (hidden, columns) = (c.hidden_size, layers.input_columns);
        (columns > 0).then(|| Self {
            gate: Linear::new(&layer.at("per_layer_input_gate"), hidden, columns, false),
            projection: Linear::new(&layer.at("per_layer_projection"), columns, hidden, false),
            norm: Norm::new(
                &layer.at("post_per_layer_input_norm"),
                NormKind::Power,
                hidden,
            ),
        })
    }

    /// `[B, S, H]` and the layer's input `[B, S, P]` to `[B, S, H]`.
    pub(super) fn forward(&self, t: &Tape, residual: &Tensor, input: &Tensor) -> Tensor {
        let branch = {
            let gated = {
                let active = {
                    let gate = t.scoped("per_layer_input_gate", None, || {
                        self.gate.forward(t, residual)
                    });
                    t.gelu(&gate)
                };
                t.mul(&active, input)
            };
            let projected = t.scoped("per_layer_projection", None, || {
                self.projection.forward(t, &gated)
            });
            drop(gated);
            t.scoped("post_per_layer_input_norm", None, || {
                self.norm.forward(t, &projected)
            })
        };
        t.add(residual, &branch)
    }
}

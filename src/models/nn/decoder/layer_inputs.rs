//! Inputs of each layer of Gemma 3n and 4 from an embedding of its own.
//!
//! Source: transformers 5.23, `models/{gemma3n,gemma4}/modeling_*.py`.

use crate::model::{DecoderConfig, GemmaLayers, NormKind};
use crate::nn::build::{Builder, Embedding, Linear, Norm};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `embed_tokens_per_layer` and what mixes the tokens' embeddings into it.
pub(crate) struct LayerInputs {
    embedding: Embedding,
    projection: Linear,
    norm: Norm,
    layers: u64,
    columns: u64,
    /// The numbers that the projection and the sum are multiplied by, where those are buffers.
    scales: Option<[Tensor; 2]>,
}

/// The gate that adds a layer's input to the residual stream.
pub(crate) struct InputGate {
    gate: Linear,
    projection: Linear,
    norm: Norm,
}

impl LayerInputs {
    /// The inputs of a model whose layers have one.
    pub(crate) fn new(model: &Builder, c: &DecoderConfig, layers: GemmaLayers) -> Option<Self> {
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
            scales: None,
        })
    }

    /// The same, whose projection and sum are multiplied by buffers (Gemma 3n).
    pub(crate) fn scaled_by_buffers(self, model: &Builder) -> Self {
        let names = ["per_layer_projection_scale", "per_layer_input_scale"];
        let dtype = model.loaded_dtype();
        let scales = names.map(|name| model.buffer(name, Shape::new(&[]), dtype));
        Self {
            scales: Some(scales),
            ..self
        }
    }

    /// Token ids `[B, S]` and their embeddings `[B, S, H]` to what the layers read, `[B, S, L, P]`.
    pub(crate) fn forward(&self, t: &Tape, input_ids: &Tensor, embedded: &Tensor) -> Tensor {
        let shape = [
            input_ids.dim(0),
            input_ids.dim(1),
            self.layers,
            self.columns,
        ];
        let known = self.scales.as_ref().map(|_| in_table(t, input_ids));
        let known_ids = known.as_ref().map_or(input_ids, |[ids, _]| ids);
        let of_tokens = t.scoped("embed_tokens_per_layer", None, || {
            t.reshape(&self.embedding.forward(t, known_ids), shape)
        });
        drop(known);
        let projected = {
            let projected = t.scoped("per_layer_model_projection", None, || {
                self.projection.forward(t, embedded)
            });
            let scaled = if let Some([scale, _]) = &self.scales {
                let scale = t.to(scale, embedded.dtype());
                t.mul_in_place(projected, &scale)
            } else {
                let scaled = t.mul_scalar(&projected);
                drop(projected);
                scaled
            };
            t.reshape(&scaled, shape)
        };
        let normalized = t.scoped("per_layer_projection_norm", None, || {
            self.norm.forward(t, &projected)
        });
        drop(projected);
        let sum = t.add(&normalized, &of_tokens);
        match &self.scales {
            Some([_, scale]) => t.mul(&sum, &t.to(scale, embedded.dtype())),
            None => t.mul_scalar(&sum),
        }
    }
}

impl InputGate {
    /// The gate of a layer that has an input.
    pub(crate) fn new(layer: &Builder, c: &DecoderConfig, layers: GemmaLayers) -> Self {
        let (hidden, columns) = (c.hidden_size, layers.input_columns);
        Self {
            gate: Linear::new(&layer.at("per_layer_input_gate"), hidden, columns, false),
            projection: Linear::new(&layer.at("per_layer_projection"), columns, hidden, false),
            norm: Norm::new(
                &layer.at("post_per_layer_input_norm"),
                NormKind::Power,
                hidden,
            ),
        }
    }

    /// `[B, S, H]` and the layer's input `[B, S, P]` to `[B, S, H]`.
    pub(crate) fn forward(&self, t: &Tape, residual: &Tensor, input: &Tensor) -> Tensor {
        let branch = self.branch(t, residual.clone(), input);
        t.add(residual, &branch)
    }

    /// The branch that is added: x `[B, S, H]`, which goes, and the layer's input `[B, S, P]` to `[B, S, H]`.
    pub(crate) fn branch(&self, t: &Tape, x: Tensor, input: &Tensor) -> Tensor {
        let gated = {
            let active = {
                let gate = t.scoped("per_layer_input_gate", None, || self.gate.forward(t, &x));
                drop(x);
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
    }
}

/// Token ids `[B, S]` with 0 in the place of ids that the table has no row for, and the flags `[B, S]` of the ids that
/// it has (Gemma 3n).
fn in_table(t: &Tape, input_ids: &Tensor) -> [Tensor; 2] {
    let flags = |op| t.empty(op, *input_ids.shape(), DType::Bool);
    let known = {
        let _sides = (flags("ge"), flags("lt"));
        flags("logical_and")
    };
    let _number = t.empty("scalar_tensor", Shape::new(&[]), DType::Int64);
    [t.empty("where", *input_ids.shape(), DType::Int64), known]
}

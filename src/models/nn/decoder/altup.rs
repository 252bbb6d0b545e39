//! Streams of hidden states beside each other, of which a layer computes with one and corrects all
//! (alternating updates).
//!
//! Source: transformers 5.23, `models/gemma3n/modeling_gemma3n.py`.

use super::layer_inputs::LayerInputs;
use crate::model::{AltUp, DecoderConfig, NormKind};
use crate::nn::build::{Builder, Linear, Norm};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `altup_projections` and `altup_unembed_projections`: what parts the embedding into streams, and
/// joins them.
pub(crate) struct Streams {
    projections: Vec<Linear>,
    unembed: Vec<Linear>,
}

/// `Gemma3nTextAltUp`.
pub(crate) struct Alternating {
    output_scale: Option<Tensor>,
    _unscaled: Option<Tensor>,
    correction_coefs: Linear,
    prediction_coefs: Linear,
    modality_router: Linear,
    router_norm: Norm,
    router_input_scale: Tensor,
    streams: u64,
}

/// The layer inputs that a Gemma has an embedding of its own for, and the streams that hidden states are divided into,
/// as far as the config has them.
pub(crate) fn around(model: &Builder, c: &DecoderConfig) -> (Option<LayerInputs>, Option<Streams>) {
    let layers = c.gemma_layers;
    let inputs = layers.and_then(|layers| LayerInputs::new(model, c, layers));
    let Some(altup) = &c.altup else {
        return (inputs, None);
    };
    let streams = Streams::new(model, c.hidden_size, altup);
    let inputs = inputs.map(|inputs| inputs.scaled_by_buffers(model));
    (inputs, Some(streams))
}

impl Streams {
    /// The streams of a model with hidden states of `hidden` columns.
    pub(crate) fn new(model: &Builder, hidden: u64, altup: &AltUp) -> Self {
        let list = |name| {
            let last = u32::try_from(altup.streams).unwrap_or(u32::MAX) - 1;
            let linear = |i| Linear::new(&model.item(name, i), hidden, hidden, false);
            (0..last).map(linear).collect()
        };
        Self {
            projections: list("altup_projections"),
            unembed: list("altup_unembed_projections"),
        }
    }

    /// Embeddings `[B, S, H]` to streams `[N, B, S, H]`, and what stays in local variables.
    pub(crate) fn parted(&self, t: &Tape, embedded: &Tensor) -> (Tensor, Alike) {
        let mut alike = Alike::default();
        let dtype = embedded.dtype();
        let streams = alike.stack(t, || embedded.clone(), (&self.projections, dtype));
        (streams, alike)
    }

    /// Streams `[N, B, S, H]` to one `[B, S, H]`, where embeddings have this type and what parted them
    /// stayed in local variables.
    pub(crate) fn joined(
        &self,
        t: &Tape,
        streams: &Tensor,
        dtype: DType,
        alike: &mut Alike,
    ) -> Tensor {
        let stacked = alike.stack(t, || t.select(streams, 0), (&self.unembed, dtype));
        t.mean_of_streams(&stacked)
    }
}

/// Streams that were made as large as the first one, and what else is in local variables then.
#[derive(Default)]
pub(crate) struct Alike {
    streams: Vec<Tensor>,
    /// The size of the first `[B, S, 1]`, that of the last one, and the last one itself.
    target: Option<Tensor>,
    magnitude: Option<Tensor>,
    last: Option<Tensor>,
    /// The results of the last projection, of each list of them.
    projected: Vec<Tensor>,
}

impl Alike {
    /// The first stream beside what `projections` make of the others, as large as it is:
    /// `[N, B, S, H]`.
    fn stack(
        &mut self,
        t: &Tape,
        stream: impl Fn() -> Tensor,
        (projections, dtype): (&[Linear], DType),
    ) -> Tensor {
        let mean = {
            let square = t.square(&stream());
            t.mean_last(&square)
        };
        let target = t.pow(&mean);
        drop(mean);
        self.target = Some(target.clone());
        self.streams = vec![stream()];
        let lists = self.projected.len();
        for projection in projections {
            let projected = projection.forward(t, &stream());
            self.projected.truncate(lists);
            self.projected.push(projected.clone());
            let mut current = t.to(&projected, dtype);
            drop(projected);
            self.last = Some(current.clone());
            let mean = {
                let square = t.square(&current);
                t.mean_last(&square)
            };
            self.magnitude = Some(mean.clone());
            let magnitude = {
                let clamped = t.clamp(&mean, 1);
                t.sqrt(&clamped)
            };
            drop(mean);
            self.magnitude = Some(magnitude.clone());
            current = {
                let scaled = t.mul(&current, &target);
                t.div(&scaled, &magnitude)
            };
            self.last = Some(current.clone());
            self.streams.push(current);
        }
        let rows: Vec<Tensor> = self.streams.iter().map(|x| t.unsqueeze(x, 0)).collect();
        let rows: Vec<&Tensor> = rows.iter().collect();
        t.cat(&rows, 0)
    }
}

impl Alternating {
    /// The part of a layer that predicts and corrects streams.
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, altup: &AltUp) -> Self {
        let (hidden, streams) = (c.hidden_size, altup.streams);
        let scale = b.parameter("correct_output_scale", [hidden]);
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        let correction_coefs = linear("correction_coefs", streams, streams);
        let prediction_coefs = linear("prediction_coefs", streams, streams * streams);
        let modality_router = linear("modality_router", hidden, streams);
        let (output_scale, unscaled) = if altup.scales {
            (Some(scale), None)
        } else {
            (None, Some(scale))
        };
        Self {
            output_scale,
            _unscaled: unscaled,
            correction_coefs,
            prediction_coefs,
            modality_router,
            router_norm: Norm::new(&b.at("router_norm"), NormKind::Power, hidden),
            router_input_scale: b.buffer("router_input_scale", Shape::new(&[]), b.loaded_dtype()),
            streams,
        }
    }

    /// `compute_router_modalities`: `[B, S, H]` to `[B, S, N]`.
    fn modalities(&self, t: &Tape, x: &Tensor) -> Tensor {
        let inputs = {
            let normalized = self.router_norm.forward(t, x);
            t.mul(&normalized, &self.router_input_scale)
        };
        let routed = self.modality_router.forward(t, &inputs);
        let active = {
            let wide = t.to(&routed, DType::Float32);
            t.tanh(&wide)
        };
        let out = t.to(&active, x.dtype());
        drop((inputs, routed));
        out
    }

    /// `predict`: streams `[N, B, S, H]` to the same after the layer, as they are expected.
    pub(crate) fn predict(&self, t: &Tape, streams: &Tensor) -> Tensor {
        let modalities = self.modalities(t, &t.select(streams, 0));
        let coefficients = {
            let all = self.prediction_coefs.forward(t, &modalities);
            let square = [all.dim(0), all.dim(1), self.streams, self.streams];
            t.permute(&t.reshape(&all, square), &[0, 1, 3, 2])
        };
        let columns = t.permute(streams, &[1, 2, 3, 0]);
        let product = t.matmul(&columns, &coefficients);
        let sum = t.permuted_plus(&product, &[3, 0, 1, 2], streams);
        drop(product);
        let copied = t.contiguous(&sum);
        t.to(&copied, streams.dtype())
    }

    /// `correct`: the predictions `[N, B, S, H]` and the layer's output for the first stream `[B, S, H]` to streams
    /// `[N, B, S, H]`.
    pub(crate) fn correct(&self, t: &Tape, predictions: &Tensor, activated: &Tensor) -> Tensor {
        let modalities = self.modalities(t, activated);
        let innovation = {
            let difference = t.sub(activated, &t.select(predictions, 0));
            t.repeat_before(&difference, self.streams)
        };
        let clipped = self.correction_coefs.weight().filter(|_| t.is_training());
        let weight = clipped.map(|weight| t.clamp(weight, 2));
        let coefficients = {
            let product = match &weight {
                Some(weight) => t.linear(&modalities, weight, None),
                None => self.correction_coefs.forward(t, &modalities),
            };
            t.add_scalar(&product)
        };
        let coefficients = t.unsqueeze(&t.permute(&coefficients, &[2, 0, 1]), 3);
        let product = t.mul(&innovation, &coefficients);
        let sum = t.add_in_place(product, predictions);
        let copied = t.contiguous(&sum);
        t.to(&copied, activated.dtype())
    }

    /// `scale_corrected_output`, of `[B, S, H]`, which goes.
    pub(crate) fn scaled(&self, t: &Tape, x: Tensor) -> Tensor {
        let Some(scale) = &self.output_scale else {
            return x;
        };
        let dtype = x.dtype();
        let product = {
            let narrow = t.to(&x, scale.dtype());
            t.mul(&narrow, scale)
        };
        t.to(&product, dtype)
    }
}

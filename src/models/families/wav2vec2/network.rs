//! wav2vec 2.0 and `HuBERT` (`models/{wav2vec2,hubert}/modeling_*.py` of transformers 5.23), with a head
//! that transcribes or one that classifies. Every layer runs: `layerdrop` would skip some at random.

use super::features::{ConvLayer, Positions, lengths};
use super::layer::SpeechLayer;
use crate::ask::{Attention, Task};
use crate::families::network::{Encoder, Net};
use crate::model::{ResolvedSpec, SpeechConfig, SpeechKind};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::Shell;
use crate::nn::heads::loss;
use crate::nn::masks::BatchShape;
use crate::nn::masks::mask;
use crate::tape::{Region, Tape, Tensor, Transcripts};
use crate::units::{DType, Repetition, Shape};
use std::rc::Rc;

/// `Wav2Vec2ForCTC`, `Wav2Vec2ForSequenceClassification` and `HuBERT`'s.
pub(crate) struct Speech {
    config: SpeechConfig,
    /// The embedding of masked positions, `[H]`.
    masked: Option<Tensor>,
    convolutions: Vec<Rc<ConvLayer>>,
    /// Whether the waveform requires a gradient, so that checkpointed convolutions have one: unless they
    /// are frozen (`freeze_feature_encoder`).
    hears_gradient: bool,
    norm: Option<LayerNorm>,
    projection: Linear,
    positions: Positions,
    layer_norm: LayerNorm,
    layers: Vec<Rc<SpeechLayer>>,
    head: Head,
    attention: Attention,
    shell: Shell,
}

enum Head {
    Transcribes(Linear),
    /// A layer before the mean of all positions, and one after.
    Classifies([Linear; 2]),
}

/// The results of the model.
struct Heard {
    /// `[B, S, H]`.
    hidden: Tensor,
    /// The features, where it returns them.
    features: Option<Tensor>,
    /// Inputs of each layer and the output of the last, where it classifies.
    states: Vec<Tensor>,
}

impl Speech {
    pub(crate) fn new(b: &Builder, c: &SpeechConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions::of_encoder(c.dropout.attention, spec, facts);
        let hidden = c.hidden_size;
        let model = b.at(c.family.base_model);
        let rest = || {
            let at = model.at("feature_extractor");
            // They differ from each other, as a list of layers would not.
            let convolutions = (0..)
                .zip(0..c.convolutions.len())
                .map(|(number, i)| Rc::new(ConvLayer::new(&at.item("conv_layers", number), c, i)))
                .collect::<Vec<_>>();
            let last = c.convolutions.last().map_or(1, |[channels, ..]| *channels);
            let at = model.at("feature_projection");
            let norm = (c.projection_norm).then(|| LayerNorm::new(&at.at("layer_norm"), last));
            let projection = Linear::new(&at.at("projection"), last, hidden, true);
            let encoder = model.at("encoder");
            let positions = Positions::new(&encoder.at("pos_conv_embed"), c, facts);
            let layer_norm = LayerNorm::new(&encoder.at("layer_norm"), hidden);
            let layer = |b: &Builder| Rc::new(SpeechLayer::new(b, c, options));
            // The first has a table more.
            let layers = if c.kind == SpeechKind::WavLm {
                let alike = Some(Repetition::ALIKE.after(1));
                encoder.items_repeating(alike, "layers", c.num_hidden_layers, layer)
            } else {
                encoder.layers("layers", c.num_hidden_layers, layer)
            };
            let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, true);
            let head = if spec.task == Task::AudioClassification {
                let columns = c.classifier_proj_size;
                let projector = linear("projector", hidden, columns);
                Head::Classifies([projector, linear("classifier", columns, c.num_labels)])
            } else {
                Head::Transcribes(linear("lm_head", hidden, c.vocab_size))
            };
            (
                convolutions,
                norm,
                projection,
                positions,
                layer_norm,
                layers,
                head,
            )
        };
        // Made on the host (`torch.Tensor(H)`), and moved to the device at last.
        let (masked, rest) = if c.has_mask {
            let (masked, rest) = model.parameter_after("masked_spec_embed", [hidden], rest);
            (Some(masked), rest)
        } else {
            (None, rest())
        };
        let (convolutions, norm, projection, positions, layer_norm, layers, head) = rest;
        let hears_gradient = !convolutions.iter().all(|layer| layer.is_frozen);
        Self {
            config: c.clone(),
            masked,
            convolutions,
            hears_gradient,
            norm,
            projection,
            positions,
            layer_norm,
            layers,
            head,
            attention: options.implementation,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// `Wav2Vec2Model`.
    fn hear(&self, t: &Tape, waveform: &Tensor) -> Heard {
        let mut audio = t.unsqueeze(waveform, 1);
        if self.hears_gradient && t.is_training() {
            audio = t.input_leaf(&audio);
        }
        for (i, layer) in (0..).zip(&self.convolutions) {
            audio = t.scoped("feature_extractor.conv_layers", Some(i), || {
                self.shell.run(t, layer, &audio, &())
            });
        }
        let features = t.transpose(&audio, 1, 2);
        drop(audio);
        let unpadded = self.unpadded(t, features.dim(1));
        let (mut hidden, held) = t.scoped("feature_projection", None, || {
            let normed = match &self.norm {
                Some(norm) => norm.forward(t, &features),
                None => features.clone(),
            };
            let projected = self.projection.forward(t, &normed);
            // wav2vec 2.0 returns the normalized features that are projected; HuBERT holds the features themselves.
            let held = match self.config.kind {
                SpeechKind::Hubert => {
                    drop(normed);
                    features
                }
                _ => normed,
            };
            (dropped(t, projected, self.config.dropout.embedding), held)
        });
        if t.is_training() {
            hidden = self.augmented(t, hidden);
        }
        let (out, states) = t.scoped("encoder", None, || {
            self.encode(t, hidden, unpadded.is_some())
        });
        drop(unpadded);
        let returned = (self.config.kind != SpeechKind::Hubert).then_some(held);
        Heard {
            hidden: out,
            features: returned,
            states,
        }
    }

    /// Positions that are no padding, `[B, S]`, where recordings `[B, N]` come with a mask
    /// (`_get_feature_vector_attention_mask`).
    fn unpadded(&self, t: &Tape, positions: u64) -> Option<Tensor> {
        let given = self.shell.call().mask()?;
        let size = Shape::from([given.dim(0), positions]);
        let counted = match self.config.kind {
            SpeechKind::Hubert => t.empty("sum", Shape::from([given.dim(0)]), DType::Int64),
            // The last of the running sums.
            _ => t.cumsum(*given.shape(), DType::Int64),
        };
        let ends = lengths(t, counted.clone(), self.config.convolutions.len());
        let marked = t.empty("zeros", size, DType::Int64);
        {
            let _rows = t.empty("arange", *ends.shape(), DType::Int64);
            let _last = t.add_scalar(&ends);
            drop(t.empty("scalar_tensor", Shape::new(&[]), DType::Int64));
        }
        let flipped = t.empty("flip", size, DType::Int64);
        let sums = t.cumsum(size, DType::Int64);
        drop(flipped);
        let before = t.empty("flip", size, DType::Int64);
        drop(sums);
        let unpadded = t.empty("_to_copy", size, DType::Bool);
        drop((before, marked, counted, ends));
        Some(unpadded)
    }

    /// Sets padding in `[B, S, C]` to zero; with the tensors that the caller holds of it.
    fn cleared(t: &Tape, x: Tensor) -> (Tensor, Tensor) {
        let unpadded = t.empty("repeat", *x.shape(), DType::Bool);
        let padded = t.empty("bitwise_not", *x.shape(), DType::Bool);
        (t.fill_where(x, &padded), unpadded)
    }

    /// The mean of positions that are no padding: `[B, S, C]` to `[B, C]`, and what the caller holds.
    fn pooled(&self, t: &Tape, projected: Tensor) -> (Tensor, [Option<Tensor>; 3]) {
        let Some(unpadded) = self.unpadded(t, projected.dim(1)) else {
            return (t.mean_of_rows(&projected), [Some(projected), None, None]);
        };
        let (projected, repeated) = Self::cleared(t, projected);
        let sum = t.sum_dim(&projected, 1, false);
        let counted = t.empty("sum", Shape::from([unpadded.dim(0), 1]), DType::Int64);
        drop(t.empty("sum", *unpadded.shape(), DType::Int64));
        let mean = t.div_by(&sum, &counted);
        (mean, [Some(projected), Some(unpadded), Some(repeated)])
    }

    /// `SpecAugment`: some positions of `[B, S, H]` are replaced, some columns are zero.
    fn augmented(&self, t: &Tape, mut hidden: Tensor) -> Tensor {
        let (b, s) = (hidden.dim(0), hidden.dim(1));
        if let (Some(_), Some(row)) = (self.config.time_masks, &self.masked) {
            let mask = t.empty("_to_copy", Shape::from([b, s]), DType::Bool);
            let row = t.to(row, hidden.dtype());
            hidden = t.put_row_where(hidden, &mask, &row, b * self.config.masked(s));
        }
        if self.config.masks_features {
            let mask = t.empty("_to_copy", Shape::from([b, hidden.dim(2)]), DType::Bool);
            hidden = t.fill_where(hidden, &mask);
        }
        hidden
    }

    /// `Wav2Vec2Encoder` or `Wav2Vec2EncoderStableLayerNorm`.
    fn encode(&self, t: &Tape, mut hidden: Tensor, padded: bool) -> (Tensor, Vec<Tensor>) {
        let mut held = None;
        if padded {
            let (cleared, repeated) = Self::cleared(t, hidden);
            (hidden, held) = (cleared, Some(repeated));
        }
        let mask = padded.then(|| {
            let size = BatchShape::of(&hidden);
            mask::of_encoder(t, size, self.attention, hidden.dtype())
        });
        let places = t.scoped("pos_conv_embed", None, || {
            self.positions.forward(t, &hidden)
        });
        let sum = t.add(&hidden, &places);
        let norm = |x: Tensor| t.scoped("layer_norm", None, || self.layer_norm.forward(t, &x));
        let norms_first = self.config.norms_first;
        let first = if norms_first { sum } else { norm(sum) };
        let first = dropped(t, first, self.config.dropout.residual);
        let collects = matches!(self.head, Head::Classifies(_));
        let mut states = Vec::new();
        let out = if self.config.kind == SpeechKind::WavLm {
            let (mut hidden, mut biases) = (first, None);
            for (i, layer) in (0..).zip(&self.layers) {
                states.extend(collects.then(|| hidden.clone()));
                (hidden, biases) =
                    t.scoped("layers", Some(i), || self.gated(t, layer, &hidden, biases));
            }
            hidden
        } else {
            t.through_layers("layers", &self.layers, first, |_, layer, hidden| {
                states.extend(collects.then(|| hidden.clone()));
                self.shell.run(t, layer, hidden, &mask)
            })
        };
        states.extend(collects.then(|| out.clone()));
        let out = if norms_first { norm(out) } else { out };
        // The model holds what it gave the encoder.
        drop((places, hidden, mask, held));
        (out, states)
    }

    /// A layer of `WavLM`: hidden states and biases.
    fn gated(
        &self,
        t: &Tape,
        layer: &Rc<SpeechLayer>,
        hidden: &Tensor,
        biases: Option<Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        let layer = Rc::clone(layer);
        let region: Region<_> =
            Rc::new(move |t: &Tape, x: &Tensor| layer.forward_giving(t, x, None, biases.clone()));
        self.shell.run_giving(t, hidden, &region)
    }

    /// `ForCTCLoss` (`loss/loss_ctc.py`): logits `[B, S, V]` and labels `[B, T]`.
    fn transcribed(&self, t: &Tape, waveform: &Tensor, logits: &Tensor, labels: &Tensor) -> Tensor {
        t.scoped("loss", None, || {
            let all = || t.empty("ones_like", *waveform.shape(), DType::Int64);
            let mask = self.shell.call().mask().unwrap_or_else(all);
            let counted = t.empty("sum", Shape::from([waveform.dim(0)]), DType::Int64);
            let inputs = lengths(t, counted, self.config.convolutions.len());
            let loss = {
                let flags = |op| t.empty(op, *labels.shape(), DType::Bool);
                let counted = {
                    let (ignored, blank) = (flags("ne"), flags("ne"));
                    let counted = flags("bitwise_and");
                    drop(ignored);
                    drop(blank);
                    counted
                };
                let samples = Shape::from([labels.dim(0)]);
                let targets = t.empty("sum", samples, DType::Int64);
                drop(t.empty("sum", *labels.shape(), DType::Int64));
                let chosen = {
                    let _found = t.nonzero(labels.numel(), [labels.numel(), 2].into());
                    t.empty("masked_select", [labels.numel()].into(), DType::Int64)
                };
                let likely = t.transpose(&t.log_softmax_wide(logits), 0, 1);
                let of = Transcripts {
                    targets: &chosen,
                    lengths: [&inputs, &targets],
                    longest: labels.dim(1),
                    mean: self.config.mean_loss,
                    zero_infinity: self.config.zero_infinity,
                };
                let loss = t.ctc_loss(&likely, &of);
                drop((targets, counted));
                loss
            };
            drop((inputs, mask));
            loss
        })
    }
}

impl Encoder for Speech {
    /// Waveforms `[B, N]` to logits and, from labels, the loss.
    fn forward(&self, t: &Tape, waveform: &Tensor, labels: Option<&Tensor>) -> Output {
        // labels.max() >= vocab_size
        if let (Head::Transcribes(_), Some(_)) = (&self.head, labels) {
            let largest = t.empty("max", Shape::new(&[]), DType::Int64);
            let beyond = t.empty("ge", Shape::new(&[]), DType::Bool);
            drop(largest);
            drop(beyond);
        }
        let name = self.config.family.base_model;
        let Heard {
            hidden,
            features,
            states,
        } = t.scoped(name, None, || self.hear(t, waveform));
        let output = match &self.head {
            Head::Transcribes(head) => {
                let kept = dropped(t, hidden.clone(), self.config.final_dropout);
                let logits = t.scoped("lm_head", None, || head.forward(t, &kept));
                let loss = labels.map(|labels| self.transcribed(t, waveform, &logits, labels));
                drop(kept);
                Output::of(logits, loss)
            }
            Head::Classifies([projector, classifier]) => {
                let projected = t.scoped("projector", None, || projector.forward(t, &hidden));
                let (pooled, held) = self.pooled(t, projected);
                let logits = t.scoped("classifier", None, || classifier.forward(t, &pooled));
                let loss = labels.map(|labels| loss::of_classes(t, &logits, labels));
                drop((pooled, held));
                Output::of(logits, loss)
            }
        };
        // `filter_output_hidden_states` drops them behind the loss.
        states.into_iter().rev().for_each(drop);
        drop((hidden, features));
        output
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::encoder(Speech::new(b, spec.config(), spec, facts))
}

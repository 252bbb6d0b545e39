//! A causal language model with rotary positions around its layers: embedding, layers, norm, head.

use super::altup;
use super::altup::{Alike, Streams};
use super::layer_inputs::LayerInputs;
use super::parts::{Given, Parts};
pub(crate) use super::shared::Shared;
use super::shell::{Shell, WeighingBlock};
use crate::ask::Task;
use crate::model::{
    DecoderConfig, EmbeddingScale, Experts, LayerNames, MaskStyle, Masks, Mixing, ResolvedSpec,
    Style, Transformers,
};
use crate::nn::attention::{Angles, AttentionOptions, dropped, readers_from};
use crate::nn::build::{BetweenLayers, Builder, Embedding, Facts, Linear, Norm, Output};
use crate::nn::experts::balance;
use crate::nn::heads::{classifier, loss};
use crate::nn::masks::BatchShape;
use crate::nn::masks::mask;
use crate::nn::vision::{Among, VisionTower};
use crate::tape::{Called, Tape, Tensor};
use crate::units::{DType, Shape};
use std::ops::Range;
use std::rc::Rc;

/// A layer of a [`Causal`] model.
pub(crate) trait Layer: WeighingBlock<Shared = Shared> {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self;

    /// Whether the model does without the layer for want of something to attend to.
    fn is_skipped(&self, _shared: &Shared) -> bool {
        false
    }
}

/// The dtype in which the factor of the embedding is kept.
fn scale_dtype(c: &DecoderConfig, spec: &ResolvedSpec) -> DType {
    if c.scales_by_whole_number {
        DType::Int64
    } else {
        spec.buffer_dtype(spec.stored_weights())
    }
}

/// The window that masks are made with. A width of 0 means none in a config that has layers with a window; only since
/// transformers 5 it is a window.
fn window(c: &DecoderConfig, facts: Facts) -> Option<u64> {
    let version = facts.transformers;
    let asked = c.sliding_window;
    asked
        .filter(|&window| window > 0 || version == Transformers::V5)
        .or_else(|| c.idle_window.filter(|_| version == Transformers::V451))
}

pub(crate) struct Causal<L> {
    pub(super) style: Style,
    /// The names of the model, of its embedding and of its last norm.
    pub(super) names: [&'static str; 3],
    pub(super) masks: Masks,
    masking: MaskStyle,
    /// The tower that sees images among the tokens.
    pub(super) vision_tower: Option<Box<VisionTower>>,
    embedding: Embedding,
    pub(super) embedding_dropout: bool,
    pub(super) layers: Vec<Rc<L>>,
    /// If ranks divide the layers: for each part the index of its first layer, and the range of its built layers.
    pub(super) of_parts: Vec<(u64, Range<usize>)>,
    pub(super) windowed: Vec<bool>,
    /// The module that mixes the tokens of each layer, unless it is attention in all.
    pub(super) mixers: Vec<Mixing>,
    /// The first layer that reads keys and values of layers before.
    pub(super) readers_from: usize,
    pub(super) window: Option<u64>,
    pub(super) norm: Norm,
    pub(super) inputs: Option<LayerInputs>,
    pub(super) streams: Option<Streams>,
    pub(super) angles: Angles,
    lm_head: Linear,
    softcap: bool,
    /// Whether a layer is given which keys the tokens of the layer before saw.
    pub(super) hands_on: bool,
    /// The experts whose use is balanced by a loss.
    balanced: Option<Experts>,
    pub(super) dtype: DType,
    /// Whether the loss in training comes from hidden states.
    fused_loss: Option<u64>,
    /// How hidden states between layers are divided among ranks.
    pub(super) between: BetweenLayers,
    pub(super) shell: Shell,
}

impl<L: Layer> Causal<L> {
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let (style, _) = c.put_together(facts.transformers);
        let names = LayerNames::of(c);
        let mut model = names.model;
        let mut vision_tower = c.images.as_ref().map(|images| {
            model = images.kind().text_model();
            Box::new(VisionTower::new(
                &b.at("model"),
                images,
                c.hidden_size,
                (spec, facts),
            ))
        });
        let options = AttentionOptions {
            dropout: c.dropout.attention,
            softcap: c.attention_softcap,
            // Places in images are no positions of the text alone.
            positions_given: spec.images == 0
                || c.images.as_ref().is_none_or(|i| i.packed().is_none()),
            ..AttentionOptions::of(spec, facts)
        };
        let names = [model, names.embedding, names.last_norm];
        let [model, embedding, norm] = names;
        let model = b.at(model);
        let at = model.at(embedding);
        let parts = Parts::of(spec);
        let embedding = parts.embedding(&at, || Embedding::of_input(&at, c.rows(), c.hidden_size));
        let dtype = scale_dtype(c, spec);
        let scale = |needed: bool| needed.then(|| at.buffer("embed_scale", Shape::new(&[]), dtype));
        let scaled = style.embedding_scale == EmbeddingScale::Buffer;
        let embedding = embedding.scaled_by(scale(scaled), scale(scaled && at.is_copied()));
        // The logits of all layers are joined: a list of fewer would be another.
        let joined = c.experts.as_ref().is_some_and(|e| balance::joins(e, facts));
        let layer = |b: &Builder| {
            if joined {
                b.differs();
            }
            Rc::new(parts.layer(b, || L::new(b, c, options)))
        };
        let (mut layers, mut of_parts) = (Vec::new(), Vec::new());
        if matches!(parts, Parts::Whole) || b.is_outlined() {
            let count = c.num_hidden_layers;
            layers = model.layers_repeating(c.repetition(), "layers", count, layer);
        } else {
            let ranges = parts.of_layers(c.num_hidden_layers);
            let built = model.layers_in_parts(c.repetition(), "layers", &ranges, layer);
            for ((range, _), built) in ranges.iter().zip(built) {
                let start = layers.len();
                layers.extend(built);
                of_parts.push((range.start, start..layers.len()));
            }
        }
        let at = model.at(norm).along_sequence();
        let norm = parts.last(&at, || Norm::new(&at, style.norm, c.hidden_size));
        let angles = Angles::new(&model, c, style, facts);
        let (inputs, streams) = altup::around(&model, c);
        if let Some(vision_tower) = &mut vision_tower {
            vision_tower.complete(&b.at("model"), c.hidden_size);
        }
        let lm_head = parts.last(b, || {
            let mut lm_head = classifier::head(b, c, spec, &embedding.weight);
            if (style.head_bias || c.head_bias) && spec.task != Task::SequenceClassification {
                lm_head.add_bias(&b.at("lm_head"), c.vocab_size);
            }
            lm_head
        });
        Self {
            style,
            names,
            masks: style.masks(facts.transformers, c.windowed.contains(&true)),
            masking: style.masking(facts.transformers, c.sliding_window.is_some()),
            vision_tower,
            embedding,
            embedding_dropout: c.dropout.embedding,
            layers,
            of_parts,
            windowed: c.windowed.clone(),
            mixers: c.mixers.clone(),
            readers_from: readers_from(c),
            window: window(c, facts),
            norm,
            inputs,
            streams,
            angles,
            lm_head,
            softcap: c.final_softcap,
            hands_on: !c.indexed.is_empty(),
            balanced: c.experts.clone().filter(|experts| experts.balanced),
            dtype: if style.wide_rotary {
                DType::Float32
            } else {
                b.embedding_dtype()
            },
            fused_loss: fused_loss(c, spec),
            between: b.between_layers(),
            shell: if style.checkpoints {
                Shell::new(b, spec, facts).with_router_logits(joined)
            } else {
                Shell::new(b, spec, facts).without_checkpoints()
            },
        }
    }

    /// Token ids `[B, S]` to logits `[B, S, V]` and, from labels `[B, S]`, the loss.
    pub(crate) fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        if self.balanced.is_some() && !self.shell.call().leaves_balance_out() {
            self.shell.call().keep_router_logits();
        }
        let [model, ..] = self.names;
        let (images, features) = (self.shell.call().images(), self.shell.call().features());
        let crossing = (self.vision_tower.as_ref()).and_then(|vision_tower| {
            vision_tower.crossing(t, &self.shell, images.as_ref(), input_ids)
        });
        let (crossing, crossed) = crossing.unzip();
        let embedded = t.scoped(model, None, || self.embed(t, input_ids));
        let decode =
            |embedded, among| t.scoped(model, None, || self.decode(t, input_ids, embedded, among));
        let seeing = self.vision_tower.as_ref();
        let Some(vision_tower) = seeing.filter(|_| images.is_some() || features.is_some()) else {
            let alone = seeing.map(|vision_tower| vision_tower.alone(t, &self.shell, &embedded));
            let mut among = alone.unwrap_or_default();
            among.crossing = crossing;
            let hidden = decode(embedded, &among);
            drop(among);
            return self.read(t, hidden, (input_ids, labels));
        };
        let mut seen = vision_tower.see(t, &self.shell, embedded, || {
            features.or_else(|| vision_tower.features(t, &self.shell, &images?, input_ids.dim(0)))
        });
        seen.among.crossing = crossing;
        seen.held.extend(crossed.flatten());
        let hidden = decode(seen.embedded.clone(), &seen.among);
        drop((seen.embedded, seen.held, seen.among));
        let mut output = self.read(t, hidden, (input_ids, labels));
        output.encoded = seen.features;
        output.beside.extend(seen.beside);
        output
    }

    /// The tower that sees images, and the options that it shares.
    pub(crate) fn vision_tower(&self) -> Option<(&VisionTower, &Shell)> {
        Some((self.vision_tower.as_ref()?, &self.shell))
    }

    /// The last hidden states `[B, S, H]`, a local variable until the loss is there, to logits and
    /// loss.
    fn read(
        &self,
        t: &Tape,
        hidden: Tensor,
        given @ (_, labels): (&Tensor, Option<&Tensor>),
    ) -> Output {
        let facts = self.shell.facts;
        let hidden = match self.shell.scored_output(t, hidden, &self.lm_head, labels) {
            Ok(output) => return self.scored(t, output),
            Err(hidden) => hidden,
        };
        let hidden = match (self.shell).other_output(t, hidden, &self.lm_head, given) {
            Ok(output) if self.shell.classifies => {
                // Nobody balances what a classifier's layers have given.
                drop(self.shell.call().take_router_logits());
                return output;
            }
            Ok(output) => return self.balanced(t, None, output.loss),
            Err(hidden) => hidden,
        };
        let skips = t.is_training() || self.shell.call().leaves_logits_out();
        let fused = self.fused_loss.filter(|_| skips);
        if let (Some(budget), Some(labels), Some(weight)) = (fused, labels, self.lm_head.weight()) {
            t.read_outside(&[Some(weight)]);
            let kept = facts.index_all(t, &hidden, 3);
            let loss = t.scoped("loss", None, || {
                loss::liger_causal_lm(t, facts, &kept, weight, labels, budget)
            });
            return self.balanced(t, None, Some(loss));
        }
        let logits = self.logits(t, &hidden, labels.is_some());
        let loss = labels.map(|labels| {
            t.scoped("loss", None, || {
                if self.style.narrow_loss {
                    // lm_logits[:, :-1, :]
                    let indexed = facts.index_all(t, &logits, 1);
                    loss::copied_next_token(t, facts, &indexed, labels)
                } else {
                    loss::causal_lm(t, facts, &logits, labels)
                }
            })
        });
        self.balanced(t, Some(logits), loss)
    }

    /// The last hidden states `[B, S, H]` to logits `[B, S, V]`, of which a loss is computed or not.
    pub(super) fn logits(&self, t: &Tape, hidden: &Tensor, with_loss: bool) -> Tensor {
        let facts = self.shell.facts;
        let scaled = self.style.scaled_hidden.then(|| t.div_scalar(hidden));
        let mut logits = t.scoped("lm_head", None, || {
            // hidden_states[:, slice_indices, :]
            let dims = if self.style.whole_head { 0 } else { 3 };
            let read = scaled.as_ref().unwrap_or(hidden);
            let kept = self.shell.kept_positions(t, read);
            let kept = facts.index_all(t, &kept, dims);
            let logits = t.around_module(&kept, |kept| {
                t.around_head(|| self.lm_head.forward(t, kept))
            });
            if self.style.wide_logits || facts.casts_logits {
                t.to(&logits, DType::Float32)
            } else {
                logits
            }
        });
        if self.style.scaled_logits {
            logits = t.mul_scalar(&logits);
        }
        if self.style.widened_for_loss && with_loss {
            logits = t.to(&logits, DType::Float32);
        }
        if self.softcap {
            logits = t.div_scalar(&logits);
            logits = t.tanh(&logits);
            logits = t.mul_scalar(&logits);
        }
        logits
    }

    /// The output of a head that scores tokens, followed by the loss that balances experts if there are routers'
    /// logits; a mask always comes with the batch (`_fused_forward`, `trainer/utils.py`, trl 1.16).
    fn scored(&self, t: &Tape, mut output: Output) -> Output {
        let routed = self.shell.call().take_router_logits();
        let Some(experts) = self.balanced.as_ref().filter(|_| !routed.is_empty()) else {
            return output;
        };
        let balance = t.scoped("loss", None, || {
            balance::loss(t, self.shell.facts, &routed, experts, true)
        });
        output.loss = (output.loss).map(|loss| t.add(&loss, &t.mul_scalar(&balance)));
        output.beside.push(balance);
        output
    }

    /// The model's output, the loss with that of experts that are to be balanced.
    fn balanced(&self, t: &Tape, logits: Option<Tensor>, loss: Option<Tensor>) -> Output {
        let mut output = Output {
            logits,
            loss,
            encoded: None,
            beside: Vec::new(),
        };
        let Some(experts) = &self.balanced else {
            return output;
        };
        let routed = self.shell.call().take_router_logits();
        // Without a layer of experts there is nothing to balance.
        if !routed.is_empty() {
            let (facts, padded) = (self.shell.facts, self.shell.padding_mask);
            let balance = t.scoped("loss", None, || {
                balance::loss(t, facts, &routed, experts, padded)
            });
            output.loss = (output.loss).map(|loss| t.add_in_place(loss, &t.mul_scalar(&balance)));
            output.beside.push(balance);
            output.beside.extend(routed);
        }
        output
    }

    pub(super) fn embed(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let [_, embedding, _] = self.names;
        t.scoped(embedding, None, || {
            let embedded = t.around_module(input_ids, |ids| self.embedding.forward(t, ids));
            if self.style.embedding_scale == EmbeddingScale::Number {
                t.mul_scalar(&embedded)
            } else {
                embedded
            }
        })
    }

    /// The masks of full layers and of windowed layers, where those have one of their own.
    pub(super) fn masks(&self, t: &Tape, input_ids: &Tensor) -> (Option<Tensor>, Option<Tensor>) {
        let masked = |window| {
            let style = self.masking;
            self.shell.causal_mask(t, input_ids, window, style)
        };
        match self.masks {
            Masks::One => (masked(self.window), None),
            Masks::Always => (Some(self.shell.mask_anyhow(t, input_ids)), None),
            Masks::Both => (masked(None), masked(self.window)),
            Masks::Chunked => {
                let full = masked(None);
                (full, self.shell.chunked_mask(t, input_ids, self.window))
            }
            Masks::Narrowed => (Some(self.shell.whole_mask(t, input_ids)), None),
        }
    }

    /// Token ids `[B, S]` and what they, and images among them, are embedded as `[B, S, H]` to the last
    /// hidden states.
    fn decode(&self, t: &Tape, input_ids: &Tensor, mut embedded: Tensor, among: &Among) -> Tensor {
        let inputs = self.inputs.as_ref();
        let inputs = inputs.map(|inputs| inputs.forward(t, input_ids, &embedded));
        let size = BatchShape::of(input_ids);
        let given = among.grouped.then(|| {
            self.shell
                .masks_of_groups(t, size, self.masks == Masks::Both)
        });
        let positions =
            (among.positions.clone()).unwrap_or_else(|| self.shell.positions(t, size.s));
        let (full, windowed) = given.unwrap_or_else(|| self.masks(t, input_ids));
        if self.style.embedding_scale == EmbeddingScale::Replaced {
            embedded = t.mul_scalar(&embedded);
        }
        if self.style.looks_for_padding && self.shell.has_mask() && input_ids.dim(1) > 1 {
            mask::looked_through(t, *input_ids.shape());
        }
        let mut hidden = dropped(t, embedded.clone(), self.embedding_dropout);
        let mut parted = Alike::default();
        if let Some(streams) = &self.streams {
            (hidden, parted) = streams.parted(t, &hidden);
        }
        // Streams that autocast widened turn in what it gave them.
        let dtype = if self.streams.is_some() {
            hidden.dtype()
        } else {
            self.dtype
        };
        let given = Given {
            positions: &positions,
            in_images: among.positions.is_some(),
            masks: (full, windowed),
            crossing: among.crossing.clone(),
        };
        let ([full, local], cos_sin) = self.shared(t, given, *input_ids.shape(), dtype);
        if self.style.embedding_scale == EmbeddingScale::Late {
            hidden = t.mul_scalar(&hidden);
        }
        if self.style.norm_before {
            hidden = self.norm.forward(t, &hidden);
        }
        let given = ([&full, &local], &cos_sin[..]);
        let all = (0, 0..self.layers.len());
        let (mut hidden, held) = self.run_layers(t, hidden, all, given, (inputs.as_ref(), among));
        if let Some(streams) = &self.streams {
            hidden = streams.joined(t, &hidden, embedded.dtype(), &mut parted);
        }
        let [.., norm] = self.names;
        let between = self.between;
        let mut normalized = t.scoped(norm, None, || {
            t.around_module(&hidden, |hidden| {
                between.around_norm(t, hidden, |x| self.norm.forward(t, x))
            })
        });
        drop((hidden, held, embedded, parted));
        t.leave(&Called::bare("model"), &mut [&mut normalized]);
        normalized
    }
}

/// How many times what hidden states take Liger's loss takes for logits, if it is the model's.
fn fused_loss(c: &DecoderConfig, spec: &ResolvedSpec) -> Option<u64> {
    let budget = c.family.style.liger_loss_budget;
    spec.liger.fused_linear_cross_entropy.then_some(budget)
}

//! `ModernBERT` (`models/modernbert/modeling_modernbert.py` of transformers 5.23, 4.51 and 4.48), predicting
//! masked tokens or classes, and its decoder (`models/modernbert_decoder` of 5.23), predicting the next token.

use super::layer::{ModernBertLayer, RotaryInput, Shared};
use crate::ask::{Attention, Task};
use crate::families::network::{Encoder, Net};
use crate::model::{MaskStyle, ModernBertConfig, ResolvedSpec, Transformers};
use crate::nn::attention::{AttentionOptions, Rotary, dropped};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::Shell;
use crate::nn::heads::{Head, HeadLoss, Reads, Transform, classifier};
use crate::nn::masks::BatchShape;
use crate::nn::masks::BothSides;
use crate::nn::masks::{mask, of_both_sides, triangle as mask_triangle};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `ModernBertForMaskedLM` and its like.
pub(crate) struct ModernBert {
    words: Embedding,
    norm: LayerNorm,
    layers: Vec<Rc<ModernBertLayer>>,
    final_norm: LayerNorm,
    /// Rotary embeddings of layers that see all tokens, and of layers that see near ones (transformers 5).
    rotary: [Option<Rotary>; 2],
    head: Head,
    window: u64,
    decoder: bool,
    /// Whether it classifies samples by their last tokens.
    classifies: bool,
    dropout: bool,
    attention: Attention,
    shell: Shell,
}

impl ModernBert {
    pub(crate) fn new(
        b: &Builder,
        c: &ModernBertConfig,
        spec: &ResolvedSpec,
        facts: Facts,
    ) -> Self {
        let options = AttentionOptions::of_encoder(c.dropout.attention, spec, facts);
        let hidden = c.hidden_size;
        let model = b.at("model");
        let at = model.at("embeddings");
        let words = Embedding::of_input(&at.at("tok_embeddings"), c.vocab_size, hidden);
        let norm = LayerNorm::with_bias(&at.at("norm"), hidden, c.biases.norm);
        let layers = model.items("layers", c.windowed.len() as u64, |b| {
            Rc::new(ModernBertLayer::new(b, c, options))
        });
        let final_norm = LayerNorm::with_bias(&model.at("final_norm"), hidden, c.biases.norm);
        let together = facts.transformers == Transformers::V5;
        let rotary = [false, true].map(|near| {
            let needed = together && c.windowed.contains(&near);
            needed.then(|| Rotary::new(&model.at("rotary_emb"), c.head_dim, facts))
        });
        let tokens = matches!(spec.task, Task::MaskedLm | Task::CausalLm);
        let name = if c.decoder && tokens {
            "lm_head"
        } else {
            "head"
        };
        let head = b.at(name);
        let transform = Transform {
            dense: Linear::new(&head.at("dense"), hidden, hidden, c.biases.classifier),
            activation: c.classifier_activation,
            norm: Some(LayerNorm::with_bias(
                &head.at("norm"),
                hidden,
                c.biases.norm,
            )),
        };
        let head = if tokens {
            let at = b.at("decoder");
            let tied = c.tie_word_embeddings.then_some(&words.weight);
            let mut decoder = Linear::of_output(&at, hidden, c.vocab_size, tied);
            if c.biases.decoder {
                decoder.add_bias(&at, c.vocab_size);
            }
            Head {
                loss: if c.decoder {
                    HeadLoss::NextToken
                } else {
                    HeadLoss::Wide
                },
                ..Head::of_tokens(name, transform, decoder)
            }
        } else {
            let bias = !c.decoder || c.biases.classifier;
            let classifier = Linear::new(&b.at("classifier"), hidden, c.num_labels, bias);
            let reads = match spec.task {
                _ if c.decoder => Reads::All,
                Task::SequenceClassification if c.mean_pooling => Reads::Mean,
                Task::SequenceClassification => Reads::First,
                _ => Reads::All,
            };
            let head = Head {
                reads,
                transform: Some(transform),
                ..Head::plain("head", classifier, c.classifier_dropout)
            };
            if spec.task == Task::QuestionAnswering {
                head.with_spans()
            } else {
                head
            }
        };
        Self {
            words,
            norm,
            layers,
            final_norm,
            rotary,
            head,
            window: c.window,
            decoder: c.decoder,
            classifies: c.decoder && !tokens,
            dropout: c.dropout.embedding,
            attention: spec.attention,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// `ModernBertModel`: `[B, S, H]`.
    fn encode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let size = BatchShape::of(input_ids);
        let recent = self.shell.facts.transformers == Transformers::V5;
        let arange = || t.empty("arange", Shape::from([size.s]), DType::Int64);
        let (mut hidden, shared, held) = if recent {
            let mut early = (!self.decoder).then(arange);
            let embedded = self.embed(t, input_ids);
            let positions = early
                .take()
                .unwrap_or_else(|| self.shell.positions(t, size.s));
            let dtype = embedded.dtype();
            let masks = [None, Some(self.window)].map(|window| {
                if self.decoder {
                    return self
                        .shell
                        .causal_mask(t, input_ids, window, MaskStyle::Boolean);
                }
                self.mask(t, size, window, dtype)
            });
            let of_all = if self.decoder {
                t.expand(&positions, [size.b, size.s])
            } else {
                positions.clone()
            };
            let cos_sin = self.rotary.each_ref().map(|rotary| {
                let rotary = rotary.as_ref()?;
                let (cos, sin) = rotary.forward(t, &of_all, dtype);
                Some(RotaryInput::By(cos, sin))
            });
            let given = |i: usize| {
                let rotary_input = cos_sin[i].clone()?;
                let mask = masks[i].clone();
                let positions = self.decoder.then(|| positions.clone());
                Some(Shared {
                    mask,
                    rotary_input,
                    _positions: positions,
                })
            };
            let shared = [given(0), given(1)];
            let held = (Some(positions), masks, Some(embedded.clone()));
            (embedded, shared, held)
        } else {
            let (shared, masks) = self.shared_of_four(t, size, arange);
            (
                self.embed(t, input_ids),
                shared.map(Some),
                (None, masks, None),
            )
        };
        for (i, layer) in (0..).zip(&self.layers) {
            let Some(shared) = &shared[usize::from(layer.windowed)] else {
                continue;
            };
            hidden = t.scoped("layers", Some(i), || {
                self.shell.run(t, layer, &hidden, shared)
            });
        }
        let out = t.scoped("final_norm", None, || self.final_norm.forward(t, &hidden));
        drop((hidden, shared, held));
        out
    }

    fn embed(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        t.scoped("embeddings", None, || {
            let normed = {
                let words = self.words.forward(t, input_ids);
                self.norm.forward(t, &words)
            };
            dropped(t, normed, self.dropout)
        })
    }

    /// The mask of layers that see all tokens, or `window` of them on each side.
    fn mask(
        &self,
        t: &Tape,
        size: BatchShape,
        window: Option<u64>,
        dtype: DType,
    ) -> Option<Tensor> {
        let padded = self.shell.padding_mask;
        if self.attention == Attention::FlashAttention2 {
            return padded.then(|| mask::of_encoder(t, size, self.attention, dtype));
        }
        let window = window.filter(|&window| size.s >= window);
        let sees = BothSides {
            eager: self.shell.eager,
            padded,
            window,
        };
        of_both_sides(t, size, sees, dtype)
    }

    /// The masks of transformers 4, which are always made.
    fn shared_of_four(
        &self,
        t: &Tape,
        size: BatchShape,
        arange: impl FnOnce() -> Tensor,
    ) -> ([Shared; 2], [Option<Tensor>; 2]) {
        let BatchShape { b, s } = size;
        let ones = (!self.shell.padding_mask).then(|| {
            mask::looks_like_padding(t, b);
            t.empty("ones", Shape::from([b, s]), DType::Bool)
        });
        let positions = arange();
        let dtype = self.shell.dtype();
        let all = mask_triangle::expanded(t, size.scores(), DType::Int64, dtype);
        let near = {
            let window = t.empty("_to_copy", Shape::from([1, 1, s, s]), DType::Bool);
            let _far = t.empty("logical_not", *window.shape(), DType::Bool);
            let near = t.empty("masked_fill", *all.shape(), dtype);
            drop(window);
            near
        };
        drop(ones);
        let given = |mask: &Tensor, other: &Tensor| Shared {
            mask: Some(mask.clone()),
            rotary_input: RotaryInput::Own(positions.clone(), other.clone()),
            _positions: None,
        };
        let shared = [given(&all, &near), given(&near, &all)];
        (shared, [Some(all), Some(near)])
    }
}

impl Encoder for ModernBert {
    /// Token ids `[B, S]` to logits and, from labels, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let hidden = t.scoped("model", None, || self.encode(t, input_ids));
        let hidden = self.shell.kept_positions(t, &hidden);
        let mask = self.shell.call().mask();
        if self.classifies {
            let facts = self.shell.facts;
            let logits = || self.head.logits(t, facts, &hidden, None);
            let (logits, _held) = t.scoped(self.head.name, None, logits);
            return classifier::pooled(t, self.shell.facts, &logits, (input_ids, labels));
        }
        let read = (&hidden, mask.as_ref());
        self.head.forward(t, self.shell.facts, read, labels)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::encoder(ModernBert::new(b, spec.config(), spec, facts))
}

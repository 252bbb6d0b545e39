//! `EuroBERT` (`models/eurobert/modeling_eurobert.py` of transformers 5.23): Llama's layers that see tokens
//! on both sides, predicting masked tokens or classes.

use crate::ask::{Attention, Task};
use crate::families::network::{Encoder, Net};
use crate::model::{Activation, EuroBertConfig, Pooling, ResolvedSpec};
use crate::nn::attention::{AttentionOptions, Rotary, attend_with_weights, rotary};
use crate::nn::build::{Builder, Embedding, Facts, Linear, Output, RmsNorm};
use crate::nn::decoder::{Block, Shell};
use crate::nn::heads::{Head, HeadLoss, Transform, loss};
use crate::nn::masks::BatchShape;
use crate::nn::masks::mask;
use crate::nn::mlp::GatedMlp;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `EuroBertForMaskedLM` and its like.
pub(crate) struct EuroBert {
    words: Embedding,
    layers: Vec<Rc<EuroBertLayer>>,
    norm: RmsNorm,
    rotary: Rotary,
    head: Reading,
    attention: Attention,
    shell: Shell,
}

/// The module that reads the hidden states.
enum Reading {
    /// A head that reads the hidden states of each token.
    Each(Head),
    /// A classifier of texts: a layer with its function, and the last one.
    Texts(Transform, Linear, Pooling),
}

impl EuroBert {
    pub(crate) fn new(b: &Builder, c: &EuroBertConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions {
            dropout: c.attention_dropout,
            bidirectional: true,
            ..AttentionOptions::of(spec, facts)
        };
        let hidden = c.hidden_size;
        let model = b.at("model");
        let words = Embedding::of_input(&model.at("embed_tokens"), c.vocab_size, hidden);
        let layers = model.items("layers", c.num_hidden_layers, |b| {
            Rc::new(EuroBertLayer::new(b, c, options))
        });
        let norm = RmsNorm::new(&model.at("norm"), hidden);
        let rotary = Rotary::new(&model.at("rotary_emb"), c.head_dim, facts);
        let head = match spec.task {
            Task::SequenceClassification => {
                let transform = Transform {
                    dense: Linear::new(&b.at("dense"), hidden, hidden, true),
                    activation: Activation::Gelu,
                    norm: None,
                };
                let classifier = Linear::new(&b.at("classifier"), hidden, c.num_labels, true);
                Reading::Texts(transform, classifier, c.pooling)
            }
            Task::TokenClassification => {
                Reading::Each(Head::of_each(b, spec.task, [hidden, c.num_labels], false))
            }
            _ => {
                let at = b.at("lm_head");
                let tied = c.tie_word_embeddings.then_some(&words.weight);
                let mut output = Linear::of_output(&at, hidden, c.vocab_size, tied);
                if c.mlp_bias {
                    output.add_bias(&at, c.vocab_size);
                }
                Reading::Each(Head {
                    loss: HeadLoss::Wide,
                    ..Head::plain("lm_head", output, false)
                })
            }
        };
        Self {
            words,
            layers,
            norm,
            rotary,
            head,
            attention: spec.attention,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// `EuroBertModel`: `[B, S, H]`.
    fn encode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let size = BatchShape::of(input_ids);
        let embedded = t.scoped("embed_tokens", None, || self.words.forward(t, input_ids));
        let positions = t.empty("arange", Shape::from([size.s]), DType::Int64);
        let dtype = embedded.dtype();
        let mask = self
            .shell
            .padding_mask
            .then(|| mask::of_encoder(t, size, self.attention, dtype));
        let (cos, sin) = self.rotary.forward(t, &positions, dtype);
        let given = Given {
            mask,
            cos,
            sin,
            _positions: positions,
        };
        let mut hidden = embedded.clone();
        for (i, layer) in (0..).zip(&self.layers) {
            hidden = t.scoped("layers", Some(i), || {
                self.shell.run(t, layer, &hidden, &given)
            });
        }
        let out = t.scoped("norm", None, || self.norm.forward(t, &hidden));
        drop((hidden, given, embedded));
        out
    }
}

impl Encoder for EuroBert {
    /// Token ids `[B, S]` to logits and, from labels, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let hidden = t.scoped("model", None, || self.encode(t, input_ids));
        match &self.head {
            Reading::Each(head) => head.forward(t, self.shell.facts, (&hidden, None), labels),
            Reading::Texts(transform, classifier, pooling) => {
                let mask = self.shell.call().mask();
                let (logits, held) = t.scoped("classifier", None, || {
                    of_texts(t, transform, classifier, *pooling, (&hidden, mask.as_ref()))
                });
                let loss = labels.map(|labels| loss::of_classes(t, &logits, labels));
                drop(held);
                Output::of(logits, loss)
            }
        }
    }
}

/// Hidden states `[B, S, H]` to logits `[B, classes]`, and what stays in a local variable.
fn of_texts(
    t: &Tape,
    transform: &Transform,
    classifier: &Linear,
    pooling: Pooling,
    (hidden, mask): (&Tensor, Option<&Tensor>),
) -> (Tensor, Tensor) {
    if pooling == Pooling::Late {
        let bent = transform.forward(t, hidden.clone());
        let logits = classifier.forward(t, &bent);
        return (mean(t, logits, mask), bent);
    }
    let pooled = match pooling {
        Pooling::First => t.select(hidden, 1),
        _ => mean(t, hidden.clone(), mask),
    };
    let bent = transform.forward(t, pooled);
    (classifier.forward(t, &bent), bent)
}

/// The mean of x `[B, S, N]` over the tokens that are no padding.
fn mean(t: &Tape, x: Tensor, mask: Option<&Tensor>) -> Tensor {
    let Some(mask) = mask else {
        return t.mean_of_rows(&x);
    };
    let sum = {
        let weighted = t.mul(&x, &t.unsqueeze(mask, 2));
        t.sum_dim(&weighted, 1, false)
    };
    drop(x);
    let count = t.reduce("sum", mask, Shape::from([mask.dim(0), 1]), DType::Int64);
    // `/=`, which takes what `*=` does.
    t.mul_in_place(sum, &count)
}

/// Inputs of every layer.
#[derive(Clone)]
struct Given {
    mask: Option<Tensor>,
    cos: Tensor,
    sin: Tensor,
    _positions: Tensor,
}

/// `EuroBertDecoderLayer`.
struct EuroBertLayer {
    q_proj: Linear,
    k_proj: Linear,
    v_proj: Linear,
    o_proj: Linear,
    mlp: GatedMlp,
    input_layernorm: RmsNorm,
    post_attention_layernorm: RmsNorm,
    head_dim: u64,
    options: AttentionOptions,
}

impl EuroBertLayer {
    fn new(b: &Builder, c: &EuroBertConfig, options: AttentionOptions) -> Self {
        let (hidden, bias) = (c.hidden_size, c.attention_bias);
        let at = b.at("self_attn");
        let [inner, narrow] =
            [c.num_attention_heads, c.num_key_value_heads].map(|heads| heads * c.head_dim);
        let linear = |name, inputs, outputs| Linear::new(&at.at(name), inputs, outputs, bias);
        Self {
            q_proj: linear("q_proj", hidden, inner),
            k_proj: linear("k_proj", hidden, narrow),
            v_proj: linear("v_proj", hidden, narrow),
            o_proj: linear("o_proj", inner, hidden),
            mlp: GatedMlp::with_bias(
                &b.at("mlp"),
                hidden,
                c.intermediate_size,
                c.mlp_bias,
                Tape::silu,
            ),
            input_layernorm: RmsNorm::new(&b.at("input_layernorm"), hidden),
            post_attention_layernorm: RmsNorm::new(&b.at("post_attention_layernorm"), hidden),
            head_dim: c.head_dim,
            options,
        }
    }

    /// `EuroBertAttention`: `[B, S, H]` to the same, with the weights of eager attention.
    fn attend(&self, t: &Tape, x: &Tensor, given: &Given) -> (Tensor, Option<Tensor>) {
        let projections = [&self.q_proj, &self.k_proj, &self.v_proj];
        let angles = [&given.cos, &given.sin];
        let [q, k, v] = rotary::rotated_heads(t, x, projections, self.head_dim, angles);
        let mask = given.mask.as_ref();
        let (out, weights) = attend_with_weights(t, self.options, &q, &k, &v, mask);
        let merged = t.reshape(&out, [x.dim(0), x.dim(1), out.dim(2) * out.dim(3)]);
        drop(out);
        let projected = self.o_proj.forward(t, &merged);
        drop((q, k, v));
        (projected, weights)
    }
}

impl Block for EuroBertLayer {
    type Shared = Given;

    fn outliving(given: &Given, _facts: Facts) -> Given {
        given.clone()
    }

    fn forward(&self, t: &Tape, x: &Tensor, given: &Given) -> Tensor {
        let (attended, weights) = {
            let normed = t.scoped("input_layernorm", None, || {
                self.input_layernorm.forward(t, x)
            });
            t.scoped("self_attn", None, || self.attend(t, &normed, given))
        };
        let sum = t.add(x, &attended);
        drop(attended);
        let changed = {
            let normed = t.scoped("post_attention_layernorm", None, || {
                self.post_attention_layernorm.forward(t, &sum)
            });
            t.scoped("mlp", None, || self.mlp.forward(t, &normed))
        };
        let out = t.add(&sum, &changed);
        drop((changed, weights));
        out
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::encoder(EuroBert::new(b, spec.config(), spec, facts))
}

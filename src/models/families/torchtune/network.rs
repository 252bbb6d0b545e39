//! `TransformerDecoder` (`modules/transformer.py`) with the loss that recipes compute.

use super::attention::Inputs;
use super::layer::TransformerSelfAttentionLayer;
use super::records::LLAMA3_1;
use super::rotary::Rotary;
use crate::families::network::{CausalLm, Net};
use crate::model::{DecoderConfig, EmbeddingScale, ResolvedSpec};
use crate::nn::attention::AttentionOptions;
use crate::nn::build::{Builder, Embedding, Facts, Linear, Norm, Output};
use crate::nn::decoder::Shell;
use crate::nn::heads::{classifier, loss};
use crate::tape::{Tape, Tensor};
use crate::units::DType;
use std::rc::Rc;

/// `TransformerDecoder`.
pub(crate) struct TransformerDecoder {
    tok_embeddings: Embedding,
    /// Whether embeddings are multiplied by a number (`GemmaNormEmbeddings`).
    scales_embedding: bool,
    layers: Vec<Rc<TransformerSelfAttentionLayer>>,
    norm: Norm,
    /// Whether the norm caps its result (`Gemma2FinalNorm`).
    caps_hidden: bool,
    output: Linear,
    /// Whether logits are float32 before the loss casts them.
    widens_logits: bool,
    shell: Shell,
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(TransformerDecoder::new(b, spec.config(), spec, facts))
}

impl TransformerDecoder {
    fn new(b: &Builder, c: &DecoderConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions::of(spec, facts);
        let model = b.at("model");
        // Builders with adapters make rotary embeddings for each layer, but those of Llama 3.1 and later.
        let shares = spec.lora.is_none() || *c.family == LLAMA3_1;
        let rotary = shares.then(|| Rotary::new(&model.at("rotary_emb"), c));
        let at = model.at("embed_tokens");
        // The table is made after the layers, and is the first of the parameters.
        let (weight, layers) = at.parameter_after("weight", [c.vocab_size, c.hidden_size], || {
            model.layers_repeating(c.repetition(), "layers", c.num_hidden_layers, |b| {
                let given = (rotary.as_ref(), options);
                Rc::new(TransformerSelfAttentionLayer::new(b, c, given))
            })
        });
        let tok_embeddings = Embedding::of_weight(&at, weight);
        let norm = Norm::new(&model.at("norm"), c.family.style.norm, c.hidden_size);
        let output = classifier::head(b, c, spec, &tok_embeddings.weight);
        Self {
            tok_embeddings,
            scales_embedding: c.family.style.embedding_scale == EmbeddingScale::Number,
            layers,
            norm,
            caps_hidden: c.attention_softcap,
            output,
            widens_logits: spec.is_of_torchtune(),
            shell: Shell::new(b, spec, facts),
        }
    }

    /// Token ids `[B, S]` to the last layer's result and what the norm makes of it `[B, S, H]`.
    fn decode(&self, t: &Tape, tokens: &Tensor) -> [Tensor; 2] {
        let embedded = t.scoped("embed_tokens", None, || {
            t.around_module(tokens, |tokens| {
                let embedded = self.tok_embeddings.forward(t, tokens);
                if self.scales_embedding {
                    t.mul_scalar(&embedded)
                } else {
                    embedded
                }
            })
        });
        let inputs = Inputs {
            positions: self.shell.given_positions(),
        };
        let hidden = t.through_layers("layers", &self.layers, embedded, |_, layer, hidden| {
            self.shell.run(t, layer, hidden, &inputs)
        });
        let normalized = t.scoped("norm", None, || {
            t.around_module(&hidden, |hidden| {
                let mut normalized = self.norm.forward(t, hidden);
                if self.caps_hidden {
                    normalized = t.div_scalar(&normalized);
                    normalized = t.tanh(&normalized);
                    normalized = t.mul_scalar(&normalized);
                }
                normalized
            })
        });
        [hidden, normalized]
    }

    /// `unembed` of all tokens, in float32; torchtitan's head gives them as they are.
    fn logits(&self, t: &Tape, normalized: &Tensor) -> Tensor {
        t.scoped("lm_head", None, || {
            let logits = t.around_module(normalized, |normalized| {
                t.around_head(|| self.output.forward(t, normalized))
            });
            if self.widens_logits {
                t.to(&logits, DType::Float32)
            } else {
                logits
            }
        })
    }
}

impl CausalLm for TransformerDecoder {
    /// Token ids `[B, S]` to logits `[B, S, V]` or, from labels `[B, S]`, the loss alone: recipes drop logits before they go
    /// backward. Labels that are shifted have taken the place of others by then (`_loss_step`, `recipes`).
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let [hidden, normalized] = t.scoped("model", None, || self.decode(t, input_ids));
        // The recipe computes the loss where nothing goes to the host any longer.
        let computed = |loss: &dyn Fn() -> Tensor| {
            Output::of_loss(t.around_head(|| t.scoped("loss", None, loss)))
        };
        let (Some(labels), true) = (labels, self.shell.chunks_loss && t.is_training()) else {
            let logits = self.logits(t, &normalized);
            drop((hidden, normalized));
            let Some(labels) = labels else {
                return Output::of(logits, None);
            };
            let facts = Facts {
                labels_are_shifted: true,
                ..self.shell.facts
            };
            return computed(&|| loss::causal_lm(t, facts, &logits, labels));
        };
        let logits = loss::chunked_logits(t, &normalized, |t, part| {
            t.around_head(|| self.output.forward(t, part))
        });
        drop((hidden, normalized));
        computed(&|| loss::of_chunks(t, &logits, labels))
    }
}

//! `RoBERTa` with norms before, XLM-RoBERTa XL and Megatron's BERT
//! (`models/{roberta_prelayernorm,xlm_roberta_xl,megatron_bert}/modeling_*.py` of transformers 5.23).

use super::layer::{ResidualNorm, SelfAttention};
use super::network::{Embeddings, answered, head, pooler};
use crate::ask::Attention;
use crate::families::network::{Encoder, Net};
use crate::model::{Activation, BertConfig, BertKind, PreNorm, ResolvedSpec};
use crate::nn::attention::AttentionOptions;
use crate::nn::build::{Builder, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::{Shell, WeighingBlock};
use crate::nn::heads::{Head, Transform};
use crate::nn::masks::BatchShape;
use crate::nn::masks::mask;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::DType;
use std::rc::Rc;

/// The model with a head.
pub(crate) struct PreNormBert {
    embeddings: Embeddings,
    layers: Vec<Rc<PreNormLayer>>,
    last_norm: LayerNorm,
    pooler: Option<Transform>,
    head: Head,
    names: &'static PreNorm,
    kind: BertKind,
    attention: Attention,
    shell: Shell,
}

impl PreNormBert {
    /// The model of a kind whose norms are `names`.
    pub(crate) fn new(
        b: &Builder,
        c: &BertConfig,
        names: &'static PreNorm,
        spec: &ResolvedSpec,
        facts: Facts,
    ) -> Self {
        let options = AttentionOptions::of_encoder(c.dropout.attention, spec, facts);
        let base = b.at(c.family.base_model);
        let embeddings = Embeddings::new(&base.at("embeddings"), c, facts);
        let encoder = base.at("encoder");
        let layers = encoder.items("layer", c.num_hidden_layers, |b| {
            Rc::new(PreNormLayer::new(b, c, names, options))
        });
        let last_norm = LayerNorm::new(&base.at(names.last), c.hidden_size);
        let pooler = pooler(&base, c, spec.task);
        let head = head(b, c, spec.task, &embeddings.words.weight);
        Self {
            embeddings,
            layers,
            last_norm,
            pooler,
            head,
            names,
            kind: c.kind,
            attention: spec.attention,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// The model without a head: `[B, S, H]`.
    fn encode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let size = BatchShape::of(input_ids);
        let megatron = self.kind == BertKind::Megatron;
        let ones = (megatron && !self.shell.padding_mask).then(|| {
            mask::looks_like_padding(t, size.b);
            t.empty("ones", size.into(), DType::Float32)
        });
        let (embedded, segment_ids) = t.scoped(self.names.embeddings, None, || {
            let (embedded, ids) = self.embeddings.forward_with_segments(t, input_ids);
            (embedded, megatron.then_some(ids))
        });
        let (padded, dtype) = (self.shell.padding_mask, self.shell.dtype());
        let mask = if megatron {
            mask::of_given(t, size.scores(), true, padded, dtype)
        } else {
            padded.then(|| mask::of_encoder(t, size, self.attention, dtype))
        };
        drop(ones);
        let mut last = (embedded.clone(), None);
        for (i, layer) in (0..).zip(&self.layers) {
            last = t.scoped(self.names.list, Some(i), || {
                self.shell.run_with_weights(t, layer, &last.0, &mask)
            });
        }
        let hidden = self.last_norm.forward(t, &last.0);
        drop((last, mask, segment_ids, embedded));
        hidden
    }
}

impl Encoder for PreNormBert {
    /// Token ids `[B, S]` to logits `[B, S, V]` or `[B, classes]` and, from labels, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let hidden = self.encode(t, input_ids);
        let facts = self.shell.facts;
        let reads = (self.pooler.as_ref(), &self.head);
        answered(t, facts, reads, &hidden, labels)
    }
}

/// `RobertaPreLayerNormLayer`, `XLMRobertaXLLayer` or `MegatronBertLayer`.
struct PreNormLayer {
    attention_norm: LayerNorm,
    attention: SelfAttention,
    attention_output: ResidualNorm,
    norm: LayerNorm,
    intermediate: Linear,
    output: ResidualNorm,
    activation: Activation,
    kind: BertKind,
}

impl PreNormLayer {
    fn new(b: &Builder, c: &BertConfig, names: &PreNorm, options: AttentionOptions) -> Self {
        let (hidden, inner, dropout) = (c.hidden_size, c.intermediate_size, c.dropout.residual);
        let norm = |name| LayerNorm::new(&b.at(name), hidden);
        let attention = || {
            let at = b.at("attention");
            let own = SelfAttention::new(&at.at("self"), c, options);
            (
                own,
                ResidualNorm::plain(&at.at("output"), hidden, c, dropout),
            )
        };
        let intermediate = || {
            let at = b.at("intermediate");
            Linear::new(&at.at("dense"), hidden, inner, true)
        };
        let dropout = dropout && c.kind != BertKind::XlmRobertaXl;
        let output = || ResidualNorm::plain(&b.at("output"), inner, c, dropout);
        let (attention_norm, attention, norm, intermediate, output) = match c.kind {
            BertKind::Megatron => {
                let first = norm(names.attention);
                let attention = attention();
                let norm = norm(names.feed_forward);
                (first, attention, norm, intermediate(), output())
            }
            BertKind::XlmRobertaXl => {
                let attention = attention();
                let first = norm(names.attention);
                let (intermediate, output) = (intermediate(), output());
                (
                    first,
                    attention,
                    norm(names.feed_forward),
                    intermediate,
                    output,
                )
            }
            _ => {
                let attention = attention();
                let first = norm(names.attention);
                let norm = norm(names.feed_forward);
                (first, attention, norm, intermediate(), output())
            }
        };
        let (attention, attention_output) = attention;
        Self {
            attention_norm,
            attention,
            attention_output,
            norm,
            intermediate,
            output,
            activation: c.activation,
            kind: c.kind,
        }
    }

    /// The norm and the wide layer: `[B, S, F]`, with what the caller holds.
    fn wide(&self, t: &Tape, x: &Tensor) -> (Tensor, Option<Tensor>) {
        let normed = self.norm.forward(t, x);
        let held = match self.kind {
            BertKind::RobertaPreNorm => None,
            _ => Some(normed.clone()),
        };
        let wide = self.intermediate.forward(t, &normed);
        drop(normed);
        let wide = activated(t, self.activation, wide);
        (wide, held.filter(|_| self.kind == BertKind::Megatron))
    }
}

impl WeighingBlock for PreNormLayer {
    /// The mask.
    type Shared = Option<Tensor>;

    fn outliving(mask: &Option<Tensor>, _facts: Facts) -> Option<Tensor> {
        mask.clone()
    }

    fn forward(&self, t: &Tape, x: &Tensor, mask: &Option<Tensor>) -> (Tensor, Option<Tensor>) {
        let (attended, weights) = t.scoped("attention", None, || {
            let normed = self.attention_norm.forward(t, x);
            let (out, weights) = self.attention.attend(t, &normed, mask.as_ref());
            let out = self.attention_output.forward(t, &out, x);
            drop(normed);
            (out, weights)
        });
        let (wide, held) = t.scoped("intermediate", None, || self.wide(t, &attended));
        let out = t.scoped("output", None, || self.output.forward(t, &wide, &attended));
        drop((wide, held, attended));
        (out, weights.filter(|_| self.kind == BertKind::Megatron))
    }
}

/// Builds the model.
pub(crate) fn build_pre_norm(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    let config: &BertConfig = spec.config();
    let names = config.kind.pre_norm().expect("a kind with norms before");
    Net::encoder(PreNormBert::new(b, config, names, spec, facts))
}

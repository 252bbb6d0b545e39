//! BART (`models/bart/modeling_bart.py`): an encoder and a decoder with one embedding.

use super::attention::{AttentionOptions, dropped};
use super::bart_layer::BartLayer;
use super::builder::Builder;
use super::decoder::Shell;
use super::facts::{Facts, Transformers};
use super::layers::{Embedding, LayerNorm, Linear};
use super::seq2seq::{Seq2Seq, Shared};
use super::{mask, mask_triangle};
use crate::spec::{Attention, BartConfig, ResolvedSpec};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `BartForConditionalGeneration`.
pub(super) struct Bart {
    shared: Embedding,
    encoder: Stack,
    decoder: Stack,
    final_logits_bias: Tensor,
    lm_head: Linear,
}

/// `BartEncoder` or `BartDecoder`.
struct Stack {
    embed_positions: Embedding,
    layers: Vec<Rc<BartLayer>>,
    layernorm_embedding: LayerNorm,
    decoder: bool,
    dropout: bool,
    eager: bool,
    dtype: DType,
    shell: Shell,
}

impl Bart {
    pub(super) fn new(b: &Builder, c: &BartConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions {
            dropout: c.dropout.attention,
            ..AttentionOptions::of(spec, facts)
        };
        let model = b.at("model");
        let shared = Embedding::of_input(&model.at("shared"), c.vocab_size, c.d_model).scaled();
        let stack = |name, decoder| Stack::new(&model.at(name), decoder, c, spec, options);
        let encoder = stack("encoder", false);
        let decoder = stack("decoder", true);
        model.ties();
        let final_logits_bias = b.buffer("final_logits_bias", [1, c.vocab_size], b.loaded_dtype());
        let tied = c.tie_word_embeddings.then_some(&shared.weight);
        let lm_head = Linear::of_output(&b.at("lm_head"), c.d_model, c.vocab_size, tied);
        Self {
            shared,
            encoder,
            decoder,
            final_logits_bias,
            lm_head,
        }
    }
}

impl Seq2Seq for Bart {
    fn shifts_first(&self) -> bool {
        true
    }

    fn stacks(&self) -> [&'static str; 2] {
        ["model.encoder", "model.decoder"]
    }

    fn encode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        self.encoder.forward(t, &self.shared, input_ids, None)
    }

    fn decode(&self, t: &Tape, ids: &Tensor, encoded: &Tensor) -> Tensor {
        self.decoder.forward(t, &self.shared, ids, Some(encoded))
    }

    fn head(&self, t: &Tape, decoded: &Tensor) -> (Tensor, Option<Tensor>) {
        let logits = self.lm_head.forward(t, decoded);
        (t.add(&logits, &self.final_logits_bias), None)
    }
}

impl Stack {
    fn new(
        b: &Builder,
        decoder: bool,
        c: &BartConfig,
        spec: &ResolvedSpec,
        options: AttentionOptions,
    ) -> Self {
        let own_table = [c.vocab_size, c.d_model];
        if options.facts.transformers == Transformers::V5 {
            b.at("embed_tokens").untied(own_table);
        } else {
            b.at("embed_tokens").replaced(own_table);
        }
        let embed_positions = Embedding::new(&b.at("embed_positions"), c.position_rows, c.d_model);
        let stack = if decoder { c.decoder } else { c.encoder };
        let layers = b.items("layers", stack.layers, |b| {
            Rc::new(BartLayer::new(b, c, stack, options, decoder))
        });
        Self {
            embed_positions,
            layers,
            layernorm_embedding: LayerNorm::new(&b.at("layernorm_embedding"), c.d_model),
            decoder,
            dropout: c.dropout.embedding,
            eager: spec.attention == Attention::Eager,
            dtype: b.dtype(),
            shell: Shell::new(b, spec, options.facts),
        }
    }

    /// `source`: the encoder's result, for the decoder.
    fn forward(
        &self,
        t: &Tape,
        embedding: &Embedding,
        ids: &Tensor,
        source: Option<&Tensor>,
    ) -> Tensor {
        let recent = self.shell.facts.transformers == Transformers::V5;
        let (b, s) = (ids.dim(0), ids.dim(1));
        let embedded = t.scoped("embed_tokens", None, || embedding.forward(t, ids));
        // The decoder of transformers 5 makes masks before it embeds the positions.
        let range = (recent && self.decoder).then(|| {
            let range = t.empty("arange", Shape::from([s]), DType::Int64);
            t.add_scalar(&range)
        });
        let early = self.decoder.then(|| self.decoder_masks(t, (b, s), source));
        let positions = t.scoped("embed_positions", None, || {
            let ids = match &range {
                Some(range) => t.view(range, [1, s]),
                None => t.expand(&t.empty("arange", Shape::from([s]), DType::Int64), [b, s]),
            };
            let rows = t.add_scalar(&ids);
            self.embed_positions.forward(t, &rows)
        });
        let mut hidden = t.add(&embedded, &positions);
        hidden = t.scoped("layernorm_embedding", None, || {
            self.layernorm_embedding.forward(t, &hidden)
        });
        hidden = dropped(t, hidden, self.dropout);
        let shared = early.unwrap_or_else(|| Shared {
            mask: self.padded(t, (b, s, s)),
            encoder: None,
            encoder_mask: None,
        });
        hidden = t.through_layers("layers", &self.layers, hidden, |_, layer, hidden| {
            self.shell.run(t, layer, hidden, &shared)
        });
        drop((shared, positions, range, embedded));
        hidden
    }

    /// The mask of padding that came with the batch: for B samples, queries and keys.
    fn padded(&self, t: &Tape, size: (u64, u64, u64)) -> Option<Tensor> {
        if !self.shell.has_mask() {
            return None;
        }
        let padded = self.shell.padding_mask;
        if self.shell.facts.transformers == Transformers::V5 {
            return mask::of_given(t, size, (self.eager, padded), self.dtype);
        }
        if !self.eager {
            mask::looks_for_padding(t, (size.0, size.2));
        }
        (padded || self.eager).then(|| mask_triangle::expanded(t, size, DType::Int64, self.dtype))
    }

    /// The masks of the decoder. Since transformers 5 it gives itself a padding mask of ones in
    /// float32 to make them from.
    fn decoder_masks(&self, t: &Tape, (b, s): (u64, u64), source: Option<&Tensor>) -> Shared {
        let mask = if self.shell.facts.transformers == Transformers::V5 {
            let cached = t.cached_tokens();
            let _ones = t.empty("ones", Shape::from([b, cached + s]), DType::Float32);
            mask::causal_of_all(t, (b, s), cached, (self.eager, self.dtype))
        } else {
            self.eager
                .then(|| mask_triangle::triangle(t, (b, s), self.dtype))
        };
        Shared {
            mask,
            encoder: source.cloned(),
            encoder_mask: source.and_then(|encoded| self.padded(t, (b, s, encoded.dim(1)))),
        }
    }
}

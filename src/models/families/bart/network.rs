//! BART and its kin (`models/{bart,mbart,plbart,blenderbot,blenderbot_small,pegasus,marian,m2m_100}/
//! modeling_*.py`): an encoder and a decoder with one embedding.

use super::layer::BartLayer;
use crate::ask::Attention;
use crate::families::bert::position_ids;
use crate::families::network::{Seq2Seq, Shared, seq2seq};
use crate::model::{BartConfig, BartKind, ResolvedSpec, Transformers};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear};
use crate::nn::decoder::Shell;
use crate::nn::masks::{BatchShape, ScoreShape};
use crate::nn::masks::{mask, triangle as mask_triangle};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `BartForConditionalGeneration`.
pub(crate) struct Bart {
    shared: Embedding,
    encoder: Stack,
    decoder: Stack,
    final_logits_bias: Option<Tensor>,
    lm_head: Linear,
    kind: BartKind,
}

/// `BartEncoder` or `BartDecoder`.
pub(crate) struct Stack {
    /// The stack's own embedding, if it does not share that of the other stack.
    embed_tokens: Option<Embedding>,
    embed_positions: Embedding,
    layers: Vec<Rc<BartLayer>>,
    layernorm_embedding: Option<LayerNorm>,
    layer_norm: Option<LayerNorm>,
    kind: BartKind,
    decoder: bool,
    dropout: bool,
    eager: bool,
    dtype: DType,
    shell: Shell,
}

impl Bart {
    pub(crate) fn new(b: &Builder, c: &BartConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
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
        let bias = || b.buffer("final_logits_bias", [1, c.vocab_size], b.loaded_dtype());
        let final_logits_bias = (c.kind != BartKind::M2m100).then(bias);
        let tied = c.tie_word_embeddings.then_some(&shared.weight);
        let lm_head = Linear::of_output(&b.at("lm_head"), c.d_model, c.vocab_size, tied);
        Self {
            shared,
            encoder,
            decoder,
            final_logits_bias,
            lm_head,
            kind: c.kind,
        }
    }
}

impl Seq2Seq for Bart {
    fn shifts_first(&self) -> bool {
        true
    }

    fn shifted(&self, t: &Tape, labels: &Tensor) -> Tensor {
        if self.kind.shifts_round() {
            shift_round(t, labels)
        } else {
            seq2seq::shift_right(t, labels)
        }
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
        match &self.final_logits_bias {
            Some(bias) => (t.add(&logits, bias), None),
            None => (logits, None),
        }
    }
}

impl Stack {
    pub(crate) fn new(
        b: &Builder,
        decoder: bool,
        c: &BartConfig,
        spec: &ResolvedSpec,
        options: AttentionOptions,
    ) -> Self {
        let own_table = [c.vocab_size, c.d_model];
        let table = b.at("embed_tokens");
        let recent = options.facts.transformers == Transformers::V5;
        let embed_tokens = (recent && !c.alone && !c.tie_word_embeddings)
            .then(|| Embedding::new(&table, c.vocab_size, c.d_model).scaled());
        match options.facts.transformers {
            _ if c.alone || embed_tokens.is_some() => {}
            Transformers::V5 => table.untied(own_table),
            // A table that is given is not made a second time.
            _ if c.kind.has_fixed_positions() => {}
            _ => table.replaced(own_table),
        }
        let (at, rows) = (b.at("embed_positions"), c.position_rows);
        let embed_positions = match c.kind {
            BartKind::M2m100 => Embedding::of_weight(
                &at,
                at.buffer("weights", [rows, c.d_model], b.loaded_dtype()),
            ),
            kind if kind.has_fixed_positions() => {
                Embedding::of_weight(&at, at.frozen([rows, c.d_model]))
            }
            _ => Embedding::new(&at, rows, c.d_model),
        };
        let stack = if decoder { c.decoder } else { c.encoder };
        let layers = b.layers("layers", stack.layers, |b| {
            Rc::new(BartLayer::new(b, c, stack, options, decoder))
        });
        Self {
            embed_tokens,
            embed_positions,
            layers,
            layernorm_embedding: (c.kind.normalizes_embedding())
                .then(|| LayerNorm::new(&b.at("layernorm_embedding"), c.d_model)),
            layer_norm: (c.kind.norms_first())
                .then(|| LayerNorm::new(&b.at("layer_norm"), c.d_model)),
            kind: c.kind,
            decoder,
            dropout: c.dropout.embedding,
            eager: spec.attention == Attention::Eager,
            dtype: b.dtype(),
            shell: Shell::new(b, spec, options.facts),
        }
    }

    /// `source`: the encoder's result, for a decoder that is not alone.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        embedding: &Embedding,
        ids: &Tensor,
        source: Option<&Tensor>,
    ) -> Tensor {
        let recent = self.shell.facts.transformers == Transformers::V5;
        let embedding = self.embed_tokens.as_ref().unwrap_or(embedding);
        let size = BatchShape::of(ids);
        let BatchShape { b, s } = size;
        let mut embedded = t.scoped("embed_tokens", None, || embedding.forward(t, ids));
        // The decoder of transformers 5 makes masks before it embeds the positions.
        let ranged = recent && self.decoder && self.kind != BartKind::M2m100;
        let range = ranged.then(|| {
            let range = t.empty("arange", Shape::from([s]), DType::Int64);
            t.add_scalar(&range)
        });
        let (early, ones) = if self.decoder {
            let (shared, ones) = self.decoder_masks(t, ids, source);
            (Some(shared), ones)
        } else {
            (None, None)
        };
        let positions = t.scoped("embed_positions", None, || {
            if self.kind == BartKind::M2m100 {
                let rows = position_ids(t, size, true);
                return self.embed_positions.forward(t, &rows);
            }
            let arange = || t.empty("arange", Shape::from([s]), DType::Int64);
            let ids = range.clone().unwrap_or_else(arange);
            if self.kind.counts_from_zero() {
                return self.embed_positions.forward(t, &ids);
            }
            let ids = match &range {
                Some(_) => t.view(&ids, [1, s]),
                None => t.expand(&ids, [b, s]),
            };
            let rows = t.add_scalar(&ids);
            self.embed_positions.forward(t, &rows)
        });
        // The tensor made of the positions takes their name.
        let range = range.filter(|_| {
            matches!(
                self.kind,
                BartKind::Bart | BartKind::Plbart | BartKind::Pegasus
            )
        });
        let norm = |x: &Tensor| match &self.layernorm_embedding {
            Some(norm) => t.scoped("layernorm_embedding", None, || norm.forward(t, x)),
            None => x.clone(),
        };
        let mut hidden = if self.kind == BartKind::BlenderbotSmall && self.decoder {
            embedded = norm(&embedded);
            t.add(&embedded, &positions)
        } else {
            let sum = t.add(&embedded, &positions);
            norm(&sum)
        };
        hidden = dropped(t, hidden, self.dropout);
        let shared = early.unwrap_or_else(|| Shared {
            mask: self.padded(t, size.scores()),
            encoder: None,
            encoder_mask: None,
        });
        hidden = t.through_layers("layers", &self.layers, hidden, |_, layer, hidden| {
            self.shell.run(t, layer, hidden, &shared)
        });
        if let Some(norm) = &self.layer_norm {
            hidden = t.scoped("layer_norm", None, || norm.forward(t, &hidden));
        }
        if self.kind == BartKind::Bart {
            drop((shared, positions, range, embedded));
        } else {
            drop((ones, embedded, shared, range, positions));
        }
        hidden
    }

    /// The positions `[B, S', H]` that get logits.
    pub(crate) fn kept_positions(&self, t: &Tape, hidden: &Tensor) -> Tensor {
        self.shell.kept_positions(t, hidden)
    }

    /// The mask of padding that came with the batch: for B samples, queries and keys.
    fn padded(&self, t: &Tape, size: ScoreShape) -> Option<Tensor> {
        if !self.shell.has_mask() {
            return None;
        }
        let padded = self.shell.padding_mask;
        if self.shell.facts.transformers == Transformers::V5 {
            return mask::of_given(t, size, self.eager, padded, self.dtype);
        }
        if !self.eager {
            mask::looks_for_padding(t, size.seen());
        }
        (padded || self.eager).then(|| mask_triangle::expanded(t, size, DType::Int64, self.dtype))
    }

    /// The masks of the decoder. Since transformers 5 it gives itself a padding mask of ones in
    /// float32 to make them from, which comes with them where it stays.
    fn decoder_masks(
        &self,
        t: &Tape,
        ids: &Tensor,
        source: Option<&Tensor>,
    ) -> (Shared, Option<Tensor>) {
        let size = BatchShape::of(ids);
        let BatchShape { b, s } = size;
        let mut ones = None;
        let mask = if source.is_none() && self.shell.has_mask() {
            let style = self.shell.facts.mask_style();
            self.shell.causal_mask(t, ids, None, style)
        } else if self.shell.facts.transformers == Transformers::V5 {
            let cached = t.cached_tokens();
            ones = Some(t.empty("ones", Shape::from([b, cached + s]), DType::Float32));
            let mask = mask::causal_of_all(t, size, cached, self.eager, self.dtype);
            // The mask of BART, PLBART and M2M100 takes its name.
            ones = ones.filter(|_| {
                !matches!(
                    self.kind,
                    BartKind::Bart | BartKind::Plbart | BartKind::M2m100
                )
            });
            mask
        } else {
            // One token sees all.
            (self.eager && s > 1).then(|| mask_triangle::triangle(t, size, self.dtype))
        };
        let shared = Shared {
            mask,
            encoder: source.cloned(),
            encoder_mask: source.and_then(|source| {
                self.padded(
                    t,
                    ScoreShape {
                        keys: source.dim(1),
                        ..size.scores()
                    },
                )
            }),
        };
        (shared, ones)
    }
}

/// `shift_tokens_right` of mBART and PLBART: the decoder's ids from the labels, of which the last that is no padding
/// comes first.
fn shift_round(t: &Tape, labels: &Tensor) -> Tensor {
    let (b, n) = (labels.dim(0), labels.dim(1));
    let ids = t.empty("clone", Shape::from([b, n]), DType::Int64);
    drop(t.empty("eq", Shape::from([b, n]), DType::Bool));
    let column = |op| t.empty(op, Shape::from([b]), DType::Int64);
    let last = {
        let _other = t.empty("ne", Shape::from([b, n]), DType::Bool);
        let sum = column("sum");
        drop(t.empty("sum", Shape::from([b, n]), DType::Int64));
        sum
    };
    let end = column("sub");
    drop(last);
    let start = column("gather");
    drop(t.empty("clone", Shape::from([b, n - 1]), DType::Int64));
    drop((end, start));
    ids
}

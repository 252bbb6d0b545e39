//! `T5Gemma` (`models/t5gemma/modeling_t5gemma.py` of transformers 5.23): an encoder and a decoder of
//! Gemma 2's layers, each with an embedding of its own.

use super::layer::{Given, T5GemmaLayer};
use crate::families::network::Net;
use crate::families::network::Seq2Seq;
use crate::model::{DecoderConfig, MaskStyle, NormKind, ResolvedSpec, T5GemmaConfig};
use crate::nn::attention::{AttentionOptions, Rotary, dropped};
use crate::nn::build::{Builder, Embedding, Facts, Linear, Norm};
use crate::nn::decoder::{KeptStates, Shared, Shell};
use crate::nn::heads::loss;
use crate::nn::masks::BatchShape;
use crate::nn::masks::{BothSides, ScoreShape};
use crate::nn::masks::{MaskRequest, mask, of_both_sides};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `T5GemmaForConditionalGeneration`.
pub(crate) struct T5Gemma {
    encoder: Stack,
    decoder: Stack,
    out_proj: Linear,
    softcap: bool,
}

/// `T5GemmaEncoder` or `T5GemmaDecoder`.
struct Stack {
    embed_tokens: Embedding,
    norm: Norm,
    layers: Vec<Rc<T5GemmaLayer>>,
    rotary: Rotary,
    windowed: Vec<bool>,
    window: Option<u64>,
    dropout: bool,
    shell: Shell,
}

impl T5Gemma {
    pub(crate) fn new(b: &Builder, c: &T5GemmaConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let model = b.at("model");
        let options = AttentionOptions {
            dropout: c.decoder.dropout.attention,
            ..AttentionOptions::of(spec, facts)
        };
        let stack = |name, own: &DecoderConfig, crosses: Option<u64>| {
            let b = model.at(name);
            // `get_input_embeddings` of the whole gives the encoder's.
            let embed_tokens =
                Embedding::of_input(&b.at("embed_tokens"), own.vocab_size, own.hidden_size)
                    .noisy_where(crosses.is_none());
            let norm = Norm::new(&b.at("norm"), NormKind::OnePlusRoot, own.hidden_size);
            let layers =
                b.layers_repeating(own.repetition(), "layers", own.num_hidden_layers, |b| {
                    Rc::new(T5GemmaLayer::new(b, own, options, (crosses, c.dropout)))
                });
            Stack {
                embed_tokens,
                norm,
                layers,
                rotary: Rotary::new(&b.at("rotary_emb"), own.head_dim, facts),
                windowed: own.windowed.clone(),
                window: own.sliding_window,
                dropout: c.dropout,
                shell: Shell::new(&b, spec, facts),
            }
        };
        let encoder = stack("encoder", &c.encoder, None);
        let decoder = stack("decoder", &c.decoder, Some(c.encoder.hidden_size));
        let tied = c
            .tie_word_embeddings
            .then_some(&decoder.embed_tokens.weight);
        let at = b.at("lm_head").at("out_proj");
        let out_proj = Linear::of_output(&at, c.decoder.hidden_size, c.decoder.vocab_size, tied);
        Self {
            encoder,
            decoder,
            out_proj,
            softcap: c.decoder.final_softcap,
        }
    }
}

impl Seq2Seq for T5Gemma {
    fn shifts_first(&self) -> bool {
        true
    }

    fn gives_decoded(&self) -> bool {
        true
    }

    fn stacks(&self) -> [&'static str; 2] {
        ["model.encoder", "model.decoder"]
    }

    fn encode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        t.without_cache(|| self.encoder.forward(t, input_ids, None))
    }

    fn decode(&self, t: &Tape, ids: &Tensor, encoded: &Tensor) -> Tensor {
        self.decoder.forward(t, ids, Some(encoded))
    }

    fn head(&self, t: &Tape, decoded: &Tensor) -> (Tensor, Option<Tensor>) {
        let kept = self.decoder.shell.kept_positions(t, decoded);
        let mut logits = self.out_proj.forward(t, &kept);
        if self.softcap {
            logits = t.div_scalar(&logits);
            logits = t.tanh(&logits);
            logits = t.mul_scalar(&logits);
        }
        (logits, None)
    }

    fn loss(&self, t: &Tape, logits: &Tensor, labels: &Tensor) -> Tensor {
        loss::of_classes_in_float32(t, logits, labels)
    }
}

impl Stack {
    /// Token ids `[B, S]` to hidden states `[B, S, H]`; a decoder's with the encoder's result.
    fn forward(&self, t: &Tape, ids: &Tensor, source: Option<&Tensor>) -> Tensor {
        let size = BatchShape::of(ids);
        let embedded = t.scoped("embed_tokens", None, || self.embed_tokens.forward(t, ids));
        let positions = match source {
            Some(_) => self.shell.positions(t, size.s),
            None => t.empty("arange", Shape::from([size.s]), DType::Int64),
        };
        // A padding mask of its own, of ones.
        let given = source.is_none() && self.shell.has_mask();
        let ones = (!given && !t.has_cache()).then(|| {
            let _real = t.empty("ne", *ids.shape(), DType::Bool);
            t.empty("_to_copy", *ids.shape(), DType::Int64)
        });
        let dtype = embedded.dtype();
        let padded = given && self.shell.padding_mask;
        let [full, near] = [None, self.window].map(|window| match source {
            None => self.both_sides(t, size, padded, window, dtype),
            Some(_) => self.causal(t, size, ones.is_some(), window, dtype),
        });
        let crossing = source.filter(|_| self.shell.has_mask());
        let encoder_mask = crossing.and_then(|source| {
            let size = ScoreShape {
                keys: source.dim(1),
                ..size.scores()
            };
            self.of_padding(t, size, self.shell.padding_mask, dtype)
        });
        let mut hidden = t.mul_scalar(&embedded);
        hidden = dropped(t, hidden, self.dropout);
        let (cos, sin) = t.scoped("rotary_emb", None, || {
            self.rotary.forward(t, &positions, dtype)
        });
        let given = |mask: Option<Tensor>| Given {
            own: Shared {
                positions: Some(positions.clone()),
                mask,
                cos: cos.clone(),
                sin: sin.clone(),
                narrows: None,
                input: None,
                states: KeptStates::default(),
                chosen: None,
                crossing: None,
                _others: None,
            },
            encoder: source.cloned(),
            encoder_mask: encoder_mask.clone(),
        };
        let [full, near] = [full, near].map(given);
        hidden = t.through_layers("layers", &self.layers, hidden, |i, layer, hidden| {
            let windowed = self.windowed.get(i).copied().unwrap_or(false);
            self.shell
                .run(t, layer, hidden, if windowed { &near } else { &full })
        });
        hidden = t.scoped("norm", None, || self.norm.forward(t, &hidden));
        let out = dropped(t, hidden, self.dropout);
        drop((
            embedded,
            ones,
            full,
            near,
            cos,
            sin,
            positions,
            encoder_mask,
        ));
        out
    }

    /// The mask of an encoder's layers that see a window on each side, if one is given.
    fn both_sides(
        &self,
        t: &Tape,
        size: BatchShape,
        padded: bool,
        window: Option<u64>,
        dtype: DType,
    ) -> Option<Tensor> {
        // Without padding a window that all keys are in is none.
        let narrow = window.is_some_and(|window| padded || window <= size.s);
        if !narrow || self.shell.flash {
            return self.of_padding(t, size.scores(), padded, dtype);
        }
        let sees = BothSides {
            eager: true,
            padded: true,
            window,
        };
        of_both_sides(t, size, sees, dtype)
    }

    /// The mask of a decoder's layers that see a window, if one is given.
    fn causal(
        &self,
        t: &Tape,
        size: BatchShape,
        ones: bool,
        window: Option<u64>,
        dtype: DType,
    ) -> Option<Tensor> {
        if self.shell.flash {
            return self.of_padding(t, size.scores(), false, dtype);
        }
        let cached = t.cached_tokens();
        let left = |window: u64| cached.min(window.saturating_sub(1));
        mask::causal(
            t,
            MaskRequest {
                eager: true,
                padding: ones,
                window: window.is_some(),
                chunked: false,
                padded: false,
                size,
                cached,
                keys: size.s + window.map_or(cached, left),
                dtype,
                style: MaskStyle::Boolean,
            },
        )
    }

    /// The mask of padding for B samples, queries and keys: none where nothing is `padded`, which is looked
    /// for.
    fn of_padding(&self, t: &Tape, size: ScoreShape, padded: bool, dtype: DType) -> Option<Tensor> {
        if self.shell.flash && padded {
            return Some(mask::of_padding(t, size.seen(), MaskStyle::Boolean));
        }
        mask::of_given(t, size, true, padded, dtype)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::seq2seq(T5Gemma::new(b, spec.config(), spec, facts))
}

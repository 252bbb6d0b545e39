//! T5, mT5 and UMT5 (`models/{t5,umt5}/modeling_*.py`): an encoder and a decoder with one embedding.

use super::block::{Biases, Block, T5Norm};
use crate::ask::{ActivationCheckpointing, Attention};
use crate::families::network::Net;
use crate::families::network::{Seq2Seq, Shared};
use crate::model::{MaskStyle, ResolvedSpec, T5Config, T5Kind, Transformers};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Call, Embedding, Facts, Linear};
use crate::nn::masks::BatchShape;
use crate::nn::masks::ScoreShape;
use crate::nn::masks::{MaskRequest, mask};
use crate::tape::{Region, SdpaKernel, Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// Options of all modules of the model.
#[derive(Clone, Copy)]
pub(crate) struct T5Options {
    pub(crate) attention: Attention,
    pub(crate) forced: Option<SdpaKernel>,
    pub(crate) dropout: bool,
    /// Whether each layer has biases of its own (UMT5), not those of the first.
    pub(crate) own_biases: bool,
    pub(crate) checkpointing: ActivationCheckpointing,
    pub(crate) facts: Facts,
}

/// `T5ForConditionalGeneration`.
pub(crate) struct T5 {
    shared: Embedding,
    encoder: Stack,
    decoder: Stack,
    lm_head: Linear,
    /// Whether the decoder's result is scaled before the head.
    scales: bool,
}

/// `T5Stack`.
struct Stack {
    blocks: Vec<Rc<Block>>,
    final_layer_norm: T5Norm,
    decoder: bool,
    dtype: DType,
    padding: bool,
    call: Rc<Call>,
    options: T5Options,
}

impl T5 {
    pub(crate) fn new(b: &Builder, c: &T5Config, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = T5Options {
            attention: spec.attention,
            forced: AttentionOptions::of(spec, facts).forced,
            dropout: c.dropout,
            own_biases: c.kind == T5Kind::Umt5,
            checkpointing: spec.activation_checkpointing,
            facts,
        };
        let recent = facts.transformers == Transformers::V5;
        let shared = Embedding::of_input(&b.at("shared"), c.vocab_size, c.d_model);
        let stack = |name, decoder| Stack::new(&b.at(name), decoder, c, spec, options);
        let encoder = stack("encoder", false);
        let decoder = stack("decoder", true);
        let tied = (recent || c.tie_word_embeddings).then_some(&shared.weight);
        let lm_head = Linear::of_output(&b.at("lm_head"), c.d_model, c.vocab_size, tied);
        Self {
            shared,
            encoder,
            decoder,
            lm_head,
            scales: c.tie_word_embeddings && !(recent && c.kind == T5Kind::Mt5),
        }
    }
}

impl Seq2Seq for T5 {
    fn shifts_first(&self) -> bool {
        false
    }

    fn encode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        self.encoder.forward(t, &self.shared, input_ids, None)
    }

    fn decode(&self, t: &Tape, ids: &Tensor, encoded: &Tensor) -> Tensor {
        self.decoder.forward(t, &self.shared, ids, Some(encoded))
    }

    fn head(&self, t: &Tape, decoded: &Tensor) -> (Tensor, Option<Tensor>) {
        let scaled = if self.scales {
            t.mul_scalar(decoded)
        } else {
            decoded.clone()
        };
        (self.lm_head.forward(t, &scaled), Some(scaled))
    }
}

impl Stack {
    fn new(
        b: &Builder,
        decoder: bool,
        c: &T5Config,
        spec: &ResolvedSpec,
        options: T5Options,
    ) -> Self {
        if options.facts.transformers == Transformers::V5 {
            b.at("embed_tokens").untied([c.vocab_size, c.d_model]);
        }
        let layers = if decoder {
            c.num_decoder_layers
        } else {
            c.num_layers
        };
        let blocks = b.layers("block", layers, |b| {
            Rc::new({
                let biased = b.is_first() || options.own_biases;
                Block::new(b, c, options, decoder, biased)
            })
        });
        Self {
            blocks,
            final_layer_norm: T5Norm::new(&b.at("final_layer_norm"), c.d_model),
            decoder,
            dtype: b.dtype(),
            padding: spec.padding_mask,
            call: b.call(),
            options,
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
        let embedded = t.scoped("embed_tokens", None, || embedding.forward(t, ids));
        let size = BatchShape::of(ids);
        // cache_position (transformers 4), which the blocks only hold.
        let positions = (self.options.facts.transformers != Transformers::V5)
            .then(|| t.empty("arange", Shape::from([size.s]), DType::Int64));
        let (shared, locals) = if self.options.facts.transformers == Transformers::V5 {
            (self.masks(t, size, source), Vec::new())
        } else {
            self.masks_of_four(t, size, source)
        };
        let mut biases = Biases {
            own: None,
            cross: None,
        };
        let mut hidden = dropped(t, embedded.clone(), self.options.dropout);
        hidden = t.through_layers("block", &self.blocks, hidden, |_, block, hidden| {
            let next = self.block(t, block, hidden, (&shared, &positions), &biases);
            biases = next.1;
            next.0
        });
        // The last block's results stay a local variable (transformers 4).
        let last = (self.options.facts.transformers != Transformers::V5).then(|| hidden.clone());
        hidden = t.scoped("final_layer_norm", None, || {
            self.final_layer_norm.forward(t, &hidden)
        });
        let out = dropped(t, hidden, self.options.dropout);
        drop((last, biases, shared, locals, positions, embedded));
        out
    }

    /// Runs a block with what wraps it, which transformers 4 checkpoints, too.
    fn block(
        &self,
        t: &Tape,
        block: &Rc<Block>,
        hidden: &Tensor,
        (shared, positions): (&Shared, &Option<Tensor>),
        biases: &Biases,
    ) -> (Tensor, Biases) {
        if self.options.facts.checkpoints_calls() {
            return self.checkpointed(t, block, hidden, (shared, positions), biases);
        }
        called(t, hidden, shared, biases, |hidden, shared, biases| {
            self.checkpointed(t, block, hidden, (shared, positions), biases)
        })
    }

    /// Runs a block, checkpointed if that is asked for.
    fn checkpointed(
        &self,
        t: &Tape,
        block: &Rc<Block>,
        hidden: &Tensor,
        (shared, positions): (&Shared, &Option<Tensor>),
        biases: &Biases,
    ) -> (Tensor, Biases) {
        let calls = self.options.facts.checkpoints_calls();
        let run = move |t: &Tape, block: &Block, x: &Tensor, shared: &Shared, biases: &Biases| {
            if calls {
                called(t, x, shared, biases, |x, shared, biases| {
                    block.forward(t, x, shared, biases)
                })
            } else {
                block.forward(t, x, shared, biases)
            }
        };
        let again = {
            let (block, shared, biases) = (Rc::clone(block), shared.clone(), biases.clone());
            let positions = positions.clone();
            move |t: &Tape, inputs: &[Tensor]| {
                let _held = &positions;
                let (mut shared, mut biases) = (shared.clone(), biases.clone());
                let slots = [&mut biases.own, &mut shared.encoder, &mut biases.cross];
                for (slot, input) in slots.into_iter().flatten().zip(&inputs[1..]) {
                    slot.clone_from(input);
                }
                run(t, &block, &inputs[0], &shared, &biases)
            }
        };
        match self.options.checkpointing {
            ActivationCheckpointing::None => run(t, block, hidden, shared, biases),
            ActivationCheckpointing::Full | ActivationCheckpointing::Operations => {
                let region: Region<_> = Rc::new(move |t, x| again(t, std::slice::from_ref(x)));
                t.checkpoint(hidden, &region)
            }
            ActivationCheckpointing::FullReentrant => {
                let region = move |t: &Tape, inputs: &[Tensor]| {
                    let (out, Biases { own, cross }) = again(t, inputs);
                    [Some(out), own, cross].into_iter().flatten().collect()
                };
                let trained = [&biases.own, &shared.encoder, &biases.cross];
                let inputs: Vec<_> = [hidden]
                    .into_iter()
                    .chain(trained.into_iter().flatten())
                    .collect();
                // UMT5 is given the encoder's mask as a keyword argument.
                let kept = shared.encoder_mask.clone();
                let kept = kept.filter(|_| self.options.own_biases);
                let results = t.checkpoint_reentrant(&inputs, Rc::new(region), Rc::new(kept));
                let mut results = results.into_iter();
                let out = results.next().unwrap_or_else(|| hidden.clone());
                let (own, cross) = (results.next(), results.next());
                (out, Biases { own, cross })
            }
        }
    }

    /// transformers 5: masks in which everything is true are not made.
    fn masks(&self, t: &Tape, size: BatchShape, source: Option<&Tensor>) -> Shared {
        let eager = self.options.attention == Attention::Eager;
        let padded = |keys| {
            let given = self.padding || self.call.has_mask();
            let scores = ScoreShape {
                keys,
                ..size.scores()
            };
            let of = || mask::of_given(t, scores, eager, self.padding, self.dtype);
            given.then(of).flatten()
        };
        let cached = t.cached_tokens();
        let mask = if self.decoder {
            mask::causal(
                t,
                MaskRequest {
                    padded: false,
                    cached,
                    keys: cached + size.s,
                    eager,
                    padding: false,
                    window: false,
                    chunked: false,
                    size,
                    dtype: self.dtype,
                    style: MaskStyle::Boolean,
                },
            )
        } else {
            padded(size.s)
        };
        Shared {
            mask,
            encoder: source.cloned(),
            encoder_mask: source.and_then(|encoded| padded(encoded.dim(1))),
        }
    }

    /// transformers 4: masks are always made; with what the function holds besides.
    fn masks_of_four(
        &self,
        t: &Tape,
        size: BatchShape,
        source: Option<&Tensor>,
    ) -> (Shared, Vec<Tensor>) {
        let mut locals = Vec::new();
        let ones = |n, dtype| t.empty("ones", Shape::from([size.b, n]), dtype);
        let mask;
        if self.decoder {
            locals.push(ones(size.s, DType::Float32));
            mask = Some(mask::causal_of_ones(t, size, self.dtype));
        } else {
            let mut given = DType::Int64;
            if !self.padding {
                locals.push(ones(size.s, DType::Float32));
                given = DType::Float32;
            }
            mask = Some(mask::inverted(t, size, given, self.dtype));
        }
        let encoder_mask = source.map(|encoded| {
            let keys = encoded.dim(1);
            if !self.padding {
                locals.push(ones(keys, DType::Int64));
            }
            mask::inverted(t, size.with_len(keys), DType::Int64, self.dtype)
        });
        let shared = Shared {
            mask,
            encoder: source.cloned(),
            encoder_mask,
        };
        (shared, locals)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::seq2seq(T5::new(b, spec.config(), spec, facts))
}

/// Calls a block, whose `forward` is `run`, as a module with what wraps it.
fn called(
    t: &Tape,
    hidden: &Tensor,
    shared: &Shared,
    biases: &Biases,
    run: impl FnOnce(&Tensor, &Shared, &Biases) -> (Tensor, Biases),
) -> (Tensor, Biases) {
    if !t.wraps_modules() {
        return run(hidden, shared, biases);
    }
    let (mut hidden, mut shared, mut biases) = (hidden.clone(), shared.clone(), biases.clone());
    let given = [&mut biases.own, &mut shared.encoder, &mut biases.cross];
    let given = given.into_iter().filter_map(Option::as_mut);
    t.before_module(&mut [&mut hidden].into_iter().chain(given).collect::<Vec<_>>());
    let (mut out, mut biases) = run(&hidden, &shared, &biases);
    let beside = [&mut biases.own, &mut biases.cross];
    let beside = beside.into_iter().filter_map(Option::as_mut);
    t.after_module(&mut [&mut out].into_iter().chain(beside).collect::<Vec<_>>());
    (out, biases)
}

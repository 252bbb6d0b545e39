//! Whisper (`models/whisper/modeling_whisper.py`): two convolutions over a spectrogram, an encoder
//! and a decoder.

use super::layer::BartLayer;
use crate::families::network::Net;
use crate::families::network::{Seq2Seq, Shared};
use crate::model::{BartConfig, Recordings, ResolvedSpec, Transformers};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear};
use crate::nn::decoder::Shell;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `WhisperForConditionalGeneration`.
pub(crate) struct Whisper {
    conv1: Convolution,
    /// Whether the result of the first convolution is made to require a gradient: since
    /// transformers 5 it is an input embedding, too.
    conv1_requires_gradient: bool,
    conv2: Convolution,
    /// `[positions, H]`, never trained.
    heard_positions: Tensor,
    encoder: Stack,
    embed_tokens: Embedding,
    /// `[positions, H]`.
    embed_positions: Tensor,
    decoder: Stack,
    proj_out: Linear,
}

/// The layers of `WhisperEncoder` or `WhisperDecoder`.
struct Stack {
    layers: Vec<Rc<BartLayer>>,
    layer_norm: LayerNorm,
    dropout: bool,
    shell: Shell,
}

/// `torch.nn.Conv1d` of three frames, with one frame of zeros around.
struct Convolution {
    weight: Tensor,
    bias: Tensor,
    stride: u64,
}

impl Convolution {
    fn new(b: &Builder, [inputs, outputs]: [u64; 2], stride: u64) -> Self {
        Self {
            weight: b.parameter("weight", [outputs, inputs, 3]),
            bias: b.parameter("bias", [outputs]),
            stride,
        }
    }

    /// `[B, inputs, L]` to `[B, outputs, L / stride]`.
    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        t.conv1d(x, &self.weight, Some(&self.bias), [self.stride, 1])
    }
}

impl Whisper {
    pub(crate) fn new(
        b: &Builder,
        c: &BartConfig,
        recordings: Recordings,
        spec: &ResolvedSpec,
        facts: Facts,
    ) -> Self {
        // The spectrogram is never masked.
        let spec = &ResolvedSpec {
            padding_mask: false,
            ..spec.clone()
        };
        let options = AttentionOptions {
            dropout: c.dropout.attention,
            ..AttentionOptions::of(spec, facts)
        };
        let stack = |b: &Builder, decoder| Stack::new(b, decoder, c, spec, options);
        let model = b.at("model");
        let at = model.at("encoder");
        let conv1 = Convolution::new(&at.at("conv1"), [recordings.num_mel_bins, c.d_model], 1);
        let conv2 = Convolution::new(&at.at("conv2"), [c.d_model, c.d_model], 2);
        let rows = [recordings.max_source_positions, c.d_model];
        let heard_positions = at.at("embed_positions").frozen(rows);
        let encoder = stack(&at, false);
        let at = model.at("decoder");
        let asked = b.input_requires_gradient(false);
        let embed_tokens = Embedding::new(&at.at("embed_tokens"), c.vocab_size, c.d_model);
        let embed_tokens = embed_tokens.with_gradient(asked);
        let rows = [c.position_rows, c.d_model];
        let embed_positions = at.at("embed_positions").parameter("weight", rows);
        let decoder = stack(&at, true);
        let tied = c.tie_word_embeddings.then_some(&embed_tokens.weight);
        let proj_out = Linear::of_output(&b.at("proj_out"), c.d_model, c.vocab_size, tied);
        Self {
            conv1,
            conv1_requires_gradient: asked && facts.transformers == Transformers::V5,
            conv2,
            heard_positions,
            encoder,
            embed_tokens,
            embed_positions,
            decoder,
            proj_out,
        }
    }
}

impl Seq2Seq for Whisper {
    fn stacks(&self) -> [&'static str; 2] {
        ["model.encoder", "model.decoder"]
    }

    fn shifts_first(&self) -> bool {
        true
    }

    /// A spectrogram `[B, channels, frames]` to `[B, S, H]`.
    fn encode(&self, t: &Tape, features: &Tensor) -> Tensor {
        let audio = t.scoped("conv1", None, || {
            let mut audio = self.conv1.forward(t, features);
            if self.conv1_requires_gradient && !audio.requires_grad() {
                audio = t.input_leaf(&audio);
            }
            t.gelu(&audio)
        });
        let audio = t.scoped("conv2", None, || {
            let narrower = self.conv2.forward(t, &audio);
            let active = t.gelu(&narrower);
            drop((narrower, audio));
            active
        });
        let embedded = t.transpose(&audio, 1, 2);
        drop(audio);
        let facts = self.encoder.shell.facts;
        let (hidden, range) = t.scoped("embed_positions", None, || {
            let table = &self.heard_positions;
            if facts.transformers != Transformers::V5 {
                return (t.add(&embedded, table), None);
            }
            let range = t.empty("arange", Shape::from([table.dim(0)]), DType::Int64);
            let positions = t.embedding(table, &range);
            (t.add(&embedded, &positions), Some(range))
        });
        let shared = Shared {
            mask: None,
            encoder: None,
            encoder_mask: None,
        };
        let out = self.encoder.forward(t, hidden, &shared);
        drop((range, embedded));
        out
    }

    fn decode(&self, t: &Tape, ids: &Tensor, encoded: &Tensor) -> Tensor {
        let (b, s) = (ids.dim(0), ids.dim(1));
        let embedded = t.scoped("embed_tokens", None, || self.embed_tokens.forward(t, ids));
        let shell = &self.decoder.shell;
        let version = shell.facts.transformers;
        let range = shell.positions(t, s);
        let rows = if version == Transformers::V448 {
            range.clone()
        } else {
            t.empty("repeat", Shape::from([b, s]), DType::Int64)
        };
        // transformers 4 holds on to the positions that it repeats.
        let range = Some(range).filter(|_| version != Transformers::V5);
        let positions = t.scoped("embed_positions", None, || {
            let positions = t.index_rows(&self.embed_positions, &rows);
            t.view(&positions, [rows.numel() / s, s, positions.dim(1)])
        });
        let hidden = t.add(&embedded, &positions);
        let shared = Shared {
            mask: shell.causal_mask(t, ids, None, shell.facts.mask_style()),
            encoder: Some(encoded.clone()),
            encoder_mask: None,
        };
        let out = self.decoder.forward(t, hidden, &shared);
        drop((shared, positions, rows, range, embedded));
        out
    }

    fn head(&self, t: &Tape, decoded: &Tensor) -> (Tensor, Option<Tensor>) {
        (self.proj_out.forward(t, decoded), None)
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
        let stack = if decoder { c.decoder } else { c.encoder };
        let layers = b.layers("layers", stack.layers, |b| {
            Rc::new(BartLayer::new(b, c, stack, options, decoder))
        });
        Self {
            layers,
            layer_norm: LayerNorm::new(&b.at("layer_norm"), c.d_model),
            dropout: c.dropout.embedding,
            shell: Shell::new(b, spec, options.facts),
        }
    }

    fn forward(&self, t: &Tape, embedded: Tensor, shared: &Shared) -> Tensor {
        let hidden = dropped(t, embedded, self.dropout);
        let hidden = t.through_layers("layers", &self.layers, hidden, |_, layer, hidden| {
            self.shell.run(t, layer, hidden, shared)
        });
        t.scoped("layer_norm", None, || self.layer_norm.forward(t, &hidden))
    }
}

/// Builds the model.
pub(crate) fn build_whisper(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    let config: &BartConfig = spec.config();
    let recordings = config.recordings.expect("a config of Whisper");
    Net::seq2seq(Whisper::new(b, config, recordings, spec, facts))
}

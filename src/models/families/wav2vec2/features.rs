//! The convolutions that turn a waveform into positions (`Wav2Vec2FeatureEncoder` and
//! `Wav2Vec2PositionalConvEmbedding`, transformers 5.23).

use crate::model::{Activation, SpeechConfig};
use crate::nn::build::{Builder, Facts, LayerNorm};
use crate::nn::decoder::Block;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::Shape;

/// `Wav2Vec2NoLayerNormConvLayer` and its like.
pub(crate) struct ConvLayer {
    weight: Tensor,
    bias: Option<Tensor>,
    stride: u64,
    norm: Norm,
    activation: Activation,
    /// Whether the options freeze all its parameters.
    pub(super) is_frozen: bool,
}

/// The norm behind a convolution.
enum Norm {
    None,
    /// Over channels.
    Layer(LayerNorm),
    /// Over time, of each channel by itself.
    Group([Tensor; 2]),
}

impl ConvLayer {
    pub(crate) fn new(b: &Builder, c: &SpeechConfig, index: usize) -> Self {
        let [channels, kernel, stride] = c.convolutions[index];
        let before = index.checked_sub(1).map_or(1, |i| c.convolutions[i][0]);
        let conv = b.at("conv");
        let weight = conv.parameter("weight", [channels, before, kernel]);
        let bias = c.conv_bias.then(|| conv.parameter("bias", [channels]));
        let at = b.at("layer_norm");
        let norm = match (c.layer_norms, index) {
            (true, _) => Norm::Layer(LayerNorm::new(&at, channels)),
            (false, 0) => {
                Norm::Group(["weight", "bias"].map(|name| at.parameter(name, [channels])))
            }
            (false, _) => Norm::None,
        };
        let mut own = vec![(&conv, "weight")];
        own.extend(c.conv_bias.then_some((&conv, "bias")));
        if !matches!(norm, Norm::None) {
            own.extend([(&at, "weight"), (&at, "bias")]);
        }
        Self {
            weight,
            bias,
            stride,
            norm,
            activation: c.conv_activation,
            is_frozen: own.iter().all(|(b, name)| b.freezes(name)),
        }
    }
}

impl Block for ConvLayer {
    type Shared = ();

    fn outliving((): &(), _facts: Facts) {}

    /// `[B, C, L]` to `[B, C', L']`.
    fn forward(&self, t: &Tape, x: &Tensor, (): &()) -> Tensor {
        let audio = t.conv1d(x, &self.weight, self.bias.as_ref(), [self.stride, 0]);
        let normed = match &self.norm {
            Norm::None => audio,
            Norm::Group([weight, bias]) => {
                let normed = t.group_norm(&audio, weight.dim(0), weight, bias);
                drop(audio);
                normed
            }
            Norm::Layer(norm) => {
                let transposed = t.transpose(&audio, 1, 2);
                drop(audio);
                let normed = norm.forward(t, &transposed);
                drop(transposed);
                t.transpose(&normed, 1, 2)
            }
        };
        activated(t, self.activation, normed)
    }
}

/// The embedding that tells positions from each other.
pub(crate) enum Positions {
    /// A convolution whose weight is normed.
    Normed(NormedConv),
    /// Several convolutions, one after the other.
    Stacked(Vec<PlainConv>),
}

impl Positions {
    pub(crate) fn new(b: &Builder, c: &SpeechConfig, facts: Facts) -> Self {
        if c.position_layers == 0 {
            return Self::Normed(NormedConv::new(b, c, facts));
        }
        let layers = (0..).zip(0..c.position_layers);
        let layer = |(i, _)| PlainConv::new(&b.item("layers", i).at("conv"), c, facts);
        Self::Stacked(layers.map(layer).collect())
    }

    /// `[B, S, H]` to the same.
    pub(crate) fn forward(&self, t: &Tape, hidden: &Tensor) -> Tensor {
        let transposed = t.transpose(hidden, 1, 2);
        let seen = match self {
            Self::Normed(conv) => conv.forward(t, &transposed),
            Self::Stacked(layers) => layers
                .iter()
                .fold(transposed, |x, layer| layer.forward(t, &x)),
        };
        t.transpose(&seen, 1, 2)
    }
}

/// `Wav2Vec2SamePadLayer`: `[B, H, S']` of which S are kept, where a kernel sees as many `places`.
fn unpadded(t: &Tape, facts: Facts, seen: Tensor, places: u64) -> Tensor {
    if !places.is_multiple_of(2) {
        return seen;
    }
    let rows = facts.index_all(t, &seen, 2);
    drop(seen);
    t.slice(&rows, 2, 0, rows.dim(2) - 1)
}

/// `Data2VecAudioPositionalConvLayer`, whose norm has no weights.
pub(crate) struct PlainConv {
    weight: Tensor,
    bias: Tensor,
    groups: u64,
    activation: Activation,
    facts: Facts,
}

impl PlainConv {
    fn new(b: &Builder, c: &SpeechConfig, facts: Facts) -> Self {
        let (hidden, [places, groups]) = (c.hidden_size, c.positions);
        Self {
            weight: b.parameter("weight", [hidden, hidden / groups, places]),
            bias: b.parameter("bias", [hidden]),
            groups,
            activation: c.conv_activation,
            facts,
        }
    }

    /// `[B, H, S]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let places = self.weight.dim(2);
        let normed = {
            let around = [places / 2, self.groups];
            let seen = t.conv1d_in_groups(x, &self.weight, &self.bias, around);
            let seen = unpadded(t, self.facts, seen, places);
            t.layer_norm(&t.transpose(&seen, 1, 2), None, None)
        };
        activated(t, self.activation, t.transpose(&normed, 1, 2))
    }
}

/// A convolution in groups whose weight is a direction and its lengths.
pub(crate) struct NormedConv {
    bias: Tensor,
    /// `[1, 1, K]`.
    lengths: Tensor,
    /// `[H, H / G, K]`.
    directions: Tensor,
    groups: u64,
    activation: Activation,
    facts: Facts,
}

impl NormedConv {
    fn new(b: &Builder, c: &SpeechConfig, facts: Facts) -> Self {
        let (hidden, [places, groups]) = (c.hidden_size, c.positions);
        let conv = b.at("conv");
        let weight = conv.at("parametrizations").at("weight");
        let norms = Shape::from([1, 1, places]);
        // The module's own parameter comes first. The lengths are computed from the directions, which are made before.
        let (bias, (lengths, directions)) = conv.parameter_after("bias", [hidden], || {
            weight.parameter_after("original0", norms, || {
                let shape = [hidden, hidden / groups, places];
                let made = weight.parameter("original1", shape);
                drop(b.plan.tape.reduce("norm", &made, norms, b.dtype()));
                made
            })
        });
        Self {
            bias,
            lengths,
            directions,
            groups,
            activation: c.conv_activation,
            facts,
        }
    }

    /// `[B, H, S]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let places = self.directions.dim(2);
        let seen = {
            let weight = t.weight_norm(&self.directions, &self.lengths);
            t.conv1d_in_groups(x, &weight, &self.bias, [places / 2, self.groups])
        };
        activated(t, self.activation, unpadded(t, self.facts, seen, places))
    }
}

/// How long recordings are in positions, `[B]`, by the convolutions' formula: of how many samples each
/// has, which are `counted` or the last of their running sums.
pub(crate) fn lengths(t: &Tape, counted: Tensor, convolutions: usize) -> Tensor {
    let samples = [counted.dim(0), counted.numel() / counted.dim(0)];
    let mut lengths = t.select(&t.view(&counted, samples), 1);
    drop(counted);
    for _ in 0..convolutions {
        let divided = {
            let _shorter = t.add_scalar(&lengths);
            t.add_scalar(&lengths)
        };
        lengths = t.add_scalar(&divided);
    }
    lengths
}

//! `ConvNeXT` and its second version with a classifier (`models/{convnext,convnextv2}/modeling_*.py` of
//! transformers 5.23).

use crate::families::network::{Encoder, Net};
use crate::families::vit::kept_samples;
use crate::model::{Activation, ConvNetConfig, ConvNetKind, ResolvedSpec};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear, Output};
use crate::nn::heads::loss;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor, Window};

/// `ConvNextForImageClassification`.
pub(crate) struct ConvNext {
    name: &'static str,
    embedding: Seeing,
    norm: LayerNorm,
    stages: Vec<Stage>,
    layernorm: LayerNorm,
    classifier: Linear,
}

/// A convolution whose places do not overlap.
struct Seeing {
    weight: Tensor,
    bias: Tensor,
}

/// `ConvNextStage`.
struct Stage {
    /// The convolution that halves the image's sides, with the norm before it.
    downsampling: Option<(LayerNorm, Seeing)>,
    layers: Vec<Layer>,
}

/// `ConvNextLayer`.
struct Layer {
    dwconv: Seeing,
    layernorm: LayerNorm,
    pwconv1: Linear,
    /// Weight and bias `[1, 1, 1, 4 C]` of channels that are weighed by their size.
    grn: Option<[Tensor; 2]>,
    pwconv2: Linear,
    scale: Option<Tensor>,
    activation: Activation,
    drops_path: bool,
}

impl Seeing {
    fn new(b: &Builder, shape: [u64; 4]) -> Self {
        Self {
            weight: b.parameter("weight", shape),
            bias: b.parameter("bias", [shape[0]]),
        }
    }

    /// `[B, C, H, W]` to `[B, C', H', W']`.
    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let window = Window {
            stride: [self.weight.dim(2), self.weight.dim(3)],
            padding: [0; 2],
        };
        t.conv2d(x, &self.weight, Some(&self.bias), window)
    }
}

/// `ConvNextLayerNorm` of images whose channels come first.
fn normed(t: &Tape, norm: &LayerNorm, x: &Tensor) -> Tensor {
    let last = norm.forward(t, &t.permute(x, &[0, 2, 3, 1]));
    t.permute(&last, &[0, 3, 1, 2])
}

impl Layer {
    fn new(b: &Builder, c: &ConvNetConfig, width: u64, drops_path: bool) -> Self {
        let parts = || {
            let dwconv = Seeing::new(&b.at("dwconv"), [width, 1, 7, 7]);
            let layernorm = LayerNorm::new(&b.at("layernorm"), width);
            let pwconv1 = Linear::new(&b.at("pwconv1"), width, 4 * width, true);
            let grn = (c.kind == ConvNetKind::ConvNextV2).then(|| {
                let at = b.at("grn");
                ["weight", "bias"].map(|name| at.parameter(name, [1, 1, 1, 4 * width]))
            });
            let pwconv2 = Linear::new(&b.at("pwconv2"), 4 * width, width, true);
            (dwconv, layernorm, pwconv1, grn, pwconv2)
        };
        let (scale, parts) = if c.scales {
            let (scale, parts) = b.parameter_after("layer_scale_parameter", [width], parts);
            (Some(scale), parts)
        } else {
            (None, parts())
        };
        let (dwconv, layernorm, pwconv1, grn, pwconv2) = parts;
        Self {
            dwconv,
            layernorm,
            pwconv1,
            grn,
            pwconv2,
            scale,
            activation: c.activation,
            drops_path,
        }
    }

    /// `[B, C, H, W]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let mut features = {
            let seen = t.depthwise_conv2d(x, &self.dwconv.weight, &self.dwconv.bias);
            let seen = t.permute(&seen, &[0, 2, 3, 1]);
            self.layernorm.forward(t, &seen)
        };
        features = t.scoped("pwconv1", None, || self.pwconv1.forward(t, &features));
        features = activated(t, self.activation, features);
        if let Some(grn) = &self.grn {
            features = t.scoped("grn", None, || weighed(t, grn, &features));
        }
        features = t.scoped("pwconv2", None, || self.pwconv2.forward(t, &features));
        if let Some(scale) = &self.scale {
            features = t.mul(scale, &features);
        }
        let features = t.permute(&features, &[0, 3, 1, 2]);
        let kept = kept_samples(t, &features, self.drops_path);
        let sum = t.add(x, &kept);
        drop((kept, features));
        sum
    }
}

/// `ConvNextV2GRN`: channels of `[B, H, W, C]` weighed by their lengths beside each other.
fn weighed(t: &Tape, [weight, bias]: &[Tensor; 2], x: &Tensor) -> Tensor {
    let lengths = t.length_of_channels(x);
    let relative = {
        let mean = t.mean_last(&lengths);
        let above = t.add_scalar(&mean);
        drop(mean);
        t.div(&lengths, &above)
    };
    let changed = {
        let product = t.mul(x, &relative);
        t.mul(weight, &product)
    };
    let shifted = t.add(&changed, bias);
    drop(changed);
    let out = t.add(&shifted, x);
    drop((shifted, relative, lengths));
    out
}

impl ConvNext {
    pub(crate) fn new(b: &Builder, c: &ConvNetConfig) -> Self {
        let model = b.at(c.family.base_model);
        let first = c.stages.first().map_or(1, |[width, _]| *width);
        let at = model.at("embeddings");
        let patch = c.patch_size;
        let embedding = Seeing::new(
            &at.at("patch_embeddings"),
            [first, c.num_channels, patch, patch],
        );
        let norm = LayerNorm::new(&at.at("layernorm"), first);
        let encoder = model.at("encoder");
        let mut before = first;
        let mut stages = Vec::new();
        for (number, [width, depth]) in (0..).zip(&c.stages) {
            let at = encoder.item("stages", number);
            let downsampling = (number > 0).then(|| {
                let part = |i| at.item("downsampling_layer", i);
                let norm = LayerNorm::new(&part(0), before);
                (norm, Seeing::new(&part(1), [*width, before, 2, 2]))
            });
            let layer = |i: u64| {
                let at = at.item("layers", u32::try_from(i).unwrap_or(u32::MAX));
                Layer::new(&at, c, *width, c.drops_paths && (number > 0 || i > 0))
            };
            stages.push(Stage {
                downsampling,
                layers: (0..*depth).map(layer).collect(),
            });
            before = *width;
        }
        Self {
            name: c.family.base_model,
            embedding,
            norm,
            stages,
            layernorm: LayerNorm::new(&model.at("layernorm"), before),
            classifier: Linear::new(&b.at("classifier"), before, c.num_labels, true),
        }
    }
}

impl Encoder for ConvNext {
    /// Images `[B, C, I, I]` to logits `[B, classes]` and, from labels `[B]`, the loss.
    fn forward(&self, t: &Tape, images: &Tensor, labels: Option<&Tensor>) -> Output {
        let (last, pooled) = t.scoped(self.name, None, || {
            let embedded = {
                let seen = self.embedding.forward(t, images);
                normed(t, &self.norm, &seen)
            };
            let mut hidden = embedded.clone();
            for (number, stage) in (0..).zip(&self.stages) {
                // The encoder holds what a stage is given.
                let given = hidden.clone();
                hidden = t.scoped("encoder.stages", Some(number), || stage.forward(t, hidden));
                drop(given);
            }
            let pooled = {
                let mean = t.mean_of_pixels(&hidden);
                self.layernorm.forward(t, &mean)
            };
            drop(embedded);
            (hidden, pooled)
        });
        let logits = t.scoped("classifier", None, || self.classifier.forward(t, &pooled));
        let loss = labels.map(|labels| loss::of_classes(t, &logits, labels));
        drop((last, pooled));
        Output::of(logits, loss)
    }
}

impl Stage {
    /// `[B, C, H, W]` to `[B, C', H', W']`.
    fn forward(&self, t: &Tape, mut hidden: Tensor) -> Tensor {
        if let Some((norm, convolution)) = &self.downsampling {
            let before = normed(t, norm, &hidden);
            hidden = convolution.forward(t, &before);
        }
        (0..).zip(&self.layers).fold(hidden, |hidden, (i, layer)| {
            t.scoped("layers", Some(i), || layer.forward(t, &hidden))
        })
    }
}

/// Builds the model.
pub(crate) fn build_convnext(b: &Builder, spec: &ResolvedSpec, _: Facts) -> Net {
    Net::encoder(ConvNext::new(b, spec.config()))
}

//! `ResNet` with a classifier (`models/resnet/modeling_resnet.py` of transformers 5.23).

use crate::families::network::{Encoder, Net};
use crate::model::{Activation, ConvNetConfig, ResolvedSpec};
use crate::nn::build::{Builder, Facts, Linear, Output};
use crate::nn::heads::loss;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `ResNetForImageClassification`.
pub(crate) struct ResNet {
    embedder: ConvLayer,
    layers: Vec<Vec<Layer>>,
    classifier: Linear,
    activation: Activation,
}

/// A convolution with a norm over the batch: `ResNetConvLayer` or `ResNetShortCut`.
struct ConvLayer {
    convolution: Tensor,
    stride: u64,
    weight: Tensor,
    bias: Tensor,
    /// Mean and variance of each channel, and the number of batches they were taken from.
    _statistics: [Tensor; 3],
    activates: bool,
}

/// `ResNetBottleNeckLayer` or `ResNetBasicLayer`.
struct Layer {
    shortcut: Option<ConvLayer>,
    parts: Vec<ConvLayer>,
}

impl ConvLayer {
    fn new(b: &Builder, [inputs, outputs, kernel]: [u64; 3], stride: u64, activates: bool) -> Self {
        let shape = [outputs, inputs, kernel, kernel];
        let convolution = b.at("convolution").parameter("weight", shape);
        let at = b.at("normalization");
        let of_channels = Shape::from([outputs]);
        Self {
            convolution,
            stride,
            weight: at.parameter("weight", of_channels),
            bias: at.parameter("bias", of_channels),
            _statistics: [
                at.buffer("running_mean", of_channels, DType::Float32),
                at.buffer("running_var", of_channels, DType::Float32),
                at.buffer("num_batches_tracked", Shape::new(&[]), DType::Int64),
            ],
            activates,
        }
    }

    /// `[B, C, H, W]` to `[B, C', H', W']`.
    fn forward(&self, t: &Tape, x: &Tensor, activation: Activation) -> Tensor {
        let normed = {
            let seen = t.conv2d_same(x, &self.convolution, self.stride);
            t.batch_norm(&seen, &self.weight, &self.bias)
        };
        if self.activates {
            activated(t, activation, normed)
        } else {
            normed
        }
    }
}

impl Layer {
    fn new(b: &Builder, c: &ConvNetConfig, [inputs, outputs]: [u64; 2], stride: u64) -> Self {
        let shortcut = (inputs != outputs || stride > 1)
            .then(|| ConvLayer::new(&b.at("shortcut"), [inputs, outputs, 1], stride, false));
        let part = |number, sizes, stride, activates| {
            ConvLayer::new(&b.item("layer", number), sizes, stride, activates)
        };
        let parts = if c.bottleneck {
            let inner = outputs / 4;
            let [first, second] = if c.first_convolution_strides {
                [stride, 1]
            } else {
                [1, stride]
            };
            vec![
                part(0, [inputs, inner, 1], first, true),
                part(1, [inner, inner, 3], second, true),
                part(2, [inner, outputs, 1], 1, false),
            ]
        } else {
            vec![
                part(0, [inputs, outputs, 3], stride, true),
                part(1, [outputs, outputs, 3], 1, false),
            ]
        };
        Self { shortcut, parts }
    }

    /// `[B, C, H, W]` to `[B, C', H', W']`.
    fn forward(&self, t: &Tape, x: &Tensor, activation: Activation) -> Tensor {
        let mut hidden = x.clone();
        for (i, part) in (0..).zip(&self.parts) {
            // Inside of a layer the function is always ReLU.
            hidden = t.scoped("layer", Some(i), || {
                part.forward(t, &hidden, Activation::Relu)
            });
        }
        let residual = match &self.shortcut {
            Some(shortcut) => t.scoped("shortcut", None, || shortcut.forward(t, x, activation)),
            None => x.clone(),
        };
        let out = activated(t, activation, t.add_in_place(hidden, &residual));
        drop(residual);
        out
    }
}

impl ResNet {
    pub(crate) fn new(b: &Builder, c: &ConvNetConfig) -> Self {
        let resnet = b.at("resnet");
        let embedder = resnet.at("embedder").at("embedder");
        let embedder = ConvLayer::new(&embedder, [c.num_channels, c.embedding_size, 7], 2, true);
        let encoder = resnet.at("encoder");
        let mut before = c.embedding_size;
        let mut layers = Vec::new();
        for (stage, [width, depth]) in (0..).zip(&c.stages) {
            let at = encoder.item("stages", stage);
            let strides = if stage > 0 || c.first_stage_strides {
                2
            } else {
                1
            };
            let layer = |number: u64| {
                let at = at.item("layers", u32::try_from(number).unwrap_or(u32::MAX));
                match number {
                    0 => Layer::new(&at, c, [before, *width], strides),
                    _ => Layer::new(&at, c, [*width; 2], 1),
                }
            };
            layers.push((0..*depth).map(layer).collect());
            before = *width;
        }
        let classifier = b.item("classifier", 1);
        Self {
            embedder,
            layers,
            classifier: Linear::new(&classifier, c.last_width(), c.num_labels, true),
            activation: c.activation,
        }
    }
}

impl Encoder for ResNet {
    /// Images `[B, C, I, I]` to logits `[B, classes]` and, from labels `[B]`, the loss.
    fn forward(&self, t: &Tape, images: &Tensor, labels: Option<&Tensor>) -> Output {
        let (last, pooled) = t.scoped("resnet", None, || {
            let embedded = t.scoped("embedder", None, || {
                let seen = self.embedder.forward(t, images, self.activation);
                t.max_pool(&seen)
            });
            let mut hidden = embedded.clone();
            for (stage, layers) in (0..).zip(&self.layers) {
                // The encoder holds what a stage is given.
                let given = hidden.clone();
                hidden = t.scoped("encoder.stages", Some(stage), || {
                    (0..).zip(layers).fold(hidden, |hidden, (i, layer)| {
                        t.scoped("layers", Some(i), || {
                            layer.forward(t, &hidden, self.activation)
                        })
                    })
                });
                drop(given);
            }
            let pooled = t.mean_of_pixels(&hidden);
            drop(embedded);
            (hidden, pooled)
        });
        let logits = t.scoped("classifier", None, || self.classifier.forward(t, &pooled));
        let loss = labels.map(|labels| loss::of_classes(t, &logits, labels));
        drop((last, pooled));
        Output::of(logits, loss)
    }
}

/// Builds the model.
pub(crate) fn build_resnet(b: &Builder, spec: &ResolvedSpec, _: Facts) -> Net {
    Net::encoder(ResNet::new(b, spec.config()))
}

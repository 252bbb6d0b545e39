//! Swin transformers, the first and the second, with a classifier (`models/{swin,swinv2}/modeling_*.py`
//! of transformers 5.23).

use super::layer::LayerPlace;
use super::layer::SwinLayer;
use super::second::SecondStage;
use crate::families::network::{Encoder, Net};
use crate::model::{ResolvedSpec, SwinConfig};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::Shell;
use crate::nn::heads::loss;
use crate::nn::vision::Patches;
use crate::tape::{Tape, Tensor};
use std::rc::Rc;

/// `SwinForImageClassification`.
pub(crate) struct Swin {
    projection: Patches,
    positions: Option<Tensor>,
    norm: LayerNorm,
    stages: Stages,
    layernorm: LayerNorm,
    classifier: Linear,
    dropout: bool,
    side: u64,
    name: &'static str,
    shell: Shell,
}

enum Stages {
    First(Vec<Stage>),
    Second(Vec<Rc<SecondStage>>),
}

/// `SwinStage`.
struct Stage {
    blocks: Vec<SwinLayer>,
    /// The layer that makes one patch of four, with the norm before it.
    merging: Option<(Linear, LayerNorm)>,
}

impl Swin {
    pub(crate) fn new(b: &Builder, c: &SwinConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions {
            dropout: c.dropout.attention,
            ..AttentionOptions::of(spec, facts)
        };
        let swin = b.at(c.family.base_model);
        let embeddings = swin.at("embeddings");
        let projection = embeddings.at("patch_embeddings").at("projection");
        let sizes = [c.embed_dim, c.num_channels, c.patch_size];
        let projection = Patches::new(&projection, sizes, true);
        let patches = c.side() * c.side();
        let positions = (c.absolute)
            .then(|| embeddings.parameter("position_embeddings", [1, patches, c.embed_dim]));
        let norm = LayerNorm::new(&embeddings.at("norm"), c.embed_dim);
        let encoder = swin.at("encoder");
        let sizes = (0..).zip(c.stages.iter().copied());
        let stages = if c.second {
            let made = sizes.map(|sizes| Rc::new(SecondStage::new(&encoder, c, sizes, options)));
            Stages::Second(made.collect())
        } else {
            let made = sizes.map(|sizes| Stage::new(&encoder, c, sizes, options));
            Stages::First(made.collect())
        };
        Self {
            projection,
            positions,
            norm,
            stages,
            layernorm: LayerNorm::new(&swin.at("layernorm"), c.last_width()),
            classifier: Linear::new(&b.at("classifier"), c.last_width(), c.num_labels, true),
            dropout: c.dropout.embedding,
            side: c.side(),
            name: c.family.base_model,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// `SwinModel`: the last hidden states `[B, patches, H]` and their mean `[B, H]`.
    fn encode(&self, t: &Tape, images: &Tensor) -> (Tensor, Tensor) {
        let embedded = t.scoped("embeddings", None, || {
            let mut embedded = {
                let patches = self.projection.forward(t, images);
                self.norm.forward(t, &patches)
            };
            if let Some(positions) = &self.positions {
                embedded = t.add(&embedded, positions);
            }
            dropped(t, embedded, self.dropout)
        });
        // Beside them the encoder holds an image, or the input of the last merging.
        let (mut hidden, mut side) = (embedded.clone(), self.side);
        let mut beside = None;
        match &self.stages {
            Stages::First(stages) => {
                for (i, stage) in (0..).zip(stages) {
                    let seen = t.scoped("encoder.layers", Some(i), || {
                        stage.forward(t, &hidden, side, self.shell.facts)
                    });
                    (hidden, beside) = (seen.0, Some(seen.1));
                    side = side.div_ceil(2);
                }
            }
            Stages::Second(stages) => {
                for (i, stage) in (0..).zip(stages) {
                    (hidden, beside) = t.scoped("encoder.layers", Some(i), || {
                        self.shell.run_with_weights(t, stage, &hidden, &())
                    });
                }
            }
        }
        drop(beside);
        let last = self.layernorm.forward(t, &hidden);
        // `adaptive_avg_pool2d` writes strides into its result (`aten/src/ATen/native/AdaptiveAveragePooling.cpp`,
        // torch 2.15), whose gradient is copied.
        let pooled = t.whole_slice(&t.mean_last(&t.transpose(&last, 1, 2)));
        let pooled = t.view(&pooled, [last.dim(0), last.dim(2)]);
        drop((hidden, embedded));
        (last, pooled)
    }
}

impl Encoder for Swin {
    /// Images `[B, C, I, I]` to logits `[B, classes]` and, from labels `[B]`, the loss.
    fn forward(&self, t: &Tape, images: &Tensor, labels: Option<&Tensor>) -> Output {
        let (last, pooled) = t.scoped(self.name, None, || self.encode(t, images));
        let logits = t.scoped("classifier", None, || self.classifier.forward(t, &pooled));
        let loss = labels.map(|labels| loss::of_classes(t, &logits, labels));
        drop((last, pooled));
        Output::of(logits, loss)
    }
}

impl Stage {
    fn new(
        encoder: &Builder,
        c: &SwinConfig,
        (stage, [depth, heads]): (usize, [u64; 2]),
        options: AttentionOptions,
    ) -> Self {
        let number = u32::try_from(stage).unwrap_or(u32::MAX);
        let b = encoder.item("layers", number);
        let last = stage + 1 == c.stages.len();
        let width = c.width(stage);
        Self {
            blocks: (0..depth)
                .map(|layer| {
                    let at = b.item("blocks", u32::try_from(layer).unwrap_or(u32::MAX));
                    let place = LayerPlace {
                        stage,
                        layer,
                        heads,
                    };
                    SwinLayer::new(&at, c, place, options)
                })
                .collect(),
            merging: (!last).then(|| {
                let at = b.at("downsample");
                let reduction = Linear::new(&at.at("reduction"), 4 * width, 2 * width, false);
                (reduction, LayerNorm::new(&at.at("norm"), 4 * width))
            }),
        }
    }

    /// Hidden states `[B, side x side, H]` to those of the next stage and the same as an image, which
    /// the encoder holds.
    fn forward(&self, t: &Tape, hidden: &Tensor, side: u64, facts: Facts) -> (Tensor, Tensor) {
        let mut seen = hidden.clone();
        for (i, block) in (0..).zip(&self.blocks) {
            seen = t.scoped("blocks", Some(i), || block.forward(t, &seen, side));
        }
        let mut out = seen.clone();
        let mut next = side;
        if let Some((reduction, norm)) = &self.merging {
            next = side.div_ceil(2);
            out = t.scoped("downsample", None, || {
                let normed = {
                    let (merged, _) = merged(t, &seen, side, facts);
                    norm.forward(t, &merged)
                };
                reduction.forward(t, &normed)
            });
        }
        let image = t.view(&out, [out.dim(0), next, next, out.dim(2)]);
        let image = t.contiguous(&t.permute(&image, &[0, 3, 1, 2]));
        drop(seen);
        (out, image)
    }
}

/// Four neighbours side by side: `[B, side x side, H]` to `[B, patches, 4 x H]`; and what they are parts
/// of.
pub(crate) fn merged(t: &Tape, hidden: &Tensor, side: u64, facts: Facts) -> (Tensor, Tensor) {
    let (b, columns) = (hidden.dim(0), hidden.dim(2));
    let mut image = t.view(hidden, [b, side, side, columns]);
    let even = side.next_multiple_of(2);
    if even > side {
        image = t.pad(&image, [b, even, even, columns].into());
    }
    let parts = [(); 4].map(|()| {
        let rows = t.every_second(&facts.index_all(t, &image, 1), 1);
        facts.index_all(t, &t.every_second(&rows, 2), 1)
    });
    let merged = t.cat(&parts.each_ref(), -1);
    drop(parts);
    let merged = t.view(&merged, [b, even * even / 4, 4 * columns]);
    (merged, image)
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::encoder(Swin::new(b, spec.config(), spec, facts))
}

//! Images among the tokens of a decoder: what sees them, and how they come among embedded tokens
//! (`models/{llava,llava_next,gemma3,paligemma,qwen2_vl,qwen2_5_vl,qwen3_vl,idefics3,smolvlm,mistral3,
//! internvl,mllama}/modeling_*.py` of transformers 5.23).

use super::among::{Among, Seen, placeholders};
use super::crossed::CrossedTower;
use super::deep::Injected;
use super::features::{ImageFeatures, Pooled, join};
use super::intern::InternTower;
use super::joined::JoinedTower;
use super::packed::PackedTower;
use super::places::{Places, without_text};
use super::rows::Rows;
use super::split::SplitTower;
use super::vision_transformer::Vision;
use crate::nn::masks::BatchShape;

use crate::model::{Activation, ImageConfig, NormKind, ResolvedSpec, WholeConfig};
use crate::nn::attention::AttentionOptions;
use crate::nn::build::{Builder, Facts, Linear, Norm};
use crate::nn::decoder::{Crossing, Shell};
use crate::nn::masks::blocks as mask_blocks;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};

/// The module that sees images for a decoder.
pub(crate) enum VisionTower {
    /// Images of one size.
    Whole(Box<WholeTower>),
    /// Images in squares.
    Split(Box<SplitTower>),
    /// Images that layers of their own attend to.
    Crossed(Box<CrossedTower>),
    /// Images in squares, which `InternVL`'s tower sees.
    Intern(Box<InternTower>),
    /// Images of any size, each in patches by itself.
    Joined(Box<JoinedTower>),
    /// Images of any size, and the places of their tokens.
    Packed(Box<(PackedTower, Places)>),
}

/// The tower and the projector between it and the decoder.
pub(crate) struct WholeTower {
    vision: Vision,
    /// Its scope.
    scope: u32,
    layers_after: u64,
    /// Tokens of an image.
    tokens: u64,
    projector: Projector,
    /// Whether tokens of an image, or of all before an answer, see each other.
    grouped: bool,
    /// Whether those before an answer do (`PaliGemmaModel`).
    prefixed: bool,
    /// The module that puts an image together that is seen in squares (`LLaVA` 1.6).
    rows: Option<Rows>,
}

/// The module between the tower and the decoder.
enum Projector {
    /// `LlavaMultiModalProjector`, and whether the first token, the class token of an image, is left out.
    Layers {
        first: Linear,
        activation: Activation,
        second: Linear,
        without_class: bool,
    },
    /// `PaliGemmaMultiModalProjector`.
    One(Linear),
    /// `Gemma3MultiModalProjector`: the mean of patches that lie together, `side` of them along each
    /// side of an image.
    Pooled {
        weight: Tensor,
        norm: Norm,
        side: u64,
    },
}

impl Projector {
    fn new(b: &Builder, c: &WholeConfig, hidden: u64) -> Self {
        let seen = c.tower.vision.hidden_size;
        if c.kind.sees_prefix() {
            return Self::One(Linear::new(&b.at("linear"), seen, hidden, c.projector_bias));
        }
        if c.kind.groups_tokens() {
            return Self::Pooled {
                weight: b.parameter("mm_input_projection_weight", [seen, hidden]),
                norm: Norm::new(&b.at("mm_soft_emb_norm"), NormKind::OnePlusRoot, seen),
                side: c.tower.image_size / c.tower.patch_size,
            };
        }
        Self::Layers {
            first: Linear::new(&b.at("linear_1"), seen, hidden, c.projector_bias),
            activation: c.activation,
            second: Linear::new(&b.at("linear_2"), hidden, hidden, c.projector_bias),
            without_class: c.leaves_first(),
        }
    }

    /// `[N, patches, H']` of the tower to `[N, tokens, H]` of the decoder.
    fn forward(&self, t: &Tape, x: &Tensor, tokens: u64) -> Tensor {
        match self {
            Self::Layers {
                first,
                activation,
                second,
                without_class,
            } => {
                let read = if *without_class {
                    t.slice(x, 1, 1, x.dim(1))
                } else {
                    x.clone()
                };
                let active = activated(t, *activation, first.forward(t, &read));
                second.forward(t, &active)
            }
            Self::One(layer) => layer.forward(t, x),
            Self::Pooled { weight, norm, side } => {
                let (n, columns) = (x.dim(0), x.dim(2));
                let pooled = {
                    let rotated = t.contiguous(&t.transpose(x, 1, 2));
                    let image = t.view(&rotated, [n, columns, *side, *side]);
                    drop(rotated);
                    let pooled = t.avg_pool(&image, tokens);
                    t.transpose(&pooled, 1, 2)
                };
                let normed = norm.forward(t, &pooled);
                let projected = t.rows_product(&normed, weight);
                let projected = t.to(&projected, x.dtype());
                drop((normed, pooled));
                projected
            }
        }
    }
}

impl VisionTower {
    /// A tower for a decoder of `hidden` columns.
    pub(crate) fn new(
        b: &Builder,
        c: &ImageConfig,
        hidden: u64,
        (spec, facts): (&ResolvedSpec, Facts),
    ) -> Self {
        let options = AttentionOptions::of(spec, facts);
        match c {
            ImageConfig::Whole(c) if c.kind.is_idefics() => {
                Self::Split(Box::new(SplitTower::new(b, c, hidden, options)))
            }
            ImageConfig::Whole(c) => {
                let given = (options, spec.image_size);
                Self::Whole(Box::new(WholeTower::new(b, c, hidden, given)))
            }
            ImageConfig::Crossed(c) => {
                let given = (options, spec.images);
                Self::Crossed(Box::new(CrossedTower::new(b, c, given)))
            }
            ImageConfig::Intern(c) => {
                Self::Intern(Box::new(InternTower::new(b, c, hidden, options)))
            }
            ImageConfig::Joined(c) => {
                let grid = c.grid(spec.image_size);
                Self::Joined(Box::new(JoinedTower::new(b, c, hidden, (options, grid))))
            }
            ImageConfig::Packed(c) => {
                let tower = PackedTower::new(b, c, hidden, options);
                Self::Packed(Box::new((tower, Places::new(c, spec))))
            }
        }
    }

    /// The states that layers of their own attend to in texts `[B, S]`, made before the texts are embedded, and a
    /// tensor that stays in a local variable.
    pub(crate) fn crossing(
        &self,
        t: &Tape,
        shell: &Shell,
        images: Option<&Tensor>,
        ids: &Tensor,
    ) -> Option<(Crossing, Option<Tensor>)> {
        match self {
            Self::Crossed(tower) => tower.see(t, shell, images, ids),
            _ => None,
        }
    }

    /// Makes the modules that are made after the decoder's layers.
    pub(crate) fn complete(&mut self, b: &Builder, hidden: u64) {
        if let Self::Crossed(tower) = self {
            tower.complete(b, hidden);
        }
    }

    /// The model's changes to a decoder's forward pass without images among embedded tokens `[B, S, H]`.
    pub(crate) fn alone(&self, t: &Tape, shell: &Shell, embedded: &Tensor) -> Among {
        t.pass_by_regions(match self {
            Self::Whole(tower) => tower.vision.layers(),
            Self::Split(tower) => tower.layers(),
            // Its layers are never checkpointed.
            Self::Crossed(_) => 0,
            Self::Intern(tower) => tower.layers(),
            Self::Joined(tower) => tower.layers(),
            Self::Packed(packed) => packed.0.layers(),
        });
        let given = shell.given_positions();
        let placed = given.filter(|_| matches!(self, Self::Packed(_)));
        Among {
            positions: match placed {
                Some(places) => Some(t.select(&without_text(t, &places), 0)),
                None => self.later(t, shell, embedded.dim(1)),
            },
            ..Among::default()
        }
    }

    /// Features of images of `samples` samples: `[N, C, I, I]`, or patches of all of them in one list. None
    /// where layers of their own attend to them.
    pub(crate) fn features(
        &self,
        t: &Tape,
        shell: &Shell,
        images: &Tensor,
        samples: u64,
    ) -> Option<ImageFeatures> {
        Some(match self {
            Self::Whole(tower) => tower.features(t, shell, images),
            Self::Split(tower) => tower.features(t, shell, images, samples),
            Self::Crossed(_) => return None,
            Self::Intern(tower) => tower.features(t, shell, images),
            Self::Joined(tower) => tower.features(t, shell, images),
            Self::Packed(packed) => {
                let (tower, places) = &**packed;
                let seen = tower.forward(t, shell, images, places.images(samples));
                let sizes = places.tokens(samples);
                let of_images = |x: &Tensor| t.parts(x, &sizes, 0);
                ImageFeatures {
                    pooled: Pooled::Parts(of_images(&seen.merged)),
                    deep: seen.deep.iter().map(of_images).collect(),
                    beside: vec![seen.last],
                }
            }
        })
    }

    /// Positions `[B, S]` of a prompt to the positions that `generate` gives the model, where these are places, too:
    /// `[4, B, S]`, of tokens that are no padding, all but one of each `padded` sample.
    pub(crate) fn places(&self, t: &Tape, positions: Tensor, padded: bool) -> Tensor {
        match self {
            Self::Packed(packed) => packed.1.of_prompt(t, positions, padded),
            _ => positions,
        }
    }

    /// Images among embedded tokens `[B, S, H]`, whose features `seen` gives.
    pub(crate) fn see(
        &self,
        t: &Tape,
        shell: &Shell,
        embedded: Tensor,
        seen: impl FnOnce() -> Option<ImageFeatures>,
    ) -> Seen {
        let size = BatchShape::of(&embedded);
        let positions = self.later(t, shell, size.s);
        let Some(features) = seen() else {
            // Layers of their own attend to them.
            return Seen {
                embedded,
                features: None,
                beside: Vec::new(),
                held: Vec::new(),
                among: Among::default(),
            };
        };
        match self {
            Self::Whole(tower) => tower.place(t, embedded, features, positions),
            Self::Split(tower) => tower.place(t, shell, embedded, features),
            Self::Packed(packed) => {
                let joined = t.to(&features.joined(t), embedded.dtype());
                let (mask, of_videos) = placeholders(t, &embedded, true);
                let merged = t.masked_scatter(&embedded, &mask, &joined);
                drop(embedded);
                let injected = (!features.deep.is_empty()).then(|| {
                    Box::new(Injected {
                        mask: t.view(&mask, [size.b, size.s]),
                        features: features.deep.iter().map(|parts| join(t, parts)).collect(),
                    })
                });
                let places = (shell.given_positions()).map_or_else(
                    || {
                        packed
                            .1
                            .forward(t, size, shell.call().mask().map(|_| size.s - 1))
                    },
                    |given| without_text(t, &given),
                );
                Seen {
                    embedded: merged,
                    features: None,
                    beside: Vec::new(),
                    held: [joined, mask]
                        .into_iter()
                        .chain(of_videos)
                        .chain(features.held())
                        .collect(),
                    among: Among {
                        positions: Some(t.select(&places, 0)),
                        injected,
                        ..Among::default()
                    },
                }
            }
            _ => {
                let joined = t.to(&features.joined(t), embedded.dtype());
                Seen::placed(t, embedded, joined, features.held())
            }
        }
    }

    /// Positions `[S]` that begin with 1, where they do.
    fn later(&self, t: &Tape, shell: &Shell, s: u64) -> Option<Tensor> {
        let prefixed = matches!(self, Self::Whole(tower) if tower.prefixed);
        prefixed.then(|| shell.later_positions(t, s))
    }
}

impl WholeTower {
    fn new(
        b: &Builder,
        c: &WholeConfig,
        hidden: u64,
        (options, image_size): (AttentionOptions, [u64; 2]),
    ) -> Self {
        let tower = b.at("vision_tower");
        // Far from the ends of a folded list no layer has a place of its own.
        let layers = ("encoder.layers", c.layers_after > 1);
        let parts = || {
            let vision = Vision::new(&tower, &c.tower, (layers, true), options);
            let projector = Projector::new(&b.at("multi_modal_projector"), c, hidden);
            (vision, projector)
        };
        let (rows, (vision, projector)) = if c.kind.has_rows() {
            let (newline, parts) = b.parameter_after("image_newline", [hidden], parts);
            (Some(Rows::new(newline, c, image_size)), parts)
        } else {
            (None, parts())
        };
        Self {
            vision,
            scope: tower.scope,
            layers_after: c.layers_after,
            tokens: c.tokens(),
            grouped: c.kind.groups_tokens(),
            prefixed: c.kind.sees_prefix(),
            projector,
            rows,
        }
    }

    /// `get_image_features` of `[N, C, I, I]`.
    fn features(&self, t: &Tape, shell: &Shell, images: &Tensor) -> ImageFeatures {
        let after = (!self.grouped).then_some(self.layers_after);
        // Squares of all images are put in one list.
        let gathered = self.rows.as_ref().map(|_| t.cat(&[images], 0));
        let images = gathered.as_ref().unwrap_or(images);
        let seen = t.in_scope(self.scope, || self.vision.forward(t, shell, images, after));
        let read = seen.kept.as_ref().unwrap_or(&seen.last);
        let projected = t.scoped("model.multi_modal_projector", None, || {
            self.projector.forward(t, read, self.tokens)
        });
        let pooled = match &self.rows {
            Some(rows) => {
                let (images, lengths) = rows.of_images(t, projected);
                drop((gathered, lengths));
                Pooled::Parts(images)
            }
            None if self.grouped => Pooled::Whole(projected),
            None => Pooled::Listed(projected),
        };
        // The pooled states of the images give their place to the features.
        drop(seen.pooled);
        ImageFeatures::new(pooled, std::iter::once(seen.last).chain(seen.kept))
    }

    /// Features among embedded tokens `[B, S, H]`.
    fn place(
        &self,
        t: &Tape,
        embedded: Tensor,
        features: ImageFeatures,
        positions: Option<Tensor>,
    ) -> Seen {
        let joined = t.to(&features.joined(t), embedded.dtype());
        let mut placed = Seen::placed(t, embedded, joined, features.held());
        let size = BatchShape::of(&placed.embedded);
        if self.prefixed {
            placed.held.push(mask_blocks::prefixes(t, size));
        } else if self.grouped {
            placed.held.push(mask_blocks::groups(t, size));
        }
        placed.among.grouped = self.grouped;
        placed.among.positions = positions;
        placed
    }
}

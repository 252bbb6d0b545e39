//! Images among the tokens of a decoder: what sees them, and how they come among embedded tokens
//! (`models/llava/modeling_llava.py` of transformers 5.23).

use super::activation::activated;
use super::attention::AttentionOptions;
use super::builder::Builder;
use super::decoder::Shell;
use super::dual::Vision;
use super::facts::Facts;
use super::layers::Linear;
use crate::spec::{Activation, DualKind, ImageConfig, ResolvedSpec};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The tower and what stands between it and the decoder.
pub(super) struct Sight {
    vision: Vision,
    /// Where it stands.
    scope: u32,
    layers_after: u64,
    /// Whether the token that stands for all of an image is left out.
    without_class: bool,
    projector: Projector,
}

/// `LlavaMultiModalProjector`.
struct Projector {
    first: Linear,
    activation: Activation,
    second: Linear,
}

/// Embedded tokens with images in their places.
pub(super) struct Seen {
    /// `[B, S, H]`.
    pub(super) embedded: Tensor,
    /// What the model returns besides: features of all images, `[tokens, H]`.
    pub(super) features: Tensor,
    /// What stays in local variables until the decoder has run.
    pub(super) held: Vec<Tensor>,
}

impl Projector {
    fn new(b: &Builder, c: &ImageConfig, hidden: u64) -> Self {
        let bias = c.projector_bias;
        Self {
            first: Linear::new(&b.at("linear_1"), c.tower.vision.hidden_size, hidden, bias),
            activation: c.activation,
            second: Linear::new(&b.at("linear_2"), hidden, hidden, bias),
        }
    }

    /// `[.., H']` of the tower to `[.., H]` of the decoder.
    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let active = activated(t, self.activation, self.first.forward(t, x));
        self.second.forward(t, &active)
    }
}

impl Sight {
    /// Of a decoder of `hidden` columns.
    #[inline(never)] // Not in the decoder, so that the page can fetch it later.
    pub(super) fn new(
        b: &Builder,
        c: &ImageConfig,
        hidden: u64,
        (spec, facts): (&ResolvedSpec, Facts),
    ) -> Self {
        let tower = b.at("vision_tower");
        let options = AttentionOptions::of(spec, facts);
        // Far from the ends of a folded list no layer has a place of its own.
        let layers = ("encoder.layers", c.layers_after > 1);
        Self {
            vision: Vision::new(&tower, &c.tower, (layers, true), options),
            scope: tower.scope,
            layers_after: c.layers_after,
            without_class: c.tower.kind == DualKind::Clip && !c.with_class,
            projector: Projector::new(&b.at("multi_modal_projector"), c, hidden),
        }
    }

    /// Images `[N, C, I, I]` among embedded tokens `[B, S, H]`.
    #[inline(never)]
    pub(super) fn see(&self, t: &Tape, shell: &Shell, embedded: Tensor, images: &Tensor) -> Seen {
        let seen = t.in_scope(self.scope, || {
            self.vision
                .forward(t, shell, images, Some(self.layers_after))
        });
        let read = seen.kept.as_ref().unwrap_or(&seen.last);
        let projected = {
            let read = if self.without_class {
                t.slice(read, 1, 1, read.dim(1))
            } else {
                read.clone()
            };
            let name = "model.multi_modal_projector";
            t.scoped(name, None, || self.projector.forward(t, &read))
        };
        // What was pooled of the images gives its place to their features.
        drop(seen.pooled);
        let features = t.to(&t.join_first(&projected), embedded.dtype());
        let mask = placeholders(t, &embedded);
        let merged = t.masked_scatter(&embedded, &mask, &features);
        drop(embedded);
        let mut held = vec![mask, seen.last, projected];
        held.extend(seen.kept);
        Seen {
            embedded: merged,
            features,
            held,
        }
    }
}

/// Which tokens stand for images, `[B, S, 1]`, of embedded ones `[B, S, H]`; that they are as many as
/// features is checked.
fn placeholders(t: &Tape, embedded: &Tensor) -> Tensor {
    let size = Shape::from([embedded.dim(0), embedded.dim(1)]);
    let mask = t.empty("eq", size, DType::Bool);
    let number = Shape::new(&[]);
    let count = t.empty("sum", number, DType::Int64);
    drop(t.empty("sum", size, DType::Int64));
    {
        let elements = t.empty("mul", number, DType::Int64);
        let equal = t.empty("eq", number, DType::Bool);
        drop(elements);
        drop(t.empty("_is_all_true", number, DType::Bool));
        drop(equal);
    }
    drop(count);
    t.unsqueeze(&mask, 2)
}

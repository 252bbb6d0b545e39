//! Embedded tokens with images among them, and what those change for a decoder.

use super::deep::Injected;
use crate::nn::decoder::Crossing;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Embedded tokens with images in their places.
pub(crate) struct Seen {
    /// `[B, S, H]`.
    pub(crate) embedded: Tensor,
    /// Features of all images, `[tokens, H]`, which the model returns besides.
    pub(crate) features: Option<Tensor>,
    /// Or what those come from.
    pub(crate) beside: Vec<Tensor>,
    /// Tensors in local variables until the decoder has run.
    pub(crate) held: Vec<Tensor>,
    /// How image tokens change the decoder's forward pass.
    pub(crate) among: Among,
}

impl Seen {
    /// Features `[tokens, H]` in the places of those tokens of embedded ones that stand for images;
    /// `held` stays, too.
    pub(crate) fn placed(
        t: &Tape,
        embedded: Tensor,
        features: Tensor,
        held: impl IntoIterator<Item = Tensor>,
    ) -> Self {
        let (mask, _) = placeholders(t, &embedded, false);
        let merged = t.masked_scatter(&embedded, &mask, &features);
        drop(embedded);
        Self {
            embedded: merged,
            features: Some(features),
            beside: Vec::new(),
            held: std::iter::once(mask).chain(held).collect(),
            among: Among::default(),
        }
    }
}

/// Changes of a decoder's forward pass by images among its tokens.
#[derive(Default)]
pub(crate) struct Among {
    /// Whether the masks are those of tokens of images that see each other.
    pub(crate) grouped: bool,
    /// Positions `[S]` or `[B, S]`.
    pub(crate) positions: Option<Tensor>,
    /// Features that its first layers get besides.
    pub(crate) injected: Option<Box<Injected>>,
    /// The states to which layers of their own attend.
    pub(crate) crossing: Option<Crossing>,
}

/// A mask `[B, S, 1]` of the embedded tokens `[B, S, H]` that features of images replace; their number is checked
/// against that of the features. Another one for `videos`, if the model looks for them, too, of which there are none.
pub(crate) fn placeholders(t: &Tape, embedded: &Tensor, videos: bool) -> (Tensor, Option<Tensor>) {
    let size = Shape::from([embedded.dim(0), embedded.dim(1)]);
    let mask = t.empty("eq", size, DType::Bool);
    let of_videos = videos.then(|| t.empty("eq", size, DType::Bool));
    let count = matched(t, size, true);
    drop(videos.then(|| counted(t, size)));
    drop(count);
    (t.unsqueeze(&mask, 2), of_videos)
}

/// How many tokens of `[B, S]` stand for images.
fn counted(t: &Tape, size: Shape) -> Tensor {
    let count = t.empty("sum", Shape::new(&[]), DType::Int64);
    drop(t.empty("sum", size, DType::Int64));
    count
}

/// Checks that they are as many as there are features; what stays is their number, if it is `kept`.
pub(crate) fn matched(t: &Tape, size: Shape, kept: bool) -> Option<Tensor> {
    let number = |op, dtype| t.empty(op, Shape::new(&[]), dtype);
    let count = counted(t, size);
    let elements = number("mul", DType::Int64);
    let count = kept.then_some(count);
    let equal = number("eq", DType::Bool);
    drop(elements);
    drop(number("_is_all_true", DType::Bool));
    drop(equal);
    count
}

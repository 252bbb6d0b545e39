//! Tensors of a batch beside texts with images (`models/*/processing_*.py` of transformers 5.23).

use crate::model::{ImageConfig, ResolvedSpec};
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// The inputs that come with texts with images: the pixels and, if the model takes them, the number of patches of each
/// image in time, height and width, image sizes or masks of padding, and a mask of the tokens that features of images
/// replace.
pub(crate) fn among_tokens(
    t: &Tape,
    spec: &ResolvedSpec,
    vision: &ImageConfig,
    samples: u64,
    tokens: Shape,
) -> (Option<Tensor>, Vec<Tensor>) {
    let input = |shape: Shape, dtype| t.allocate("zeros", shape, dtype, Category::Inputs);
    let images = samples * spec.images;
    let (shape, grids) = match vision {
        ImageConfig::Whole(vision) => {
            let side = vision.tower.image_size;
            let tiles = images * vision.tiles(spec.image_size);
            let beside = match vision.kind {
                kind if kind.has_rows() => Some(Shape::from([images, 2])),
                kind if kind.is_idefics() => Some(Shape::from([tiles, side, side])),
                _ => None,
            };
            (
                Shape::from([tiles, vision.tower.num_channels, side, side]),
                beside,
            )
        }
        ImageConfig::Crossed(c) => {
            let (side, squares) = (c.image_size, images * c.tiles);
            let of_squares = Shape::from([squares, c.channels, side, side]);
            (of_squares, Some(Shape::from([images])))
        }
        ImageConfig::Intern(c) => {
            let squares = images * c.tiles(spec.image_size);
            let side = c.image_size;
            (Shape::from([squares, c.channels, side, side]), None)
        }
        ImageConfig::Joined(c) => {
            let [height, width] = spec.image_size;
            (
                Shape::from([images, c.channels, height, width]),
                Some(Shape::from([images, 2])),
            )
        }
        ImageConfig::Packed(c) => {
            let columns = c.columns();
            let patches = images * (vision.pixels(spec.image_size) / columns);
            (
                Shape::from([patches, columns]),
                Some(Shape::from([images, 3])),
            )
        }
    };
    let seen = (images > 0).then(|| input(shape, DType::Float32));
    let grids = grids.filter(|_| images > 0);
    let grids = grids.map(|shape| input(shape, DType::Int64));
    let packed = vision.packed().is_some();
    let grouped = vision.kind().groups_tokens();
    let kinds = (packed || grouped && images > 0).then(|| input(tokens, DType::Int64));
    let mut beside: Vec<Tensor> = grids.into_iter().chain(kinds).collect();
    if let (ImageConfig::Crossed(c), 1..) = (vision, images) {
        // Which squares are none of padding, and which of them each token sees.
        let squares = spec.images * c.tiles;
        beside.push(input(Shape::from([samples, squares]), DType::Int64));
        let seen = [tokens.dims()[0], tokens.dims()[1], squares];
        beside.push(input(Shape::from(seen), DType::Int64));
    }
    (seen, beside)
}

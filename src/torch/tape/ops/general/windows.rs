//! Windows that move over images, sequences and volumes.

use crate::units::Shape;
use smallvec::SmallVec;

/// Numbers of the dimensions after samples and channels.
pub(super) type Extents = SmallVec<[u64; 3]>;

/// How a window moves, dimension by dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Windows {
    /// Its size.
    pub size: Vec<u64>,
    /// From place to place.
    pub stride: Vec<u64>,
    /// Zeros on either side.
    pub padding: Vec<u64>,
    /// Between elements of the window.
    pub dilation: Vec<u64>,
    /// Groups of channels.
    pub groups: u64,
    /// Whether PyTorch's own kernels run.
    pub native: bool,
}

impl Windows {
    /// How many dimensions it moves over.
    pub(super) fn rank(&self) -> usize {
        self.size.len()
    }

    /// Whether windows have one element and cover each element once.
    pub(super) fn is_plain(&self) -> bool {
        let ones = |all: &[u64]| all.iter().all(|&n| n == 1);
        ones(&self.size) && ones(&self.stride) && self.padding.iter().all(|&n| n == 0)
    }

    /// Whether its elements are apart.
    pub(super) fn is_dilated(&self) -> bool {
        self.dilation.iter().any(|&n| n != 1)
    }

    /// How many elements it has.
    pub(super) fn volume(&self) -> u64 {
        self.size.iter().product()
    }

    /// Windows with a dimension of one element before the others.
    pub(super) fn with_row(&self) -> Self {
        let before = |all: &[u64], first: u64| [&[first], all].concat();
        Self {
            size: before(&self.size, 1),
            stride: before(&self.stride, 1),
            padding: before(&self.padding, 0),
            dilation: before(&self.dilation, 1),
            groups: self.groups,
            native: self.native,
        }
    }
}

/// The sizes after samples and channels.
pub(super) fn extents(shape: &Shape) -> Extents {
    shape.dims().iter().skip(2).copied().collect()
}

/// A shape of `samples`, `channels` and `extents`.
pub(super) fn shape_of(samples: u64, channels: u64, extents: &[u64]) -> Shape {
    let mut dims: SmallVec<[u64; 6]> = SmallVec::new();
    dims.push(samples);
    dims.push(channels);
    dims.extend(extents.iter().copied());
    Shape::new(&dims)
}

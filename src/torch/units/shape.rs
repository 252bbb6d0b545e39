//! Shapes: the sizes of a tensor's dimensions.

/// The most dimensions a tensor has anywhere in the engine.
pub const MAX_DIMS: usize = 8;

/// Sizes of up to [`MAX_DIMS`] dimensions, outermost first; a plain value without heap memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    dims: [u64; MAX_DIMS],
    len: u8,
}

impl Shape {
    /// A shape with the given sizes.
    pub fn new(dims: &[u64]) -> Self {
        assert!(dims.len() <= MAX_DIMS, "more than {MAX_DIMS} dimensions");
        let mut all = [1; MAX_DIMS];
        all[..dims.len()].copy_from_slice(dims);
        Self {
            dims: all,
            len: u8::try_from(dims.len()).unwrap_or(0),
        }
    }

    /// The sizes.
    pub fn dims(&self) -> &[u64] {
        &self.dims[..usize::from(self.len)]
    }

    /// The sizes, to be changed in place.
    pub fn dims_mut(&mut self) -> &mut [u64] {
        &mut self.dims[..usize::from(self.len)]
    }

    /// How many dimensions.
    pub fn rank(&self) -> usize {
        usize::from(self.len)
    }

    /// How many elements.
    pub fn numel(&self) -> u64 {
        self.dims().iter().product()
    }

    /// The size of dimension `i`, counted from the end when negative.
    pub fn dim(&self, i: isize) -> u64 {
        self.dims()[self.axis(i)]
    }

    /// Index of dimension `i`, counted from the end when negative.
    pub fn axis(&self, i: isize) -> usize {
        let rank = self.len.cast_signed() as isize;
        let at = if i < 0 { i + rank } else { i };
        assert!(
            (0..rank).contains(&at),
            "dimension {i} of a shape with {rank}"
        );
        at.cast_unsigned()
    }
}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.dims().fmt(f)
    }
}

impl<const N: usize> From<[u64; N]> for Shape {
    fn from(dims: [u64; N]) -> Self {
        Self::new(&dims)
    }
}

//! Sizes that transformers takes where a config names none.

/// The defaults of a decoder's sizes (`configuration_*.py`).
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// H.
    pub hidden: u64,
    /// F.
    pub inner: u64,
    /// L.
    pub layers: u64,
    /// A.
    pub heads: u64,
    /// K, where it is not A.
    pub kv_heads: Option<u64>,
    /// Whether a config that says null has as many as heads.
    pub null_is_unshared: bool,
    /// D.
    pub head_dim: HeadDim,
    /// V.
    pub vocabulary: u64,
}

/// Columns of a head.
#[derive(Clone, Copy, Debug)]
pub enum HeadDim {
    /// The hidden size over the heads, whatever `head_dim` says.
    Divided,
    /// The hidden size over the heads where the config has no `head_dim`.
    DividedUnlessGiven,
    /// `head_dim`, with this default.
    Of(u64),
}

impl Sizes {
    /// The sizes of a family that is no decoder.
    pub const NONE: Self = Self {
        hidden: 1,
        inner: 1,
        layers: 1,
        heads: 1,
        kv_heads: None,
        null_is_unshared: false,
        head_dim: HeadDim::DividedUnlessGiven,
        vocabulary: 1,
    };
}

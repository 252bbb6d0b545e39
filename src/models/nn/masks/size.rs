//! Sizes by which masks are made.

use crate::tape::Tensor;
use crate::units::Shape;

/// Tokens `[B, S]`.
#[derive(Clone, Copy)]
pub struct BatchShape {
    /// B, the samples.
    pub b: u64,
    /// S, the tokens of each.
    pub s: u64,
}

impl BatchShape {
    /// The size of token ids `[B, S]` or hidden states `[B, S, H]`.
    pub fn of(tokens: &Tensor) -> Self {
        Self {
            b: tokens.dim(0),
            s: tokens.dim(1),
        }
    }

    /// As many samples of `s` tokens.
    pub(crate) fn with_len(self, s: u64) -> Self {
        Self { s, ..self }
    }

    /// Scores of all of its tokens against each other.
    pub fn scores(self) -> ScoreShape {
        ScoreShape {
            b: self.b,
            queries: self.s,
            keys: self.s,
        }
    }
}

impl From<BatchShape> for Shape {
    fn from(size: BatchShape) -> Self {
        Self::from([size.b, size.s])
    }
}

/// Attention scores `[B, Q, K]`, without heads.
#[derive(Clone, Copy)]
pub struct ScoreShape {
    /// B, the samples.
    pub(crate) b: u64,
    /// Q, the tokens that look.
    pub(crate) queries: u64,
    /// K, the tokens that are looked at.
    pub(crate) keys: u64,
}

impl ScoreShape {
    /// The tokens that are looked at.
    pub fn seen(self) -> BatchShape {
        BatchShape {
            b: self.b,
            s: self.keys,
        }
    }
}

//! The versions of transformers, as modules ask for them.

use crate::ask::Framework;

/// A version of transformers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transformers {
    /// 4.48.
    V448,
    /// 4.51.
    V451,
    /// 5.23.
    V5,
}

impl Transformers {
    /// The version of transformers in a framework.
    pub fn of(framework: Framework) -> Self {
        match framework {
            Framework::Torch26Transformers448 => Self::V448,
            Framework::Torch26Transformers451 => Self::V451,
            Framework::Torch215Transformers523
            | Framework::Torch211Transformers523
            | Framework::Torch215MegatronCore016 => Self::V5,
        }
    }
}

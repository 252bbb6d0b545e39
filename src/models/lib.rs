//! Models: their sizes ([`model`]), the blocks that they are made of ([`nn`]), and each architecture of transformers, of
//! flash-linear-attention and of exported graphs ([`families`]). A forward pass here writes the operations of one step
//! onto the tape.

use highwater_scenario::{ask, catalog, exported};
use highwater_torch::{tape, units};

pub mod families;
pub mod model;
pub mod nn;

//! A training job as it is asked for: the scenario and its keys ([`ask`]), GPUs and machines ([`catalog`]), the graph of
//! a model that `torch.export` wrote ([`exported`]), and the lengths of a batch's samples ([`lengths`]). Nothing here
//! computes memory.

use highwater_torch::units;

pub mod ask;
pub mod catalog;
pub mod exported;
pub mod lengths;

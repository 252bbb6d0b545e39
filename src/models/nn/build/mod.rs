//! Building modules: under which names, with which parameters, held how; the layers that all models have.

mod builder;
mod call;
mod checkpointed;
mod conv1d;
mod divided;
mod division;
mod divisions;
mod expert_weights;
mod facts;
mod finish;
mod four_bit;
mod int8;
mod layers;
mod lists;
mod loading;
mod named;
mod norm;
mod once_loaded;
mod outline;
mod output;
mod packed_experts;
mod quantized;
mod recast;

pub(crate) use builder::{Builder, Plan};
pub(crate) use call::Call;
pub(crate) use conv1d::Conv1D;
pub(crate) use division::{BetweenLayers, Division};
pub(crate) use expert_weights::Joined;
pub use facts::Facts;
pub(crate) use finish::Finished;
pub(crate) use four_bit::saved_scale_codes;
pub(crate) use layers::{Embedding, LayerNorm, Linear, RmsNorm};
pub(crate) use loading::moved;
pub(crate) use norm::{Norm, bare_root_mean_square, root_mean_square};
pub use output::{Output, Request, Scored};
pub(crate) use packed_experts::PackedExperts;

//! Attention: its kernels, the embeddings of positions that rotate queries and keys, and its kinds.

mod alibi;
mod angles;
mod attend;
mod differential;
mod dynamic;
mod expert;
pub(crate) mod flash;
mod heads_exchanged;
mod indexer;
mod latent;
mod options;
pub(crate) mod rotary;
mod rotary_attention;
pub(crate) mod rotary_pairs;
mod rotated_rows;
mod sharing;
mod sinks;

pub(crate) use alibi::Alibi;
pub(crate) use angles::{Angles, CosSin};
pub(crate) use attend::{
    attend, attend_as_bert, attend_with_scores, attend_with_weights, dropped, in_heads, joined,
    without_later,
};
pub(crate) use differential::DifferentialAttention;
pub(crate) use dynamic::DynamicAttention;
pub(crate) use expert::ExpertAttention;
pub(crate) use latent::LatentAttention;
pub(crate) use options::AttentionOptions;
pub(crate) use rotary::Rotary;
pub(crate) use rotary_attention::RotaryAttention;
pub(crate) use sharing::{SharingAttention, readers_from};

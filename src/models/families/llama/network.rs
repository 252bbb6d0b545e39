//! Llama, and all decoders that are put together of the same blocks.

use crate::families::network::Net;
use crate::model::ResolvedSpec;
use crate::nn::build::{Builder, Facts};
use crate::nn::decoder::{Causal, DecoderLayer};

/// Builds the model that its record and its config describe.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Causal::<DecoderLayer>::new(b, spec.config(), spec, facts))
}

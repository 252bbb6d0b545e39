//! The interleaved schedule (`forward_backward_pipelining_with_interleaving`).

use super::step::Call;

pub(super) fn run(_call: &Call) {}

//! `torch.optim.SGD`.

use super::state::{Optimizer, state_like};
use crate::tape::Tape;

impl Optimizer {
    /// State: the momentum buffer, when there is momentum. No temporaries in any implementation.
    pub(super) fn sgd(&mut self, t: &Tape) {
        if self.options.momentum > 0.0 {
            self.init(t, |parameter| vec![state_like(t, "clone", parameter)]);
        }
    }
}

//! Waiting until something rests.

use gloo_timers::callback::Timeout;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// Runs what it is given after a pause, unless it is given something else before.
#[derive(Clone, Default)]
pub struct Timer(Rc<Cell<Option<Timeout>>>);

impl Timer {
    /// Runs `then` after a pause, and not what it was to run before.
    pub fn set(&self, pause: Duration, then: impl FnOnce() + 'static) {
        let pause = u32::try_from(pause.as_millis()).unwrap_or(u32::MAX);
        // The one before is dropped, and called off by that.
        self.0.set(Some(Timeout::new(pause, then)));
    }
}

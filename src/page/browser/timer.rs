//! Waiting until something rests, and how long something takes.

use gloo_timers::callback::Timeout;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// How long something takes, by the clock of the reader's machine.
pub fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let began = js_sys::Date::now();
    let made = run();
    let took = (js_sys::Date::now() - began).max(0.0) / 1000.0;
    (made, Duration::try_from_secs_f64(took).unwrap_or_default())
}

/// Runs `then` in a task of its own, soon.
pub fn in_a_task(then: impl FnOnce() + 'static) {
    Timeout::new(0, then).forget();
}

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

    /// Runs nothing.
    pub fn clear(&self) {
        self.0.set(None);
    }
}

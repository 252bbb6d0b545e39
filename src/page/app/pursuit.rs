//! How the page pursues a question: between frames, until it is answered or another takes its place.

use super::estimates::Estimates;
use crate::browser::{Timer, timed};
use crate::decide::{Progress, Question};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

/// How long the browser gets between two turns.
const PAUSE: Duration = Duration::from_millis(4);

/// After a turn that takes longer the browser gets as long as that.
const LONG: Duration = Duration::from_millis(40);

/// How long a turn is at most, but for a single estimate that takes longer.
const TURN: Duration = Duration::from_millis(4);

/// A place for one question at a time.
#[derive(Clone, Default)]
pub(super) struct Pursuit {
    timer: Timer,
    /// How often a question came, or was given up.
    serial: Rc<Cell<u32>>,
}

/// A question that is pursued.
struct Pursued<Q, F> {
    question: Q,
    /// The callback for the question after each step, and for whether that was the last step.
    told: F,
    estimates: Estimates,
}

impl Pursuit {
    /// Does something after a rest, in place of what there was.
    pub(super) fn set(&self, rest: Duration, then: impl FnOnce() + 'static) {
        self.give_up();
        self.timer.set(rest, then);
    }

    /// Pursues a question in place of what there was; `told` receives the question after each step, and `true` after
    /// the last one.
    pub(super) fn pursue<Q: Question + 'static>(
        &self,
        question: Q,
        told: impl FnMut(&Q, bool) + 'static,
    ) {
        self.give_up();
        let pursued = Pursued {
            question,
            told,
            estimates: Estimates::default(),
        };
        self.go_on_later(PAUSE, Rc::new(RefCell::new(pursued)));
    }

    /// Whatever is pursued is not gone on with.
    pub(super) fn give_up(&self) {
        self.serial.set(self.serial.get().wrapping_add(1));
        self.timer.clear();
    }

    fn go_on_later<Q: Question + 'static, F: FnMut(&Q, bool) + 'static>(
        &self,
        pause: Duration,
        pursued: Rc<RefCell<Pursued<Q, F>>>,
    ) {
        let next = self.clone();
        self.timer.set(pause, move || next.go_on(pursued));
    }

    fn go_on<Q: Question + 'static, F: FnMut(&Q, bool) + 'static>(
        &self,
        pursued: Rc<RefCell<Pursued<Q, F>>>,
    ) {
        let (progress, took) = timed(|| pursued.borrow_mut().take_turn());
        match progress {
            Progress::Done => {}
            Progress::Further => {
                let pause = if took > LONG { took } else { PAUSE };
                self.go_on_later(pause, pursued);
            }
            Progress::Waits => {
                let (next, serial) = (self.clone(), self.serial.get());
                let estimates = pursued.borrow().estimates.clone();
                estimates.then(move || {
                    if next.serial.get() == serial {
                        next.go_on(pursued);
                    }
                });
            }
        }
    }
}

impl<Q: Question, F: FnMut(&Q, bool)> Pursued<Q, F> {
    /// Goes on until it waits, is done, or has taken its time.
    fn take_turn(&mut self) -> Progress {
        let mut spent = Duration::ZERO;
        while spent < TURN {
            let (progress, took) = timed(|| {
                let progress = self.question.advance(&mut self.estimates);
                if progress != Progress::Waits {
                    (self.told)(&self.question, progress == Progress::Done);
                }
                progress
            });
            if progress != Progress::Further {
                return progress;
            }
            spent += took;
        }
        Progress::Further
    }
}

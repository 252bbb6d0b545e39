//! Estimates for questions, made by threads beside the page's where the browser has them.

use super::snapshots;
use crate::ask::Scenario;
use crate::browser::{Workers, answer};
use crate::codec::{decode_json, encode_json};
use crate::decide::{Answer, Estimator};
use crate::report::Figures;
use crate::resolve::resolve;
use std::cell::RefCell;
use std::rc::Rc;

/// The most threads: each keeps what the hungriest estimate took.
const MOST_THREADS: u32 = 4;

thread_local! {
    /// The threads, from the first estimate on that is asked for.
    static WORKERS: Workers = Workers::start(MOST_THREADS);
}

/// Whether threads beside the page's make estimates.
pub(super) fn are_made_elsewhere() -> bool {
    WORKERS.with(Workers::count) > 0
}

/// In a worker: estimates what the page asks for, and reads its snapshots. A scenario that is refused has no figures;
/// the page knows why.
pub(super) fn serve() {
    let figures = |text: &str| {
        let figures = Figures::of(&decode_json(text).0).ok();
        serde_json::to_string(&figures).unwrap_or_default()
    };
    answer(figures, snapshots::answer);
}

/// The estimates that one question asks for.
#[derive(Clone, Default)]
pub(super) struct Estimates(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    /// Scenarios that were asked for, with what is known of them.
    asked: Vec<(Scenario, Option<Answer>)>,
    /// What is waited for, and what to do then.
    awaited: Option<Scenario>,
    then: Option<Box<dyn FnOnce()>>,
}

impl Estimates {
    /// Does something when what was waited for is known.
    pub(super) fn then(&self, then: impl FnOnce() + 'static) {
        self.0.borrow_mut().then = Some(Box::new(then));
    }

    fn ask(&self, workers: &Workers, scenario: &Scenario) {
        let (own, of) = (Rc::downgrade(&self.0), scenario.clone());
        self.0.borrow_mut().asked.push((of.clone(), None));
        workers.ask(encode_json(scenario), move |text| {
            if let Some(state) = own.upgrade() {
                Self(state).told(&of, text);
            }
        });
    }

    fn told(&self, scenario: &Scenario, text: Option<String>) {
        // Where no thread could say it, it is worked out here.
        let answer = match text.map(|text| serde_json::from_str(&text)) {
            Some(Ok(Some(figures))) => Ok(figures),
            Some(Ok(None)) => Err(resolve(scenario).findings),
            Some(Err(_)) | None => Figures::of(scenario),
        };
        let then = {
            let mut state = self.0.borrow_mut();
            if let Some(entry) = state.asked.iter_mut().find(|(of, _)| of == scenario) {
                entry.1 = Some(answer);
            }
            let is_awaited = state.awaited.as_ref() == Some(scenario);
            is_awaited.then(|| state.then.take()).flatten()
        };
        if let Some(then) = then {
            then();
        }
    }
}

impl Estimator for Estimates {
    fn figures(&mut self, scenario: &Scenario) -> Option<Answer> {
        let at = {
            let state = self.0.borrow();
            state.asked.iter().position(|(of, _)| of == scenario)
        };
        if let Some(at) = at {
            let mut state = self.0.borrow_mut();
            if state.asked[at].1.is_some() {
                return state.asked.swap_remove(at).1;
            }
        } else {
            let resolution = resolve(scenario);
            if resolution.spec.is_none() {
                return Some(Err(resolution.findings));
            }
            let workers = WORKERS.with(Workers::clone);
            if workers.count() == 0 {
                return Some(Figures::of(scenario));
            }
            self.ask(&workers, scenario);
        }
        self.0.borrow_mut().awaited = Some(scenario.clone());
        None
    }

    fn prepare(&mut self, coming: &mut dyn Iterator<Item = Scenario>) {
        let workers = WORKERS.with(Workers::clone);
        // One more than there are threads, so that none stands still.
        let most = match workers.count() {
            0 => return,
            count => count + 1,
        };
        for scenario in coming.take(most) {
            let state = self.0.borrow();
            if state.asked.len() >= most {
                return;
            }
            let is_new = state.asked.iter().all(|(of, _)| *of != scenario);
            drop(state);
            if is_new {
                self.ask(&workers, &scenario);
            }
        }
    }
}

//! Estimates for questions, made by threads beside the page's where the browser has them.

use super::{graphs, snapshots};
use crate::ask::{Finding, Scenario, message};
use crate::browser::{Answered, Chosen, Worked, Workers, answer, timed};
use crate::codec::{decode_json, encode_json};
use crate::decide::{Answer, Estimator, Grid, Survey, long_steps};
use crate::report::{self, Estimate, Figures, Lagging, Surveyed};
use crate::resolve::resolve;
use crate::units::names;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// The most threads: each keeps what the hungriest estimate took.
const MOST_THREADS: u32 = 4;

/// A listener for scenarios over which a thread broke off.
type Listener = Box<dyn Fn(&Scenario)>;

thread_local! {
    /// The threads, from the first estimate on that is asked for.
    static WORKERS: Workers = Workers::start(MOST_THREADS);
    /// The listener for scenarios over which a thread broke off.
    static TOLD: RefCell<Option<Listener>> = const { RefCell::new(None) };
}

/// Has somebody told of scenarios over which a thread broke off.
pub(super) fn on_broken_off(tell: impl Fn(&Scenario) + 'static) {
    TOLD.set(Some(Box::new(tell)));
}

/// Tells that a thread broke off over a scenario: the error in place of an answer. It is not tried again on the page's
/// own thread, which would stop the page.
pub(super) fn broke_off(scenario: &Scenario) -> Finding {
    TOLD.with_borrow(|told| {
        if let Some(tell) = told {
            tell(scenario);
        }
    });
    Finding::error("", message!(decide::broke_off))
}

/// Whether threads beside the page's make estimates.
pub(super) fn are_made_elsewhere() -> bool {
    WORKERS.with(Workers::count) > 0
}

names! {
    /// What the page wants of a scenario.
    Wanted {
        /// The numbers that searches compare.
        Figures = "figures",
        /// The whole answer, and how long it took in milliseconds.
        Estimate = "estimate",
        /// What it holds where the device lags behind the host.
        Lagging = "lagging",
        /// Many steps whose lengths are drawn.
        Steps = "steps",
        /// The needs of all cells of a grid: its two lists of numbers stand in a line before the scenario.
        Survey = "survey",
    }
}

impl Wanted {
    /// The request to a worker: the name of the wanted estimate and the scenario.
    pub(super) fn asked(self, of: &Scenario) -> String {
        format!("{}\n{}", self.name(), encode_json(of))
    }
}

/// In a worker: estimates what the page asks for, and reads its snapshots and graphs. A scenario that is refused has no
/// answer; the page knows why.
pub(super) fn serve() {
    answer(
        |asked| answered(asked).unwrap_or_default(),
        read,
        graphs::note,
    );
}

/// In a worker: reads a file.
fn read(file: Chosen) -> Answered {
    Box::pin(async move {
        if graphs::are_wanted() {
            graphs::written(&file).await
        } else {
            snapshots::answer(file.content().await)
        }
    })
}

/// Has every thread know a graph.
pub(super) fn note(graph: &str) {
    WORKERS.with(|workers| workers.note(graph));
}

/// The response to a request; `None` where there is no answer.
fn answered(asked: &str) -> Option<String> {
    let (wanted, of) = asked.split_once('\n')?;
    let wanted = Wanted::from_name(wanted)?;
    let (numbers, scenario) = match wanted {
        Wanted::Survey => of.split_once('\n')?,
        _ => ("", of),
    };
    let mut scenario = decode_json(scenario).0;
    graphs::complete(&mut scenario);
    match wanted {
        Wanted::Figures => serde_json::to_string(&Figures::of(&scenario).ok()).ok(),
        Wanted::Estimate => {
            let (estimate, took) = timed(|| report::estimate(&scenario));
            let written = estimate.ok()?.written()?;
            Some(format!("{}\n{written}", took.as_millis()))
        }
        Wanted::Lagging => serde_json::to_string(&report::lagging(&scenario)).ok(),
        Wanted::Steps | Wanted::Survey => answered_later(wanted, numbers, &scenario),
    }
}

/// The answers that nobody asks for before the page is whole.
#[inline(never)] // The first visit does without it.
fn answered_later(wanted: Wanted, numbers: &str, scenario: &Scenario) -> Option<String> {
    match wanted {
        Wanted::Survey => {
            let [batches, lengths]: [Vec<u64>; 2] = serde_json::from_str(numbers).ok()?;
            Surveyed::written(&report::survey(scenario, &batches, &lengths)?)
        }
        _ => long_steps(scenario)?.ok()?.written(),
    }
}

/// The estimate of a scenario, or the findings that refuse it.
pub(super) type Said = Result<Estimate, Vec<Finding>>;

/// Has a thread answer a scenario, before all that others wait for: what it says, and how long it took. What no
/// thread can answer is answered here.
pub(super) fn ask(scenario: Scenario, told: impl FnOnce(Said, Duration) + 'static) {
    let workers = WORKERS.with(Workers::clone);
    let asked = Wanted::Estimate.asked(&scenario);
    let answered = move |worked: Worked| {
        if let Worked::BrokeOff = worked {
            return told(Err(vec![broke_off(&scenario)]), Duration::ZERO);
        }
        let read = worked.text().and_then(|text| {
            let (took, written) = text.split_once('\n')?;
            let took = Duration::from_millis(took.parse().ok()?);
            Some((Estimate::read(written, &scenario)?, took))
        });
        let here = || timed(|| report::estimate(&scenario));
        let (said, took) = read.map_or_else(here, |(estimate, took)| (Ok(estimate), took));
        told(said, took);
    };
    workers.ask_first(asked, answered);
}

/// Has a thread say what a scenario holds where the device lags behind the host; here where none can.
pub(super) fn ask_lagging(scenario: Scenario, told: impl FnOnce(Option<Lagging>) + 'static) {
    let workers = WORKERS.with(Workers::clone);
    let asked = Wanted::Lagging.asked(&scenario);
    workers.ask(asked, move |worked| {
        if let Worked::BrokeOff = worked {
            broke_off(&scenario);
            return told(None);
        }
        let read = worked.text();
        let read = read.and_then(|text| serde_json::from_str(&text).ok());
        told(read.unwrap_or_else(|| report::lagging(&scenario)));
    });
}

/// The estimates that one question asks for.
#[derive(Clone, Default)]
pub(super) struct Estimates(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    /// Scenarios that were asked for, with their answers once they are known.
    asked: Vec<(Scenario, Option<Answer>)>,
    /// The scenario whose answer is waited for, and the callback for then.
    awaited: Option<Scenario>,
    then: Option<Box<dyn FnOnce()>>,
    /// The survey that was asked for.
    survey: Option<Survey>,
}

impl Estimates {
    /// Calls `then` when the awaited answer is known.
    pub(super) fn then(&self, then: impl FnOnce() + 'static) {
        self.0.borrow_mut().then = Some(Box::new(then));
    }

    fn ask(&self, workers: &Workers, scenario: &Scenario) {
        let (own, of) = (Rc::downgrade(&self.0), scenario.clone());
        self.0.borrow_mut().asked.push((of.clone(), None));
        workers.ask(Wanted::Figures.asked(scenario), move |worked| {
            if let Some(state) = own.upgrade() {
                Self(state).told(&of, worked);
            }
        });
    }

    fn told(&self, scenario: &Scenario, worked: Worked) {
        let answer = match worked {
            Worked::BrokeOff => Err(vec![broke_off(scenario)]),
            // Where no thread could say it, it is worked out here.
            Worked::Nobody => Figures::of(scenario),
            Worked::Text(text) => match serde_json::from_str(&text) {
                Ok(Some(figures)) => Ok(figures),
                Ok(None) => Err(resolve(scenario).findings),
                Err(_) => Figures::of(scenario),
            },
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
        // One more than there are threads, so that none is idle.
        let most = match workers.count() {
            0 => return,
            count => count + 1,
        };
        let coming: Vec<Scenario> = coming.take(most).collect();
        let mut state = self.0.borrow_mut();
        let State { asked, awaited, .. } = &mut *state;
        // Nobody will ask for scenarios that were found to be needless meanwhile.
        asked.retain(|(of, _)| awaited.as_ref() == Some(of) || coming.contains(of));
        drop(state);
        let is_new = |of: &&Scenario| {
            let state = self.0.borrow();
            state.asked.iter().all(|(asked, _)| asked != *of)
        };
        for scenario in coming.iter().filter(is_new) {
            self.ask(&workers, scenario);
        }
    }

    fn survey(&mut self, grid: &Grid) -> Survey {
        let asked = self.0.borrow_mut().survey.take();
        match asked {
            Some(Survey::Waits) => {}
            Some(found) => return found,
            None => {
                let workers = WORKERS.with(Workers::clone);
                let numbers = serde_json::to_string(&[&grid.batches, &grid.lengths]);
                let (Ok(numbers), true) = (numbers, workers.count() > 0) else {
                    return Survey::Never;
                };
                let asked = [
                    Wanted::Survey.name(),
                    &numbers,
                    &encode_json(&grid.scenario),
                ]
                .join("\n");
                let own = Rc::downgrade(&self.0);
                workers.ask(asked, move |worked| {
                    if let Some(state) = own.upgrade() {
                        let found = worked.text().and_then(|text| Surveyed::read(&text));
                        state.borrow_mut().survey =
                            Some(found.map_or(Survey::Never, Survey::Known));
                    }
                });
            }
        }
        self.0.borrow_mut().survey.get_or_insert(Survey::Waits);
        Survey::Waits
    }
}

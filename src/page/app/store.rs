//! The page's state: signals, and the few ways in which they change.

use super::address::{Opening, preferred_language};
use super::entries::Entries;
use super::focus::Focus;
use super::graphs;
use super::kept::Kept;
use super::lasting::Lasting;
use super::values::Values;
use crate::ask::{Finding, Fix, Message, Place, Scenario, Severity};
use crate::browser::{self, Appearance};
use crate::codec::{self, Theme, WidgetControls, WidgetPanels};
use crate::configs::Approximation;
use crate::decide::Advice;
use crate::report::{Detail, Estimate, Lagging, Measure, RankReport, Sweep, Timeline};
use crate::resolve::resolve;
use crate::sim::Phase;
use crate::text::{ByteUnits, Language};
use crate::units::Bytes;
use leptos::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

/// A change after this much rest begins a new gesture: the ghost moves to where it started.
const GESTURE_REST: Duration = Duration::from_millis(1_500);

/// Text in a control that is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The text that was typed.
    pub text: String,
    /// The message that says why it is no value, and which values are allowed.
    pub message: Message,
}

/// The totals before the current gesture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ghost {
    /// The total that nvidia-smi showed.
    pub device: Bytes,
    /// The phase that bound, and its `peak_tensor`.
    pub peak: (Phase, Bytes),
    /// Host memory.
    pub host: Bytes,
}

/// The way back, for whoever shows it beside the controls.
#[derive(Clone, Copy)]
pub struct Undo {
    /// Whether there is a step.
    pub has: Signal<bool>,
    /// Goes it.
    pub go: Callback<()>,
}

/// Everything that the page's panels read and change: as long as the page lives.
#[derive(Clone, Copy)]
pub struct Store(&'static State);

/// The state behind a [`Store`].
pub struct State {
    /// The scenario that is asked.
    pub scenario: RwSignal<Scenario>,
    /// Its values, for whoever wants to hear of one.
    pub values: Values,
    /// Texts that are no values, by scenario key.
    pub drafts: Lasting<BTreeMap<&'static str, Draft>>,
    /// The last good answer.
    pub answer: RwSignal<Option<Arc<Estimate>>>,
    /// The scenario of that answer, of a pipeline with the stage that was found to bind.
    pub(super) answered: RwSignal<Scenario>,
    /// The answer for panels below the first screen: it comes after the frame that shows the answer, which need not
    /// wait for them.
    pub settled: RwSignal<Option<Arc<Estimate>>>,
    /// The scenario for readers that may follow a frame later and that say more about it than its values, such as why
    /// one has no effect.
    pub followed: RwSignal<Scenario>,
    /// Whether the rest of the program is there, which comes after the first answer: panels below the first screen and
    /// estimates off the critical path wait for it.
    pub whole: RwSignal<bool>,
    /// Findings about the scenario on screen.
    pub findings: RwSignal<Vec<Finding>>,
    /// Over which scenario a thread broke off since the last change, if over any.
    pub broke_off: RwSignal<Option<Scenario>>,
    /// Findings about the address.
    pub address_findings: RwSignal<Vec<Finding>>,
    /// Peak by batch size, for the scenario of the last good answer.
    pub sweep: RwSignal<Option<Arc<Sweep>>>,
    /// Whether that is being computed again.
    pub sweeping: RwSignal<bool>,
    /// The ranks of the job that differ, in the order of their numbers; empty where there is one.
    pub ranks: RwSignal<Vec<RankReport>>,
    /// Changes to recommend, or the room that is left.
    pub advice: RwSignal<Option<Arc<Advice>>>,
    /// Settings of an opened job that are estimated as the nearest that is modelled; empty where no job was opened.
    pub approximated: RwSignal<Vec<Approximation>>,
    /// How sure the answer is by that, in words.
    pub certainty: RwSignal<String>,
    /// Whether it is that of an answer before.
    pub weighing: RwSignal<bool>,
    /// The totals before the current gesture.
    pub ghost: RwSignal<Option<Ghost>>,
    /// The target that is highlighted.
    pub focus: Focus,
    /// Memory of a steady step where the device lags behind the host, where that differs.
    pub lagging: RwSignal<Option<Lagging>>,
    /// Whether a panel wants to know single tensors.
    pub looking: RwSignal<bool>,
    /// The run of the last good answer in detail, while somebody wants it.
    pub detail: RwSignal<Option<Arc<Detail>>>,
    /// The events that the timeline shows; none for all.
    pub window: RwSignal<Option<(u32, u32)>>,
    /// The timeline with those events in full.
    pub closer: RwSignal<Option<Arc<Timeline>>>,
    /// The configuration that is compared with the one on screen.
    pub kept: Kept,
    /// The entries of the browser's history, once the page makes some; an embedded page never does.
    pub(super) entries: StoredValue<Option<&'static dyn Entries>>,
    /// The bytes that count as used: of live tensors, of allocated blocks or of reserved segments.
    pub measure: RwSignal<Measure>,
    /// The language.
    pub language: Lasting<Language>,
    /// The language that the browser asks for.
    pub(super) preferred: Language,
    /// GiB or GB.
    pub units: Lasting<ByteUnits>,
    /// The appearance that the reader's system asks for.
    pub appearance: RwSignal<Appearance>,
    /// The theme that the address asks for.
    pub theme: Option<Theme>,
    /// Whether this is the compact widget in somebody else's page.
    pub embedded: bool,
    /// Controls that the compact widget has.
    pub controls: WidgetControls,
    /// Its panels.
    pub panels: WidgetPanels,
    /// Whether the page is being printed: figures are drawn for paper, seen or not.
    pub printing: RwSignal<bool>,
    /// Whether the controls are open, where they are a sheet.
    pub settings_open: RwSignal<bool>,
    /// The way back, once steps are kept.
    pub undo: RwSignal<Option<Undo>>,
    gesture: RwSignal<Gesture>,
}

/// A run of changes of one setting without a rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Gesture {
    key: Option<&'static str>,
    serial: u64,
    /// How often a whole scenario came before it.
    arrivals: u32,
}

impl Deref for Store {
    type Target = State;

    fn deref(&self) -> &State {
        self.0
    }
}

impl Store {
    /// The state of a page that opens with an address.
    pub(super) fn new(opening: Opening) -> Self {
        Self(Box::leak(Box::new(State {
            values: Values::of(&opening.scenario),
            followed: RwSignal::new(opening.scenario.clone()),
            scenario: RwSignal::new(opening.scenario),
            drafts: Lasting::new(BTreeMap::new()),
            answer: RwSignal::new(None),
            answered: RwSignal::new(Scenario::default()),
            settled: RwSignal::new(None),
            whole: RwSignal::new(false),
            findings: RwSignal::new(Vec::new()),
            broke_off: RwSignal::new(None),
            address_findings: RwSignal::new(opening.findings),
            sweep: RwSignal::new(None),
            sweeping: RwSignal::new(true),
            ranks: RwSignal::new(Vec::new()),
            advice: RwSignal::new(None),
            approximated: RwSignal::new(Vec::new()),
            certainty: RwSignal::new(String::new()),
            weighing: RwSignal::new(true),
            ghost: RwSignal::new(None),
            focus: Focus::new(),
            lagging: RwSignal::new(None),
            looking: RwSignal::new(false),
            detail: RwSignal::new(None),
            window: RwSignal::new(None),
            closer: RwSignal::new(None),
            kept: Kept::new(opening.against),
            entries: StoredValue::new(None),
            measure: RwSignal::new(Measure::Live),
            language: Lasting::new(opening.language),
            preferred: preferred_language(),
            units: Lasting::new(ByteUnits::Binary),
            appearance: RwSignal::new(browser::appearance(opening.theme.map(|t| t == Theme::Dark))),
            theme: opening.theme,
            embedded: opening.embedded,
            controls: opening.controls,
            panels: opening.panels,
            printing: RwSignal::new(false),
            settings_open: RwSignal::new(false),
            undo: RwSignal::new(None),
            gesture: RwSignal::new(Gesture::default()),
        })))
    }

    /// Changes the setting with this key.
    pub fn edit(self, key: &'static str, change: impl FnOnce(&mut Scenario)) {
        self.begin_gesture(key);
        self.take_back(key);
        self.ask(change);
    }

    /// Changes the scenario, and notifies readers of its values.
    fn ask(self, change: impl FnOnce(&mut Scenario)) {
        if self.broke_off.with_untracked(Option::is_some) {
            self.broke_off.set(None);
        }
        self.scenario.update(change);
        self.scenario
            .with_untracked(|scenario| self.values.tell(scenario));
    }

    /// Keeps text that is no value for the setting with this key; the answer stays as it was.
    pub fn reject(self, key: &'static str, draft: Draft) {
        self.drafts.update(|drafts| {
            drafts.insert(key, draft);
        });
    }

    /// Gives up text that is no value: the last value stands. Every control listens to the drafts:
    /// they are told only of others.
    pub fn take_back(self, key: &'static str) {
        if self
            .drafts
            .with_untracked(|drafts| drafts.contains_key(key))
        {
            self.drafts.update(|drafts| {
                drafts.remove(key);
            });
        }
    }

    /// Takes the reports of the job's ranks as they are known now.
    pub(super) fn tell_ranks(self, found: &[RankReport]) {
        if self.ranks.with_untracked(|now| now != found) {
            self.ranks.set(found.to_vec());
        }
    }

    /// Looks at another rank of the job.
    pub fn open_rank(self, place: Place) {
        self.edit("parallelism.dp.rank", |scenario| {
            let parallelism = &mut scenario.parallelism;
            parallelism.dp.rank = place.dp;
            parallelism.cp.rank = place.cp;
            parallelism.pp.rank = (parallelism.pp.size > 1).then_some(place.pp);
        });
    }

    /// Applies a finding's fix, and the fixes of findings that the same setting still has after it:
    /// one click repairs it.
    pub fn apply(self, fix: &Fix) {
        /// A repair that needs more rounds than this is none.
        const ROUNDS: usize = 4;
        let Some(mut scenario) = self.scenario.with_untracked(|s| fix.apply(s)) else {
            return;
        };
        for _ in 0..ROUNDS {
            let found = resolve(&scenario).findings.into_iter();
            let mut errors = found.filter(|f| f.severity == Severity::Error && f.key == fix.key);
            let next = errors.find_map(|f| f.fix);
            let Some(next) = next.and_then(|fix| fix.apply(&scenario)) else {
                break;
            };
            scenario = next;
        }
        self.replace(scenario);
    }

    /// Shows another scenario.
    pub fn replace(self, mut scenario: Scenario) {
        graphs::complete(&mut scenario);
        self.begin_gesture("");
        self.drafts.set(BTreeMap::new());
        self.address_findings.set(Vec::new());
        self.ask(|asked| *asked = scenario);
        self.gesture.update(|gesture| gesture.arrivals += 1);
    }

    /// Shows others from here on, which are no steps of the history, until this configuration is given back, or another one
    /// stays.
    pub fn set_aside(self) {
        if let Some(entries) = self.entries.get_value() {
            entries.set_aside();
        }
    }

    /// Gives the configuration back that was set aside.
    pub fn give_back(self) {
        if let Some(entries) = self.entries.get_value() {
            entries.give_back();
        }
    }

    /// Stays with the configuration on screen instead of the configuration that was set aside.
    pub fn stay(self) {
        if let Some(entries) = self.entries.get_value() {
            entries.go_on();
        }
    }

    /// Detaches the scenario from the opened job from here on.
    pub fn forget_job(self) {
        if !self.approximated.with_untracked(Vec::is_empty) {
            self.approximated.set(Vec::new());
        }
    }

    /// How often a whole scenario came: by a link, a situation, a fix or a remedy.
    pub fn arrivals(self) -> u32 {
        self.gesture.with(|gesture| gesture.arrivals)
    }

    /// Whether there is an answer at all; there is none when the page opens with a configuration
    /// that has none.
    pub fn has_answer(self) -> bool {
        self.answer.with(Option::is_some)
    }

    /// Whether the answer on screen is not the scenario's.
    pub fn is_stale(self) -> bool {
        !self.drafts.with(BTreeMap::is_empty)
            || self
                .findings
                .with(|all| all.iter().any(|f| f.severity == Severity::Error))
    }

    fn begin_gesture(self, key: &'static str) {
        let gesture = self.gesture.get_untracked();
        if gesture.key != Some(key) {
            let before = self.answer.with_untracked(|answer| {
                answer.as_ref().map(|estimate| Ghost {
                    device: estimate.report.device.total,
                    peak: (
                        estimate.report.device.binding().phase,
                        estimate.report.device.binding().peak_tensor,
                    ),
                    host: estimate.report.host.peak.total,
                })
            });
            self.ghost.set(before);
        }
        let serial = gesture.serial + 1;
        self.gesture.set(Gesture {
            key: Some(key),
            serial,
            ..gesture
        });
        self.end_gesture(serial);
    }

    /// Ends a gesture after a rest, unless it has gone on or the thumb of a slider is still being held.
    fn end_gesture(self, serial: u64) {
        let end = move || {
            if self.gesture.get_untracked().serial != serial {
                return;
            }
            if browser::is_slider_held() {
                return self.end_gesture(serial);
            }
            self.gesture.update(|gesture| gesture.key = None);
        };
        set_timeout(end, GESTURE_REST);
    }

    /// The setting that is being changed, until it rests; empty for a whole scenario.
    pub fn gesture_key(self) -> Option<&'static str> {
        self.gesture.with(|gesture| gesture.key)
    }

    /// The micro-batch of the last good answer.
    pub fn answered_micro_batch(self) -> u64 {
        self.answered.with_untracked(|of| of.micro_batch_size)
    }

    /// The value in the scenario of the last good answer of the setting with this key.
    pub fn answered_value(self, key: &str) -> Value {
        let values = self.answered.with_untracked(codec::values);
        codec::value_at(&values, key).clone()
    }
}

/// The page's state, from any panel.
pub fn use_store() -> Store {
    expect_context()
}

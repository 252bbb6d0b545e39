//! One setting: a control bound to a part of the scenario, with its help, findings and notes.
//!
//! A [`Setting`] is a line of a table; its kind, the parsing of its text and the sentences about it come from the rooms
//! that know, so that a new key of the scenario is one more line.

use super::setting_control::{adapters, choice, names, number, switch};
use crate::app::{Draft, Store, use_store};
use crate::ask::{Finding, Fix, Scenario, Severity};
use crate::codec::{self, Kind};
use crate::resolve::idle;
use crate::text::{
    Language, Word, guide_page, idle_reason, message_text, setting_help, setting_name,
};
use crate::widgets::{Choice, Field, HelpText, Problem};
use leptos::prelude::*;
use serde_json::Value;

/// A setting and how it is shown.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    /// The scenario key, which is the element's id, too.
    pub key: &'static str,
    /// The look of its control.
    pub look: Look,
    /// The meaning of a scenario that does not say it.
    pub absent: Absent,
    /// Whether it takes half of the width.
    pub half: bool,
    /// The note below it: a consequence of its value.
    pub note: Option<Note>,
}

/// The sentence about a consequence of a setting in a scenario, where there is one.
pub(super) type Note = fn(&Scenario, Language) -> Option<String>;

/// The look of a setting's control.
#[derive(Clone, Copy)]
pub(super) enum Look {
    /// As its kind asks for: a switch, a choice or a text.
    Plain,
    /// A slider through these values, smallest first, with a text box.
    Steps(&'static [u64]),
    /// A slider through these shares, smallest first, with a text box.
    Shares(&'static [f64]),
    /// A choice among the values on offer.
    Choice(fn(&Scenario, Language) -> Vec<Choice>),
    /// A list of names, some of which are offered.
    Names,
    /// A switch for adapters as a whole.
    Adapters,
}

/// The meaning of a scenario that does not say a setting.
#[derive(Clone, Copy)]
pub(super) enum Absent {
    /// It always says it.
    Never,
    /// This number.
    Is(u64),
    /// The value of another setting.
    As(&'static str),
    /// Something that is no value.
    Called(Word),
}

impl Setting {
    /// A setting with the control that its kind asks for.
    pub const fn new(key: &'static str) -> Self {
        Self {
            key,
            look: Look::Plain,
            absent: Absent::Never,
            half: false,
            note: None,
        }
    }

    /// This setting with a slider through `steps`.
    pub const fn steps(self, steps: &'static [u64]) -> Self {
        self.look(Look::Steps(steps))
    }

    /// This setting with the control `look`.
    pub const fn look(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// This setting, whose value means `absent` where a scenario does not say it.
    pub const fn absent(self, absent: Absent) -> Self {
        Self { absent, ..self }
    }

    /// This setting with `note` below its control.
    pub const fn note(self, note: Note) -> Self {
        Self {
            note: Some(note),
            ..self
        }
    }

    /// This setting in half a row, beside another one.
    pub const fn half(self) -> Self {
        Self { half: true, ..self }
    }

    /// The kind of its value.
    pub fn kind(self) -> Kind {
        codec::key(self.key).map_or(Kind::Count, |key| key.kind)
    }

    /// Its name in the page's language.
    pub fn label(self, store: Store) -> Signal<String> {
        Signal::derive(move || setting_name(self.key, store.language.get()).to_owned())
    }

    /// Its value; null when the scenario does not say it.
    pub fn value(self) -> Memo<Value> {
        let values = use_store().values;
        Memo::new(move |_| values.get(self.key))
    }

    /// Changes it; null takes it out of the scenario.
    pub fn put(self, store: Store, value: Value) {
        store.edit(self.key, |scenario| {
            let key = self.key.to_owned();
            if let Some(mut changed) = (Fix { key, value }).apply(scenario) {
                settle(self.key, &mut changed);
                *scenario = changed;
            }
        });
    }

    /// Changes it to the typed value, or keeps the text with its error.
    pub fn type_in(self, store: Store, text: String) {
        match self.kind().read(&text) {
            Ok(value) => self.put(store, value),
            Err(message) => store.reject(self.key, Draft { text, message }),
        }
    }

    /// The text that was typed and is no value.
    pub fn draft(self, store: Store) -> Option<String> {
        store
            .drafts
            .with(|drafts| drafts.get(self.key).map(|draft| draft.text.clone()))
    }

    /// Why it has no effect.
    pub fn idle(self, store: Store) -> Memo<Option<String>> {
        Memo::new(move |_| {
            let idle = store.followed.with(|scenario| idle(scenario, self.key))?;
            Some(idle_reason(idle).text(store.language.get()).to_owned())
        })
    }

    /// Whether a finding's key is about this setting.
    pub fn is_about(self, key: &str) -> bool {
        key == self.key
            || (self.key == "model" && key.starts_with("model.hf_config"))
            || (self.key == "model_overrides" && key.starts_with("model_overrides."))
    }

    fn finding(self, store: Store) -> Option<Finding> {
        let of_this = |all: &Vec<Finding>| all.iter().find(|f| self.is_about(&f.key)).cloned();
        store
            .findings
            .with(of_this)
            .or_else(|| store.address_findings.with(of_this))
    }

    /// The problem with its value or its draft, if there is one.
    pub fn problem(self, store: Store) -> Memo<Option<Problem>> {
        Memo::new(move |_| {
            let language = store.language.get();
            if let Some(draft) = store.drafts.with(|drafts| drafts.get(self.key).cloned()) {
                return Some(Problem {
                    message: message_text(&draft.message, language),
                    blocking: true,
                    fix: Some(Word::TakeBack.text(language).to_owned()),
                });
            }
            let finding = self.finding(store)?;
            Some(Problem {
                message: message_text(&finding.message, language),
                blocking: finding.severity == Severity::Error,
                fix: finding
                    .fix
                    .as_ref()
                    .map(|fix| crate::text::fix_label(fix, language)),
            })
        })
    }

    fn fix(self, store: Store) -> Callback<()> {
        Callback::new(move |()| {
            if store
                .drafts
                .with_untracked(|drafts| drafts.contains_key(self.key))
            {
                store.take_back(self.key);
            } else if let Some(fix) = untrack(|| self.finding(store)).and_then(|f| f.fix) {
                store.apply(&fix);
            }
        })
    }

    /// Its control in its frame.
    pub fn view(self) -> AnyView {
        let control = match (self.look, self.kind()) {
            (Look::Steps(_) | Look::Shares(_), _) => number,
            (Look::Choice(_), _) | (_, Kind::Name(_)) => choice,
            (Look::Adapters, _) => adapters,
            (_, Kind::Flag) if matches!(self.absent, Absent::Never) => switch,
            (_, Kind::Flag) => choice,
            _ => names,
        };
        control(self)
    }
}

/// Changes the settings that follow from a change of one setting.
fn settle(key: &str, scenario: &mut Scenario) {
    match key {
        "hardware.gpu" => scenario.hardware.gpu_memory = None,
        "optimizer.name" => {
            let all = scenario.optimizer.name.implementations();
            if !all.contains(&scenario.optimizer.implementation) {
                scenario.optimizer.implementation = all[0];
            }
        }
        _ => {}
    }
}

/// The frame around a setting's control.
#[component]
pub(super) fn SettingField(
    /// The setting.
    setting: Setting,
    /// Why it has no effect, if it has none.
    idle: Memo<Option<String>>,
    /// The problem with its value, if there is one.
    problem: Memo<Option<Problem>>,
    /// The control.
    children: Children,
) -> impl IntoView {
    let store = use_store();
    let help = Signal::derive(move || {
        let language = store.language.get();
        let said = setting_help(setting.key);
        HelpText {
            sentence: said.map_or("", |said| said.sentence(language)),
            symbol: said.map_or("", |said| said.symbol),
            source: said.map_or(setting.key, |said| said.source),
            more: format!("{}#{}", guide_page("scenario", language), setting.key),
            more_name: Word::InGuide.text(language),
        }
    });
    view! {
        <Field
            id=setting.key
            half=setting.half
            label=setting.label(store)
            help
            idle
            problem
            on_fix=setting.fix(store)
        >
            {children()}
            {setting.note.map(|note| {
                view! {
                    <p class="field-note" data-note=setting.key>
                        {move || store.followed.with(|scenario| note(scenario, store.language.get()))}
                    </p>
                }
            })}
        </Field>
    }
}

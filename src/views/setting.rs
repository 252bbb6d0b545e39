//! One setting: a control bound to a part of the scenario, with what is to be said about it.

use crate::app::{Draft, Store, use_store};
use crate::codec::{NumberError, parse_bytes, parse_count, parse_tokens, write_bytes};
use crate::spec::{Finding, Scenario, Severity, idle};
use crate::text::{Language, Term, Word, idle_reason, reference};
use crate::widgets::{Choice, Choices, Field, Number, Problem, Switch};
use leptos::prelude::*;

/// Which setting, and what it is called.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    /// The scenario key.
    pub key: &'static str,
    /// The element's id.
    pub id: &'static str,
    /// Its name.
    pub label: Word,
    /// What it does.
    pub help: Word,
}

impl Setting {
    /// A setting whose element has the scenario key as its id.
    pub const fn new(key: &'static str, label: Word, help: Word) -> Self {
        Self::with_id(key, key, label, help)
    }

    /// A setting with a key that is no id.
    pub const fn with_id(key: &'static str, id: &'static str, label: Word, help: Word) -> Self {
        Self {
            key,
            id,
            label,
            help,
        }
    }

    fn label(self, store: Store) -> Signal<String> {
        Signal::derive(move || self.label.text(store.language.get()).to_owned())
    }

    fn help(self, store: Store) -> Signal<String> {
        Signal::derive(move || self.help.text(store.language.get()).to_owned())
    }

    /// Why it has no effect.
    pub fn idle(self, store: Store) -> Memo<Option<String>> {
        Memo::new(move |_| {
            let idle = store.scenario.with(|scenario| idle(scenario, self.key))?;
            Some(idle_reason(idle).text(store.language.get()).to_owned())
        })
    }

    /// Whether a finding's key is about this setting.
    fn is_about(self, key: &str) -> bool {
        let parts = match self.key {
            "model" => &["model.hf_config", "model_overrides"][..],
            _ => &[],
        };
        key == self.key || parts.iter().any(|part| key.starts_with(part))
    }

    fn finding(self, store: Store) -> Option<Finding> {
        let of_this = |all: &Vec<Finding>| all.iter().find(|f| self.is_about(&f.key)).cloned();
        store
            .findings
            .with(of_this)
            .or_else(|| store.address_findings.with(of_this))
    }

    /// What is wrong with it.
    pub fn problem(self, store: Store) -> Memo<Option<Problem>> {
        Memo::new(move |_| {
            let language = store.language.get();
            if let Some(draft) = store.drafts.with(|drafts| drafts.get(self.key).cloned()) {
                return Some(Problem {
                    message: in_language(&draft.message, language),
                    blocking: true,
                    fix: Some(Word::TakeBack.text(language).to_owned()),
                });
            }
            let finding = self.finding(store)?;
            Some(Problem {
                message: message(&finding, language),
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
}

/// A finding in the reader's language.
pub(super) fn message(finding: &Finding, language: Language) -> String {
    match language {
        Language::English => finding.message.clone(),
        Language::Chinese => finding.message_zh.clone(),
    }
}

fn in_language((english, chinese): &(String, String), language: Language) -> String {
    match language {
        Language::English => english.clone(),
        Language::Chinese => chinese.clone(),
    }
}

/// The frame around a setting's control.
#[component]
pub(super) fn SettingField(
    /// The setting.
    setting: Setting,
    /// Why it has no effect, if it has none.
    idle: Memo<Option<String>>,
    /// What is wrong with it.
    problem: Memo<Option<Problem>>,
    /// The control.
    children: Children,
) -> impl IntoView {
    let store = use_store();
    view! {
        <Field
            id=setting.id
            label=setting.label(store)
            help=setting.help(store)
            reference=reference(setting.key)
            idle
            problem
            on_fix=setting.fix(store)
        >
            {children()}
        </Field>
    }
}

/// How a number is typed and written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Plain digits; `1.5B` is understood.
    Count,
    /// Plain digits; `8k` is 8192.
    Tokens,
    /// `24 GiB`.
    Bytes,
}

impl Kind {
    fn parse(self, text: &str) -> Result<u64, NumberError> {
        match self {
            Self::Count => parse_count(text),
            Self::Tokens => parse_tokens(text),
            Self::Bytes => parse_bytes(text),
        }
    }

    fn write(self, value: u64) -> String {
        match self {
            Self::Count | Self::Tokens => value.to_string(),
            Self::Bytes => write_bytes(value),
        }
    }
}

/// A number with a slider of meaningful steps.
#[component]
pub(super) fn NumberSetting(
    /// The setting.
    setting: Setting,
    /// The slider's steps, smallest first.
    steps: &'static [u64],
    /// How it is typed and written.
    #[prop(default = Kind::Count)]
    kind: Kind,
    /// Reads it.
    get: fn(&Scenario) -> u64,
    /// Changes it.
    set: fn(&mut Scenario, u64),
) -> impl IntoView {
    let store = use_store();
    let value = Memo::new(move |_| store.scenario.with(get));
    let nearest = Memo::new(move |_| {
        let value = value.get();
        (0..steps.len())
            .min_by_key(|&at| steps[at].abs_diff(value))
            .unwrap_or_default()
    });
    let idle = setting.idle(store);
    let problem = setting.problem(store);
    let on_step = move |at: usize| {
        if let Some(&value) = steps.get(at) {
            store.edit(setting.key, |scenario| set(scenario, value));
        }
    };
    let on_text = move |text: String| match kind.parse(&text) {
        Ok(value) => store.edit(setting.key, |scenario| set(scenario, value)),
        Err(error) => {
            let (english, chinese) = error.message();
            let message = (english.to_owned(), chinese.to_owned());
            store.reject(setting.key, Draft { text, message });
        }
    };
    let text = Memo::new(move |_| {
        store
            .drafts
            .with(|drafts| drafts.get(setting.key).map(|draft| draft.text.clone()))
            .unwrap_or_else(|| kind.write(value.get()))
    });
    view! {
        <SettingField setting idle problem>
            <Number
                id=setting.id
                label=setting.label(store)
                text
                steps=steps.len()
                step=nearest
                disabled=Signal::derive(move || idle.get().is_some())
                invalid=Signal::derive(move || problem.get().is_some_and(|p| p.blocking))
                on_step
                on_text
            />
        </SettingField>
    }
}

/// The values of an enum as choices, in the reader's language.
pub(super) fn terms<T: Term + Send + Sync>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> Signal<Vec<Choice>> {
    let store = use_store();
    Signal::derive(move || {
        let language = store.language.get();
        all.iter()
            .map(|&value| Choice {
                value: name(value).to_owned(),
                label: value.term(language).to_owned(),
            })
            .collect()
    })
}

/// A choice of one of several.
#[component]
pub(super) fn ChoiceSetting(
    /// The setting.
    setting: Setting,
    /// The choices.
    #[prop(into)]
    choices: Signal<Vec<Choice>>,
    /// Reads it.
    get: fn(&Scenario) -> String,
    /// Changes it.
    set: fn(&mut Scenario, &str),
) -> impl IntoView {
    let store = use_store();
    let (idle, problem) = (setting.idle(store), setting.problem(store));
    let value = Memo::new(move |_| store.scenario.with(get));
    view! {
        <SettingField setting idle problem>
            <Choices
                id=setting.id
                choices
                value
                disabled=Signal::derive(move || idle.get().is_some())
                on_choice=move |name: String| {
                    store.edit(setting.key, |scenario| set(scenario, &name));
                }
            />
        </SettingField>
    }
}

/// On or off.
#[component]
pub(super) fn SwitchSetting(
    /// The setting.
    setting: Setting,
    /// Reads it.
    get: fn(&Scenario) -> bool,
    /// Changes it.
    set: fn(&mut Scenario, bool),
) -> impl IntoView {
    let store = use_store();
    let (idle, problem) = (setting.idle(store), setting.problem(store));
    let on = Memo::new(move |_| store.scenario.with(get));
    view! {
        <SettingField setting idle problem>
            <Switch
                id=setting.id
                on
                disabled=Signal::derive(move || idle.get().is_some())
                on_switch=move |on: bool| store.edit(setting.key, |scenario| set(scenario, on))
            />
        </SettingField>
    }
}

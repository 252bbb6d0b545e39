//! The controls of an open group: of the settings that have an effect or were changed. A line says of the others in which
//! configurations they have one, and leads to the setting that decides it.

use super::find_setting::go;
use super::groups::Group;
use super::panel::Groups;
use crate::app::{Store, use_store};
use crate::ask::{Finding, Scenario};
use crate::browser;
use crate::resolve::{Idle, decided_by, idle};
use crate::text::{Word, absent_settings, setting_name};
use crate::views::setting::Setting;
use leptos::prelude::*;

/// How a setting is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shown {
    /// Why it has no effect, if it has none.
    idle: Option<Idle>,
    /// Whether its control is there.
    drawn: bool,
    /// Whether its control stays without an effect, because the focus was in it when it lost its own.
    stays: bool,
    /// Whether somebody looked for it.
    sought: bool,
}

/// Settings of a group that are not there for one reason.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Absent {
    idle: Idle,
    first: &'static str,
    more: usize,
    /// The setting that decides it.
    by: &'static str,
}

/// How the settings of a group are shown, in their order.
fn shown(
    group: &'static Group,
    groups: Groups,
    store: Store,
    before: Option<&Vec<Shown>>,
) -> Vec<Shown> {
    let only = groups.only.get();
    let held = groups.held.get_value();
    let revealed = groups.revealed.get();
    let changed = groups.changed_of(group);
    let wrong = wrong(store);
    let one = |scenario: &Scenario, at: usize, setting: &Setting| {
        let idle = idle(scenario, setting.key);
        let changed = changed.contains(&setting.key);
        let before = before.and_then(|all| all.get(at));
        let was_held = held == Some(setting.key);
        let stays = idle.is_some() && before.is_some_and(|of| of.stays || (of.drawn && was_held));
        let sought = revealed.contains(&setting.key);
        let is_wrong = || wrong.iter().any(|key| setting.is_about(key));
        let drawn = changed || is_wrong() || (!only && (idle.is_none() || stays || sought));
        Shown {
            idle,
            drawn,
            stays,
            sought,
        }
    };
    store.followed.with(|scenario| {
        let all = group.settings.iter().enumerate();
        all.map(|(at, setting)| one(scenario, at, setting))
            .collect()
    })
}

/// The keys of which there is something to say.
fn wrong(store: Store) -> Vec<String> {
    let keys = |all: &Vec<Finding>| {
        all.iter()
            .map(|found| found.key.clone())
            .collect::<Vec<_>>()
    };
    let mut wrong = store.findings.with(keys);
    wrong.extend(store.address_findings.with(keys));
    store
        .drafts
        .with(|drafts| wrong.extend(drafts.keys().map(|&key| key.to_owned())));
    wrong
}

/// The settings that are not there, those with one reason together, in the order of the first of each.
fn absent(group: &'static Group, store: Store, shown: &[Shown]) -> Vec<Absent> {
    let mut all: Vec<Absent> = Vec::new();
    for (setting, shown) in group.settings.iter().zip(shown) {
        let (Some(idle), false) = (shown.idle, shown.drawn) else {
            continue;
        };
        let by = store
            .followed
            .with(|scenario| decided_by(scenario, setting.key, idle));
        match all.iter_mut().find(|one| (one.idle, one.by) == (idle, by)) {
            Some(one) => one.more = one.more.saturating_add(1),
            None => all.push(Absent {
                idle,
                first: setting.key,
                more: 0,
                by,
            }),
        }
    }
    all
}

/// A button that leads from a setting without an effect to the setting that decides it.
fn lead(groups: Groups, key: &'static str, by: &'static str) -> AnyView {
    let language = use_store().language;
    let said = Signal::derive(move || {
        let decides = Word::DecidedBy.text(language.get());
        format!("{decides} {}", setting_name(by, language.get()))
    });
    let name = move || format!("{}. {}", setting_name(key, language.get()), said.get());
    view! {
        <button type="button" class="absent lead" aria-label=name on:click=move |_| go(groups, by)>
            {said}
        </button>
    }
    .into_any()
}

/// The controls of a group, and lines for settings without a control.
#[component]
pub(super) fn GroupBody(
    /// The group.
    group: &'static Group,
) -> impl IntoView {
    let store = use_store();
    let groups: Groups = expect_context();
    let shown = Memo::new(move |before: Option<&Vec<Shown>>| shown(group, groups, store, before));
    let lines = Memo::new(move |_| {
        if groups.only.get() {
            return Vec::new();
        }
        shown.with(|shown| absent(group, store, shown))
    });
    let control = |(at, setting): (usize, &'static Setting)| {
        let drawn = Memo::new(move |_| shown.with(|all| all.get(at).is_some_and(|of| of.drawn)));
        let decides = Memo::new(move |_| {
            let own = shown.with(|all| all.get(at).copied());
            let idle = own.filter(|of| of.drawn && of.sought)?.idle?;
            let by = |scenario: &Scenario| decided_by(scenario, setting.key, idle);
            Some(store.followed.with(by))
        });
        let leads = move || decides.get().map(|by| lead(groups, setting.key, by));
        view! { <Show when=move || drawn.get()>{setting.view()} {leads}</Show> }
    };
    let line = move |of: Absent| {
        let said = Signal::derive(move || {
            let language = store.language.get();
            absent_settings(setting_name(of.first, language), of.more, of.idle, language)
        });
        view! {
            <li>
                <button type="button" class="absent" on:click=move |_| go(groups, of.by)>
                    {said}
                </button>
            </li>
        }
    };
    let name = Signal::derive(move || Word::WithoutEffect.text(store.language.get()));
    let hold = move |event: leptos::ev::FocusEvent| {
        let key = browser::label_at(&event);
        let own = group
            .settings
            .iter()
            .find(|of| Some(of.key) == key.as_deref());
        groups.held.set_value(own.map(|own| own.key));
    };
    view! {
        <div class="group-body" on:focusin=hold>
            {group.settings.iter().enumerate().map(control).collect_view()}
            <Show when=move || !lines.with(Vec::is_empty)>
                <ul class="absents" aria-label=name>
                    {move || lines.get().into_iter().map(line).collect_view()}
                </ul>
            </Show>
        </div>
    }
}

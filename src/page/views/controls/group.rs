//! Groups of settings that can be folded.

use super::group_of;
use super::groups::Group;
use super::table::{MAIN, groups};
use crate::app::{Store, use_store};
use crate::ask::Scenario;
use crate::codec::{is_usual, value_at, values};
use crate::views::setting::Setting;
use crate::views::value::named_value;
use leptos::prelude::*;
use serde_json::Value;

/// Which groups are open, and what the others say.
#[derive(Clone, Copy)]
pub(in crate::views) struct Groups {
    open: RwSignal<Vec<&'static str>>,
    /// The scenario's values, once the frame is there that shows their answer.
    now: Memo<Value>,
    /// What they are when nobody says anything.
    usual: StoredValue<Value>,
}

impl Groups {
    /// All folded.
    pub fn new(store: Store) -> Self {
        Self {
            open: RwSignal::new(Vec::new()),
            now: Memo::new(move |_| store.followed.with(values)),
            usual: StoredValue::new(values(&Scenario::default())),
        }
    }

    /// Opens what a link, a situation or a remedy has set something in.
    pub fn follow(self, store: Store) {
        let arrivals = Memo::new(move |_| store.arrivals());
        Effect::new(move |_| {
            arrivals.get();
            let differs = |group: &&'static Group| {
                let changed = |now: &Value| !self.changed(group.settings, now).is_empty();
                store.values.with_untracked(changed)
            };
            let set = groups().filter(differs).map(|group| group.id);
            let set: Vec<_> = set.collect();
            self.open.update(|open| {
                for id in set {
                    if !open.contains(&id) {
                        open.push(id);
                    }
                }
            });
        });
    }

    /// Opens a group, or folds it. Nothing reactive is read inside: what depends on a value cannot be worked out while it
    /// is changed.
    fn toggle(self, id: &'static str) {
        self.open.update(|open| {
            if open.contains(&id) {
                open.retain(|other| *other != id);
            } else {
                open.push(id);
            }
        });
    }

    /// Opens the group of the setting with this key, if it is in one.
    pub fn reveal(self, key: &str) {
        if let Some(group) = group_of(key)
            && !self.open.with_untracked(|open| open.contains(&group.id))
        {
            self.toggle(group.id);
        }
    }

    /// Whether there is a control in sight that a finding is about.
    pub fn show(self, key: &str) -> bool {
        let about = |all: &[Setting]| all.iter().any(|setting| setting.is_about(key));
        let open = |group: &&Group| self.open.with(|open| open.contains(&group.id));
        Setting::new("model").is_about(key)
            || key.starts_with("model.linear")
            || key.starts_with("symbols.")
            || about(MAIN)
            || groups().filter(open).any(|group| about(group.settings))
    }

    /// How many settings of `all` differ from what they are when nobody says anything.
    pub(super) fn count_changed(self, all: impl IntoIterator<Item = &'static Setting>) -> usize {
        self.now.with(|now| self.changed(all, now).len())
    }

    /// The settings, of `all`, that differ from what they are when nobody says anything.
    pub(super) fn changed(
        self,
        all: impl IntoIterator<Item = &'static Setting>,
        now: &Value,
    ) -> Vec<&'static Setting> {
        self.usual.with_value(|usual| {
            let all = all.into_iter();
            all.filter(|setting| !is_usual(now, usual, setting.key))
                .collect()
        })
    }
}

/// A group; its controls are made when it is first opened.
#[component]
pub(super) fn FoldedGroup(
    /// The group.
    group: &'static Group,
) -> impl IntoView {
    let store = use_store();
    let all: Groups = expect_context();
    let open = Memo::new(move |_| all.open.with(|open| open.contains(&group.id)));
    let made = Memo::new(move |before: Option<&bool>| before == Some(&true) || open.get());
    let title = Signal::derive(move || group.title.text(store.language.get()));
    let summary = Memo::new(move |_| {
        if open.get() {
            return String::new();
        }
        let language = store.language.get();
        all.now.with(|now| {
            let changed = all.changed(group.settings, now).into_iter();
            let said =
                changed.map(|Setting { key, .. }| named_value(key, value_at(now, key), language));
            said.collect::<Vec<_>>().join(" \u{b7} ")
        })
    });
    let note = Memo::new(move |_| {
        let note = group.note?;
        let language = store.language.get();
        store.followed.with(|scenario| note(scenario, language))
    });
    view! {
        <div class="group">
            <button
                type="button"
                class="group-title"
                aria-expanded=Signal::derive(move || open.get().to_string())
                aria-controls=group.id
                on:click=move |_| all.toggle(group.id)
            >
                <span class="group-name">{title}</span>
                <span class="group-summary">{summary}</span>
            </button>
            <div
                class="group-body"
                id=group.id
                role="group"
                aria-label=title
                hidden=Signal::derive(move || !open.get())
            >
                {move || note.get().map(|note| view! { <p class="group-note">{note}</p> })}
                {move || made.get().then(|| {
                    group.settings.iter().map(|setting| setting.view()).collect_view()
                })}
            </div>
        </div>
    }
}

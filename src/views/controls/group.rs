//! Groups of settings that can be folded.

use super::groups::Group;
use super::table::{MAIN, groups};
use crate::app::{Store, use_store};
use crate::codec::is_usual;
use crate::text::setting_name;
use crate::views::setting::{Setting, Values};
use crate::views::value::value_text;
use leptos::prelude::*;

/// Which groups are open.
#[derive(Clone, Copy)]
pub(in crate::views) struct Groups(RwSignal<Vec<&'static str>>);

impl Groups {
    /// All folded.
    pub fn new() -> Self {
        Self(RwSignal::new(Vec::new()))
    }

    /// Opens what a link, a situation or a remedy has set something in.
    pub fn follow(self, store: Store) {
        let values: Values = expect_context();
        let arrivals = Memo::new(move |_| store.arrivals());
        Effect::new(move |_| {
            arrivals.get();
            let set = groups()
                .filter(|group| untrack(|| !changed(group, values).is_empty()))
                .map(|group| group.id);
            self.0.update(|open| {
                for id in set {
                    if !open.contains(&id) {
                        open.push(id);
                    }
                }
            });
        });
    }

    /// Whether there is a control in sight that a finding is about.
    pub fn show(self, key: &str) -> bool {
        let about = |all: &[Setting]| all.iter().any(|setting| setting.is_about(key));
        let open = |group: &&Group| self.0.with(|open| open.contains(&group.id));
        Setting::new("model").is_about(key)
            || key.starts_with("model.linear")
            || about(MAIN)
            || groups().filter(open).any(|group| about(group.settings))
    }
}

/// The settings of a group that differ from what they are when nobody says anything.
fn changed(group: &'static Group, values: Values) -> Vec<&'static Setting> {
    values.now.with(|now| {
        values.usual.with_value(|usual| {
            let all = group.settings.iter();
            all.filter(|setting| !is_usual(now, usual, setting.key))
                .collect()
        })
    })
}

/// A group; its controls are made when it is first opened.
#[component]
pub(super) fn FoldedGroup(
    /// The group.
    group: &'static Group,
) -> impl IntoView {
    let store = use_store();
    let values: Values = expect_context();
    let Groups(all) = expect_context();
    let open = Memo::new(move |_| all.with(|open| open.contains(&group.id)));
    let made = Memo::new(move |before: Option<&bool>| before == Some(&true) || open.get());
    let title = Signal::derive(move || group.title.text(store.language.get()));
    let summary = Memo::new(move |_| {
        if open.get() {
            return String::new();
        }
        let language = store.language.get();
        let changed = changed(group, values);
        let said = changed.into_iter().map(|setting| {
            let name = setting_name(setting.key, language);
            format!(
                "{name} {}",
                value_text(setting.key, &setting.value_now(values), language)
            )
        });
        said.collect::<Vec<_>>().join(" \u{b7} ")
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
                on:click=move |_| {
                    all.update(|all| {
                        if open.get_untracked() {
                            all.retain(|id| *id != group.id);
                        } else {
                            all.push(group.id);
                        }
                    });
                }
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

//! Groups of settings that can be folded.

use super::body::GroupBody;
use super::groups::Group;
use super::panel::Groups;
use crate::app::use_store;
use crate::codec::value_at;
use crate::views::setting::Setting;
use crate::views::value::named_value;
use leptos::prelude::*;

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
                id=group.id
                role="group"
                aria-label=title
                hidden=Signal::derive(move || !open.get())
            >
                {move || note.get().map(|note| view! { <p class="group-note">{note}</p> })}
                {move || made.get().then(|| view! { <GroupBody group /> })}
            </div>
        </div>
    }
}

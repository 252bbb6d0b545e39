//! A box to search in: the typed text filters a list, a choice from it is called back.

use super::tell;
use crate::browser;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The value that is called back.
    pub value: String,
    /// The text that is shown.
    pub label: String,
    /// The text beside it.
    pub detail: String,
    /// The heading above it, where a group begins.
    pub heading: Option<String>,
}

/// A box to search in.
#[component]
pub fn Search(
    /// The box's id; the list's has `-list` after it.
    id: &'static str,
    /// Ids of what describes it.
    described: &'static str,
    /// The choice, shown while nothing is typed.
    #[prop(into)]
    chosen: Signal<String>,
    /// The text of the empty box.
    #[prop(into)]
    hint: Signal<String>,
    /// The list's accessible name.
    #[prop(into)]
    list_name: Signal<String>,
    /// The text shown when nothing is found.
    #[prop(into)]
    nothing: Signal<String>,
    /// The typed text; none while the box shows the choice.
    typed: RwSignal<Option<String>>,
    /// The results for the typed text.
    #[prop(into)]
    found: Signal<Vec<Found>>,
    /// Whether the choice is wrong.
    #[prop(into)]
    invalid: Signal<bool>,
    /// A value was chosen.
    #[prop(into)]
    on_choice: Callback<String>,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let active = RwSignal::new(0_usize);
    let list = NodeRef::<html::Ul>::new();
    let count = move || found.with(Vec::len);
    let close = move || {
        open.set(false);
        typed.set(None);
    };
    let choose = move |at: usize| {
        let value = found.with_untracked(|all| all.get(at).map(|found| found.value.clone()));
        if let Some(value) = value {
            close();
            tell(on_choice, value);
        }
    };
    let step = move |to: usize| {
        open.set(true);
        active.set(to.min(count().saturating_sub(1)));
        if let Some(list) = list.get_untracked() {
            browser::show_within(&list, active.get_untracked());
        }
    };
    let press = move |event: KeyboardEvent| {
        let at = active.get_untracked();
        match event.key().as_str() {
            "ArrowDown" if open.get_untracked() => step(at + 1),
            "ArrowUp" if open.get_untracked() => step(at.saturating_sub(1)),
            "ArrowDown" | "ArrowUp" => step(at),
            "PageDown" => step(at + 8),
            "PageUp" => step(at.saturating_sub(8)),
            "Enter" if open.get_untracked() => choose(at),
            "Escape" if open.get_untracked() => {
                event.stop_propagation();
                close();
            }
            _ => return,
        }
        event.prevent_default();
    };
    let line = move |(at, found): (usize, Found)| {
        view! { <Line id=format!("{id}-{at}") at found active on_pick=choose /> }
    };
    view! {
        <div class="search">
            <input
                class="box"
                type="text"
                id=id
                role="combobox"
                autocomplete="off"
                spellcheck="false"
                autocapitalize="off"
                aria-autocomplete="list"
                aria-expanded=Signal::derive(move || open.get().to_string())
                aria-controls=format!("{id}-list")
                aria-activedescendant=Signal::derive(move || {
                    (open.get() && count() > 0).then(|| format!("{id}-{}", active.get()))
                })
                aria-invalid=Signal::derive(move || invalid.get().to_string())
                aria-describedby=described
                placeholder=hint
                prop:value=Signal::derive(move || typed.get().unwrap_or_else(|| chosen.get()))
                on:focus:target=move |event| browser::select_text(&event.target())
                on:click=move |_| open.set(true)
                on:input:target=move |event| {
                    active.set(0);
                    open.set(true);
                    typed.set(Some(event.target().value()));
                }
                on:blur=move |_| close()
                on:keydown=press
            />
            <ul
                class="found-list"
                id=format!("{id}-list")
                role="listbox"
                aria-label=list_name
                node_ref=list
                hidden=Signal::derive(move || !open.get())
                on:pointerdown=move |event| event.prevent_default()
            >
                {move || {
                    open.get().then(|| found.get().into_iter().enumerate().map(line).collect_view())
                }}
                <li
                    class="found-heading"
                    role="presentation"
                    hidden=Signal::derive(move || !open.get() || count() > 0)
                >
                    {nothing}
                </li>
            </ul>
        </div>
    }
}

/// One thing that was found, with the heading above it.
#[component]
fn Line(
    /// The element's id.
    id: String,
    /// Its place in the list.
    at: usize,
    /// The results.
    found: Found,
    /// The place that Enter chooses.
    active: RwSignal<usize>,
    /// It was clicked.
    #[prop(into)]
    on_pick: Callback<usize>,
) -> impl IntoView {
    let Found {
        label,
        detail,
        heading,
        ..
    } = found;
    let heading = heading.map(|heading| {
        view! {
            <li class="found-heading" role="presentation">
                {heading}
            </li>
        }
    });
    view! {
        {heading}
        <li
            class="found"
            id=id
            role="option"
            aria-selected=Signal::derive(move || (active.get() == at).to_string())
            on:pointerdown=move |event| event.prevent_default()
            on:pointermove=move |_| {
                if active.get_untracked() != at {
                    active.set(at);
                }
            }
            on:click=move |_| tell(on_pick, at)
        >
            <span>{label}</span>
            <span class="found-detail">{detail}</span>
        </li>
    }
}

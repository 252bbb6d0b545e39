//! A bar in a line: whose it is, the bar, its total.

use super::bars::{Find, ShownBar};
use crate::app::use_store;
use crate::text::{amount, exact_bytes};
use crate::widgets::Bar;
use leptos::prelude::*;

/// The capacity against which a row's bar is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// The bar's own capacity, which the row does not mark.
    Unmarked,
    /// The same, marked and said.
    Own,
}

/// One row. `find` gives what the part behind a key is highlighted with.
pub(super) fn bar_row(
    label: Signal<String>,
    bar: Signal<Option<ShownBar>>,
    find: Find,
    limit: Limit,
) -> AnyView {
    let store = use_store();
    let of = move |pick: &dyn Fn(&ShownBar) -> String| {
        bar.with(|bar| bar.as_ref().map(pick).unwrap_or_default())
    };
    let parts = Memo::new(move |_| {
        bar.with(|bar| bar.as_ref().map(|bar| bar.segments.clone()))
            .unwrap_or_default()
    });
    let name = Signal::derive(move || of(&|bar| bar.name(&label.get(), store)));
    let current = Memo::new(move |_| bar.with(|bar| bar.as_ref()?.current(find, store)));
    let on_point = move |key: Option<&'static str>| store.focus.point(key.and_then(find));
    let on_pick = move |key: &'static str| {
        if let Some(target) = find(key) {
            store.focus.toggle(target);
        }
    };
    let capacity = Memo::new(move |_| {
        let own = limit == Limit::Own;
        bar.with(|bar| bar.as_ref().filter(|_| own).map(|bar| bar.mark.clone()))
    });
    let number = move || {
        let units = store.units.get();
        of(&|bar| {
            let total = amount(bar.total, units);
            match limit {
                Limit::Unmarked => total,
                Limit::Own => format!("{total} / {}", bar.mark.label),
            }
        })
    };
    view! {
        <li
            class="node-row"
            data-standing=Signal::derive(move || of(&|bar| bar.standing.to_owned()))
        >
            <span class="node-name">{label}</span>
            <Bar
                name
                segments=parts
                capacity
                ghost=Signal::stored(None)
                current
                on_point
                on_pick
            />
            <span
                class="node-number"
                title=Signal::derive(move || {
                    of(&|bar| exact_bytes(bar.total, store.language.get()))
                })
            >
                {Signal::derive(number)}
            </span>
        </li>
    }
    .into_any()
}

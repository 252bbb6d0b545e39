//! A bar in a line: whose it is, the bar, its total.

use super::bars::{Shown, segments};
use crate::app::use_store;
use crate::figure::CapacityBar;
use crate::text::{Scale, amount, bar_name, exact_bytes};
use crate::units::Bytes;
use crate::widgets::{Bar, Mark};
use leptos::prelude::*;

/// What a row's bar is measured against.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// This much, which the row does not mark.
    Unmarked(Bytes),
    /// The bar's own capacity, marked and said.
    Own,
}

/// One row. `find` gives the part behind a key.
pub(super) fn bar_row<K: Shown>(
    label: Signal<String>,
    bar: Signal<Option<CapacityBar<K>>>,
    find: fn(&str) -> Option<K>,
    limit: Limit,
) -> impl IntoView {
    let store = use_store();
    let of = move |pick: &dyn Fn(&CapacityBar<K>) -> String| {
        bar.with(|bar| bar.as_ref().map(pick).unwrap_or_default())
    };
    let parts = Memo::new(move |_| {
        bar.with(|bar| bar.as_ref().map(|bar| segments(bar, store)))
            .unwrap_or_default()
    });
    let name = Signal::derive(move || {
        let (units, language) = (store.units.get(), store.language.get());
        let labels: Vec<_> = parts.with(|parts| {
            let counted = parts.iter().filter(|part| !part.uncounted);
            counted
                .map(|part| (part.label.clone(), part.number.clone()))
                .collect()
        });
        of(&|bar| {
            bar_name(
                &label.get(),
                &labels,
                bar.total,
                bar.capacity,
                units,
                language,
            )
        })
    });
    let current = Memo::new(move |_| {
        let target = store.focus.broadly()?;
        let there = |key: &str| parts.with(|parts| parts.iter().any(|part| part.key == key));
        // A part of this memory that the bar has not is one of its small ones, or none of them.
        let own = target.name().filter(|name| find(name).is_some())?;
        Some(
            [own, K::small().key()]
                .into_iter()
                .find(|key| there(key))
                .unwrap_or_default(),
        )
    });
    let on_point = move |key: Option<&'static str>| {
        store.focus.point(key.and_then(find).map(Shown::target));
    };
    let on_pick = move |key: &'static str| {
        if let Some(part) = find(key) {
            store.focus.toggle(part.target());
        }
    };
    let capacity = Memo::new(move |_| {
        bar.with(|bar| {
            bar.as_ref()
                .filter(|_| limit == Limit::Own)
                .map(|bar| Mark {
                    at: bar.capacity_at,
                    label: amount(bar.capacity, store.units.get()),
                })
        })
    });
    let number = move || {
        let units = store.units.get();
        of(&|bar| match limit {
            Limit::Unmarked(scale) => Scale::new(scale, units).finer_amount(bar.total),
            Limit::Own => {
                let scale = Scale::new(bar.capacity, units);
                format!(
                    "{} / {}",
                    scale.finer(bar.total),
                    scale.amount(bar.capacity)
                )
            }
        })
    };
    view! {
        <li
            class="node-row"
            data-standing=Signal::derive(move || of(&|bar| bar.standing.name().to_owned()))
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
}

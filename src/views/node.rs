//! The node: host RAM rank by rank, and what makes it grow.

use super::bars::{Shown, host_part, segments};
use crate::app::{Store, use_store};
use crate::figure::{CapacityBar, HostBarPart, NodeRow, node_rows};
use crate::text::{
    Scale, Word, amount, bar_name, exact_bytes, growth_sentence, more_ranks, rank_name,
};
use crate::widgets::Bar;
use leptos::prelude::*;

fn row_name(row: NodeRow, store: Store) -> String {
    let language = store.language.get();
    match row {
        NodeRow::Rank(rank) => rank_name(rank, language),
        NodeRow::MoreRanks(count) => more_ranks(count, language),
        NodeRow::Shared => Word::NodeShared.text(language).to_owned(),
    }
}

/// One row: whose it is, its bar, its total.
fn row((row, bar): (NodeRow, CapacityBar<HostBarPart>), store: Store) -> impl IntoView {
    let bar = StoredValue::new(bar);
    let parts = Memo::new(move |_| bar.with_value(|bar| segments(bar, store)));
    let name = Signal::derive(move || {
        let (units, language) = (store.units.get(), store.language.get());
        let labels: Vec<_> = parts.with(|parts| {
            let counted = parts.iter().filter(|part| !part.uncounted);
            counted
                .map(|part| (part.label.clone(), part.number.clone()))
                .collect()
        });
        bar.with_value(|bar| {
            let title = row_name(row, store);
            bar_name(&title, &labels, bar.total, bar.capacity, units, language)
        })
    });
    let current = Memo::new(move |_| {
        let target = store.focus.broadly()?;
        let all = parts.with(|parts| parts.iter().map(|part| part.key).collect::<Vec<_>>());
        all.into_iter()
            .find(|key| host_part(key).is_some_and(|part| part.target() == target))
    });
    let on_point = move |key: Option<&'static str>| {
        store
            .focus
            .point(key.and_then(host_part).map(Shown::target));
    };
    let on_pick = move |key: &'static str| {
        if let Some(part) = host_part(key) {
            store.focus.toggle(part.target());
        }
    };
    let total = bar.with_value(|bar| bar.total);
    let capacity = bar.with_value(|bar| bar.capacity);
    view! {
        <li class="node-row">
            <span class="node-name">{Signal::derive(move || row_name(row, store))}</span>
            <Bar
                name
                segments=parts
                capacity=Signal::stored(None)
                ghost=Signal::stored(None)
                current
                on_point
                on_pick
            />
            <span
                class="node-number"
                title=Signal::derive(move || exact_bytes(total, store.language.get()))
            >
                {Signal::derive(move || Scale::new(capacity, store.units.get()).finer_amount(total))}
            </span>
        </li>
    }
}

/// The panel.
#[component]
pub(super) fn NodePanel() -> impl IntoView {
    let store = use_store();
    let rows = Memo::new(move |_| {
        store
            .answer
            .with(|answer| {
                answer
                    .as_ref()
                    .map(|e| node_rows(&e.report.host, e.report.verdict.host.capacity))
            })
            .unwrap_or_default()
    });
    let grows = Memo::new(move |_| {
        let (units, language) = (store.units.get(), store.language.get());
        store
            .answer
            .with(|answer| {
                let growth = answer.as_ref().map(|e| &e.report.host.growth);
                let sentence = |growth| growth_sentence(growth, units, language);
                growth.map(|all| all.iter().map(sentence).collect::<Vec<_>>())
            })
            .unwrap_or_default()
    });
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let ram = Signal::derive(move || {
        let capacity = store
            .answer
            .with(|answer| answer.as_ref().map(|e| e.report.verdict.host.capacity));
        capacity.map(|capacity| amount(capacity, store.units.get()))
    });
    view! {
        <section class="card figure" data-testid="node" aria-labelledby="node-title">
            <header class="figure-head">
                <h2 id="node-title">
                    {word(Word::NodeTitle)} " " <span class="subtitle">{ram}</span>
                </h2>
            </header>
            <p class="figure-summary">{word(Word::NodeNote)}</p>
            <ul class="node-rows">
                {move || rows.get().into_iter().map(|one| row(one, store)).collect_view()}
            </ul>
            <h3>{word(Word::NodeGrows)}</h3>
            <ul class="sentences">
                {move || {
                    let all = grows.get().into_iter();
                    all.map(|sentence| view! { <li>{sentence}</li> }).collect_view()
                }}
            </ul>
        </section>
    }
}

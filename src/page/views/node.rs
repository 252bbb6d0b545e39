//! The node: host RAM rank by rank, and what makes it grow.

use super::bar_row::{Limit, bar_row};
use super::bars::{ShownBar, host_target};
use crate::app::{Store, use_store};
use crate::figure::{CapacityBar, HostBarPart, NodeRow, node_rows};
use crate::text::{Word, amount, growth_sentence, more_ranks, rank_name};
use leptos::prelude::*;

fn row_name(row: NodeRow, store: Store) -> String {
    let language = store.language.get();
    match row {
        NodeRow::Rank(rank) => rank_name(rank, language),
        NodeRow::MoreRanks(count) => more_ranks(count, language),
        NodeRow::Shared => Word::NodeShared.text(language).to_owned(),
    }
}

/// The node's rows with their bars.
type Rows = Vec<(NodeRow, CapacityBar<HostBarPart>)>;

/// One row: whose it is, its bar, its total.
fn row(row: NodeRow, rows: Memo<Rows>, store: Store) -> AnyView {
    let name = Signal::derive(move || row_name(row, store));
    let shown = Memo::new(move |_| {
        rows.with(|all| {
            let (_, bar) = all.iter().find(|(of, _)| *of == row)?;
            Some(ShownBar::new(bar, None, store))
        })
    });
    bar_row(name, shown.into(), host_target, Limit::Unmarked)
}

/// The panel.
#[component]
pub(super) fn NodePanel() -> impl IntoView {
    let store = use_store();
    let rows = Memo::new(move |_| {
        store
            .settled
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
            .settled
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
            .settled
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
                <For
                    each=move || rows.with(|all| all.iter().map(|(of, _)| *of).collect::<Vec<_>>())
                    key=|of| *of
                    children=move |of| row(of, rows, store)
                />
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

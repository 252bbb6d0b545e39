//! Plans side by side: what all share said once, a row each, columns with bars, in the order of a clicked head.

use super::go::{compare_button, go_button};
use crate::app::Store;
use crate::decide::{PlanColumn, PlanOrder, PlanTable, RunPlan};
use crate::text::{
    Language, Word, altered_sentence, amount, peak_in, ratio, setting_name, share_of,
    shared_sentence,
};
use crate::views::value::value_text;
use leptos::prelude::*;
use serde_json::Value;

/// Changes in words: "Activation checkpointing: full".
pub(super) fn changes(changes: &[(&'static str, Value)], language: Language) -> Vec<String> {
    let said = changes.iter().map(|(key, value)| {
        let (name, value) = (
            setting_name(key, language),
            value_text(key, value, language),
        );
        format!("{name}: {value}")
    });
    said.collect()
}

/// A bar on the scale of its column.
pub(super) fn meter(part: u64, full: u64) -> impl IntoView {
    view! { <span class="meter" style:--part=share_of(part, full)></span> }
}

const fn head(column: PlanColumn) -> Word {
    match column {
        PlanColumn::Changes => Word::PlanChanges,
        PlanColumn::Gpus => Word::GpusAxis,
        PlanColumn::Device => Word::Vram,
        PlanColumn::Host => Word::GpusRam,
        PlanColumn::Compute => Word::PlanCompute,
        PlanColumn::Sent => Word::PlanSent,
    }
}

fn cell(plan: &RunPlan, column: PlanColumn, table: &PlanTable, store: Store) -> AnyView {
    let units = store.units.get();
    let number = column.number(plan);
    let said = match column {
        PlanColumn::Device => amount(plan.device, units),
        PlanColumn::Host => amount(plan.host, units),
        PlanColumn::Sent => amount(plan.communication.total(), units),
        PlanColumn::Compute => ratio(number, table.least(column)),
        PlanColumn::Changes | PlanColumn::Gpus => number.to_string(),
    };
    let is_counted = column == PlanColumn::Gpus;
    let label = head(column).text(store.language.get());
    view! {
        <td role="cell" data-label=label>
            {said}
            {(!is_counted).then(|| meter(number, table.full(column)))}
        </td>
    }
    .into_any()
}

/// A plan's row.
fn row(plans: &[RunPlan], table: &PlanTable, place: usize, store: Store) -> Option<AnyView> {
    let language = store.language.get();
    let (plan, own) = plans.get(place).zip(table.own.get(place))?;
    let all = changes(&plan.changes, language).join("; ");
    let own = changes(own, language).join("; ");
    let says = if plan.changes.is_empty() {
        Word::FitsAsNow.text(language).to_owned()
    } else if own.is_empty() {
        Word::PlanNoMore.text(language).to_owned()
    } else {
        own
    };
    let altered = altered_sentence(&plan.altered, language);
    let phase = table.phase.is_none().then(|| peak_in(plan.phase, language));
    let is_first = place == 0 && plans.len() > 1;
    let columns = PlanColumn::ALL.iter().skip(1);
    let cells = columns.map(|&column| cell(plan, column, table, store));
    Some(
        view! {
            <tr role="row" data-first=is_first.to_string()>
                <th scope="row" role="rowheader">
                    {is_first.then(|| view! { <span class="badge">{Word::PlanFirst.text(language)}</span> " " })}
                    <span class="plan-own">{says}</span>
                    <small>{altered}</small>
                    <small>{phase}</small>
                    <div class="plan-buttons">
                        {go_button(store, Word::FitsUse, plan.scenario.clone(), all.clone())}
                        {compare_button(store, plan.scenario.clone(), all)}
                    </div>
                </th>
                {cells.collect_view()}
            </tr>
        }
        .into_any(),
    )
}

/// A head that orders by its column.
fn head_cell(column: PlanColumn, order: RwSignal<PlanOrder>, store: Store) -> impl IntoView {
    let sort = Signal::derive(move || {
        let order = order.get();
        (order.by == column).then_some(if order.descending {
            "descending"
        } else {
            "ascending"
        })
    });
    view! {
        <th scope="col" role="columnheader" aria-sort=sort>
            <button
                type="button"
                class="column-head"
                on:click=move |_| order.update(|order| *order = order.clicked(column))
            >
                {move || head(column).text(store.language.get())}
            </button>
        </th>
    }
}

/// The table. Its parts name their roles, which they would lose where style sheets make cards of rows. `order` is kept by who shows it, so that plans that come later are in it, too.
pub(super) fn plan_table(
    plans: Memo<Vec<RunPlan>>,
    order: RwSignal<PlanOrder>,
    store: Store,
) -> AnyView {
    let table = Memo::new(move |_| plans.with(|plans| PlanTable::of(plans)));
    let shared = move || {
        let language = store.language.get();
        table
            .with(|table| shared_sentence(&changes(&table.shared, language), table.phase, language))
    };
    let rows = move || {
        plans.with(|plans| {
            table.with(|table| {
                let places = order.get().places(plans).into_iter();
                places
                    .filter_map(|place| row(plans, table, place, store))
                    .collect_view()
            })
        })
    };
    let heads = PlanColumn::ALL.iter();
    let heads = heads.map(|&column| head_cell(column, order, store));
    let name = Signal::derive(move || Word::Table.text(store.language.get()));
    view! {
        <p class="shared">{shared}</p>
        <div class="scroll" role="region" tabindex="0" aria-label=name>
            <table class="numbers plan-table" role="table">
                <thead role="rowgroup">
                    <tr role="row">{heads.collect_view()}</tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

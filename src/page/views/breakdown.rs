//! Every number: categories by phase.

use super::bars::{Ink, background, category_background};
use super::pin::Pin;
use super::seen::while_seen;
use crate::app::{Target, use_store};
use crate::figure::{binding_step, host_table, phase_table};
use crate::sim::Phase;
use crate::tape::Category;
use crate::text::{Scale, Term, Word, exact_bytes};
use crate::units::Bytes;
use leptos::prelude::*;

/// The numbers of one row as printed.
fn row(scale: Scale, bytes: &[Bytes]) -> Vec<(String, Bytes)> {
    bytes.iter().map(|&b| (scale.number(b), b)).collect()
}

/// A line of a table: what it is of, and its numbers as printed and exact.
type Line<K> = (K, Vec<(String, Bytes)>);

/// A table's cells.
fn cells<K: Copy>(rows: &[(K, Vec<Bytes>)], scale: Scale) -> Vec<Line<K>> {
    let line = |(key, bytes): &(K, Vec<Bytes>)| (*key, row(scale, bytes));
    rows.iter().map(line).collect()
}

/// The table.
#[component]
pub(super) fn BreakdownTable() -> impl IntoView {
    let store = use_store();
    let (node, table) = while_seen(move || {
        store.settled.with(|answer| {
            answer
                .as_ref()
                .map(|e| phase_table(binding_step(&e.report.device)))
        })
    });
    let body = move || {
        let table = table.get()?;
        let (language, units) = (store.language.get(), store.units.get());
        let largest = table.reserved.iter().copied().max().unwrap_or_default();
        let scale = Scale::new(largest, units);
        let heads = table.phases.iter().map(|&(phase, binds)| {
            view! { <PhaseHead phase binds /> }
        });
        let phases: Vec<Phase> = table.phases.iter().map(|(phase, _)| *phase).collect();
        let number = move |(phase, (text, bytes)): (Phase, (String, Bytes))| {
            view! {
                <td
                    class:receding=Signal::derive(move || fades(phase))
                    title=exact_bytes(bytes, language)
                >
                    {text}
                </td>
            }
        };
        let lines = cells(&table.rows, scale).into_iter().map(|(category, numbers)| {
            let target = Target::Category(category);
            view! {
                <tr class:receding=Signal::derive(move || recedes(category))>
                    <th
                        scope="row"
                        on:pointerenter=move |_| store.focus.point(Some(target))
                        on:pointerleave=move |_| store.focus.point(None)
                    >
                        <Pin target>
                            <span class="swatch" style:background=category_background(category)></span>
                            {category.term(language)}
                        </Pin>
                    </th>
                    {phases.iter().copied().zip(numbers).map(number).collect_view()}
                </tr>
            }
        });
        let totals = [
            (Word::LiveTensors, &table.tensors),
            (Word::Allocated, &table.allocated),
            (Word::Reserved, &table.reserved),
        ]
        .map(|(word, bytes)| {
            view! {
                <tr>
                    <th scope="row">{word.text(language)}</th>
                    {phases.iter().copied().zip(row(scale, bytes)).map(number).collect_view()}
                </tr>
            }
        });
        Some(view! {
            <div class="scroll" role="region" tabindex="0" aria-label=Word::BreakdownDevice.text(language)>
                <table class="numbers">
                    <thead>
                        <tr>
                            <th scope="col">{Word::Category.text(language)} ", " {scale.unit}</th>
                            {heads.collect_view()}
                        </tr>
                    </thead>
                    <tbody>{lines.collect_view()}</tbody>
                    <tfoot>{totals}</tfoot>
                </table>
            </div>
        })
    };
    view! { <div node_ref=node>{body}</div> }
}

fn recedes(category: Category) -> bool {
    matches!(use_store().focus.broadly(), Some(Target::Category(of)) if of != category)
}

fn fades(phase: Phase) -> bool {
    matches!(use_store().focus.current(), Some(Target::Phase(of)) if of != phase)
}

/// A phase's column head; it pins the phase.
#[component]
fn PhaseHead(
    /// The phase.
    phase: Phase,
    /// Whether it needs most.
    binds: bool,
) -> impl IntoView {
    let store = use_store();
    let target = Target::Phase(phase);
    view! {
        <th
            scope="col"
            class:binds=binds
            on:pointerenter=move |_| store.focus.point(Some(target))
            on:pointerleave=move |_| store.focus.point(None)
        >
            <Pin target>{Signal::derive(move || phase.term(store.language.get()))}</Pin>
            {binds.then(|| view! {
                <span class="badge">{Signal::derive(move || Word::Binds.text(store.language.get()))}</span>
            })}
        </th>
    }
}

/// The host's table.
#[component]
fn HostTable() -> impl IntoView {
    let store = use_store();
    let (node, table) = while_seen(move || {
        store
            .settled
            .with(|answer| answer.as_ref().map(|e| host_table(&e.report.host)))
    });
    let body = move || {
        let table = table.get()?;
        let (language, units) = (store.language.get(), store.units.get());
        let largest = table.totals.iter().copied().max().unwrap_or_default();
        let scale = Scale::new(largest, units);
        let heads = table.phases.iter().map(|&(phase, binds)| {
            view! {
                <th scope="col" class:binds=binds>
                    {phase.term(language)} " "
                    {binds.then(|| view! {
                        <span class="badge">{Word::Peak.text(language)}</span>
                    })}
                </th>
            }
        });
        let number = move |(text, bytes): (String, Bytes)| {
            view! { <td title=exact_bytes(bytes, language)>{text}</td> }
        };
        let lines = cells(&table.rows, scale).into_iter().map(|(part, numbers)| {
            view! {
                <tr>
                    <th scope="row">
                        <span class="swatch" style:background=background(Ink::new("part", part.name()))></span>
                        {part.term(language)}
                    </th>
                    {numbers.into_iter().map(number).collect_view()}
                </tr>
            }
        });
        Some(view! {
            <div class="scroll" role="region" tabindex="0" aria-label=Word::BreakdownHost.text(language)>
                <table class="numbers">
                    <thead>
                        <tr>
                            <th scope="col">{Word::Part.text(language)} ", " {scale.unit}</th>
                            {heads.collect_view()}
                        </tr>
                    </thead>
                    <tbody>{lines.collect_view()}</tbody>
                    <tfoot>
                        <tr>
                            <th scope="row">{Word::Total.text(language)}</th>
                            {row(scale, &table.totals).into_iter().map(number).collect_view()}
                        </tr>
                    </tfoot>
                </table>
            </div>
        })
    };
    view! { <div node_ref=node>{body}</div> }
}

/// The panel.
#[component]
pub(super) fn BreakdownPanel() -> impl IntoView {
    let store = use_store();
    view! {
        <section class="card figure" data-testid="table" aria-labelledby="breakdown-title">
            <header class="figure-head">
                <h2 id="breakdown-title">
                    {Signal::derive(move || Word::BreakdownTitle.text(store.language.get()))}
                </h2>
            </header>
            <h3>{Signal::derive(move || Word::BreakdownDevice.text(store.language.get()))}</h3>
            <BreakdownTable />
            <h3>{Signal::derive(move || Word::BreakdownHost.text(store.language.get()))}</h3>
            <HostTable />
        </section>
    }
}

//! The ranks of a job: a strip colored by the memory left on each GPU, and a table that opens one.

use crate::app::{Store, use_store};
use crate::ask::Place;
use crate::figure::Standing;
use crate::report::RankReport;
use crate::text::{
    Scale, Term, Word, exact_bytes, mesh_words, rank_place, ranks_alike, ranks_summary,
};
use crate::units::Bytes;
use leptos::prelude::*;

/// The rank of the list that the page looks at.
fn looked_at(store: Store, ranks: &[RankReport]) -> Option<u64> {
    let asked = store.followed.with(|scenario| scenario.parallelism);
    let binding = ranks
        .iter()
        .max_by_key(|of| (of.total, std::cmp::Reverse(of.rank)))?;
    if binding.processes.is_some() {
        return Some(binding.rank);
    }
    let place = Place {
        dp: asked.dp.rank,
        cp: asked.cp.rank,
        pp: asked.pp.rank.unwrap_or(binding.place.pp),
    };
    let found = ranks.iter().find(|of| of.place == place);
    found.map(|of| of.rank)
}

/// Whether a scenario can ask for these ranks: not for a GPU of a plan of processes.
const fn opens(of: &RankReport) -> bool {
    of.processes.is_none()
}

/// A part of the strip: as long as its ranks are many.
fn part(of: &RankReport, current: bool, store: Store) -> AnyView {
    let (place, language) = (of.place, store.language.get());
    let standing = Standing::of(of.total, of.usable).name();
    let name = ranks_alike(of, language);
    let scale = Scale::new(of.usable, store.units.get());
    let says = format!("{name}: {}", scale.amount(of.total));
    view! {
        <button
            type="button"
            class="rank"
            data-standing=standing
            aria-pressed=current.to_string()
            aria-label=says.clone()
            title=says
            style:flex-grow=of.count.to_string()
            style=("--share", format!("{:.3}", of.share()))
            disabled=!opens(of)
            on:click=move |_| store.open_rank(place)
        ></button>
    }
    .into_any()
}

/// A row of the table.
fn row(of: &RankReport, all: &[RankReport], current: bool, store: Store) -> AnyView {
    let (place, language) = (of.place, store.language.get());
    let scale = Scale::new(of.usable, store.units.get());
    let (lacks, spare) = match of.shortfall() {
        Bytes::ZERO => ("", of.headroom()),
        missing => ("\u{2212}", missing),
    };
    let name = ranks_alike(of, language);
    let button = move |word: Word, compares: bool| {
        let label = format!("{} {name}", word.text(language));
        view! {
            <button
                type="button"
                class="quiet"
                aria-label=label
                on:click=move |_| {
                    if compares {
                        store.keep();
                    }
                    store.open_rank(place);
                }
            >
                {word.text(language)}
            </button>
        }
    };
    let open = button.clone();
    view! {
        <tr aria-current=current.then_some("true") data-standing=Standing::of(of.total, of.usable).name()>
            <th scope="row">{ranks_alike(of, language)}</th>
            <td class="words">{rank_place(of, all, language)}</td>
            <td class="words">{of.peak.phase.term(language)}</td>
            <td title=exact_bytes(of.total, language)>{scale.number(of.total)}</td>
            <td title=format!("{lacks}{}", exact_bytes(spare, language))>
                {lacks} {scale.number(spare)}
            </td>
            <td class="words">
                {opens(of).then(|| open(Word::RankOpen, false))} " "
                {(opens(of) && !current).then(|| button(Word::RankCompare, true))}
            </td>
        </tr>
    }
    .into_any()
}

/// The panel; nothing on one GPU.
#[component]
pub(super) fn RanksPanel() -> impl IntoView {
    let store = use_store();
    let several = Memo::new(move |_| store.ranks.with(|all| !all.is_empty()));
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let subtitle = move || {
        let language = store.language.get();
        store
            .scenario
            .with(|scenario| mesh_words(scenario, language))
    };
    let summary = move || {
        let (units, language) = (store.units.get(), store.language.get());
        store.ranks.with(|all| ranks_summary(all, units, language))
    };
    let strip = move || {
        store.ranks.with(|all| {
            let current = looked_at(store, all);
            let parts = all
                .iter()
                .map(|of| part(of, current == Some(of.rank), store));
            parts.collect_view()
        })
    };
    let rows = move || {
        store.ranks.with(|all| {
            let current = looked_at(store, all);
            let rows = all
                .iter()
                .map(|of| row(of, all, current == Some(of.rank), store));
            rows.collect_view()
        })
    };
    let unit = move || {
        store.ranks.with(|all| {
            let usable = all.first().map(|of| of.usable);
            usable.map(|usable| Scale::new(usable, store.units.get()).unit)
        })
    };
    let label = move || Word::RanksTitle.text(store.language.get());
    view! {
        <Show when=move || several.get()>
            <section class="card figure" data-testid="ranks" aria-labelledby="ranks-title">
                <header class="figure-head">
                    <h2 id="ranks-title">
                        {word(Word::RanksTitle)} " " <span class="subtitle">{subtitle}</span>
                    </h2>
                </header>
                <p class="figure-summary">{summary}</p>
                <div class="rank-strip" role="group" aria-label=label>
                    {strip}
                </div>
                <p class="figure-summary">{word(Word::RanksNote)}</p>
                <div class="scroll rank-table" role="region" tabindex="0" aria-label=label>
                    <table class="numbers">
                        <thead>
                            <tr>
                                <th scope="col">{word(Word::RankColumn)}</th>
                                <th scope="col" class="words">{word(Word::RankPlace)}</th>
                                <th scope="col" class="words">{word(Word::RankPeak)}</th>
                                <th scope="col">{word(Word::RankTotal)} ", " {unit}</th>
                                <th scope="col">{word(Word::RankSpare)} ", " {unit}</th>
                                <td></td>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            </section>
        </Show>
    }
}

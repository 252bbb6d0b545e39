//! Changes to make, and their savings; the room that is left where the scenario fits.

use super::go::{compare_button, go_button};
use super::plan_table::meter;
use crate::app::{Store, use_store};
use crate::decide::{Advice, AdviceTable, Beyond, Remedy, Room};
use crate::figure::Standing;
use crate::report::{Fit, Memory};
use crate::text::{
    Word, outcome_changes, plan_about, plan_name, plan_outcome, price_name, remedy_cost,
    remedy_name, remedy_saving, room_text, share_of, steps_beyond, steps_text,
};
use crate::units::Bytes;
use leptos::prelude::*;
use std::sync::Arc;

/// A single change.
pub(in crate::views) fn remedy_line(
    remedy: &Remedy,
    table: &AdviceTable<'_>,
    advice: &Advice,
    store: Store,
) -> AnyView {
    let (units, language) = (store.units.get(), store.language.get());
    let name = remedy_name(remedy.kind, language);
    let also = outcome_changes(&advice.now, &remedy.outcome, units, language);
    let full = table.full.get();
    let missing = table.missing(remedy.memory);
    let mark = (missing > Bytes::ZERO).then(|| {
        view! { <i class="meter-mark" style:--part=share_of(missing.get(), full)></i> }
    });
    view! {
        <li class="remedy" data-fits=remedy.fits().to_string() data-kind=remedy.kind.name()>
            <span class="remedy-name">
                <strong>{name}</strong>
                <span>{remedy_cost(remedy.kind, language)}</span>
                <span class="remedy-also">{also}</span>
            </span>
            <span class="remedy-saving">
                {remedy_saving(remedy.saves, remedy.total, units, language)}
                {meter(remedy.saves.get(), full)}
                {mark}
            </span>
            {go_button(store, Word::Try, remedy.scenario.clone(), name.to_owned())}
        </li>
    }
    .into_any()
}

/// The single changes, grouped by their price.
fn singles(advice: &Advice, store: Store) -> Option<AnyView> {
    let language = store.language.get();
    let table = advice.table();
    let scale = if Memory::ALL
        .iter()
        .any(|&memory| table.missing(memory) > Bytes::ZERO)
    {
        Word::SinglesMissing
    } else {
        Word::SinglesScale
    };
    let groups = table.groups.iter().map(|group| {
        let lines = group.remedies.iter();
        let lines = lines.map(|remedy| remedy_line(remedy, &table, advice, store));
        view! {
            <h4>{price_name(group.price, language)}</h4>
            <ul class="remedies" data-price=group.price.name()>
                {lines.collect_view()}
            </ul>
        }
    });
    (!table.groups.is_empty()).then(|| {
        view! {
            <h3>{Word::SinglesTitle.text(language)}</h3>
            <p class="plan-about">{scale.text(language)}</p>
            {groups.collect_view()}
        }
        .into_any()
    })
}

/// A memory of a plan on the scale of its capacity.
fn side(name: Word, fit: Fit, store: Store) -> impl IntoView {
    view! {
        <span>{name.text(store.language.get())} {meter(fit.needed.get(), fit.capacity.get())}</span>
    }
}

/// The plan at a place: what it comes to, and the changes that lead there.
fn plan_card(place: usize, advice: &Advice, store: Store) -> Option<AnyView> {
    let (units, language) = (store.units.get(), store.language.get());
    let plan = advice.plans.get(place)?;
    let name = plan_name(plan.kind, language);
    let fits = plan.outcome.fits();
    let verdict = match Standing::of_run(&plan.outcome.device, &plan.outcome.host) {
        Standing::Fits => Word::FitsWithIt,
        Standing::Tight => Word::FitsTightlyWithIt,
        Standing::Exceeds => Word::FitsNotWithIt,
    };
    let Beyond { before, now, steps } = advice.beyond(place);
    let steps = steps_text(now, steps, units, language);
    let steps = steps.into_iter().map(|step| view! { <li>{step}</li> });
    let before = before.map(|before| {
        view! { <p class="plan-about">{steps_beyond(before, language)}</p> }
    });
    Some(
        view! {
            <li class="plan" data-fits=fits.to_string() data-plan=plan.kind.name()>
                <h4>{name} " " <span class="plan-verdict">{verdict.text(language)}</span></h4>
                <p class="plan-about">{plan_about(plan.kind, language)}</p>
                <p>
                    <strong>{plan_outcome(&plan.outcome, units, language)}</strong>
                </p>
                <p class="plan-sides">
                    {side(Word::Vram, plan.outcome.device, store)}
                    {side(Word::Ram, plan.outcome.host, store)}
                </p>
                <p class="plan-about">
                    {outcome_changes(&advice.now, &plan.outcome, units, language)}
                </p>
                {before}
                <ol class="plan-steps">{steps.collect_view()}</ol>
                <div class="plan-buttons">
                    {go_button(store, Word::Try, plan.scenario.clone(), name.to_owned())}
                    {compare_button(store, plan.scenario.clone(), name.to_owned())}
                </div>
            </li>
        }
        .into_any(),
    )
}

/// Something that there is room for.
fn room_line(room: &Room, advice: &Advice, store: Store) -> AnyView {
    let (units, language) = (store.units.get(), store.language.get());
    let text = room_text(room, units, language);
    view! {
        <li class="remedy" data-room=room.kind.name()>
            <span class="remedy-name">
                <strong>{text.clone()}</strong>
                <span>{outcome_changes(&advice.now, &room.outcome, units, language)}</span>
            </span>
            <span></span>
            {go_button(store, Word::Try, room.scenario.clone(), text)}
        </li>
    }
    .into_any()
}

/// A list with its title; nothing where it is empty.
fn titled(title: Word, class: &'static str, store: Store, lines: Vec<AnyView>) -> Option<AnyView> {
    let title = title.text(store.language.get());
    (!lines.is_empty()).then(|| {
        view! {
            <h3>{title}</h3>
            <ul class=class>{lines}</ul>
        }
        .into_any()
    })
}

/// All of it.
fn all(advice: &Advice, store: Store) -> AnyView {
    let plans = 0..advice.plans.len();
    let plans = plans.filter_map(|place| plan_card(place, advice, store));
    let rooms = advice.room.iter();
    let rooms = rooms.map(|room| room_line(room, advice, store));
    // Plans come after the single changes; until then their place is held.
    let comes = !advice.whole && advice.plans.is_empty() && !advice.now.is_roomy();
    view! {
        {titled(Word::PlansTitle, "plans", store, plans.collect())}
        {comes.then(|| grey(ROWS))}
        {titled(Word::RoomTitle, "remedies", store, rooms.collect())}
        {singles(advice, store)}
    }
    .into_any()
}

/// Rows that hold the place of advice that is being worked out.
pub(in crate::views) fn grey(rows: usize) -> AnyView {
    let row = || view! { <li class="remedy grey"><span></span></li> };
    view! { <ul class="remedies" aria-hidden="true">{(0..rows).map(|_| row()).collect_view()}</ul> }
        .into_any()
}

/// How many rows of grey stand for advice that nobody has seen yet.
const ROWS: usize = 4;

/// The content of the panel.
#[derive(Clone, PartialEq)]
enum Shown {
    /// This number of grey rows: there is no advice, or what there is speaks of a run that fits where this one does not,
    /// or the other way around.
    Grey(usize),
    /// Advice for the last configuration.
    Old(Arc<Advice>),
    /// Advice for this one.
    New(Arc<Advice>),
    /// There is none.
    Nothing,
}

/// The content now. Room and plans come last and are above the single changes: until all is there, advice `before` for a
/// run that fits as this one does, or does not as this one, holds the place.
fn shown(store: Store, before: Option<&Shown>) -> Shown {
    let weighing = store.weighing.get();
    let fits = store
        .answer
        .with(|answer| answer.as_ref().map(|e| e.report.verdict.fits));
    match (store.advice.get(), weighing) {
        (None, _) => Shown::Grey(ROWS),
        (Some(of), true) if Some(of.now.fits()) != fits => Shown::Grey(of.rows().max(ROWS)),
        (Some(of), true) => match before {
            Some(Shown::Old(old)) if !of.whole && holds(old, &of) => Shown::Old(old.clone()),
            _ => Shown::Old(of),
        },
        (Some(of), false) if of.rows() == 0 && of.whole => Shown::Nothing,
        (Some(of), false) if !of.whole => match before {
            Some(Shown::Old(old) | Shown::New(old)) if holds(old, &of) => Shown::Old(old.clone()),
            Some(Shown::Grey(rows)) if of.now.fits() => Shown::Grey(*rows),
            _ if of.now.fits() => Shown::Grey(ROWS),
            _ => Shown::New(of),
        },
        (Some(of), false) => Shown::New(of),
    }
}

/// Whether older advice holds the place of this one, whose last rows are to come.
fn holds(old: &Advice, of: &Advice) -> bool {
    let fits = of.now.fits();
    old.now.fits() == fits && (fits || old.plans.len() > of.plans.len())
}

/// The panel.
#[component]
pub(in crate::views) fn RemediesPanel() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let now = Memo::new(move |before: Option<&Shown>| shown(store, before));
    let some = Memo::new(move |_| now.with(|now| *now != Shown::Nothing));
    let waits = Memo::new(move |_| {
        now.with(|now| match now {
            Shown::Grey(_) => Some(Word::AdviceComes),
            Shown::Old(_) => Some(Word::AdviceIsOld),
            Shown::New(of) if !of.whole => Some(Word::AdviceComes),
            Shown::New(_) | Shown::Nothing => None,
        })
    });
    let old = Signal::derive(move || now.with(|now| matches!(now, Shown::Old(_))));
    let rows = move || {
        now.with(|now| match now {
            Shown::Grey(rows) => Some(grey(*rows)),
            Shown::Old(advice) | Shown::New(advice) => Some(all(advice, store)),
            Shown::Nothing => None,
        })
    };
    let help = Signal::derive(move || {
        let said = waits.get().unwrap_or(Word::RemediesHelp);
        said.text(store.language.get())
    });
    view! {
        <Show when=move || some.get()>
            <section
                class="card figure"
                data-testid="remedies"
                aria-labelledby="remedies-title"
                aria-busy=Signal::derive(move || waits.with(Option::is_some).to_string())
            >
                <header class="figure-head">
                    <h2 id="remedies-title">{word(Word::RemediesTitle)}</h2>
                </header>
                <p class="figure-summary">{help}</p>
                <div class="advice" class:waiting=old inert=old>
                    {rows}
                </div>
            </section>
        </Show>
    }
}

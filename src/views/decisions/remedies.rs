//! What to change, and what it saves; what there is room for where it fits.

use super::go::{compare_button, go_button};
use crate::app::{Store, use_store};
use crate::decide::{Advice, ReadyPlan, Remedy, Room};
use crate::text::{
    Word, outcome_changes, plan_about, plan_name, plan_outcome, remedy_cost, remedy_name,
    remedy_saving, room_text, steps_text,
};
use leptos::prelude::*;

/// A single change.
fn remedy_line(remedy: &Remedy, advice: &Advice, store: Store) -> AnyView {
    let (units, language) = (store.units.get(), store.language.get());
    let name = remedy_name(remedy.kind, language);
    let also = outcome_changes(&advice.now, &remedy.outcome, units, language);
    view! {
        <li class="remedy" data-fits=remedy.fits().to_string() data-kind=remedy.kind.name()>
            <span class="remedy-name">
                <strong>{name}</strong>
                <span>{remedy_cost(remedy.kind, language)}</span>
                <span class="remedy-also">{also}</span>
            </span>
            <span class="remedy-saving">
                {remedy_saving(remedy.saves, remedy.total, units, language)}
            </span>
            {go_button(store, Word::Try, remedy.scenario.clone(), name.to_owned())}
        </li>
    }
    .into_any()
}

/// A plan: what it comes to, and the changes that lead there.
fn plan_card(plan: &ReadyPlan, advice: &Advice, store: Store) -> AnyView {
    let (units, language) = (store.units.get(), store.language.get());
    let name = plan_name(plan.kind, language);
    let fits = plan.outcome.fits();
    let verdict = if fits {
        Word::FitsWithIt
    } else {
        Word::FitsNotWithIt
    };
    let steps = steps_text(&advice.now, &plan.steps, units, language);
    let steps = steps.into_iter().map(|step| view! { <li>{step}</li> });
    view! {
        <li class="plan" data-fits=fits.to_string() data-plan=plan.kind.name()>
            <h4>{name} " " <span class="plan-verdict">{verdict.text(language)}</span></h4>
            <p class="plan-about">{plan_about(plan.kind, language)}</p>
            <p><strong>{plan_outcome(&plan.outcome, units, language)}</strong></p>
            <p class="plan-about">{outcome_changes(&advice.now, &plan.outcome, units, language)}</p>
            <ol class="plan-steps">{steps.collect_view()}</ol>
            <div class="plan-buttons">
                {go_button(store, Word::Try, plan.scenario.clone(), name.to_owned())}
                {compare_button(store, plan.scenario.clone(), name.to_owned())}
            </div>
        </li>
    }
    .into_any()
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
    let plans = advice.plans.iter();
    let plans = plans.map(|plan| plan_card(plan, advice, store));
    let rooms = advice.room.iter();
    let rooms = rooms.map(|room| room_line(room, advice, store));
    let singles = advice.remedies.iter();
    let singles = singles.map(|remedy| remedy_line(remedy, advice, store));
    view! {
        {titled(Word::PlansTitle, "plans", store, plans.collect())}
        {titled(Word::RoomTitle, "remedies", store, rooms.collect())}
        {titled(Word::SinglesTitle, "remedies", store, singles.collect())}
    }
    .into_any()
}

/// The panel.
#[component]
pub(in crate::views) fn RemediesPanel() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let some = Memo::new(move |_| {
        store.advice.with(|advice| {
            let advice = advice.as_ref();
            advice.is_some_and(|of| !(of.remedies.is_empty() && of.room.is_empty()))
        })
    });
    view! {
        <Show when=move || some.get()>
            <section class="card figure" data-testid="remedies" aria-labelledby="remedies-title">
                <header class="figure-head">
                    <h2 id="remedies-title">{word(Word::RemediesTitle)}</h2>
                </header>
                <p class="figure-summary">{word(Word::RemediesHelp)}</p>
                <div class="advice" class:waiting=Signal::derive(move || store.weighing.get())>
                    {move || store.advice.get().as_ref().map(|advice| all(advice, store))}
                </div>
            </section>
        </Show>
    }
}

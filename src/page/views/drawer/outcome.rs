//! The answer as the drawer shows it, and three ways out where a run failed or does not fit.

use crate::app::{Store, query_of_scenario, use_drawer, use_store, visit};
use crate::ask::Scenario;
use crate::decide::{Advice, ReadyPlan, WayOut, ways_out};
use crate::figure::Standing;
use crate::report::{Estimate, Memory, Verdict};
use crate::text::{InputWord, Word, plan_name, plan_outcome, steps_text, verdict_answer};
use crate::views::decisions::{go_button, grey, remedy_line};
use leptos::prelude::*;
use std::sync::Arc;

/// Ways out that are shown.
const WAYS: usize = 3;

/// The verdict in a line.
#[component]
pub(super) fn Outcome(
    /// Whether the drawer lies beside the page, whose own verdict is announced.
    beside: RwSignal<bool>,
) -> impl IntoView {
    let store = use_store();
    let drawer = use_drawer();
    let some = Memo::new(move |_| drawer.all.with(|all| !all.is_empty()));
    let verdict = Memo::new(move |_| {
        let verdict = |answer: &Arc<Estimate>| answer.report.verdict;
        store.answer.with(|answer| answer.as_ref().map(verdict))
    });
    let standing = move || {
        let standing = |verdict: &Verdict| Standing::of_run(&verdict.device, &verdict.host).name();
        verdict.with(|verdict| verdict.as_ref().map(standing))
    };
    let said = move || {
        let (units, language) = (store.units.get(), store.language.get());
        let said = |verdict: &Verdict| verdict_answer(verdict, units, language);
        verdict.with(|verdict| verdict.as_ref().map(said))
    };
    view! {
        <p
            class="outcome"
            data-testid="drawer-verdict"
            data-standing=standing
            hidden=Signal::derive(move || !some.get())
            aria-live=Signal::derive(move || if beside.get() { "off" } else { "polite" })
        >
            {said}
        </p>
        {move || {
            let before = store.scenario.with(|now| drawer.before_trial(now));
            before.map(|before| back(before, store))
        }}
    }
}

/// A button that goes back to the settings from before a change was tried.
fn back(before: Scenario, store: Store) -> AnyView {
    let go = move |_| visit(store, &query_of_scenario(store, &before));
    view! {
        <p>
            <button type="button" class="quiet" on:click=go>
                {move || InputWord::BackToGiven.text(store.language.get())}
            </button>
        </p>
    }
    .into_any()
}

/// Ways out of the failure that was given last, or of what does not fit.
#[component]
pub(super) fn WaysOut() -> impl IntoView {
    let store = use_store();
    let drawer = use_drawer();
    let memory = Memo::new(move |_| {
        let verdict = store
            .answer
            .with(|answer| Some(answer.as_ref()?.report.verdict))?;
        let fits = verdict.device.fits && verdict.host.fits;
        let failed = drawer
            .failures()
            .first()
            .map(|failure| failure.is_of_host());
        let is_host = failed.unwrap_or(verdict.device.fits);
        let is_wanted = failed.is_some() || !fits;
        let given = drawer.all.with(|all| !all.is_empty());
        let memory = if is_host {
            Memory::Host
        } else {
            Memory::Device
        };
        (is_wanted && given).then_some(memory)
    });
    view! { {move || memory.get().map(|memory| ways(memory, store))} }
}

/// The ways out of a lack of memory; grey rows until they are known.
fn ways(memory: Memory, store: Store) -> AnyView {
    let language = store.language.get();
    let lines = move || {
        let advice = store.advice.get().filter(|_| !store.weighing.get());
        let Some(advice) = advice else {
            let coming = InputWord::WaysCome.text(store.language.get());
            return view! { <p class="unseen">{coming}</p> {grey(WAYS)} }.into_any();
        };
        let ways = ways_out(&advice, memory, WAYS);
        if ways.is_empty() {
            return view! { <p>{InputWord::NoWay.text(store.language.get())}</p> }.into_any();
        }
        let line = |way: WayOut| match way {
            WayOut::Change(remedy) => remedy_line(remedy, &advice.table(), &advice, store),
            WayOut::Plan(plan) => plan_line(plan, &advice, store),
        };
        let lines = ways.into_iter().map(line).collect_view();
        view! { <ul class="remedies">{lines}</ul> }.into_any()
    };
    view! {
        <section class="ways-out advice" data-testid="ways-out" aria-labelledby="ways-out-title">
            <h3 id="ways-out-title">{InputWord::WaysOut.text(language)}</h3>
            {lines}
        </section>
    }
    .into_any()
}

/// A plan in as much room as a change.
fn plan_line(plan: &ReadyPlan, advice: &Advice, store: Store) -> AnyView {
    let (units, language) = (store.units.get(), store.language.get());
    let name = plan_name(plan.kind, language);
    let steps =
        steps_text(&advice.now, &plan.steps, units, language).join(language.of(("; ", "；")));
    view! {
        <li class="remedy" data-fits=plan.outcome.fits().to_string() data-plan=plan.kind.name()>
            <span class="remedy-name"><strong>{name}</strong> <span>{steps}</span></span>
            <span class="remedy-saving">{plan_outcome(&plan.outcome, units, language)}</span>
            {go_button(store, Word::Try, plan.scenario.clone(), name.to_owned())}
        </li>
    }
    .into_any()
}

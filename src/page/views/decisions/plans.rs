//! Plan search: which settings fit, and which of them no others dominate.

use super::go::{compare_button, go_button};
use crate::app::{PlanSearch, Planned, Store, use_store};
use crate::ask::Scenario;
use crate::decide::{Adapters, Freedom, GpuModel, Gpus, PlanOptions, Plans, RunPlan, gpus_of};
use crate::text::{
    Language, Term, Word, adapters_name, amount, freedom_name, gpu_choice, gpus_choice,
    nearest_sentence, ratio, rejection_sentence, search_summary, setting_name, share_of,
};
use crate::views::value::value_text;
use crate::widgets::{Choice, Choices};
use leptos::prelude::*;
use serde_json::Value;

/// Shares of a GPU that can stay free, in percent.
const HEADROOMS: [u64; 7] = [0, 5, 10, 15, 20, 25, 30];

/// What a plan changes: "Activation checkpointing: full; Micro-batch: 2".
fn changes(plan: &RunPlan, language: Language) -> String {
    let said = plan.changes.iter().map(|(key, value)| {
        let (name, value) = (
            setting_name(key, language),
            value_text(key, value, language),
        );
        format!("{name}: {value}")
    });
    let said: Vec<String> = said.collect();
    if said.is_empty() {
        Word::FitsAsNow.text(language).to_owned()
    } else {
        said.join("; ")
    }
}

fn row(plan: &RunPlan, least: u64, store: Store) -> impl IntoView {
    let (units, language) = (store.units.get(), store.language.get());
    let says = changes(plan, language);
    view! {
        <tr>
            <th scope="row">
                {says.clone()}
                <div class="plan-buttons">
                    {go_button(store, Word::FitsUse, plan.scenario.clone(), says.clone())}
                    {compare_button(store, plan.scenario.clone(), says)}
                </div>
            </th>
            <td>{plan.gpus}</td>
            <td>{amount(plan.device, units)}</td>
            <td>{plan.phase.term(language)}</td>
            <td>{amount(plan.host, units)}</td>
            <td>{ratio(plan.computed(), least)}</td>
            <td>{amount(plan.communication.total(), units)}</td>
        </tr>
    }
}

/// Plans as a table.
fn table(plans: &[RunPlan], least: u64, store: Store) -> AnyView {
    let language = store.language.get();
    let rows = plans
        .iter()
        .map(|plan| row(plan, least, store))
        .collect_view();
    let heads = [
        Word::PlanChanges,
        Word::GpusAxis,
        Word::DeviceTotal,
        Word::PlanBinds,
        Word::GpusRam,
        Word::PlanCompute,
        Word::PlanSent,
    ];
    let heads = heads.iter();
    let heads = heads
        .map(|head| view! { <th scope="col">{head.text(language)}</th> })
        .collect_view();
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=Word::Table.text(language)>
            <table class="numbers plan-table">
                <thead>
                    <tr>{heads}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// What was found so far.
fn found(planned: &Planned, headroom: u64, store: Store) -> AnyView {
    let (units, language) = (store.units.get(), store.language.get());
    let plans: &Plans = &planned.plans;
    let summary = search_summary(plans, planned.done, headroom, language);
    let any = !plans.plans.is_empty();
    let rejected = plans.rejected.iter();
    let rejected = rejected
        .map(|group| view! { <li>{rejection_sentence(group, units, language)}</li> })
        .collect_view();
    let nearest = plans.nearest.as_ref().map(|nearest| {
        let plan = &nearest.plan;
        view! {
            <p>{nearest_sentence(nearest, language)}</p>
            {table(std::slice::from_ref(plan), plan.computed(), store)}
        }
    });
    view! {
        <p class="figure-summary" role="status" data-done=planned.done.to_string()>{summary}</p>
        {any.then(|| table(&plans.plans, plans.least_compute(), store))}
        {nearest}
        <details class="twin">
            <summary>{Word::PlanRejected.text(language)}</summary>
            <ul class="sentences">{rejected}</ul>
        </details>
    }
    .into_any()
}

/// A box to be ticked.
fn tick(
    id: String,
    of: Word,
    name: impl Fn(Language) -> &'static str + Send + Sync + 'static,
    is_on: impl Fn(&PlanOptions) -> bool + Send + Sync + 'static,
    turn: impl Fn(&mut PlanOptions, bool) + Send + Sync + 'static,
    search: PlanSearch,
    store: Store,
) -> impl IntoView {
    let on = Signal::derive(move || search.options.with(|options| is_on(options)));
    view! {
        <label class="tick">
            <input
                type="checkbox"
                id=id
                prop:checked=on
                on:change:target=move |event| {
                    let on = event.target().checked();
                    search.options.update(|options| turn(options, on));
                }
            />
            <span class="unseen">{move || of.text(store.language.get())} ": "</span>
            {move || name(store.language.get())}
        </label>
    }
}

/// The GPU of a scenario, for people.
fn value_of_gpu(scenario: &Scenario, language: Language) -> String {
    let gpu = Value::from(scenario.hardware.gpu.as_str());
    value_text("hardware.gpu", &gpu, language)
}

/// How far the slider of the headroom is filled.
fn headroom_share(headroom: u64) -> String {
    let most = HEADROOMS.last().copied().unwrap_or(1);
    share_of(headroom, most)
}

/// Puts a value into a list, or takes it out.
fn put<T: PartialEq>(list: &mut Vec<T>, value: T, is_in: bool) {
    list.retain(|other| *other != value);
    if is_in {
        list.push(value);
    }
}

/// What the search may do.
#[component]
fn Options(search: PlanSearch) -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let free = |freedom: Freedom| {
        tick(
            format!("plan-{}", freedom.name()),
            Word::PlanMayChange,
            move |language| freedom_name(freedom, language),
            move |options| !options.locked.contains(&freedom),
            move |options, on| put(&mut options.locked, freedom, !on),
            search,
            store,
        )
    };
    let allow = |adapters: Adapters| {
        tick(
            format!("plan-{}", adapters.name()),
            Word::PlanMayAdd,
            move |_| adapters_name(adapters),
            move |options| options.allowed.contains(&adapters),
            move |options, on| put(&mut options.allowed, adapters, on),
            search,
            store,
        )
    };
    let choices = Signal::derive(move || {
        let (now, language) = (store.followed.with(gpus_of), store.language.get());
        let choice =
            |&gpus: &Gpus| Choice::new(gpus.name().to_owned(), &gpus_choice(gpus, now, language));
        Gpus::ALL.iter().map(choice).collect::<Vec<_>>()
    });
    let chosen = move || {
        search
            .options
            .with(|options| options.gpus.name().to_owned())
    };
    let gpus = Signal::derive(move || {
        let language = store.language.get();
        let now = store
            .scenario
            .with(|scenario| value_of_gpu(scenario, language));
        let choice =
            |&gpu: &GpuModel| Choice::new(gpu.name().to_owned(), &gpu_choice(gpu, &now, language));
        GpuModel::ALL.iter().map(choice).collect::<Vec<_>>()
    });
    let chosen_gpu = move || search.options.with(|options| options.gpu.name().to_owned());
    let headroom = Signal::derive(move || search.options.with(|options| options.headroom));
    let place = move || {
        let place = HEADROOMS.iter().position(|&all| all == headroom.get());
        place.unwrap_or_default().to_string()
    };
    let last = HEADROOMS.len().saturating_sub(1).to_string();
    view! {
        <div class="plan-options">
            <fieldset>
                <legend>{word(Word::PlanMayChange)}</legend>
                {Freedom::ALL.iter().map(|&one| free(one)).collect_view()}
            </fieldset>
            <fieldset>
                <legend>{word(Word::PlanMayAdd)}</legend>
                {Adapters::ALL.iter().map(|&one| allow(one)).collect_view()}
            </fieldset>
            <label class="inline-choice">
                {word(Word::GpusAxis)} " "
                <Choices
                    id="plan-gpus"
                    framed=false
                    choices
                    value=Signal::derive(chosen)
                    disabled=false
                    on_choice=move |name: String| {
                        if let Some(gpus) = Gpus::from_name(&name) {
                            search.options.update(|options| options.gpus = gpus);
                        }
                    }
                />
            </label>
            <label class="inline-choice">
                <span class="unseen">{word(Word::PlanMayChange)} ": "</span>
                {move || setting_name("hardware.gpu", store.language.get())} " "
                <Choices
                    id="plan-gpu"
                    framed=false
                    choices=gpus
                    value=Signal::derive(chosen_gpu)
                    disabled=false
                    on_choice=move |name: String| {
                        if let Some(gpu) = GpuModel::from_name(&name) {
                            search.options.update(|options| options.gpu = gpu);
                        }
                    }
                />
            </label>
            <label>
                {word(Word::PlanHeadroom)} " " <output>{headroom} " %"</output>
                <input
                    class="slider"
                    type="range"
                    id="plan-headroom"
                    min="0"
                    max=last
                    prop:value=place
                    style:--at=move || headroom_share(headroom.get())
                    on:input:target=move |event| {
                        let place: usize = event.target().value().parse().unwrap_or_default();
                        if let Some(&headroom) = HEADROOMS.get(place) {
                            search.options.update(|options| options.headroom = headroom);
                        }
                    }
                />
            </label>
        </div>
    }
}

/// The panel.
#[component]
pub(in crate::views) fn PlansPanel() -> impl IntoView {
    let store = use_store();
    let search = PlanSearch::follow(store);
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    view! {
        <section class="card figure" data-testid="plans" aria-labelledby="plans-title">
            <header class="figure-head">
                <h2 id="plans-title">{word(Word::SearchTitle)}</h2>
                <button type="button" class="quiet" on:click=move |_| search.ask()>
                    {word(Word::SearchPlans)}
                </button>
            </header>
            <p class="figure-summary">{word(Word::SearchHelp)}</p>
            <Options search />
            {move || {
                let headroom = search.options.with(|options| options.headroom);
                search.planned.get().map(|planned| found(&planned, headroom, store))
            }}
        </section>
    }
}

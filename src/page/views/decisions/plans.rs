//! Plan search: which settings fit, and which of them no others dominate.

use super::go::go_button;
use super::plan_table::{changes, meter, plan_table};
use crate::app::{PlanSearch, Store, use_store};
use crate::ask::Scenario;
use crate::decide::{
    Adapters, Freedom, GpuModel, Gpus, NearMiss, PlanOptions, PlanOrder, Plans, gpus_of,
};
use crate::text::{
    Language, Word, adapters_name, altered_sentence, freedom_name, gpu_choice, gpus_choice,
    looked_text, miss_sentence, nearest_sentence, rejection_sentence, search_summary, setting_name,
    share_of,
};
use crate::views::value::value_text;
use crate::widgets::{Choice, Choices};
use leptos::prelude::*;
use serde_json::Value;

/// Shares of a GPU that can stay free, in percent.
const HEADROOMS: [u64; 7] = [0, 5, 10, 15, 20, 25, 30];

/// The candidates by their outcome, as one strip with its legend.
fn strip(plans: &Plans, language: Language) -> AnyView {
    let parts = plans.strip();
    let spans = parts.iter().map(|part| {
        view! { <span data-looked=part.what.name() style:flex-grow=part.count.to_string()></span> }
    });
    let legend = parts.iter().map(|part| {
        view! {
            <li>
                <span class="swatch" data-looked=part.what.name()></span>
                {looked_text(*part, language)}
            </li>
        }
    });
    view! {
        <div class="looked" aria-hidden="true">{spans.collect_view()}</div>
        <ul class="looked-legend">{legend.collect_view()}</ul>
    }
    .into_any()
}

/// A candidate that does not fit by little.
fn miss(miss: &NearMiss, most: u64, store: Store) -> AnyView {
    let (units, language) = (store.units.get(), store.language.get());
    let changes = changes(&miss.plan.changes, language).join("; ");
    let says = if changes.is_empty() {
        Word::FitsAsNow.text(language).to_owned()
    } else {
        changes
    };
    view! {
        <li class="remedy" data-fits="false">
            <span class="remedy-name">
                {says.clone()}
                <span>{altered_sentence(&miss.plan.altered, language)}</span>
            </span>
            <span class="remedy-saving">
                {miss_sentence(miss, units, language)} {meter(miss.by.get(), most)}
            </span>
            {go_button(store, Word::Try, miss.plan.scenario.clone(), says)}
        </li>
    }
    .into_any()
}

/// The candidates that miss by least; nothing where all fit.
fn misses(plans: &Plans, store: Store) -> Option<AnyView> {
    let most = plans.misses.iter().map(|miss| miss.by.get()).max()?;
    let all = plans.misses.iter().map(|own| miss(own, most, store));
    Some(
        view! {
            <h3>{Word::PlanNearest.text(store.language.get())}</h3>
            <ul class="remedies">{all.collect_view()}</ul>
        }
        .into_any(),
    )
}

/// The reasons why candidates were rejected.
fn reasons(plans: &Plans, store: Store) -> AnyView {
    let (units, language) = (store.units.get(), store.language.get());
    let rejected = plans.rejected.iter();
    let rejected = rejected
        .map(|group| view! { <li>{rejection_sentence(group, units, language)}</li> })
        .collect_view();
    view! { <ul class="sentences">{rejected}</ul> }.into_any()
}

/// The results so far: elements stay while more is found, so that the focus does, too.
#[component]
fn Found(search: PlanSearch) -> impl IntoView {
    let store = use_store();
    let order = RwSignal::new(PlanOrder::default());
    let known = Memo::new(move |_| search.planned.get());
    let plans = Memo::new(move |_| {
        let known = known.get();
        known.map_or_else(Vec::new, |known| known.plans.plans.clone())
    });
    let nearest = Memo::new(move |_| known.get().and_then(|known| known.plans.nearest.clone()));
    let nearest_plan = Memo::new(move |_| {
        let nearest = nearest.get();
        nearest.map_or_else(Vec::new, |nearest| vec![nearest.plan])
    });
    let is_asked = Memo::new(move |_| known.with(Option::is_some));
    let any = Memo::new(move |_| plans.with(|plans| !plans.is_empty()));
    let several = Memo::new(move |_| plans.with(|plans| plans.len() > 1));
    // While a search goes on, what fits may still come.
    let is_hopeless = Memo::new(move |_| {
        let is_done = known.with(|known| known.as_ref().is_some_and(|known| known.done));
        is_done && !any.get()
    });
    let is_done = Signal::derive(move || {
        known.with(|known| known.as_ref().map(|known| known.done.to_string()))
    });
    let of = move |show: fn(&Plans, Store) -> Option<AnyView>| {
        move || known.with(|known| show(&known.as_ref()?.plans, store))
    };
    let summary = move || {
        let headroom = search.options.with(|options| options.headroom);
        let language = store.language.get();
        known.with(|known| {
            let known = known.as_ref()?;
            Some(search_summary(&known.plans, known.done, headroom, language))
        })
    };
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    view! {
        <Show when=move || is_asked.get()>
            <p class="figure-summary" role="status" data-done=is_done>{summary}</p>
            <Show when=move || several.get()>
                <p class="figure-summary">{word(Word::PlanFirstHelp)}</p>
            </Show>
            <Show when=move || any.get()>{plan_table(plans, order, store)}</Show>
            <Show when=move || nearest.with(Option::is_some)>
                <p>
                    {move || {
                        let language = store.language.get();
                        nearest
                            .with(|nearest| {
                                nearest.as_ref().map(|nearest| nearest_sentence(nearest, language))
                            })
                    }}
                </p>
                {plan_table(nearest_plan, order, store)}
            </Show>
            {of(|plans, store| Some(strip(plans, store.language.get())))}
            <Show when=move || is_hopeless.get()>{of(misses)}</Show>
            <details class="twin">
                <summary>{word(Word::PlanRejected)}</summary>
                {of(|plans, store| Some(reasons(plans, store)))}
                <Show when=move || !is_hopeless.get()>{of(misses)}</Show>
            </details>
        </Show>
    }
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

/// The controls for what the search may change.
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
            <label for="plan-headroom">
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
            <Found search />
        </section>
    }
}

//! The answer in a sentence.

use super::peak::MovedNote;
use super::seen::when_whole;
use crate::app::{Store, query_of_scenario, use_store, visit};
use crate::ask::Scenario;
use crate::browser::Timer;
use crate::decide::{Outcome, RoomKind, first_remedy, plan_beyond};
use crate::figure::Standing;
use crate::text::{
    Word, change_first, largest_batch, plan_name, remedy_name, verdict_answer, verdict_detail,
};
use leptos::prelude::*;
use std::time::Duration;

/// How long the answer must rest before it is announced.
const REST: Duration = Duration::from_millis(900);

/// The standing of the run against its machine; the worse memory counts.
pub(super) fn standing(store: Store) -> Option<Standing> {
    store.answer.with(|answer| {
        let verdict = answer.as_ref()?.report.verdict;
        Some(Standing::of_run(&verdict.device, &verdict.host))
    })
}

/// The verdict in words.
#[derive(Clone, PartialEq)]
struct Said {
    answer: String,
    detail: String,
}

/// Answers wider than this many letters take smaller ones, so that they stay in one line.
const ROOMY: usize = 40;

/// Whether an answer is wider than one line of the largest letters: a Chinese letter is as wide as two.
fn is_long(said: Option<&Said>) -> bool {
    let width = |letter: char| if letter.is_ascii() { 1 } else { 2 };
    said.is_some_and(|said| said.answer.chars().map(width).sum::<usize>() > ROOMY)
}

/// The verdict once it rests: while a slider moves, nobody wants to hear every step.
fn announced(text: Memo<Option<Said>>) -> RwSignal<String> {
    let announced = RwSignal::new(String::new());
    let rest = Timer::default();
    Effect::new(move |opened: Option<()>| {
        let now = text.get();
        if opened.is_none() {
            return;
        }
        rest.set(REST, move || {
            if let Some(Said { answer, detail }) = now {
                announced.set(format!("{answer} {detail}"));
            }
        });
    });
    announced
}

/// The change to make first, or the room that is left.
#[derive(Clone, PartialEq)]
struct First {
    head: Word,
    /// A sentence.
    text: String,
    /// The scenario that its link opens.
    scenario: Scenario,
}

fn advice(store: Store) -> Option<First> {
    let (units, language) = (store.units.get(), store.language.get());
    let fits = store
        .answer
        .with(|answer| answer.as_ref().map(|e| e.report.verdict.fits))?;
    if !fits {
        if store.weighing.get() {
            return None;
        }
        return store.advice.with(|advice| {
            let advice = advice.as_ref()?;
            let first = first_remedy(&advice.remedies)?;
            let how = |of: &Outcome| Standing::of_run(&of.device, &of.host);
            if let Some(plan) = plan_beyond(advice, Some(&first.outcome)) {
                let name = plan_name(plan.kind, language);
                let total = plan.outcome.device.needed;
                let text = change_first(name, total, how(&plan.outcome), units, language);
                return Some(First {
                    head: Word::ChangeFirst,
                    text,
                    scenario: plan.scenario.clone(),
                });
            }
            let name = remedy_name(first.kind, language);
            let text = change_first(name, first.total, how(&first.outcome), units, language);
            Some(First {
                head: Word::ChangeFirst,
                text,
                scenario: first.scenario.clone(),
            })
        });
    }
    if store.weighing.get() {
        return None;
    }
    store.advice.with(|advice| {
        let mut room = advice.as_ref()?.room.iter();
        let larger = room.find(|room| room.kind == RoomKind::LargerMicroBatch)?;
        let scenario = larger.scenario.clone();
        Some(First {
            head: Word::RoomFor,
            text: largest_batch(scenario.micro_batch_size, language),
            scenario,
        })
    })
}

/// The advice beside the verdict, where there is room beside it.
#[component]
fn Advice() -> impl IntoView {
    let store = use_store();
    let advice = Memo::new(move |_| advice(store));
    let head = move || advice.with(|advice| Some(advice.as_ref()?.head));
    let text = move || advice.with(|advice| Some(advice.as_ref()?.text.clone()));
    view! {
        <p class="verdict-advice" hidden=Signal::derive(move || advice.with(Option::is_none))>
            <span>
                {Signal::derive(move || {
                    head().map(|word| word.text(store.language.get()))
                })}
            </span>
            <button
                type="button"
                class="quiet"
                on:click=move |_| {
                    if let Some(first) = advice.get_untracked() {
                        visit(store, &query_of_scenario(store, &first.scenario));
                    }
                }
            >
                {Signal::derive(text)}
            </button>
        </p>
    }
}

/// How often the binding phase has changed hands: an even or an odd number of times.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Turn {
    binding: Option<&'static str>,
    odd: bool,
    turned: bool,
}

/// The verdict.
#[component]
pub(super) fn VerdictPanel() -> impl IntoView {
    let store = use_store();
    let standing = Memo::new(move |_| standing(store));
    let text = Memo::new(move |_| {
        let (units, language) = (store.units.get(), store.language.get());
        store.answer.with(|answer| {
            answer.as_ref().map(|estimate| {
                let verdict = &estimate.report.verdict;
                Said {
                    answer: verdict_answer(verdict, units, language),
                    detail: verdict_detail(verdict, units, language),
                }
            })
        })
    });
    let announced = announced(text);
    let binding = Memo::new(move |_| {
        store.answer.with(|answer| {
            answer
                .as_ref()
                .map(|e| e.report.verdict.binding_phase.name())
        })
    });
    // The one thing that moves: the binding phase changes hands.
    let turn = Memo::new(move |before: Option<&Turn>| {
        let binding = binding.get();
        Turn {
            binding,
            odd: before.is_some_and(|before| before.odd != (before.binding != binding)),
            turned: before.is_some_and(|before| before.binding.is_some()),
        }
    });
    let moves = move || {
        let turn = turn.get();
        turn.turned.then_some(if turn.odd { "odd" } else { "even" })
    };
    let is_sure = move || store.certainty.with(String::is_empty);
    view! {
        <section
            class="verdict"
            data-standing=Signal::derive(move || standing.get().map(Standing::name))
            data-binding=move || binding.get()
            data-turn=Signal::derive(moves)
            data-stale=Signal::derive(move || store.is_stale().to_string())
        >
            <p class="unseen" role="status">{announced}</p>
            <p class="verdict-text" data-testid="verdict">
                <strong class="verdict-answer" class:long=Signal::derive(move || text.with(|said| is_long(said.as_ref())))>
                    {move || {
                        text.with(|said| said.as_ref().map(|said| said.answer.clone()))
                            .unwrap_or_else(|| {
                                Word::NoAnswer.text(store.language.get()).to_owned()
                            })
                    }}
                </strong>
                " "
                <span class="verdict-detail">
                    {Signal::derive(move || text.with(|said| said.as_ref().map(|said| said.detail.clone())))}
                </span>
            </p>
            <p class="verdict-certainty" data-testid="certainty" hidden=Signal::derive(is_sure)>
                {store.certainty}
            </p>
            {(!store.embedded).then(|| view! {
                <Advice />
                {when_whole(|| view! { <MovedNote /> }.into_any())}
            })}
            <p class="stale-note" hidden=Signal::derive(move || !(store.is_stale() && store.has_answer()))>
                {Signal::derive(move || Word::Stale.text(store.language.get()))}
            </p>
        </section>
    }
}

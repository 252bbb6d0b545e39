//! The tour: a question answered on the page itself, a stop at a time.

use crate::app::{Store, query_of_scenario, use_store, visit};
use crate::ask::Scenario;
use crate::browser;
use crate::text::{Stop, Word};
use crate::views::seen::when_whole;
use leptos::prelude::*;
use leptos::task::{spawn_local, tick};

/// Batch sizes before and after the peak moves, as in the published example.
const SMALL: u64 = 2;
const LARGE: u64 = 16;

/// The CSS selector of the element that a stop points at.
const fn place(stop: Stop) -> &'static str {
    match stop {
        Stop::Verdict => ".verdict",
        Stop::Phases | Stop::Moved => "#phases",
        Stop::Batch => ".field:has(#micro_batch_size)",
        Stop::Crossover => "#crossover",
        Stop::Timeline => "#timeline",
        Stop::Remedies => "[data-testid=remedies]",
    }
}

/// The batch size that a stop shows.
const fn batch(stop: Stop) -> u64 {
    match stop {
        Stop::Verdict | Stop::Phases => SMALL,
        _ => LARGE,
    }
}

/// The configuration that a stop shows.
fn scenario(stop: Stop) -> Scenario {
    Scenario {
        micro_batch_size: batch(stop),
        ..Scenario::default()
    }
}

/// Goes to a stop: the scenario first, then what to look at.
fn go(store: Store, stop: Stop) {
    let wanted = scenario(stop);
    let now = store.scenario.get_untracked();
    if now != wanted {
        let only_batch = Scenario {
            micro_batch_size: wanted.micro_batch_size,
            ..now
        } == wanted;
        if only_batch {
            store.edit("micro_batch_size", |s| s.micro_batch_size = batch(stop));
        } else {
            store.forget_job();
            visit(store, &query_of_scenario(store, &wanted));
        }
    }
    store.settings_open.set(stop == Stop::Batch);
    // Two frames: the answer is in the first, the layout in the second.
    request_animation_frame(move || {
        request_animation_frame(move || browser::point_out(Some(place(stop))));
    });
}

/// The button that begins the tour, and the tour.
#[component]
pub(super) fn TourButton() -> impl IntoView {
    let store = use_store();
    let begun = RwSignal::new(false);
    view! {
        <button type="button" class="quiet" id="tour-button" on:click=move |_| begun.set(true)>
            {Signal::derive(move || Word::Tour.text(store.language.get()))}
        </button>
        {when_whole(move || tour(begun))}
    }
}

/// The tour, which begins where `begun` is set.
fn tour(begun: RwSignal<bool>) -> AnyView {
    let store = use_store();
    let at = RwSignal::new(None::<Stop>);
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    let show = move |stop: Stop| {
        at.set(Some(stop));
        go(store, stop);
    };
    Effect::new(move |_| {
        if !begun.get() {
            return;
        }
        begun.set(false);
        untrack(|| {
            store.set_aside();
            show(Stop::Verdict);
        });
        // Before the next key: Enter goes on, and would begin anew on this button.
        spawn_local(async {
            tick().await;
            browser::focus_first("#tour-next");
        });
    });
    let end = move || {
        // The former scenario comes back, unless the reader has changed the tour's.
        let shown = |stop: Stop| store.scenario.with_untracked(|now| *now == scenario(stop));
        if at.get_untracked().is_some_and(shown) {
            store.give_back();
        } else {
            store.stay();
        }
        at.set(None);
        browser::point_out(None);
        browser::focus_first("#tour-button");
    };
    let back = move || {
        if let Some(now) = at.get_untracked() {
            show(now.before());
        }
    };
    let next = move || match at.get_untracked().and_then(Stop::after) {
        Some(stop) => show(stop),
        None => end(),
    };
    let text = move || at.get().map(|stop| stop.text(store.language.get()));
    let last = Signal::derive(move || at.get().is_some_and(|stop| stop.after().is_none()));
    view! {
        <section
            class="sheet card tour"
            role="dialog"
            aria-labelledby="tour-title"
            hidden=Signal::derive(move || at.get().is_none())
            on:keydown=move |event| {
                match event.key().as_str() {
                    "Escape" => end(),
                    "ArrowRight" => next(),
                    "ArrowLeft" => back(),
                    _ => {}
                }
            }
        >
            <Show when=move || at.with(Option::is_some)>
                <div class="figure-head">
                    <h2 id="tour-title">{word(Word::TourTitle)}</h2>
                    <span>
                        {Signal::derive(move || at.get().map(Stop::count))}
                    </span>
                </div>
                <p role="status">{Signal::derive(text)}</p>
                <div class="tour-buttons">
                    <button type="button" class="quiet" on:click=move |_| end()>
                        {word(Word::TourEnd)}
                    </button>
                    <button
                        type="button"
                        class="quiet"
                        disabled=Signal::derive(move || at.get() == Some(Stop::Verdict))
                        on:click=move |_| back()
                    >
                        {word(Word::TourBack)}
                    </button>
                    <button
                        type="button"
                        class="primary"
                        id="tour-next"
                        on:click=move |_| next()
                    >
                        {Signal::derive(move || {
                            let word = if last.get() { Word::Close } else { Word::TourNext };
                            word.text(store.language.get())
                        })}
                    </button>
                </div>
            </Show>
        </section>
    }
    .into_any()
}

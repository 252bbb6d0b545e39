//! The phases that bind along the micro-batch's slider, below its track.

use crate::app::{Store, use_store};
use crate::figure::{Ribbon, RibbonPart, RibbonTick};
use crate::sim::Phase;
use crate::text::{Word, crossover_summary, switch_sentence};
use crate::views::bars::{Ink, background};
use leptos::prelude::*;

/// The place of the ribbon, which comes with the rest of the program.
#[component]
pub(in crate::views) fn RibbonPlace(
    /// The slider's stops.
    stops: &'static [u64],
) -> impl IntoView {
    let store = use_store();
    (!store.embedded).then(|| {
        view! {
            <div class="ribbon">
                <Show when=move || store.whole.get()>
                    <PhaseRibbon stops />
                </Show>
            </div>
        }
    })
}

/// The ribbon.
#[component]
fn PhaseRibbon(
    /// The slider's stops.
    stops: &'static [u64],
) -> impl IntoView {
    let store = use_store();
    let ribbon = Memo::new(move |_| {
        let sweep = store.sweep.get();
        sweep.map_or_else(Ribbon::default, |sweep| Ribbon::of(&sweep, stops))
    });
    let said = Signal::derive(move || {
        let language = store.language.get();
        let said = |sweep: &_| crossover_summary(sweep, language);
        let waiting = || Word::Computing.text(language).to_owned();
        (store.sweep).with(|sweep| sweep.as_deref().map_or_else(waiting, said))
    });
    view! {
        <div
            class="ribbon-track"
            role="img"
            aria-label=said
            class:waiting=Signal::derive(move || store.sweeping.get())
        >
            {move || ribbon.with(|all| all.parts.iter().map(part).collect_view())}
        </div>
        {move || ribbon.with(|all| all.ticks.iter().map(|own| tick(own, store)).collect_view())}
    }
}

fn part(part: &RibbonPart) -> AnyView {
    let phase = part.phase.map(Phase::name);
    let ink = phase.map(|phase| background(Ink::new("phase", phase)));
    view! {
        <span
            class="ribbon-part"
            data-phase=phase
            data-fits=part.fits.to_string()
            style:--from=part.from.to_string()
            style:--to=part.to.to_string()
            style:background=ink
        ></span>
    }
    .into_any()
}

/// A change of the binding phase: a click goes to the first micro-batch after it.
fn tick(tick: &RibbonTick, store: Store) -> AnyView {
    let switch = tick.switch;
    let said = Signal::derive(move || switch_sentence(&switch, store.language.get()));
    let go = move |_| {
        store.edit("micro_batch_size", |scenario| {
            scenario.micro_batch_size = switch.micro_batch_size;
        });
    };
    view! {
        <button
            type="button"
            class="ribbon-tick"
            style:--from=tick.at.to_string()
            title=said
            aria-label=said
            on:click=go
        >
            {switch.micro_batch_size}
        </button>
    }
    .into_any()
}

//! The phases that bind along a slider, below its track.

use super::play::Player;
use super::slider::Slider;
use crate::app::{Store, along_slider, use_store};
use crate::browser::{self, Listening};
use crate::figure::{Ribbon, RibbonLimit, RibbonPart, RibbonTick};
use crate::sim::Phase;
use crate::text::{PeakAlong, Word, change_along, peak_along, setting_name};
use crate::views::bars::{Ink, background};
use crate::views::seen::when_whole;
use leptos::html;
use leptos::prelude::*;

/// The place of the ribbon, which comes with the rest of the program.
pub(in crate::views) fn ribbon_place(slider: Slider) -> Option<AnyView> {
    let place = || {
        let ribbon = when_whole(move || phase_ribbon(slider));
        view! { <div class="ribbon">{ribbon}</div> }.into_any()
    };
    (!use_store().embedded).then(place)
}

/// The phases along a slider, as far as they are known.
#[derive(Clone, Copy)]
struct Known {
    ribbon: Memo<Ribbon>,
    /// Whether that is of another scenario.
    waits: Signal<bool>,
}

/// The micro-batch's comes with the picture over batch sizes, and has values between its stops.
fn of_sweep(store: Store, stops: &'static [u64]) -> Known {
    let ribbon = Memo::new(move |_| {
        let sweep = store.sweep.get();
        sweep.map_or_else(Ribbon::default, |sweep| Ribbon::of(&sweep, stops))
    });
    let waits = Signal::derive(move || store.sweeping.get());
    Known { ribbon, waits }
}

/// Others are computed stop by stop, while they are used or in sight.
fn of_stops(store: Store, slider: Slider, place: NodeRef<html::Div>) -> Known {
    let known = along_slider(slider.key, slider.stops.get_value());
    let (stops, waits) = (known.stops.clone(), known.waits.clone());
    let ribbon = Memo::new(move |_| {
        let stops = stops.get();
        stops.map_or_else(Ribbon::default, |stops| Ribbon::of_stops(&stops))
    });
    let (left, used) = (known.clone(), StoredValue::new_local(None::<Listening>));
    on_cleanup(move || left.leave());
    Effect::new(move |_| {
        if let Some(element) = place.get() {
            let of = known.clone();
            browser::on_seen(&element, move |now| of.note_seen(store, now));
            let of = known.clone();
            let note = move |now| of.note_use(store, now);
            used.set_value(browser::on_use_of_field(&element, note, |_| false));
        }
    });
    Known {
        ribbon,
        waits: Signal::derive(move || waits.get()),
    }
}

fn phase_ribbon(slider: Slider) -> AnyView {
    let store = use_store();
    let key = slider.key;
    let place = NodeRef::<html::Div>::new();
    let known = if key == "micro_batch_size" {
        of_sweep(store, slider.steps)
    } else {
        of_stops(store, slider, place)
    };
    let Known { ribbon, waits } = known;
    let player = Player::new(store, slider, ribbon);
    follow_keys(
        place,
        KeyLeads {
            slider,
            ribbon,
            player,
        },
    );
    let said = Signal::derive(move || {
        let language = store.language.get();
        let name = setting_name(key, language);
        ribbon.with(|ribbon| {
            if ribbon.parts.is_empty() {
                return format!("{name}: {}", Word::TryingValues.text(language));
            }
            peak_along(name, &along(ribbon, slider), language)
        })
    });
    view! {
        <div
            class="ribbon-track"
            role="img"
            aria-label=said
            title=said
            class:waiting=waits
            node_ref=place
        >
            {move || ribbon.with(|all| all.parts.iter().map(part).collect_view())}
        </div>
        {move || {
            ribbon.with(|all| all.ticks.iter().map(|own| tick(own, slider, store)).collect_view())
        }}
        {move || {
            ribbon.with(|all| {
                let limit = all.limit.as_ref().filter(|limit| limit.named);
                limit.map(|limit| last_that_fits(limit, slider))
            })
        }}
        {player.button()}
    }
    .into_any()
}

/// The last value that fits, below the end of what does; the ribbon's sentence says it for reading aloud.
fn last_that_fits(limit: &RibbonLimit, slider: Slider) -> AnyView {
    view! {
        <span class="ribbon-limit" aria-hidden="true" style:--from=limit.at.to_string()>
            {slider.written(&limit.value)}
        </span>
    }
    .into_any()
}

/// The ribbon for reading aloud.
fn along(ribbon: &Ribbon, slider: Slider) -> PeakAlong {
    let changes = ribbon.ticks.iter();
    PeakAlong {
        first: ribbon.parts.iter().find_map(|part| part.phase),
        changes: changes
            .map(|tick| (slider.written(&tick.value), tick.to))
            .collect(),
        last_fitting: ribbon
            .limit
            .as_ref()
            .map(|limit| slider.written(&limit.value)),
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

/// A change of the binding phase: a click goes to the first value after it. The slider's keys lead there, too: it is no
/// stop of Tab.
fn tick(tick: &RibbonTick, slider: Slider, store: Store) -> AnyView {
    let (value, to) = (tick.value.clone(), tick.to);
    let written = slider.written(&value);
    let name = tick.named.then(|| written.clone());
    let said = Signal::derive(move || {
        let language = store.language.get();
        let setting = setting_name(slider.key, language);
        change_along(setting, &written, to, language)
    });
    view! {
        <button
            type="button"
            class="ribbon-tick"
            tabindex="-1"
            style:--from=tick.at.to_string()
            title=said
            aria-label=said
            on:click:target=move |event| {
                slider.put.run(value.clone());
                browser::focus_slider(&event.target());
            }
        >
            {name}
        </button>
    }
    .into_any()
}

/// The places to which a slider's own keys lead.
#[derive(Clone, Copy)]
struct KeyLeads {
    slider: Slider,
    ribbon: Memo<Ribbon>,
    player: Player,
}

/// Space plays, Shift with an arrow goes to where another phase binds.
fn follow_keys(place: NodeRef<html::Div>, leads: KeyLeads) {
    let KeyLeads {
        slider,
        ribbon,
        player,
    } = leads;
    let now = slider.value;
    let pressed = move |event: &leptos::ev::KeyboardEvent| {
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return false;
        }
        let right = match (event.key().as_str(), event.shift_key()) {
            (" ", false) => {
                player.toggle();
                return true;
            }
            ("ArrowRight", true) => true,
            ("ArrowLeft", true) => false,
            _ => return false,
        };
        let change = now.try_get_untracked().and_then(|now| {
            ribbon.try_with_untracked(|ribbon| ribbon.next_change(&now, right).cloned())?
        });
        if let Some(value) = change {
            player.stop();
            slider.put.run(value);
        }
        true
    };
    let listening = StoredValue::new_local(None::<Listening>);
    Effect::new(move |_| {
        if let Some(track) = place.get() {
            browser::name_slider_keys(&track, "Space Shift+ArrowRight Shift+ArrowLeft");
            listening.set_value(browser::on_use_of_field(&track, |_| (), pressed));
        }
    });
}

//! A slider that runs by itself.

use super::slider::Slider;
use crate::app::{Store, use_store};
use crate::browser::{self, Listening, Timer};
use crate::figure::Ribbon;
use crate::text::{Word, setting_name};
use leptos::prelude::*;
use std::time::Duration;

/// How long it stays at a stop: all stops together are one step of what can be undone.
const PACE: Duration = Duration::from_millis(350);

/// How long where the reader wants less motion.
const CALM_PACE: Duration = Duration::from_millis(600);

/// Runs a slider through its stops, to a few beyond the last that fits.
#[derive(Clone, Copy)]
pub(super) struct Player {
    store: Store,
    slider: Slider,
    ribbon: Memo<Ribbon>,
    playing: RwSignal<bool>,
    /// The stop that it has gone to.
    at: StoredValue<usize>,
    timer: StoredValue<Timer, LocalStorage>,
    /// Whatever the reader does stops it.
    listening: StoredValue<Option<Listening>, LocalStorage>,
}

impl Player {
    pub fn new(store: Store, slider: Slider, ribbon: Memo<Ribbon>) -> Self {
        Self {
            store,
            slider,
            ribbon,
            playing: RwSignal::new(false),
            at: StoredValue::new(0),
            timer: StoredValue::new_local(Timer::default()),
            listening: StoredValue::new_local(None),
        }
    }

    /// Plays, or stops.
    pub fn toggle(self) {
        if self.playing.try_get_untracked() == Some(true) {
            return self.stop();
        }
        let Some(from) = self.slider.step.try_get_untracked() else {
            return;
        };
        let count = self.slider.count();
        let first = self
            .ribbon
            .try_with_untracked(|ribbon| ribbon.first_stop(from, count));
        self.playing.set(true);
        // After whatever has started it.
        browser::in_a_task(move || {
            if self.playing.try_get_untracked() == Some(true) {
                let own = format!("[data-plays=\"{}\"]", self.slider.key);
                let listening = browser::on_any_input(&own, move || self.stop());
                self.listening.set_value(Some(listening));
            }
        });
        self.go(first.unwrap_or_default());
    }

    /// Stays where it is.
    pub fn stop(self) {
        if self.playing.try_get_untracked() == Some(true) {
            self.playing.set(false);
            self.timer.with_value(Timer::clear);
            // One of the listeners may be calling.
            browser::in_a_task(move || {
                if self.playing.try_get_untracked() == Some(false) {
                    self.listening.set_value(None);
                }
            });
        }
    }

    fn go(self, to: usize) {
        self.at.set_value(to);
        self.slider.go.run(to);
        let pace = if browser::prefers_still() {
            CALM_PACE
        } else {
            PACE
        };
        self.timer
            .with_value(|timer| timer.set(pace, move || self.go_on()));
    }

    /// Goes to the next stop, unless somebody else has changed something.
    fn go_on(self) {
        let Some(at) = self.slider.step.try_get_untracked() else {
            return;
        };
        let disturbed = at != self.at.get_value() || untrack(|| self.store.is_stale());
        let count = self.slider.count();
        let next = self
            .ribbon
            .try_with_untracked(|ribbon| ribbon.next_stop(at, count));
        match next.flatten().filter(|_| !disturbed) {
            Some(next) => self.go(next),
            None => self.stop(),
        }
    }

    /// The button. The slider's keys do the same: it is no stop of Tab.
    pub fn button(self) -> AnyView {
        let store = use_store();
        let name = Signal::derive(move || {
            let language = store.language.get();
            let setting = setting_name(self.slider.key, language);
            format!("{}: {setting}", Word::PlayThrough.text(language))
        });
        view! {
            <button
                type="button"
                class="play"
                tabindex="-1"
                data-plays=self.slider.key
                aria-label=name
                title=name
                aria-pressed=Signal::derive(move || self.playing.get().to_string())
                on:click:target=move |event| {
                    self.toggle();
                    browser::focus_slider(&event.target());
                }
            ></button>
        }
        .into_any()
    }
}

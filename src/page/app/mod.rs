//! State and wiring: from what a person does to what the page shows.
//!
//! [`Store`] holds the page's signals; `engine` turns each change of the scenario into an answer
//! in the next frame; `background` fills in
//! the picture over batch sizes and the advice; `fits` looks for what only just fits when it is asked to, `plans` for
//! settings that fit, `map` for what fits over two numbers, `ribbons` for what binds along sliders, `steps`
//! runs many of differing length. Their questions are gone on with between frames (`pursuit`),
//! with estimates from threads beside the page's (`estimates`); `certainty` says how sure an answer about an opened job is; `closely` runs the model again for
//! whoever looks at single tensors; `kept` has the configuration to compare with, `past` those that were on screen before, each an entry of
//! the browser's history (`entries`), and `session` the last one of an earlier visit; `drawer` holds what the
//! reader gives, `opened` reads its texts and `files` its files (`snapshots`, `graph_opening`; `graphs` has those that were read, `published` fetches those that come along), `model` changes the model; `address`
//! keeps the URL and the scenario the same. It draws nothing and writes no words.
//!
//! Invariants: the answer on screen is for the scenario on screen, or the page says that it is
//! not; an embedded page never writes the address.

mod address;
mod background;
mod certainty;
mod closely;
mod drawer;
mod engine;
mod entries;
mod estimates;
mod files;
mod fits;
mod focus;
mod graph_opening;
mod graphs;
mod kept;
mod lasting;
mod map;
mod model;
mod opened;
mod past;
mod place;
mod plans;
mod published;
mod pursuit;
mod ribbons;
mod session;
mod snapshots;
mod steps;
mod store;
mod values;

pub use address::{query_of, query_of_scenario, query_of_two, query_of_widget, visit};
pub use certainty::follow_certainty;
pub use drawer::{Drawer, Given, Opened, use_drawer};
pub use files::{open_address, open_files};
pub use fits::{AxisSearch, Fits, Search};
pub use focus::{Focus, Lifetime, Target};
pub use kept::Kept;
pub use lasting::Lasting;
pub use map::MapSearch;
pub use model::change_model;
pub use opened::{asked_for, open_text, take_back, use_with_model};
pub use past::{Change, Past, Way};
pub use plans::{PlanSearch, Planned};
pub use published::open_published;
pub use ribbons::{AlongSlider, along_slider};
pub use session::{Session, last_session};
pub use steps::StepsSearch;
pub use store::{Draft, Ghost, Store, Undo, use_store};
pub use values::Values;

use crate::browser;
use crate::codec::Theme;
use crate::text::Word;
use address::Opening;
use engine::Answer;
use leptos::prelude::*;

/// Shows `page` in place of the skeleton, once the parts of the program are there that the page's link needs. It finds
/// the [`Store`] by [`use_store`]. In a thread beside the page's it makes estimates instead.
pub fn start<V: IntoView + 'static>(page: impl FnOnce() -> V + 'static) {
    browser::with_parts_of_link(|| {
        if browser::is_worker() {
            estimates::serve();
        } else {
            open(page);
        }
    });
}

/// Reads the address, makes the first estimate and shows the page, each in a task of its own: between them the browser
/// scrolls, and answers what the reader does.
fn open<V: IntoView + 'static>(page: impl FnOnce() -> V + 'static) {
    let opening = address::read(&browser::query());
    browser::report_failures(Word::Broken.text(opening.language));
    browser::in_a_task(move || {
        let first = Answer::to(&opening.scenario);
        browser::in_a_task(move || show(page, opening, first));
    });
}

fn show<V: IntoView + 'static>(
    page: impl FnOnce() -> V + 'static,
    opening: Opening,
    first: Answer,
) {
    if let Some(theme) = opening.theme {
        browser::set_root("theme", theme.name());
    }
    if opening.embedded {
        browser::set_root("embedded", "");
    }
    mount_to_body(move || {
        let store = Store::new(opening);
        provide_context(store);
        estimates::on_broken_off(move |scenario| store.broke_off.set(Some(scenario.clone())));
        engine::follow(store, first);
        background::follow(store);
        closely::follow(store);
        kept::follow(store);
        follow_appearance(store);
        if store.embedded {
            browser::follow_height();
        } else {
            address::follow(store);
        }
        Effect::new(move |_| {
            let language = store.language.get();
            browser::set_language(language.tag(), Word::Title.text(language));
        });
        window_event_listener(leptos::ev::keydown, move |event| {
            if event.key() == "Escape" {
                store.focus.clear();
            }
        });
        page()
    });
    browser::remove_skeleton();
}

/// Canvases do not follow style sheets: they are told when the system's colours change.
fn follow_appearance(store: Store) {
    browser::on_appearance_change(move || {
        let dark = store.theme.map(|theme| theme == Theme::Dark);
        let now = browser::appearance(dark);
        if store.appearance.get_untracked() != now {
            store.appearance.set(now);
        }
    });
}

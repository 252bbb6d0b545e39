//! The figures' theme for the reader's appearance, and their words in the reader's language.

use crate::app::{Store, Target};
use crate::browser::{self, Appearance};
use crate::chart::{Highlight, Rgb, Theme, Unit};
use crate::text::{ByteUnits, FigureWords};
use leptos::prelude::*;

/// The theme for an appearance.
pub(super) fn theme_for(appearance: &Appearance) -> Theme {
    match appearance.forced {
        Some(forced) => Theme::forced(
            Rgb::hex(forced.ground),
            Rgb::hex(forced.ink),
            Rgb::hex(forced.accent),
        ),
        None if appearance.dark => Theme::dark(),
        None => Theme::light(),
    }
}

/// Gives style sheets the figures' colours and textures, and keeps them up to date.
pub(super) fn share_inks(store: Store) {
    let share = |appearance: &Appearance| {
        browser::set_root_style(&theme_for(appearance).custom_properties());
    };
    store.appearance.with_untracked(share);
    Effect::new(move |opened: Option<()>| {
        store.appearance.track();
        if opened.is_some() {
            store.appearance.with_untracked(share);
        }
    });
}

/// The highlight of the figures.
pub(super) fn highlight(store: Store) -> Highlight {
    match store.focus.broadly() {
        Some(Target::Category(category)) => Highlight::Category(category),
        Some(Target::Phase(phase)) => Highlight::Phase(phase),
        Some(Target::Other(_) | Target::Host(_) | Target::Tensor(_)) | None => Highlight::None,
    }
}

/// The figures' unit.
pub(super) const fn unit(units: ByteUnits) -> Unit {
    match units {
        ByteUnits::Binary => Unit::Binary,
        ByteUnits::Decimal => Unit::Decimal,
    }
}

/// The figures' words in the reader's language.
pub(super) fn words(store: Store) -> FigureWords {
    FigureWords {
        language: store.language.get(),
        units: store.units.get(),
    }
}

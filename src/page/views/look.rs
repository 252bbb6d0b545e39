//! The figures' theme for the reader's appearance, and their words in the reader's language.

use crate::app::{Store, Target};
use crate::browser::{self, Appearance};
use crate::chart::{Highlight, Rgb, Theme, Unit, Words};
use crate::decide::Sharding;
use crate::report::Switch;
use crate::sim::Phase;
use crate::tape::Category;
use crate::text::{
    ByteUnits, Language, Scale, Term, Word, amount, difference, rank_name, switch_sentence,
};
use crate::units::Bytes;
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

/// What the figures highlight.
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

/// The figures' words in one language.
#[derive(Clone, Copy)]
pub(super) struct FigureWords {
    /// The language.
    pub language: Language,
    /// GiB or GB.
    pub units: ByteUnits,
}

impl FigureWords {
    /// The reader's.
    pub fn of(store: Store) -> Self {
        Self {
            language: store.language.get(),
            units: store.units.get(),
        }
    }
}

impl Words for FigureWords {
    fn phase(&self, phase: Phase) -> &str {
        phase.term(self.language)
    }

    fn phase_short(&self, phase: Phase) -> &str {
        crate::text::phase_short(phase, self.language)
    }

    fn category(&self, category: Category) -> &str {
        category.term(self.language)
    }

    fn peak(&self) -> &str {
        Word::Peak.text(self.language)
    }

    fn capacity(&self) -> &str {
        Word::Usable.text(self.language)
    }

    fn beyond(&self) -> &str {
        Word::DoesNotFit.text(self.language)
    }

    fn allocated(&self) -> &str {
        Word::AllocatedShort.text(self.language)
    }

    fn reserved(&self) -> &str {
        Word::ReservedShort.text(self.language)
    }

    fn device_total(&self) -> &str {
        Word::DeviceTotal.text(self.language)
    }

    fn step(&self, first: bool) -> &str {
        let word = if first {
            Word::FirstStep
        } else {
            Word::SteadyStep
        };
        word.text(self.language)
    }

    fn micro_batch_size(&self) -> &str {
        crate::text::setting_name("micro_batch_size", self.language)
    }

    fn largest_fitting(&self, micro_batch_size: u64) -> String {
        crate::text::fits_up_to(micro_batch_size, self.language)
    }

    fn program_order(&self) -> &str {
        Word::ProgramOrder.text(self.language)
    }

    fn switch(&self, switch: &Switch) -> String {
        switch_sentence(switch, self.language)
    }

    fn rank(&self, rank: usize) -> String {
        rank_name(rank, self.language)
    }

    fn in_flight(&self, micro_batches: u64) -> String {
        crate::text::in_flight(micro_batches, self.language)
    }

    fn sharding(&self, sharding: Sharding) -> &str {
        crate::text::sharding_name(sharding)
    }

    fn gpus(&self) -> &str {
        Word::GpusAxis.text(self.language)
    }

    fn floor(&self, bytes: Bytes) -> String {
        crate::text::floor_name(bytes, self.units, self.language)
    }

    fn amount(&self, bytes: Bytes) -> String {
        amount(bytes, self.units)
    }

    fn number(&self, bytes: Bytes) -> String {
        let scale = Scale::new(bytes, self.units);
        scale.number(bytes)
    }

    fn change(&self, from: Bytes, to: Bytes) -> String {
        difference(from, to, self.units)
    }
}

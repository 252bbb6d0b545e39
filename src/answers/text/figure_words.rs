//! The words in figures.

use super::{
    ByteUnits, Language, Scale, Term, Word, amount, difference, fits_up_to, floor_name, in_flight,
    rank_name, setting_name, sharding_name, switch_sentence,
};
use crate::chart::Words;
use crate::decide::Sharding;
use crate::report::Switch;
use crate::sim::Phase;
use crate::tape::Category;
use crate::units::Bytes;

/// The figures' words in one language.
#[derive(Clone, Copy)]
pub struct FigureWords {
    /// The language.
    pub language: Language,
    /// GiB or GB.
    pub units: ByteUnits,
}

impl Words for FigureWords {
    fn phase(&self, phase: Phase) -> &str {
        phase.term(self.language)
    }

    fn phase_short(&self, phase: Phase) -> &str {
        super::phase_short(phase, self.language)
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
        setting_name("micro_batch_size", self.language)
    }

    fn largest_fitting(&self, micro_batch_size: u64) -> String {
        fits_up_to(micro_batch_size, self.language)
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
        in_flight(micro_batches, self.language)
    }

    fn sharding(&self, sharding: Sharding) -> &str {
        sharding_name(sharding)
    }

    fn gpus(&self) -> &str {
        Word::GpusAxis.text(self.language)
    }

    fn floor(&self, bytes: Bytes) -> String {
        floor_name(bytes, self.units, self.language)
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

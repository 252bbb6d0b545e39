//! How figures are to look and speak: theme, words, unit and highlight.

use super::number::Unit;
use super::theme::{Ink, Theme};
use crate::decide::Sharding;
use crate::report::Switch;
use crate::sim::Phase;
use crate::tape::Category;
use crate::units::Bytes;

/// The element that the reader points at; everything else recedes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Highlight {
    /// Nothing in particular.
    #[default]
    None,
    /// A category, in every phase.
    Category(Category),
    /// A phase, with all its categories.
    Phase(Phase),
}

/// The words and numbers in figures. Figures have none of their own.
pub trait Words {
    /// A phase's name, for example "Optimizer step".
    fn phase(&self, phase: Phase) -> &str;
    /// The phase for a narrow place, for example "Optim.".
    fn phase_short(&self, phase: Phase) -> &str;
    /// A category's name, for example "Activations".
    fn category(&self, category: Category) -> &str;
    /// "peak", before a size.
    fn peak(&self) -> &str;
    /// The name of the capacity line, before a size: "usable".
    fn capacity(&self) -> &str;
    /// The zone above the capacity: "does not fit".
    fn beyond(&self) -> &str;
    /// "allocated", before a size.
    fn allocated(&self) -> &str;
    /// "reserved", before a size.
    fn reserved(&self) -> &str;
    /// A step's heading; `first` tells the step in which optimizer states appear from a steady one.
    fn step(&self, first: bool) -> &str;
    /// Title of the batch axis: "micro-batch size".
    fn micro_batch_size(&self) -> &str;
    /// The name of the line of everything on the device: "total (nvidia-smi)".
    fn device_total(&self) -> &str;
    /// The largest batch size that fits: "12 fits".
    fn largest_fitting(&self, micro_batch_size: u64) -> String;
    /// Title of the timeline's horizontal axis: "program order".
    fn program_order(&self) -> &str;
    /// The meaning of a crossing: "from micro-batch 6 on, backward binds".
    fn switch(&self, switch: &Switch) -> String;
    /// A rank's name: "rank 3".
    fn rank(&self, rank: usize) -> String;
    /// How many micro-batches a rank of a pipeline holds at most: "4 in flight".
    fn in_flight(&self, micro_batches: u64) -> String;
    /// The name of a sharding: "FSDP2".
    fn sharding(&self, sharding: Sharding) -> &str;
    /// Title of the axis of numbers of GPUs: "GPUs".
    fn gpus(&self) -> &str;
    /// The bytes that do not shrink with more GPUs: "5.1 GiB stay".
    fn floor(&self, bytes: Bytes) -> String;
    /// A size with its unit: "24.7 GiB".
    fn amount(&self, bytes: Bytes) -> String;
    /// The bytes without their unit: "24.7".
    fn number(&self, bytes: Bytes) -> String;
    /// A change with its sign: "+1.20 GiB".
    fn change(&self, from: Bytes, to: Bytes) -> String;
}

/// Everything about a drawing that is not its data.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// Colours and sizes.
    pub theme: &'a Theme,
    /// Words in the reader's language.
    pub words: &'a dyn Words,
    /// GiB or GB.
    pub unit: Unit,
    /// The element that the reader points at.
    pub highlight: Highlight,
}

impl Look<'_> {
    /// The ink of a category within a phase, dimmed when something else is highlighted.
    pub(super) fn ink(&self, category: Category, phase: Option<Phase>) -> Ink {
        let ink = self.theme.category(category);
        let lit = match self.highlight {
            Highlight::None => true,
            Highlight::Category(of) => of == category,
            Highlight::Phase(of) => phase.is_none_or(|phase| of == phase),
        };
        if lit { ink } else { self.theme.dimmed(ink) }
    }

    /// Whether a phase is not dimmed.
    pub(super) fn lit(&self, phase: Phase) -> bool {
        !matches!(self.highlight, Highlight::Phase(of) if of != phase)
    }
}

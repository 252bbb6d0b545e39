//! A run looked at closely: stretches of its timeline in full, and the tensors of a moment.

use super::Timeline;
use super::phases::rounded;
use super::rank_run::of_binding_rank;
use super::watch::watched;
use crate::ask::Scenario;
use crate::model::ResolvedSpec;
use crate::sim::{Event, Trace, simulate_in_detail};
use crate::tape::Category;
use crate::units::{Bytes, DType, Shape};
use std::ops::Range;

/// A run with everything that is known of it. It takes as long as an estimate, and megabytes while
/// it is held: make it when somebody looks closely.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    spec: ResolvedSpec,
    trace: Trace,
}

/// A tensor that is alive at some moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveTensor {
    /// Its storage.
    pub storage: u32,
    /// Its bytes, rounded to the allocator's 512.
    pub bytes: Bytes,
    /// Its purpose.
    pub category: Category,
    /// The operation that made it, by its ATen name.
    pub op: &'static str,
    /// The module in which it was made, as in `model.layers.3.mlp`; empty outside of the model.
    pub module: String,
    /// Its shape and type, where it was made as a tensor.
    pub shape: Option<(Shape, DType)>,
    /// The event that allocates it.
    pub born: u32,
    /// The event that frees it; one past the last when it outlives the run.
    pub freed: u32,
}

/// The operation of the last allocation before some moment. When a tensor is freed then, it is the last that could
/// need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastUse {
    /// The operation whose result was allocated last before that, by its `ATen` name.
    pub op: &'static str,
    /// Its module; empty outside of the model.
    pub module: String,
}

impl Detail {
    /// Runs a scenario; nothing for one without an answer.
    pub fn of(scenario: &Scenario) -> Option<Self> {
        let spec = of_binding_rank(crate::resolve::resolve(scenario).spec?);
        let trace = simulate_in_detail(&spec);
        (!trace.marks.is_empty()).then_some(Self { spec, trace })
    }

    /// The timeline with the events `start..end` in full, or as fully as a drawing can show them.
    pub fn timeline(&self, window: Range<u32>) -> Timeline {
        watched(&self.spec, &self.trace, Some(window)).timeline
    }

    /// Tensors that are alive right after an event, the largest first, and equal ones in the order in which
    /// they were made.
    pub fn tensors_at(&self, event: u32) -> Vec<LiveTensor> {
        let end = u32::try_from(self.trace.event_count()).unwrap_or(u32::MAX);
        // Of each storage the life that the event falls into, or the one before it.
        let mut lives = vec![(end, end); self.trace.record.storage_count()];
        for (at, of) in (0u32..).zip(self.trace.events()) {
            match of {
                Event::Alloc(id) if at <= event => lives[id as usize] = (at, end),
                Event::Free(id) => {
                    let (born, freed) = &mut lives[id as usize];
                    if *born <= event && *freed == end {
                        *freed = at;
                    }
                }
                Event::Alloc(_) | Event::Mark(_) | Event::EmptyCache | Event::Wait(_) => {}
            }
        }
        let mut tensors: Vec<LiveTensor> = (0u32..)
            .zip(&lives)
            .filter(|(_, (born, freed))| *born <= event && event < *freed)
            .filter_map(|(id, &(born, freed))| self.tensor(id, born, freed))
            .collect();
        tensors.sort_by(|a, b| b.bytes.cmp(&a.bytes).then(a.born.cmp(&b.born)));
        tensors
    }

    /// The operation that ran when something was freed; `None` where it outlives the run.
    pub fn last_use(&self, freed: u32) -> Option<LastUse> {
        let freed = usize::try_from(freed).ok()?;
        if freed >= self.trace.event_count() {
            return None;
        }
        self.last_before(freed)
    }

    /// The last allocation up to an event, within its phase.
    pub fn last_made(&self, event: u32) -> Option<LastUse> {
        self.last_before(usize::try_from(event).ok()?.saturating_add(1))
    }

    /// The last allocation in the first `events` events, within the phase that they end in.
    fn last_before(&self, events: usize) -> Option<LastUse> {
        let mut last = None;
        for event in self.trace.events().take(events) {
            match event {
                Event::Alloc(id) => last = Some(id),
                // Nothing of the phase before needs it any more.
                Event::Mark(_) => last = None,
                Event::Free(_) | Event::EmptyCache | Event::Wait(_) => {}
            }
        }
        let id = last?;
        let storage = self.trace.record.storage(id)?;
        Some(LastUse {
            op: self.trace.op(id),
            module: self.trace.module(&storage),
        })
    }

    fn tensor(&self, id: u32, born: u32, freed: u32) -> Option<LiveTensor> {
        let storage = self.trace.record.storage(id)?;
        Some(LiveTensor {
            storage: id,
            bytes: Bytes(rounded(storage.bytes)),
            category: storage.category,
            op: self.trace.op(id),
            module: self.trace.module(&storage),
            shape: self.trace.shape(id),
            born,
            freed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::estimate;

    #[test]
    fn the_tensors_at_the_peak_add_up_to_its_composition() {
        let scenario = Scenario::default();
        let timeline = estimate(&scenario).expect("an answer").timeline;
        let peak = timeline.points[timeline.peak];
        let detail = Detail::of(&scenario).expect("an answer");
        let tensors = detail.tensors_at(peak.event);
        for &category in Category::ALL {
            let of = tensors.iter().filter(|t| t.category == category);
            let sum: Bytes = of.map(|t| t.bytes).sum();
            assert_eq!(sum, peak.composition.get(category), "{category:?}");
        }
        assert!(tensors.is_sorted_by(|a, b| a.bytes >= b.bytes));
    }

    #[test]
    fn what_backward_needs_lives_until_the_operation_that_needs_it_last() {
        let scenario = Scenario {
            micro_batch_size: 16,
            ..Scenario::default()
        };
        let detail = Detail::of(&scenario).expect("an answer");
        let timeline = estimate(&scenario).expect("an answer").timeline;
        let tensors = detail.tensors_at(timeline.points[timeline.peak].event);
        let mut activations = tensors.iter();
        let of_a_layer = activations
            .find(|t| t.category == Category::Activations && t.module.contains("layers.3.mlp"))
            .expect("an activation");
        let last = detail.last_use(of_a_layer.freed).expect("a last use");
        assert!(last.module.contains("layers.3."), "{last:?}");
        let parameter = tensors.iter().find(|t| t.category == Category::Parameters);
        let parameter = parameter.expect("there are parameters");
        assert_eq!(
            detail.last_use(parameter.freed),
            None,
            "it outlives the run"
        );
    }

    #[test]
    fn a_parameter_is_known_by_its_module_shape_and_type_and_lives_through_the_run() {
        let scenario = Scenario::default();
        let detail = Detail::of(&scenario).expect("an answer");
        let timeline = estimate(&scenario).expect("an answer").timeline;
        let tensors = detail.tensors_at(timeline.points[timeline.peak].event);
        let embedding = tensors
            .iter()
            .find(|t| t.category == Category::Parameters)
            .expect("there are parameters");
        let (shape, dtype) = embedding.shape.expect("it was made as a tensor");
        assert_eq!(
            (shape.dims(), dtype),
            (&[151_936, 1536][..], DType::Float32)
        );
        assert_eq!(embedding.freed as usize, detail.trace.event_count());
        let numel = |t: &LiveTensor| t.shape.map(|(shape, dtype)| shape.numel() * dtype.size());
        for tensor in &tensors {
            let own = numel(tensor).unwrap_or(tensor.bytes.get());
            assert_eq!(own.next_multiple_of(512), tensor.bytes.get(), "{tensor:?}");
        }
    }

    #[test]
    fn the_shapes_change_no_event() {
        let spec = crate::resolve::resolve(&Scenario::default())
            .spec
            .expect("a spec");
        let plain = crate::sim::simulate(&spec);
        assert!(plain.events().eq(simulate_in_detail(&spec).events()));
    }
}

//! The report: the JSON contract of what Highwater says.

use super::Other;
use crate::ask::{Finding, Place};
use crate::host::HostEstimate;
use crate::sim::Phase;
use crate::tape::{Category, Collective, Pass, Work};
use crate::units::{Bytes, names};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// Bytes by category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Composition([u64; Category::ALL.len()]);

impl Composition {
    /// Bytes of one category.
    pub fn get(&self, category: Category) -> Bytes {
        Bytes(self.0[category as usize])
    }

    /// Adds to one category; bytes are taken away by adding a negative number, so sums wrap.
    pub fn change(&mut self, category: Category, bytes: u64) {
        let of = &mut self.0[category as usize];
        *of = of.wrapping_add(bytes);
    }

    /// The sum of each category.
    pub(super) fn wrapping_add(mut self, change: &Self) -> Self {
        for (of, change) in self.0.iter_mut().zip(&change.0) {
            *of = of.wrapping_add(*change);
        }
        self
    }

    /// The parts that are not zero, in the order of [`Category::ALL`].
    pub fn parts(&self) -> impl Iterator<Item = (Category, Bytes)> + '_ {
        Category::ALL
            .iter()
            .map(|&c| (c, self.get(c)))
            .filter(|(_, bytes)| bytes.get() > 0)
    }

    /// Sum of the parts.
    pub fn total(&self) -> Bytes {
        Bytes(self.0.iter().sum())
    }
}

impl Serialize for Composition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            self.parts()
                .map(|(category, bytes)| (category.name(), bytes)),
        )
    }
}

impl<'de> Deserialize<'de> for Composition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts: BTreeMap<Category, Bytes> = Deserialize::deserialize(deserializer)?;
        let mut all = Self::default();
        for (category, bytes) in parts {
            all.change(category, bytes.get());
        }
        Ok(all)
    }
}

/// A composition as bytes of each category, in the order of [`Category::ALL`]: for many of them.
mod of_each_category {
    use super::Composition;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    pub fn serialize<S: Serializer>(of: &Composition, serializer: S) -> Result<S::Ok, S::Error> {
        of.0.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Composition, D::Error> {
        Deserialize::deserialize(deserializer).map(Composition)
    }
}

/// Memory of a phase at its peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseReport {
    /// The phase.
    pub phase: Phase,
    /// Live storages, each rounded to the allocator's 512 bytes.
    pub peak_tensor: Bytes,
    /// `torch.cuda.max_memory_allocated()` over the phase.
    pub peak_allocated: Bytes,
    /// `torch.cuda.max_memory_reserved()` over the phase.
    pub peak_reserved: Bytes,
    /// The parts of `peak_tensor`.
    pub composition: Composition,
}

/// One step: its phases in program order and the phase that needs most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepReport {
    /// Phases in program order, micro-batches taken together.
    pub phases: Vec<PhaseReport>,
    /// The binding phase.
    pub peak: PhaseReport,
}

/// Floating-point operations of a rank in a step: of matrix products, convolutions and attention kernels, masks and
/// windows not taken off. Kernels of linear attention and state spaces, and elementwise operations do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compute {
    /// Operations of the forward pass.
    pub forward: u64,
    /// Operations of the backward pass.
    pub backward: u64,
    /// Operations that the backward pass repeats: those of checkpointed layers, and scores within attention kernels.
    pub recompute: u64,
}

impl Compute {
    /// The counts of a trace.
    pub(super) fn of(work: &Work) -> Self {
        let [forward, backward, recompute] =
            [Pass::Forward, Pass::Backward, Pass::Recompute].map(|pass| work.computed(pass));
        Self {
            forward,
            backward,
            recompute,
        }
    }

    /// Floating-point operations of all passes.
    pub fn total(&self) -> u64 {
        [self.backward, self.recompute]
            .into_iter()
            .fold(self.forward, u64::saturating_add)
    }
}

/// Bytes that a rank sends in a step, by collective, in rings ([`Work`]): of parameters, gradients and
/// activations; single numbers, flags and buffers do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Communication(pub(super) Work);

impl Communication {
    /// Bytes of one collective.
    pub fn get(&self, collective: Collective) -> Bytes {
        Bytes(self.0.sent(collective))
    }

    /// Bytes of all collectives.
    pub fn total(&self) -> Bytes {
        Collective::ALL.iter().map(|&all| self.get(all)).sum()
    }

    fn is_none(&self) -> bool {
        self.total() == Bytes::ZERO
    }
}

impl Serialize for Communication {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parts = Collective::ALL
            .iter()
            .map(|&all| (all.name(), self.get(all)));
        serializer.collect_map(parts.filter(|(_, bytes)| *bytes > Bytes::ZERO))
    }
}

impl<'de> Deserialize<'de> for Communication {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts: BTreeMap<Collective, Bytes> = Deserialize::deserialize(deserializer)?;
        let parts = parts.into_iter();
        Ok(Self(parts.map(|(all, bytes)| (all, bytes.get())).collect()))
    }
}

/// The device's side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceReport {
    /// The first step, in which optimizer states appear.
    pub first_step: StepReport,
    /// A steady step; with the longest batches where lengths differ.
    pub steady_step: StepReport,
    /// A steady step with batches of usual length, where lengths differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usual_step: Option<StepReport>,
    /// Peaks of the whole run of one process.
    pub run: RunReport,
    /// CUDA contexts and kernel images outside the allocator, of all processes on the device.
    pub context: Bytes,
    /// Bytes of the device that other programs hold.
    #[serde(skip_serializing_if = "is_none_held", default)]
    pub in_use: Bytes,
    /// Bytes that nvidia-smi shows at the peak: reserved plus context, all processes on the device, other programs'
    /// too.
    pub total: Bytes,
    /// Bytes of the device that programs can use.
    pub usable: Bytes,
    /// The device's name.
    pub name: String,
    /// Operations of the rank in a steady step.
    pub compute: Compute,
    /// Bytes that it sends in one; nothing where there is one rank.
    #[serde(skip_serializing_if = "Communication::is_none", default)]
    pub communication: Communication,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none_held(bytes: &Bytes) -> bool {
    *bytes == Bytes::ZERO
}

impl DeviceReport {
    /// The phase that needs most, of the first step and of a steady one.
    pub fn binding(&self) -> &PhaseReport {
        if self.first_step.peak.peak_tensor > self.steady_step.peak.peak_tensor {
            &self.first_step.peak
        } else {
            &self.steady_step.peak
        }
    }

    /// The phase of the device's total: the binding phase, or the phase before the first step where that one reserves
    /// more and the allocator need not give the memory back.
    pub fn highest(&self) -> &PhaseReport {
        let before = self.run.before.as_ref();
        let counts = |before: &&PhaseReport| before.peak_reserved + self.context <= self.total;
        before.filter(counts).unwrap_or_else(|| self.binding())
    }
}

/// Peaks of the whole run of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunReport {
    /// `torch.cuda.max_memory_allocated()`.
    pub peak_allocated: Bytes,
    /// `torch.cuda.max_memory_reserved()`.
    pub peak_reserved: Bytes,
    /// The model on its way to the device, before the first phase of a step, where that reserves more than any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<PhaseReport>,
}

names! {
    /// The two memories.
    Memory {
        /// The GPU's.
        Device = "device",
        /// The RAM of a node.
        Host = "host",
    }
}

/// The model's side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelReport {
    /// Name for people.
    pub name: String,
    /// Elements of all parameters.
    pub num_parameters: u64,
    /// Elements of the trained parameters.
    pub num_trainable: u64,
}

/// Whether something fits where it has to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fit {
    /// Bytes needed.
    pub needed: Bytes,
    /// Bytes there are.
    pub capacity: Bytes,
    /// Whether it fits.
    pub fits: bool,
}

impl Fit {
    /// Whether `needed` fits in `capacity`.
    pub fn new(needed: Bytes, capacity: Bytes) -> Self {
        Self {
            needed,
            capacity,
            fits: needed <= capacity,
        }
    }

    /// Whether it fits with less than a tenth of the capacity to spare: what other programs take, what NCCL and
    /// libraries hold outside of PyTorch, and longer samples than usual may then be too much.
    pub fn is_tight(&self) -> bool {
        self.fits && self.headroom().get() < self.capacity.get() / 10
    }

    /// Whether it fits with a tenth of the capacity to spare.
    pub fn is_roomy(&self) -> bool {
        self.fits && !self.is_tight()
    }

    /// Bytes to spare; zero when it does not fit.
    pub fn headroom(&self) -> Bytes {
        self.capacity - self.needed
    }

    /// Bytes missing; zero when it fits.
    pub fn shortfall(&self) -> Bytes {
        self.needed - self.capacity
    }
}

/// The answer in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether both sides fit, swap not counted as memory.
    pub fits: bool,
    /// The phase in which the device's peak comes.
    pub binding_phase: Phase,
    /// The device's side.
    pub device: Fit,
    /// The host's side, against RAM.
    pub host: Fit,
    /// Bytes that would go to swap on the host; zero when RAM is enough.
    pub swapped: Bytes,
}

/// Ranks that run the same, or GPUs with as many processes where each of them trains alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RankReport {
    /// The first of them in the job: ranks of tensor parallelism are numbered first, then those of context, of
    /// data and of pipeline parallelism (as torchtitan 0.2 and megatron-core 0.16 lay out their meshes).
    pub rank: u64,
    /// Its place along each axis.
    #[serde(flatten)]
    pub place: Place,
    /// How many there are of them.
    pub count: u64,
    /// The phase that needs most, of the first step and of a steady one.
    pub peak: PhaseReport,
    /// Bytes that nvidia-smi shows of its device.
    pub total: Bytes,
    /// Processes on its GPU, where GPUs differ in that: jobs of their own, of which `peak` is one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// Bytes of the device that programs can use.
    pub usable: Bytes,
    /// Whether it fits.
    pub fits: bool,
}

impl RankReport {
    /// Bytes to spare on its device; zero when it does not fit.
    pub fn headroom(&self) -> Bytes {
        self.usable - self.total
    }

    /// Bytes missing on its device; zero when it fits.
    pub fn shortfall(&self) -> Bytes {
        self.total - self.usable
    }

    /// The share of its device that it takes, at most 1.
    pub fn share(&self) -> f64 {
        (self.total.get() as f64 / self.usable.get().max(1) as f64).min(1.0)
    }
}

/// Everything Highwater says of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The model.
    pub model: ModelReport,
    /// Samples an optimizer step sees over all devices.
    pub global_batch_size: u64,
    /// GPU memory.
    pub device: DeviceReport,
    /// Host RAM.
    pub host: HostEstimate,
    /// The answer in one line.
    pub verdict: Verdict,
    /// Answers of other tools' formulas.
    pub others: Vec<Other>,
    /// The job's ranks that differ, in descending order of memory; empty where there is one rank, or where ranks were
    /// not estimated.
    #[serde(skip_serializing_if = "Vec::is_empty", skip_deserializing)]
    pub ranks: Vec<RankReport>,
    /// Findings about the scenario; room `text` writes them.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

/// Memory at one event of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelinePoint {
    /// Index of the event.
    pub event: u32,
    /// Live storages by category.
    #[serde(with = "of_each_category")]
    pub composition: Composition,
    /// `torch.cuda.memory_allocated()`.
    pub allocated: Bytes,
    /// `torch.cuda.memory_reserved()`.
    pub reserved: Bytes,
}

/// A phase's place in the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseSpan {
    /// Step, from 0.
    pub step: u32,
    /// Micro-batch, from 0.
    pub micro_batch: u32,
    /// The phase.
    pub phase: Phase,
    /// First event.
    pub start: u32,
    /// One past the last event.
    pub end: u32,
}

/// Memory over program order, thinned to as many points as a drawing can show. Thinning keeps the highest
/// point of each stretch, so that peaks stay exact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// Points by event.
    pub points: Vec<TimelinePoint>,
    /// Phases in program order.
    pub spans: Vec<PhaseSpan>,
    /// Index in `points` of the highest.
    pub peak: usize,
}

impl Timeline {
    /// The first moment of a phase at which so much is live.
    pub fn reaches(&self, phase: Phase, live: Bytes) -> Option<u32> {
        let of_phase = self.spans.iter().filter(|span| span.phase == phase);
        let within = |event: u32| {
            of_phase
                .clone()
                .any(|span| (span.start..span.end).contains(&event))
        };
        let mut points = self.points.iter();
        let reached = points.find(|point| point.composition.total() == live && within(point.event));
        reached.map(|point| point.event)
    }
}

/// One batch size of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SweepPoint {
    /// Samples per forward pass.
    pub micro_batch_size: u64,
    /// `peak_tensor` of each phase of the steady step.
    pub phases: Vec<(Phase, Bytes)>,
    /// The binding phase.
    pub binding: Phase,
    /// Bytes that nvidia-smi would show.
    pub total: Bytes,
    /// Bytes of the device that programs can use.
    #[serde(skip)]
    pub usable: Bytes,
    /// Whether it fits the device.
    pub fits: bool,
}

/// The binding phase changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Switch {
    /// The first batch size at which `to` binds.
    pub micro_batch_size: u64,
    /// The phase that bound before.
    pub from: Phase,
    /// The phase that binds from here on.
    pub to: Phase,
}

/// Peak per phase against batch size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sweep {
    /// Points in the order of the batch size.
    pub points: Vec<SweepPoint>,
    /// Changes of the binding phase, exact to one sample.
    pub switches: Vec<Switch>,
    /// The largest batch size that fits the device and the host; nothing where none does.
    pub largest_fitting: Option<u64>,
}

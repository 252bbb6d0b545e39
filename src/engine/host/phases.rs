//! Putting it together: parts of a rank, parts of a node, phases, the peak.

use super::estimate::{HostEstimate, HostPart, HostPhase, HostPhaseUse, PageCachePart};
use super::growth::growth;
use super::job::{HostInputs, HostJob};
use super::libraries::{self, Process};
use super::{dataset, facts, loader, model};
use crate::model::ResolvedSpec;
use crate::units::Bytes;

/// The most ranks that are listed one by one; totals count all.
pub const MAX_LISTED_RANKS: u64 = 1_024;

/// Host memory of one node of a training run.
pub fn estimate(spec: &ResolvedSpec, inputs: &HostInputs) -> HostEstimate {
    estimate_job(&HostJob::new(spec, inputs))
}

/// Host memory of one node for a job of plain facts.
pub fn estimate_job(job: &HostJob) -> HostEstimate {
    let evaluates = job.evaluation.is_some();
    let phases: Vec<Phase> = HostPhase::ALL
        .iter()
        .filter(|&&phase| evaluates || phase != HostPhase::Evaluation)
        .map(|&phase| Phase::new(job, phase))
        .collect();
    // Later phases win ties, so that the peak is where memory stays high.
    let peak = phases
        .iter()
        .max_by_key(|phase| phase.node.total())
        .expect("HostPhase::ALL is not empty");
    let page_cache_parts = page_cache(job);
    let parts = |job: &HostJob, phase| Phase::new(job, phase).node.0;
    HostEstimate {
        rank: peak.rank.listed(),
        shared: peak.shared.listed(),
        saving: (peak.savers, peak.saver),
        growth: growth(job, peak.name, parts),
        peak: peak.node.phase_use(peak.name),
        per_rank: peak.per_rank(job.ranks),
        phases: phases.iter().map(|p| p.node.phase_use(p.name)).collect(),
        page_cache: page_cache_parts.iter().map(|(_, bytes)| *bytes).sum(),
        page_cache_parts,
    }
}

/// Bytes by part.
#[derive(Clone, Copy, Debug, Default)]
struct Parts([Bytes; HostPart::ALL.len()]);

impl Parts {
    fn add(&mut self, part: HostPart, bytes: Bytes) {
        self.0[part as usize] += bytes;
    }

    fn add_times(&mut self, other: &Self, count: u64) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs.times(count);
        }
    }

    /// Adds a data loader whose forked workers inherit `parent` bytes; returns the bytes that it keeps in its own
    /// process.
    fn add_loader(&mut self, job: &HostJob, parent: Bytes) -> Bytes {
        let loader = loader::loader(job, parent);
        self.add(HostPart::Dataset, loader.fetching);
        self.add(HostPart::Workers, loader.workers);
        self.add(HostPart::PrefetchedBatches, loader.batches);
        self.add(HostPart::PinnedMemory, loader.pinned);
        self.add(HostPart::PageTables, loader.tables);
        loader.fetching
    }

    fn total(&self) -> Bytes {
        self.0.iter().copied().sum()
    }

    fn phase_use(&self, phase: HostPhase) -> HostPhaseUse {
        HostPhaseUse {
            phase,
            total: self.total(),
            composition: self.listed(),
        }
    }

    /// The parts that are not zero, in their order.
    fn listed(&self) -> Vec<(HostPart, Bytes)> {
        let parts = HostPart::ALL.iter().copied().zip(self.0);
        parts.filter(|(_, bytes)| *bytes > Bytes::ZERO).collect()
    }
}

/// One phase of a node.
struct Phase {
    name: HostPhase,
    /// Parts of every rank.
    rank: Parts,
    /// Memory beside each rank that saves, or reads for the others.
    saver: Bytes,
    /// How many do.
    savers: u64,
    /// Parts of the node.
    shared: Parts,
    /// Everything.
    node: Parts,
}

impl Phase {
    fn new(job: &HostJob, phase: HostPhase) -> Self {
        let rank = rank_parts(job, phase);
        let savers = job.jobs.min(job.ranks);
        let saver = match phase {
            HostPhase::Save => model::saving(job),
            HostPhase::Load if job.first_reads => {
                let read = model::loading(job);
                read + loader::mapped(read)
            }
            HostPhase::Load | HostPhase::Steady | HostPhase::Evaluation => Bytes::ZERO,
        };
        let shared = shared_parts(job, phase);
        let mut node = shared;
        node.add_times(&rank, job.ranks);
        node.add(phase.of_few(), saver.times(savers));
        Self {
            name: phase,
            rank,
            saver,
            savers,
            shared,
            node,
        }
    }

    /// Each rank's memory; the first ones save, or read.
    fn per_rank(&self, ranks: u64) -> Vec<Bytes> {
        let each = self.rank.total();
        (0..ranks.min(MAX_LISTED_RANKS))
            .map(|rank| {
                if rank < self.savers {
                    each + self.saver
                } else {
                    each
                }
            })
            .collect()
    }
}

/// Parts that the node has once: file-backed pages, launchers, all other programs.
fn shared_parts(job: &HostJob, phase: HostPhase) -> Parts {
    let mut parts = Parts::default();
    if job.ranks > 0 {
        let libraries = process(job, phase).shared;
        parts.add(HostPart::SharedLibraries, libraries);
        if job.cuda {
            parts.add(HostPart::SharedLibraries, facts::CUDA_SHARED.bytes());
        }
    }
    if job.launcher {
        let launchers = facts::LAUNCHER_PRIVATE.each(job.jobs);
        parts.add(HostPart::OtherProcesses, launchers);
        parts.add(HostPart::PageTables, facts::LAUNCHER_TABLES.each(job.jobs));
    }
    parts.add(HostPart::OtherProcesses, job.other_memory);
    parts
}

/// The libraries of a rank: the optimizer's are loaded when training goes on.
fn process(job: &HostJob, phase: HostPhase) -> Process {
    libraries::process(job.libraries, job.optimizer && phase != HostPhase::Load)
}

/// Parts of each rank alone in a phase, with its workers.
fn rank_parts(job: &HostJob, phase: HostPhase) -> Parts {
    let mut parts = Parts::default();
    let process = process(job, phase);
    parts.add(HostPart::Libraries, process.private);
    parts.add(HostPart::PageTables, process.tables);
    if job.cuda {
        let context = facts::CUDA_PRIVATE.bytes() + facts::CUDA_MAPPED.bytes();
        parts.add(HostPart::CudaContext, context);
    }
    let tokenizer = libraries::tokenizer(job.tokenizer, job.vocab_size);
    let reading = phase == HostPhase::Load;
    let data = dataset::live(&job.dataset) + dataset::left_by_reading(&job.dataset, reading);
    parts.add(HostPart::Tokenizer, tokenizer);
    parts.add(HostPart::Dataset, data);
    match phase {
        HostPhase::Load => {
            let loading = if job.first_reads {
                Bytes::ZERO
            } else {
                model::loading(job)
            };
            parts.add(HostPart::ModelLoading, loading);
            parts.add(
                HostPart::PageTables,
                loader::mapped(tokenizer + data + loading),
            );
        }
        HostPhase::Steady | HostPhase::Evaluation | HostPhase::Save => {
            let order = if job.loader.shuffle {
                dataset::order(&job.dataset, job.world_size)
            } else {
                Bytes::ZERO
            };
            let left = model::left_by_loading(job);
            parts.add(HostPart::ModelLoading, left);
            let offloaded = job.offloaded.total();
            parts.add(HostPart::Offload, offloaded);
            parts.add(HostPart::Training, job.training);
            let own = tokenizer + data + left;
            let mut fetching = parts.add_loader(job, process.private + own);
            let mut predictions = Bytes::ZERO;
            if let Some(evaluation) = &job.evaluation
                && phase == HostPhase::Evaluation
            {
                predictions = evaluation.predictions;
                parts.add(HostPart::Predictions, predictions);
                fetching += parts.add_loader(&evaluation.loads(job), process.private + own);
            }
            parts.add(HostPart::Dataset, order);
            let tensors = offloaded + job.training + predictions;
            parts.add(
                HostPart::PageTables,
                loader::mapped(own + order + fetching + tensors),
            );
        }
    }
    parts
}

/// Files in the page cache beside it, in the end.
fn page_cache(job: &HostJob) -> Vec<(PageCachePart, Bytes)> {
    [
        (PageCachePart::Dataset, dataset::page_cache(&job.dataset)),
        (PageCachePart::Checkpoint, job.checkpoint_bytes),
        (PageCachePart::SavedFiles, model::saved_cache(job)),
    ]
    .into_iter()
    .filter(|(_, bytes)| *bytes > Bytes::ZERO)
    .collect()
}

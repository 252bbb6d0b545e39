//! `torch.utils.data.DataLoader`: its workers, the batches in flight, pinned memory.
//!
//! W is `num_workers`, P is `prefetch_factor`. W x P batches are in flight and the training
//! process holds one more (hostram 4: n = 60, within 0.03 MiB).

use super::job::HostJob;
use super::libraries::{self, Process};
use super::{cow, dataset, facts};
use crate::ask::MultiprocessingContext;
use crate::units::Bytes;

/// Memory that one training process's data loader adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Loader {
    /// Memory of fetching samples in the training process itself.
    pub fetching: Bytes,
    /// Private memory of all its workers.
    pub workers: Bytes,
    /// Batches in shared memory, or in the training process without workers.
    pub batches: Bytes,
    /// Pinned copies of batches.
    pub pinned: Bytes,
    /// Page tables of the workers, and those of the process that reads a mapped file.
    pub tables: Bytes,
}

/// The loader of each rank, once it is steady; `parent` is the private memory that a forked
/// worker inherits.
pub(super) fn loader(job: &HostJob, parent: Bytes) -> Loader {
    let workers = job.loader.num_workers;
    let batch = job.batch_bytes();
    let pinned_batch = pinned_batch(job);
    let fetching = dataset::kept_by_fetching(&job.dataset);
    let file_tables = mapped(dataset::mapped_file(&job.dataset));
    if workers == 0 {
        // The batch in use and the one being put together; pinning adds the same two.
        return Loader {
            fetching,
            batches: batch.times(2),
            pinned: pinned_batch.times(2),
            tables: file_tables,
            ..Loader::default()
        };
    }
    let in_flight = workers
        .saturating_mul(job.loader.prefetch_factor)
        .saturating_add(1);
    let queues = facts::SHM_FIXED.bytes() + facts::SHM_PER_WORKER.each(workers);
    let (batches, pinned) = if job.loader.pin_memory {
        // The pin thread empties the queue, so that the copies take the batches' place.
        (queues, pinned_batch.times(in_flight))
    } else {
        (queues + batch.times(in_flight), Bytes::ZERO)
    };
    let Worker {
        private: each,
        tables,
    } = worker(job, parent);
    Loader {
        fetching: Bytes::ZERO,
        workers: (each + fetching).times(workers),
        batches,
        pinned,
        tables: (tables + file_tables).times(workers),
    }
}

/// Memory of one worker.
struct Worker {
    /// Private memory.
    private: Bytes,
    /// Page tables.
    tables: Bytes,
}

fn worker(job: &HostJob, parent: Bytes) -> Worker {
    let batch = facts::FORK_WORKER_BATCH_PERMILLE.of(job.batch_bytes());
    match job.loader.multiprocessing_context {
        MultiprocessingContext::Fork => Worker {
            private: facts::FORK_WORKER.bytes() + batch + copied(job),
            tables: facts::FORK_WORKER_TABLES.bytes() + mapped(parent),
        },
        MultiprocessingContext::Spawn | MultiprocessingContext::Forkserver => {
            let Process {
                private, tables, ..
            } = libraries::process(job.libraries, false);
            let data = dataset::pickled(&job.dataset);
            Worker {
                private: private + facts::SPAWN_WORKER.bytes() + batch + data,
                tables: tables + mapped(data),
            }
        }
    }
}

/// Bytes that a forked worker copies by reading samples (see Note [Reading is writing]). Workers that
/// do not outlive an epoch start over with the next.
fn copied(job: &HostJob) -> Bytes {
    let sharers = job.loader.num_workers.saturating_mul(job.world_size);
    let epochs = if job.loader.persistent_workers {
        job.dataset.epochs
    } else {
        job.dataset.epochs.min(1)
    };
    dataset::object_groups(&job.dataset)
        .into_iter()
        .map(|group| cow::growth(group, sharers, epochs))
        .sum()
}

/// One batch in pinned memory: PyTorch's pinned allocator rounds each tensor up to a power of two
/// (torch 2.15 ATen/core/CachingHostAllocator.h).
fn pinned_batch(job: &HostJob) -> Bytes {
    if !job.loader.pin_memory {
        return Bytes::ZERO;
    }
    job.batch
        .iter()
        .map(|tensor| tensor.power_of_two_ceil())
        .sum()
}

/// Page tables for `bytes` of memory.
pub(super) fn mapped(bytes: Bytes) -> Bytes {
    Bytes(bytes.get() / facts::TABLE_SHARE.value)
}

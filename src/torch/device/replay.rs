//! Requests, run through the allocator.

#![allow(
    clippy::inline_always,
    reason = "half of an estimate is spent here, and the page is compiled for size"
)]

use super::allocator::{Allocator, OutOfMemory};
use super::blocks::BlockId;
use super::places::Places;
use super::settings::{Limit, Settings};
use crate::units::{Stream, Streams, Wait};
use serde::{Deserialize, Serialize};

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Storage `id` of `bytes` bytes is allocated; nothing happens for zero bytes.
    Alloc {
        /// The storage, from 0.
        id: u32,
        /// Bytes asked for.
        bytes: u64,
        /// The stream that it is for.
        stream: Stream,
        /// Other streams that use it: `record_stream`.
        used_on: Streams,
    },
    /// An allocation that no other stream uses, and that the next request frees.
    Moment {
        /// The storage, from 0.
        id: u32,
        /// Bytes asked for.
        bytes: u64,
        /// The stream that it is for.
        stream: Stream,
    },
    /// Storage with this number is freed; nothing happens when it is not alive.
    Free(u32),
    /// `torch.cuda.empty_cache()`.
    EmptyCache,
    /// A stream or the host waits.
    Wait(Wait),
    /// Something that takes no memory; it keeps the numbers of requests and events equal.
    Nothing,
}

/// The request at which the allocator ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Index of the request.
    pub request: usize,
    /// Bytes asked for.
    pub bytes: u64,
    /// Bytes of the segment asked of the driver: "Tried to allocate ...".
    pub tried: u64,
    /// Bytes in use at that moment.
    pub allocated: u64,
    /// Bytes held from the driver at that moment, after giving back what could be given back.
    pub reserved: u64,
}

/// The memory that the allocator holds after a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// `torch.cuda.memory_allocated()`.
    pub allocated: u64,
    /// `active_bytes` of `torch.cuda.memory_stats()`: the allocated bytes, and blocks that were freed while another
    /// stream uses them.
    pub active: u64,
    /// `torch.cuda.memory_reserved()`.
    pub reserved: u64,
}

impl Held {
    /// The larger of each.
    pub fn max_of_each(self, other: Self) -> Self {
        Self {
            allocated: self.allocated.max(other.allocated),
            active: self.active.max(other.active),
            reserved: self.reserved.max(other.reserved),
        }
    }
}

/// Requests on their way through an allocator that was fresh, one after the other.
#[derive(Clone)]
pub struct Replay {
    allocator: Allocator,
    places: Places,
    /// Requests so far.
    done: usize,
    /// The limit from where the run begins on, until it has.
    later: Option<Limit>,
    /// Under [`Limit::Watched`] the run as it was before it would have taken more, with that much.
    within: Option<Box<Self>>,
}

impl Replay {
    /// A run over storages numbered below `storages`.
    pub fn new(storages: usize, settings: Settings) -> Self {
        Self {
            allocator: Allocator::new(settings),
            places: Places::with_capacity(storages),
            done: 0,
            later: None,
            within: None,
        }
    }

    /// The same, with no limit before the run begins.
    pub fn unlimited_before(storages: usize, settings: Settings) -> Self {
        let later = Some(settings.limit);
        let limit = Limit::None;
        Self {
            later,
            ..Self::new(storages, Settings { limit, ..settings })
        }
    }

    /// Begins the run: memory held before is no part of it.
    pub fn begins(&mut self) {
        if let Some(limit) = self.later.take() {
            self.allocator.settings.limit = limit;
            self.allocator.forgets_most();
        }
    }

    /// Makes room for `alive` storages that are alive at a time.
    pub fn make_room(&mut self, alive: usize) {
        self.allocator.blocks.make_room(alive);
    }

    /// Requests that have been run.
    pub fn done(&self) -> usize {
        self.done
    }

    /// The most that was held from the driver.
    pub fn most_reserved(&self) -> u64 {
        self.allocator.most_reserved()
    }

    /// The state before the request that exceeded the limit, in a run under [`Limit::Watched`]; it goes on within that
    /// limit.
    pub fn within(self) -> Option<Self> {
        self.within.map(|within| *within)
    }

    /// Runs the next request: what the allocator holds after it.
    ///
    /// # Errors
    /// Where it runs out.
    #[inline(always)]
    pub fn run(&mut self, request: Request) -> Result<Held, Failure> {
        match request {
            Request::Alloc {
                id, bytes, stream, ..
            }
            | Request::Moment { id, bytes, stream }
                if bytes > 0 =>
            {
                if let Request::Moment { .. } = request
                    && let Some(held) = self.allocator.held_for_a_moment(bytes, stream)
                {
                    self.done += 1;
                    return Ok(held);
                }
                let block = match self.allocator.malloc(bytes, stream) {
                    Ok(block) => block,
                    Err(refused) => self.refused((bytes, stream), refused)?,
                };
                if let Request::Alloc { used_on, .. } = request
                    && !used_on.is_empty()
                {
                    self.allocator.record_streams(block, used_on);
                }
                self.places.put(id, block);
            }
            Request::Free(id) => {
                if let Some(block) = self.places.take(id) {
                    self.allocator.free(block);
                }
            }
            Request::EmptyCache => self.allocator.release_cached_blocks(),
            Request::Wait(wait) => self.allocator.wait_for(wait),
            Request::Alloc { .. } | Request::Moment { .. } | Request::Nothing => {}
        }
        self.done += 1;
        Ok(self.allocator.held())
    }

    /// Goes on without a limit that was only watched.
    #[cold]
    fn refused(
        &mut self,
        (bytes, stream): (u64, Stream),
        refused: OutOfMemory,
    ) -> Result<BlockId, Failure> {
        let Limit::Watched(capacity) = self.allocator.settings.limit else {
            return Err(self.failure(bytes, refused));
        };
        let mut within = self.clone();
        within.allocator.settings.limit = Limit::Capacity(capacity);
        self.within = Some(Box::new(within));
        self.allocator.settings.limit = Limit::None;
        let served = self.allocator.malloc(bytes, stream);
        served.map_err(|refused| self.failure(bytes, refused))
    }

    fn failure(&self, bytes: u64, refused: OutOfMemory) -> Failure {
        let Held {
            allocated,
            reserved,
            ..
        } = self.allocator.held();
        Failure {
            request: self.done,
            bytes,
            tried: refused.tried,
            allocated,
            reserved,
        }
    }
}

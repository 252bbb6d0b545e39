//! A list of requests, run through the allocator.

use super::allocator::{Allocator, OutOfMemory};
use super::blocks::{BlockId, EDGE};
use super::settings::Settings;

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Storage `id` of `bytes` bytes is allocated; nothing happens for zero bytes.
    Alloc {
        /// The storage, from 0.
        id: u32,
        /// Bytes asked for.
        bytes: u64,
    },
    /// The same, where the next request frees it.
    Moment {
        /// The storage, from 0.
        id: u32,
        /// Bytes asked for.
        bytes: u64,
    },
    /// Storage with this number is freed; nothing happens when it is not alive.
    Free(u32),
    /// `torch.cuda.empty_cache()`.
    EmptyCache,
    /// Something that takes no memory; it keeps the numbers of requests and events equal.
    Nothing,
}

/// Where it ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// What the allocator holds after a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// `torch.cuda.memory_allocated()`.
    pub allocated: u64,
    /// `torch.cuda.memory_reserved()`.
    pub reserved: u64,
}

impl Held {
    /// The larger of each.
    pub fn max_of_each(self, other: Self) -> Self {
        Self {
            allocated: self.allocated.max(other.allocated),
            reserved: self.reserved.max(other.reserved),
        }
    }
}

/// Runs requests over storages numbered below `storages` through a fresh allocator and shows each
/// with what it holds after it. The end is where it runs out, if it does.
pub fn replay(
    requests: impl Iterator<Item = Request>,
    storages: usize,
    settings: Settings,
    mut after_each: impl FnMut(Request, Held),
) -> Option<Failure> {
    let mut allocator = Allocator::new(settings);
    let mut places: Vec<BlockId> = vec![EDGE; storages];
    let places = places.as_mut_slice();
    for (number, request) in requests.enumerate() {
        let mut for_a_moment = None;
        match request {
            Request::Alloc { id, bytes } | Request::Moment { id, bytes } if bytes > 0 => {
                if matches!(request, Request::Moment { .. }) {
                    for_a_moment = allocator.held_for_a_moment(bytes);
                }
                if for_a_moment.is_none() {
                    match allocator.malloc(bytes) {
                        Ok(block) => places[id as usize] = block,
                        Err(OutOfMemory { tried }) => {
                            let Held {
                                allocated,
                                reserved,
                            } = allocator.held();
                            return Some(Failure {
                                request: number,
                                bytes,
                                tried,
                                allocated,
                                reserved,
                            });
                        }
                    }
                }
            }
            Request::Free(id) => {
                let block = std::mem::replace(&mut places[id as usize], EDGE);
                if block != EDGE {
                    allocator.free(block);
                }
            }
            Request::EmptyCache => allocator.release_cached_blocks(),
            Request::Alloc { .. } | Request::Moment { .. } | Request::Nothing => {}
        }
        after_each(request, for_a_moment.unwrap_or(allocator.held()));
    }
    None
}

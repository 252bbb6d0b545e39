//! A list of requests, run through the allocator.

use super::allocator::Allocator;
use super::blocks::{BlockId, NONE};
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

/// What the allocator held after each request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// `torch.cuda.memory_allocated()` after each request.
    pub allocated: Vec<u64>,
    /// `torch.cuda.memory_reserved()` after each request.
    pub reserved: Vec<u64>,
    /// Where it ran out; the lists end before that request.
    pub failure: Option<Failure>,
}

/// Runs requests over storages numbered below `storages` through a fresh allocator.
pub fn replay(
    mut requests: impl ExactSizeIterator<Item = Request>,
    storages: usize,
    settings: Settings,
) -> Replay {
    let mut allocator = Allocator::new(settings);
    let mut place: Vec<BlockId> = vec![NONE; storages];
    let mut result = Replay {
        allocated: Vec::with_capacity(requests.len()),
        reserved: Vec::with_capacity(requests.len()),
        failure: None,
    };
    let mut coming = requests.next();
    while let Some(request) = coming {
        coming = requests.next();
        match request {
            Request::Alloc { id, bytes } if bytes > 0 => {
                let freed_at_once = coming == Some(Request::Free(id));
                if freed_at_once && let Some(allocated) = allocator.allocated_for_a_moment(bytes) {
                    coming = requests.next();
                    result.allocated.extend([allocated, allocator.allocated()]);
                    result.reserved.extend([allocator.reserved(); 2]);
                    continue;
                }
                match allocator.malloc(bytes) {
                    Ok(block) => place[id as usize] = block,
                    Err(out) => {
                        result.failure = Some(Failure {
                            request: result.allocated.len(),
                            bytes,
                            tried: out.tried,
                            allocated: allocator.allocated(),
                            reserved: allocator.reserved(),
                        });
                        return result;
                    }
                }
            }
            Request::Free(id) => {
                let block = std::mem::replace(&mut place[id as usize], NONE);
                if block != NONE {
                    allocator.free(block);
                }
            }
            Request::EmptyCache => allocator.release_cached_blocks(),
            Request::Alloc { .. } | Request::Nothing => {}
        }
        result.allocated.push(allocator.allocated());
        result.reserved.push(allocator.reserved());
    }
    result
}

//! Snapshots of `torch.cuda.memory`: what every block of the caching allocator held, when, and who asked.
//!
//! [`read_snapshot`] takes the pickle that `torch.cuda.memory._dump_snapshot` writes (2.0 to 2.15) apart without
//! building any object, and replays each device's trace backwards from the state at its end: so the peak is right
//! even where recording began after the model was there, or where the ring lost the oldest events.

mod contents;
mod guess;
mod overview;
mod pickle;
mod refused;
mod replay;
mod sizes;
mod state;

pub use contents::{ACTIONS, Action, Block, Event, Segment, Stack, own_frame};
pub use guess::{Doing, Guess, Purpose};
pub use overview::{DeviceOverview, Overview};
pub use refused::Refused;
pub use replay::{Held, Live, Mapped};
pub use state::{AllocatorState, Free, Owner, Piece, Pool, Rest, SegmentState};

use contents::{Contents, Rules};
use pickle::Pickle;
use serde::{Deserialize, Serialize};

/// A snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The pickle's protocol.
    pub protocol: u8,
    /// The allocator's settings.
    pub settings: Vec<Setting>,
    /// How many annotations the program made.
    pub annotations: usize,
    /// Every device with events or segments, by number.
    pub devices: Vec<Device>,
}

/// A setting of the allocator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name in the file.
    pub name: String,
    /// Its value as a text.
    pub value: String,
}

/// Bytes of tensors, counted as they were asked for: fewer than PyTorch reports, and as other readers of
/// snapshots say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByRequests {
    /// Before the first event.
    pub start: i64,
    /// At most.
    pub peak: i64,
}

/// A request that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedRequest {
    /// Bytes that were asked for.
    pub requested: u64,
    /// Bytes that the driver said were free.
    pub free: u64,
}

/// One device: its state at the end, what happened before, and what follows from both.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// Its number.
    pub device: usize,
    /// The events, the oldest first.
    pub events: Vec<Event>,
    /// The segments at the end.
    pub segments: Vec<Segment>,
    /// Memory before the first event.
    pub start: Held,
    /// Memory at the end.
    pub end: Held,
    /// Memory counted as it was asked for.
    pub by_requests: ByRequests,
    /// The most that tensors held.
    pub peak_allocated: Peak,
    /// The most that segments took.
    pub peak_reserved: Peak,
    /// The largest blocks at the peak of the allocated, the largest first.
    pub largest: Vec<Largest>,
    /// Phases of the program and purposes of blocks, where frames give something to guess them from.
    pub guess: Option<Guess>,
    /// Its segments at that peak, or when a request failed.
    pub state: AllocatorState,
}

/// A peak, and after how many events it was there first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peak {
    /// In bytes.
    pub bytes: i64,
    /// The number of events until then.
    pub position: usize,
}

/// A large block and who asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Largest {
    /// The block.
    pub block: Live,
    /// Its frames, the innermost first, as `file:line name`.
    pub frames: Vec<String>,
}

/// The most that was held between two moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// The number of events until the first of these moments.
    pub position: usize,
    /// The most of each.
    pub held: Held,
}

/// How many of the largest blocks are kept with their frames.
const LARGEST: usize = 50;

/// Whether a file's content may be a snapshot: a pickle, or what snapshots are put into.
pub fn looks_like_snapshot(content: &[u8]) -> bool {
    matches!(
        content,
        [0x80, 2..=5, ..] | [b'P', b'K', 3, 4, ..] | [0x1f, 0x8b, ..]
    )
}

/// Reads a snapshot's file.
///
/// # Errors
/// Why it is none.
pub fn read_snapshot(content: &[u8]) -> Result<Snapshot, Refused> {
    match content {
        [b'P', b'K', 3, 4, ..] => return Err(Refused::Zip),
        [0x1f, 0x8b, ..] => return Err(Refused::Compressed),
        _ => {}
    }
    let pickle = Pickle::read(content)?;
    let contents = contents::contents(&pickle)?;
    let (settings, annotations) = contents::settings(&pickle);
    let rules = contents::rules(&pickle);
    let devices = contents.into_iter().enumerate();
    let devices = devices.filter(|(_, own)| !own.events.is_empty() || !own.segments.is_empty());
    Ok(Snapshot {
        protocol: pickle.protocol,
        settings,
        annotations,
        devices: devices
            .map(|(number, own)| device(&pickle, &rules, number, own))
            .collect(),
    })
}

fn device(pickle: &Pickle, rules: &Rules, number: usize, contents: Contents) -> Device {
    let Contents {
        mut events,
        segments,
    } = contents;
    let by_requests = by_requests(&events, &segments);
    sizes::give_sizes(&mut events, &segments, rules);
    let end = replay::at_end(&segments);
    let mut held = end;
    let peak = |bytes| Peak {
        bytes,
        position: events.len(),
    };
    let (mut peak_allocated, mut peak_reserved) = (peak(end.allocated), peak(end.reserved));
    for (position, event) in events.iter().enumerate().rev() {
        held = replay::before(held, event);
        if held.allocated >= peak_allocated.bytes {
            peak_allocated = Peak {
                bytes: held.allocated,
                position,
            };
        }
        if held.reserved >= peak_reserved.bytes {
            peak_reserved = Peak {
                bytes: held.reserved,
                position,
            };
        }
    }
    let mut live = replay::live(&events, &segments, peak_allocated.position);
    let guess = guess::guess(pickle, &events, peak_allocated.position, &live);
    let state = state::state(
        pickle,
        &events,
        &segments,
        guess.as_ref(),
        (peak_allocated.position, &live),
    );
    live.sort_by_key(|block| std::cmp::Reverse(block.size));
    live.truncate(LARGEST);
    let largest = live.into_iter().map(|block| Largest {
        block,
        frames: contents::frames(pickle, block.stack).collect(),
    });
    Device {
        device: number,
        start: held,
        end,
        by_requests,
        peak_allocated,
        peak_reserved,
        largest: largest.collect(),
        guess,
        state,
        events,
        segments,
    }
}

fn by_requests(events: &[Event], segments: &[Segment]) -> ByRequests {
    let mut held = replay::at_end(segments);
    let mut most = held.allocated;
    for event in events.iter().rev() {
        held = replay::before(held, event);
        most = most.max(held.allocated);
    }
    ByRequests {
        start: held.allocated,
        peak: most,
    }
}

impl Device {
    /// How often something happened.
    pub fn count(&self, action: Action) -> usize {
        let events = self.events.iter();
        events.filter(|event| event.action == action).count()
    }

    /// Requests that failed.
    pub fn failures(&self) -> Vec<FailedRequest> {
        let events = self.events.iter();
        let failed = events.filter(|event| event.action == Action::Oom);
        let request = |event: &Event| FailedRequest {
            requested: event.size,
            free: event.address,
        };
        failed.map(request).collect()
    }

    /// Memory over time, as the most of each of at most `most` stretches of events.
    pub fn timeline(&self, most: usize) -> Vec<Moment> {
        let stretch = (self.events.len() + 1).div_ceil(most.max(1)).max(1);
        let mut moments: Vec<Moment> = Vec::new();
        let mut held = self.end;
        for position in (0..=self.events.len()).rev() {
            if let Some(event) = self.events.get(position) {
                held = replay::before(held, event);
            }
            let stretch_start = position / stretch * stretch;
            match moments.last_mut() {
                Some(last) if last.position == stretch_start => {
                    last.held.allocated = last.held.allocated.max(held.allocated);
                    last.held.active = last.held.active.max(held.active);
                    last.held.reserved = last.held.reserved.max(held.reserved);
                }
                _ => moments.push(Moment {
                    position: stretch_start,
                    held,
                }),
            }
        }
        moments.reverse();
        moments
    }

    /// The blocks that tensors hold after `position` events, by address.
    pub fn live(&self, position: usize) -> Vec<Live> {
        replay::live(&self.events, &self.segments, position)
    }

    /// The segments after `position` events, by address, and what of them is held.
    pub fn mapped(&self, position: usize) -> Vec<Mapped> {
        replay::mapped(&self.events, &self.segments, position)
    }
}

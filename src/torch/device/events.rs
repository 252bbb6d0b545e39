//! Blocks that other streams use: freed, they wait for events of those before they are cached.

use super::allocator::Allocator;
use super::blocks::BlockId;
use super::order::{Order, Places};
use super::settings::Timing;
use crate::units::{Streams, Wait};

/// Blocks that are freed and wait, in that order.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    blocks: Vec<Waits>,
    bytes: u64,
    /// How far streams are, where they take their time.
    order: Option<Box<Order>>,
    /// Whether the host has waited since it was last asked which blocks wait no more.
    waited: bool,
}

/// A block that waits.
#[derive(Clone, Copy, Debug)]
struct Waits {
    block: BlockId,
    /// The streams on which events were recorded, and the places that they have to reach for the events to be complete.
    events: Streams,
    until: Places,
}

impl Waiting {
    pub fn new(timing: Timing) -> Self {
        let order = match timing {
            Timing::AtOnce => None,
            Timing::WhenAwaited => Some(Box::default()),
        };
        Self {
            order,
            ..Self::default()
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Allocator {
    /// `recordStream`: other streams use the block, too.
    pub fn record_streams(&mut self, id: BlockId, streams: Streams) {
        self.blocks.get_mut(id).record(streams);
    }

    /// `insert_events`: a block that other streams use is freed.
    #[cold]
    pub(super) fn wait(&mut self, id: BlockId) {
        let block = self.blocks.get_mut(id);
        let events = block.take_recorded();
        let waiting = &mut self.waiting;
        waiting.bytes += block.size;
        let order = waiting.order.as_mut();
        let until = order.map_or_else(Places::default, |order| order.events(events));
        let waits = Waits {
            block: id,
            events,
            until,
        };
        waiting.blocks.push(waits);
    }

    /// `process_events`: blocks whose events are complete are cached.
    #[cold]
    pub(super) fn process_events(&mut self) {
        let waiting = &mut self.waiting;
        let Some(order) = &waiting.order else {
            let all = waiting.blocks.len();
            return self.free_events(all);
        };
        if !std::mem::take(&mut waiting.waited) {
            return;
        }
        let is_complete = |waits: &Waits| order.has_reached(waits.events, &waits.until);
        let (complete, waits): (Vec<_>, Vec<_>) = waiting.blocks.drain(..).partition(is_complete);
        let count = complete.len();
        waiting.blocks = complete;
        waiting.blocks.extend(waits);
        self.free_events(count);
    }

    /// `synchronize_and_free_events`: the events of all blocks that wait are awaited.
    pub(super) fn synchronize_and_free_events(&mut self) {
        let Waiting { blocks, order, .. } = &mut self.waiting;
        if let Some(order) = order {
            for waits in blocks.iter() {
                order.reach(&waits.until);
            }
        }
        self.free_events(self.waiting.blocks.len());
    }

    fn free_events(&mut self, count: usize) {
        for waits in self.waiting.blocks.drain(..count).collect::<Vec<_>>() {
            self.waiting.bytes -= self.blocks.get(waits.block).size;
            self.cache(waits.block);
        }
    }

    /// A stream or the host waits.
    pub fn wait_for(&mut self, wait: Wait) {
        if let Some(order) = &mut self.waiting.order {
            self.waiting.waited |= order.run(wait);
        }
    }
}

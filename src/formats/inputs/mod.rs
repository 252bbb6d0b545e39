//! Inputs that people have: the text of a failure, a table of memory, a snapshot.
//!
//! [`read`] finds in any text what ran out of memory, in whose words, with the numbers it says, and decides by
//! them what it was. Texts are logs as often as messages: colours, prefixes of ranks, wrapped lines and
//! tracebacks around what counts are expected. Of several failures the first one that an allocator tells counts.
//!
//! Not here: scenarios, links and models' configs (`codec`), configurations of jobs (`configs`), and words for
//! people (`text`).
//! Invariant: nothing that is read makes anything here panic, and the time is linear in a text's length.

mod cause;
mod facts;
mod foreign;
mod gpu;
mod host;
mod kind;
mod library;
mod plain;
mod size;
mod smi;
mod snapshot;
mod summary;
mod vllm;

pub use cause::Cause;
pub use facts::{Facts, Holder, Process, Share, Usage};
pub use kind::Kind;
pub use smi::{SmiGpu, SmiProcess, SmiTable, read_smi};
pub use snapshot::{
    ACTIONS, Action, AllocatorState, Block, ByRequests, Device, DeviceOverview, Doing, Event,
    FailedRequest, Free, Guess, Held, Largest, Live, Mapped, Moment, Overview, Owner, Peak, Piece,
    Pool, Purpose, Refused, Rest, Segment, SegmentState, Setting, Snapshot, Stack,
    looks_like_snapshot, own_frame, read_snapshot,
};

use gpu::{Message, messages};
use plain::Plain;
use std::borrow::Cow;

/// A recognized text.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A failure, or a report on memory.
    Failure(Box<Failure>),
    /// The table of `nvidia-smi`.
    Machine(SmiTable),
    /// Another program's failure, and whose.
    Foreign(&'static str),
    /// Nothing that this room knows.
    Unknown,
}

/// A failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// In whose words.
    pub kind: Kind,
    /// The numbers of the first message.
    pub facts: Facts,
    /// Its cause.
    pub cause: Cause,
    /// How many different failures of an allocator the text has.
    pub failures: usize,
    /// The rank that failed first, where the launcher says it.
    pub rank: Option<u64>,
}

impl Failure {
    /// Whether the host's memory was short, not a GPU's.
    pub fn is_of_host(&self) -> bool {
        matches!(self.cause, Cause::Host | Cause::SharedMemory)
    }
}

/// A file's content as text: UTF-8, or UTF-16 where its first bytes say so, as PowerShell writes logs. What is
/// neither becomes replacement characters.
pub fn decode(content: &[u8]) -> Cow<'_, str> {
    let wide: fn([u8; 2]) -> u16 = match content {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return String::from_utf8_lossy(content),
    };
    let (pairs, _) = content.as_chunks::<2>();
    let units = pairs.iter().skip(1).map(|pair| wide(*pair));
    let read = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
    Cow::Owned(read.collect())
}

/// Reads a text.
pub fn read(text: &str) -> Input {
    let plain = Plain::new(text);
    let all = plain.all();
    let messages = messages(&plain);
    let table = summary::read(all);
    let held = held(&messages);
    if let Some(first) = messages.first() {
        let rank = plain.rank(first.at);
        let failures = different(&messages);
        let (kind, facts) = match table {
            Some(table) => (Kind::Summary, with_table(&first.facts, &table)),
            None => (first.kind, first.facts.clone()),
        };
        return failure(kind, facts, &held, failures, rank);
    }
    if let Some(table) = table {
        return failure(Kind::Summary, table, &[], 1, None);
    }
    if let Some(owner) = foreign::owner(all) {
        return Input::Foreign(owner);
    }
    let told = vllm::read(all).or_else(|| host::read(all, plain.has_line("killed")));
    let told = told.or_else(|| library::read(all));
    let told = told.or_else(|| library::bare(all));
    if let Some((kind, facts)) = told.or_else(|| vllm::sleep(all)) {
        return failure(kind, facts, &[], 1, None);
    }
    if let Some(table) = read_smi(text) {
        return Input::Machine(table);
    }
    match host::deepspeed(all) {
        Some((held, facts)) => failure(Kind::DeepspeedLog, facts, &held, 1, None),
        None => Input::Unknown,
    }
}

fn failure(kind: Kind, facts: Facts, held: &[u64], failures: usize, rank: Option<u64>) -> Input {
    let cause = cause::cause(kind, &facts, held);
    Input::Failure(Box::new(Failure {
        kind,
        facts,
        cause,
        failures,
        rank,
    }))
}

/// How many messages differ: tracebacks print the same one several times.
fn different(messages: &[Message]) -> usize {
    let mut seen: Vec<&Facts> = Vec::new();
    for message in messages {
        // Logs of servers have thousands of messages; more than these need no exact number.
        if seen.len() < 1000 && !seen.contains(&&message.facts) {
            seen.push(&message.facts);
        }
    }
    seen.len()
}

/// Bytes of tensors at each message of the first one's GPU.
fn held(messages: &[Message]) -> Vec<u64> {
    let device = messages.first().and_then(|first| first.facts.device);
    let same = messages.iter().filter(|m| m.facts.device == device);
    let mut held: Vec<u64> = same.filter_map(|m| m.facts.allocated).collect();
    held.dedup();
    held
}

/// A message's numbers with those of the table that was printed after it.
fn with_table(message: &Facts, table: &Facts) -> Facts {
    Facts {
        summary_allocated: table.summary_allocated,
        summary_active: table.summary_active,
        summary_requested_mem: table.summary_requested_mem,
        summary_reserved: table.summary_reserved,
        summary_non_releasable: table.summary_non_releasable,
        ooms: table.ooms,
        retries: table.retries,
        ..message.clone()
    }
}

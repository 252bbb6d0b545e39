//! A snapshot's dictionaries as plain numbers.
//!
//! After `torch/csrc/cuda/memory_snapshot.cpp` and `torch/csrc/cuda/Module.cpp` of 2.0 to 2.15.

use super::Setting;
use super::pickle::{Pickle, Value, unsigned};
use super::refused::Refused;
use serde::{Deserialize, Serialize};

/// An action on a block or a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A tensor got a block.
    Alloc,
    /// A tensor gave a block back.
    FreeRequested,
    /// The block is free: no stream uses it any more.
    FreeCompleted,
    /// A segment was taken from the driver.
    SegmentAlloc,
    /// A segment was given back.
    SegmentFree,
    /// A part of an expandable segment was mapped.
    SegmentMap,
    /// A part of an expandable segment was unmapped.
    SegmentUnmap,
    /// A request failed.
    Oom,
    /// A snapshot was taken.
    Snapshot,
    /// Something else, which holds nothing.
    Other,
}

/// Every action with its name in the file.
pub const ACTIONS: [(&str, Action); 9] = [
    ("alloc", Action::Alloc),
    ("free_requested", Action::FreeRequested),
    ("free_completed", Action::FreeCompleted),
    ("segment_alloc", Action::SegmentAlloc),
    ("segment_free", Action::SegmentFree),
    ("segment_map", Action::SegmentMap),
    ("segment_unmap", Action::SegmentUnmap),
    ("oom", Action::Oom),
    ("snapshot", Action::Snapshot),
];

/// One line of a device's trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The action.
    pub action: Action,
    /// The first address of the block or segment; of a failed request, the bytes that the driver said were free.
    pub address: u64,
    /// Its size in bytes: of a block with what the allocator gave beyond the request.
    pub size: u64,
    /// Bytes in the file: for a block the requested ones.
    pub requested: u64,
    /// Who asked.
    pub stack: Stack,
}

/// Who asked: the frames, which are looked up only where they are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack(Option<u32>);

/// Memory taken from the driver, at the end of the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its first address.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it is of the pool of large blocks.
    pub large: bool,
    /// Whether it can grow.
    pub expandable: bool,
    /// Whether it is of a private pool, as CUDA graphs have.
    pub private: bool,
    /// The stream that it was taken for; 0 is the default one.
    pub stream: u64,
    /// Its blocks, by address.
    pub blocks: Vec<Block>,
}

/// A part of a segment, at the end of the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its first address.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Bytes that were asked for.
    pub requested: u64,
    /// Whether a tensor holds it.
    pub allocated: bool,
    /// Whether a tensor holds it or a stream waits for it.
    pub active: bool,
    /// Who asked.
    pub stack: Stack,
}

/// The contents of a snapshot for one device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    pub events: Vec<Event>,
    pub segments: Vec<Segment>,
}

/// The most devices that a file may have.
const DEVICES: u64 = 1024;
/// The largest size that is believed.
const LARGEST: u64 = 1 << 60;

/// The devices of a snapshot, by number.
pub(super) fn contents(pickle: &Pickle) -> Result<Vec<Contents>, Refused> {
    let (segments, traces) = match pickle.root {
        // Until 1.13 `_snapshot()` was the list of segments alone.
        Value::List(_) => (Some(pickle.root), None),
        root => (
            pickle.get(root, "segments"),
            pickle.get(root, "device_traces"),
        ),
    };
    if segments.is_none() && traces.is_none() {
        return Err(Refused::NoSnapshot);
    }
    let mut devices: Vec<Contents> = Vec::new();
    let mut names = vec![Name::Unseen; pickle.texts()];
    for trace in traces.into_iter().flat_map(|traces| pickle.items(traces)) {
        let events = pickle.items(trace);
        let events = events.filter_map(|event| self::event(pickle, event, &mut names));
        devices.push(Contents {
            events: events.collect(),
            segments: Vec::new(),
        });
    }
    for own in segments.into_iter().flat_map(|list| pickle.items(list)) {
        let Some((device, segment)) = segment(pickle, own) else {
            return Err(Refused::NoSnapshot);
        };
        let device = usize::try_from(device.min(DEVICES)).unwrap_or(0);
        if devices.len() <= device {
            devices.resize_with(device + 1, Contents::default);
        }
        devices[device].segments.push(segment);
    }
    Ok(devices)
}

/// The meaning of a text as a key or an action: looked up once for each text, of which events share theirs.
#[derive(Clone, Copy, PartialEq)]
enum Name {
    Unseen,
    Action,
    Address,
    Size,
    Free,
    Frames,
    Is(Action),
    Unknown,
}

fn name(pickle: &Pickle, value: Value, names: &mut [Name]) -> Name {
    let Value::Text(text) = value else {
        return Name::Unknown;
    };
    let known = &mut names[text as usize];
    if *known == Name::Unseen {
        *known = match pickle.text(value).unwrap_or_default() {
            b"action" => Name::Action,
            b"addr" => Name::Address,
            b"size" => Name::Size,
            b"device_free" => Name::Free,
            b"frames" => Name::Frames,
            other => {
                let action = ACTIONS.iter().find(|(name, _)| name.as_bytes() == other);
                action.map_or(Name::Unknown, |(_, action)| Name::Is(*action))
            }
        };
    }
    *known
}

fn event(pickle: &Pickle, event: Value, names: &mut [Name]) -> Option<Event> {
    let mut read = Event {
        action: Action::Other,
        address: 0,
        size: 0,
        requested: 0,
        stack: Stack(None),
    };
    let mut known = false;
    for (key, value) in pickle.pairs(event) {
        match name(pickle, key, names) {
            Name::Action => {
                known = true;
                if let Name::Is(action) = name(pickle, value, names) {
                    read.action = action;
                }
            }
            Name::Address | Name::Free => read.address = unsigned(value).unwrap_or(0),
            Name::Size => {
                read.size = size(value)?;
                read.requested = read.size;
            }
            Name::Frames => read.stack = stack(value),
            _ => {}
        }
    }
    known.then_some(read)
}

fn size(value: Value) -> Option<u64> {
    unsigned(value).filter(|size| *size <= LARGEST)
}

fn stack(value: Value) -> Stack {
    match value {
        Value::List(node) => Stack(Some(node)),
        _ => Stack(None),
    }
}

/// A segment and the number of its device.
fn segment(pickle: &Pickle, own: Value) -> Option<(u64, Segment)> {
    let get = |key| pickle.get(own, key);
    let mut segment = Segment {
        address: unsigned(get("address")?)?,
        size: size(get("total_size")?)?,
        large: get("segment_type").and_then(|kind| pickle.text(kind)) == Some(b"large"),
        expandable: get("is_expandable") == Some(Value::Bool(true)),
        private: get("segment_pool_id").is_some_and(|pool| {
            let mut parts = pickle.items(pool);
            parts.any(|part| part != Value::Int(0))
        }),
        stream: get("stream").and_then(unsigned).unwrap_or(0),
        blocks: Vec::new(),
    };
    let mut address = segment.address;
    for block in pickle.items(get("blocks")?) {
        let get = |key| pickle.get(block, key);
        let size = size(get("size")?)?;
        let state = pickle.text(get("state")?)?;
        let frames = get("frames").or_else(|| {
            // 2.0: the first of the block's history.
            let first = pickle.items(get("history")?).next()?;
            pickle.get(first, "frames")
        });
        let own = get("address").and_then(unsigned).unwrap_or(address);
        segment.blocks.push(Block {
            address: own,
            size,
            requested: get("requested_size").and_then(unsigned).unwrap_or(size),
            allocated: state == b"active_allocated",
            active: state != b"inactive",
            stack: frames.map_or(Stack(None), stack),
        });
        address = own.saturating_add(size);
    }
    Some((unsigned(get("device")?)?, segment))
}

/// A stack's frames as the pickle has them, the innermost first.
pub(super) fn stacked(pickle: &Pickle, stack: Stack) -> impl Iterator<Item = Value> {
    pickle.items(stack.0.map_or(Value::None, Value::List))
}

/// The most frames of a stack that are shown.
const FRAMES: usize = 64;

/// A stack's frames, the innermost first, as `file:line name`.
pub(super) fn frames(pickle: &Pickle, stack: Stack) -> impl Iterator<Item = String> {
    let shown = stacked(pickle, stack).take(FRAMES);
    let text = |frame, key| {
        let bytes = pickle.get(frame, key).and_then(|name| pickle.text(name));
        String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
    };
    let line = |frame| pickle.get(frame, "line").and_then(unsigned).unwrap_or(0);
    shown.map(move |frame| {
        let (file, name) = (text(frame, "filename"), text(frame, "name"));
        format!("{file}:{} {name}", line(frame))
    })
}

/// The frame that says most of who asked: the first that is not of PyTorch's own files, nor of a library's without
/// a line; else the first.
pub fn own_frame<S: AsRef<str>>(frames: impl IntoIterator<Item = S>) -> Option<S> {
    let is_torch =
        |frame: &str| frame.contains("torch/") || frame.contains(".so:") || frame.starts_with("??");
    let mut frames = frames.into_iter();
    let first = frames.next()?;
    if !is_torch(first.as_ref()) {
        return Some(first);
    }
    let own = frames.find(|frame| !is_torch(frame.as_ref()));
    Some(own.unwrap_or(first))
}

/// Settings that decide about sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rules {
    /// Whether segments can grow: their blocks are split to the last 512 bytes.
    pub expandable: bool,
    /// Blocks of this size and more are never split.
    pub max_split_size: Option<u64>,
    /// Into how many parts a power of two is divided for rounding, from 1 MiB on.
    pub divisions: Vec<u64>,
}

/// The rules that a snapshot's settings make.
pub(super) fn rules(pickle: &Pickle) -> Rules {
    let Some(settings) = pickle.get(pickle.root, "allocator_settings") else {
        return Rules::default();
    };
    let divisions = pickle.get(settings, "roundup_power2_divisions");
    let parts = divisions.into_iter().flat_map(|all| pickle.pairs(all));
    let parts = parts.map(|(_, value)| unsigned(value).unwrap_or(0));
    Rules {
        expandable: pickle.get(settings, "expandable_segments") == Some(Value::Bool(true)),
        max_split_size: pickle.get(settings, "max_split_size").and_then(unsigned),
        divisions: parts.take(64).collect(),
    }
}

/// The allocator's settings, as texts, and how many annotations there are.
pub(super) fn settings(pickle: &Pickle) -> (Vec<Setting>, usize) {
    let known = pickle.get(pickle.root, "allocator_settings");
    let pairs = known
        .into_iter()
        .flat_map(|settings| pickle.pairs(settings));
    let text = |value| match value {
        Value::Text(_) => {
            let bytes = pickle.text(value).unwrap_or_default();
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
        Value::Bool(is) => Some(is.to_string()),
        Value::Int(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    };
    let settings = pairs.filter_map(|(key, value)| {
        Some(Setting {
            name: text(key)?,
            value: text(value)?,
        })
    });
    let notes = pickle.get(pickle.root, "external_annotations");
    let notes = notes.map_or(0, |notes| pickle.items(notes).count());
    (settings.collect(), notes)
}

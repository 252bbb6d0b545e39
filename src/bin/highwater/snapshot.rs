//! `highwater snapshot`: a snapshot of torch.cuda.memory in, what it holds out.

use crate::arguments::Form;
use crate::lines::write_line;
use crate::{BAD_INPUT, FITS};
use highwater::inputs::{
    ACTIONS, ByRequests, Device, Doing, Guess, Held, Snapshot, own_frame, read_snapshot,
};
use highwater::text::{ByteUnits, Language, amount, refused_sentence};
use highwater::units::Bytes;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Reads a snapshot; without one, the reason in a sentence.
pub fn read(content: &[u8]) -> Result<Snapshot, String> {
    read_snapshot(content).map_err(|refused| refused_sentence(refused, Language::English))
}

/// Reads a snapshot and writes what it holds; gives the exit code.
pub fn run(content: &[u8], form: Form, out: &mut dyn Write) -> u8 {
    let read = read(content);
    // A reader that has gone away is no error of ours.
    let _ = match (&read, form) {
        (Ok(snapshot), Form::Json) => write_line(&Whole::from(snapshot), out),
        (Ok(snapshot), Form::Table) => table(snapshot, out),
        (Err(error), Form::Json) => write_line(&json!({ "error": error }), out),
        (Err(error), Form::Table) => writeln!(out, "error: {error}"),
    };
    if read.is_ok() { FITS } else { BAD_INPUT }
}

/// A snapshot in a few numbers.
#[derive(Serialize)]
pub struct Facts {
    protocol: u8,
    settings: Map<String, Value>,
    annotations: usize,
    devices: Vec<DeviceFacts>,
}

/// One device in few numbers: bytes, and numbers of events.
#[derive(Serialize)]
struct DeviceFacts {
    device: usize,
    events: usize,
    actions: Map<String, Value>,
    segments: usize,
    start_allocated: i64,
    start_reserved: i64,
    peak_allocated: i64,
    peak_allocated_at: usize,
    peak_reserved: i64,
    peak_reserved_at: usize,
    allocated_at_end: i64,
    reserved_at_end: i64,
    /// The most of what was reserved at the peak of the allocated and held by no tensor, and its largest piece.
    unallocated_at_peak: u64,
    largest_piece_at_peak: u64,
    by_requests: Value,
    oom: Vec<Value>,
}

impl From<&Snapshot> for Facts {
    fn from(snapshot: &Snapshot) -> Facts {
        let settings = snapshot.settings.iter();
        let settings = settings.map(|set| (set.name.clone(), set.value.as_str().into()));
        Facts {
            protocol: snapshot.protocol,
            settings: settings.collect(),
            annotations: snapshot.annotations,
            devices: snapshot.devices.iter().map(DeviceFacts::from).collect(),
        }
    }
}

impl From<&Device> for DeviceFacts {
    fn from(device: &Device) -> DeviceFacts {
        let counts = ACTIONS
            .iter()
            .map(|(name, action)| (name, device.count(*action)));
        let actions = counts.filter(|(_, count)| *count > 0);
        let failed = device.failures().into_iter();
        let mapped = device.mapped(device.peak_allocated.position);
        let free = mapped
            .iter()
            .map(|own| own.size.saturating_sub(own.allocated));
        let ByRequests { start, peak } = device.by_requests;
        DeviceFacts {
            device: device.device,
            events: device.events.len(),
            actions: actions
                .map(|(name, count)| ((*name).to_owned(), count.into()))
                .collect(),
            segments: device.segments.len(),
            start_allocated: device.start.allocated,
            start_reserved: device.start.reserved,
            peak_allocated: device.peak_allocated.bytes,
            peak_allocated_at: device.peak_allocated.position,
            peak_reserved: device.peak_reserved.bytes,
            peak_reserved_at: device.peak_reserved.position,
            allocated_at_end: device.end.allocated,
            reserved_at_end: device.end.reserved,
            unallocated_at_peak: free.fold(0, u64::saturating_add),
            largest_piece_at_peak: mapped.iter().map(|own| own.largest_free).max().unwrap_or(0),
            by_requests: json!({"start_allocated": start, "peak_allocated": peak}),
            oom: failed
                .map(|failed| json!({"requested": failed.requested, "device_free": failed.free}))
                .collect(),
        }
    }
}

/// All that is written of a snapshot.
#[derive(Serialize)]
struct Whole {
    kind: &'static str,
    facts: Facts,
    devices: Vec<Value>,
}

/// How many points a timeline has at most.
const POINTS: usize = 500;

impl From<&Snapshot> for Whole {
    fn from(snapshot: &Snapshot) -> Whole {
        Whole {
            kind: "snapshot",
            facts: Facts::from(snapshot),
            devices: snapshot.devices.iter().map(over_time).collect(),
        }
    }
}

/// A device's memory over time, its segments at the peak and the largest blocks then.
fn over_time(device: &Device) -> Value {
    let moments = device.timeline(POINTS).into_iter();
    let timeline = moments.map(|moment| {
        let Held {
            allocated,
            active,
            reserved,
        } = moment.held;
        json!([moment.position, allocated, active, reserved])
    });
    let mapped = device.mapped(device.peak_allocated.position).into_iter();
    let segments = mapped.map(|own| {
        json!({
            "address": own.address,
            "size": own.size,
            "allocated": own.allocated,
            "largest_free": own.largest_free,
        })
    });
    let largest = device.largest.iter().map(|large| {
        json!({
            "size": large.block.size,
            "requested": large.block.requested,
            "since": large.block.since,
            "frames": large.frames,
        })
    });
    json!({
        "device": device.device,
        "timeline": timeline.collect::<Value>(),
        "segments_at_peak": segments.collect::<Value>(),
        "largest_at_peak": largest.collect::<Value>(),
        "guessed": device.guess.as_ref().map(guessed),
    })
}

/// Phases of the program with the event at which each begins, and purposes of blocks.
fn guessed(guess: &Guess) -> Value {
    let passes = guess.passes.iter();
    let passes = passes.map(|(event, doing)| json!([event, doing.name()]));
    let parts = guess.at_peak.iter();
    let parts = parts.map(|(purpose, bytes)| (purpose.name().to_owned(), json!(bytes)));
    json!({
        "phases": passes.collect::<Value>(),
        "at_peak": parts.collect::<Map<_, _>>(),
        "beyond_requests": guess.beyond_requests,
    })
}

/// How many of the largest blocks a table has.
const ROWS: usize = 15;

fn table(snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    let size = |bytes: i64| {
        let bytes = u64::try_from(bytes).unwrap_or(0);
        amount(Bytes(bytes), ByteUnits::Binary)
    };
    for device in &snapshot.devices {
        let facts = DeviceFacts::from(device);
        writeln!(out, "GPU {}: {} events", facts.device, facts.events)?;
        writeln!(out, "{:<20}{:>14}{:>14}", "", "allocated", "reserved")?;
        for (name, allocated, reserved) in [
            ("start", facts.start_allocated, facts.start_reserved),
            ("peak", facts.peak_allocated, facts.peak_reserved),
            ("end", facts.allocated_at_end, facts.reserved_at_end),
        ] {
            let (allocated, reserved) = (size(allocated), size(reserved));
            writeln!(out, "{name:<20}{allocated:>14}{reserved:>14}")?;
        }
        let own = |bytes: u64| amount(Bytes(bytes), ByteUnits::Binary);
        writeln!(
            out,
            "At the peak of the allocated (after event {}) {} were reserved and held by no tensor, in pieces of {} at most.",
            facts.peak_allocated_at,
            own(facts.unallocated_at_peak),
            own(facts.largest_piece_at_peak),
        )?;
        for failed in device.failures() {
            let (requested, free) = (own(failed.requested), own(failed.free));
            writeln!(
                out,
                "Out of memory: {requested} was asked for, {free} was free."
            )?;
        }
        if let Some(guess) = &device.guess {
            write_guess(guess, facts.peak_allocated_at, out)?;
        }
        writeln!(out, "\nThe largest blocks then:")?;
        for large in device.largest.iter().take(ROWS) {
            let asked = own_frame(&large.frames).map_or("?", String::as_str);
            let since = large.block.since;
            let since = since.map_or("before".to_owned(), |event| format!("event {event}"));
            writeln!(out, "{:>12}  {since:<14}{asked}", own(large.block.size))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes the phase of the program at event `at`, and the purposes of the blocks then.
fn write_guess(guess: &Guess, at: usize, out: &mut dyn Write) -> io::Result<()> {
    let doing = guess.doing(at).map_or("nothing known", Doing::name);
    writeln!(out, "\nGuessed from frames and lifetimes, then ({doing}):")?;
    let size = |bytes: u64| amount(Bytes(bytes), ByteUnits::Binary);
    let parts = guess.at_peak.iter();
    let parts = parts.map(|(purpose, bytes)| (purpose.name(), *bytes));
    for (name, bytes) in parts.chain([("beyond_requests", guess.beyond_requests)]) {
        writeln!(out, "{name:<20}{:>14}", size(bytes))?;
    }
    Ok(())
}

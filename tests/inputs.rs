//! Texts that people paste (failures, tables and snapshots), and the facts that are read from them.

#[path = "inputs/states.rs"]
mod states;

use highwater::codec::decode_json;
use highwater::figure::purpose_rows;
use highwater::inputs::{Device, Doing, FailedRequest, Input, Refused, read, read_snapshot};
use highwater::report::estimate;
use highwater::units::Bytes;
use serde_json::{Map, Value};

/// Texts of public threads with their facts.
const PUBLIC: &str = include_str!("fixtures/inputs/public_errors.jsonl");
/// Texts written after the formats of sources, which are named with their versions, with facts and causes.
const WRITTEN: &str = include_str!("fixtures/inputs/written_errors.jsonl");

fn cases(lines: &str) -> Vec<Value> {
    let lines = lines.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The facts that are read from a text, as they are written in JSON.
fn facts(text: &str) -> Result<(String, Map<String, Value>), &'static str> {
    match read(text) {
        Input::Failure(failure) => {
            let facts = serde_json::to_value(&failure.facts).expect("facts are JSON");
            let Value::Object(facts) = facts else {
                panic!("facts are an object");
            };
            Ok((failure.kind.name().to_owned(), facts))
        }
        Input::Foreign(owner) => Err(owner),
        Input::Machine(_) | Input::Unknown => Err("nobody"),
    }
}

#[test]
fn every_text_is_read_to_the_byte() {
    let mut wrong = Vec::new();
    for case in cases(PUBLIC).into_iter().chain(cases(WRITTEN)) {
        let (text, source) = (case["text"].as_str().expect("text"), &case["source"]);
        let expected = case["facts"].as_object().expect("facts");
        if expected.contains_key("refuse") {
            if let Ok(read) = facts(text) {
                wrong.push(format!("{source}: {read:?} is not refused"));
            }
            continue;
        }
        let read = match facts(text) {
            // A message without its class is worded alike in 1.10 and in 2.0.
            Ok((kind, _)) if kind != case["kind"] && kind != "cuda-1.1x" => {
                wrong.push(format!("{source}: {kind} for {}", case["kind"]));
                continue;
            }
            Ok((_, read)) => read,
            Err(owner) => {
                wrong.push(format!("{source}: {} is of {owner}", case["kind"]));
                continue;
            }
        };
        for (key, value) in expected.iter().filter(|(key, _)| *key != "unit_note") {
            let own = read.get(key).unwrap_or(&Value::Null);
            if own != value {
                wrong.push(format!("{source}: {key} {own} for {value}"));
            }
        }
        let more = read.keys().filter(|key| !expected.contains_key(*key));
        for key in more.filter(|key| !key.starts_with("derived_")) {
            wrong.push(format!("{source}: {key} {} is too much", read[key]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_failure_was_is_decided_by_its_numbers() {
    for case in cases(WRITTEN) {
        let Input::Failure(failure) = read(case["text"].as_str().expect("text")) else {
            continue;
        };
        let source = &case["source"];
        if let Some(cause) = case["cause"].as_str() {
            assert_eq!(failure.cause.name(), cause, "{source}");
        }
        let failures = case["failures"].as_u64().unwrap_or(1);
        assert_eq!(failure.failures as u64, failures, "{source}");
        assert_eq!(failure.rank, case["rank"].as_u64(), "{source}");
    }
}

/// PyTorch's own figures of the snapshots (`tests/oracle/snapshots.py`).
const PEAKS: &str = include_str!("fixtures/inputs/snapshots/peaks.jsonl");

#[test]
fn a_snapshot_gives_the_peaks_that_pytorch_reports() {
    for case in cases(PEAKS) {
        let file = case["file"].as_str().expect("a file");
        let content = snapshot_file(file);
        let snapshot = read_snapshot(&content).expect(file);
        let [device] = snapshot.devices.as_slice() else {
            panic!("{file} has one device");
        };
        for (name, read) in [
            ("start_allocated", device.start.allocated),
            ("start_reserved", device.start.reserved),
            ("peak_allocated", device.peak_allocated.bytes),
            ("peak_reserved", device.peak_reserved.bytes),
            ("end_allocated", device.end.allocated),
            ("end_reserved", device.end.reserved),
        ] {
            assert_eq!(case[name].as_i64(), Some(read), "{file}: {name}");
        }
        assert_eq!(case["events"], device.events.len(), "{file}");
        at_every_moment_the_maps_hold_what_the_counts_say(file, device);
    }
}

fn snapshot_file(name: &str) -> Vec<u8> {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/inputs/snapshots"
    );
    std::fs::read(format!("{folder}/{name}")).expect(name)
}

/// Blocks and segments of a moment add up to the memory held then, whichever way that is found.
fn at_every_moment_the_maps_hold_what_the_counts_say(file: &str, device: &Device) {
    let every = device.timeline(usize::MAX);
    assert_eq!(every.len(), device.events.len() + 1, "{file}");
    for moment in every.iter().step_by(7).chain(every.last()) {
        let live = device.live(moment.position);
        let sum: u64 = live.iter().map(|block| block.size).sum();
        assert_eq!(i64::try_from(sum), Ok(moment.held.allocated), "{file}");
        let mapped = device.mapped(moment.position);
        let sum: u64 = mapped.iter().map(|segment| segment.size).sum();
        assert_eq!(i64::try_from(sum), Ok(moment.held.reserved), "{file}");
        let sum: u64 = mapped.iter().map(|segment| segment.allocated).sum();
        assert_eq!(i64::try_from(sum), Ok(moment.held.allocated), "{file}");
    }
}

#[test]
fn the_largest_blocks_of_a_snapshot_say_who_asked() {
    let snapshot = read_snapshot(&snapshot_file("linear.pickle")).expect("a snapshot");
    let largest = &snapshot.devices[0].largest;
    assert_eq!(largest[0].block.requested, 10_000 * 50_000 * 4);
    assert!(largest[0].block.size > largest[0].block.requested);
    let named = largest.iter().take(4).flat_map(|large| &large.frames);
    let mut named = named.filter(|frame| frame.contains("adam"));
    assert!(named.next().is_some(), "{largest:?}");
}

#[test]
fn a_pickle_that_builds_objects_or_does_not_hold_together_is_refused() {
    let object = |content: &[u8]| matches!(read_snapshot(content), Err(Refused::Object { .. }));
    assert!(object(b"\x80\x02cos\nsystem\n"), "a global");
    assert!(
        object(b"\x80\x04\x8c\x02os\x8c\x06system\x93."),
        "a global of the stack"
    );
    assert!(object(b"\x80\x02)R."), "a call");
    let deep = [b"\x80\x04".as_slice(), &[b'('; 5000]].concat();
    assert_eq!(read_snapshot(&deep), Err(Refused::Deep));
    let memo = [b"\x80\x02N".as_slice(), b"r\xff\xff\xff\x7f."].concat();
    assert_eq!(read_snapshot(&memo), Err(Refused::TooMuch));
    let full = snapshot_file("lengths.pickle");
    for length in (0..full.len()).step_by(101) {
        assert!(read_snapshot(&full[..length]).is_err(), "{length} bytes");
    }
    assert_eq!(read_snapshot(b"\x80\x04}."), Err(Refused::NoSnapshot));
    assert_eq!(read_snapshot(b"PK\x03\x04"), Err(Refused::Zip));
}

#[test]
fn lists_within_lists_a_thousand_times_over_are_walked_once() {
    // Each list holds the one before twice: 2^200 elements, were they counted.
    let mut content = b"\x80\x04]\x94".to_vec();
    for place in 0..200_u8 {
        content.extend([b']', 0x94, b'(', b'h', place, b'h', place, b'e']);
    }
    content.push(b'.');
    assert_eq!(read_snapshot(&content), Err(Refused::NoSnapshot));
}

#[test]
fn a_long_log_takes_time_by_its_length() {
    let line =
        "[rank0]: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has (exitcode: 1 signal ";
    let log = line.repeat(10_000);
    let begun = std::time::Instant::now();
    assert!(matches!(read(&log), Input::Failure(_)));
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

/// Values as libtorch's pickler writes them (`torch/csrc/jit/serialization/pickler.cpp`): each text put into the
/// memo, each number in eight bytes where it needs more than four, one opcode for a whole list.
mod libtorch {
    pub fn text(text: &str) -> Vec<u8> {
        let length = u32::try_from(text.len()).expect("short").to_le_bytes();
        [b"X", length.as_slice(), text.as_bytes(), b"q\x00"].concat()
    }

    pub fn number(number: i64) -> Vec<u8> {
        match i32::try_from(number) {
            Ok(number) => [b"J".as_slice(), &number.to_le_bytes()].concat(),
            Err(_) => [b"\x8a\x08".as_slice(), &number.to_le_bytes()].concat(),
        }
    }

    pub fn list(items: &[Vec<u8>]) -> Vec<u8> {
        [b"]q\x01(".as_slice(), &items.concat(), b"e"].concat()
    }

    pub fn dict(pairs: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let pairs = pairs
            .iter()
            .flat_map(|(key, value)| [text(key), value.clone()]);
        let pairs: Vec<u8> = pairs.flatten().collect();
        [b"}q\x02(".as_slice(), &pairs, b"u"].concat()
    }

    pub fn file(root: &[u8]) -> Vec<u8> {
        [b"\x80\x02", root, b"."].concat()
    }
}

#[test]
fn what_libtorch_writes_and_what_2_0_wrote_without_addresses_of_blocks_is_read() {
    use libtorch::{dict, file, list, number, text};
    let (base, mib) = (0x7f00_0000_0000, 1 << 20);
    let block = |size, state| dict(&[("size", number(size)), ("state", text(state))]);
    let blocks = [
        block(3 * mib, "active_allocated"),
        block(4 * mib, "active_pending_free"),
        block(13 * mib, "inactive"),
    ];
    let segment = dict(&[
        ("device", number(0)),
        ("address", number(base)),
        ("total_size", number(20 * mib)),
        ("segment_type", text("large")),
        ("blocks", list(&blocks)),
    ]);
    let event = |action, address, size| {
        let addr = ("addr", number(address));
        dict(&[("action", text(action)), addr, ("size", number(size))])
    };
    let failed = dict(&[
        ("action", text("oom")),
        ("size", number(3_000_000_000)),
        ("device_free", number(5 * mib)),
    ]);
    let events = [
        event("segment_alloc", base, 20 * mib),
        event("alloc", base, 3 * mib - 100),
        event("alloc", base + 3 * mib, 4 * mib),
        failed,
        event("free_requested", base + 3 * mib, 4 * mib),
    ];
    let root = dict(&[
        ("segments", list(&[segment])),
        ("device_traces", list(&[list(&events)])),
    ]);
    let snapshot = read_snapshot(&file(&root)).expect("a snapshot");
    let device = &snapshot.devices[0];
    let failed = FailedRequest {
        requested: 3_000_000_000,
        free: 5 << 20,
    };
    assert_eq!(device.failures(), [failed]);
    assert_eq!(device.end.allocated, 3 * mib);
    assert_eq!(device.end.active, 7 * mib, "a block that a stream uses");
    assert_eq!(device.peak_allocated.bytes, 7 * mib);
    assert_eq!(device.peak_allocated.position, 3);
    assert_eq!((device.start.allocated, device.start.reserved), (0, 0));
}

#[test]
fn what_is_guessed_of_a_snapshot_is_what_the_same_training_is_estimated_to_hold() {
    let mut compared = 0;
    for case in cases(PEAKS) {
        let Some(scenario) = case.get("scenario") else {
            continue;
        };
        let file = case["file"].as_str().expect("a file");
        let snapshot = read_snapshot(&snapshot_file(file)).expect(file);
        let device = &snapshot.devices[0];
        let guess = device.guess.as_ref().expect("frames");
        let (scenario, findings) = decode_json(&scenario.to_string());
        assert!(findings.is_empty(), "{findings:?}");
        let report = estimate(&scenario).expect("an estimate").report;
        let peak = report.device.binding();
        for row in purpose_rows(guess, &peak.composition) {
            // The memory that earlier recordings hold.
            let earlier = Bytes(case["start_allocated"].as_u64().expect("bytes"));
            let expected = row.estimated.unwrap_or(earlier);
            assert_eq!(row.measured, expected, "{file}: {:?}", row.purpose);
            compared += 1;
        }
        let held: u64 = guess.at_peak.iter().map(|(_, bytes)| bytes).sum();
        let held = i64::try_from(held + guess.beyond_requests);
        assert_eq!(held, Ok(device.peak_allocated.bytes), "{file}");
        let at_peak = guess.doing(device.peak_allocated.position);
        assert_eq!(at_peak.map(Doing::name), Some(peak.phase.name()), "{file}");
        let steps = guess.passes.iter();
        let steps = steps.filter(|(_, doing)| *doing == Doing::OptimizerStep);
        assert_eq!(steps.count(), 3, "{file}: {:?}", guess.passes);
    }
    assert!(compared > 10, "{compared}");
}

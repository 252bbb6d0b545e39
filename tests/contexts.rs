//! The constants of `catalog::contexts` against public out-of-memory messages of PyTorch, so that
//! no constant drifts from its source.
//!
//! A line of `contexts.jsonl` is one message: its thread, or words by which GitHub's code search
//! finds it; the GPU that the thread names or that has this capacity; what the process had in use,
//! what of it was allocated and what reserved but unallocated, as printed; and the libraries that
//! the thread shows. Left out are servers (vLLM and others) and programs with allocators or CUDA
//! graphs of their own.

use highwater::catalog::{CONTEXTS_DIFFER_BY, accelerator};
use serde_json::Value;

const MIB: f64 = 1024.0 * 1024.0;
/// Jobs of several processes.
const SEVERAL: &str = "nccl";

struct Measurement {
    /// Threads that the GPU holds at once.
    threads: f64,
    /// MiB outside of the allocator.
    outside: f64,
    /// The estimate, in MiB.
    estimated: f64,
    /// Memory of a communicator among eight GPUs, in MiB.
    nccl: f64,
    libraries: String,
}

/// MiB of a printed size, as "1.68 GiB".
fn mib(printed: &Value) -> f64 {
    let (number, unit) = printed
        .as_str()
        .and_then(|text| text.split_once(' '))
        .expect("a size");
    let scale = match unit {
        "GiB" => 1024.0,
        "MiB" => 1.0,
        "KiB" => 1.0 / 1024.0,
        _ => panic!("{unit}"),
    };
    number.parse::<f64>().expect("a number") * scale
}

fn measurements() -> Vec<Measurement> {
    let read = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let accelerator = line["gpu"].as_str().and_then(accelerator).expect("a GPU");
        Measurement {
            threads: accelerator.resident_threads as f64,
            outside: mib(&line["in_use"]) - mib(&line["allocated"]) - mib(&line["unallocated"]),
            estimated: accelerator.context.value.get() as f64 / MIB,
            nccl: accelerator.nccl(8).value.get() as f64 / MIB,
            libraries: line["libraries"].as_str().expect("libraries").to_owned(),
        }
    };
    include_str!("fixtures/contexts.jsonl")
        .lines()
        .map(read)
        .collect()
}

fn alone() -> Vec<Measurement> {
    measurements()
        .into_iter()
        .filter(|m| m.libraries != SEVERAL)
        .collect()
}

fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

/// The line with the median slope between any two points (Theil and Sen), which few outliers do
/// not move: MiB at no threads, bytes for each thread.
fn line(points: &[Measurement]) -> (f64, f64) {
    let pairs = points
        .iter()
        .enumerate()
        .flat_map(|(i, a)| points[..i].iter().map(move |b| (a, b)));
    let slope = median(
        pairs
            .filter(|(a, b)| (a.threads - b.threads).abs() > 0.5)
            .map(|(a, b)| (a.outside - b.outside) / (a.threads - b.threads)),
    );
    let base = median(
        points
            .iter()
            .map(|point| point.outside - slope * point.threads),
    );
    (base, slope * MIB)
}

#[test]
fn the_context_is_the_line_through_the_measurements() {
    let points = alone();
    let (base, slope) = line(&points);
    let (base, slope) = (base.round(), slope.round());
    for point in &points {
        let found = base + slope * point.threads / MIB;
        assert!(
            (found - point.estimated).abs() < 0.01,
            "{base} MiB + {slope} bytes a thread"
        );
    }
}

#[test]
fn contexts_are_as_sure_as_they_are_said_to_be() {
    let points = alone();
    let mut errors: Vec<f64> = points
        .iter()
        .map(|p| (p.outside - p.estimated).abs())
        .collect();
    errors.sort_by(f64::total_cmp);
    assert_eq!(errors.len(), 59);
    assert!(errors[errors.len() / 2] < 11.5, "{errors:?}");
    let differ = CONTEXTS_DIFFER_BY.get() as f64 / MIB;
    assert!(errors[errors.len() * 9 / 10] < differ, "{errors:?}");
}

#[test]
fn libraries_of_one_process_add_nothing_that_messages_show() {
    let points = alone();
    for libraries in [
        "plain",
        "convolutions",
        "recurrences",
        "bitsandbytes",
        "flash-attn",
    ] {
        let of_these = points.iter().filter(|point| point.libraries == libraries);
        let added = median(of_these.map(|point| point.outside - point.estimated));
        // Three figures of two decimals of a GiB are added.
        assert!(added.abs() < 15.0, "{libraries}: {added} MiB");
    }
}

#[test]
fn several_processes_add_the_buffers_of_a_communicator() {
    let all = measurements();
    let several = all.iter().filter(|point| point.libraries == SEVERAL);
    let added = several.map(|point| (point.outside - point.estimated, point.nccl));
    let mut errors: Vec<f64> = added.map(|(added, nccl)| (added - nccl).abs()).collect();
    errors.sort_by(f64::total_cmp);
    assert_eq!(errors.len(), 15);
    assert!(errors[7] < 109.0, "{errors:?}");
}

#[test]
fn buffers_of_a_communicator_follow_from_its_channels() {
    let mib =
        |gpu: &str, gpus| accelerator(gpu).expect("a GPU").nccl(gpus).value.get() as f64 / MIB;
    let said = [mib("rtx-4090", 2), mib("a100-80gb", 8), mib("h100-80gb", 8)];
    assert_eq!(said.map(|mib| format!("{mib:.0}")), ["55", "662", "918"]);
}

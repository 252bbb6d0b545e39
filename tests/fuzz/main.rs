//! Whatever is pasted, dropped or named in a link is read or refused: without a panic, within two seconds, within a
//! gibibyte. A few thousand mutated inputs each time, millions when asked (`cargo xtask fuzz 2000000`).

mod graphs;

use highwater::codec::{JobFile, decode_json, decode_query, read_handed, read_pasted};
use highwater::inputs::{Overview, decode, read, read_snapshot};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Mutated inputs of a usual run.
const USUAL: usize = 3000;
/// The longest that the readers may take together for one input.
const LONGEST: Duration = Duration::from_secs(2);
/// The most memory of all, in KiB.
const MOST_MEMORY: u64 = 1 << 20;
/// Mutated inputs are not longer than this, in bytes.
const LARGEST: usize = 1 << 20;

/// Numbers without a pattern, the same ones each time (xorshift).
struct Numbers(u64);

impl Numbers {
    /// The random numbers of the input with this index.
    fn of(input: usize) -> Self {
        let spread = (input as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self(spread ^ 0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end.max(1) as u64).expect("below a size")
    }

    fn part(&mut self, of: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(of.len());
        start..start + self.below((of.len() - start).min(200) + 1)
    }
}

/// Words that readers look for, and others that should not make them fail.
const PIECES: &[&[u8]] = &[
    b"Tried to allocate ",
    b"CUDA out of memory. ",
    b"GPU 0 has a total capacity of ",
    b"(GPU 0; ",
    b" MiB",
    b"99999999999999999999999999",
    b"-1",
    b"1.2.3 GiB",
    b"Process 1 has ",
    b"exitcode: ",
    b"| Allocated memory | ",
    b"\x1b[",
    "\u{1f4a5}\u{200b}".as_bytes(),
    b"\xff\xfe",
    b"\n\n",
    b"\x80\x04",
    b"(((((((((",
    b"\x8b\xff\xff\xff\x7f",
    b"r\xff\xff\xff\x00",
    b"&a [*a, *a, *a]",
    b"{{{{{{{{",
    b"[[[[[[[[",
    b"- - - - - - ",
    b"${A:-$A$A}",
    b"A+=($A \"$A\")\n",
    b"--key '{\"a\": {\"b\": 1}}' ",
    b"<<: *a\n",
    b"?v=1&model=",
    b"&mb=18446744073709551616",
    b"&a=%3Fv%3D1%26a%3D%253F",
    b"%ff%",
    b"\"seq_len\": 9007199254740993,",
    b"\"num_hidden_layers\": 4294967295,",
    b"\"hidden_size\": 0,",
    b"\"model\": {\"hf_config\": ",
    b"1e400",
    b"null",
    b"SFTConfig(",
    b"model = get_peft_model(model, ",
    b"a = [a, a, a, a]\n",
    b"lambda not -",
    b"class A(A):\n    ",
    b"else:\n",
    b"2 ** 99 << 63 // -1",
    b"f\"{",
    b"\"\"\"",
    b"```python\n",
];

fn mutated(seeds: &[Vec<u8>], numbers: &mut Numbers) -> Vec<u8> {
    let mut text = seeds[numbers.below(seeds.len())].clone();
    for _ in 0..=numbers.below(6) {
        let at = numbers.below(text.len() + 1);
        match numbers.below(6) {
            0 if at < text.len() => text[at] = u8::try_from(numbers.below(256)).expect("a byte"),
            1 => {
                let part = numbers.part(&text);
                text.drain(part);
            }
            2 => {
                let part = numbers.part(&text);
                let part = text[part].to_vec();
                text.splice(at..at, part);
            }
            3 => {
                let other = &seeds[numbers.below(seeds.len())];
                let part = numbers.part(other);
                text.splice(at..at, other[part].iter().copied());
            }
            4 if numbers.below(4) == 0 => text.truncate(at),
            _ => {
                let piece = PIECES[numbers.below(PIECES.len())];
                text.splice(at..at, piece.iter().copied());
            }
        }
    }
    text.truncate(LARGEST);
    text
}

/// Every reader there is: texts of failures and tables, snapshots, configurations in all formats, scenarios, models'
/// configs and links.
fn read_by_all(input: &[u8]) {
    let text = decode(input);
    let _ = read(&text);
    if let Ok(snapshot) = read_snapshot(input) {
        let _ = Overview::from(&snapshot);
        for device in &snapshot.devices {
            device.mapped(device.events.len() / 2);
        }
    }
    let file = JobFile {
        name: "mutated".to_owned(),
        text: text.clone().into_owned(),
    };
    // Takes apart texts that were handed in together, and reads the job in them.
    let _ = read_handed(&[file]).read_job(&[]);
    let _ = read_pasted(&text);
    let _ = decode_json(&text);
    let _ = decode_query(&text);
}

/// The files of a folder with these ends, in the order of their names.
fn files(folder: &str, ends: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let wanted = |path: &&std::path::PathBuf| {
        let end = path.extension().and_then(|end| end.to_str());
        end.is_some_and(|end| ends.contains(&end))
    };
    let contents = paths.iter().filter(wanted);
    contents
        .map(|path| std::fs::read(path).expect("a file"))
        .collect()
}

/// The values at a JSON pointer in the lines of a fixture, as text; `most` of them.
fn parts(lines: &str, pointer: &str, most: usize) -> Vec<Vec<u8>> {
    let lines = lines.lines().filter(|line| !line.trim().is_empty());
    let values = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let parts = values.filter_map(|value| {
        let part = value.pointer(pointer)?;
        Some(
            part.as_str()
                .map_or_else(|| part.to_string(), str::to_owned)
                .into_bytes(),
        )
    });
    parts.take(most).collect()
}

/// The seeds of inputs: the contents of the fixtures.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = files(
        "fixtures/inputs/configs",
        &["yaml", "yml", "json", "toml", "sh"],
    );
    seeds.extend(files(
        "fixtures/inputs/python",
        &["py", "md", "ipynb", "sh"],
    ));
    seeds.extend(files("fixtures/inputs/snapshots", &["pickle"]));
    for (lines, pointer, most) in [
        (
            include_str!("../fixtures/inputs/public_errors.jsonl"),
            "/text",
            1000,
        ),
        (
            include_str!("../fixtures/inputs/written_errors.jsonl"),
            "/text",
            1000,
        ),
        (
            include_str!("../fixtures/inputs/configs/more_formats.jsonl"),
            "/text",
            1000,
        ),
        (
            include_str!("../fixtures/inputs/configs/jobs.jsonl"),
            "/scenario",
            1000,
        ),
        (include_str!("../links/published.jsonl"), "/link", 200),
        (include_str!("../links/published.jsonl"), "/scenario", 20),
        (
            include_str!("../fixtures/configs.jsonl"),
            "/scenario/model/hf_config",
            40,
        ),
        (include_str!("../fixtures/configs.jsonl"), "/scenario", 20),
        (
            include_str!("../fixtures/drawn_options.jsonl"),
            "/scenario",
            100,
        ),
    ] {
        seeds.extend(parts(lines, pointer, most));
    }
    seeds
}

/// The result of a run.
struct Found {
    /// Indices of inputs over which a reader failed, or that took too long.
    broken: Vec<usize>,
    /// The slowest input and its time.
    slowest: (usize, Duration),
}

/// Runs `count` inputs by their numbers, in `threads` threads.
fn fuzz_with(count: usize, threads: usize, run: &(dyn Fn(usize) + Sync)) -> Found {
    let next = AtomicUsize::new(0);
    let each = || {
        let mut found = Found {
            broken: Vec::new(),
            slowest: (0, Duration::ZERO),
        };
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= count {
                return found;
            }
            let begun = Instant::now();
            let holds = catch_unwind(AssertUnwindSafe(|| run(place))).is_ok();
            let taken = begun.elapsed();
            if taken > found.slowest.1 {
                found.slowest = (place, taken);
            }
            if !holds || taken > LONGEST {
                found.broken.push(place);
            }
        }
    };
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(each)).collect();
        let all = all
            .into_iter()
            .map(|thread| thread.join().expect("a thread"));
        let merge = |mut a: Found, b: Found| {
            a.broken.extend(b.broken);
            a.slowest = if b.slowest.1 > a.slowest.1 {
                b.slowest
            } else {
                a.slowest
            };
            a
        };
        all.reduce(merge).expect("a thread")
    })
}

/// Prints the counts and the time, and keeps the inputs that break something.
fn report(count: usize, taken: Duration, found: &Found, input: &dyn Fn(usize) -> Vec<u8>) {
    let memory = memory();
    println!(
        "{count} inputs in {taken:.0?}; the slowest, {}, took {:.0?}; memory at most {} MiB; {} break something",
        found.slowest.0,
        found.slowest.1,
        memory.unwrap_or_default() >> 10,
        found.broken.len(),
    );
    for place in found.broken.iter().take(20) {
        let path = std::env::temp_dir().join(format!("highwater-fuzz-{place}"));
        let _ = std::fs::write(&path, input(*place));
        println!("input {place} is {}", path.display());
    }
    assert!(found.broken.is_empty(), "{:?}", found.broken);
    assert!(
        memory.is_none_or(|most| most < MOST_MEMORY),
        "{memory:?} KiB"
    );
}

/// Reads mutated inputs.
fn check(count: usize, threads: usize) {
    let begun = Instant::now();
    let seeds = seeds();
    let input = |place: usize| mutated(&seeds, &mut Numbers::of(place));
    let found = fuzz_with(count, threads, &|place| read_by_all(&input(place)));
    report(count, begun.elapsed(), &found, &input);
}

/// The most memory that this process had, in KiB, where the system says it.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn whatever_is_pasted_is_read_or_refused_soon_and_within_a_gibibyte() {
    check(USUAL, 1);
}

#[test]
#[ignore = "takes minutes: cargo xtask fuzz COUNT"]
fn so_is_whatever_is_pasted_millions_of_times() {
    check(asked(2_000_000), threads());
}

/// How many inputs are asked for.
fn asked(otherwise: usize) -> usize {
    let asked = std::env::var("HIGHWATER_FUZZ").ok();
    asked
        .and_then(|count| count.parse().ok())
        .unwrap_or(otherwise)
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

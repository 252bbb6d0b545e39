//! Every check, in stages, with a summary.

use crate::build::{self, PAGE_CODE};
use crate::process::{Failure, browser_tests, cargo, minutes, program, root, run};
use crate::{bench, tools, wheel};
use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A check with a name to call it by.
struct Stage {
    name: &'static str,
    what: &'static str,
    run: fn() -> Result<(), Failure>,
}

/// In the order of how soon they tell something. Times are taken when nothing else runs.
const STAGES: &[Stage] = &[
    Stage {
        name: "setup",
        what: "what is missing is installed",
        run: tools::everything,
    },
    Stage {
        name: "format",
        what: "the code is formatted",
        run: || run(cargo().args(["fmt", "--all", "--check"]), minutes(2)),
    },
    Stage {
        name: "lint",
        what: "clippy has nothing to say of the pure rooms, the tests and the tools",
        run: || {
            run(
                cargo()
                    .args([
                        "clippy",
                        "--locked",
                        "--quiet",
                        "--workspace",
                        "--all-targets",
                    ])
                    .args(["--", "-D", "warnings"]),
                minutes(10),
            )
        },
    },
    Stage {
        name: "lint-page",
        what: "clippy has nothing to say of the page",
        run: || {
            run(
                cargo()
                    .args(["clippy", "--locked", "--quiet"])
                    .args(PAGE_CODE)
                    .args(["--", "-D", "warnings"])
                    // Any file will do to look at the code.
                    .env(
                        bench::NATIVE_REPORTS_VARIABLE,
                        root().join(bench::SCENARIOS),
                    ),
                minutes(15),
            )
        },
    },
    Stage {
        name: "native",
        what: "the pure suite, the architecture and the accuracy table",
        run: || {
            run(
                cargo()
                    .args([
                        "test",
                        "--locked",
                        "--quiet",
                        "--workspace",
                        "--no-fail-fast",
                    ])
                    // Tables that tests print are worth reading when they pass, too.
                    .args(["--", "--show-output"]),
                minutes(20),
            )
        },
    },
    Stage {
        name: "python",
        what: "the Python module on the command line, where python3 is",
        run: wheel::module,
    },
    Stage {
        name: "page",
        what: "the page builds as released",
        run: build::release_page,
    },
    Stage {
        name: "size",
        what: "what a first visit downloads",
        run: build::size,
    },
    Stage {
        name: "bench",
        what: "the time of one estimate, natively, compiled as the tests are",
        run: bench::native_of_tests,
    },
    Stage {
        name: "wasm",
        what: "in WebAssembly: the native command line's bytes, the time of an estimate, figures",
        run: bench::in_webassembly,
    },
    Stage {
        name: "browser",
        what: "the page in a real browser, with real input",
        run: browser,
    },
];

/// Runs the stages named, or all of them; every stage runs, whatever the others say.
pub fn run_stages(names: &[String]) -> Result<(), Failure> {
    let unknown = names
        .iter()
        .find(|name| !STAGES.iter().any(|stage| stage.name == *name));
    if let Some(unknown) = unknown {
        let known: Vec<&str> = STAGES.iter().map(|stage| stage.name).collect();
        return Err(Failure::usage(format!(
            "there is no stage `{unknown}`; there are {}",
            known.join(", ")
        )));
    }
    let mut results = Vec::new();
    let mut ahead = None;
    for stage in STAGES {
        if !names.is_empty() && !names.iter().any(|name| name == stage.name) {
            continue;
        }
        println!("\n=== {}: {} ===", stage.name, stage.what);
        let start = Instant::now();
        let begun = ahead.take_if(|_| stage.name == AHEAD);
        let result = begun.map_or_else(stage.run, Background::end);
        if names.is_empty() && stage.name == "setup" && result.is_ok() {
            ahead = begin(AHEAD);
        }
        if let Err(failure) = &result {
            println!("  FAILED: {}", failure.message);
        }
        results.push((stage, result, start.elapsed()));
    }
    summary(&results)
}

fn summary(results: &[(&Stage, Result<(), Failure>, Duration)]) -> Result<(), Failure> {
    println!("\n=== summary ===");
    for (stage, result, time) in results {
        let word = if result.is_ok() { "ok" } else { "FAILED" };
        println!(
            "{word:>7}  {:>7.1} s  {:<9} {}",
            time.as_secs_f64(),
            stage.name,
            stage.what
        );
    }
    let total: Duration = results.iter().map(|(_, _, time)| *time).sum();
    let failed: Vec<&str> = results
        .iter()
        .filter(|(_, result, _)| result.is_err())
        .map(|(stage, _, _)| stage.name)
        .collect();
    println!("{:>18.1} s  in total", total.as_secs_f64());
    if failed.is_empty() {
        println!("All {} stages passed.", results.len());
        return Ok(());
    }
    Err(Failure::new(format!(
        "{} of {} stages failed: {}; one alone runs with `cargo xtask test {}`",
        failed.len(),
        results.len(),
        failed.join(", "),
        failed[0],
    )))
}

/// The stage that begins when everything is installed, beside those before it: linking and shrinking the page take one core
/// for minutes.
const AHEAD: &str = "page";

/// A stage that runs beside others, and the file with what it says.
struct Background {
    child: Child,
    log: PathBuf,
}

/// Begins a stage beside others; nothing where that fails, so that it runs in its turn.
fn begin(stage: &str) -> Option<Background> {
    let log = root().join(format!("target/{stage}.log"));
    let file = File::create(&log).ok()?;
    let mut command = Command::new(std::env::current_exe().ok()?);
    let child = command
        .args(["test", stage])
        .stdin(Stdio::null())
        .stdout(file.try_clone().ok()?)
        .stderr(file)
        .spawn()
        .ok()?;
    Some(Background { child, log })
}

impl Background {
    /// Waits for its end and prints what it has said.
    fn end(mut self) -> Result<(), Failure> {
        let status = self.child.wait();
        print!("{}", std::fs::read_to_string(&self.log).unwrap_or_default());
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Failure::new(format!("it failed: {status}"))),
            Err(error) => Err(Failure::new(error.to_string())),
        }
    }
}

/// The tests under `tests/e2e`, against the files that `page` built.
fn browser() -> Result<(), Failure> {
    in_browser(
        &[
            "--test",
            "--test-concurrency=2",
            "--test-timeout=300000",
            "--test-reporter=spec",
        ],
        20,
    )
}

/// Edits the built page at random, many times.
pub fn monkey(arguments: &[String]) -> Result<(), Failure> {
    let count = count(arguments, "20000", "cargo xtask monkey [EDITS]")?;
    in_browser(&["monkey.mjs", count], 180)
}

/// Runs Node.js in `tests/e2e` for `most` minutes at most.
fn in_browser(arguments: &[&str], most: u64) -> Result<(), Failure> {
    if !root().join("target/dist/index.html").is_file() {
        return Err(Failure::new(
            "there is no page in target/dist: `cargo xtask build` makes it",
        ));
    }
    tools::node_packages()?;
    let browser = tools::browser()?;
    run(
        program("node")
            .args(arguments)
            .current_dir(browser_tests())
            .env("CHROMIUM", browser.chromium),
        minutes(most),
    )
}

/// The one argument, a count; without one `usual`.
fn count<'a>(
    arguments: &'a [String],
    usual: &'a str,
    usage: &'static str,
) -> Result<&'a str, Failure> {
    match arguments {
        [] => Ok(usual),
        [count] if count.bytes().all(|digit| digit.is_ascii_digit()) => Ok(count),
        _ => Err(Failure::usage(usage.to_owned())),
    }
}

/// Reads many mutated inputs with every reader, at full speed.
pub fn fuzz(arguments: &[String]) -> Result<(), Failure> {
    let count = count(arguments, "2000000", "cargo xtask fuzz [COUNT]")?;
    let selection = ["test", "--locked", "--release", "--test", "fuzz", "--"];
    run(
        cargo()
            .args(selection)
            .args(["--ignored", "--nocapture"])
            .env("HIGHWATER_FUZZ", count)
            // Built in parts: minutes are saved, and little speed is lost.
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
        minutes(120),
    )
}

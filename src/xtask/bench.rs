//! The time of one estimate, natively and in WebAssembly, from the same scenarios.

use crate::process::{Failure, cargo, minutes, root, run};
use crate::{pins, tools};
use std::fs::File;
use std::process::Stdio;

/// Scenarios whose reports are compared byte by byte between the two.
pub const SCENARIOS: &str = "tests/wasm/scenarios.jsonl";

/// Reports of the native command line on the scenarios.
const NATIVE_REPORTS: &str = "target/native-reports.jsonl";

/// Names that file to the compiler of the test.
pub const NATIVE_REPORTS_VARIABLE: &str = "HIGHWATER_NATIVE_REPORTS";

/// Prints both times.
pub fn run_both() -> Result<(), Failure> {
    native()?;
    tools::wasm_target()?;
    tools::installed("wasm-bindgen", "wasm-bindgen-cli", pins::WASM_BINDGEN)?;
    // The engine alone, compiled as for the page.
    headless(&["--profile", "web", "--test", "wasm"])
}

/// The native time, compiled as released.
fn native() -> Result<(), Failure> {
    native_with(&[])
}

/// The native time of what the tests have compiled, which saves minutes; only the tape and the allocator are as released.
pub fn native_of_tests() -> Result<(), Failure> {
    native_with(&["--profile", "dev"])
}

fn native_with(profile: &[&str]) -> Result<(), Failure> {
    run(
        cargo()
            .args(["bench", "--locked", "--quiet", "--bench", "estimate"])
            .args(profile),
        minutes(10),
    )
}

/// The tests in WebAssembly: the reports equal the native command line's, and the figures on a
/// canvas. They are compiled fast, so times are longer than on the page.
pub fn in_webassembly() -> Result<(), Failure> {
    headless(&[
        "--profile",
        "web-dev",
        "--features",
        "web",
        "--test",
        "wasm",
        "--test",
        "canvas",
    ])
}

/// Tests in a headless browser.
fn headless(selection: &[&str]) -> Result<(), Failure> {
    let browser = tools::browser()?;
    native_reports()?;
    run(
        cargo()
            .args(["test", "--locked", "--target", pins::WASM_TARGET])
            .args(selection)
            .args(["--", "--nocapture"])
            .env(
                "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER",
                "wasm-bindgen-test-runner",
            )
            .env("CHROMEDRIVER", browser.driver)
            .env("WASM_BINDGEN_TEST_TIMEOUT", "120")
            .env(NATIVE_REPORTS_VARIABLE, root().join(NATIVE_REPORTS)),
        minutes(20),
    )
}

/// Writes what the native command line says of the scenarios to a file that the WebAssembly test
/// is compiled with.
fn native_reports() -> Result<(), Failure> {
    run(
        cargo().args(["build", "--locked", "--quiet", "--bin", "highwater"]),
        minutes(10),
    )?;
    let path = root().join(NATIVE_REPORTS);
    let file = File::create(&path)
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    let status = crate::process::program("target/debug/highwater")
        .args(["estimate", SCENARIOS])
        .stdout(Stdio::from(file))
        .status()
        .map_err(|error| Failure::new(format!("target/debug/highwater: {error}")))?;
    // 3: some scenario does not fit its hardware. 2: some cannot be, which is asked on purpose.
    match status.code() {
        Some(0 | 2 | 3) => Ok(()),
        _ => Err(Failure::new(format!(
            "`highwater estimate {SCENARIOS}`: {status}"
        ))),
    }
}

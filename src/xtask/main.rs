//! `cargo xtask`: everything a person or a build machine does with this repository.
//!
//! It installs missing tools at the versions in [`pins`], says what it does, and leaves the work
//! to the tools themselves. It knows nothing of the model.

mod bench;
mod build;
mod guide;
mod hosting;
mod leaner;
mod pins;
mod process;
mod split;
mod tests;
mod tools;
mod wheel;

use process::Failure;
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask serve [--dev] [--port N]  build the page, serve it on this machine, rebuild on change
cargo xtask test [STAGE ...]          run every check, or only the stages named
cargo xtask build [--url ADDRESS]     build the page for hosting, as static files
cargo xtask guide                     write the guide into the built page: Markdown as plain HTML
cargo xtask size                      what a first visit downloads, against the budget
cargo xtask bench                     time of one estimate, natively and in WebAssembly
cargo xtask fuzz [COUNT]              read COUNT mutated inputs with every reader (2,000,000)
cargo xtask monkey [EDITS]            edit the built page at random EDITS times (20,000), and print its memory
cargo xtask wheel [--dev] [--test]    build the Python wheel in target/wheels; needs python3
cargo xtask setup                     install what the others need, and nothing else

What is missing is installed at a pinned version: Rust's WebAssembly target with rustup, Trunk and
wasm-bindgen and maturin under target/tools, node packages under tests/e2e, and, for the browser tests and the cut
of the built page, Chromium with apt-get when run as root on Debian or Ubuntu.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or_default();
    let outcome = match arguments.first().map(String::as_str) {
        Some("serve") => build::serve(rest),
        Some("test") => tests::run_stages(rest),
        Some("build") => build::release_page_for(rest),
        Some("guide") => nothing_else(rest).and_then(|()| guide::write()),
        Some("size") => nothing_else(rest).and_then(|()| build::size()),
        Some("bench") => nothing_else(rest).and_then(|()| bench::run_both()),
        Some("fuzz") => tests::fuzz(rest),
        Some("monkey") => tests::monkey(rest),
        Some("wheel") => wheel::wheel(rest),
        Some("setup") => nothing_else(rest).and_then(|()| tools::everything()),
        None | Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            Ok(())
        }
        Some(other) => Err(Failure::usage(format!(
            "there is no `cargo xtask {other}`\n\n{HELP}"
        ))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\nxtask: {}", failure.message);
            ExitCode::from(failure.code)
        }
    }
}

/// Refuses arguments where there are none to take.
fn nothing_else(rest: &[String]) -> Result<(), Failure> {
    match rest.first() {
        None => Ok(()),
        Some(word) => Err(Failure::usage(format!(
            "`{word}` is not understood here\n\n{HELP}"
        ))),
    }
}

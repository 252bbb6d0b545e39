//! The page: built for hosting, served for development, weighed.

use crate::process::{Failure, browser_tests, minutes, program, root, run};
use crate::{hosting, pins, tools};
use lexopt::Arg::Long;
use lexopt::{Parser, ValueExt};
use std::net::TcpListener;

/// The port tried first.
const PORT: u16 = 8080;

/// How many ports after [`PORT`] are tried when it is taken.
const PORTS_TRIED: u16 = 20;

/// The folder in which `cargo xtask serve` builds, apart from the files for hosting.
const SERVED: &str = "target/serve";

/// Builds the page for hosting.
pub fn release_page() -> Result<(), Failure> {
    release_page_at(None)
}

/// Builds the page; `--url ADDRESS` is its future address, so that previews of links show a picture.
pub fn release_page_for(arguments: &[String]) -> Result<(), Failure> {
    const TAKES: &str = "build takes nothing, or --url and the address where the page will be, as `--url https://example.org/highwater/`";
    let mut address = None;
    let mut parser = Parser::from_args(arguments);
    while let Some(argument) = parser
        .next()
        .map_err(|error| Failure::usage(error.to_string()))?
    {
        let url = match argument {
            Long("url") => parser.value().and_then(ValueExt::string).ok(),
            _ => None,
        };
        let url = url.filter(|url| url.starts_with("http"));
        address = Some(url.ok_or_else(|| Failure::usage(TAKES))?);
    }
    release_page_at(address.as_deref())
}

/// How rustc compiles the page that is to be cut. Functions of more than some 30 instructions stay functions, even if
/// there is but one call of them: functions that do not run before the first estimate are cut off, and an inlined one
/// cannot be. (LLVM rewards putting in the only call with a fixed number; all others, a hundred times as large as they
/// are by themselves, keep their proportions.) Relocations say which constants those functions alone refer to.
const TO_BE_CUT: &str = "--cfg erase_components -Cllvm-args=-inline-threshold=500 \
    -Cllvm-args=-inline-instr-cost=500 -Cllvm-args=-inline-call-penalty=2500 \
    -Clink-arg=--emit-relocs";

/// Flags of the page's target alone: Trunk also runs `cargo xtask guide`, which is compiled for this machine.
const PAGE_FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";

fn release_page_at(address: Option<&str>) -> Result<(), Failure> {
    tools::page()?;
    run(
        program("trunk")
            .args(["build", "--release=true"])
            .env_remove("RUSTFLAGS")
            .env(PAGE_FLAGS, TO_BE_CUT),
        minutes(20),
    )?;
    hosting::finish(address)?;
    println!(
        "The page is in target/dist: static files, ready for any web server, under any path.\n\
         They must be served, not opened from disk: `cargo xtask serve` does that here."
    );
    Ok(())
}

/// Builds the page, serves it on this machine and rebuilds it on change, until interrupted.
pub fn serve(arguments: &[String]) -> Result<(), Failure> {
    let Options { dev, port } = options(arguments)?;
    tools::page()?;
    let port = match port {
        Some(port) => port,
        None => free_port()?,
    };
    // Trunk wants the folder to be there before it serves.
    std::fs::create_dir_all(root().join(SERVED))
        .map_err(|error| Failure::new(format!("{SERVED}: {error}")))?;
    println!(
        "\nHighwater will be at http://127.0.0.1:{port}/ as soon as it is built{}.\n\
         A page with two embedded estimates: http://127.0.0.1:{port}/embed-demo.html\n\
         Ctrl-C ends it.\n",
        if dev {
            ""
        } else {
            " (a minute or two the first time)"
        },
    );
    run(
        program("trunk")
            .args(["serve", "--dist", SERVED, "--port", &port.to_string()])
            .arg(format!("--release={}", !dev))
            .arg(format!("--no-autoreload={}", !dev)),
        std::time::Duration::MAX,
    )
}

/// Prints what a first visit downloads, against the budget.
pub fn size() -> Result<(), Failure> {
    if !root().join("target/dist/index.html").is_file() {
        release_page()?;
    }
    tools::node_packages()?;
    run(
        program("node").arg("size.mjs").current_dir(browser_tests()),
        minutes(2),
    )
}

struct Options {
    dev: bool,
    port: Option<u16>,
}

fn options(arguments: &[String]) -> Result<Options, Failure> {
    let mut options = Options {
        dev: false,
        port: None,
    };
    let mut parser = Parser::from_args(arguments);
    while let Some(argument) = parser
        .next()
        .map_err(|error| Failure::usage(error.to_string()))?
    {
        match argument {
            Long("dev") => options.dev = true,
            Long("port") => {
                let port = parser.value().and_then(|value| ValueExt::parse(&value));
                options.port = Some(port.map_err(|_| {
                    Failure::usage("--port wants a number from 1 to 65535, as `--port 8080`")
                })?);
            }
            other => {
                let other = other.unexpected();
                return Err(Failure::usage(format!(
                    "{other}; serve takes --dev and --port N"
                )));
            }
        }
    }
    Ok(options)
}

fn free_port() -> Result<u16, Failure> {
    (PORT..PORT + PORTS_TRIED)
        .find(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok())
        .ok_or_else(|| {
            Failure::new(format!(
                "ports {PORT} to {} are taken; name another with --port N",
                PORT + PORTS_TRIED - 1
            ))
        })
}

/// Arguments that select the code of the page and its tests.
pub const PAGE_CODE: &[&str] = &[
    "--target",
    pins::WASM_TARGET,
    "--features",
    "web",
    "--lib",
    "--bin",
    "web",
    "--test",
    "wasm",
    "--test",
    "canvas",
];

//! Installs missing tools at pinned versions, and says so.

use crate::pins;
use crate::process::{
    Failure, browser_tests, cargo, find, minutes, output, program, program_at, run, tools_folder,
};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Everything that building and testing need.
pub fn everything() -> Result<(), Failure> {
    page()?;
    node_packages()?;
    browser()?;
    println!("Everything is there.");
    Ok(())
}

/// Installs the tools that build the page.
pub fn page() -> Result<(), Failure> {
    wasm_target()?;
    dependencies()?;
    installed("trunk", "trunk", pins::TRUNK)?;
    installed("wasm-bindgen", "wasm-bindgen-cli", pins::WASM_BINDGEN)?;
    // wasm-opt is one of the node packages: Debian's is too old for what rustc writes.
    node_packages()
}

/// Rust's standard library for WebAssembly.
pub fn wasm_target() -> Result<(), Failure> {
    let there = output(program("rustc").args(["--print", "sysroot"])).is_some_and(|sysroot| {
        PathBuf::from(sysroot)
            .join("lib/rustlib")
            .join(pins::WASM_TARGET)
            .is_dir()
    });
    if there {
        return Ok(());
    }
    println!("Installing Rust's target {}.", pins::WASM_TARGET);
    if find("rustup").is_none() {
        return Err(Failure::new(format!(
            "the Rust target {} is missing, and so is rustup, which installs it: see https://rustup.rs",
            pins::WASM_TARGET
        )));
    }
    run(
        program("rustup").args(["target", "add", pins::WASM_TARGET]),
        minutes(5),
    )
}

/// The crates of `Cargo.lock`, so that everything after this works without a network.
pub fn dependencies() -> Result<(), Failure> {
    let offline = output(cargo().args(["fetch", "--locked", "--offline"])).is_some();
    if offline {
        return Ok(());
    }
    println!("Fetching the crates of Cargo.lock.");
    run(cargo().args(["fetch", "--locked"]), minutes(10))
}

/// A tool from crates.io, under `target/tools` unless the right version is on the path already.
pub fn installed(binary: &str, package: &str, version: &str) -> Result<(), Failure> {
    let found = output(program(binary).arg("--version"));
    let right = found
        .as_deref()
        .is_some_and(|text| text.split_whitespace().nth(1) == Some(version));
    if right {
        return Ok(());
    }
    println!("Installing {package} {version} under target/tools (two minutes on two cores).");
    run(
        cargo()
            .args(["install", "--locked", "--force", "--root"])
            .arg(tools_folder())
            .args(["--version", version, package])
            .envs(pins::FAST_INSTALL.iter().copied()),
        minutes(20),
    )
}

/// The node packages of `tests/e2e/package-lock.json`.
pub fn node_packages() -> Result<(), Failure> {
    node()?;
    let folder = browser_tests();
    let wanted = std::fs::read_to_string(folder.join("package-lock.json"));
    let stamp = folder.join("node_modules/.installed-lock.json");
    let there = std::fs::read_to_string(&stamp);
    if let (Ok(wanted), Ok(there)) = (&wanted, &there)
        && wanted == there
    {
        return Ok(());
    }
    println!("Installing the node packages of tests/e2e/package-lock.json.");
    run(
        program("npm")
            .args(["ci", "--no-audit", "--no-fund"])
            .current_dir(&folder),
        minutes(5),
    )?;
    let wanted = wanted.map_err(|error| Failure::new(format!("package-lock.json: {error}")))?;
    std::fs::write(&stamp, wanted).map_err(|error| Failure::new(format!("node_modules: {error}")))
}

fn node() -> Result<(), Failure> {
    let version = output(program("node").arg("--version"));
    let major = version
        .as_deref()
        .and_then(|text| text.trim_start_matches('v').split('.').next())
        .and_then(|text| text.parse::<u32>().ok());
    match major {
        Some(major) if major >= pins::NODE_MAJOR && find("npm").is_some() => Ok(()),
        _ => Err(Failure::new(format!(
            "Node.js {} or newer with npm is needed (wasm-opt and the browser tests come from npm): \
             see https://nodejs.org; found: {}",
            pins::NODE_MAJOR,
            version.as_deref().unwrap_or("none"),
        ))),
    }
}

/// Python, which only the wheel needs.
pub fn python() -> Result<PathBuf, Failure> {
    ["python3", "python"]
        .iter()
        .find_map(|name| find(name))
        .ok_or_else(|| {
            Failure::new(
                "the wheel needs python3 (3.9 or newer) with its module venv: on Debian, sudo \
                 apt-get install python3-venv. Nothing else here does.",
            )
        })
}

/// A new environment of Python in a folder, which replaces the content of the folder.
pub fn environment(folder: &Path) -> Result<PathBuf, Failure> {
    let words: [&OsStr; 4] = [
        "-m".as_ref(),
        "venv".as_ref(),
        "--clear".as_ref(),
        folder.as_ref(),
    ];
    run(program_at(&python()?).args(words), minutes(2))?;
    Ok(folder.join("bin/python"))
}

/// maturin, in an environment of its own under `target/tools`.
pub fn maturin() -> Result<PathBuf, Failure> {
    let folder = tools_folder().join("maturin");
    let maturin = folder.join("bin/maturin");
    let there = output(program_at(&maturin).arg("--version"));
    if there.as_deref().and_then(|text| text.split(' ').nth(1)) == Some(pins::MATURIN) {
        return Ok(maturin);
    }
    println!("Installing maturin {} under target/tools.", pins::MATURIN);
    let python = environment(&folder)?;
    let pinned = format!("maturin=={}", pins::MATURIN);
    run(
        program_at(&python).args(["-m", "pip", "install", "--quiet", &pinned]),
        minutes(5),
    )?;
    Ok(maturin)
}

/// The browser that the tests drive.
pub struct Browser {
    /// Chromium.
    pub chromium: PathBuf,
    /// Its driver, for the WebAssembly tests.
    pub driver: PathBuf,
}

/// Chromium and its driver, installed where that is possible.
pub fn browser() -> Result<Browser, Failure> {
    if let Some(browser) = find_browser() {
        return Ok(browser);
    }
    let packages = pins::BROWSER_PACKAGES.join(" ");
    let root_user = output(program("id").arg("-u")).as_deref() == Some("0");
    if root_user && find("apt-get").is_some() {
        println!("Installing {packages} with apt-get.");
        let mut update = program("apt-get");
        run(update.args(["update", "-qq"]), minutes(5))?;
        let mut install = program("apt-get");
        install
            .args(["install", "-qq", "-y", "--no-install-recommends"])
            .args(pins::BROWSER_PACKAGES)
            .env("DEBIAN_FRONTEND", "noninteractive");
        run(&mut install, minutes(10))?;
    }
    find_browser().ok_or_else(|| {
        Failure::new(format!(
            "the browser tests need Chromium and its driver of the same version on the path. On \
             Debian: sudo apt-get install {packages}. Elsewhere: any Chromium or Chrome, with \
             CHROMIUM and CHROMEDRIVER naming the two programs."
        ))
    })
}

fn find_browser() -> Option<Browser> {
    let chromium = named(
        "CHROMIUM",
        &["chromium", "chromium-browser", "google-chrome"],
    )?;
    let driver = named("CHROMEDRIVER", &["chromedriver"])?;
    Some(Browser { chromium, driver })
}

fn named(variable: &str, names: &[&str]) -> Option<PathBuf> {
    match std::env::var_os(variable) {
        Some(path) => Some(PathBuf::from(path)).filter(|path| path.is_file()),
        None => names.iter().find_map(|name| find(name)),
    }
}

//! The wheel: the command line with a thin Python module over it.

use crate::process::{Failure, cargo, minutes, program_at, root, run};
use crate::tools;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder with the wheel.
const WHEELS: &str = "target/wheels";
/// The environment into which the wheel is installed to be tested.
const ENVIRONMENT: &str = "target/wheel-test";
/// The tests of the module.
const TESTS: &str = "tests/python";
/// Names an environment of Python that has torch: modules are exported with it.
const WITH_TORCH: &str = "HIGHWATER_TORCH";

/// Builds the wheel; `--dev` compiles as tests do, `--test` installs the wheel into a new environment and tests it there.
pub fn wheel(arguments: &[String]) -> Result<(), Failure> {
    let (mut dev, mut test) = (false, false);
    for argument in arguments {
        match argument.as_str() {
            "--dev" => dev = true,
            "--test" => test = true,
            other => {
                return Err(Failure::usage(format!(
                    "wheel takes --dev and --test, not `{other}`"
                )));
            }
        }
    }
    let maturin = tools::maturin()?;
    let folder = root().join(WHEELS);
    if folder.is_dir() {
        let kept = |error: std::io::Error| Failure::new(format!("{WHEELS}: {error}"));
        fs::remove_dir_all(&folder).map_err(kept)?;
    }
    let profile = if dev { "dev" } else { "release" };
    run(
        program_at(&maturin)
            .args(["build", "--profile", profile, "--out"])
            .arg(&folder)
            .current_dir(root().join("src/python")),
        minutes(20),
    )?;
    let wheel = file_in(&folder)?;
    println!("The wheel is {}.", wheel.display());
    if test { installed(&wheel) } else { Ok(()) }
}

fn file_in(folder: &Path) -> Result<PathBuf, Failure> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files = files.map(|file| file.path());
    let wheel = files.find(|file| file.extension().is_some_and(|last| last == "whl"));
    wheel.ok_or_else(|| Failure::new(format!("maturin left no wheel in {WHEELS}")))
}

/// Installs the wheel into a new environment and runs the tests there. Torch is taken from the environment that
/// [`WITH_TORCH`] names: from `PyPI` it is some gigabytes.
fn installed(wheel: &Path) -> Result<(), Failure> {
    let folder = root().join(ENVIRONMENT);
    let python = tools::environment(&folder)?;
    run(
        program_at(&python)
            .args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"])
            .arg(wheel),
        minutes(2),
    )?;
    let mut tests = program_at(&python);
    tests.args([
        "-m",
        "unittest",
        "discover",
        "--verbose",
        "--start-directory",
        TESTS,
    ]);
    match std::env::var_os(WITH_TORCH) {
        Some(other) => {
            let library = PathBuf::from(&other).join("lib");
            let packages = packages_of(&library).ok_or_else(|| {
                let other = PathBuf::from(&other);
                Failure::new(format!(
                    "{WITH_TORCH}: there is no site-packages below {}",
                    other.display()
                ))
            })?;
            let own = packages_of(&folder.join("lib"))
                .ok_or_else(|| Failure::new(format!("{ENVIRONMENT} has no site-packages")))?;
            let line = format!("{}\n", packages.display());
            fs::write(own.join("torch.pth"), line)
                .map_err(|error| Failure::new(format!("torch.pth: {error}")))?;
        }
        None => {
            println!("No module is exported: {WITH_TORCH} names no environment that has torch.");
        }
    }
    run(&mut tests, minutes(10))
}

/// `python3.N/site-packages` in a folder.
fn packages_of(library: &Path) -> Option<PathBuf> {
    let versions = fs::read_dir(library).ok()?.flatten();
    let mut folders = versions.map(|version| version.path().join("site-packages"));
    folders.find(|folder| folder.is_dir())
}

/// The module's tests that need neither the wheel nor torch, on the command line as tests compile it.
pub fn module() -> Result<(), Failure> {
    let Ok(python) = tools::python() else {
        println!("  There is no python3 here: the Python module is not tested.");
        return Ok(());
    };
    run(
        cargo().args(["build", "--locked", "--quiet", "--bin", "highwater"]),
        minutes(10),
    )?;
    run(
        program_at(&python)
            .args(["-m", "unittest", "discover", "--start-directory", TESTS])
            .env("PYTHONPATH", root().join("src/python"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("HIGHWATER_BIN", root().join("target/debug/highwater")),
        minutes(5),
    )
}

#[cfg(test)]
mod tests {
    use crate::pins;

    #[test]
    fn the_wheel_names_the_pinned_maturin() {
        let project = include_str!("../python/pyproject.toml");
        let named = format!("requires = [\"maturin=={}\"]", pins::MATURIN);
        assert!(project.contains(&named), "{named}");
    }
}

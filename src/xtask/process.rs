//! Running other programs: said aloud, never for ever, and failing in words.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Why a task stopped.
pub struct Failure {
    /// The reason, and a remedy.
    pub message: String,
    /// Exit code: 1 for a failed check, 2 for a wrong command line.
    pub code: u8,
}

impl Failure {
    /// A check or a step failed.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: 1,
        }
    }

    /// The command line is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: 2,
        }
    }
}

/// How often a running program is looked at.
const POLL: Duration = Duration::from_millis(50);

/// The repository's root.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).to_owned()
}

/// A program that runs in the repository's root with the project's tools on its path.
pub fn program(name: &str) -> Command {
    program_at(Path::new(name))
}

/// [`program`] of a file.
pub fn program_at(file: &Path) -> Command {
    let mut command = Command::new(file);
    command
        .current_dir(root())
        .stdin(Stdio::null())
        .env("PATH", search_path());
    command
}

/// The cargo that runs this task.
pub fn cargo() -> Command {
    program(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
}

/// Runs to the end, printing the command first.
///
/// # Errors
/// When the program cannot be started, fails, or is not done after `limit` (it is then stopped).
pub fn run(command: &mut Command, limit: Duration) -> Result<(), Failure> {
    let words = in_words(command);
    println!("  $ {words}");
    let mut child = command
        .spawn()
        .map_err(|error| Failure::new(format!("`{words}` did not start: {error}")))?;
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(Failure::new(format!("`{words}` failed: {status}"))),
            Ok(None) if start.elapsed() < limit => std::thread::sleep(POLL),
            Ok(None) => {
                // The process may have ended just now: then there is nothing left to stop.
                let _ = child.kill();
                let _ = child.wait();
                let seconds = limit.as_secs();
                return Err(Failure::new(format!(
                    "`{words}` was stopped after {seconds} s"
                )));
            }
            Err(error) => return Err(Failure::new(format!("`{words}`: {error}"))),
        }
    }
}

/// The output of a program, without an end of line; `None` when it is missing or fails.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// The file of a program, on the path that [`program`] uses.
pub fn find(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&search_path())
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Minutes as a duration.
pub const fn minutes(n: u64) -> Duration {
    Duration::from_secs(n * 60)
}

/// The folder of this project's tools.
pub fn tools_folder() -> PathBuf {
    root().join("target/tools")
}

/// The folder of the browser tests and their node packages.
pub fn browser_tests() -> PathBuf {
    root().join("tests/e2e")
}

fn search_path() -> std::ffi::OsString {
    let own = [
        tools_folder().join("bin"),
        browser_tests().join("node_modules/.bin"),
    ];
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let all = own.into_iter().chain(std::env::split_paths(&inherited));
    std::env::join_paths(all).unwrap_or(inherited)
}

fn in_words(command: &Command) -> String {
    let name = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    std::iter::once(name)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

//! The command line.
//!
//! Exit codes: 0, all is well; 1, `check` found a goal missed; 2, some input is bad; 3, some
//! scenario does not fit its hardware.

mod arguments;
mod check;
mod configs;
mod curve;
mod drawn;
mod estimate;
mod gathered;
mod given;
mod lines;
mod models;
mod plan;
mod read;
mod snapshot;
mod solve;
mod table;
mod together;
mod usage;

use arguments::Command;
use std::fs;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use usage::{help_of, usage};

/// Everything fits.
const FITS: u8 = 0;
/// A goal of accuracy is missed.
const MISSES: u8 = 1;
/// Bad input.
const BAD_INPUT: u8 = 2;
/// Something does not fit its hardware.
const DOES_NOT_FIT: u8 = 3;

fn main() -> ExitCode {
    highwater::report::keep_memory();
    let asked = models::start(std::env::args_os().skip(1));
    match arguments::parse(asked.into_iter()) {
        Ok(Command::Help { command: None }) => {
            print(&usage());
            FITS.into()
        }
        Ok(Command::Help {
            command: Some(name),
        }) => match help_of(&name) {
            Some(help) => {
                print(&help);
                FITS.into()
            }
            None => refuse(&format!("there is no command {name}.\n\n{}", usage())),
        },
        Ok(Command::Version) => {
            print(concat!("highwater ", env!("CARGO_PKG_VERSION"), "\n"));
            FITS.into()
        }
        Ok(Command::Estimate { file, wanted, set }) => {
            on_scenarios(file.as_ref(), &set, |text, out| {
                estimate::run(text, wanted, out)
            })
        }
        Ok(Command::Check { file, selection }) => on_text(file.as_ref(), |text, out| {
            check::check(text, &selection, out)
        }),
        Ok(Command::Solve {
            file,
            axis,
            form,
            set,
        }) => on_scenarios(file.as_ref(), &set, |text, out| {
            solve::run(text, &axis, form, out)
        }),
        Ok(Command::Curve { file, form }) => {
            on_text(file.as_ref(), |text, out| Ok(curve::run(text, form, out)))
        }
        Ok(Command::Plan {
            file,
            options,
            form,
        }) => on_text(file.as_ref(), |text, out| {
            Ok(plan::run(text, &options, form, out))
        }),
        Ok(Command::Trace { file }) => on_text(file.as_ref(), check::trace),
        Ok(Command::Import(asked)) => configs::import(&asked, &mut io::stdout().lock()).into(),
        Ok(Command::Export(asked)) => {
            on_text(asked.file.as_ref(), |text, _| configs::export(&asked, text))
        }
        Ok(Command::Read { files }) => read::run(&files, &mut io::stdout().lock()).into(),
        Ok(Command::Snapshot { file, form }) => match bytes(file.as_ref()) {
            Ok(content) => snapshot::run(&content, form, &mut io::stdout().lock()).into(),
            Err(problem) => refuse(&problem),
        },
        Err(problem) => refuse(&format!("{problem}\n\n{}", usage())),
    }
}

/// Runs a command on the scenarios of a file, or of standard input without one.
fn on_scenarios(
    file: Option<&PathBuf>,
    set: &[configs::Setting],
    command: impl FnOnce(&str, &mut dyn Write) -> u8,
) -> ExitCode {
    match given::scenarios(file, set) {
        Ok(text) => command(&text, &mut io::stdout().lock()).into(),
        Err(problem) => refuse(&problem),
    }
}

/// Runs a command on the text of a file, or of standard input without one.
fn on_text(
    file: Option<&PathBuf>,
    command: impl FnOnce(&str, &mut dyn Write) -> Result<u8, String>,
) -> ExitCode {
    let done = text(file).and_then(|text| command(&text, &mut io::stdout().lock()));
    match done {
        Ok(code) => code.into(),
        Err(problem) => refuse(&problem),
    }
}

/// Reads a file, or standard input without one. What is not UTF-8 becomes a replacement
/// character, which no JSON outside of texts has.
fn text(file: Option<&PathBuf>) -> Result<String, String> {
    let bytes = bytes(file)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a file, or standard input without one.
fn bytes(file: Option<&PathBuf>) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let done = match file {
        Some(path) => fs::read(path).map(|content| bytes = content),
        None => io::stdin().lock().read_to_end(&mut bytes).map(|_| ()),
    };
    let name = file.map_or("standard input".to_owned(), |path| {
        path.display().to_string()
    });
    done.map_err(|error| format!("{name}: {error}"))?;
    Ok(bytes)
}

/// Writes to standard output; a reader that has gone away is no error of ours.
fn print(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}

fn refuse(problem: &str) -> ExitCode {
    refuse_line(problem);
    BAD_INPUT.into()
}

/// Writes a line to standard error.
fn refuse_line(problem: &str) {
    let line = format!("highwater: {problem}\n");
    let _ = io::Write::write_all(&mut io::stderr().lock(), line.as_bytes());
}

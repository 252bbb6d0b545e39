//! What was asked on the command line.

use highwater::report::Selection;
use std::ffi::OsString;
use std::path::PathBuf;

/// How to use the program.
pub const USAGE: &str = "\
How much GPU memory and host RAM a training run takes, at which moment.

Usage:
  highwater estimate [FILE] [--table]
  highwater check [FILE] [--only KEY=VALUE]... [--worst N]
  highwater trace [FILE]

  estimate   Reads one scenario, or one on each line, as JSON and writes one report for each, in
             the same order, one per line.
  --table    Writes tables for people instead.
  check      Reads lines of {\"scenario\": ..., \"expect\": ...} with what was measured and writes
             the table of errors.
  --only     Only cases of a group, as precision=bf16; may be repeated.
  --worst    How many of the worst cases are listed.
  trace      Writes the allocations and frees of one scenario, one event a line.

Standard input is read without FILE or with -.
Exit codes: 0 all is well; 1 check found a goal missed; 2 bad input; 3 some run does not fit its
hardware.
";

/// What to do.
#[derive(Clone, Debug)]
pub enum Command {
    /// Print [`USAGE`].
    Help,
    /// Print the version.
    Version,
    /// Estimate scenarios.
    Estimate {
        /// Where they are; standard input when absent.
        file: Option<PathBuf>,
        /// How to write the answers.
        form: Form,
    },
    /// Compare estimates with what was measured.
    Check {
        /// Where the cases are; standard input when absent.
        file: Option<PathBuf>,
        /// Which of them, and how many of the worst are listed.
        selection: Selection,
    },
    /// Write the events of a scenario.
    Trace {
        /// Where it is; standard input when absent.
        file: Option<PathBuf>,
    },
}

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One JSON object per line.
    Json,
    /// Tables for people.
    Table,
}

/// Reads the arguments after the program's name.
///
/// # Errors
/// What is wrong with them, in a sentence.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Command, String> {
    let mut arguments = arguments;
    let mut words = Vec::new();
    let mut options = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("-h" | "--help" | "help") => return Ok(Command::Help),
            Some("-V" | "--version") => return Ok(Command::Version),
            Some("--table") => options.push(("--table", String::new())),
            Some(option @ ("--only" | "--worst")) => {
                let value = arguments.next().and_then(|value| value.into_string().ok());
                let name = if option == "--only" {
                    "--only"
                } else {
                    "--worst"
                };
                options.push((name, value.ok_or_else(|| format!("{name} needs a value."))?));
            }
            Some(option) if option.starts_with('-') && option != "-" => {
                return Err(format!("there is no option {option}."));
            }
            _ => words.push(argument),
        }
    }
    let mut words = words.into_iter();
    let Some(command) = words.next() else {
        return Err("nothing was asked.".to_owned());
    };
    let file = words.next().filter(|file| file != "-").map(PathBuf::from);
    if let Some(extra) = words.next() {
        let extra = extra.display();
        return Err(format!(
            "there is one file at most; {extra} is one too many."
        ));
    }
    match command.to_str() {
        Some("estimate") => estimate(file, &options),
        Some("check") => check(file, options),
        Some("trace") if options.is_empty() => Ok(Command::Trace { file }),
        Some(command @ "trace") => Err(format!("{command} has no options.")),
        _ => Err(format!("there is no command {}.", command.display())),
    }
}

fn estimate(file: Option<PathBuf>, options: &[(&str, String)]) -> Result<Command, String> {
    let mut form = Form::Json;
    for (name, _) in options {
        match *name {
            "--table" => form = Form::Table,
            other => return Err(format!("estimate has no option {other}.")),
        }
    }
    Ok(Command::Estimate { file, form })
}

fn check(file: Option<PathBuf>, options: Vec<(&str, String)>) -> Result<Command, String> {
    let mut selection = Selection::default();
    for (name, value) in options {
        match name {
            "--only" => selection.only.push(value),
            "--worst" => {
                let count = value.parse();
                selection.worst = count.map_err(|_| format!("--worst {value} is no number."))?;
            }
            other => return Err(format!("check has no option {other}.")),
        }
    }
    Ok(Command::Check { file, selection })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn a_file_and_an_option_are_understood_in_any_order() {
        for line in ["estimate a.json --table", "estimate --table a.json"] {
            let Ok(Command::Estimate { file, form }) = parsed(line) else {
                panic!("{line} is not understood");
            };
            assert_eq!((file, form), (Some("a.json".into()), Form::Table));
        }
    }

    #[test]
    fn without_a_file_standard_input_is_read() {
        for line in ["estimate", "estimate -"] {
            let command = parsed(line);
            assert!(matches!(
                command,
                Ok(Command::Estimate {
                    file: None,
                    form: Form::Json
                })
            ));
        }
    }

    #[test]
    fn cases_can_be_selected() {
        let command = parsed("check a --only precision=bf16 --worst 3 --only attention=sdpa");
        let Ok(Command::Check { selection, .. }) = command else {
            panic!("check is not understood");
        };
        assert_eq!(selection.only, ["precision=bf16", "attention=sdpa"]);
        assert_eq!(selection.worst, 3);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for line in [
            "",
            "guess",
            "estimate a b",
            "estimate --tabel",
            "estimate --worst 3",
            "check --worst",
            "check --worst many",
            "check --table",
            "trace --table",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}

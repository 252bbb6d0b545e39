//! The command line.

use highwater::report::{Accuracy, Selection, events, read_cases};
use std::process::ExitCode;

const USAGE: &str = "usage:
  highwater check FILE [--only KEY=VALUE]... [--worst N]
      compares estimates with lines of {\"id\", \"scenario\", \"expect\"}
  highwater trace FILE
      writes the allocations of the scenario in FILE, one event a line";

/// Bad input.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["check", file, options @ ..] => check(file, options),
        ["trace", file] => trace(file),
        _ => Err(USAGE.to_owned()),
    };
    result.unwrap_or_else(|message| {
        eprintln!("{message}");
        ExitCode::from(BAD_INPUT)
    })
}

fn read(file: &str) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))
}

fn check(file: &str, options: &[&str]) -> Result<ExitCode, String> {
    let mut selection = Selection::default();
    let mut options = options.iter();
    while let Some(&option) = options.next() {
        match (option, options.next()) {
            ("--only", Some(group)) => selection.only.push((*group).to_owned()),
            ("--worst", Some(count)) => {
                selection.worst = count.parse().map_err(|_| USAGE.to_owned())?;
            }
            _ => return Err(USAGE.to_owned()),
        }
    }
    let cases = read_cases(&read(file)?).map_err(|error| format!("{file}: {error}"))?;
    let accuracy = Accuracy::of(&cases, &selection);
    print!("{accuracy}");
    let met = accuracy.goals().iter().all(|goal| goal.met);
    Ok(ExitCode::from(u8::from(!met)))
}

fn trace(file: &str) -> Result<ExitCode, String> {
    let scenario =
        serde_json::from_str(&read(file)?).map_err(|error| format!("{file}: {error}"))?;
    match events(&scenario) {
        Ok(text) => {
            print!("{text}");
            Ok(ExitCode::SUCCESS)
        }
        Err(findings) => Err(findings
            .iter()
            .map(|finding| format!("{}: {}", finding.key, finding.message))
            .collect::<Vec<_>>()
            .join("\n")),
    }
}

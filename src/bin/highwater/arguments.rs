//! The command that the arguments name, with its options.

use crate::configs::{Export, Import, Setting};
use highwater::codec::written_formats;
use highwater::decide::{Adapters, Axis, Freedom, GpuModel, Gpus, PlanOptions};
use highwater::report::Selection;
use highwater::text::english;
use lexopt::Arg::{Long, Short, Value};
use lexopt::Parser;
use std::ffi::OsString;
use std::path::PathBuf;

/// A command with its options.
#[derive(Clone, Debug)]
pub enum Command {
    /// Print the usage, or the help of a command.
    Help {
        /// The command's name.
        command: Option<String>,
    },
    /// Print the version.
    Version,
    /// Estimate scenarios.
    Estimate {
        /// The file with the scenarios; standard input when absent.
        file: Option<PathBuf>,
        /// The output of each scenario.
        wanted: Wanted,
        /// Settings that count more than the scenarios.
        set: Vec<Setting>,
    },
    /// Look for what only just fits.
    Solve {
        /// The file with the scenarios; standard input when absent.
        file: Option<PathBuf>,
        /// The axis that varies.
        axis: Axis,
        /// How to write the answers.
        form: Form,
        /// Settings that count more than the scenarios.
        set: Vec<Setting>,
    },
    /// Write what a rank needs against the number of GPUs.
    Curve {
        /// The file with the scenarios; standard input when absent.
        file: Option<PathBuf>,
        /// How to write the answers.
        form: Form,
    },
    /// Look for the plans that fit.
    Plan {
        /// The file with the scenarios; standard input when absent.
        file: Option<PathBuf>,
        /// The settings that may change, and bounds of the search.
        options: PlanOptions,
        /// How to write the answers.
        form: Form,
    },
    /// Compare estimates with what was measured.
    Check {
        /// The file with the cases; standard input when absent.
        file: Option<PathBuf>,
        /// The cases that are compared, and the number of worst cases to list.
        selection: Selection,
    },
    /// Write the events of a scenario.
    Trace {
        /// The file with the scenario; standard input when absent.
        file: Option<PathBuf>,
    },
    /// Read the configurations of a job.
    Import(Import),
    /// Write a scenario as a configuration.
    Export(Export),
    /// Say what texts and files are.
    Read {
        /// The files; standard input when there is none.
        files: Vec<PathBuf>,
    },
    /// Write what a snapshot holds.
    Snapshot {
        /// The file with the snapshot; standard input when absent.
        file: Option<PathBuf>,
        /// How to write it.
        form: Form,
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

/// The form of an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The report.
    Report(Form),
    /// The phases as a figure.
    Figure,
    /// The page's query that opens the scenario.
    Link,
}

/// An option that a command may have.
enum Opt {
    Table,
    Svg,
    Link,
    Curve,
    For(String),
    Only(String),
    Worst(usize),
    Keep(Freedom),
    Allow(Adapters),
    Headroom(u64),
    Gpus(Gpus),
    Gpu(GpuModel),
    To(String),
    Set(Setting),
    Check,
    Strict,
}

/// Reads the arguments after the program's name.
///
/// # Errors
/// What is wrong with them, in a sentence.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Command, String> {
    let mut parser = Parser::from_args(arguments);
    let mut words = Vec::new();
    let mut options = Vec::new();
    while let Some(argument) = parser.next().map_err(|error| format!("{error}."))? {
        match argument {
            Short('h') | Long("help") => return Ok(help(words.into_iter().next())),
            Short('V') | Long("version") => return Ok(Command::Version),
            Long("table") => options.push(("--table", Opt::Table)),
            Long("svg") => options.push(("--svg", Opt::Svg)),
            Long("link") => options.push(("--link", Opt::Link)),
            Long("curve") => options.push(("--curve", Opt::Curve)),
            Long("for") => options.push(("--for", Opt::For(value(&mut parser, "--for")?))),
            Long("only") => options.push(("--only", Opt::Only(value(&mut parser, "--only")?))),
            Long("worst") => {
                let value = value(&mut parser, "--worst")?;
                let count = value.parse();
                let count = count.map_err(|_| format!("--worst {value} is no number."))?;
                options.push(("--worst", Opt::Worst(count)));
            }
            Long("keep") => {
                let keep = named(&mut parser, "--keep", Freedom::ALL, Freedom::name)?;
                options.push(("--keep", Opt::Keep(keep)));
            }
            Long("allow") => {
                let allow = named(&mut parser, "--allow", Adapters::ALL, Adapters::name)?;
                options.push(("--allow", Opt::Allow(allow)));
            }
            Long("gpus") => {
                let gpus = named(&mut parser, "--gpus", Gpus::ALL, Gpus::name)?;
                options.push(("--gpus", Opt::Gpus(gpus)));
            }
            Long("gpu") => {
                let gpu = named(&mut parser, "--gpu", GpuModel::ALL, GpuModel::name)?;
                options.push(("--gpu", Opt::Gpu(gpu)));
            }
            Long("headroom") => {
                let value = value(&mut parser, "--headroom")?;
                let percent = value.parse().ok().filter(|percent| *percent < 100);
                let wrong = format!("--headroom {value} is no percentage from 0 to 99.");
                options.push(("--headroom", Opt::Headroom(percent.ok_or(wrong)?)));
            }
            Long("to") => options.push(("--to", Opt::To(value(&mut parser, "--to")?))),
            Long("check") => options.push(("--check", Opt::Check)),
            Long("strict") => options.push(("--strict", Opt::Strict)),
            Long("set") => options.push(("--set", Opt::Set(setting(&mut parser)?))),
            Short(letter) => return Err(format!("there is no option -{letter}.")),
            Long(name) => return Err(format!("there is no option --{name}.")),
            Value(word) => words.push(word),
        }
    }
    let mut words = words.into_iter();
    let Some(command) = words.next() else {
        return Err("nothing was asked.".to_owned());
    };
    if command == "help" {
        return Ok(help(words.next()));
    }
    if command == "read" && options.is_empty() {
        let files = words.filter(|file| file != "-").map(PathBuf::from);
        return Ok(Command::Read {
            files: files.collect(),
        });
    }
    if command == "import" {
        let files = words.filter(|file| file != "-").map(PathBuf::from);
        return import(files.collect(), options);
    }
    let file = words.next().filter(|file| file != "-").map(PathBuf::from);
    if let Some(extra) = words.next() {
        let extra = extra.display();
        return Err(format!(
            "there is one file at most; {extra} is one too many."
        ));
    }
    match command.to_str() {
        Some("estimate") => estimate(file, options),
        Some("snapshot") => {
            let form = only_table("snapshot", options)?;
            Ok(Command::Snapshot { file, form })
        }
        Some("solve") => solve(file, options),
        Some("plan") => plan(file, options),
        Some("export") => export(file, options),
        Some("check") => check(file, options),
        Some("trace") if options.is_empty() => Ok(Command::Trace { file }),
        Some(command @ ("trace" | "read")) => Err(format!("{command} has no options.")),
        _ => Err(format!("there is no command {}.", command.display())),
    }
}

/// The value of `--set`, `KEY=VALUE`.
fn setting(parser: &mut Parser) -> Result<Setting, String> {
    let value = value(parser, "--set")?;
    let wrong = format!("--set {value} has no equals sign.");
    let (key, value) = value.split_once('=').ok_or(wrong)?;
    Ok(Setting {
        key: key.to_owned(),
        value: value.to_owned(),
    })
}

/// Help with the command that is named.
fn help(command: Option<OsString>) -> Command {
    Command::Help {
        command: command.map(|name| name.to_string_lossy().into_owned()),
    }
}

/// The value of the option that was read last.
fn value(parser: &mut Parser, option: &str) -> Result<String, String> {
    let value = parser
        .value()
        .ok()
        .and_then(|value| value.into_string().ok());
    value.ok_or_else(|| format!("{option} needs a value."))
}

/// The value of the option that was read last, one of some names.
fn named<T: Copy>(
    parser: &mut Parser,
    option: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, String> {
    let value = value(parser, option)?;
    let found = all.iter().copied().find(|&one| name(one) == value);
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&one| name(one)).collect();
        format!("{option} {value} is none of {}.", names.join(", "))
    })
}

fn plan(file: Option<PathBuf>, asked: Vec<(&str, Opt)>) -> Result<Command, String> {
    let (mut form, mut options) = (Form::Json, PlanOptions::default());
    for (name, option) in asked {
        match option {
            Opt::Table => form = Form::Table,
            Opt::Keep(freedom) => options.locked.push(freedom),
            Opt::Allow(adapters) => options.allowed.push(adapters),
            Opt::Headroom(percent) => options.headroom = percent,
            Opt::Gpus(gpus) => options.gpus = gpus,
            Opt::Gpu(gpu) => options.gpu = gpu,
            _ => return Err(format!("plan has no option {name}.")),
        }
    }
    options.locked.sort_unstable();
    options.locked.dedup();
    options.allowed.sort_unstable();
    options.allowed.dedup();
    Ok(Command::Plan {
        file,
        options,
        form,
    })
}

/// Settings among options, and the other options.
fn settings(options: Vec<(&str, Opt)>) -> (Vec<Setting>, Vec<(&str, Opt)>) {
    let (mut set, mut others) = (Vec::new(), Vec::new());
    for (name, option) in options {
        match option {
            Opt::Set(setting) => set.push(setting),
            other => others.push((name, other)),
        }
    }
    (set, others)
}

fn estimate(file: Option<PathBuf>, options: Vec<(&str, Opt)>) -> Result<Command, String> {
    let (set, options) = settings(options);
    let mut wanted = Wanted::Report(Form::Json);
    for (name, option) in options {
        wanted = match option {
            Opt::Table => Wanted::Report(Form::Table),
            Opt::Svg => Wanted::Figure,
            Opt::Link => Wanted::Link,
            _ => return Err(format!("estimate has no option {name}.")),
        };
    }
    Ok(Command::Estimate { file, wanted, set })
}

/// How a command writes whose only option is `--table`.
fn only_table(command: &str, options: Vec<(&str, Opt)>) -> Result<Form, String> {
    let mut form = Form::Json;
    for (name, option) in options {
        match option {
            Opt::Table => form = Form::Table,
            _ => return Err(format!("{command} has no option {name}.")),
        }
    }
    Ok(form)
}

fn solve(file: Option<PathBuf>, options: Vec<(&str, Opt)>) -> Result<Command, String> {
    let (mut form, mut axis, mut curve) = (Form::Json, None, false);
    let (set, options) = settings(options);
    for (name, option) in options {
        match option {
            Opt::Table => form = Form::Table,
            Opt::Curve => curve = true,
            Opt::For(name) => axis = Some(Axis::named(&name).map_err(|why| english(&why))?),
            _ => return Err(format!("solve has no option {name}.")),
        }
    }
    let missing = "solve needs an axis, as in --for micro_batch_size.";
    let axis = axis.ok_or(missing)?;
    if curve {
        return if axis.name() == "gpus" {
            Ok(Command::Curve { file, form })
        } else {
            Err("--curve goes with --for gpus.".to_owned())
        };
    }
    Ok(Command::Solve {
        file,
        axis,
        form,
        set,
    })
}

fn import(files: Vec<PathBuf>, options: Vec<(&str, Opt)>) -> Result<Command, String> {
    let mut asked = Import {
        files,
        ..Import::default()
    };
    for (name, option) in options {
        match option {
            Opt::Check => asked.check = true,
            Opt::Strict => asked.strict = true,
            Opt::Set(setting) => asked.set.push(setting),
            _ => return Err(format!("import has no option {name}.")),
        }
    }
    Ok(Command::Import(asked))
}

fn export(file: Option<PathBuf>, options: Vec<(&str, Opt)>) -> Result<Command, String> {
    let mut format = None;
    for (name, option) in options {
        match option {
            Opt::To(name) => format = Some(name),
            _ => return Err(format!("export has no option {name}.")),
        }
    }
    let all: Vec<_> = written_formats().collect();
    let to = format.filter(|name| all.contains(&name.as_str()));
    let missing = || format!("export needs a format, as in --to trl: {}.", all.join(", "));
    let to = to.ok_or_else(missing)?;
    Ok(Command::Export(Export { file, to }))
}

fn check(file: Option<PathBuf>, options: Vec<(&str, Opt)>) -> Result<Command, String> {
    let mut selection = Selection::default();
    for (name, option) in options {
        match option {
            Opt::Only(group) => selection.only.push(group),
            Opt::Worst(count) => selection.worst = count,
            _ => return Err(format!("check has no option {name}.")),
        }
    }
    Ok(Command::Check { file, selection })
}

#[cfg(test)]
mod tests;

//! Words of a script that start a job, and the owner of their options.

use super::examples;
use super::format::Format;
use super::launcher::SHORT;
use super::objectives;
use super::registry::{FORMATS, format};
use super::said::Said;
use super::shell::Script;
use serde_json::Value;

/// A job that a script starts.
pub(super) struct Started {
    /// The options of each format.
    pub parts: Vec<(&'static Format, Said)>,
    /// The training script, its options, and their format where something tells it.
    pub program: Option<(String, Option<&'static Format>, Said)>,
    /// Commands that start jobs.
    pub commands: usize,
}

/// Variables that say something of a job.
const VARIABLES: &[&str] = &[
    "CUDA_VISIBLE_DEVICES",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_HIP_ALLOC_CONF",
    "ARROW_DEFAULT_MEMORY_POOL",
    "NGPU",
    "NPROC_PER_NODE",
    "NNODES",
];

/// Parts of a script's or a module's name, and the format of its options.
const MODULES: &[(&str, &str)] = &[
    ("verl.trainer", "verl"),
    ("verl/trainer", "verl"),
    ("openrlhf.cli", "openrlhf"),
    ("openrlhf/cli", "openrlhf"),
    ("swift.cli", "ms-swift"),
    ("swift/cli", "ms-swift"),
];

/// The program that starts a job.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Starter {
    /// `torchrun`, `python -m torch.distributed.run`.
    Torchrun,
    /// `accelerate launch`.
    Accelerate,
    /// `deepspeed`.
    DeepSpeed,
    /// A framework's own program.
    Own(&'static str),
    /// `python`.
    Python,
    /// Nothing: options alone.
    Options,
}

/// Reads what a script starts: the first of its jobs.
pub(super) fn read(script: &Script) -> Started {
    let mut started = Started {
        parts: Vec::new(),
        program: None,
        commands: 0,
    };
    let launcher = format("launcher").unwrap_or(&FORMATS[0]);
    let mut asked = options(&script.sbatch);
    for name in VARIABLES {
        if let Some(values) = script.variables.get(*name) {
            asked.add(name, values.join(" ").into());
        }
    }
    let jobs: Vec<_> = script
        .commands
        .iter()
        .filter_map(|words| starter(words))
        .collect();
    let plain = |starter: Starter| matches!(starter, Starter::Python | Starter::Options);
    let proper: Vec<_> = jobs
        .iter()
        .filter(|(starter, _)| !plain(*starter))
        .collect();
    started.commands = if proper.is_empty() {
        jobs.len()
    } else {
        proper.len()
    };
    if let Some((starter, at)) = proper.first().copied().or(jobs.first()) {
        let (before, words) = at;
        asked.extend(options(before));
        if *starter == Starter::Own("torchtitan") {
            run_train(script, &mut asked);
        }
        job(*starter, words, &mut asked, &mut started);
    }
    if let Some((_, Some(format), said)) = &mut started.program
        && format.name == "ms-swift"
    {
        of_swift(script, said, &mut asked);
    }
    if !asked.entries.is_empty() {
        started.parts.push((launcher, asked));
    }
    started
}

/// Adds what torchtitan's `run_train.sh` (0.2.1) reads from the environment: the configuration and the number of GPUs,
/// 8 unless said.
fn run_train(script: &Script, asked: &mut Said) {
    if let Some(file) = script.variables.get("CONFIG_FILE") {
        asked.add("--config", file.join(" ").into());
    }
    if !asked.has("NGPU") {
        asked.add("NGPU", 8.into());
    }
}

/// Variables that ms-swift reads: the most pixels of an image; and several GPUs that one process is to use, which
/// then has the model's layers divided among them (`is_mp`, `swift/utils`, ms-swift 4.6.0).
fn of_swift(script: &Script, said: &mut Said, asked: &mut Said) {
    let variable = |name: &str| script.variables.get(name).map(|values| values.join(" "));
    if let Some(pixels) = variable("MAX_PIXELS") {
        said.add("max_pixels", pixels.into());
    }
    let several = variable("CUDA_VISIBLE_DEVICES").is_some_and(|ids| ids.contains(','));
    let started = ["nproc_per_node", "NPROC_PER_NODE"];
    let one = started.iter().find_map(|key| asked.count(key)).unwrap_or(1) < 2;
    if several && one && !said.has("device_map") {
        said.add(
            "device_map",
            "auto by CUDA_VISIBLE_DEVICES without NPROC_PER_NODE".into(),
        );
        asked.add("nproc_per_node", 1.into());
    }
}

/// The options before what starts a job, which are `srun`'s, and the words after it.
type Split<'a> = (&'a [String], &'a [String]);

fn starter(words: &[String]) -> Option<(Starter, Split<'_>)> {
    if words.first().is_some_and(|word| word.starts_with("--")) {
        return Some((Starter::Options, (&[], words)));
    }
    words.iter().enumerate().find_map(|(at, word)| {
        let program = word.rsplit('/').next().unwrap_or(word);
        let next = |offset: usize| words.get(at + offset).map_or("", String::as_str);
        let (starter, taken) = match (program, next(1)) {
            ("torchrun", _) => (Starter::Torchrun, 1),
            ("accelerate" | "accelerate-launch", "launch") => (Starter::Accelerate, 2),
            ("deepspeed", _) => (Starter::DeepSpeed, 1),
            ("llamafactory-cli" | "lmf", _) => (Starter::Own("llama-factory"), 1),
            ("axolotl", "train") => (Starter::Own("axolotl"), 2),
            ("tune", "run") => (Starter::Own("torchtune"), 2),
            ("trl", _) => (Starter::Own("trl"), 1),
            ("run_train.sh", _) => (Starter::Own("torchtitan"), 1),
            ("swift", "sft" | "pt" | "rlhf") => (Starter::Own("ms-swift"), 1),
            (program, "-m") if program.starts_with("python") => match next(2) {
                "torch.distributed.run" | "torch.distributed.launch" => (Starter::Torchrun, 3),
                "accelerate.commands.launch" => (Starter::Accelerate, 3),
                _ => (Starter::Python, 1),
            },
            (program, _) if program.starts_with("python") => (Starter::Python, 1),
            _ => return None,
        };
        let before = if at > 0 { &words[1..at] } else { &[] };
        Some((
            starter,
            (before, words.get(at + taken..).unwrap_or_default()),
        ))
    })
}

/// Takes a command apart: the starter's options, the script, the script's options.
fn job(starter: Starter, words: &[String], asked: &mut Said, started: &mut Started) {
    if starter == Starter::Options {
        let said = options(words);
        started.place("", None, said);
        return;
    }
    let at = words
        .iter()
        .position(|word| is_script(word))
        .unwrap_or(words.len());
    let module = words
        .iter()
        .position(|word| matches!(word.as_str(), "-m" | "--module"));
    let at = module.map_or(at, |module| at.min(module + 1));
    let (own, rest) = words.split_at(at.min(words.len()));
    let script = rest.first().map_or("", String::as_str);
    let rest = rest.get(1..).unwrap_or_default();
    match starter {
        Starter::Accelerate => {
            let mut said = options(own);
            if let Some(file) = said.take("config_file") {
                asked.add("--config_file", file);
            }
            if let Some(format) = format("accelerate").filter(|_| !said.entries.is_empty()) {
                started.parts.push((format, said));
            }
        }
        Starter::Own(name) => {
            let (named, mut said) = positions(words);
            if let Some(file) = said.take("config") {
                asked.add("--config", file);
            }
            asked.extend(launching(&said));
            for file in named {
                asked.add("config", file.into());
            }
            let mut said = without(&said, &["nproc_per_node", "nnodes", "rdzv_backend"]);
            if name == "ms-swift" {
                said.add("trainer", words.first().map_or("", String::as_str).into());
            }
            if name == "trl" {
                trainer(words.first().map_or("", String::as_str), &mut said);
            }
            started.place("", format(name), said);
            return;
        }
        _ => asked.extend(options(own)),
    }
    let (named, mut said) = positions(rest);
    for key in ["config", "job.config_file"] {
        if let Some(file) = said.take(key) {
            asked.add("--config", file);
        }
    }
    let module = MODULES.iter().find(|(part, _)| script.contains(part));
    if let Some((_, name)) = module {
        let last = script.trim_end_matches(".py").rsplit(['.', '/']).next();
        let mut own = Said::default();
        own.add("trainer", last.unwrap_or(script).into());
        for entry in said.entries {
            // Hydra's marks for keys that are added.
            own.add(entry.key.trim_start_matches('+'), entry.value);
        }
        for file in named {
            asked.add("config", file.into());
        }
        started.place("", format(name), own);
        return;
    }
    let name = if script.contains("pretrain_") {
        format("megatron")
    } else if script.contains("axolotl") {
        format("axolotl")
    } else if script.contains("torchtitan") {
        format("torchtitan")
    } else {
        None
    };
    for file in named {
        asked.add("config", file.into());
    }
    if let Some(example) = examples::named(script) {
        said.add("program", example.into());
        started.place(script, format(examples::FORMAT.name), said);
        return;
    }
    if name.is_none() && is_open(&said) {
        trainer(script, &mut said);
    }
    started.place(script, name, said);
}

/// Adds which of TRL's trainers a command or a script starts, where it is one of them.
fn trainer(word: &str, said: &mut Said) {
    if let Some(name) = objectives::started(word) {
        said.add("trainer", name.into());
    }
}

fn is_script(word: &str) -> bool {
    let word = word.trim_end_matches('"');
    [".py", ".sh"].iter().any(|end| word.ends_with(end))
}

/// Files among the words of a command, and its options, those like `key=value` too.
fn positions(words: &[String]) -> (Vec<String>, Said) {
    let ends = [".yaml", ".yml", ".toml", ".json"];
    let is_file = |word: &&String| {
        !word.starts_with("--") && !word.contains('=') && ends.iter().any(|end| word.ends_with(end))
    };
    let mut after_option = false;
    let mut files = Vec::new();
    for word in words {
        if is_file(&word) && !after_option {
            files.push(word.clone());
        }
        after_option = word.starts_with("--") && !word.contains('=');
    }
    let kept: Vec<String> = words
        .iter()
        .filter(|word| !files.contains(word))
        .cloned()
        .collect();
    (files, options(&kept))
}

/// The options of a launcher within those of a framework's own program. The word behind such an option's value is no
/// value of it but the program to start: `tune run --nproc_per_node 8 RECIPE`.
fn launching(said: &Said) -> Said {
    let mut own = Said::default();
    for entry in &said.entries {
        if ["nproc_per_node", "nnodes"].contains(&entry.name.as_str()) {
            let first = entry.value.get(0).unwrap_or(&entry.value);
            own.add(&entry.key, first.clone());
        }
    }
    own
}

fn without(said: &Said, names: &[&str]) -> Said {
    let mut rest = Said::default();
    for entry in &said.entries {
        if !names.contains(&entry.name.as_str()) {
            rest.add(&entry.key, entry.value.clone());
        }
    }
    rest
}

/// Options as they stand on a command line: with a value behind a space or an equals sign, with several, or with
/// none, which means yes.
pub(super) fn options(words: &[String]) -> Said {
    let mut said = Said::default();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let short = SHORT.iter().find(|(short, _)| short == word);
        if let Some((_, long)) = short {
            if let Some(value) = words.next() {
                said.add(long, scalar(value));
            }
            continue;
        }
        let Some(name) = word.strip_prefix("--").filter(|name| !name.is_empty()) else {
            if let Some((key, value)) = word.split_once('=') {
                add(&mut said, key, value);
            }
            continue;
        };
        if let Some((_, value)) = name.split_once('=') {
            add(&mut said, &word[..word.len() - value.len() - 1], value);
            continue;
        }
        let mut values = Vec::new();
        while let Some(value) = words.peek() {
            let is_option = value.starts_with("--")
                || matches!(value.as_str(), "-m" | "-u")
                || SHORT.iter().any(|(short, _)| short == value);
            // `batch_size=4` behind an option's value is an override of torchtune's or of Hydra's.
            let is_override = !values.is_empty() && value.contains('=');
            if is_option || is_override {
                break;
            }
            values.extend(words.next());
        }
        match values.as_slice() {
            [] => said.add(word, true.into()),
            [value] => add(&mut said, word, value),
            [first, ..] if is_script(first) => said.add(word, true.into()),
            several => {
                let several: Vec<Value> = several.iter().map(|value| scalar(value)).collect();
                said.add(word, several.into());
            }
        }
    }
    said
}

/// Adds an option; a JSON object is its keys.
fn add(said: &mut Said, key: &str, text: &str) {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => {
            let inner = Said::tree(&map);
            for entry in inner.entries {
                said.add(&format!("{key}.{}", entry.key), entry.value);
            }
        }
        _ => said.add(key, scalar(text)),
    }
}

/// A number or a truth value where it is one, else a text.
fn scalar(text: &str) -> Value {
    match text {
        "True" => true.into(),
        "False" => false.into(),
        "None" | "null" => Value::Null,
        text => match serde_json::from_str(text) {
            Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
            _ => text.into(),
        },
    }
}

/// Whether options are TRL's, or of a script whose format other files tell.
fn is_open(said: &Said) -> bool {
    told(said).is_none_or(|format| format.name == "trl")
}

impl Started {
    /// Keeps the options of a program with their format, where something tells it.
    fn place(&mut self, program: &str, format: Option<&'static Format>, said: Said) {
        if !said.is_empty() || !program.is_empty() {
            let format = format.or_else(|| told(&said));
            self.program = Some((program.to_owned(), format, said));
        }
    }

    /// Whether no job is started.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.program.is_none()
    }
}

/// The format of a training script's options, where two of its keys tell it.
fn told(said: &Said) -> Option<&'static Format> {
    let scored = FORMATS.iter().map(|format| (format.told_by(said), format));
    let best = scored.filter(|(score, format)| *score >= 2 && format.name != "training-arguments");
    best.max_by_key(|(score, _)| *score)
        .map(|(_, format)| format)
}

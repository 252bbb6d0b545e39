//! Configurations of training jobs, read and written.
//!
//! [`import`] reads the files that a job is spread over (a trainer's configuration, its launcher, accelerate's and
//! DeepSpeed's, the model's) and gives a scenario as JSON, with what became of every key. Each format has a file with a
//! table of its keys: what each sets, that it matters and no scenario can say it, or that it does not matter. A key in
//! no table is reported as unknown. Defaults are the framework's own, at a named version. [`export`] writes a scenario
//! in a format and finds out by reading it again what could not be said.
//!
//! Not here: whether a scenario makes sense, which models there are, and words for people.
//! Invariant: nothing that is read makes anything here panic, run, or grow without measure.

mod accelerate;
mod approximated;
mod axolotl;
mod command;
mod compose;
mod deepspeed;
mod document;
mod examples;
mod export;
mod format;
mod hub;
mod hugging_face;
mod job;
mod launcher;
mod llama_factory;
mod llama_factory_v1;
mod megatron;
mod named;
mod objectives;
mod openrlhf;
mod peft;
mod python;
mod refused;
mod registry;
mod row;
mod said;
mod shell;
mod swift;
mod target;
mod torchtitan;
mod torchtune;
mod trained;
mod trainer;
mod trl;
mod uncovered;
mod value;
mod verl;
mod without_memory;
mod write;
mod written;

pub use approximated::{Approximation, Certainty, Effect};
pub use examples::SOURCE as OF_EXAMPLES;
pub use export::{Exported, export};
pub use format::{Format, Syntax};
pub use job::{Assumed, Differs, Ignored, Matters, Models, Note, UNSAID, Understood};
pub use named::BESIDE_A_TRAINER;
pub use refused::{Instead, NoJob, Unread};
pub use registry::{FORMATS, format, is_written};
pub use row::Lack;
pub use target::Target;
pub use write::{slurm, variables};

use document::Document;
use job::Job;
use named::{Given, Named};
use row::Does;
use said::Said;
use serde_json::{Map, Value};

/// A file of a job.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// The result of reading the files of a job.
#[derive(Clone, Debug)]
pub struct Import {
    /// The formats of the files.
    pub kinds: Vec<&'static str>,
    /// The scenario: what the files say and what the frameworks assume.
    pub scenario: Value,
    /// Keys that are understood.
    pub understood: Vec<Understood>,
    /// Keys that are not followed.
    pub ignored: Vec<Ignored>,
    /// Settings that no file says.
    pub assumed: Vec<Assumed>,
    /// Other messages.
    pub notes: Vec<Note>,
}

impl Import {
    /// How many keys do not matter for memory.
    pub fn idle(&self) -> usize {
        let idle = |own: &&Ignored| own.matters == Matters::No;
        self.ignored.iter().filter(idle).count()
    }
}

/// Files as they were read.
#[derive(Default)]
struct Parts {
    of_formats: Vec<(&'static Format, Said)>,
    /// Options of a script whose format nothing tells.
    options: Said,
    /// The script that these options are of; none once a format knows it.
    program: Option<String>,
    /// The model's `config.json`.
    model: Option<Map<String, Value>>,
    /// A scenario, which counts more than all else.
    scenario: Option<Map<String, Value>>,
    /// Scripts in Python.
    scripts: Vec<python::Script>,
    /// A file that says nothing by itself: a command without options, a script without a trainer.
    silent: Option<String>,
    /// Options of programs that command lines start: the program, their format where it is told.
    started: Vec<(String, Option<&'static Format>, Said)>,
    /// The files that are given.
    given: Given,
}

/// Reads the files of a job. The scenario `given` counts more than the files do, and decides with them: the number of
/// its GPUs resolves a mesh whose sizes the files leave open.
///
/// # Errors
/// The name of a file that could not be read, and why.
pub fn import(
    files: &[File],
    given: &Map<String, Value>,
    models: &dyn Models,
) -> Result<Import, (String, Unread)> {
    let mut parts = Parts::default();
    for file in files {
        let read = document::read(file.text);
        let placed = read.and_then(|document| parts.place(document, file));
        placed.map_err(|why| (file.name.to_owned(), uncovered::or_source(why, file.text)))?;
    }
    parts.place_scripts()?;
    parts.given.names = files.iter().map(|file| file.name.to_owned()).collect();
    parts.place_named();
    parts.place_options();
    Ok(parts.read(given, models))
}

/// Reads the keys of one format on the hardware of a scenario.
fn read_keys(
    format: &'static Format,
    keys: &Map<String, Value>,
    scenario: &Map<String, Value>,
    models: &dyn Models,
) -> Import {
    let mut parts = Parts::default();
    parts.place_keys(format, Said::tree(keys));
    parts.read(scenario, models)
}

/// Adds what a scenario says: its hardware before the job is put together, all of it after.
fn compose_with(job: &mut Job, scenario: &Map<String, Value>) {
    let hardware = scenario.get("hardware").cloned();
    if let Some(hardware) = hardware {
        merge(
            &mut job.scenario,
            &Map::from_iter([("hardware".to_owned(), hardware)]),
        );
    }
    for key in ["model", "seq_len"] {
        if let Some(value) = scenario.get(key) {
            job.set(key, value.clone());
        }
    }
    compose::finish(job);
    merge(&mut job.scenario, scenario);
}

/// Lays a scenario over another one.
fn merge(under: &mut Value, over: &Map<String, Value>) {
    let Value::Object(map) = under else { return };
    for (key, value) in over {
        match (map.get_mut(key), value) {
            (Some(own @ Value::Object(_)), Value::Object(inner)) if key != "model" => {
                merge(own, inner);
            }
            _ => _ = map.insert(key.clone(), value.clone()),
        }
    }
}

/// Whether a format's keys stand beside those of a trainer.
fn is_beside_a_trainer(format: &Format) -> bool {
    BESIDE_A_TRAINER.contains(&format.name)
}

/// The model's config says more than its name.
fn name_model(model: &mut Option<Map<String, Value>>, job: &mut Job) {
    if let Some(config) = model.take() {
        job.set(
            "model",
            Map::from_iter([("hf_config".to_owned(), Value::Object(config))]),
        );
    }
}

impl Job<'_> {
    fn import(self, kinds: Vec<&'static str>) -> Import {
        Import {
            kinds,
            scenario: self.scenario,
            understood: self.understood,
            ignored: self.ignored,
            assumed: self.assumed,
            notes: self.notes,
        }
    }
}

impl Parts {
    fn place(&mut self, document: Document, file: &File) -> Result<(), Unread> {
        let map = match document {
            Document::Tree(map) => map,
            Document::Script => {
                let script = shell::read(file.text);
                if let Some(why) = uncovered::commands(&script.commands) {
                    return Err(why);
                }
                let started = command::read(&script);
                if started.is_empty() {
                    self.silent = Some(file.name.to_owned());
                }
                for (format, said) in started.parts {
                    self.place_keys(format, said);
                }
                self.started.extend(started.program);
                return Ok(());
            }
            Document::Python(code) => {
                self.scripts.push(python::Script::new(file.name, code));
                return Ok(());
            }
        };
        if is_model(&map) {
            self.model = Some(map);
            return Ok(());
        }
        if is_scenario(&map) {
            self.scenario = Some(map);
            return Ok(());
        }
        let said = Said::tree(&map);
        if let Some(why) = uncovered::keys(&said) {
            return Err(why);
        }
        let format = told(&said).ok_or(Unread::Unknown)?;
        self.given.formats.push(format.name);
        self.place_keys(format, said);
        Ok(())
    }

    fn place_keys(&mut self, format: &'static Format, mut said: Said) {
        if !is_beside_a_trainer(format) && format.name != "python" {
            let within = said.take_within("deepspeed.");
            if let Some(deepspeed) =
                registry::format("deepspeed").filter(|_| !within.entries.is_empty())
            {
                self.of_formats.push((deepspeed, within));
            }
        }
        self.of_formats.push((format, said));
    }

    /// Reads scripts with the options of the command lines that start them, and places the others.
    fn place_scripts(&mut self) -> Result<(), (String, Unread)> {
        let scripts = std::mem::take(&mut self.scripts);
        for script in &scripts {
            let is_of = |program: &str| {
                let file = program.rsplit('/').next().unwrap_or(program);
                let is_python = file.rsplit('.').next() == Some("py");
                file == script.name || scripts.len() == 1 && is_python
            };
            let started = std::mem::take(&mut self.started);
            let (own, others) = started
                .into_iter()
                .partition(|(program, ..)| is_of(program));
            self.started = others;
            let own: Vec<_> = own;
            let mut given = Said::default();
            for (_, _, said) in own {
                given.extend(said);
            }
            let read = script.read(given.clone());
            if examples::named(&script.name).is_some() && !given.is_empty() && !read.is_changed() {
                self.place_keys(&examples::FORMAT, given);
                continue;
            }
            if let Some((framework, instead)) = read.other {
                return Err((script.name.clone(), Unread::Other { framework, instead }));
            }
            if !read.says {
                self.silent = Some(script.name.clone());
            }
            for (format, said) in read.into_parts() {
                self.place_keys(format, said);
            }
        }
        for (program, format, said) in std::mem::take(&mut self.started) {
            if let Some(format) = format {
                self.place_keys(format, said);
            } else {
                self.options.extend(said);
                self.program = Some(program).filter(|program| !program.is_empty());
            }
        }
        let says =
            !self.of_formats.is_empty() || !self.options.is_empty() || self.program.is_some();
        match self.silent.take() {
            Some(name) if !says && self.model.is_none() && self.scenario.is_none() => {
                Err((name, Unread::Unknown))
            }
            _ => Ok(()),
        }
    }

    /// Places the public files that the parts name and that are not given, before what names them, which counts more.
    fn place_named(&mut self) {
        let nameless = File { name: "", text: "" };
        let mut seen = Vec::new();
        loop {
            let named = self.named().into_iter();
            let open = named.filter(|own| !seen.contains(own)).collect::<Vec<_>>();
            if open.is_empty() {
                return;
            }
            for Named { key, file } in open {
                let known = named::find(&key, &file).filter(|_| !self.given.has(&key, &file));
                let mut own = Self::default();
                if let Some(known) = known
                    && own.place(Document::Tree(known.keys), &nameless).is_ok()
                {
                    self.of_formats.splice(0..0, own.of_formats);
                }
                seen.push(Named { key, file });
            }
        }
    }

    /// The keys of the parts that name files.
    fn named(&self) -> Vec<Named> {
        let trainer = registry::format("training-arguments").unwrap_or(&FORMATS[0]);
        let parts = self.of_formats.iter().map(|(format, said)| (*format, said));
        let parts = parts.chain([(trainer, &self.options)]);
        let entries = parts.flat_map(|(format, said)| {
            let entries = said.entries.iter();
            entries.filter(|entry| matches!(format.row(&entry.name), Some(Does::File)))
        });
        let named = entries.filter_map(|entry| {
            let (key, file) = (entry.name.clone(), job::named_file(entry)?);
            Some(Named { key, file })
        });
        named.collect()
    }

    /// Follows every part, those first that others rest on.
    fn read(self, given: &Map<String, Value>, models: &dyn Models) -> Import {
        let mut job = Job::new(models, self.given);
        let mut kinds = Vec::new();
        let mut model = self.model;
        if model.is_some() {
            kinds.push("hf_config");
        }
        for format in std::iter::once(&python::FORMAT).chain(FORMATS) {
            if is_beside_a_trainer(format) {
                name_model(&mut model, &mut job);
            }
            let mut said = Said::default();
            for (own, part) in &self.of_formats {
                if own.name == format.name {
                    said.extend(part.clone());
                }
            }
            if said.is_empty() {
                continue;
            }
            kinds.push(format.name);
            format.follow(&said, &mut job);
            (format.finish)(&said, &mut job);
        }
        name_model(&mut model, &mut job);
        if let Some(program) = self.program {
            job.notes.push(Note::Program { program });
        }
        for entry in &self.options.entries {
            job.ignore(entry, Matters::Maybe);
        }
        if self.scenario.is_some() {
            kinds.push("scenario");
        }
        let mut scenario = Value::Object(self.scenario.unwrap_or_default());
        merge(&mut scenario, given);
        if let Value::Object(scenario) = scenario {
            compose_with(&mut job, &scenario);
        }
        job.import(kinds)
    }

    /// Gives options of a script to the trainer of the other files, or to the format that knows most of them.
    fn place_options(&mut self) {
        let mut said = std::mem::take(&mut self.options);
        let mut formats = self.of_formats.iter().map(|(format, _)| *format);
        let main = formats.find(|format| !is_beside_a_trainer(format) && format.name != "python");
        let arguments = format("training-arguments");
        let follows = |name: &str| arguments.is_some_and(|format| format.row(name).is_some());
        let told = format("trl").filter(|trl| trl.told_by(&said) > 0);
        let mut entries = said.entries.iter();
        if main.or(told).is_none() && !entries.any(|entry| follows(&entry.name)) {
            self.options = said;
            return;
        }
        self.program = None;
        if let Some(format) = main.or(told).or(arguments) {
            // The script's name, which says something to TRL alone.
            if format.name != "trl" {
                said.take("trainer");
            }
            if !said.entries.is_empty() {
                self.place_keys(format, said);
            }
        }
    }
}

/// The format that most of the keys are of; `TrainingArguments` where only those of all trainers are there.
fn told(said: &Said) -> Option<&'static Format> {
    let mut best: Option<(usize, &'static Format)> = None;
    for format in FORMATS {
        let score = format.told_by(said);
        // Keys of all trainers weigh little beside those of one.
        let score = if format.name == "training-arguments" {
            score.min(1)
        } else {
            2 * score
        };
        if score > best.map_or(0, |(most, _)| most) {
            best = Some((score, format));
        }
    }
    best.map(|(_, format)| format)
}

/// Whether keys are those of a model's `config.json`.
fn is_model(map: &Map<String, Value>) -> bool {
    let has = |key: &str| map.contains_key(key);
    let sizes = [
        "hidden_size",
        "n_embd",
        "d_model",
        "vocab_size",
        "text_config",
    ];
    let of_model = has("architectures") || has("transformers_version");
    !has("base_model") && (of_model || has("model_type")) && sizes.iter().any(|size| has(size))
}

/// Whether keys are those of a scenario.
fn is_scenario(map: &Map<String, Value>) -> bool {
    map.contains_key("v") || map.get("hardware").is_some_and(Value::is_object)
}

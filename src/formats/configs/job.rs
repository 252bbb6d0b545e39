//! A job while its files are read: the scenario so far, and how far each key is understood.

use super::named::{self, Given};
use super::row::Lack;
use super::said::{Entry, Said};
use super::trained::Trained;
use super::value;
use serde_json::{Map, Value};

/// A key that is understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Understood {
    /// The key as it is written.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// The settings of the scenario that it sets or decides.
    pub sets: Vec<String>,
}

/// Whether a key matters for memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matters {
    /// It does not matter.
    No,
    /// Nothing here knows the key.
    Maybe,
    /// It matters, and no scenario can say it yet; the part that is lacking.
    Yes(Lack),
    /// It matters, and its value is none that is known.
    Value,
    /// A script computes its value.
    Computed,
}

/// A key that is not followed.
#[derive(Clone, Debug, PartialEq)]
pub struct Ignored {
    /// The key as it is written.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Whether it matters.
    pub matters: Matters,
}

/// A setting that no file says and that is taken as the framework has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumed {
    /// The setting of the scenario.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// The place in the framework that says so.
    pub source: &'static str,
}

/// The source of an assumed setting that neither the files nor their trainer say.
pub const UNSAID: &str = "neither the files nor the trainer say it";

/// A message about a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A key names a file that is not among those given.
    File {
        /// The key.
        key: String,
        /// The file.
        file: String,
    },
    /// A program whose options no format knows.
    Program {
        /// The script or module.
        program: String,
    },
    /// A key names a public file that is not among those given: it is taken as its repository has it.
    Known {
        /// The key.
        key: String,
        /// The file.
        file: String,
        /// The repository and its version.
        source: &'static str,
    },
    /// No file says which model.
    NoModel,
    /// No file says how long sequences are.
    NoLength,
    /// No file says on how many GPUs a divided job runs.
    NoGpus,
    /// No file says on how many GPUs, and a mesh of axes says the least.
    LeastGpus {
        /// As many as the mesh has places.
        gpus: u64,
    },
    /// Two files do not agree.
    Differ {
        /// The setting.
        key: String,
        /// The value that counts.
        used: String,
        /// The other one.
        other: String,
    },
    /// A trainer of the framework's own computes all logits in fp32 for an objective of TRL's.
    AllLogits {
        /// The framework.
        framework: &'static str,
    },
    /// A framework's own trainer does something that the estimate does not.
    Differs {
        /// The framework.
        framework: &'static str,
        /// The difference.
        how: Differs,
    },
    /// Versions of a framework differ in a setting that no file says: the estimate is of the later ones.
    Earlier {
        /// The framework.
        framework: &'static str,
        /// The first version that the estimate is of.
        since: &'static str,
        /// The scenario's setting.
        key: &'static str,
        /// Its value with earlier versions.
        value: Value,
    },
    /// A value needs the model's sizes, which are not known.
    NeedsModel {
        /// The key.
        key: String,
    },
}

impl Note {
    /// Whether the job is not known without what this note asks for: an estimate would be one of another job.
    pub const fn stops(&self) -> bool {
        matches!(self, Self::NoModel | Self::File { .. })
    }
}

/// A difference between a framework's trainer and the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differs {
    /// The model computes its loss, and the trainer a second one from the same logits, both in fp32.
    TwoLosses,
    /// All logits are made fp32, those of prompts too.
    AllInFp32,
    /// All logits are computed in 16 bits, those of prompts too.
    AllIn16Bits,
    /// A server generates between the steps.
    Rollout,
    /// Rows are packed, which is not estimated beside an objective.
    Unpadded,
    /// The reference waits in the host's memory.
    HostReference,
    /// Its preparation of tensor parallelism fails with later versions of transformers.
    Stops,
    /// Layers that are not trained stay in 16 bits where others are fp32.
    FrozenHalf,
    /// Rotations of the inputs of layers are trained.
    Rotations,
    /// A critic is trained beside the model.
    Critic,
    /// The loss is a kernel's of flash-attn where that is installed.
    OtherLoss,
}

/// A half precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    Bf16,
    Fp16,
}

impl Half {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Bf16 => "bf16",
            Self::Fp16 => "fp16",
        }
    }
}

/// The wrapper of a model on several GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrapper {
    Ddp,
    Fsdp1,
    Fsdp2,
    Zero,
    Megatron,
}

/// Facts of models that decide what a job's files mean. A `model` is a name or config as a scenario has it.
pub trait Models {
    /// The size of its hidden states.
    fn hidden_size(&self, model: &Value) -> Option<u64>;
    /// The last parts of the names of its `nn.Linear` layers but the output layer, where PEFT's
    /// `all-linear` means other parameters besides; empty elsewhere.
    fn linear_names(&self, model: &Value) -> Vec<String>;
    /// The names of its parameters, as `named_parameters` has them.
    fn parameters(&self, model: &Value) -> Vec<String>;
    /// Whether the model consists of an embedding, layers, a last norm and a head by known names.
    fn has_known_ends(&self, model: &Value) -> bool;
    /// The names of its parameters that a regular expression matches from their beginning (Python's `re.match`);
    /// nothing where it cannot be read.
    fn parameters_like(&self, model: &Value, expression: &str) -> Option<Vec<String>>;
}

/// A job.
pub(super) struct Job<'a> {
    /// The scenario so far.
    pub scenario: Value,
    pub understood: Vec<Understood>,
    pub ignored: Vec<Ignored>,
    pub assumed: Vec<Assumed>,
    pub notes: Vec<Note>,
    /// Autocast, or its equivalent.
    pub mixed: Option<Half>,
    /// The dtype that the model is loaded in.
    pub loaded: Option<&'static str>,
    /// Whether weights that are trained are made float32 before.
    pub upcasts: bool,
    /// Whether adapters over a base in 16 bits are of its dtype.
    pub adapters_as_base: bool,
    pub wrapper: Option<Wrapper>,
    /// FSDP's version where none is said.
    pub fsdp_version: u64,
    /// Whether accelerate makes the groups of FSDP2.
    pub groups_by_accelerate: bool,
    /// Whether accelerate is older than 1.14, as a trainer pins it.
    pub before_accelerate_1_14: bool,
    /// The wrapper on several GPUs where nothing else is said.
    pub several: Option<Wrapper>,
    /// Whether its files mean as many GPUs as there are.
    pub needs_gpus: bool,
    /// The place that says that the cache is emptied between loading and what divides the model, if it is.
    pub empties_cache: Option<&'static str>,
    /// Whether weights that are not quantized keep their dtype under FSDP and ZeRO-3.
    pub plain_when_sharded: bool,
    /// Whether FSDP's policy alone makes the precision mixed, and autocast where there is no FSDP.
    pub casts_by_fsdp_alone: bool,
    /// Whether `ZeRO` 3 divides a model that was built whole (`zero3_init_flag: false`), as scripts do that load it before
    /// they make arguments.
    pub builds_whole: bool,
    /// Whether checkpoints are saved.
    pub saves: bool,
    /// Samples of a step on all GPUs, and the ranks that see the same ones.
    pub global_batch: Option<(u64, u64)>,
    /// The dtype that FSDP sums gradients in under autocast, where it is not that of computation.
    pub reduces_in: Option<&'static str>,
    /// Whether checkpoints are reentrant on one GPU, where no key says so.
    pub reentrant_alone: bool,
    /// The framework that generates beside the model, which is not estimated where the model is divided.
    pub generates_beside: Option<&'static str>,
    /// Names besides those of `nn.Linear` layers that get adapters, where these stand for all linear layers.
    pub layers_alone: Option<Vec<String>>,
    /// The place that says that PEFT is older than 0.19, which takes no names of former layers for experts, if it is.
    pub names_layers_alone: Option<&'static str>,
    /// The parts that alone are trained; all of them must hold.
    pub trained: Vec<Trained>,
    pub models: &'a dyn Models,
    /// The files that are given.
    pub given: Given,
}

/// The file that a key names, whose value is a path.
pub(super) fn named_file(entry: &Entry) -> Option<String> {
    let path = entry.value.as_str()?.trim();
    (!value::is_off(&entry.value)).then(|| path.to_owned())
}

impl<'a> Job<'a> {
    pub(super) fn new(models: &'a dyn Models, given: Given) -> Self {
        Self {
            scenario: Value::Object(Map::new()),
            understood: Vec::new(),
            ignored: Vec::new(),
            assumed: Vec::new(),
            notes: Vec::new(),
            mixed: None,
            loaded: None,
            upcasts: false,
            adapters_as_base: false,
            wrapper: None,
            fsdp_version: 1,
            groups_by_accelerate: false,
            before_accelerate_1_14: false,
            several: None,
            needs_gpus: false,
            empties_cache: None,
            plain_when_sharded: false,
            casts_by_fsdp_alone: false,
            builds_whole: false,
            saves: false,
            global_batch: None,
            reduces_in: None,
            reentrant_alone: false,
            generates_beside: None,
            layers_alone: None,
            names_layers_alone: None,
            trained: Vec::new(),
            models,
            given,
        }
    }

    /// Notes a key that is understood, and the settings that it sets.
    pub(super) fn understand(&mut self, entry: &Entry, paths: &str) {
        self.understood.push(Understood {
            key: entry.key.clone(),
            value: entry.value.clone(),
            sets: paths.split(' ').map(str::to_owned).collect(),
        });
    }

    /// Notes a key that is not followed.
    pub(super) fn ignore(&mut self, entry: &Entry, matters: Matters) {
        self.ignored.push(Ignored {
            key: entry.key.clone(),
            value: entry.value.clone(),
            matters,
        });
    }

    /// Moves a key from the understood ones to the others: its value is of no use here.
    pub(super) fn give_up(&mut self, said: &Said, name: &str, matters: Matters) {
        let mut entries = said.entries.iter().rev();
        if let Some(entry) = entries.find(|entry| entry.name == name) {
            self.understood.retain(|other| other.key != entry.key);
            self.ignored.retain(|other| other.key != entry.key);
            self.ignore(entry, matters);
        }
    }

    /// Lists every key that decides `setting` as ignored, for want of `lack`.
    pub(super) fn forgo(&mut self, setting: &str, lack: Lack) {
        let decides = |own: &Understood| own.sets.iter().any(|set| set == setting);
        let (given_up, kept) = self.understood.drain(..).partition(decides);
        self.understood = kept;
        let given_up: Vec<Understood> = given_up;
        self.ignored.extend(given_up.into_iter().map(|own| Ignored {
            key: own.key,
            value: own.value,
            matters: Matters::Yes(lack),
        }));
    }

    /// Notes a key that names a file.
    pub(super) fn name_file(&mut self, entry: &Entry) {
        self.understand(entry, "");
        let Some(file) = named_file(entry).filter(|file| !self.given.has(&entry.name, file)) else {
            return;
        };
        let key = entry.key.clone();
        let note = match named::find(&entry.name, &file) {
            Some(known) => Note::Known {
                key,
                file,
                source: known.source,
            },
            None => Note::File { key, file },
        };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Sets a setting of the scenario.
    pub(super) fn set(&mut self, path: &str, value: impl Into<Value>) {
        let mut node = &mut self.scenario;
        let mut parts = path.split('.').peekable();
        while let Some(part) = parts.next() {
            if !node.is_object() {
                *node = Value::Object(Map::new());
            }
            let Value::Object(map) = node else { return };
            if parts.peek().is_none() {
                map.insert(part.to_owned(), value.into());
                return;
            }
            node = map.entry(part).or_insert(Value::Null);
        }
    }

    /// Sets what gets adapters: by one text that is a regular expression over whole paths, or by names.
    pub(super) fn set_targets(&mut self, given: &Value) {
        const SIGNS: [char; 9] = ['(', '*', '\\', '|', '[', '+', '^', '$', '?'];
        let one = match given {
            Value::Array(items) if items.len() == 1 => items.first().and_then(Value::as_str),
            given => given.as_str(),
        };
        match one.map(str::trim) {
            Some(text) if !text.starts_with('[') && text.contains(SIGNS) => {
                self.set("lora.target_pattern", text);
            }
            _ => self.set("lora.target_modules", value::list(given)),
        }
    }

    /// The value of a setting so far.
    pub(super) fn get(&self, path: &str) -> Option<&Value> {
        let mut parts = path.split('.');
        parts.try_fold(&self.scenario, |node, part| node.get(part))
    }

    pub(super) fn count(&self, path: &str) -> Option<u64> {
        self.get(path)?.as_u64()
    }

    /// Removes a setting, or a group of them.
    pub(super) fn remove(&mut self, path: &str) {
        let (above, last) = path.rsplit_once('.').unwrap_or(("", path));
        let parts = above.split('.').filter(|part| !part.is_empty());
        let mut node = Some(&mut self.scenario);
        for part in parts {
            node = node.and_then(|node| node.get_mut(part));
        }
        if let Some(Value::Object(map)) = node {
            map.remove(last);
        }
    }

    /// Sets what no file says as the framework has it.
    pub(super) fn assume(&mut self, path: &str, value: impl Into<Value>, source: &'static str) {
        if self.get(path).is_none() {
            let value = value.into();
            self.set(path, value.clone());
            let key = path.to_owned();
            self.assumed.push(Assumed { key, value, source });
        }
    }

    /// Lays the samples of a batch into one row, each of full length.
    pub(super) fn flatten(&mut self, kind: &str) {
        let samples = self.count("micro_batch_size").unwrap_or(1).max(1);
        let tokens = self.count("seq_len").unwrap_or(1);
        let set = ["micro_batch_size", "seq_len"];
        if samples > 1 {
            self.assumed.retain(|own| !set.contains(&own.key.as_str()));
        }
        self.set("micro_batch_size", 1);
        self.set("seq_len", samples.saturating_mul(tokens));
        self.set("packing.kind", kind);
        // Without a mask a batch of an evaluation is one row, too, which is as long as those of the training at most.
        if let Some(evaluated) = self.count("evaluation.micro_batch_size")
            && (kind == "position_ids" || evaluated <= samples)
        {
            let key = "evaluation.micro_batch_size";
            self.assumed.retain(|own| own.key != key || samples == 1);
            self.set(key, evaluated.div_ceil(samples));
        }
    }

    /// All GPUs of the job, where some file says how many.
    pub(super) fn gpus(&self) -> Option<u64> {
        let per_node = self.count("hardware.gpus_per_node")?;
        Some(per_node * self.count("hardware.nodes").unwrap_or(1))
    }
}

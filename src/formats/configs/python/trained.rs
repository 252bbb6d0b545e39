//! The trainer of a program, its arguments, and the model that it is given.

use super::parts::{Calls, Parts};
use super::role::{Role, role, task};
use super::tree::{Bound, Node};
use crate::configs::registry;
use crate::configs::said::Said;
use serde_json::Value;

/// Arguments of trainers that are objects, none of which says anything of memory here.
const OBJECTS: &[&str] = &[
    "model",
    "args",
    "train_dataset",
    "eval_dataset",
    "tokenizer",
    "processing_class",
    "data_collator",
    "callbacks",
    "compute_metrics",
    "compute_loss_func",
    "optimizers",
    "formatting_func",
    "peft_config",
    "reward_funcs",
    "reward_processing_classes",
    "ref_model",
    "quantization_config",
    "preprocess_logits_for_metrics",
    "tools",
    "rollout_func",
    "environment_factory",
    "**",
];

/// Functions of a trainer that decide what its evaluations keep.
const METRICS: [&str; 2] = ["compute_metrics", "preprocess_logits_for_metrics"];

/// Names of models beside the trained one.
const BESIDE: &[&str] = &[
    "ref", "teacher", "reward", "draft", "judge", "merged", "value",
];

/// Names of configurations that a parser fills in, with their formats.
const PARSED: &[&str] = &["TrainingArguments", "Seq2SeqTrainingArguments"];

impl Calls<'_> {
    /// The trainer with its arguments; its call.
    pub(super) fn trainer(&mut self, parts: &mut Parts) -> Option<usize> {
        let is_trainer =
            |role: &Option<Role>| matches!(role, Some(Role::Trainer | Role::TrlTrainer(_)));
        let is_arguments =
            |role: &Option<Role>| matches!(role, Some(Role::Arguments | Role::Config(_)));
        let trainer = self.roles.iter().position(is_trainer);
        let own = trainer.and_then(|trainer| self.maker(trainer, "args", 1));
        let own = own.filter(|own| is_arguments(&self.roles[*own]));
        let arguments = own.or_else(|| self.roles.iter().position(is_arguments));
        let parsed = self.parser();
        if trainer.is_none() && arguments.is_none() && parsed.is_none() {
            return None;
        }
        let word = |number: usize| match self.roles[number] {
            Some(Role::TrlTrainer(word) | Role::Config(word)) => Some(word),
            _ => None,
        };
        let first = trainer.or(arguments);
        let of_trl = trainer.and_then(word).or(arguments.and_then(word));
        let of_trl = of_trl.or(parsed.as_ref().and_then(|(word, _)| *word));
        let mut said = Said::default();
        if let Some(word) = of_trl {
            let key = first
                .map_or("TrlParser", |first| self.class(first))
                .to_owned();
            said.add_as(&key, "trainer", word.into());
        }
        if let Some((_, defaults)) = parsed {
            said.extend(defaults);
        }
        if let Some(arguments) = arguments {
            if of_trl.is_some() && self.roles[arguments] == Some(Role::Arguments) {
                let class = self.class(arguments).to_owned();
                said.add_as(&format!("{class}()"), "args", class.into());
            }
            self.add_all(&mut said, arguments, "", &[]);
        }
        if let Some(trainer) = trainer {
            self.add_all(&mut said, trainer, "", OBJECTS);
            let class = self.class(trainer).to_owned();
            for name in METRICS {
                let function = self.argument(trainer, name, 99);
                if function.is_some_and(|id| self.scope.value(id) != Some(Value::Null)) {
                    said.add_as(&format!("{class}.{name}"), name, true.into());
                }
            }
            if let Some(teacher) = said.take("teacher_model") {
                said.add_as(
                    &format!("{class}.teacher_model"),
                    "teacher_model_name_or_path",
                    teacher,
                );
            }
            parts.own.add_as(&class, "trainer", true.into());
        } else if first.is_some() {
            parts
                .own
                .add_as("TrainingArguments", "trainer", true.into());
        }
        let format = if of_trl.is_some() {
            "trl"
        } else {
            "training-arguments"
        };
        parts.trainer = Some((format, said));
        trainer
    }

    /// The configuration that a parser fills in, by TRL's word where it is TRL's, and its defaults in own subclasses.
    pub(super) fn parser(&self) -> Option<(Option<&'static str>, Said)> {
        let parser = *self.all(Role::Parser).first()?;
        let first = self.call(parser).arguments.first()?.value;
        let first = self.scope.resolve(first);
        let classes = match &self.scope.tree.nodes[first] {
            Node::List(items) => items.clone(),
            _ => vec![first],
        };
        let mut found = None;
        let mut said = Said::default();
        for class in classes {
            let Node::Path(class) = &self.scope.tree.nodes[class] else {
                continue;
            };
            let full = self.scope.full_name(class);
            let last = full.rsplit('.').next().unwrap_or(&full);
            match role(last) {
                Some(Role::Config(word)) => found = Some(Some(word)),
                _ if PARSED.contains(&last) => found = found.or(Some(None)),
                _ => continue,
            }
            let name = found.flatten().map_or("training-arguments", |_| "trl");
            let format = registry::format(name);
            for (own, field, value) in &self.scope.tree.fields {
                let known = format.is_some_and(|format| format.knows(field).is_some());
                if own == class && known {
                    self.add(&mut said, &format!("{class}.{field}"), field, *value, 0);
                }
            }
        }
        found.map(|word| (word, said))
    }

    /// The model that is trained, by what makes it up to the trainer.
    pub(super) fn model(&mut self, trainer: Option<usize>, parts: &mut Parts) {
        if let Some(trainer) = trainer
            && let Some(model) = self.argument(trainer, "model", 0)
        {
            let class = self.class(trainer).to_owned();
            if let Some(Value::String(name)) = self.scope.value(model) {
                parts
                    .own
                    .add_as(&format!("{class}.model"), "model", name.into());
                return;
            }
            let mut made = self.scope.made_by(model, trainer);
            for _ in 0..20 {
                let Some(number) = made else { break };
                match self.roles[number] {
                    Some(Role::Load | Role::FastLoad | Role::FromConfig) => {
                        return self.load(number, &mut parts.own);
                    }
                    Some(Role::LoadAdapters) => {
                        parts
                            .own
                            .add_as("PeftModel.from_pretrained", "peft_model", true.into());
                        self.taken.insert(number);
                    }
                    _ => {}
                }
                let on = self.call(number).on;
                let method = self.method_on(number);
                made = on.or(method).or_else(|| self.maker(number, "model", 0));
            }
        }
        let loads = self.roles.iter().enumerate().filter(|(number, role)| {
            let loads = matches!(role, Some(Role::Load | Role::FastLoad | Role::FromConfig));
            let beside = |name: &&str| {
                BESIDE
                    .iter()
                    .any(|word| name.to_ascii_lowercase().contains(word))
            };
            loads && !self.names_of(*number).iter().any(beside)
        });
        let first = loads.map(|(number, _)| number).next();
        if let Some(first) = first {
            self.load(first, &mut parts.own);
        } else if let Some(trainer) = trainer
            && let Some(model) = self.argument(trainer, "model", 0)
        {
            let key = format!("{}.model", self.class(trainer));
            self.leave(&mut parts.own, &key, "model", model);
        }
    }

    /// The reference of a trainer that is loaded as the model itself is.
    pub(super) fn reference(&mut self, trainer: usize) {
        let made = self.maker(trainer, "ref_model", 99);
        let name = |number: usize| {
            let name = self.argument(number, "pretrained_model_name_or_path", 0)?;
            self.scope.value(name)
        };
        if let Some(made) = made
            && self.roles[made] == Some(Role::Load)
            && name(made).is_some()
            && self
                .taken
                .iter()
                .any(|own| self.roles[*own] == Some(Role::Load) && name(*own) == name(made))
        {
            self.taken.insert(made);
        }
    }

    /// The call that made the object whose method a call is.
    fn method_on(&self, number: usize) -> Option<usize> {
        let (of, _) = self.call(number).callee.rsplit_once('.')?;
        let nodes = self.scope.tree.bound.iter().rev();
        let found = nodes.filter_map(|(name, bound)| match bound {
            Bound::To(id, at) if name == of && *at < number => Some((*id, *at)),
            _ => None,
        });
        let (id, at) = found.into_iter().next()?;
        self.scope.made_by(id, at.max(1))
    }

    /// Adds what loads a model.
    fn load(&mut self, number: usize, said: &mut Said) {
        let fast = self.roles[number] == Some(Role::FastLoad);
        let callee = self.names[number].clone();
        let class = callee.rsplit('.').nth(1).unwrap_or_default().to_owned();
        let is_arguments =
            |role: &Option<Role>| matches!(role, Some(Role::Arguments | Role::Config(_)));
        let arguments = self.roles.iter().position(is_arguments);
        if arguments.is_some_and(|arguments| number < arguments) {
            said.add_as(&format!("{class}()"), "loaded_first", true.into());
        }
        let (name, key) = if fast {
            ("model_name", format!("{class}.model_name"))
        } else {
            (
                "pretrained_model_name_or_path",
                format!("{class}.from_pretrained"),
            )
        };
        if fast {
            said.add_as(&class, "unsloth", true.into());
        }
        if let Some(task) = task(&class) {
            said.add_as(&class, "task", task.into());
        }
        if class.ends_with("WithValueHead") {
            said.add_as(&class, "value_head", true.into());
        }
        if class.starts_with("AutoLiger") {
            said.add_as(&class, "liger_kernel", true.into());
        }
        let mut model = self.argument(number, name, 0);
        if self.roles[number] == Some(Role::FromConfig) {
            said.add_as(&format!("{class}.from_config"), "from_config", true.into());
            let config = self.maker(number, "config", 0);
            let config = config.filter(|config| self.roles[*config] == Some(Role::LoadConfig));
            model = config.and_then(|config| self.argument(config, name, 0));
        }
        if let Some(model) = model {
            self.add(said, &key, "model", model, 0);
        }
        let but = [
            name,
            "config",
            "quantization_config",
            "use_gradient_checkpointing",
        ];
        self.add_all(said, number, "", &but);
        if let Some(kind) = self.argument(number, "use_gradient_checkpointing", 99) {
            self.add(
                said,
                &format!("{class}.use_gradient_checkpointing"),
                "unsloth_checkpointing",
                kind,
                0,
            );
        }
    }
}

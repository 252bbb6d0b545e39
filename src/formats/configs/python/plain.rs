//! Programs without a trainer, and statements beside one: methods, loops, lengths.

use super::parts::{Calls, Parts};
use super::role::{OPTIMIZERS, Role};
use super::tree::Bound;
use crate::configs::said::Said;
use serde_json::Value;

/// Names of constants that say how long samples are or how many make a step, where no call does.
const CONSTANTS: &[(&str, &[&str])] = &[
    (
        "max_length",
        &[
            "max_seq_length",
            "max_seq_len",
            "max_length",
            "seq_length",
            "seq_len",
            "block_size",
            "cutoff_len",
            "context_length",
        ],
    ),
    (
        "gradient_accumulation_steps",
        &[
            "gradient_accumulation_steps",
            "grad_accum_steps",
            "accumulation_steps",
            "accum_steps",
        ],
    ),
];

impl Calls<'_> {
    /// Methods and functions that change the model, whoever trains it.
    pub(super) fn methods(&mut self, said: &mut Said) {
        for number in 0..self.roles.len() {
            let Some(role) = self.roles[number] else {
                continue;
            };
            let name = self.names[number].clone();
            let short = name.rsplit('.').next().unwrap_or(&name).to_owned();
            match role {
                // A call that prepares the model afterwards says how.
                Role::Checkpoint if self.all(Role::Prepare).iter().any(|own| *own > number) => {}
                Role::Checkpoint => {
                    said.add_as(&short, "gradient_checkpointing", true.into());
                    if let Some(kwargs) = self.argument(number, "gradient_checkpointing_kwargs", 0)
                    {
                        let inner = "gradient_checkpointing_kwargs";
                        self.add(said, &format!("{short}.{inner}"), inner, kwargs, 0);
                    }
                }
                Role::Compile => said.add_as("torch.compile", "torch.compile", true.into()),
                Role::Liger => said.add_as(&short, "liger_kernel", true.into()),
                Role::Freeze => {
                    let off = self.argument(number, "requires_grad", 0);
                    if off.and_then(|off| self.scope.value(off)) == Some(false.into()) {
                        let (of, _) = name.rsplit_once('.').unwrap_or((&name, ""));
                        said.add_as(&format!("{of}.requires_grad_"), "requires_grad", of.into());
                    }
                }
                Role::Cast if self.call(number).arguments.is_empty() => {
                    let of = name.rsplit_once('.').map_or("", |(of, _)| of);
                    if self.call(number).on.is_some() || of.ends_with("model") {
                        let dtype = if short == "half" {
                            "float16"
                        } else {
                            "bfloat16"
                        };
                        said.add_as(&format!("{short}()"), "dtype", dtype.into());
                    }
                }
                _ => continue,
            }
            self.taken.insert(number);
        }
        for (path, bound) in &self.scope.tree.bound {
            if let Bound::To(value, _) = bound
                && path.ends_with(".requires_grad")
                && self.scope.value(*value) == Some(false.into())
            {
                said.add_as(path, "requires_grad", path.as_str().into());
            }
            if let Bound::To(value, _) = bound
                && path.ends_with(".config.use_cache")
            {
                self.add(said, path, "use_cache", *value, 0);
            }
        }
    }

    /// A loop without a trainer: its loader, optimizer, wrapper and autocast.
    pub(super) fn plain_loop(&mut self, said: &mut Said) {
        let is_other = |name: &&str| {
            let name = name.to_ascii_lowercase();
            ["eval", "val", "test", "dev"]
                .iter()
                .any(|word| name.contains(word))
        };
        let loaders = self.all(Role::Loader);
        let evaluates = |number: &usize| self.names_of(*number).iter().any(is_other);
        let first = loaders.iter().find(|number| !evaluates(number)).copied();
        if let Some(loader) = first {
            if let Some(size) = self.argument(loader, "batch_size", 1) {
                self.add(said, "DataLoader.batch_size", "batch_size", size, 0);
            }
            self.add_all(said, loader, "", &["dataset", "batch_size"]);
        }
        self.taken.extend(loaders);
        if let Some(optimizer) = self.all(Role::Optimizer).first().copied() {
            let class = self.class(optimizer).to_owned();
            let names = OPTIMIZERS.iter().find(|(name, _)| *name == class);
            let own = names.map_or("", |(_, own)| *own);
            said.add_as(&self.names[optimizer].clone(), "optimizer", own.into());
            self.add_all(said, optimizer, "optimizer.", &["params"]);
        }
        for (role, kind) in [
            (Role::Ddp, "ddp"),
            (Role::Fsdp1, "fsdp1"),
            (Role::Fsdp2, "fsdp2"),
            (Role::DataParallel, "data_parallel"),
        ] {
            let all = self.all(role);
            if let Some(last) = all.last().copied() {
                let class = self.class(last).to_owned();
                said.add_as(&class, "wrapper", kind.into());
                self.add_all(
                    said,
                    last,
                    "wrapper.",
                    &["module", "mesh", "device_ids", "device_id", "output_device"],
                );
            }
            self.taken.extend(all);
        }
        if let Some(autocast) = self.all(Role::Autocast).first().copied() {
            let dtype = self.argument(autocast, "dtype", 1);
            match dtype {
                Some(dtype) => self.add(said, "autocast.dtype", "autocast", dtype, 0),
                // `get_autocast_dtype("cuda")`, torch 2.15.
                None => said.add_as("autocast()", "autocast", "float16".into()),
            }
            self.taken.insert(autocast);
        }
        if let Some(clip) = self.all(Role::Clip).first().copied() {
            said.add_as("clip_grad_norm_", "clip_grad_norm", true.into());
            self.taken.insert(clip);
        }
    }

    /// Lengths that a tokenizer is told, or constants that say what no call does.
    pub(super) fn lengths(&mut self, parts: &mut Parts) {
        let own = &mut parts.own;
        let longest = self.all(Role::Tokenize).into_iter().filter_map(|number| {
            let id = self.argument(number, "max_length", 99)?;
            Some((self.scope.value(id).as_ref().and_then(Value::as_u64), id))
        });
        if let Some((_, id)) = longest.max_by_key(|(length, _)| *length) {
            self.add(own, "tokenizer.max_length", "max_length", id, 0);
        }
        for number in self.all(Role::LoadTokenizer) {
            if let Some(id) = self.argument(number, "model_max_length", 99)
                && !own.has("max_length")
            {
                self.add(own, "tokenizer.model_max_length", "max_length", id, 0);
            }
        }
        let has = |own: &Said, key: &str| own.get(key).is_some();
        for (key, names) in CONSTANTS {
            let other = key.replace("max_length", "max_seq_length");
            let beside = parts.trainer.as_ref().map(|(_, said)| said);
            let accelerator = has(&parts.accelerate, key);
            if has(own, key)
                || has(own, &other)
                || accelerator
                || beside.is_some_and(|said| said.has(key))
            {
                continue;
            }
            let bound = &self.scope.tree.bound;
            let found = names.iter().find_map(|name| {
                bound.iter().find_map(|(path, bound)| match bound {
                    Bound::To(id, _) if path.eq_ignore_ascii_case(name) => Some((path, *id)),
                    _ => None,
                })
            });
            if let Some((path, id)) = found
                && let Some(value @ Value::Number(_)) = self.scope.value(id)
            {
                own.add_as(path, key, value);
            }
        }
    }

    /// Names further objects of a kind that is read already, which are not followed.
    pub(super) fn others(&self, said: &mut Said) {
        for (number, role) in self.roles.iter().enumerate() {
            let one_of = matches!(
                role,
                Some(
                    Role::Arguments
                        | Role::Config(_)
                        | Role::Trainer
                        | Role::TrlTrainer(_)
                        | Role::Lora
                        | Role::Bits
                        | Role::Load
                        | Role::FastLoad
                        | Role::Accelerator
                )
            );
            if one_of && !self.taken.contains(&number) {
                let first = self.call(number).arguments.first();
                let written = first.map_or(String::new(), |own| self.written(own.value));
                said.add_as(
                    &format!("{}()", self.names[number]),
                    "second",
                    written.into(),
                );
            }
        }
    }
}

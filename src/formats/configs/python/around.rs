//! Calls around a trainer: adapters, quantization, accelerate, DeepSpeed, variables of the environment.

use super::parts::{Calls, Parts};
use super::role::Role;
use super::tree::{Bound, Id};
use crate::configs::said::Said;

/// Arguments of `Accelerator` that its configuration has, too.
const FOLLOWED: &[&str] = &["mixed_precision", "gradient_accumulation_steps", "cpu"];

impl Calls<'_> {
    /// Adapters: `LoraConfig`, or unsloth's `get_peft_model`.
    pub(super) fn adapters(&mut self, parts: &mut Parts) {
        if let Some(fast) = self.all(Role::FastAdapt).first().copied() {
            let but = [
                "model",
                "use_gradient_checkpointing",
                "random_state",
                "max_seq_length",
            ];
            parts.peft.add_as(
                "FastLanguageModel.get_peft_model",
                "peft_type",
                "LORA".into(),
            );
            // Its own defaults (`FastLanguageModel.get_peft_model`, unsloth 2026.10).
            parts.own.add_as(
                "FastLanguageModel.get_peft_model",
                "unsloth_adapters",
                true.into(),
            );
            if let Some((_, said)) = parts
                .trainer
                .as_mut()
                .filter(|(format, _)| *format == "trl")
            {
                said.add_as("get_peft_model()", "peft_config", "unsloth".into());
            }
            self.add_all(&mut parts.peft, fast, "", &but);
            if let Some(kind) = self.argument(fast, "use_gradient_checkpointing", 99) {
                let key = "get_peft_model.use_gradient_checkpointing";
                self.add(&mut parts.own, key, "unsloth_checkpointing", kind, 0);
            }
            return;
        }
        if let Some(other) = self.all(Role::OtherAdapter).first().copied() {
            self.taken.insert(other);
            let class = self.class(other).to_owned();
            parts
                .peft
                .add_as(&class, "peft_type", class.as_str().into());
            return;
        }
        let users = self.all(Role::Adapt).into_iter().map(|user| (user, 1));
        let trainers = self.roles.iter().enumerate().filter_map(|(number, role)| {
            matches!(role, Some(Role::TrlTrainer(_))).then_some((number, 99))
        });
        let users: Vec<_> = users.take(20).chain(trainers.take(20)).collect();
        let mut named = users
            .iter()
            .filter_map(|(user, place)| self.maker(*user, "peft_config", *place));
        let named = named.find(|number| self.roles[*number] == Some(Role::Lora));
        let Some(lora) = named.or_else(|| self.all(Role::Lora).first().copied()) else {
            return;
        };
        parts.peft.add_as("LoraConfig", "peft_type", "LORA".into());
        self.add_all(&mut parts.peft, lora, "", &[]);
        if let Some((_, said)) = parts
            .trainer
            .as_mut()
            .filter(|(format, _)| *format == "trl")
        {
            said.add_as("LoraConfig()", "peft_config", true.into());
        }
        for user in self.all(Role::Adapt) {
            self.taken.insert(user);
            if let Some(casts) = self.argument(user, "autocast_adapter_dtype", 99) {
                let key = "get_peft_model.autocast_adapter_dtype";
                self.add(&mut parts.own, key, "autocast_adapter_dtype", casts, 0);
            }
        }
    }

    pub(super) fn quantization(&mut self, parts: &mut Parts) {
        if let Some(bits) = self.all(Role::Bits).first().copied() {
            self.add_all(&mut parts.own, bits, "", &[]);
        }
        for other in self.all(Role::OtherQuantization) {
            self.taken.insert(other);
            let class = self.class(other).to_owned();
            parts
                .own
                .add_as(&class, "other_quantization", class.as_str().into());
        }
        if let Some(prepare) = self.all(Role::Prepare).first().copied() {
            self.taken.insert(prepare);
            let key = "prepare_model_for_kbit_training";
            parts.own.add_as(key, key, true.into());
            let name = "gradient_checkpointing";
            if let Some(on) = self.argument(prepare, "use_gradient_checkpointing", 1) {
                let key = format!("{key}.use_gradient_checkpointing");
                self.add(&mut parts.own, &key, name, on, 0);
            } else {
                let key = format!("{key}()");
                parts.own.add_as(&key, name, true.into());
            }
            let inner = "gradient_checkpointing_kwargs";
            if let Some(kwargs) = self.argument(prepare, inner, 2) {
                self.add(&mut parts.own, &format!("{key}.{inner}"), inner, kwargs, 0);
            } else {
                // It hands on no options, and so PyTorch's own default is left (PEFT 0.21, `utils/other.py`).
                let name = format!("{inner}.use_reentrant");
                parts.own.add_as(&format!("{key}()"), &name, true.into());
            }
        }
    }

    pub(super) fn accelerate(&mut self, parts: &mut Parts) {
        for accelerator in self.all(Role::Accelerator).into_iter().take(1) {
            let but = [
                "fsdp_plugin",
                "deepspeed_plugin",
                "deepspeed_plugins",
                "kwargs_handlers",
            ];
            let mut said = Said::default();
            self.add_all(&mut said, accelerator, "accelerator.", &but);
            parts.own.add_as("Accelerator", "accelerator", true.into());
            for entry in said.entries {
                let name = entry.name.trim_start_matches("accelerator.");
                if FOLLOWED.contains(&name) {
                    parts.accelerate.add_as(&entry.key, name, entry.value);
                } else {
                    parts.own.add_as(&entry.key, &entry.name, entry.value);
                }
            }
            for entry in said.computed {
                parts.own.compute(&entry.key, &entry.name, entry.value);
            }
        }
        for plugin in self.all(Role::FsdpPlugin).into_iter().take(1) {
            let class = self.class(plugin).to_owned();
            parts.accelerate.add_as(&class, "use_fsdp", true.into());
            self.add_all(&mut parts.accelerate, plugin, "fsdp_config.", &[]);
        }
        for plugin in self.all(Role::DeepSpeedPlugin).into_iter().take(1) {
            let class = self.class(plugin).to_owned();
            parts
                .accelerate
                .add_as(&class, "use_deepspeed", true.into());
            self.add_all(
                &mut parts.accelerate,
                plugin,
                "deepspeed_config.",
                &["hf_ds_config"],
            );
            if let Some(config) = self.argument(plugin, "hf_ds_config", 0) {
                self.deepspeed(parts, &format!("{class}.hf_ds_config"), config);
            }
        }
        for engine in self.all(Role::DeepSpeed).into_iter().take(1) {
            self.taken.insert(engine);
            let config = self.argument(engine, "config", 99);
            if let Some(config) = config.or_else(|| self.argument(engine, "config_params", 99)) {
                self.deepspeed(parts, "deepspeed.initialize.config", config);
            }
        }
    }

    /// DeepSpeed's configuration: a dictionary, or a file's name.
    fn deepspeed(&self, parts: &mut Parts, key: &str, config: Id) {
        let mut said = Said::default();
        self.add(&mut said, key, "", config, 0);
        for entry in said.entries {
            match entry.name.strip_prefix('.') {
                Some(name) => parts.deepspeed.add_as(&entry.key, name, entry.value),
                None => parts.launcher.add_as(key, "deepspeed_config", entry.value),
            }
        }
        for entry in said.computed {
            let name = entry.name.trim_start_matches('.');
            parts.deepspeed.compute(&entry.key, name, entry.value);
        }
    }

    /// Variables that the program sets for itself.
    pub(super) fn environment(&self, said: &mut Said) {
        for (path, bound) in &self.scope.tree.bound {
            if let (Some(name), Bound::To(value, _)) = (path.strip_prefix("os.environ."), bound) {
                let known = [
                    "CUDA_VISIBLE_DEVICES",
                    "PYTORCH_CUDA_ALLOC_CONF",
                    "PYTORCH_ALLOC_CONF",
                ];
                if known.contains(&name) {
                    self.add(said, name, name, *value, 0);
                }
            }
        }
    }
}

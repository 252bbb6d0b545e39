//! Files that a configuration names: which are given, and the public ones whose content is known.

mod files;
mod torchtune;

use files::REPOSITORIES;
use serde_json::{Map, Value};

/// Formats whose keys stand beside those of a trainer.
pub const BESIDE_A_TRAINER: [&str; 4] = ["peft", "accelerate", "deepspeed", "launcher"];

/// A key that names a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// The key as tables have it.
    pub key: String,
    /// The file.
    pub file: String,
}

/// A public file.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// The repository and its version.
    pub source: &'static str,
    /// The keys that matter.
    pub keys: Map<String, Value>,
}

/// The files of a job that are given.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// Their names.
    pub names: Vec<String>,
    /// The formats of the files that are trees of keys.
    pub formats: Vec<&'static str>,
}

impl Given {
    /// Whether the file that a key names is among them: by its last part, or, as texts that are pasted have no name,
    /// by the format that the key asks for.
    pub(super) fn has(&self, key: &str, file: &str) -> bool {
        let last = |path: &str| {
            let path = path.trim_end_matches(['/', '\\']);
            path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
        };
        let named = self.names.iter().any(|given| last(given) == last(file));
        named || self.formats.iter().any(|format| asks_for(key, format))
    }
}

/// Whether the file that a key names is of a format.
fn asks_for(key: &str, format: &str) -> bool {
    match key {
        "config" | "job.config_file" => !BESIDE_A_TRAINER.contains(&format),
        "config_file" | "accelerate_config" => format == "accelerate",
        "adapter_name_or_path" | "lora_model_dir" | "ref_model_adapters" => format == "peft",
        key => key.contains("deepspeed") && format == "deepspeed",
    }
}

/// The public file that a key names.
pub(super) fn find(key: &str, file: &str) -> Option<Known> {
    let mut file = file.replace('\\', "/");
    if key == "accelerate_config" && !file.contains('/') {
        // `trl sft --accelerate_config zero3` (`scripts/utils.py`, trl 1.9).
        file = format!("accelerate_configs/{file}.yaml");
    }
    let is = |end: &str| {
        let above = file.strip_suffix(end);
        above.is_some_and(|above| above.is_empty() || end.contains('/') && above.ends_with('/'))
    };
    let public = REPOSITORIES.iter().find_map(|repository| {
        let (_, keys) = repository.files.iter().find(|(end, _)| is(end))?;
        Some(Known {
            source: repository.source,
            keys: serde_json::from_str(keys).ok()?,
        })
    });
    let recipe = || {
        let keys = torchtune::keys(&file).filter(|_| key == "config")?;
        let source = torchtune::SOURCE;
        Some(Known { source, keys })
    };
    public.or_else(recipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configs::registry;
    use crate::configs::said::Said;

    #[test]
    fn every_public_file_is_a_tree_of_a_format() {
        for repository in REPOSITORIES {
            for (file, _) in repository.files {
                let known = find("deepspeed", file).expect(file);
                let said = Said::tree(&known.keys);
                let formats = ["accelerate", "deepspeed", "torchtitan"];
                let mut formats = formats.iter().filter_map(|name| registry::format(name));
                let of = formats.find(|format| format.told_by(&said) > 0);
                let format = of.expect(file);
                for entry in &said.entries {
                    assert!(format.knows(&entry.key).is_some(), "{file}: {}", entry.key);
                }
            }
        }
    }

    #[test]
    fn a_public_file_is_known_by_the_end_of_its_path() {
        for (key, file, source) in [
            ("deepspeed", "examples/deepspeed/ds_z3_config.json", "LLaMA"),
            ("deepspeed", "/app/deepspeed_configs/zero2.json", "axolotl"),
            ("deepspeed", "zero3", "ms-swift"),
            (
                "config_file",
                r"examples\accelerate_configs\deepspeed_zero3.yaml",
                "trl",
            ),
            ("accelerate_config", "zero2", "trl"),
            (
                "config_file",
                "recipes/accelerate_configs/ddp.yaml",
                "alignment",
            ),
        ] {
            let known = find(key, file).expect(file);
            assert!(known.source.starts_with(source), "{file}");
        }
        for file in [
            "my/zero3",
            "zero3.json",
            "my_deepspeed/ds_z9_config.json",
            "x_deepspeed_configs/zero2.json",
            "",
        ] {
            assert!(find("deepspeed", file).is_none(), "{file}");
        }
    }
}

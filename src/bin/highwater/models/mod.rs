//! Configs of models that the catalog lacks: of a folder, of the Hub's cache, of the Hub.

mod exported;
mod folder;
mod hub;
mod published;

use highwater::ask::{Finding, ModelRef, Scenario};
use highwater::codec::{
    Elsewhere, Pasted, awaited_graph, hand_graph, published, published_graph, read_pasted,
    use_published,
};
use hub::Hub;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Places in which this run of the program looks.
static SEARCH: OnceLock<Search> = OnceLock::new();

/// Places in which models and files are looked for.
pub struct Search {
    /// The folders of the files that the command line names, and the current one.
    folders: Vec<PathBuf>,
    hub: Hub,
}

/// A text and where it is.
#[derive(Clone)]
pub struct Text {
    /// The file or the address.
    pub place: String,
    /// Its text.
    pub text: String,
}

/// A model that is found.
pub enum Found {
    /// Its `config.json`.
    Config(Text),
    /// The base model of an adapter.
    Base(String),
}

/// Decides where this run looks, by the program's arguments; returns the arguments that remain for the command.
pub fn start(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let (offline, rest): (Vec<_>, Vec<_>) =
        arguments.partition(|argument| argument.as_os_str() == "--offline");
    let files = rest.iter().map(PathBuf::from).filter(|path| path.is_file());
    let mut folders: Vec<PathBuf> = files
        .filter_map(|file| Some(file.parent()?.to_owned()))
        .collect();
    folders.push(PathBuf::new());
    folders.dedup();
    let hub = Hub::of_environment(!offline.is_empty());
    let _ = SEARCH.set(Search { folders, hub });
    rest
}

/// Places in which this run looks.
fn search() -> &'static Search {
    SEARCH.get_or_init(|| Search {
        folders: vec![PathBuf::new()],
        hub: Hub::of_environment(false),
    })
}

/// Puts the config of a model into a scenario that names one which the catalog lacks, or its graph.
///
/// # Errors
/// Why the config could not be had.
pub fn complete(scenario: &mut Scenario) -> Result<Option<Finding>, Finding> {
    if let ModelRef::Catalog(name) = &scenario.model
        && let Some(graph) = published_graph(name)
    {
        use_published(scenario, graph);
    }
    if let Some(name) = awaited_graph(scenario) {
        let name = name.to_owned();
        let graph = exported::graph(scenario, &name, &search().folders)?;
        return Ok(hand_graph(scenario, graph));
    }
    let ModelRef::Catalog(name) = &scenario.model else {
        return Ok(None);
    };
    let name = name.clone();
    match find(&name)? {
        None => Ok(None),
        Some(Found::Base(base)) => {
            scenario.model = ModelRef::Catalog(base.clone());
            complete(scenario)?;
            Ok(Some(Elsewhere::Base { base }.finding(&name)))
        }
        Some(Found::Config(Text { text, place })) => {
            let (Some(Pasted::Model(model)), _) = read_pasted(&text) else {
                return Err(Elsewhere::Unusable { place }.finding(&name));
            };
            scenario.model = model;
            Ok(Some(Elsewhere::Found { place }.finding(&name)))
        }
    }
}

/// Looks for the config of a model, unless the catalog has it.
///
/// # Errors
/// Why the Hub gives none.
pub fn find(name: &str) -> Result<Option<Found>, Finding> {
    search().find(name).map_err(|why| why.finding(name))
}

/// Looks for a file that a configuration names: its path and its text.
pub fn named_file(key: &str, file: &str) -> Option<Text> {
    search().named_file(key, file)
}

impl Search {
    fn find(&self, name: &str) -> Result<Option<Found>, Elsewhere> {
        let is_known = published(name).is_some();
        if is_known && !name.contains(['/', '\\']) {
            return Ok(None);
        }
        for folder in &self.folders {
            let folder = folder.join(folder::expanded(name));
            if let Some((path, text)) = folder::read_in(&folder, "config.json", hub::LARGEST) {
                let place = path.display().to_string();
                return Ok(Some(Found::Config(Text { place, text })));
            }
            if let Some(base) = folder::base_of(&folder) {
                // An adapter of itself has no base.
                return Ok((base != name).then_some(Found::Base(base)));
            }
        }
        if is_known {
            return Ok(None);
        }
        let Some(repository) = hub::repository(name) else {
            return Ok(None);
        };
        let text = self.hub.file(&repository, "config.json")?;
        Ok(Some(Found::Config(text)))
    }

    fn named_file(&self, key: &str, file: &str) -> Option<Text> {
        let path = folder::expanded(file);
        let last = path.file_name().map(PathBuf::from).unwrap_or_default();
        let whole = self.folders.iter().map(|folder| folder.join(&path));
        let beside = self.folders.iter().map(|folder| folder.join(&last));
        let found = whole.chain(beside).find_map(|path| {
            let adapter = || folder::read_in(&path, "adapter_config.json", folder::LARGEST);
            folder::read(&path, folder::LARGEST).or_else(adapter)
        });
        if let Some((path, text)) = found {
            let place = path.display().to_string();
            return Some(Text { place, text });
        }
        let adapts = key.contains("adapter") || key.contains("lora");
        let repository = hub::repository(file).filter(|_| adapts)?;
        self.hub.file(&repository, "adapter_config.json").ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn search(folder: PathBuf, cache: PathBuf) -> Search {
        Search {
            folders: vec![folder],
            hub: Hub::of_cache(cache),
        }
    }

    /// A new folder of this test's.
    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("highwater-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    const CONFIG: &str = r#"{"model_type": "llama", "hidden_size": 64}"#;

    #[test]
    fn a_folder_is_found_with_a_slash_behind_and_by_its_file() {
        let here = scratch("folder");
        fs::create_dir_all(here.join("out/model")).expect("a folder");
        fs::write(here.join("out/model/config.json"), CONFIG).expect("written");
        let search = search(here.clone(), here.join("cache"));
        let whole = here.join("out/model").display().to_string();
        for name in ["out/model", "./out/model/", "out/model/config.json", &whole] {
            let found = search.find(name);
            let Ok(Some(Found::Config(Text { text, .. }))) = found else {
                panic!("{name} is not found");
            };
            assert_eq!(text, CONFIG, "{name}");
        }
        assert!(matches!(
            search.find("out/nothing"),
            Err(Elsewhere::Offline)
        ));
        assert!(matches!(search.find("nothing"), Ok(None)));
        let _ = fs::remove_dir_all(here);
    }

    #[test]
    fn an_adapter_names_its_base() {
        let here = scratch("adapter");
        fs::create_dir_all(here.join("lora")).expect("a folder");
        let config = r#"{"peft_type": "LORA", "base_model_name_or_path": "gpt2"}"#;
        fs::write(here.join("lora/adapter_config.json"), config).expect("written");
        let search = search(here.clone(), here.join("cache"));
        assert!(matches!(search.find("lora/"), Ok(Some(Found::Base(base))) if base == "gpt2"));
        let named = search.named_file("adapter_name_or_path", "saves/lora");
        assert_eq!(named.map(|named| named.text), Some(config.to_owned()));
        let _ = fs::remove_dir_all(here);
    }

    #[test]
    fn the_cache_of_the_hub_is_read_by_its_layout() {
        let cache = scratch("cache");
        let model = cache.join("models--some--model");
        fs::create_dir_all(model.join("refs")).expect("a folder");
        fs::create_dir_all(model.join("snapshots/abc")).expect("a folder");
        fs::write(model.join("refs/main"), "abc").expect("written");
        fs::write(model.join("snapshots/abc/config.json"), CONFIG).expect("written");
        let search = search(cache.join("nowhere"), cache.clone());
        for name in [
            "some/model",
            "/home/ann/hub/models--some--model/snapshots/def",
        ] {
            assert!(
                matches!(search.find(name), Ok(Some(Found::Config(_)))),
                "{name}"
            );
        }
        assert!(matches!(search.find("some/other"), Err(Elsewhere::Offline)));
        let _ = fs::remove_dir_all(cache);
    }

    #[test]
    fn a_named_file_is_found_beside_the_configuration_by_its_last_part() {
        let here = scratch("beside");
        fs::write(here.join("ds.json"), "{}").expect("written");
        let search = search(here.clone(), here.join("cache"));
        assert!(search.named_file("deepspeed", "configs/ds.json").is_some());
        assert!(
            search
                .named_file("deepspeed", "configs/other.json")
                .is_none()
        );
        assert!(search.named_file("deepspeed", "").is_none());
        let _ = fs::remove_dir_all(here);
    }
}

//! The rooms that may use a name: a family's type is in its record, blocks and checks name no family, and no domain
//! room says how the page is cut in two.

use crate::source::{File, program_files, root, rust_files};
use crate::table::room;
use std::collections::{BTreeMap, BTreeSet};

/// The types of models that mean something else, too, where they do.
const OTHER_WORDS: &[(&str, &str, &str)] = &[
    (
        "qwen3",
        "src/formats/configs/hub.rs",
        "a model of torchtitan's",
    ),
    (
        "clip",
        "src/models/families/exported/pointwise.rs",
        "an operation",
    ),
    (
        "llama",
        "src/formats/configs/torchtune.rs",
        "a model that a builder makes of its sizes",
    ),
    (
        "mistral",
        "src/formats/configs/torchtune.rs",
        "a model that a builder makes of its sizes",
    ),
    (
        "deepseek_v3",
        "src/formats/configs/hub.rs",
        "a model of torchtitan's",
    ),
    (
        "llama",
        "src/formats/configs/hub.rs",
        "the config of torchtitan's model for tests",
    ),
    (
        "qwen3_moe",
        "src/formats/configs/megatron.rs",
        "the config that Megatron's arguments say",
    ),
    (
        "mixtral",
        "src/formats/configs/megatron.rs",
        "the config that Megatron's arguments say",
    ),
    (
        "qwen3",
        "src/formats/configs/megatron.rs",
        "the config that Megatron's arguments say",
    ),
    (
        "llama",
        "src/formats/configs/megatron.rs",
        "the config that Megatron's arguments say",
    ),
    (
        "gpt2",
        "src/formats/configs/megatron.rs",
        "the config that Megatron's arguments say",
    ),
    (
        "qwen3",
        "src/formats/configs/written.rs",
        "the config that Megatron's arguments say",
    ),
    (
        "clip",
        "src/formats/codec/keys.rs",
        "a key of links: clipping gradients",
    ),
    (
        "clip",
        "src/engine/sim/trace.rs",
        "a part of the step: clipping gradients",
    ),
    (
        "clip",
        "src/formats/inputs/snapshot/guess.rs",
        "a phase of a step",
    ),
    ("clip", "src/answers/text/terms.rs", "its name on the page"),
    (
        "bitnet",
        "src/models/families/names/marks.rs",
        "a word that says that sizes differ",
    ),
    (
        "clip",
        "src/models/families/names/marks.rs",
        "a word that says that sizes differ",
    ),
    (
        "llava",
        "src/models/families/names/marks.rs",
        "a word that says that sizes differ",
    ),
    (
        "mamba",
        "src/models/families/names/marks.rs",
        "a word that says that sizes differ",
    ),
    (
        "nemotron",
        "src/models/families/names/marks.rs",
        "a word that says that sizes differ",
    ),
    (
        "siglip",
        "src/models/families/names/marks.rs",
        "a word that says that sizes differ",
    ),
    (
        "bitnet",
        "src/models/families/names/packed.rs",
        "a name of a quantization",
    ),
    (
        "opt",
        "src/formats/codec/keys.rs",
        "a key of links: the optimizer",
    ),
    (
        "hgrn",
        "src/torch/tape/ops/fla/hgrn.rs",
        "a kernel of flash-linear-attention",
    ),
    (
        "mamba",
        "src/models/families/fla/records.rs",
        "flash-linear-attention calls its own so, too",
    ),
    (
        "mamba2",
        "src/models/families/fla/records.rs",
        "flash-linear-attention calls its own so, too",
    ),
    (
        "mamba",
        "src/models/families/granite/granitemoehybrid.rs",
        "a module of layers",
    ),
    (
        "mamba",
        "src/models/families/hybrid/bamba.rs",
        "a module of layers",
    ),
    (
        "mamba",
        "src/models/families/hybrid/falcon_h1.rs",
        "a module of layers",
    ),
    (
        "mamba",
        "src/models/families/hybrid/jamba.rs",
        "a module of layers",
    ),
    (
        "mamba",
        "src/models/families/hybrid/nemotron_h_reader.rs",
        "a kind of layers in configs",
    ),
    (
        "mamba",
        "src/models/families/hybrid/reader.rs",
        "a kind of layers in configs",
    ),
    (
        "transformer",
        "src/models/nn/vision/crossed.rs",
        "a module of the vision tower",
    ),
    (
        "transformer",
        "src/models/families/gpt2/record.rs",
        "the module of GPT-2 without its head",
    ),
];

/// The texts of a file that may be types of models: names of modules are PyTorch's attributes.
fn names(file: &File) -> impl Iterator<Item = String> {
    let texts = file.texts_of_program().into_iter();
    let is_module = |before: &str| ["at(", "scoped("].iter().any(|call| before.ends_with(call));
    texts
        .filter(move |(before, _)| !is_module(before))
        .map(|(_, text)| text)
}

/// Whether a file is part of the catalog.
fn is_catalog(file: &File) -> bool {
    file.path.starts_with("src/scenario/catalog/") || file.path.ends_with("/models.rs")
}

/// Every `model_type`, and the files where records have it.
fn model_types(files: &[File]) -> BTreeMap<String, BTreeSet<&str>> {
    let mut found: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for file in files {
        for (before, text) in file.texts_of_program() {
            let list = before.rsplit("model_types: &[").next().unwrap_or(&before);
            if list.len() < before.len() && !list.contains(']') {
                let other =
                    |(word, path, _): &(&str, &str, &str)| *word == text && *path == file.path;
                if !OTHER_WORDS.iter().any(other) {
                    found.entry(text).or_default().insert(&file.path);
                }
            }
        }
    }
    found
}

#[test]
fn only_the_file_of_its_record_names_a_model_type() {
    let files = program_files();
    let types = model_types(&files);
    assert!(types.len() > 150, "records are read");
    let mut wrong = Vec::new();
    let mut used: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
    for file in files.iter().filter(|file| !is_catalog(file)) {
        for name in names(file) {
            let Some(records) = types.get(&name) else {
                continue;
            };
            let other = OTHER_WORDS
                .iter()
                .find(|(word, path, _)| *word == name && *path == file.path);
            if let Some(other) = other {
                used.insert(*other);
            }
            if other.is_none() && !(records.len() == 1 && records.contains(file.path.as_str())) {
                wrong.push(format!("{}: {name}", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "ask the record:\n{}", wrong.join("\n"));
    for word in OTHER_WORDS {
        assert!(used.contains(word), "{word:?}: take it from the list");
    }
}

/// The enumerations of `model` whose cases are families.
const OF_FAMILIES: &[&str] = &[
    "BartKind",
    "BertKind",
    "ConvNetKind",
    "DualKind",
    "FlaMixer",
    "ImageKind",
    "SpeechKind",
    "T5Kind",
    "VitKind",
];

/// Cases of `Architecture` that are no families.
const NO_FAMILIES: &[&str] = &["Decoder", "Linear", "Exported"];

/// Modules of `families` that are no folders of one.
const SHARED: &[&str] = &["network", "reading", "registry", "models"];

#[test]
fn resolve_alone_makes_a_resolved_spec() {
    let places = rust_files("src").chain(rust_files("tests"));
    let elsewhere = |file: &File| {
        let own = ["src/models/", "src/engine/resolve/"];
        !own.iter().any(|own| file.path.starts_with(own))
    };
    for file in places.filter(elsewhere) {
        let words = file.words();
        let mut made = words.windows(3).filter(|w| w[1..] == ["ResolvedSpec", "{"]);
        // `fn f() -> ResolvedSpec {` makes none by itself.
        assert!(made.all(|w| w[0] == ">"), "{}: call `resolve`", file.path);
    }
}

/// Whether the room of families has a module of this name, which functions of its door are not.
fn is_module_of_families(name: &str) -> bool {
    let module = root().join("src/models/families").join(name);
    module.is_dir() || module.with_extension("rs").is_file()
}

/// The families that a file names.
fn families_named(file: &File) -> impl Iterator<Item = String> {
    let words = file.words_of_program();
    let named = words.windows(3).filter(|named| named[1] == "::");
    let families = named.filter(|named| {
        let name = named[2].as_str();
        match named[0].as_str() {
            "Architecture" => !NO_FAMILIES.contains(&name) && name.starts_with(char::is_uppercase),
            "families" => !SHARED.contains(&name) && is_module_of_families(name),
            from => OF_FAMILIES.contains(&from) && name.starts_with(char::is_uppercase),
        }
    });
    let found: BTreeSet<String> = families.map(<[String]>::concat).collect();
    found.into_iter()
}

#[test]
fn blocks_and_checks_name_no_family() {
    let mut wrong = Vec::new();
    for file in program_files() {
        if !["nn", "resolve"].contains(&file.room().unwrap_or_default()) {
            continue;
        }
        wrong.extend(families_named(&file).map(|named| format!("{}: {named}", file.path)));
    }
    assert!(wrong.is_empty(), "ask the record:\n{}", wrong.join("\n"));
}

#[test]
fn no_domain_room_says_how_the_page_is_cut_in_two() {
    for file in program_files() {
        if file.room().and_then(room).is_none_or(|room| room.page) {
            continue;
        }
        let words = file.words();
        let kept_whole = words.windows(4).any(|w| w == ["inline", "(", "never", ")"]);
        assert!(
            !kept_whole,
            "{}: `inline(never)`: the build sees for itself what runs",
            file.path
        );
        for said in ["page can fetch", "first visit", "first answer"] {
            assert!(!file.text.contains(said), "{}: {said}", file.path);
        }
    }
}

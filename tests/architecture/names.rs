//! Who may name what: a family's type stands in its record, blocks and checks name no family, and no
//! domain room says how the page is cut in two.

use crate::source::{File, program_files};
use crate::table::room;
use std::collections::{BTreeMap, BTreeSet};

/// The types of models that mean something else, too, where they do.
const OTHER_WORDS: &[(&str, &str, &str)] = &[
    (
        "clip",
        "src/codec/keys.rs",
        "a key of links: clipping gradients",
    ),
    (
        "clip",
        "src/sim/trace.rs",
        "a part of the step: clipping gradients",
    ),
    ("clip", "src/text/terms.rs", "its name on the page"),
    ("opt", "src/codec/keys.rs", "a key of links: the optimizer"),
    (
        "hgrn",
        "src/tape/ops/fla/hgrn.rs",
        "a kernel of flash-linear-attention",
    ),
    (
        "mamba",
        "src/families/fla/records.rs",
        "flash-linear-attention calls its own so, too",
    ),
    (
        "mamba2",
        "src/families/fla/records.rs",
        "flash-linear-attention calls its own so, too",
    ),
    (
        "mamba",
        "src/families/granite/granitemoehybrid.rs",
        "a module of layers",
    ),
    (
        "mamba",
        "src/families/hybrid/bamba.rs",
        "a module of layers",
    ),
    (
        "mamba",
        "src/families/hybrid/falcon_h1.rs",
        "a module of layers",
    ),
    (
        "mamba",
        "src/families/hybrid/jamba.rs",
        "a module of layers",
    ),
    (
        "mamba",
        "src/families/hybrid/nemotron_h_reader.rs",
        "a kind of layers in configs",
    ),
    (
        "mamba",
        "src/families/hybrid/reader.rs",
        "a kind of layers in configs",
    ),
    (
        "transformer",
        "src/families/mllama/reader.rs",
        "a module of the vision tower",
    ),
    (
        "transformer",
        "src/nn/vision/crossed.rs",
        "a module of the vision tower",
    ),
];

/// The files of blocks and checks that still name families: who mends one takes it from the list, and
/// nobody adds one.
const NAMING: &[(&str, &[&str], &str)] = &[
    (
        "src/nn/vision/batch.rs",
        &[
            "ImageKind::Gemma3",
            "ImageKind::LlavaNext",
            "ImageKind::PaliGemma",
        ],
        "what comes with images, by kind",
    ),
    (
        "src/nn/vision/sight.rs",
        &[
            "ImageKind::Llava",
            "ImageKind::LlavaNext",
            "ImageKind::PaliGemma",
        ],
        "projectors, by kind",
    ),
    (
        "src/nn/vision/split.rs",
        &["ImageKind::SmolVlm"],
        "where features are put, by kind",
    ),
    (
        "src/nn/vision/tower.rs",
        &["DualKind::Clip", "DualKind::Idefics3", "DualKind::Siglip"],
        "the order in which a layer is built",
    ),
    (
        "src/nn/vision/vision_transformer.rs",
        &["DualKind::Clip"],
        "its token for a whole image",
    ),
    (
        "src/resolve/attention_masks.rs",
        &[
            "Architecture::Beit",
            "Architecture::ModernBert",
            "ImageKind::Gemma3",
            "ImageKind::Mistral3",
            "ImageKind::Mllama",
            "ImageKind::PaliGemma",
        ],
        "masks that models make by themselves",
    ),
    (
        "src/resolve/refused.rs",
        &["Architecture::Bart"],
        "recordings in quantized encoders",
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
    file.path.starts_with("src/catalog/") || file.path.ends_with("/models.rs")
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
fn a_model_type_stands_in_the_file_of_its_record_alone() {
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
    "DecoderType",
    "DualKind",
    "FlaMixer",
    "ImageKind",
    "SpeechKind",
    "T5Kind",
    "VitKind",
];

/// Cases of `Architecture` that are no families.
const NO_FAMILIES: &[&str] = &["Decoder", "Linear"];

/// Modules of `families` that are no folders of one.
const SHARED: &[&str] = &["network", "reading", "registry", "models"];

/// The families that a file names.
fn families_named(file: &File) -> BTreeSet<String> {
    let words = file.words_of_program();
    let mut found = BTreeSet::new();
    for named in words.windows(3).filter(|named| named[1] == "::") {
        let (from, name) = (named[0].as_str(), named[2].as_str());
        let a_family = match from {
            "Architecture" => !NO_FAMILIES.contains(&name) && name.starts_with(char::is_uppercase),
            "families" => {
                name.starts_with(char::is_lowercase)
                    && !SHARED.contains(&name)
                    && !name.contains("catalog")
            }
            _ => OF_FAMILIES.contains(&from) && name.starts_with(char::is_uppercase),
        };
        if a_family {
            found.insert(format!("{from}::{name}"));
        }
    }
    found
}

#[test]
fn blocks_and_checks_name_no_family() {
    let mut wrong = Vec::new();
    for file in program_files() {
        if !["nn", "resolve"].contains(&file.room().unwrap_or_default()) {
            continue;
        }
        let found = families_named(&file);
        let listed = NAMING.iter().find(|(path, ..)| *path == file.path);
        let listed: BTreeSet<String> = listed
            .map(|(_, names, _)| names.iter().map(|name| (*name).to_owned()).collect())
            .unwrap_or_default();
        if found != listed {
            wrong.push(format!(
                "{}: names {found:?}, listed are {listed:?}",
                file.path
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "ask the record; who mends one takes it from the list:\n{}",
        wrong.join("\n")
    );
}

/// Functions that are kept whole because the program is faster so, each with how much.
const KEPT_WHOLE: &[(&str, &str)] = &[];

#[test]
fn no_domain_room_says_how_the_page_is_cut_in_two() {
    let mut found = BTreeSet::new();
    for file in program_files() {
        if file.room().and_then(room).is_some_and(|room| !room.page) {
            let words = file.words();
            if words.windows(4).any(|w| w == ["inline", "(", "never", ")"]) {
                found.insert(file.path.clone());
            }
            let said = ["page can fetch", "first visit", "first answer"];
            for said in said {
                assert!(
                    !file.text.contains(said),
                    "{}: {said}: the build sees for itself what runs",
                    file.path
                );
            }
        }
    }
    let kept = KEPT_WHOLE
        .iter()
        .map(|(path, _)| (*path).to_owned())
        .collect();
    assert_eq!(
        found, kept,
        "`inline(never)` is for speed that was measured alone"
    );
}

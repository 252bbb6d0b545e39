//! Parts of a model that its users freeze where they train the rest without adapters.

use super::offers::{parameter_names, task_of};
use crate::ask::{ModelRef, Scenario, Task};

/// Layers of a language model that are trained where the others are frozen: `freeze_trainable_layers` of LLaMA-Factory
/// 0.9.5, unless it is said.
const TRAINED_LAYERS: usize = 2;

/// Modules beside the language model of a model that reads images: `_MM_MODULE_PREFIXES` of axolotl 0.19.
const TOWERS: &[&str] = &[
    "vision_tower",
    "vision_model",
    "vision_encoder",
    "embed_vision",
    "multi_modal_projector",
    "visual",
    "audio_tower",
    "audio_model",
    "embed_audio",
];

/// The module between both in Idefics 3 and `SmolVLM`, which that list lacks.
const CONNECTOR: &str = "connector";

/// The parts that are frozen where only some are trained, each by the beginning of its parameters' paths; empty where
/// nobody does so with such a model, or nothing would be trained.
///
/// - Language models: embeddings, head and all but the last layers (`_setup_freeze_tuning`, LLaMA-Factory 0.9.5).
/// - Classes, labels, answers in a text: the base model, so that the head alone is trained (`freeze_base_model` of
///   transformers 5.23, feature extraction in PyTorch's tutorial on transfer learning).
/// - Transcripts: the convolutions that read the recording (`freeze_feature_encoder` of transformers'
///   `run_speech_recognition_ctc.py`).
/// - Encoder-decoders: the encoder (`freeze_encoder` of `run_speech_recognition_seq2seq.py` and of the examples for
///   translation).
/// - Images beside texts: the images' tower (`freeze_vision_model` of `run_clip.py`; Zhai et al. 2022).
/// - Texts with images: the towers and what projects their results (`freeze_vision_tower` and
///   `freeze_multi_modal_projector` of LLaMA-Factory, both on).
/// - Graphs: all but the module that comes last.
pub fn usual_frozen(scenario: &Scenario) -> Vec<String> {
    let names = parameter_names(scenario);
    let parts = match scenario.model {
        ModelRef::Linear { .. } => Vec::new(),
        ModelRef::Exported(_) => all_but_the_last(&names),
        _ => match task_of(scenario) {
            Task::CausalLm | Task::MaskedLm | Task::ImageTextToText => {
                within(&names, &[TOWERS, &[CONNECTOR]].concat())
                    .unwrap_or_else(|| all_but_the_last_layers(&names))
            }
            Task::Seq2SeqLm => within(&names, &["encoder"]).unwrap_or_default(),
            Task::Contrastive => within(&names, &["vision_model"]).unwrap_or_default(),
            Task::Ctc => within(&names, &["feature_extractor"]).unwrap_or_else(|| base(&names)),
            Task::SequenceClassification
            | Task::TokenClassification
            | Task::QuestionAnswering
            | Task::ImageClassification
            | Task::AudioClassification => base(&names),
        },
    };
    exact(&names, &parts)
}

/// The parts, such that no other parameter's path has one of them in it; empty where nothing is left to train.
fn exact(names: &[String], parts: &[String]) -> Vec<String> {
    let is_frozen = |name: &str| parts.iter().any(|part| name.starts_with(part.as_str()));
    let (frozen, trained): (Vec<&String>, Vec<&String>) =
        names.iter().partition(|name| is_frozen(name));
    if trained.is_empty() || frozen.is_empty() {
        return Vec::new();
    }
    let strays = |part: &str| trained.iter().any(|name| name.contains(part));
    let mut all = Vec::new();
    for part in parts {
        if strays(part) {
            let own = frozen.iter().filter(|name| name.starts_with(part.as_str()));
            all.extend(own.map(|&name| name.clone()));
        } else {
            all.push(part.clone());
        }
    }
    if all.iter().any(|part| strays(part)) {
        all.clear();
    }
    all
}

/// The beginnings of paths up to a module with one of these names, each once, if there is any.
fn within(names: &[String], modules: &[&str]) -> Option<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        let mut end = 0;
        for own in name.split_inclusive('.') {
            end += own.len();
            if own
                .strip_suffix('.')
                .is_some_and(|own| modules.contains(&own))
            {
                let part = &name[..end];
                if !found.iter().any(|known| known == part) {
                    found.push(part.to_owned());
                }
                break;
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The attribute that holds most parameters: the base model below a head.
fn base(names: &[String]) -> Vec<String> {
    let children = children(names, "");
    let size = |part: &&String| {
        names
            .iter()
            .filter(|name| name.starts_with(part.as_str()))
            .count()
    };
    children
        .iter()
        .max_by_key(size)
        .cloned()
        .into_iter()
        .collect()
}

/// The parts right below `path`, in the order in which they come: modules with their dot, and parameters.
fn children(names: &[String], path: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for rest in names.iter().filter_map(|name| name.strip_prefix(path)) {
        let own = rest.split_inclusive('.').next().unwrap_or_default();
        let part = format!("{path}{own}");
        if !found.contains(&part) {
            found.push(part);
        }
    }
    found
}

/// All modules of the first list of several but the last one.
fn all_but_the_last(names: &[String]) -> Vec<String> {
    let mut parts = children(names, "");
    while let [only] = parts.as_slice()
        && only.ends_with('.')
    {
        parts = children(names, only);
    }
    parts.pop();
    parts
}

/// The path of the layer that `name` lies in, with its dot, and its number; nothing where it lies in none.
fn layer(name: &str) -> Option<(&str, usize)> {
    let mut end = 0;
    for own in name.split_inclusive('.') {
        end += own.len();
        if let Some(number) = own.strip_suffix('.').and_then(|own| own.parse().ok()) {
            return Some((&name[..end], number));
        }
    }
    None
}

/// All parts but the last layers.
fn all_but_the_last_layers(names: &[String]) -> Vec<String> {
    let numbers = names.iter().filter_map(|name| layer(name));
    let Some(last) = numbers.map(|(_, number)| number).max() else {
        return Vec::new();
    };
    let mut parts: Vec<String> = Vec::new();
    for name in names {
        let part = match layer(name) {
            Some((_, number)) if number + TRAINED_LAYERS > last => continue,
            Some((path, _)) => path,
            None => name,
        };
        if parts.last().is_none_or(|known| known != part) {
            parts.push(part.to_owned());
        }
    }
    parts.dedup();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::LinearModel;
    use crate::families::catalog_models;
    use crate::resolve::resolve;

    fn of(id: &str) -> Scenario {
        Scenario {
            model: ModelRef::Catalog(id.to_owned()),
            ..Scenario::default()
        }
    }

    #[test]
    fn each_kind_of_model_freezes_what_its_users_do() {
        let frozen = |id: &str| usual_frozen(&of(id));
        let llama = frozen("llama-3.2-1b");
        assert_eq!(llama[..2], ["model.embed_tokens.weight", "model.layers.0."]);
        assert!(llama.contains(&"model.layers.13.".to_owned()));
        assert!(!llama.contains(&"model.layers.14.".to_owned()));
        assert!(llama.contains(&"model.norm.weight".to_owned()));
        assert_eq!(frozen("vit-base"), ["vit."]);
        assert_eq!(frozen("t5-base"), ["encoder."]);
        assert_eq!(frozen("whisper-tiny"), ["model.encoder."]);
        assert_eq!(frozen("wav2vec2-base"), ["wav2vec2.feature_extractor."]);
        assert_eq!(frozen("clip-vit-base-patch32"), ["vision_model."]);
        let vision = frozen("llava-1.5-7b-hf");
        assert!(
            vision
                .iter()
                .all(|part| part.contains("vision_tower") || part.contains("projector"))
        );
        let classes = Scenario {
            task: Some(Task::SequenceClassification),
            ..of("bert-base")
        };
        assert_eq!(usual_frozen(&classes), ["bert."]);
        let linear = LinearModel {
            in_features: 8,
            out_features: 8,
            bias: true,
        };
        let layer = Scenario {
            model: ModelRef::Linear { linear },
            ..Scenario::default()
        };
        assert!(usual_frozen(&layer).is_empty());
    }

    #[test]
    fn of_every_published_model_something_is_trained_and_what_is_frozen_is_accepted() {
        for model in catalog_models() {
            let mut scenario = of(model.id);
            let names = parameter_names(&scenario);
            let parts = usual_frozen(&scenario);
            assert!(!parts.is_empty(), "{}", model.id);
            let contained = |name: &&String| parts.iter().any(|part| name.contains(part.as_str()));
            let begun = |name: &&String| parts.iter().any(|part| name.starts_with(part.as_str()));
            let frozen = names.iter().filter(contained).count();
            assert_eq!(frozen, names.iter().filter(begun).count(), "{}", model.id);
            assert!(frozen < names.len(), "{}", model.id);
            scenario.frozen = parts;
            let findings = resolve(&scenario).findings;
            assert!(
                findings.iter().all(|found| found.key != "frozen"),
                "{}: {findings:?}",
                model.id
            );
        }
    }

    #[test]
    fn of_a_graph_the_module_that_comes_last_is_trained() {
        let names = |all: &[&str]| all.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let residual = names(&[
            "conv1.weight",
            "layer1.0.conv1.weight",
            "fc.weight",
            "fc.bias",
        ]);
        assert_eq!(
            exact(&residual, &all_but_the_last(&residual)),
            ["conv1.", "layer1."]
        );
        let nested = names(&["model.0.weight", "model.1.weight", "model.10.weight"]);
        let parts = exact(&nested, &all_but_the_last(&nested));
        assert_eq!(parts, ["model.0.", "model.1."]);
        let stray = names(&["0.weight", "10.weight"]);
        assert_eq!(exact(&stray, &all_but_the_last(&stray)), [""; 0]);
        assert!(exact(&names(&["weight"]), &all_but_the_last(&names(&["weight"]))).is_empty());
    }
}

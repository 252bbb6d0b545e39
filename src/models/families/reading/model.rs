//! From a reference to a model to its architecture.

use super::{decoder, guess, size_only};
use crate::ask::{
    Finding, Framework, Implementation, LinearModel, ModelRef, Scenario, Task, WIDTH, check_range,
    message, mistyped, near,
};
use crate::families::exported;
use crate::families::image_text::reader as image_text;
use crate::families::llama::LLAMA;
use crate::families::nearest_model;
use crate::families::registry::{self, model_types};
use crate::families::{torchtitan, torchtune};
use crate::model::{Architecture, ConfigFields, ConfigParts, Family, Reader, shortened};
use serde_json::{Map, Value};

/// The parts that the config says its model has.
fn parts(config: &Map<String, Value>) -> ConfigParts {
    let given = config.get("model_type").and_then(Value::as_str);
    let family = given.and_then(registry::family);
    family.map_or(ConfigParts::One, |family| family.parts)
}

/// Whether the config is of a model whose parts are all read: that of texts with images as transformers
/// 5 writes it.
fn reads_all_parts(config: &Map<String, Value>, framework: Framework) -> bool {
    match parts(config) {
        ConfigParts::One => false,
        ConfigParts::Pair => true,
        ConfigParts::Images { .. } => framework.has_transformers_5(),
    }
}

/// A model with a name for people.
pub struct ReadModel {
    /// Name for people.
    pub name: String,
    /// All its sizes.
    pub architecture: Architecture,
    /// Tokens that its positions were made for, when it says so.
    pub max_positions: Option<u64>,
}

/// Positions of torchtune's table where a config says nothing of them (`max_seq_len`, `modules/position_embeddings.py`).
const POSITIONS: u64 = 4096;

/// Looks up or reads the model, as the library builds it whose modules are asked for; errors are pushed to `findings`.
pub fn read(scenario: &Scenario, findings: &mut Vec<Finding>) -> Option<ReadModel> {
    let model = read_as_named(scenario, findings)?;
    Some(match scenario.implementation {
        None => model,
        Some(Implementation::Torchtune) => {
            let positions = model.max_positions.unwrap_or(POSITIONS);
            ReadModel {
                architecture: torchtune::take_over(model.architecture, positions, findings),
                ..model
            }
        }
        Some(Implementation::Torchtitan) => ReadModel {
            architecture: torchtitan::take_over(model.architecture, scenario, findings),
            ..model
        },
    })
}

/// Looks up or reads the model as transformers has it.
fn read_as_named(scenario: &Scenario, findings: &mut Vec<Finding>) -> Option<ReadModel> {
    match &scenario.model {
        ModelRef::Catalog(id) => {
            let entry = crate::families::catalog_model(id).or_else(|| {
                findings.push(unknown_id(id));
                None
            })?;
            let config = parse(entry.config());
            let keys = ["model_overrides"; 2];
            read_parts(scenario, entry.name, &config, keys, findings)
        }
        ModelRef::HfConfig { hf_config } => {
            let keys = ["model.hf_config", "model.hf_config.text_config"];
            read_parts(scenario, &config_name(hf_config), hf_config, keys, findings)
        }
        ModelRef::Linear { linear } => read_linear(*linear, findings),
        ModelRef::Exported(model) => {
            let (name, architecture) = exported::read(model, scenario, findings)?;
            Some(ReadModel {
                name,
                architecture,
                max_positions: None,
            })
        }
        ModelRef::NumParameters { num_parameters } => {
            let config = size_only::config(*num_parameters, findings)?;
            let fields = ConfigFields::new(&config, &scenario.model_overrides, "model_overrides");
            let name = number_name(*num_parameters);
            read_config((name, scenario.task), fields, findings)
        }
    }
}

/// Reads the config at scenario key `key`. If only its text part is read, and that is nested in the config, the key of
/// the part is `inside`.
fn read_parts(
    scenario: &Scenario,
    name: &str,
    config: &Map<String, Value>,
    [key, inside]: [&'static str; 2],
    findings: &mut Vec<Finding>,
) -> Option<ReadModel> {
    let overrides = &scenario.model_overrides;
    let name = (name.to_owned(), scenario.task);
    let published = matches!(scenario.model, ModelRef::Catalog(_));
    let nested = config.get("text_config").and_then(Value::as_object);
    let key_of_text = if nested.is_some() { inside } else { key };
    let text = nested
        .cloned()
        .or_else(|| image_text::flat_text_part(config));
    let read_alone = if published {
        is_in_4(config, scenario.framework)
    } else {
        !reads_all_parts(config, scenario.framework)
    };
    let Some(text) = text.filter(|_| read_alone) else {
        return read_config(name, ConfigFields::new(config, overrides, key), findings);
    };
    findings.push(text_part_only(published));
    let fields = ConfigFields::new(&text, overrides, key_of_text);
    read_config(name, fields, findings)
}

/// Whether a version of transformers before 5 has a model that reads images, whose texts' part is that of
/// a decoder of its own (`models` of 4.48.3 and 4.51.3).
fn is_in_4(config: &Map<String, Value>, framework: Framework) -> bool {
    let ConfigParts::Images { since: Some(since) } = parts(config) else {
        return false;
    };
    match framework {
        Framework::Torch215Transformers523
        | Framework::Torch211Transformers523
        | Framework::Torch215MegatronCore016 => false,
        Framework::Torch26Transformers451 => true,
        Framework::Torch26Transformers448 => since == framework,
    }
}

/// A catalog config; a test reads all of them, so that none can be broken.
fn parse(config: &str) -> Map<String, Value> {
    serde_json::from_str(config).unwrap_or_default()
}

/// The name of a pasted config.
fn config_name(config: &Map<String, Value>) -> String {
    const LONGEST: usize = 60;
    let text = |key| {
        config
            .get(key)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let name = text("_name_or_path")
        .or_else(|| text("model_type"))
        .unwrap_or("config.json");
    name.chars().take(LONGEST).collect()
}

fn read_config(
    name: (String, Option<Task>),
    mut fields: ConfigFields<'_>,
    findings: &mut Vec<Finding>,
) -> Option<ReadModel> {
    let Some(config) = guessed(&mut fields) else {
        return read_known(name, fields, findings);
    };
    findings.extend(fields.into_findings());
    let nothing = Map::new();
    let fields = ConfigFields::new(&config, &nothing, "model.hf_config");
    read_known(name, fields, findings)
}

fn read_known(
    (name, task): (String, Option<Task>),
    mut fields: ConfigFields<'_>,
    findings: &mut Vec<Finding>,
) -> Option<ReadModel> {
    let family = family(&mut fields);
    if let Some(family) = family {
        fields.map_names(family.attribute_map);
    }
    let architecture = family.map(|family| match family.read {
        Reader::Decoder(_) => Architecture::Decoder(decoder::read(family, &mut fields)),
        Reader::Model(read) => read(family, task, &mut fields),
    });
    if fields.get("quantization_config").is_some() {
        let key = fields.key("quantization_config");
        fields.push(
            Finding::error(&key, message!(reading::quantized_checkpoint))
                .with_fix(&key, Value::Null),
        );
    }
    let max_positions = fields
        .get("max_position_embeddings")
        .or_else(|| fields.get("n_positions"))
        .or_else(|| fields.get("max_seq_len"))
        .and_then(Value::as_u64);
    let max_positions = match &architecture {
        Some(Architecture::Dual(config)) => {
            let text = config.text.as_ref();
            text.map(|text| text.max_position_embeddings)
        }
        Some(Architecture::Decoder(config)) if config.images.is_some() => fields
            .get("text_config")
            .and_then(|text| text.get("max_position_embeddings"))
            .and_then(Value::as_u64)
            .or(max_positions),
        _ => max_positions,
    };
    findings.extend(fields.into_findings());
    architecture.map(|architecture| ReadModel {
        name,
        architecture,
        max_positions,
    })
}

/// The config of a known type in the place of one of an unknown type that looks like a decoder's.
fn guessed(fields: &mut ConfigFields<'_>) -> Option<Map<String, Value>> {
    let given = fields.get("model_type")?;
    let name = given.as_str()?;
    if registry::family(name).is_some() {
        return None;
    }
    let key = fields.key("model_type");
    let (config, warning) = guess::like_a_decoder(&shortened(given), &key, fields).ok()?;
    fields.push(warning);
    Some(config)
}

/// The family that the config is of.
fn family(fields: &mut ConfigFields<'_>) -> Option<&'static Family> {
    let key = fields.key("model_type");
    let Some(given) = fields.get("model_type") else {
        let found = by_class(fields);
        if found.is_none() {
            let some = model_types().take(NAMED).collect::<Vec<_>>().join(", ");
            fields.push(
                Finding::error(&key, message!(reading::no_model_type, some))
                    .with_fix(&key, LLAMA.model_types[0]),
            );
        }
        return found;
    };
    let has = |field: &str| fields.get(field).is_some();
    let found = given
        .as_str()
        .and_then(|name| registry::family_of(name, has));
    if found.is_none()
        && given
            .as_str()
            .is_some_and(|name| WITHOUT_HEAD.contains(&name))
    {
        fields.push(why_no_head(&key));
    } else if found.is_none() {
        let shown = shortened(given);
        let why = match guess::like_a_decoder(&shown, &key, fields) {
            Err(why) => why,
            Ok(_) => message!(reading::type_no_text),
        };
        let name = given.as_str().unwrap_or_default();
        let alike: Vec<&str> = of_its_kind(fields).collect();
        let near = near(name, alike.iter().copied(), NAMED).join(", ");
        let finding = Finding::error(
            &key,
            message!(reading::type_not_supported, shown, why, near),
        );
        let nearest = mistyped(name, alike);
        fields.push(match nearest {
            Some(name) => finding.with_fix(&key, name),
            None => finding,
        });
    }
    found
}

/// How many types a message names.
const NAMED: usize = 5;

/// Fields that tell the kind of model, in the order in which they are looked for.
const SIGNS: [(&str, Task); 8] = [
    ("vision_config", Task::ImageTextToText),
    ("text_config", Task::ImageTextToText),
    ("image_size", Task::ImageClassification),
    ("num_channels", Task::ImageClassification),
    ("patch_size", Task::ImageClassification),
    ("num_mel_bins", Task::Ctc),
    ("conv_kernel", Task::Ctc),
    ("encoder_layers", Task::Seq2SeqLm),
];

/// The types of the kind of model that a config is of, as far as its fields tell.
fn of_its_kind(fields: &ConfigFields<'_>) -> impl Iterator<Item = &'static str> {
    let mut signs = SIGNS.iter();
    let sign = signs.find(|(field, _)| fields.get(field).is_some());
    let pair = fields.get("is_encoder_decoder") == Some(&Value::Bool(true));
    let kind = sign.map(|(_, task)| *task);
    let kind = kind.or_else(|| pair.then_some(Task::Seq2SeqLm));
    let is_of_kind = move |family: &Family| match kind {
        Some(task) => family.tasks.contains(&task),
        None => !SIGNS.iter().any(|(_, task)| family.tasks.contains(task)),
    };
    let families = model_types().filter_map(|name| Some((name, registry::family(name)?)));
    families
        .filter(move |(_, family)| is_of_kind(family))
        .map(|(name, _)| name)
}

/// Models of images that have no head for any task (`MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES` of
/// transformers 5.23).
const WITHOUT_HEAD: [&str; 2] = ["dinov3_vit", "dinov3_convnext"];

fn why_no_head(key: &str) -> Finding {
    Finding::error(key, message!(reading::dinov3)).with_fix("model", "dinov2-with-registers-base")
}

/// The family of the class that the config names in `architectures`.
fn by_class(fields: &ConfigFields<'_>) -> Option<&'static Family> {
    let class = fields.get("architectures")?.as_array()?.first()?.as_str()?;
    let (name, _) = class
        .split_once("For")
        .or_else(|| class.split_once("LMHead"))?;
    let model_type = model_types()
        .find(|model_type| name.eq_ignore_ascii_case(&model_type.replace(['_', '-'], "")))?;
    registry::family_of(model_type, |field| fields.get(field).is_some())
}

fn read_linear(linear: LinearModel, findings: &mut Vec<Finding>) -> Option<ReadModel> {
    let before = findings.len();
    check_range(
        "model.linear.in_features",
        linear.in_features,
        &WIDTH,
        findings,
    );
    check_range(
        "model.linear.out_features",
        linear.out_features,
        &WIDTH,
        findings,
    );
    (findings.len() == before).then(|| ReadModel {
        name: format!("nn.Linear({}, {})", linear.in_features, linear.out_features),
        architecture: Architecture::Linear(linear),
        max_positions: None,
    })
}

fn unknown_id(id: &str) -> Finding {
    const LONGEST: usize = 60;
    let shown: String = id.chars().take(LONGEST).collect();
    let finding = Finding::error("model", message!(reading::unknown_id, shown));
    match nearest_model(id) {
        Some(nearest) => finding.with_fix("model", nearest.id),
        None => finding,
    }
}

fn text_part_only(published: bool) -> Finding {
    if published {
        return Finding::warning("framework", message!(reading::images_left_out))
            .with_fix("framework", Framework::Torch215Transformers523.name());
    }
    Finding::warning(
        "model.hf_config.text_config",
        message!(reading::text_part_only),
    )
}

/// The name of a model of which only the number of parameters is known.
fn number_name(parameters: u64) -> String {
    const MILLION: u64 = 1_000_000;
    const BILLION: u64 = 1000 * MILLION;
    if parameters >= BILLION {
        let tenths = (parameters + BILLION / 20) / (BILLION / 10);
        format!("{}.{}B", tenths / 10, tenths % 10)
    } else {
        format!("{}M", (parameters + MILLION / 2) / MILLION)
    }
}

//! Models that see images and read texts (`models/{clip,siglip}/configuration_*.py` of transformers 5.23).

use crate::ask::{
    Attention, EvaluationKind, Finding, HEADS, LAYERS, Scenario, Task, VOCABULARY, WIDTH, message,
};
use crate::families::vit::{CHANNELS, PIXELS, check_patches};
use crate::model::ConfigFields;
use crate::model::{
    Architecture, DualConfig, DualKind, Family, Module, ModuleKind, TextTower, TowerConfig,
    embedding, linear, norm, other,
};
use serde_json::{Map, Value};

/// Reads a config for a task. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(
    family: &'static Family,
    kind: DualKind,
    task: Option<Task>,
    fields: &mut ConfigFields<'_>,
) -> DualConfig {
    let nothing = Map::new();
    let part = |name: &str| match fields.get(name) {
        Some(Value::Object(part)) => part,
        _ => &nothing,
    };
    let clip = kind == DualKind::Clip;
    let mut seen = ConfigFields::new(
        part("vision_config"),
        &nothing,
        "model.hf_config.vision_config",
    );
    let vision = read_vision(family, kind, &mut seen);
    let mut read = ConfigFields::new(part("text_config"), &nothing, "model.hf_config.text_config");
    let mut projection = fields.optional("projection_dim", &WIDTH, 512);
    let text = (task != Some(Task::ImageClassification)).then(|| {
        let tower = tower(
            kind,
            &mut read,
            if clip {
                [512, 2048, 8]
            } else {
                [768, 3072, 12]
            },
        );
        if !clip {
            projection = read.optional("projection_size", &WIDTH, tower.hidden_size);
        }
        let [tokens, positions] = if clip { [49_408, 77] } else { [32_000, 64] };
        let end = read.get("eos_token_id").and_then(Value::as_u64);
        TextTower {
            tower,
            vocab_size: read.optional("vocab_size", &VOCABULARY, tokens),
            max_position_embeddings: read.optional(
                "max_position_embeddings",
                &VOCABULARY,
                positions,
            ),
            ends_with_largest: end == Some(2),
        }
    });
    for finding in seen.into_findings().into_iter().chain(read.into_findings()) {
        fields.push(finding);
    }
    DualConfig {
        family,
        text,
        projection,
        num_labels: fields.labels(2),
        ..vision
    }
}

/// The layers of a tower of so many columns, inner columns and heads.
fn tower(
    kind: DualKind,
    part: &mut ConfigFields<'_>,
    [hidden, inner, heads]: [u64; 3],
) -> TowerConfig {
    let activation = match kind {
        DualKind::Clip => "quick_gelu",
        _ => "gelu_pytorch_tanh",
    };
    let hidden_size = part.optional("hidden_size", &WIDTH, hidden);
    let heads = part.optional("num_attention_heads", &HEADS, heads);
    TowerConfig {
        hidden_size,
        intermediate_size: part.optional("intermediate_size", &WIDTH, inner),
        num_hidden_layers: part.optional("num_hidden_layers", &LAYERS, 12),
        num_attention_heads: heads,
        head_dim: part.divided(hidden_size, heads, "num_attention_heads"),
        activation: part.activation("hidden_act", activation),
        attention_dropout: part.drops("attention_dropout", false),
    }
}

/// Reads what sees images alone.
pub(crate) fn read_vision(
    family: &'static Family,
    kind: DualKind,
    seen: &mut ConfigFields<'_>,
) -> DualConfig {
    let (sizes, patch) = match kind {
        DualKind::Clip => ([768, 3072, 12], 32),
        DualKind::Siglip => ([768, 3072, 12], 16),
        DualKind::Idefics3 => ([1152, 3072, 16], 32),
    };
    let vision = tower(kind, seen, sizes);
    let image_size = seen.optional("image_size", &PIXELS, 224);
    let patch_size = seen.optional("patch_size", &PIXELS, patch);
    check_patches(seen, [image_size, patch_size]);
    DualConfig {
        family,
        kind,
        text: None,
        vision,
        image_size,
        patch_size,
        num_channels: seen.optional("num_channels", &CHANNELS, 3),
        pools: kind == DualKind::Siglip && seen.flag("vision_use_head", true),
        projection: 0,
        num_labels: 0,
    }
}

/// What is not estimated of these models yet.
pub(crate) fn check(
    scenario: &Scenario,
    _: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    if scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error("attention", message!(clip::no_flash))
                .with_fix("attention", Attention::Sdpa.name()),
        );
    }
    let kind = scenario.asked_evaluation().kind;
    let others = matches!(kind, EvaluationKind::Logits | EvaluationKind::Trainer);
    if task == Task::Contrastive && others {
        findings.push(
            Finding::error("evaluation.kind", message!(clip::contrastive_evaluation))
                .with_fix("evaluation.kind", EvaluationKind::Loss.name()),
        );
    }
}

/// A module with parameters of its own, and no path yet.
fn own(parameters: &'static [&'static str]) -> Module {
    Module {
        path: String::new(),
        kind: ModuleKind::Other,
        parameters,
    }
}

/// The modules of what sees images, which stands at a path.
pub(crate) fn vision_modules(c: &DualConfig, at: &str) -> Vec<Module> {
    let clip = c.kind == DualKind::Clip;
    let mut all = Vec::new();
    let patches = format!("{at}.embeddings.patch_embedding");
    if clip {
        let embeddings = format!("{at}.embeddings");
        all.push(Module {
            path: embeddings,
            ..own(&["class_embedding"])
        });
        all.push(other(patches));
    } else {
        all.push(norm(patches));
    }
    all.push(embedding(format!("{at}.embeddings.position_embedding")));
    all.extend(clip.then(|| norm(format!("{at}.pre_layrnorm"))));
    all.extend(of_layers(at, c.kind, &c.vision));
    all.push(norm(format!("{at}.post_layernorm")));
    if c.pools {
        let probe = Module {
            path: format!("{at}.head"),
            ..own(&["probe"])
        };
        let attention = Module {
            path: format!("{at}.head.attention"),
            ..own(&["in_proj_weight", "in_proj_bias"])
        };
        let full = |name: &str| linear(format!("{at}.head.{name}"), true);
        all.extend([
            probe,
            attention,
            full("attention.out_proj"),
            norm(format!("{at}.head.layernorm")),
            full("mlp.fc1"),
            full("mlp.fc2"),
        ]);
    }
    all
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(c: &DualConfig) -> Vec<Module> {
    let clip = c.kind == DualKind::Clip;
    let mut all = Vec::new();
    if let Some(text) = &c.text {
        let tables = ["token_embedding", "position_embedding"];
        all.extend(tables.map(|name| embedding(format!("text_model.embeddings.{name}"))));
        all.extend(of_layers("text_model", c.kind, &text.tower));
        all.push(norm("text_model.final_layer_norm"));
        all.extend((!clip).then(|| linear("text_model.head", true)));
    }
    all.extend(vision_modules(c, "vision_model"));
    match c.text {
        None => all.push(linear("classifier", true)),
        Some(_) if clip => {
            all.extend(PROJECTIONS.map(|name| linear(name, false)));
            all.push(own(&["logit_scale"]));
        }
        Some(_) => all.push(own(&["logit_scale", "logit_bias"])),
    }
    all
}

/// CLIP's layers between the towers and what is compared.
const PROJECTIONS: [&str; 2] = ["visual_projection", "text_projection"];

/// The layers of a tower.
fn of_layers(model: &str, kind: DualKind, c: &TowerConfig) -> Vec<Module> {
    let layer = |i: u64| {
        let at = |name: &str| format!("{model}.encoder.layers.{i}.{name}");
        let full = |name: &str| linear(at(name), true);
        let attention = ["k_proj", "v_proj", "q_proj", "out_proj"];
        let attention = attention.map(|name| full(&format!("self_attn.{name}")));
        let norms = ["layer_norm1", "layer_norm2"].map(|name| norm(at(name)));
        let mlp = ["mlp.fc1", "mlp.fc2"].map(full);
        let [before, after] = norms;
        match kind {
            DualKind::Clip | DualKind::Idefics3 => attention
                .into_iter()
                .chain([before])
                .chain(mlp)
                .chain([after])
                .collect::<Vec<_>>(),
            DualKind::Siglip => [before]
                .into_iter()
                .chain(attention)
                .chain([after])
                .chain(mlp)
                .collect(),
        }
    };
    (0..c.num_hidden_layers).flat_map(layer).collect()
}

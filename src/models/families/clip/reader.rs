//! Models that see images and read texts (`models/{clip,siglip}/configuration_*.py` of transformers 5.23).

use crate::ask::{
    Attention, EvaluationKind, Finding, HEADS, LAYERS, Scenario, Task, VOCABULARY, WIDTH, message,
};
use crate::families::vit::{CHANNELS, PIXELS, check_patches};
use crate::model::ConfigFields;
use crate::model::{Architecture, DualConfig, DualKind, Family, TextTower, TowerConfig};
use serde_json::{Map, Value};

/// Reads a config for a task. Errors are pushed to `fields`; the sizes are then of no use.
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

/// The layers of a tower of `hidden` columns, `inner` columns and `heads`.
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

/// Refuses cases of these models that are not estimated yet.
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

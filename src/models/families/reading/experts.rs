//! Mixtures of experts: how many there are, how many each token goes through, in which layers.

use super::layer_lists;
use super::options::holds;
use crate::ask::{Finding, LAYERS, WIDTH, message};
use crate::model::{
    ConfigFields, Correction, EXPERTS, ExpertRule, Experts, Groups, Routing, SharedForm,
    SharedWidth, SigmoidScores, SparseLayers,
};
use serde_json::Value;

/// Reads the experts of a config by the rule of its family, if it has any. Errors are pushed to
/// `fields`.
pub(crate) fn read(
    rule: Option<&ExpertRule>,
    layers: u64,
    intermediate_size: u64,
    fields: &mut ConfigFields<'_>,
) -> Option<Experts> {
    let rule = rule?;
    let (names, default) = rule.count;
    let first = fields.get(names[0]).and_then(Value::as_u64);
    if first.is_some() && first == rule.none {
        return None;
    }
    let count = fields.named(names, &EXPERTS, default);
    let per_token = per_token(count, rule.per_token, fields);
    let routing = routing(rule, count, fields);
    let shared_form = shared_form(rule, fields);
    let intermediate_size = match rule.width {
        Some(default) => fields.optional("moe_intermediate_size", &WIDTH, default),
        None => intermediate_size,
    };
    Some(Experts {
        count,
        per_token,
        intermediate_size,
        shared_intermediate_size: shared_width(rule.shared, intermediate_size, fields),
        latent_size: None,
        wide_correction: rule.wide_correction,
        shared: shared_form,
        form: rule.form,
        stored: rule.stored,
        routing,
        built_first: rule.built_first,
        normalized: holds(rule.normalized, fields),
        balanced: holds(rule.balanced, fields),
        asked: holds(rule.balanced, fields),
        sparse: sparse(rule.layers, layers, fields),
    })
}

/// How experts are chosen.
fn routing(rule: &ExpertRule, count: u64, fields: &mut ConfigFields<'_>) -> Routing {
    if !matches!(rule.routing, Routing::Drawn { .. } | Routing::Chosen { .. }) {
        warn_of_options(fields);
    }
    match rule.routing {
        Routing::Drawn { .. } => Routing::Drawn {
            jitter: fields.drops("input_jitter_noise", false),
        },
        Routing::Chosen { .. } => Routing::Chosen {
            sigmoid: fields.text("expert_selection_fn") == Some("sigmoid"),
        },
        Routing::Scaled(_) => {
            let grouped = fields.text("topk_method") == Some("group_limited_greedy");
            Routing::Scaled(grouped.then(|| groups(count, Groups::ONE, fields)))
        }
        Routing::Corrected(default) => Routing::Corrected(groups(count, default, fields)),
        Routing::Grouped(default) => Routing::Grouped(groups(count, default, fields)),
        Routing::Sigmoids(scores) if !holds(rule.corrected, fields) => {
            Routing::Sigmoids(SigmoidScores {
                correction: Correction::None,
                ..scores
            })
        }
        other => other,
    }
}

/// How the shared expert, which all tokens go through, is combined with the others.
fn shared_form(rule: &ExpertRule, fields: &mut ConfigFields<'_>) -> SharedForm {
    let summed = fields.text("shared_expert_combination_strategy") == Some("sum");
    match rule.shared_form {
        SharedForm::Last { wide } => SharedForm::Last {
            wide: fields.flag("enable_moe_fp32_combine", wide),
        },
        SharedForm::Averaged if summed => SharedForm::Last { wide: false },
        other => other,
    }
}

/// Its columns.
fn shared_width(rule: SharedWidth, own: u64, fields: &mut ConfigFields<'_>) -> Option<u64> {
    let width = match rule {
        SharedWidth::None => 0,
        SharedWidth::Same => own,
        SharedWidth::Field(field, default) => fields.optional(field, &WIDTH, default),
        SharedWidth::FieldOrNone(field, default) => {
            fields.optional(field, &(0..=*WIDTH.end()), default)
        }
        SharedWidth::Times(names, default) => own * fields.named(names, &EXPERTS, default),
        SharedWidth::TimesOrNone(field, default) => {
            own * fields.optional(field, &(0..=*EXPERTS.end()), default)
        }
    };
    Some(width).filter(|&width| width > 0)
}

/// For each layer, whether it has experts.
fn sparse(rule: SparseLayers, layers: u64, fields: &mut ConfigFields<'_>) -> Vec<bool> {
    match rule {
        SparseLayers::All => (0..layers).map(|_| true).collect(),
        SparseLayers::Stepped => stepped(layers, fields),
        SparseLayers::Interleaved => interleaved(layers, fields),
        SparseLayers::Periodic(names, defaults) => {
            layer_lists::periodic(layers, names, defaults, fields)
        }
        SparseLayers::Between => between(layers, fields),
        SparseLayers::Listed => layer_lists::sparse(layers, |_| true, fields),
        SparseLayers::After(default) => {
            let names = ["first_k_dense_replace", "num_dense_layers"];
            let dense = fields.named(&names, &(0..=*LAYERS.end()), default);
            layer_lists::sparse(layers, |layer| layer >= dense, fields)
        }
    }
}

/// Layers with experts: every `decoder_sparse_step`-th, but not those listed in `mlp_only_layers`.
fn stepped(layers: u64, fields: &mut ConfigFields<'_>) -> Vec<bool> {
    let step = fields.optional("decoder_sparse_step", &LAYERS, 1);
    let dense = fields.get("mlp_only_layers").and_then(Value::as_array);
    let is_dense =
        |layer: u64| dense.is_some_and(|dense| dense.iter().any(|n| n.as_u64() == Some(layer)));
    (0..layers)
        .map(|layer| (layer + 1).is_multiple_of(step) && !is_dense(layer))
        .collect()
}

/// Layers with experts: `moe_layers`, or every `interleave_moe_layer_step`-th.
fn interleaved(layers: u64, fields: &mut ConfigFields<'_>) -> Vec<bool> {
    let step = fields.optional("interleave_moe_layer_step", &LAYERS, 1);
    let listed = fields.get("moe_layers").and_then(Value::as_array);
    let is_sparse = |layer: u64| match listed {
        Some(listed) => listed.contains(&Value::from(layer)),
        None => (layer + 1).is_multiple_of(step),
    };
    (0..layers).map(is_sparse).collect()
}

/// Layers with experts: every `moe_layer_interval`-th from `moe_layer_start_index` to `moe_layer_end_index`.
fn between(layers: u64, fields: &mut ConfigFields<'_>) -> Vec<bool> {
    let of_layers = 0..=*LAYERS.end();
    let first = fields.optional("moe_layer_start_index", &of_layers, 1);
    let step = fields.optional("moe_layer_interval", &LAYERS, 1);
    let last = match fields.get("moe_layer_end_index").and_then(Value::as_i64) {
        Some(-1) | None => layers,
        Some(_) => fields.optional("moe_layer_end_index", &of_layers, layers),
    };
    let is_sparse =
        |layer: u64| (layer + 1).is_multiple_of(step) && (first..=last).contains(&layer);
    (0..layers).map(is_sparse).collect()
}

/// `n_group` groups of equal size, of which `topk_group` are kept.
pub(crate) fn groups(experts: u64, defaults: Groups, fields: &mut ConfigFields<'_>) -> Groups {
    let count = fields.optional("n_group", &EXPERTS, defaults.count);
    let kept = fields.optional("topk_group", &EXPERTS, defaults.kept);
    if !experts.is_multiple_of(count) {
        let key = fields.key("n_group");
        let fits = (1..=count).rev().find(|n| experts.is_multiple_of(*n));
        fields.push(
            Finding::error(&key, message!(reading::expert_groups, experts, count))
                .with_fix(&key, fits.unwrap_or(1)),
        );
    }
    if kept > count {
        let key = fields.key("topk_group");
        fields.push(
            Finding::error(&key, message!(reading::kept_groups, kept, count)).with_fix(&key, count),
        );
    }
    Groups { count, kept }
}

/// Warns of options of a router that are not counted.
pub(crate) fn warn_of_options(fields: &mut ConfigFields<'_>) {
    const FIELD: &str = "router_jitter_noise";
    let noise = fields.get(FIELD).and_then(Value::as_f64);
    if noise.is_some_and(|x| x > 0.0) {
        let key = fields.key(FIELD);
        fields.push(
            Finding::warning(&key, message!(reading::not_counted, field = FIELD))
                .with_fix(&key, Value::Null),
        );
    }
}

/// `num_experts_per_tok`, which cannot be more than there are.
pub(crate) fn per_token(count: u64, default: u64, fields: &mut ConfigFields<'_>) -> u64 {
    const FIELDS: [&str; 4] = ["num_experts_per_tok", "moe_topk", "moe_k", "top_k_experts"];
    let per_token = fields.named(&FIELDS, &EXPERTS, default);
    if per_token <= count {
        return per_token;
    }
    let given = FIELDS.iter().find(|field| fields.get(field).is_some());
    let key = fields.key(given.unwrap_or(&FIELDS[0]));
    fields.push(
        Finding::error(&key, message!(reading::experts_per_token, per_token, count))
            .with_fix(&key, count),
    );
    count
}

/// The reason where layers without experts are to be balanced, one of them or all.
pub fn why_unbalanced(key: &str, one: bool) -> Finding {
    let why = if one {
        message!(reading::layer_without_experts)
    } else {
        message!(reading::no_experts)
    };
    Finding::error(key, why).with_fix(key, false)
}

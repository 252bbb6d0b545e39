//! Layers of a decoder that see a window only, and layers that positions do not rotate, by the rules of its
//! family (`models/*/configuration_*.py` of transformers 5.23).

use super::layer_lists;
use crate::ask::{Finding, LAYERS, SEQ_LEN, message};
use crate::model::{ConfigFields, RotaryLayers, Window, WindowLayers, WindowOn};

/// The window of a config, and the layers that have it.
#[derive(Default)]
pub(crate) struct Windows {
    /// Its width, if there is one.
    pub(crate) width: Option<u64>,
    /// For each layer, whether it has the window.
    pub(crate) layers: Vec<bool>,
    /// The width that counts though no layer has it.
    pub(crate) idle: Option<u64>,
}

/// Reads the window of a decoder with `layers` layers.
pub(crate) fn read(rule: &Window, layers: u64, fields: &mut ConfigFields<'_>) -> Windows {
    const FIELD: &str = "sliding_window";
    const ASKED: &str = "use_sliding_window";
    let (given, null) = (fields.get(FIELD).is_some(), fields.is_null(FIELD));
    let on = match rule.on {
        WindowOn::Never => false,
        WindowOn::Always => true,
        WindowOn::UnlessNull | WindowOn::Needed => !null,
        WindowOn::Given => given,
        WindowOn::Asked => fields.flag(ASKED, false) && !null,
        WindowOn::AskedAndGiven => given && fields.flag(ASKED, false),
    };
    if rule.on == WindowOn::Needed && !on {
        fields.push(why_needed(&fields.key(FIELD), rule.width));
    }
    if !on {
        let masked = matches!(rule.layers, WindowLayers::EverySecondBelow(_));
        return Windows {
            width: masked.then_some(0),
            layers: Vec::new(),
            idle: (rule.idle && !null).then(|| fields.optional(FIELD, &SEQ_LEN, rule.width)),
        };
    }
    let width = fields.optional(FIELD, &SEQ_LEN, rule.width);
    let seen = layers_with(rule.layers, layers, fields);
    let counts = match rule.layers {
        WindowLayers::NoneUnlessListed | WindowLayers::From(_) => seen.contains(&true),
        _ => true,
    };
    Windows {
        width: counts.then_some(width),
        layers: seen,
        idle: (rule.idle && !counts).then_some(width),
    }
}

/// For each layer, whether it has the window.
fn layers_with(rule: WindowLayers, layers: u64, fields: &mut ConfigFields<'_>) -> Vec<bool> {
    let border = |fields: &mut ConfigFields<'_>, default| {
        fields.optional("max_window_layers", &(0..=*LAYERS.end()), default)
    };
    match rule {
        WindowLayers::All => (0..layers).map(|_| true).collect(),
        WindowLayers::AllUnlessListed => fields.windowed_layers(layers, |_| true),
        WindowLayers::NoneUnlessListed => fields.windowed_layers(layers, |_| false),
        WindowLayers::From(default) => {
            let full = border(fields, default);
            fields.windowed_layers(layers, |layer| layer >= full)
        }
        WindowLayers::EverySecondBelow(default) => {
            let border = border(fields, default);
            fields.windowed_layers(layers, |layer| layer.is_multiple_of(2) && layer < border)
        }
        WindowLayers::BetweenEvery(field, default) => {
            let listed = fields.get("layer_types").is_some();
            let period = match field.filter(|_| !listed) {
                Some(field) => fields.optional(field, &LAYERS, default),
                None => default,
            };
            fields.windowed_layers(layers, |layer| !(layer + 1).is_multiple_of(period))
        }
        WindowLayers::AfterEvery(period) => {
            fields.windowed_layers(layers, |layer| !layer.is_multiple_of(period))
        }
        WindowLayers::Unturned => {
            let unturned = layer_lists::unturned(layers, fields);
            fields.windowed_layers(layers, |layer| {
                usize::try_from(layer).is_ok_and(|layer| unturned[layer])
            })
        }
    }
}

fn why_needed(key: &str, width: u64) -> Finding {
    Finding::error(key, message!(reading::window_needed)).with_fix(key, width)
}

/// For each layer, whether positions do not rotate its queries and keys; empty where they rotate all.
pub(crate) fn unturned(
    rule: RotaryLayers,
    layers: u64,
    windows: &Windows,
    fields: &mut ConfigFields<'_>,
) -> Vec<bool> {
    let without = || windows.layers.iter().map(|near| !near).collect();
    match (rule, windows.width) {
        (RotaryLayers::Listed, _) => layer_lists::unturned(layers, fields),
        (RotaryLayers::WindowedOrAll | RotaryLayers::Windowed, Some(_)) => without(),
        (RotaryLayers::Windowed, None) => (0..layers).map(|_| true).collect(),
        _ => Vec::new(),
    }
}

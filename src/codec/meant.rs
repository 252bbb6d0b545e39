//! The catalog's model that a scenario's name means, and how its checkpoint's weights are stored.

use super::tree::{at, put, shortened};
use crate::ask::{Finding, QuantizationType, message};
use crate::families::{Packing, find_model, packing_of_config};
use serde_json::Value;

const MODEL: &str = "model";
const CONFIG: &str = "quantization_config";
const TYPE: &str = "quantization.type";

/// Puts the catalog's ids where `tree` has other names of their models, and applies what the name or the config
/// says of quantization where `packed` allows it; says what was concluded.
pub(super) fn settle(tree: &mut Value, packed: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let packing = settle_name(tree, MODEL, &mut findings);
    settle_name(tree, "objective.teacher", &mut findings);
    let packing = packing.or_else(|| take_config(tree));
    if let Some(packing) = packing.filter(|_| packed) {
        findings.push(apply(packing, tree));
    }
    findings
}

/// Settles the model at `path`; gives how its weights are stored.
fn settle_name(tree: &mut Value, path: &str, findings: &mut Vec<Finding>) -> Option<Packing> {
    let name = at(tree, path).as_str()?.to_owned();
    let named = find_model(&name)?;
    if named.called {
        return named.packing;
    }
    let id = named.model.id;
    put(tree, path, id.into());
    if path == MODEL
        && let Some(vocabulary) = named.vocabulary
        && at(tree, "model_overrides.vocab_size").is_null()
    {
        put(tree, "model_overrides.vocab_size", vocabulary.into());
    }
    let shown = shortened(&name);
    findings.push(Finding::notice(path, message!(codec::taken_for, shown, id)));
    named.packing
}

/// Takes `quantization_config` out of the model's config.
fn take_config(tree: &mut Value) -> Option<Packing> {
    let config = tree.get_mut(MODEL)?.get_mut("hf_config")?.as_object_mut()?;
    let own = config.remove(CONFIG).filter(|own| !own.is_null());
    Some(packing_of_config(&own?))
}

/// Writes how the weights are held, and says what is assumed.
fn apply(packing: Packing, tree: &mut Value) -> Finding {
    match packing {
        Packing::Bitsandbytes {
            kind,
            double,
            mixed,
        } => {
            quantize(tree, kind, double);
            let quantization = kind.name();
            Finding::notice(
                TYPE,
                if mixed {
                    message!(codec::quantized_mixed, quantization)
                } else {
                    message!(codec::quantized, quantization)
                },
            )
        }
        Packing::Groups(format) => {
            let kind = QuantizationType::Nf4;
            quantize(tree, kind, false);
            let quantization = kind.name();
            Finding::warning(TYPE, message!(codec::quantized_like, format, quantization))
        }
        Packing::Mxfp4 => Finding::notice(TYPE, message!(codec::dequantized_mxfp4)),
        Packing::Other(format) => {
            Finding::warning(TYPE, message!(codec::quantization_left_out, format))
        }
    }
}

fn quantize(tree: &mut Value, kind: QuantizationType, double: bool) {
    put(tree, TYPE, kind.name().into());
    put(tree, "quantization.double", double.into());
}

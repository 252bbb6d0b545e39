//! torchtitan's own model: Llama 3, put together as torchtune's decoder is, with norms of one kernel and positions that
//! rotate columns as complex numbers.
//!
//! Source: `torchtitan/models/llama3/model/model.py`, torchtitan 0.2.1.

use crate::ask::{Finding, Scenario, message};
use crate::families::{llama, torchtune};
use crate::model::{Architecture, DecoderConfig, Dropout, Family, NormKind, Style};

/// Llama 3 and 3.1 (`models/llama3`).
pub(crate) const LLAMA: Family = Family {
    source: "models/llama3, torchtitan 0.2.1",
    style: Style {
        norm: NormKind::Functional,
        ..Style::LLAMA
    },
    ..torchtune::LLAMA
};

/// Whether torchtitan has modules of its own for a model.
fn is_taken(config: &DecoderConfig) -> bool {
    *config.family == llama::LLAMA && config.experts.is_none() && config.images.is_none()
}

/// The model as torchtitan builds it, with a table of as many positions as tokens (`update_from_config`); an error where it
/// has no such model.
pub(crate) fn take_over(
    architecture: Architecture,
    scenario: &Scenario,
    findings: &mut Vec<Finding>,
) -> Architecture {
    match architecture {
        Architecture::Decoder(config) if is_taken(&config) => {
            Architecture::Decoder(DecoderConfig {
                family: &LLAMA,
                positions: scenario.seq_len,
                dropout: Dropout::default(),
                ..config
            })
        }
        other => {
            let finding = Finding::error("implementation", message!(torchtune::no_titan_model));
            findings.push(finding.with_fix("implementation", serde_json::Value::Null));
            other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{Implementation, ModelRef};
    use crate::families::read;

    #[test]
    fn llama_alone_is_built_as_torchtitan_has_it() {
        for (id, refused) in [("llama-3.1-8b", 0), ("qwen3-0.6b", 1)] {
            let scenario = Scenario {
                model: ModelRef::Catalog(id.to_owned()),
                implementation: Some(Implementation::Torchtitan),
                ..Scenario::default()
            };
            let mut findings = Vec::new();
            let model = read(&scenario, &mut findings).expect("a model");
            assert_eq!(findings.len(), refused, "{id}");
            assert_eq!(
                model.architecture.family() == Some(&LLAMA),
                refused == 0,
                "{id}"
            );
        }
    }
}

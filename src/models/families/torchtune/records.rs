//! The families of transformers that torchtune has modules for, as it puts them together.

use crate::ask::{Attention, Finding, PackingKind, Scenario, message};
use crate::families::{gemma, llama, mistral, phi, qwen};
use crate::model::{
    Architecture, AttentionSupport, CAUSAL_LM, DecoderConfig, Dropout, EmbeddingScale, Family,
    Generation, LayerNames, NormKind, Parts, Proof, QuantizedSupport, RotaryKind, Since, Style,
};

/// Llama 2, Llama 3 and Mistral (`models/{llama2,llama3,mistral}`).
pub(crate) const LLAMA: Family = Family {
    model_types: &[],
    source: "models/llama2, torchtune 0.6.1",
    style: Style {
        norm: NormKind::FunctionalRoot,
        ..Style::LLAMA
    },
    layers: Parts {
        rotary_kind: RotaryKind::WidePairs,
        ..Parts::LLAMA
    },
    since: Since::V5,
    tasks: CAUSAL_LM,
    generation: Generation::NONE,
    liger: None,
    attention_support: AttentionSupport {
        check: Some(check_attention),
        ..AttentionSupport::UNMASKED
    },
    tensor_plan: &[],
    fixtures: Proof::NONE,
    published: Proof::NONE,
    ..llama::LLAMA
};

/// Llama 3.1 to 3.3 (`models/{llama3_1,llama3_2,llama3_3}`), whose layers share a table with adapters, too.
pub(crate) const LLAMA3_1: Family = Family {
    source: "models/llama3_1, torchtune 0.6.1",
    ..LLAMA
};

/// Qwen2 and Qwen2.5 (`models/{qwen2,qwen2_5}`).
pub(crate) const QWEN2: Family = Family {
    source: "models/qwen2, torchtune 0.6.1",
    quantized_support: QuantizedSupport::ADAPTED_ALONE,
    layers: Parts {
        rotary_kind: RotaryKind::Halves,
        ..Parts::LLAMA
    },
    ..LLAMA
};

/// Gemma (`models/gemma`).
pub(crate) const GEMMA: Family = Family {
    source: "models/gemma, torchtune 0.6.1",
    style: Style {
        norm: NormKind::OnePlusRoot,
        embedding_scale: EmbeddingScale::Number,
        ..Style::LLAMA
    },
    ..LLAMA
};

/// Gemma 2 (`models/gemma2`), whose last norm caps hidden states in the place of logits.
pub(crate) const GEMMA2: Family = Family {
    source: "models/gemma2, torchtune 0.6.1",
    names: LayerNames {
        norms: [
            Some("input_layernorm"),
            Some("post_attention_layernorm"),
            Some("pre_feedforward_layernorm"),
            Some("post_feedforward_layernorm"),
        ],
        ..LayerNames::LLAMA
    },
    ..GEMMA
};

/// Phi-3 and Phi-4 (`models/{phi3,phi4}`).
pub(crate) const PHI3: Family = Family {
    source: "models/phi3, torchtune 0.6.1",
    layers: Parts {
        rotary_kind: RotaryKind::WideHalves,
        ..Parts::LLAMA
    },
    ..LLAMA
};

/// Whether torchtune has modules of its own for a model.
pub fn has_modules(architecture: &Architecture) -> bool {
    let family = architecture.family();
    let takes =
        |(_, others): &(&Family, &[&Family])| family.is_some_and(|family| others.contains(&family));
    TAKEN.iter().any(takes)
}

/// torchtune's records, and the families of transformers in whose place they stand.
const TAKEN: &[(&Family, &[&Family])] = &[
    (&LLAMA, &[&llama::LLAMA, &mistral::MISTRAL]),
    (&QWEN2, &[&qwen::QWEN2]),
    (&GEMMA, &[&gemma::GEMMA]),
    (&GEMMA2, &[&gemma::GEMMA2]),
    (&PHI3, &[&phi::PHI3]),
];

/// Positions of Llama 3.1 and later.
const SCALED_POSITIONS: u64 = 131_072;

/// The model as torchtune builds it with a table of these positions; an error where it has no such model.
pub(crate) fn take_over(
    architecture: Architecture,
    positions: u64,
    findings: &mut Vec<Finding>,
) -> Architecture {
    let taken = |config: &DecoderConfig| {
        let mut taken = TAKEN.iter();
        taken.find(|(_, others)| others.contains(&config.family))
    };
    match architecture {
        Architecture::Decoder(config) if config.experts.is_none() && config.images.is_none() => {
            let Some((family, _)) = taken(&config) else {
                findings.push(refused());
                return Architecture::Decoder(config);
            };
            let family: &'static Family = match *family {
                family if *family == LLAMA && positions >= SCALED_POSITIONS => &LLAMA3_1,
                family => family,
            };
            let alternates = *family == GEMMA2;
            Architecture::Decoder(DecoderConfig {
                family,
                positions,
                sliding_window: config.sliding_window.filter(|_| alternates),
                idle_window: None,
                windowed: if alternates {
                    config.windowed
                } else {
                    Vec::new()
                },
                final_softcap: false,
                dropout: Dropout::default(),
                ..config
            })
        }
        other => {
            findings.push(refused());
            other
        }
    }
}

fn refused() -> Finding {
    Finding::error("implementation", message!(torchtune::no_such_model))
        .with_fix("implementation", serde_json::Value::Null)
}

/// Nothing but `scaled_dot_product_attention`, or flex attention of packed samples (`_sdpa_or_flex_attention`, `modules/attention_utils.py`).
fn check_attention(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let Architecture::Decoder(config) = architecture else {
        return;
    };
    if scenario.packing.is_on() && *config.family == GEMMA2 {
        findings.push(
            Finding::error("packing.kind", message!(torchtune::packed_gemma2))
                .with_fix("packing.kind", PackingKind::None.name()),
        );
    }
    if scenario.attention != Attention::Sdpa {
        findings.push(
            Finding::error("attention", message!(torchtune::sdpa_alone))
                .with_fix("attention", Attention::Sdpa.name()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{Implementation, ModelRef};
    use crate::families::read;

    /// The family that a model of the catalog is built as, and the findings about it.
    fn taken(id: &str) -> (Option<&'static Family>, Vec<Finding>) {
        let scenario = Scenario {
            model: ModelRef::Catalog(id.to_owned()),
            implementation: Some(Implementation::Torchtune),
            ..Scenario::default()
        };
        let mut findings = Vec::new();
        let model = read(&scenario, &mut findings).expect("a model");
        (model.architecture.family(), findings)
    }

    #[test]
    fn models_are_built_as_torchtune_has_them_or_refused() {
        for (id, family) in [
            ("llama-3-8b", &LLAMA),
            ("mistral-7b", &LLAMA),
            ("llama-3.2-1b", &LLAMA3_1),
            ("qwen2.5-7b", &QWEN2),
            ("gemma-2b", &GEMMA),
            ("gemma-2-2b", &GEMMA2),
            ("phi-4", &PHI3),
        ] {
            assert_eq!(taken(id), (Some(family), Vec::new()), "{id}");
        }
        let (_, findings) = taken("bert-base");
        assert_eq!(findings[0].key, "implementation");
    }
}

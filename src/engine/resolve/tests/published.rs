//! Models as they are built against the numbers of parameters that the families' records state.
//!
//! Most are the totals of the safetensors files, as the hub shows them; of gpt-oss of the weights in bfloat16; of
//! GLM-4.5, Qwen3-Next, Qwen3.5, K-EXAONE, Trinity, Hy3 and GLM-4.7 without the layers that predict several tokens,
//! of Llama 4, Qwen3.5 and Ministral 3 without images; of CLIP as its authors count them. Of Gemma 3n and 4
//! (the part that reads text), Swin V2, the first `DeBERTa`, `RemBERT`, `RoFormer`, UMT5, ESM-2, `EuroBERT`, wav2vec
//! 2.0, data2vec, `WavLM` and `HuBERT` (with 32 tokens) they are what transformers 5.23 builds; so are heads of
//! `DINOv2` (two classes), `DeiT` (without a teacher's classifier), ELECTRA, ALBERT, `MPNet` and `DeBERTa` (which
//! predict tokens), and Falcon 7B and 40B without the output layer, which is tied though their files hold it. Where
//! repositories state billions alone it is what the configs give.
//!
//! Configs were read from the hub, but for these (2026-11), which were read from copies and agree with the published
//! totals as transformers 5.23 builds them. mlc-llm's `model_preset.py`: `CodeLlama` 13B, Gemma 2 9B and 27B, Phi-1.5,
//! Phi-3.5-mini, Phi-4-mini, Ministral 3 3B, `OLMo` 2, `RedPajama`. litgpt 0.5.13's `config.py`: `CodeLlama` 70B,
//! Falcon3, Gemma 7B, Phi-4, Pythia. aiconfigurator's `model_configs`: Qwen3.5 from 27B on, Qwen3-Coder, Llama 4
//! Maverick, Nemotron 3 Super. Megatron-Bridge's tests: Ministral 3 14B. slime's `scripts/models`: Qwen3.5 0.8B.
//! transformers' `falcon_h1.md` and `configuration_arcee.py`: Falcon-H1, AFM. Model cards and papers, with the published
//! totals: Aya, Cerebras-GPT, Command R, Gemma 3 270M, GLM-4 32B, Hunyuan, `InternVL3.5`, Jamba 1.5, LFM2 2.6B,
//! Ministral 8B, Phi-3-medium, Qwen1.5, Qwen3.5 2B and 4B, Yi 9B.

use crate::ask::{ModelRef, Precision, Scenario};
use crate::families;
use crate::resolve::resolve;
use std::collections::BTreeMap;

/// Each model of the catalog with the number in its family's record.
fn published() -> BTreeMap<&'static str, u64> {
    families::all()
        .flat_map(|family| family.published.facts())
        .copied()
        .collect()
}

/// Elements of all parameters of a model of the catalog.
fn built(id: &str) -> u64 {
    let scenario = |precision| Scenario {
        model: ModelRef::Catalog(id.to_owned()),
        precision,
        // SigLIP's texts have 64 tokens, which are fewer than those of an image.
        seq_len: 64,
        images: 0,
        ..Scenario::default()
    };
    // Kernels of the delta rule take no float32, some models nothing else.
    let resolved = |precision| resolve(&scenario(precision)).spec;
    let spec = resolved(Precision::Bf16).or_else(|| resolved(Precision::Fp32));
    let spec = spec.expect("a model of the catalog");
    let modules = families::modules(&spec.architecture, spec.task, spec.framework);
    let parameters = modules.iter().flat_map(|module| module.parameters.iter());
    parameters.map(|parameter| parameter.shape.numel()).sum()
}

#[test]
fn models_have_as_many_parameters_as_published() {
    let differ: Vec<_> = published()
        .into_iter()
        .map(|(id, number)| (id, number, built(id)))
        .filter(|(_, published, built)| published != built)
        .collect();
    assert!(differ.is_empty(), "published, then built: {differ:?}");
}

#[test]
fn a_record_holds_the_published_count_of_every_model() {
    let published = published();
    let stated = families::all().map(|family| family.published.facts().len());
    assert_eq!(stated.sum::<usize>(), families::catalog_models().count());
    for model in families::catalog_models() {
        assert!(published.contains_key(model.id), "{}", model.id);
    }
}

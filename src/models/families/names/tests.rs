//! Names that people write, and the catalog's model that each means.

use super::{Named, Packing, find_model, nearest_model, packing_of_config, renamed};
use crate::ask::QuantizationType;
use crate::families::catalog_model;
use serde_json::json;

/// Names, and the id of the model that they mean; `-` where they mean none that is known.
const NAMES: &str = include_str!("names.txt");

#[test]
fn each_name_means_the_model_of_its_sizes() {
    let lines = NAMES.lines().filter(|line| !line.trim().is_empty());
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in lines {
        let (name, id) = line.split_once(" = ").expect("a name and an id");
        let found = find_model(name).map_or("-", |named| named.model.id);
        count += 1;
        if found != id {
            wrong.push(format!("{name}: {found}, not {id}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 150, "{count}");
}

#[test]
fn renamed_models_have_the_sizes_of_one_in_the_catalog() {
    for renamed in renamed::RENAMED {
        assert!(catalog_model(renamed.id).is_some(), "{}", renamed.id);
        let own = catalog_model(renamed.name);
        assert!(own.is_none(), "{} is in the catalog itself", renamed.name);
    }
}

#[test]
fn a_model_by_its_own_name_is_not_told_as_another() {
    let called = |name: &str| find_model(name).map(|named| named.called);
    assert_eq!(called("Qwen/Qwen2.5-1.5B"), Some(true));
    assert_eq!(called("qwen2.5-1.5b"), Some(true));
    assert_eq!(called("Qwen/Qwen2.5-1.5B-Instruct"), Some(false));
}

#[test]
fn added_tokens_are_counted() {
    let hermes = find_model("teknium/OpenHermes-2.5-Mistral-7B");
    let vocabulary = hermes.and_then(|named| named.vocabulary);
    assert_eq!(vocabulary, Some(32_002));
}

#[test]
fn a_suggestion_is_of_the_same_family_or_there_is_none() {
    for (name, id) in [
        ("arcee-ai/AFN-4.5B", None),
        ("Qwen/Qwen3-9B", Some("qwen3-0.6b")),
        ("lama-3-8b", Some("llama-3-8b")),
        ("qwen2.5-1.5", Some("qwen2.5-1.5b")),
        ("somebody/new-model", None),
        ("", None),
    ] {
        let nearest = nearest_model(name).map(|model| model.id);
        let family = |id: &str| id.chars().take(4).collect::<String>();
        assert_eq!(nearest.map(family), id.map(family), "{name}: {nearest:?}");
    }
    assert_eq!(
        nearest_model("qwen2.5-1.5").map(|model| model.id),
        Some("qwen2.5-1.5b")
    );
}

#[test]
fn names_say_how_weights_are_stored() {
    let packing = |name: &str| find_model(name).and_then(|Named { packing, .. }| packing);
    let bits = |kind, double, mixed| {
        Some(Packing::Bitsandbytes {
            kind,
            double,
            mixed,
        })
    };
    let (nf4, int8) = (QuantizationType::Nf4, QuantizationType::Int8);
    for (name, expected) in [
        (
            "unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit",
            bits(nf4, true, false),
        ),
        (
            "unsloth/Llama-3.2-1B-Instruct-unsloth-bnb-4bit",
            bits(nf4, true, true),
        ),
        (
            "unsloth/gpt-oss-20b-unsloth-bnb-4bit",
            bits(nf4, true, true),
        ),
        (
            "axolotl-quants/Llama-4-Scout-17B-16E-Linearized-bnb-nf4-bf16",
            bits(nf4, false, false),
        ),
        ("somebody/qwen2.5-7b-8bit", bits(int8, false, false)),
        ("TheBloke/Llama-2-7B-GPTQ", Some(Packing::Groups("GPTQ"))),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", Some(Packing::Groups("AWQ"))),
        (
            "ISTA-DASLab/Meta-Llama-3-8B-Instruct-AQLM-2Bit-1x16",
            Some(Packing::Other("AQLM")),
        ),
        ("nvidia/Qwen3-30B-A3B-NVFP4", Some(Packing::Other("NVFP4"))),
        ("Qwen/Qwen3-32B-FP8", Some(Packing::Other("FP8"))),
        ("openai/gpt-oss-20b", Some(Packing::Mxfp4)),
        ("unsloth/gpt-oss-20b", Some(Packing::Mxfp4)),
        ("gpt-oss-20b", None),
        ("unsloth/gpt-oss-20b-BF16", None),
        ("Qwen/Qwen3-32B", None),
    ] {
        assert_eq!(packing(name), expected, "{name}");
    }
}

#[test]
fn configs_say_how_weights_are_stored() {
    let bnb = json!({"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_type": "nf4",
        "bnb_4bit_use_double_quant": true, "llm_int8_skip_modules": null});
    let expected = Packing::Bitsandbytes {
        kind: QuantizationType::Nf4,
        double: true,
        mixed: false,
    };
    assert_eq!(packing_of_config(&bnb), expected);
    let gptq = json!({"quant_method": "gptq", "bits": 4});
    assert_eq!(packing_of_config(&gptq), Packing::Groups("GPTQ"));
    let three = json!({"quant_method": "gptq", "bits": 3});
    assert_eq!(packing_of_config(&three), Packing::Other("GPTQ"));
    assert_eq!(
        packing_of_config(&json!({"quant_method": "mxfp4"})),
        Packing::Mxfp4
    );
    assert_eq!(
        packing_of_config(&json!(true)),
        Packing::Other("quantization_config")
    );
}

//! Models that read images among their tokens.

use crate::ask::Attention;
use crate::ask::Framework;
use crate::ask::ModelRef;
use crate::ask::Precision;
use crate::ask::Scenario;
use crate::ask::Task;
use crate::resolve::Idle;
use crate::resolve::idle;
use crate::resolve::resolve;

fn of(seq_len: u64, images: u64) -> Scenario {
    Scenario {
        model: ModelRef::Catalog("llava-1.5-7b-hf".to_owned()),
        seq_len,
        images,
        ..Scenario::default()
    }
}

#[test]
fn the_tokens_of_images_are_part_of_the_sequence() {
    let spec = resolve(&of(577, 1)).spec.expect("one image and one token");
    assert_eq!(spec.task, Task::ImageTextToText);
    assert_eq!(spec.images, 1);
    let refused = resolve(&of(1152, 2));
    assert!(refused.spec.is_none());
    let fix = refused.findings[0].fix.as_ref().expect("a fix");
    assert_eq!(
        (fix.key.as_str(), fix.value.as_u64()),
        ("seq_len", Some(1153))
    );
    assert!(resolve(&of(16, 0)).spec.is_some(), "texts alone");
}

#[test]
fn of_a_pasted_config_the_text_part_is_estimated_where_transformers_4_is_asked_for() {
    let config = serde_json::json!({
        "model_type": "gemma3",
        "text_config": {"model_type": "gemma3_text", "num_hidden_layers": 2},
        "vision_config": {"num_hidden_layers": 2},
        "mm_tokens_per_image": 49,
    });
    let hf_config = config.as_object().expect("an object").clone();
    let of = |framework| Scenario {
        model: ModelRef::HfConfig {
            hf_config: hf_config.clone(),
        },
        seq_len: 1024,
        framework,
        ..Scenario::default()
    };
    let old = resolve(&of(Framework::Torch26Transformers451));
    assert_eq!(old.spec.expect("the text part").images, 0);
    assert!(
        old.findings
            .iter()
            .any(|found| found.key == "model.hf_config.text_config")
    );
    let new = resolve(&of(Framework::Torch215Transformers523));
    assert_eq!(new.spec.expect("all parts").images, 1);
}

#[test]
fn of_the_catalog_the_text_part_is_estimated_in_versions_that_have_the_model() {
    let of = |model: &str, framework| {
        resolve(&Scenario {
            model: ModelRef::Catalog(model.to_owned()),
            framework,
            ..of(1024, 1)
        })
    };
    let old = of("llava-1.5-7b-hf", Framework::Torch26Transformers448);
    assert_eq!(old.spec.expect("the text part").images, 0);
    let fix = old.findings[0].fix.as_ref().expect("a fix");
    assert_eq!(fix.key, "framework");
    let qwen = |framework| of("qwen2.5-vl-7b-instruct", framework).spec;
    assert!(qwen(Framework::Torch26Transformers451).is_some());
    assert!(qwen(Framework::Torch26Transformers448).is_none());
}

#[test]
fn images_of_any_size_take_tokens_by_their_size() {
    let of = |seq_len, image_size: Option<&str>| Scenario {
        model: ModelRef::Catalog("qwen2.5-vl-3b-instruct".to_owned()),
        image_size: image_size.map(str::to_owned),
        ..of(seq_len, 1)
    };
    // 27 x 27 tokens of 28 pixels, and the special tokens around them.
    assert!(resolve(&of(731, None)).spec.is_none());
    assert!(resolve(&of(732, None)).spec.is_some());
    let wide = resolve(&of(128, Some("448x140"))).spec.expect("80 tokens");
    assert_eq!(wide.image_size, [140, 448]);
    assert!(resolve(&of(128, Some("large"))).spec.is_none());
}

#[test]
fn qwen3_vl_sees_images_of_more_and_of_fewer_pixels_than_those_before_it() {
    let of = |image_size: &str| Scenario {
        model: ModelRef::Catalog("qwen3-vl-4b-instruct".to_owned()),
        image_size: Some(image_size.to_owned()),
        ..of(20_000, 1)
    };
    let sides = |image_size| resolve(&of(image_size)).spec.expect("a spec").image_size;
    assert_eq!(sides("64"), [256, 256]);
    assert_eq!(sides("1920x1080"), [1088, 1920]);
    assert_eq!(sides("6000"), [4096, 4096]);
}

#[test]
fn llama_3_2_vision_alone_does_not_take_the_flash_attn_package() {
    let of = |model: &str| Scenario {
        model: ModelRef::Catalog(model.to_owned()),
        attention: Attention::FlashAttention2,
        precision: Precision::Bf16,
        ..of(1024, 1)
    };
    assert!(resolve(&of("llava-1.5-7b-hf")).spec.is_some());
    let blind = resolve(&of("gemma-3-4b"));
    assert!(blind.spec.is_some());
    assert!(blind.findings.iter().any(|found| found.key == "attention"));
    let refused = resolve(&of("llama-3.2-11b-vision"));
    let fix = refused.findings[0].fix.as_ref().expect("a fix");
    assert_eq!(
        (fix.key.as_str(), fix.value.as_str()),
        ("attention", Some("sdpa"))
    );
}

#[test]
fn without_images_what_sees_them_cannot_be_trained_alone() {
    let frozen = |images: u64, frozen: &[&str]| Scenario {
        frozen: frozen.iter().map(|&part| part.to_owned()).collect(),
        ..of(1024, images)
    };
    let texts = ["language_model", "lm_head"];
    assert!(resolve(&frozen(1, &texts)).spec.is_some());
    assert!(resolve(&frozen(0, &texts[..1])).spec.is_some());
    let refused = resolve(&frozen(0, &texts));
    assert!(refused.spec.is_none());
    assert_eq!(refused.findings[0].key, "images");
}

#[test]
fn images_are_idle_where_nothing_sees_them() {
    assert_eq!(idle(&of(1024, 1), "images"), None);
    assert_eq!(idle(&Scenario::default(), "images"), Some(Idle::NoImages));
    assert_eq!(idle(&of(1024, 1), "image_size"), Some(Idle::Images));
}

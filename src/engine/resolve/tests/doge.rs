//! Refusals of Doge.

use crate::resolve::refused::tests::refused;
use serde_json::{Value, json};

#[test]
fn tokens_of_doge_see_no_more_keys_than_they_keep() {
    let asked = |field: &str, value: Value, more: Value| {
        let mut config = json!({"model_type": "doge", "num_hidden_layers": 2});
        config[field] = value;
        let mut asked = json!({"model": {"hf_config": config}, "seq_len": 300});
        asked["evaluation"] = more;
        refused(&asked)
    };
    let generate = json!({"kind": "generate", "max_new_tokens": 21});
    let none = json!({});
    let kept = |n: u64| asked("keep_window_size", n.into(), none.clone());
    assert_eq!(kept(300), None);
    assert_eq!(kept(299), Some(("seq_len".into(), 299.into())));
    let while_generating = asked("keep_window_size", 300.into(), generate.clone());
    assert_eq!(while_generating, Some(("seq_len".into(), 280.into())));
    assert_eq!(asked("keep_window_size", 320.into(), generate), None);
    let (moe, window) = ("model.hf_config.is_moe", "model.hf_config.sliding_window");
    assert_eq!(
        asked("is_moe", true.into(), none.clone()),
        Some((moe.into(), false.into()))
    );
    assert_eq!(
        asked("sliding_window", 64.into(), none),
        Some((window.into(), Value::Null))
    );
}

//! PEFT's `adapter_config.json`.

use super::format::{Format, Phrases, Syntax};
use super::job::{Job, Matters};
use super::row::As::{Count, Flag, List, Real};
use super::row::Does::{Decides, Lacks, Reads, Sets};
use super::row::{Lack, Row};
use super::said::Said;
use super::value;

/// `LoraConfig` (`tuners/lora/config.py`, peft 0.21).
const ROWS: &[Row] = &[
    ("peft_type", Decides("lora")),
    ("task_type", Decides("task")),
    ("base_model_name_or_path", Reads("model", List)),
    ("r", Sets("lora.r", Count)),
    ("lora_dropout", Sets("lora.dropout", Real)),
    ("target_modules", Reads("lora.target_modules", List)),
    ("target_parameters", Sets("lora.target_parameters", List)),
    ("modules_to_save", Sets("lora.modules_to_save", List)),
    ("use_dora", Sets("lora.use_dora", Flag)),
    ("exclude_modules", Lacks(Lack::Adapter)),
    ("bias", Lacks(Lack::Adapter)),
    ("lora_bias", Lacks(Lack::Adapter)),
    ("layers_to_transform", Lacks(Lack::Adapter)),
    ("layer_replication", Lacks(Lack::Adapter)),
    ("rank_pattern*", Lacks(Lack::Adapter)),
    ("trainable_token_indices*", Lacks(Lack::Adapter)),
    ("megatron_config*", Lacks(Lack::Adapter)),
    ("loftq_config*", Lacks(Lack::Quantization)),
    ("use_qalora", Lacks(Lack::Adapter)),
    ("alora_invocation_tokens", Lacks(Lack::Adapter)),
    ("arrow_config", Lacks(Lack::Adapter)),
    ("velora_config", Lacks(Lack::Adapter)),
    ("use_bdlora", Lacks(Lack::Adapter)),
];

const WITHOUT_MEMORY: &[&str] = &[
    "lora_alpha",
    "alpha_pattern*",
    "auto_mapping*",
    "fan_in_fan_out",
    "inference_mode",
    "init_lora_weights",
    "layers_pattern",
    "megatron_core",
    "revision",
    "use_rslora",
    "peft_version",
    "eva_config*",
    "corda_config*",
    "lora_ga_config*",
    "runtime_config*",
    "qalora_group_size",
    "ensure_weight_tying",
    "trainable_token_indices",
];

const PHRASES: &[Phrases] = &[
    Phrases {
        about: &["lora.r"],
        ways: &[r#"{"peft_type": "LORA"}"#],
    },
    Phrases {
        about: &["task"],
        ways: &[
            "{}",
            r#"{"task_type": "CAUSAL_LM"}"#,
            r#"{"task_type": "SEQ_CLS"}"#,
            r#"{"task_type": "TOKEN_CLS"}"#,
            r#"{"task_type": "QUESTION_ANS"}"#,
            r#"{"task_type": "SEQ_2_SEQ_LM"}"#,
        ],
    },
];

pub(super) const FORMAT: Format = Format {
    name: "peft",
    rows: &[ROWS],
    without_memory: &[WITHOUT_MEMORY],
    telling: &[
        "peft_type",
        "r",
        "target_modules",
        "base_model_name_or_path",
        "inference_mode",
        "fan_in_fan_out",
    ],
    finish,
    syntax: Syntax::Json,
    phrases: &[PHRASES],
};

fn finish(said: &Said, job: &mut Job) {
    if said.word("peft_type").is_some_and(|kind| kind != "lora") {
        job.remove("lora");
        job.give_up(said, "peft_type", Matters::Yes(Lack::Adapter));
        return;
    }
    let model = said.get("base_model_name_or_path").and_then(value::text);
    if let Some(model) = model.filter(|_| job.get("model").is_none()) {
        job.set("model", model);
    }
    // One text is a pattern over whole paths, or PEFT's word for all linear layers.
    match said.get("target_modules") {
        Some(given) if given.is_string() && given != "all-linear" => {
            job.set("lora.target_pattern", given.clone());
        }
        Some(given) => job.set("lora.target_modules", value::list(given)),
        None => {}
    }
    let tasks = [
        ("seq_cls", "sequence_classification"),
        ("token_cls", "token_classification"),
        ("question_ans", "question_answering"),
        ("seq_2_seq_lm", "seq2seq_lm"),
        ("causal_lm", "causal_lm"),
    ];
    let task = said.word("task_type");
    if let Some((_, own)) = tasks.iter().find(|(name, _)| task.as_deref() == Some(name)) {
        job.set("task", *own);
    }
    job.assume("lora.r", 8, "LoraConfig, peft 0.21");
}

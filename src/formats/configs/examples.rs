//! Commands of transformers' own example scripts (`examples/pytorch`), told by the name of the script.

use super::format::{Format, Syntax};
use super::hugging_face::{self, FSDP, FSDP_WITHOUT_MEMORY, LOADER};
use super::job::{Assumed, Job, Matters};
use super::row::As::Count;
use super::row::Does::{Decides, Lacks, Sets};
use super::row::{Lack, Row};
use super::said::Said;
use super::{hub, trainer};

/// The source of what the scripts have where nothing is said: lengths are those of the tokenizer, no longer than the
/// model takes.
pub const SOURCE: &str = "examples/pytorch, transformers 5";
const LOADING: &str = "from_pretrained keeps the dtype of the file, transformers 5.24";

/// The tensors of a batch that a script's evaluation keeps on the device.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeps {
    /// The most likely token of each position (`preprocess_logits_for_metrics`).
    Tokens,
    /// The model's outputs.
    Outputs,
    /// Nothing but the generated tokens where `predict_with_generate` asks for them.
    Generated,
}

/// A script: its name, the task where the model's class is not that of its own task, the longest sequences unless
/// they are said (no longer than the model takes), what its evaluations keep.
type Example = (&'static str, Option<&'static str>, u64, Keeps);

const EXAMPLES: &[Example] = &[
    ("run_clm", None, 1024, Keeps::Tokens),
    ("run_fim", None, 1024, Keeps::Tokens),
    ("run_mlm", Some("masked_lm"), 1024, Keeps::Tokens),
    (
        "run_glue",
        Some("sequence_classification"),
        128,
        Keeps::Outputs,
    ),
    (
        "run_xnli",
        Some("sequence_classification"),
        128,
        Keeps::Outputs,
    ),
    (
        "run_classification",
        Some("sequence_classification"),
        128,
        Keeps::Outputs,
    ),
    ("run_ner", Some("token_classification"), 512, Keeps::Outputs),
    ("run_qa", Some("question_answering"), 384, Keeps::Outputs),
    (
        "run_summarization",
        Some("seq2seq_lm"),
        1024,
        Keeps::Generated,
    ),
    (
        "run_translation",
        Some("seq2seq_lm"),
        1024,
        Keeps::Generated,
    ),
];

const ROWS: &[Row] = &[
    ("program", Decides("task")),
    ("model_name_or_path", Decides("model")),
    ("config_name", Decides("model")),
    ("model_type", Lacks(Lack::Model)),
    ("config_overrides", Lacks(Lack::Model)),
    ("dtype", Decides("weights precision")),
    ("torch_dtype", Decides("weights precision")),
    ("block_size", Sets("seq_len", Count)),
    ("max_seq_length", Sets("seq_len", Count)),
    ("max_source_length", Sets("seq_len", Count)),
    ("max_target_length", Sets("target_seq_len", Count)),
    ("line_by_line", Decides("padding_mask")),
    ("predict_with_generate", Lacks(Lack::Data)),
    ("resize_position_embeddings", Lacks(Lack::Model)),
    ("attn_implementation", Decides("attention")),
];

const WITHOUT_MEMORY: &[&str] = &[
    "tokenizer_name",
    "use_fast_tokenizer",
    "model_revision",
    "token",
    "use_auth_token",
    "low_cpu_mem_usage",
    "dataset_name",
    "dataset_config_name",
    "dataset_config",
    "task_name",
    "train_file",
    "validation_file",
    "test_file",
    "max_train_samples",
    "max_eval_samples",
    "max_predict_samples",
    "streaming",
    "validation_split_percentage",
    "overwrite_cache",
    "preprocessing_num_workers",
    "keep_linebreaks",
    "mlm_probability",
    "fim_*",
    "pad_to_max_length",
    "ignore_mismatched_sizes",
    "language",
    "train_language",
    "do_lower_case",
    "do_regression",
    "shuffle_*",
    "metric_name",
    "text_column*",
    "label_column*",
    "summary_column",
    "remove_*",
    "label_all_tokens",
    "return_entity_level_metrics",
    "doc_stride",
    "n_best_size",
    "max_answer_length",
    "null_score_diff_threshold",
    "version_2_with_negative",
    "source_prefix",
    "source_lang",
    "target_lang",
    "lang",
    "forced_bos_token",
    "ignore_pad_token_for_loss",
    "val_max_target_length",
    "num_beams",
    "generation_*",
    "sortish_sampler",
];

pub(super) const FORMAT: Format = Format {
    name: "transformers-examples",
    rows: &[ROWS, trainer::ROWS, LOADER, FSDP],
    without_memory: &[WITHOUT_MEMORY, trainer::WITHOUT_MEMORY, FSDP_WITHOUT_MEMORY],
    telling: &[],
    finish,
    syntax: Syntax::Arguments,
    phrases: &[],
};

/// The name of a published example, where a program is one that is known.
pub(super) fn named(program: &str) -> Option<&'static str> {
    let file = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let stem = file.strip_suffix(".py")?;
    let found = EXAMPLES.iter().find(|(name, ..)| *name == stem);
    found.map(|(name, ..)| *name)
}

fn finish(said: &Said, job: &mut Job) {
    let program = said.word("program").unwrap_or_default();
    let Some((name, task, longest, keeps)) = EXAMPLES.iter().find(|(name, ..)| *name == program)
    else {
        return;
    };
    let (name, keeps) = (*name, *keeps);
    if let Some(model) = said.first(&["model_name_or_path", "config_name"]) {
        job.set("model", model.clone());
    }
    if let Some(task) = task {
        job.set("task", *task);
    }
    weights(said, job);
    hugging_face::attention(said, "attn_implementation", job);
    trainer::arguments(said, job, false);
    job.assume("seq_len", *longest, SOURCE);
    if keeps == Keeps::Generated {
        job.assume("target_seq_len", 128, SOURCE);
    }
    let blocks = ["run_clm", "run_fim", "run_mlm"].contains(&name);
    if blocks && !said.is_on("line_by_line") {
        // Texts are joined and cut into blocks (`group_texts`), of which none is padded.
        job.assume("padding_mask", false, SOURCE);
    }
    evaluation(said, keeps, job);
}

/// The weights have the dtype of the model's file, or are made from a config alone.
fn weights(said: &Said, job: &mut Job) {
    hugging_face::dtype(said, &["dtype", "torch_dtype"], job);
    let loads = said.has("model_name_or_path");
    if job.loaded.is_some() {
        return;
    }
    let dtype = if loads { hub::dtype_of(job) } else { "fp32" };
    job.loaded = Some(dtype);
    job.assumed.push(Assumed {
        key: "weights".to_owned(),
        value: dtype.into(),
        source: LOADING,
    });
}

/// An evaluation between the steps keeps what the script's metrics are computed of.
fn evaluation(said: &Said, keeps: Keeps, job: &mut Job) {
    let evaluates = job.get("evaluation.kind").is_some();
    if evaluates && keeps != Keeps::Generated {
        let computes = !said.is_on("prediction_loss_only");
        hugging_face::predictions(computes, keeps == Keeps::Tokens, job);
    }
    if !evaluates {
        // Generation after the training takes no part in it.
        job.give_up(said, "predict_with_generate", Matters::No);
    }
}

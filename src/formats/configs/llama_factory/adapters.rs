//! LLaMA-Factory's ways of fine-tuning: the weights that it trains, and how the others are held.

use super::SOURCE;
use crate::configs::hub;
use crate::configs::job::{Differs, Job, Matters, Note};
use crate::configs::row::Lack;
use crate::configs::said::Said;
use crate::configs::trained::Trained;
use crate::configs::value;

/// The PEFT that LLaMA-Factory 0.9.5 allows.
const PEFT: &str = "peft>=0.18.0,<=0.18.1, pyproject.toml, LLaMA-Factory 0.9.5";

fn targets(said: &Said, key: &str, job: &mut Job) {
    let targets = said.list(key);
    if targets.is_empty() || targets == ["all"] || targets == ["all-linear"] {
        job.set("lora.target_modules", vec!["all-linear"]);
    } else {
        job.set("lora.target_modules", targets);
    }
}

/// Takes LoRA for `OFTConfig` (peft 0.21). A layer of n inputs, in blocks of b, has n (b - 1) / 2 trained numbers; LoRA
/// of rank r has 2 r n where it has as many outputs.
fn rotations(said: &Said, job: &mut Job) {
    let hidden = job
        .get("model")
        .and_then(|model| job.models.hidden_size(model));
    let rank = said.count("oft_rank").filter(|rank| *rank > 0);
    let block = match (rank, hidden) {
        (Some(rank), Some(hidden)) => hidden / rank,
        _ => said.count("oft_block_size").unwrap_or(32),
    };
    job.set("lora.r", block.saturating_sub(1).div_ceil(4).max(1));
    job.set("lora.dropout", 0.0);
    let (framework, how) = ("OFT", Differs::Rotations);
    job.notes.push(Note::Differs { framework, how });
}

/// `_setup_freeze_tuning` (`model/adapter.py`): trains some layers whole, by default the last two.
fn freeze(said: &Said, job: &mut Job) {
    let modules = said.list("freeze_trainable_modules");
    let extra = said.list("freeze_extra_modules");
    if !(modules.is_empty() || modules == ["all"]) || !extra.is_empty() {
        return job.forgo("frozen", Lack::Frozen);
    }
    let count = said.get("freeze_trainable_layers").and_then(value::text);
    let count = count.unwrap_or_default();
    let (first, count) = match count.trim().strip_prefix('-') {
        Some(count) => (true, count),
        None => (false, count.trim()),
    };
    let layers = count.parse().unwrap_or(2);
    if !said.is_on("pure_bf16") && job.mixed.is_some() {
        let (framework, how) = ("LLaMA-Factory", Differs::FrozenHalf);
        job.notes.push(Note::Differs { framework, how });
    }
    job.trained
        .push(match (said.is_on("use_llama_pro"), first) {
            (true, _) => Trained::Spread(layers),
            (_, true) => Trained::First(layers),
            (_, false) => Trained::Last(layers),
        });
}

/// The dtype of 16 bits in which a model is loaded whose precision no file says.
fn in_half(job: &Job) -> &'static str {
    if hub::dtype_of(job) == "bf16" {
        "bf16"
    } else {
        "fp16"
    }
}

/// `model/adapter.py` and `model_utils/quantization.py`.
pub(super) fn set(said: &Said, job: &mut Job) {
    let kind = said
        .word("finetuning_type")
        .unwrap_or_else(|| "lora".to_owned());
    match kind.as_str() {
        "lora" => {
            job.assume("lora.r", 8, SOURCE);
            job.assume("lora.dropout", 0.0, SOURCE);
            targets(said, "lora_target", job);
            job.names_layers_alone = Some(PEFT);
        }
        "oft" => {
            rotations(said, job);
            targets(said, "oft_target", job);
        }
        "full" => job.remove("lora"),
        _ => {
            job.remove("lora");
            freeze(said, job);
        }
    }
    // Loaded in the dtype of computation; trained parameters are float32 again, unless they are to stay
    // (`init_adapter`).
    let pure = said.is_on("pure_bf16");
    job.loaded = Some(match job.mixed {
        Some(half) => half.name(),
        None if pure => "bf16",
        None if kind == "full" => "fp32",
        // The dtype of the file, or fp16 where that is none of 16 bits (`infer_optim_dtype` in `extras/misc.py`, 0.9.5).
        None => in_half(job),
    });
    job.upcasts = !pure;
    let Some(bits) = said.count("quantization_bit") else {
        return;
    };
    let method = said.word("quantization_method");
    if !matches!(method.as_deref(), None | Some("bnb" | "bitsandbytes")) || ![4, 8].contains(&bits)
    {
        job.give_up(said, "quantization_bit", Matters::Yes(Lack::Quantization));
        return;
    }
    if bits == 4 {
        let kind = said.word("quantization_type");
        job.set(
            "quantization.type",
            kind.unwrap_or_else(|| "nf4".to_owned()),
        );
        job.set(
            "quantization.double",
            said.flag("double_quantization").unwrap_or(true),
        );
    } else {
        job.set("quantization.type", "int8");
    }
    let dtype = job.loaded.unwrap_or("fp32");
    job.set("quantization.compute_dtype", dtype);
    job.set("quantization.prepare_for_kbit_training", false);
}

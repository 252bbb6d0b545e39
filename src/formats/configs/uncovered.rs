//! Tools that are known and not covered, and files of known frameworks that train nothing: told by keys, by the
//! program that a script starts, or by what a source calls.

use super::refused::{Instead, NoJob, Unread};
use super::said::Said;

use Instead::{Generators, Gpt2, NotPyTorch, Scenario, Vision};

/// A tool and the alternative to it.
pub(super) type Tool = (&'static str, Instead);

pub(super) const DIFFUSERS: Tool = ("diffusers", Generators);
const KOHYA: Tool = ("kohya's sd-scripts", Generators);
pub(super) const ULTRALYTICS: Tool = ("Ultralytics YOLO", Vision);
pub(super) const NNUNET: Tool = ("nnU-Net", Vision);
const NANOGPT: Tool = ("nanoGPT", Gpt2);
const ONE_TRAINER: Tool = ("OneTrainer", Generators);
const AI_TOOLKIT: Tool = ("ai-toolkit", Generators);
const SIMPLE_TUNER: Tool = ("SimpleTuner", Generators);
const DIFFSYNTH: Tool = ("DiffSynth-Studio", Generators);
const DIFFUSION_PIPE: Tool = ("diffusion-pipe", Generators);
const NEMO: Tool = ("NeMo", Scenario);
const NANOTRON: Tool = ("nanotron", Scenario);
const GPT_NEOX: Tool = ("GPT-NeoX", Scenario);
const FOUNDRY: Tool = ("LLM Foundry", Scenario);
const COMPOSER: Tool = ("Composer", Scenario);
const FAIRSEQ: Tool = ("fairseq", Scenario);
const DETECTRON: Tool = ("detectron2", Vision);
const OPEN_MMLAB: Tool = ("OpenMMLab", Vision);
pub(super) const TENSORFLOW: Tool = ("TensorFlow", NotPyTorch);
pub(super) const KERAS: Tool = ("Keras", NotPyTorch);
const MAXTEXT: Tool = ("MaxText (JAX)", NotPyTorch);
pub(super) const JAX: Tool = ("JAX", NotPyTorch);
const SWIFT_MEGATRON: Tool = ("ms-swift's Megatron", Scenario);
const VERL_MEGATRON: Tool = ("verl's Megatron", Scenario);

const fn tool((framework, instead): Tool) -> Unread {
    Unread::Other { framework, instead }
}

/// Keys that all have to be there; one that ends in a dot or a star matches all keys with that prefix.
const KEYS: &[(&[&str], Tool)] = &[
    (&["model.model_config."], NANOTRON),
    (&["pipe_parallel_size"], GPT_NEOX),
    (&["exp_manager."], NEMO),
    (&["trainer.accelerator"], NEMO),
    (&["actor_rollout_ref.actor.megatron."], VERL_MEGATRON),
    (&["max_duration"], FOUNDRY),
    (&["pretrained_model_name_or_path", "network_module"], KOHYA),
    (&["pretrained_model_name_or_path", "optimizer_type"], KOHYA),
    (&["pretrained_model_name_or_path", "unet_lr"], KOHYA),
    (&["network_arguments."], KOHYA),
    (&["job", "config.process"], AI_TOOLKIT),
    (
        &["pretrained_model_name_or_path", "data_backend_config"],
        SIMPLE_TUNER,
    ),
    (&["lora_type", "data_backend_config"], SIMPLE_TUNER),
    (&["training_method", "base_model_name"], ONE_TRAINER),
    (&["model.diffusers_path"], DIFFUSION_PIPE),
    (&["adapter.type", "model.type", "dataset"], DIFFUSION_PIPE),
    (&["imgsz", "batch"], ULTRALYTICS),
    (&["imgsz", "epochs"], ULTRALYTICS),
    (&["anchors", "backbone"], ULTRALYTICS),
    (&["MODEL.META_ARCHITECTURE"], DETECTRON),
    (&["SOLVER.", "MODEL."], DETECTRON),
    (&["base_emb_dim", "base_num_decoder_layers"], MAXTEXT),
    (&["per_device_batch_size", "max_target_length"], MAXTEXT),
];

/// Keys of known frameworks' files that train nothing.
const IDLE: &[(&[&str], NoJob)] = &[
    (&["peft_config.export_dir"], NoJob::Export),
    (&["provider", "image"], NoJob::Cloud),
    (&["provider", "gpu"], NoJob::Cloud),
    (&["secrets", "gpu"], NoJob::Cloud),
];

/// A tool, or a file without a job, that a tree's keys tell.
pub(super) fn keys(said: &Said) -> Option<Unread> {
    let has = |mark: &&str| match mark.strip_suffix('*') {
        Some(start) => said.has_within(start),
        None if mark.ends_with('.') => said.has_within(mark),
        None => said.has(mark),
    };
    let found = KEYS.iter().find(|(marks, _)| marks.iter().all(has));
    if let Some((_, own)) = found {
        return Some(tool(*own));
    }
    let found = IDLE.iter().find(|(marks, _)| marks.iter().all(has));
    if let Some((_, what)) = found {
        return Some(Unread::NoJob(*what));
    }
    idle(said).map(Unread::NoJob)
}

/// A file of LLaMA-Factory or of torchtune without a trainer's keys, or a list of tokens with the meaning of each.
fn idle(said: &Said) -> Option<NoJob> {
    let trains = [
        "do_train",
        "stage",
        "per_device_train_batch_size",
        "learning_rate",
    ];
    let trains = trains.iter().any(|key| said.has(key));
    let model = said.has("model_name_or_path");
    if model && !trains && said.has("export_dir") {
        return Some(NoJob::Export);
    }
    if model && !trains && said.has("template") && said.has("infer_backend") {
        return Some(NoJob::Inference);
    }
    let recipe = said.has_within("model._component_") && said.has_within("checkpointer.");
    if recipe && !said.has_within("optimizer") {
        if said.has("tasks") {
            return Some(NoJob::Evaluation);
        }
        if said.has_within("quantizer.") {
            return Some(NoJob::Quantization);
        }
        if said.has("max_new_tokens") {
            return Some(NoJob::Inference);
        }
    }
    let token = |key: &str| key.starts_with('<') && key.ends_with('>');
    let all = !said.entries.is_empty() && said.entries.iter().all(|entry| token(&entry.key));
    all.then_some(NoJob::Tokens)
}

/// Programs, by the first word of a command that is one of them.
const PROGRAMS: &[(&str, Tool)] = &[
    ("yolo", ULTRALYTICS),
    ("nnUNetv2_train", NNUNET),
    ("nnUNet_train", NNUNET),
    ("fairseq-train", FAIRSEQ),
    ("fairseq-hydra-train", FAIRSEQ),
    ("simpletuner", SIMPLE_TUNER),
    ("composer", COMPOSER),
    ("automodel", NEMO),
    ("deepy.py", GPT_NEOX),
];

/// Parts of the path or the module of a script that a command starts.
const SCRIPTS: &[(&str, Tool)] = &[
    ("train_dreambooth", DIFFUSERS),
    ("train_text_to_image", DIFFUSERS),
    ("train_controlnet", DIFFUSERS),
    ("train_instruct_pix2pix", DIFFUSERS),
    ("train_unconditional", DIFFUSERS),
    ("train_custom_diffusion", DIFFUSERS),
    ("train_cogvideox", DIFFUSERS),
    ("train_t2i_adapter", DIFFUSERS),
    ("train_lcm_distill", DIFFUSERS),
    ("textual_inversion", DIFFUSERS),
    ("train_network.py", KOHYA),
    ("sdxl_train", KOHYA),
    ("sd3_train", KOHYA),
    ("flux_train", KOHYA),
    ("train_textual_inversion", KOHYA),
    ("wan_train_network", KOHYA),
    ("hv_train_network", KOHYA),
    ("qwen_image_train", KOHYA),
    ("nnunetv2.run", NNUNET),
    ("maxtext", MAXTEXT),
    ("megatron_gpt_pretraining", NEMO),
    ("megatron_gpt_finetuning", NEMO),
    ("llm-foundry", FOUNDRY),
    ("llmfoundry", FOUNDRY),
    ("nanogpt", NANOGPT),
    ("train_gpt2.py", NANOGPT),
    ("lazyconfig_train_net", DETECTRON),
    ("plain_train_net", DETECTRON),
    ("train_net.py", DETECTRON),
    ("tools/dist_train.sh", OPEN_MMLAB),
    ("mmdet", OPEN_MMLAB),
    ("mmseg", OPEN_MMLAB),
    ("mmpretrain", OPEN_MMLAB),
    ("yolov5", ULTRALYTICS),
    ("yolov7", ULTRALYTICS),
    ("onetrainer", ONE_TRAINER),
    ("ai-toolkit", AI_TOOLKIT),
    ("simpletuner", SIMPLE_TUNER),
    ("diffsynth", DIFFSYNTH),
    ("model_training/train.py", DIFFSYNTH),
    ("diffusion-pipe", DIFFUSION_PIPE),
    ("fairseq", FAIRSEQ),
    ("nanotron", NANOTRON),
    ("gpt-neox", GPT_NEOX),
];

/// Options of a script of any name, all of which have to be there.
const OPTIONS: &[(&[&str], Tool)] = &[
    (
        &["--pretrained_model_name_or_path", "--instance_prompt"],
        DIFFUSERS,
    ),
    (
        &["--pretrained_model_name_or_path", "--resolution"],
        DIFFUSERS,
    ),
    (
        &["--pretrained_model_name_or_path", "--network_module"],
        KOHYA,
    ),
    (
        &["--pretrained_model_name_or_path", "--dataset_config"],
        KOHYA,
    ),
    (
        &["--pretrained_model_name_or_path", "--cache_latents"],
        KOHYA,
    ),
    (
        &["--pretrained_model_name_or_path", "--instance_data_dir"],
        DIFFUSERS,
    ),
    (&["--imgsz", "--weights"], ULTRALYTICS),
    (&["--img", "--weights"], ULTRALYTICS),
    (&["--model_id_with_origin_paths"], DIFFSYNTH),
    (&["--n_layer", "--n_head", "--block_size"], NANOGPT),
    (
        &["actor_rollout_ref.actor.strategy=megatron"],
        VERL_MEGATRON,
    ),
    (&["--config-name=ppo_megatron_trainer.yaml"], VERL_MEGATRON),
    (&["--config-name=ppo_megatron_trainer"], VERL_MEGATRON),
];

/// Ends of names of Python sources.
const PYTHON: [&str; 1] = [".py"];

/// A tool that some command of a script starts.
pub(super) fn commands(commands: &[Vec<String>]) -> Option<Unread> {
    commands.iter().find_map(|words| command(words)).map(tool)
}

fn command(words: &[String]) -> Option<Tool> {
    let first = words.first()?;
    let first = first.rsplit('/').next().unwrap_or(first);
    let any = |part: &str| words.iter().any(|word| word.contains(part));
    if let Some((_, own)) = PROGRAMS.iter().find(|(program, _)| *program == first) {
        return Some(if any("yamls/") { FOUNDRY } else { *own });
    }
    match first {
        "megatron" => return Some(SWIFT_MEGATRON),
        "mim" => return Some(OPEN_MMLAB),
        _ => {}
    }
    let script = script(words)?.to_ascii_lowercase();
    if let Some((_, own)) = SCRIPTS.iter().find(|(part, _)| script.contains(part)) {
        return Some(*own);
    }
    let source = |folder: &str| {
        let mut files = words.iter().filter(|word| word.starts_with(folder));
        files.any(|file| PYTHON.iter().any(|end| file.ends_with(end)))
    };
    if script.ends_with("tools/train.py") && source("configs/") {
        return Some(OPEN_MMLAB);
    }
    if script.ends_with("train.py") && source("config/") {
        return Some(NANOGPT);
    }
    let has = |option: &&str| {
        let mut words = words.iter();
        words.any(|word| word == option || word.split('=').next() == Some(*option))
    };
    let found = OPTIONS.iter().find(|(options, _)| options.iter().all(has));
    found.map(|(_, own)| *own)
}

/// The script or module that a command starts.
fn script(words: &[String]) -> Option<&str> {
    let module = words
        .iter()
        .position(|word| word == "-m" || word == "--module");
    let after = module.and_then(|at| words.get(at + 1));
    let ends = [".py", ".sh"];
    let file = || {
        words
            .iter()
            .find(|word| ends.iter().any(|end| word.ends_with(end)))
    };
    after.or_else(file).map(String::as_str)
}

/// Calls and imports of sources, each of one tool.
const CALLS: &[(&str, Tool)] = &[
    ("from ultralytics", ULTRALYTICS),
    ("YOLO(", ULTRALYTICS),
    ("imgsz=", ULTRALYTICS),
    ("StableDiffusionPipeline", DIFFUSERS),
    ("StableDiffusionXLPipeline", DIFFUSERS),
    ("UNet2DConditionModel", DIFFUSERS),
    ("FluxPipeline", DIFFUSERS),
    ("import detectron2", DETECTRON),
    ("from detectron2", DETECTRON),
    ("from mmengine", OPEN_MMLAB),
    ("from composer", COMPOSER),
    ("from fairseq", FAIRSEQ),
    ("import tensorflow", TENSORFLOW),
    ("from tensorflow", TENSORFLOW),
    ("import keras", KERAS),
    ("from keras", KERAS),
    ("import jax", JAX),
    ("from flax", JAX),
    ("import nemo_run", NEMO),
    ("from nemo", NEMO),
];

/// nanoGPT's sizes, one of which is alone on a line of its Python configurations.
const NANOGPT_SIZES: [&str; 4] = ["block_size", "n_layer", "n_head", "n_embd"];

/// Why a text is not read: it is a source of a tool, where nothing else says what it is.
pub(super) fn or_source(why: Unread, text: &str) -> Unread {
    let open = matches!(why, Unread::Unknown | Unread::Broken { .. });
    let told = source(text).filter(|_| open);
    told.unwrap_or(why)
}

/// A tool that a Python source uses, or whose Python configuration it is.
fn source(text: &str) -> Option<Unread> {
    if let Some((_, own)) = CALLS.iter().find(|(call, _)| text.contains(call)) {
        return Some(tool(*own));
    }
    let assigned = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once('='));
        lines.any(|(key, _)| key.trim() == name)
    };
    let sizes = NANOGPT_SIZES.iter().filter(|name| assigned(name)).count();
    let alone = !text.contains("import ") && assigned("batch_size");
    (sizes >= 3 || sizes >= 1 && alone).then(|| tool(NANOGPT))
}

//! Jobs of LLaMA-Factory's second format, ms-swift, verl, `OpenRLHF` and transformers' examples, written after their
//! documentation, and tools that are named as not covered.

use highwater::ask::Severity;
use highwater::codec::{Job, JobFile, Known, Said, read_job};
use highwater::configs::{Differs, File, Instead, Matters, NoJob, Note, Unread, import};
use serde_json::{Map, Value, json};

/// Jobs with their format, some settings that they make, and the keys that no scenario can say.
const FIXTURES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/fixtures/inputs/configs/more_formats.jsonl"
);

fn cases() -> Vec<Value> {
    let text = std::fs::read_to_string(FIXTURES).expect("the fixtures");
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let cases = lines.map(|line| serde_json::from_str(line).expect("JSON"));
    cases.collect()
}

fn read(text: &str) -> Job {
    let file = JobFile {
        name: "job".to_owned(),
        text: text.to_owned(),
    };
    read_job(&[file], &[]).unwrap_or_else(|why| panic!("{why:?} of {text}"))
}

fn refused(text: &str) -> Unread {
    let file = File { name: "job", text };
    import(&[file], &Map::new(), &Known)
        .expect_err("a job that is not covered")
        .1
}

/// A leaf of a tree at a dotted path.
fn at<'a>(tree: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(tree, |node, part| &node[part])
}

/// How a job is not what its example says.
fn differences(case: &Value) -> Vec<String> {
    let job = read(case["text"].as_str().expect("a text"));
    let mut found = Vec::new();
    let kind = job.read.kinds.join("+");
    if case["kind"] != kind.as_str() {
        found.push(format!("the kind is {kind}"));
    }
    for (path, wanted) in case["sets"].as_object().expect("settings") {
        let own = at(&job.read.scenario, path);
        if own != wanted {
            found.push(format!("{path} is {own}, not {wanted}"));
        }
    }
    let keys = |matters: fn(&Matters) -> bool| {
        let ignored = job.read.ignored.iter();
        let keys = ignored.filter(|own| matters(&own.matters));
        json!(keys.map(|own| own.key.as_str()).collect::<Vec<_>>())
    };
    let unknown = keys(|own| matches!(own, Matters::Maybe | Matters::Value));
    let lacking = keys(|own| matches!(own, Matters::Yes(_)));
    if unknown != json!([]) {
        found.push(format!("unknown: {unknown}"));
    }
    if lacking != case["lacking"] {
        found.push(format!("lacking: {lacking}"));
    }
    for said in &job.said {
        if let Said::Finding(finding) = said
            && finding.severity == Severity::Error
        {
            found.push(format!("refused: {}", finding.key));
        }
    }
    found
}

#[test]
fn each_example_sets_what_its_trainer_would_do() {
    let mut wrong = Vec::new();
    for case in cases() {
        let found = differences(&case);
        if !found.is_empty() {
            wrong.push(format!("{}\n{}", case["text"], found.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_format_has_eight_examples() {
    for format in [
        "llama-factory-v1",
        "ms-swift",
        "verl",
        "openrlhf",
        "transformers-examples",
    ] {
        let own = |case: &Value| {
            let kind = case["kind"].as_str().unwrap_or_default();
            kind.split('+').next() == Some(format)
        };
        let count = cases().iter().filter(|case| own(case)).count();
        assert!(count >= 8, "{count} examples of {format}");
    }
}

#[test]
fn a_framework_that_trains_otherwise_is_told_apart() {
    let tells = |text: &str, wanted: Differs| {
        let job = read(text);
        let mut notes = job.read.notes.iter();
        notes.any(|note| matches!(note, Note::Differs { how, .. } if *how == wanted))
    };
    let grpo = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct";
    let with_reference = format!("{grpo} actor_rollout_ref.actor.use_kl_loss=True");
    assert!(tells(grpo, Differs::AllIn16Bits));
    assert!(tells(grpo, Differs::Rollout));
    assert!(!tells(grpo, Differs::HostReference));
    assert!(tells(&with_reference, Differs::HostReference));
    assert!(!tells(grpo, Differs::Critic));
    let ppo =
        "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct";
    assert!(tells(ppo, Differs::Critic));
    let v1 = "model: Qwen/Qwen3-4B\nmodel_class: llm\ndist_config:\n  name: fsdp2\n";
    assert!(tells(v1, Differs::TwoLosses));
}

#[test]
fn an_unknown_key_of_each_format_is_listed() {
    for text in [
        "model: Qwen/Qwen3-4B\nmodel_class: llm\nno_such_key: 1\n",
        "swift sft --model Qwen/Qwen2.5-7B-Instruct --train_type lora --no_such_key 1",
        "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen2.5-7B no_such_key=1",
        "deepspeed --module openrlhf.cli.train_sft --pretrain Qwen/Qwen2.5-7B --no_such_key 1",
    ] {
        let job = read(text);
        let mut unknown = job.read.ignored.iter();
        let told =
            unknown.any(|own| own.key.contains("no_such_key") && own.matters == Matters::Maybe);
        assert!(told, "{text}");
    }
}

#[test]
fn several_gpus_of_one_process_divide_layers_which_is_told() {
    let swift = "swift sft --model Qwen/Qwen2.5-7B-Instruct --train_type lora --max_length 512";
    let alone = read(&format!("CUDA_VISIBLE_DEVICES=0,1 {swift}"));
    assert_eq!(at(&alone.read.scenario, "hardware.gpus_per_node"), 1);
    let mut ignored = alone.read.ignored.iter();
    assert!(ignored.any(|own| own.key == "device_map" && matches!(own.matters, Matters::Yes(_))));
    let both = read(&format!(
        "NPROC_PER_NODE=2 CUDA_VISIBLE_DEVICES=0,1 {swift}"
    ));
    assert_eq!(at(&both.read.scenario, "hardware.gpus_per_node"), 2);
    assert_eq!(at(&both.read.scenario, "parallelism.dp.kind"), "ddp");
}

#[test]
fn a_mesh_without_a_number_of_gpus_has_the_fewest() {
    let mesh = "base_model: NousResearch/Llama-3.2-1B\nsequence_len: 1024\ndatasets: []\nnum_epochs: 1\ndp_shard_size: 4\ntensor_parallel_size: 2\nfsdp_config:\n  fsdp_version: 2\n";
    let job = read(mesh);
    assert_eq!(at(&job.read.scenario, "hardware.gpus_per_node"), 8);
    let least = Note::LeastGpus { gpus: 8 };
    assert!(job.read.notes.contains(&least), "{:?}", job.read.notes);
    assert!(!job.read.notes.contains(&Note::NoGpus));
    let alone = mesh.replace(
        "dp_shard_size: 4\ntensor_parallel_size: 2",
        "dp_shard_size: 1\ndp_replicate_size: 1",
    );
    let job = read(&alone);
    assert_eq!(job.scenario.hardware.gpus_per_node, 1);
    assert!(highwater::report::estimate(&job.scenario).is_ok());
}

/// Commands, configurations and sources of tools, and the alternative to each.
const TOOLS: &[(&str, &str, Instead)] = &[
    (
        "accelerate launch train_dreambooth_lora_sdxl.py --pretrained_model_name_or_path=stabilityai/stable-diffusion-xl-base-1.0 --resolution=1024 --train_batch_size=1",
        "diffusers",
        Instead::Generators,
    ),
    (
        "accelerate launch --mixed_precision=fp16 train_text_to_image.py --pretrained_model_name_or_path=$MODEL --use_ema --resolution=512",
        "diffusers",
        Instead::Generators,
    ),
    (
        "accelerate launch sdxl_train_network.py --pretrained_model_name_or_path=base.safetensors --network_module=networks.lora --network_dim=32",
        "kohya's sd-scripts",
        Instead::Generators,
    ),
    (
        "pretrained_model_name_or_path = \"base.safetensors\"\nnetwork_module = \"networks.lora\"\nnetwork_dim = 16\ntrain_batch_size = 2\n",
        "kohya's sd-scripts",
        Instead::Generators,
    ),
    (
        "yolo train model=yolo11n.pt data=coco8.yaml imgsz=640 batch=16",
        "Ultralytics YOLO",
        Instead::Vision,
    ),
    (
        "from ultralytics import YOLO\nmodel = YOLO(\"yolo11n.pt\")\nmodel.train(data=\"coco8.yaml\", epochs=100, imgsz=640)\n",
        "Ultralytics YOLO",
        Instead::Vision,
    ),
    (
        "results = model.train(data=\"coco8.yaml\", epochs=3, imgsz=1280, batch=2)\n",
        "Ultralytics YOLO",
        Instead::Vision,
    ),
    (
        "python train.py --img 640 --batch 16 --epochs 3 --data coco128.yaml --weights yolov5s.pt",
        "Ultralytics YOLO",
        Instead::Vision,
    ),
    ("nnUNetv2_train 4 3d_fullres 0", "nnU-Net", Instead::Vision),
    (
        "CUDA_VISIBLE_DEVICES=0 nnUNetv2_train 4 2d 1 --npz",
        "nnU-Net",
        Instead::Vision,
    ),
    (
        "torchrun --standalone --nproc_per_node=8 train.py config/train_gpt2.py",
        "nanoGPT",
        Instead::Gpt2,
    ),
    (
        "batch_size = 12\nblock_size = 1024\ngradient_accumulation_steps = 5 * 8\nmax_iters = 600000\n",
        "nanoGPT",
        Instead::Gpt2,
    ),
    (
        "composer train/train.py train/yamls/pretrain/mpt-125m.yaml save_folder=mpt-125m",
        "LLM Foundry",
        Instead::Scenario,
    ),
    (
        "python tools/train.py configs/faster_rcnn/faster-rcnn_r50_fpn_1x_coco.py",
        "OpenMMLab",
        Instead::Vision,
    ),
    (
        "python tools/train_net.py --config-file configs/COCO-Detection/retinanet.yaml --num-gpus 8",
        "detectron2",
        Instead::Vision,
    ),
    (
        "fairseq-train data-bin/iwslt --arch transformer_iwslt_de_en --max-tokens 4096",
        "fairseq",
        Instead::Scenario,
    ),
    (
        "python3 -m MaxText.train MaxText/configs/base.yml per_device_batch_size=4",
        "MaxText (JAX)",
        Instead::NotPyTorch,
    ),
    (
        "import tensorflow as tf\nmodel.fit(x, y, batch_size=32)\n",
        "TensorFlow",
        Instead::NotPyTorch,
    ),
    (
        "NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen2.5-7B --tensor_model_parallel_size 4",
        "ms-swift's Megatron",
        Instead::Scenario,
    ),
    (
        "job: extension\nconfig:\n  name: my_lora\n  process:\n    - type: sd_trainer\n",
        "ai-toolkit",
        Instead::Generators,
    ),
    ("simpletuner train", "SimpleTuner", Instead::Generators),
    (
        "name: llama\nmax_duration: 10ba\nmodel:\n  name: hf_causal_lm\n",
        "LLM Foundry",
        Instead::Scenario,
    ),
];

#[test]
fn tools_that_are_not_covered_are_named() {
    for &(text, framework, instead) in TOOLS {
        assert_eq!(
            refused(text),
            Unread::Other { framework, instead },
            "{text}"
        );
    }
}

#[test]
fn files_that_train_nothing_are_named() {
    for (text, what) in [
        (
            "model: Qwen/Qwen3-4B\npeft_config:\n  name: lora\n  adapter_name_or_path: ./out\n  export_dir: ./merged\n",
            NoJob::Export,
        ),
        (
            "model_name_or_path: Qwen/Qwen3-4B\nadapter_name_or_path: saves/lora\ntemplate: qwen3\nexport_dir: merged\nexport_size: 5\n",
            NoJob::Export,
        ),
        (
            "model_name_or_path: Qwen/Qwen3-4B\ntemplate: qwen3\ninfer_backend: huggingface\n",
            NoJob::Inference,
        ),
        (
            "provider: modal\ngpu: h100\ngpu_count: 8\nmemory: 128\n",
            NoJob::Cloud,
        ),
        (
            "\"<|tool|>\": A call of a tool.\n\"<|end|>\": The end of it.\n",
            NoJob::Tokens,
        ),
    ] {
        assert_eq!(refused(text), Unread::NoJob(what), "{text}");
    }
}

#[test]
fn no_tool_is_named_where_a_job_is_read() {
    for text in [
        "python train.py --model_name_or_path Qwen/Qwen2.5-1.5B --per_device_train_batch_size 2 --max_length 512",
        "accelerate launch sft.py --model_name_or_path Qwen/Qwen2.5-1.5B --max_length 512",
        "torchrun --nproc_per_node 8 train.py --model_name_or_path Qwen/Qwen2.5-1.5B --max_length 512 --config configs/a.yaml",
    ] {
        let file = File { name: "job", text };
        assert!(import(&[file], &Map::new(), &Known).is_ok(), "{text}");
    }
}

//! Training scripts in Python, as the documentation of TRL, PEFT, transformers, accelerate, PyTorch and unsloth has
//! them: read as the job that they run, and each value that they compute is named.

use highwater::ask::Severity;
use highwater::codec::{Known, decode_json};
use highwater::configs::{File, Import, Matters, Unread, import};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/inputs/python");
/// Scripts with what they say.
const JOBS: &str = include_str!("fixtures/inputs/python/jobs.jsonl");

fn jobs() -> impl Iterator<Item = Value> {
    let lines = JOBS.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).expect("JSON"))
}

fn read(files: &[(&str, &str)]) -> Result<Import, (String, Unread)> {
    let files: Vec<File> = files
        .iter()
        .map(|&(name, text)| File { name, text })
        .collect();
    import(&files, &Map::new(), &Known)
}

/// Reads a script alone.
fn script(text: &str) -> Import {
    read(&[("train.py", text)]).unwrap_or_else(|why| panic!("{why:?} of {text}"))
}

/// The keys that are told for one of some reasons.
fn told(read: &Import, why: fn(&Matters) -> bool) -> Value {
    let told = read.ignored.iter().filter(|own| why(&own.matters));
    json!(told.map(|own| own.key.as_str()).collect::<Vec<_>>())
}

#[test]
fn every_script_is_read_as_it_was_meant() {
    assert!(jobs().count() >= 40);
    for job in jobs() {
        let names = job["files"].as_array().expect("files").iter();
        let names: Vec<&str> = names.filter_map(Value::as_str).collect();
        let texts = names.iter().map(|name| {
            let path = format!("{FOLDER}/{name}");
            std::fs::read_to_string(&path).expect(&path)
        });
        let texts: Vec<String> = texts.collect();
        let files = names.iter().copied().zip(texts.iter().map(String::as_str));
        let mut files: Vec<(&str, &str)> = files.collect();
        let one = read(&files).unwrap_or_else(|why| panic!("{why:?} of {names:?}"));
        assert_eq!(json!(one.kinds.join("+")), job["kind"], "{names:?}");
        assert_eq!(one.scenario, job["scenario"], "{names:?}");
        let assumed = one.assumed.iter().map(|own| own.key.as_str());
        assert_eq!(
            json!(assumed.collect::<Vec<_>>()),
            job["assumed"],
            "{names:?}"
        );
        let computed = told(&one, |why| *why == Matters::Computed);
        assert_eq!(computed, job["computed"], "{names:?}");
        let lacking = told(&one, |why| matches!(why, Matters::Yes(_) | Matters::Value));
        assert_eq!(lacking, job["lacking"], "{names:?}");
        let unknown = told(&one, |why| *why == Matters::Maybe);
        assert_eq!(unknown, job["unknown"], "{names:?}");
        let (_, findings) = decode_json(&one.scenario.to_string());
        // A name that is taken for the catalog's is told; nothing else is to be said.
        let mut refused = findings.iter();
        let refused = refused.find(|finding| finding.severity == Severity::Error);
        assert_eq!(refused, None, "{names:?}");
        files.reverse();
        let other = read(&files).expect("the same files");
        assert_eq!(one.scenario, other.scenario, "{names:?} in another order");
    }
}

#[test]
fn constants_and_simple_arithmetic_of_them_are_followed() {
    for (before, value, expected) in [
        ("", "512", 512),
        ("", "5_12", 512),
        ("", "8 * 4", 32),
        ("", "1024 ** 2", 1_048_576),
        ("", "4 // 2", 2),
        ("", "(1 + 2) * 3 - 1", 8),
        ("", "0x40", 64),
        ("", "2 << 9", 1024),
        ("", "-(-7)", 7),
        ("", "int(5e2)", 500),
        ("N = 256", "N * 2", 512),
        ("A = 3\nB = A\n", "B", 3),
        ("N: int = 7", "N", 7),
        ("A, B = 3, 4", "B", 4),
        ("A = B = 9", "B", 9),
        ("C = {'n': 5}", "C['n']", 5),
        ("C = dict(n=5)", "C['n']", 5),
        ("L = [3, 4]", "L[1]", 4),
        ("T = True", "6 if T else 7", 6),
        ("T = False", "6 if T else 7", 7),
        ("T = False\nN = 1\nif T:\n    N = 2", "N", 1),
        ("T = False\nif T:\n    N = 2\nelse:\n    N = 3", "N", 3),
        ("N = 4\nN = 4", "N", 4),
        ("class C:\n    n = 6", "C.n", 6),
        ("c = Namespace(n=8)", "c.n", 8),
        ("def train(n=11):\n    pass", "n", 11),
    ] {
        let text = format!("{before}\nargs = SFTConfig(max_length={value})\n");
        let read = script(&text);
        assert_eq!(read.scenario["seq_len"], expected, "{text}");
        assert_eq!(told(&read, |why| *why == Matters::Computed), json!([]));
    }
}

#[test]
fn a_value_that_is_computed_is_told_by_its_key() {
    for (before, value) in [
        ("", "length()"),
        ("", "x"),
        ("", "len(data) * 2"),
        ("", "int(os.environ['N'])"),
        ("N = 1\nN = 2", "N"),
        ("N = 1\nN += 2", "N"),
        ("for n in (1, 2):\n    pass", "n"),
        ("", "[n for n in (1, 2)][0]"),
        ("", "(lambda: 3)()"),
        ("", "f'{x}'"),
        ("", "1 // 0"),
        ("", "9223372036854775807 * 2 ** 9999"),
        ("a = b\nb = a", "a"),
    ] {
        let text =
            format!("{before}\nargs = SFTConfig(max_length={value}, learning_rate={value})\n");
        let read = script(&text);
        let computed = told(&read, |why| *why == Matters::Computed);
        assert_eq!(computed, json!(["SFTConfig.max_length"]), "{text}");
        assert_eq!(
            told(&read, |why| *why == Matters::No),
            json!(["SFTConfig.learning_rate"])
        );
        assert_eq!(read.scenario["seq_len"], 1024, "{text}");
    }
}

#[test]
fn a_command_line_counts_more_than_the_defaults_of_its_script() {
    let script = "parser.add_argument('--max-len', type=int, default=128)\n\
                  parser.add_argument('--flash', action='store_true')\n\
                  args = parser.parse_args()\n\
                  config = SFTConfig(max_length=args.max_len, packing=args.flash)\n";
    let with = |command: &str| {
        let files = [("train.py", script), ("run.sh", command)];
        read(&files).expect("a job")
    };
    for (command, length, packed) in [
        ("python train.py", 128, false),
        ("python train.py --max-len 256", 256, false),
        ("python src/train.py --max-len=256 --flash", 256, true),
        (
            "torchrun --nproc_per_node 2 train.py --max-len 64",
            64,
            false,
        ),
    ] {
        let read = with(command);
        let one = if packed { 8 * length } else { length };
        assert_eq!(read.scenario["seq_len"], one, "{command}");
        assert_eq!(read.scenario["packing"].is_object(), packed, "{command}");
    }
    let unknown = told(&with("python train.py --max-len 3 --other 4"), |why| {
        *why == Matters::Maybe
    });
    assert_eq!(unknown, json!(["--other"]));
}

#[test]
fn tools_that_are_not_followed_are_named() {
    for (text, tool) in [
        (
            "from diffusers import StableDiffusionXLPipeline\n",
            "diffusers",
        ),
        (
            "from ultralytics import YOLO\nYOLO('yolo11n.pt').train(data='coco8.yaml')\n",
            "Ultralytics YOLO",
        ),
        (
            "results = model.train(data='coco.yaml', epochs=3, imgsz=640, batch=1)\n",
            "Ultralytics YOLO",
        ),
        (
            "import pytorch_lightning as pl\ntrainer = pl.Trainer(max_epochs=3)\n",
            "PyTorch Lightning",
        ),
    ] {
        let (_, why) = read(&[("train.py", text)]).expect_err("another tool");
        assert!(
            matches!(why, Unread::Other { framework, .. } if framework == tool),
            "{why:?} of {text}"
        );
    }
    let beside = "import tensorflow as tf\nargs = SFTConfig(max_length=64)\n";
    assert_eq!(script(beside).scenario["seq_len"], 64);
    let (_, why) = read(&[("train.py", "import os\nprint(os.getcwd())\n")]).expect_err("no job");
    assert_eq!(why, Unread::Unknown);
}

#[test]
fn other_files_are_not_taken_for_python() {
    for text in [
        "per_device_train_batch_size: 2\nnum_train_epochs: 1\n",
        "#!/bin/bash\nimport x.png y.png\npython train.py --per_device_train_batch_size 2\n",
        "torchrun --nproc_per_node 2 train.py --per_device_train_batch_size 2\n",
        "{\"per_device_train_batch_size\": 2, \"num_train_epochs\": 1}",
    ] {
        let read = read(&[("job", text)]).expect("a job");
        assert!(!read.kinds.contains(&"python"), "{text}");
        assert_eq!(read.scenario["micro_batch_size"], 2, "{text}");
    }
}

#[test]
fn scripts_of_any_shape_are_read_soon() {
    const LARGE: usize = 1 << 19;
    for piece in [
        "(",
        "SFTConfig(",
        "a={",
        "f(a, ",
        "1+",
        "a.",
        "[0]",
        "2**",
        "not ",
        "lambda ",
        "x for ",
        "if a:\n",
        "1 if ",
        "a, b = ",
        "\"",
        "f\"{",
        "m = get_peft_model(m, m)\n",
        "a = SFTConfig(max_length=a)\n",
        "if a.b:\n    a = b(b=a.b)\n",
        "a.b = 3\n",
        "a = [a, a]\n",
        "p.add_argument('--a')\n",
    ] {
        let text = format!(
            "a = SFTConfig(max_length=3)\n{}",
            piece.repeat(LARGE / piece.len())
        );
        let begun = Instant::now();
        let _ = read(&[("train.py", &text)]);
        assert!(
            begun.elapsed() < Duration::from_secs(2),
            "{piece:?} {:?}",
            begun.elapsed()
        );
    }
}

#[test]
fn adapters_without_names_are_those_that_peft_adapts_by_itself() {
    for (model, names) in [
        ("google-bert/bert-base-uncased", json!(["query", "value"])),
        ("openai-community/gpt2", json!(["c_attn"])),
        ("bigscience/bloom-560m", json!(["query_key_value"])),
        // As a scenario has it where it says nothing.
        ("Qwen/Qwen3-0.6B", Value::Null),
    ] {
        let text = format!(
            "model = AutoModel.from_pretrained('{model}')\nmodel = get_peft_model(model, LoraConfig(r=4))\n\
             trainer = Trainer(model=model, args=TrainingArguments('out'))\n"
        );
        let read = script(&text);
        assert_eq!(read.scenario["lora"]["target_modules"], names, "{model}");
    }
}

#[test]
fn metrics_decide_what_an_evaluation_keeps() {
    for (more, keeps) in [
        ("", false),
        (", compute_metrics=accuracy", true),
        (", compute_metrics=None", false),
        (
            ", compute_metrics=accuracy, preprocess_logits_for_metrics=largest",
            false,
        ),
    ] {
        let text = format!(
            "args = TrainingArguments('out', eval_strategy='steps')\n\
             trainer = Trainer(model='Qwen/Qwen3-0.6B', args=args{more})\n"
        );
        let evaluation = &script(&text).scenario["evaluation"];
        assert_eq!(evaluation["keep_predictions"], keeps, "{more}");
    }
}

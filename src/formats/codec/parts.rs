//! Takes apart one pasted text: the text of an issue, a log with the configuration below it.

use super::job::{JobFile, read_job};
use crate::inputs::{self, Input};

/// The parts of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// The text about a failure or a machine, and all other text that is no configuration.
    pub told: String,
    /// Configurations and command lines, in order.
    pub job: Vec<String>,
}

/// Whether a text is a training job's configuration or its command line.
fn is_of_a_job(text: &str) -> bool {
    let file = JobFile {
        name: String::new(),
        text: text.to_owned(),
    };
    read_job(&[file], &[]).is_ok_and(|job| !job.read.understood.is_empty())
}

/// Whether a text tells of a failure or of a machine.
pub(super) fn is_told(text: &str) -> bool {
    matches!(inputs::read(text), Input::Failure(_) | Input::Machine(_))
}

/// Takes a text apart. One that tells of nothing else, and has no fences, is a job's as a whole.
pub(super) fn parts(text: &str) -> Parts {
    if has_fences(text) {
        let fenced = of_fences(text);
        if !fenced.job.is_empty() {
            return fenced;
        }
    }
    // Comments of a configuration speak of failures that it avoids.
    if is_told(text) && (is_told(&without_comments(text)) || !is_of_a_job(text)) {
        let all: Vec<&str> = text.lines().collect();
        return of_lines(&all);
    }
    Parts {
        told: String::new(),
        job: vec![text.to_owned()],
    }
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

fn without_comments(text: &str) -> String {
    let lines = text.lines().filter(|line| !is_comment(line));
    let said = lines.map(|line| line.split_once(" #").map_or(line, |(said, _)| said));
    said.collect::<Vec<_>>().join("\n")
}

/// Marks of Markdown around code.
const FENCES: [&str; 2] = ["```", "~~~"];

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    FENCES.iter().any(|fence| line.starts_with(fence))
}

fn has_fences(text: &str) -> bool {
    text.lines().filter(|line| is_fence(line)).nth(1).is_some()
}

/// Takes apart the text of an issue: each block between fences is taken apart by itself, the rest is told.
fn of_fences(text: &str) -> Parts {
    let mut parts = Parts::default();
    let mut inside = false;
    let mut block: Vec<&str> = Vec::new();
    for line in text.lines() {
        if !is_fence(line) {
            block.push(line);
            continue;
        }
        parts.add(&block, inside);
        block.clear();
        inside = !inside;
    }
    parts.add(&block, inside);
    parts
}

impl Parts {
    fn add(&mut self, block: &[&str], is_code: bool) {
        let text = block.join("\n");
        if !is_code {
            self.tell(&text);
        } else if is_told(&text) {
            let Parts { told, job } = of_lines(block);
            self.tell(&told);
            self.job.extend(job);
        } else if is_of_a_job(&text) {
            self.job.push(text);
        } else {
            self.tell(&text);
        }
    }

    fn tell(&mut self, text: &str) {
        self.told.push_str(text);
        self.told.push('\n');
    }
}

/// Lines in runs: consecutive lines that look like settings or commands, and together are of a job, are one part.
fn of_lines(lines: &[&str]) -> Parts {
    let mut parts = Parts::default();
    let mut run: Vec<&str> = Vec::new();
    let mut goes_on = false;
    let mut brackets = 0;
    let mut key = false;
    for line in lines {
        let said = without_comments(line);
        let is_value = key && said.starts_with(' ') && said.split_whitespace().nth(1).is_none();
        let is_own = said.trim().is_empty() || is_setting(&said) || is_command(line);
        if (goes_on || is_value || is_own) && !is_told(&said) {
            run.push(line);
            key = said.trim_end().ends_with(':');
            brackets = (brackets + open_brackets(&said)).max(0);
            goes_on = brackets > 0 || line.trim_end().ends_with('\\');
        } else {
            parts.close(&mut run);
            parts.tell(line);
            (goes_on, key, brackets) = (false, false, 0);
        }
    }
    parts.close(&mut run);
    parts
}

/// The number of brackets of a list or of keys that a line opens and does not close.
fn open_brackets(line: &str) -> i32 {
    let of = |c: char| match c {
        '[' | '{' => 1,
        ']' | '}' => -1,
        _ => 0,
    };
    line.chars().map(of).sum()
}

impl Parts {
    /// A run of lines has ended.
    fn close(&mut self, run: &mut Vec<&str>) {
        let text = run.join("\n");
        run.clear();
        if !text.trim().is_empty() && is_of_a_job(&text) {
            self.job.push(text);
        } else {
            self.tell(&text);
        }
    }
}

/// Whether a line is one of YAML, JSON or TOML: `key: value`, `- item`, `"key": value`, `key = value`, a bracket.
fn is_setting(line: &str) -> bool {
    let line = line.trim();
    let item = line.strip_prefix("- ").map(str::trim);
    // An item of a list: `- o_proj`, `- axolotl.integrations.liger.LigerPlugin`.
    if item.is_some_and(|item| !item.is_empty() && !item.contains(char::is_whitespace)) {
        return true;
    }
    let line = item.unwrap_or(line);
    if line.starts_with(['{', '}', '[', ']', '"']) || line == "---" {
        // A launcher's prefix is none: `[rank3]: ...`.
        return !line.contains("]:");
    }
    let named = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-.".contains(c);
    let end = line.find(|c| !named(c)).unwrap_or(line.len());
    let (key, rest) = line.split_at(end);
    let begins = key.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    let assigned = rest.trim_start().strip_prefix("= ");
    let is_value = rest == ":" || rest.starts_with(": ") || assigned.is_some_and(is_of_toml);
    begins && is_value
}

/// Whether a value is one of TOML, and not the right side of a line of code: `self.pid = os.fork()`.
fn is_of_toml(value: &str) -> bool {
    let value = value.trim_start();
    let is_word = |word: &str| value.split_whitespace().next() == Some(word);
    let first = |c: char| c.is_ascii_digit() || "\"'[{+-".contains(c);
    value.starts_with(first) || ["true", "false", "inf", "nan"].into_iter().any(is_word)
}

/// Commands that start a job, or stand before those.
const COMMANDS: [&str; 15] = [
    "torchrun",
    "accelerate",
    "deepspeed",
    "python",
    "llamafactory-cli",
    "axolotl",
    "tune",
    "swift",
    "megatron",
    "srun",
    "sbatch",
    "bash",
    "trl",
    "export",
    "mpirun",
];

/// Whether a line is a command that starts a job, or one of its options.
fn is_command(line: &str) -> bool {
    let line = line.trim().trim_start_matches(['$', '%', '>']).trim_start();
    if line.starts_with("--") {
        return true;
    }
    let mut words = line.split_whitespace();
    let set = |word: &&str| {
        let (name, _) = word.split_once('=').unwrap_or_default();
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    let first = words.by_ref().find(|word| !set(word));
    let first = first.unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or_default();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    COMMANDS.contains(&name) && line.split_whitespace().nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: &str = "Traceback (most recent call last):\n  File \"train.py\", line 5, in <module>\n    trainer.train()\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 108.00 MiB. GPU 0 has a total capacity of 23.50 GiB of which 31.19 MiB is free. Of the allocated memory 23.10 GiB is allocated by PyTorch, and 120.00 MiB is reserved by PyTorch but unallocated.";
    const YAML: &str = "base_model: Qwen/Qwen2.5-1.5B\nsequence_len: 2048\nmicro_batch_size: 4\nadapter: lora\nlora_r: 16\nlora_target_linear: true\ndatasets:\n  - path: mine\n    type: alpaca";
    const COMMAND: &str = "CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node 2 train.py \\\n  --model_name_or_path Qwen/Qwen2.5-1.5B \\\n  --per_device_train_batch_size 4";

    #[test]
    fn an_error_and_a_job_are_told_apart_in_either_order() {
        for job in [YAML, COMMAND] {
            for text in [
                format!("{ERROR}\n{job}\n"),
                format!("{job}\n\n{ERROR}\n"),
                format!("### Config\n```yaml\n{job}\n```\nIt fails:\n```\n{ERROR}\n```\n"),
                format!("```\n{ERROR}\n\n{job}\n```\nand\n```sh\nls\n```"),
            ] {
                let parts = parts(&text);
                let jobs: Vec<&str> = parts.job.iter().map(|part| part.trim()).collect();
                assert_eq!(jobs, [job], "{text}");
                assert!(parts.told.contains("108.00 MiB"), "{}", parts.told);
            }
        }
    }

    #[test]
    fn comments_that_speak_of_failures_leave_a_configuration_whole() {
        let yaml = YAML.replace("adapter:", "# 8 gave CUDA OOM, exit code -9\nadapter:");
        let yaml = yaml.replace("lora_r: 16", "lora_r: 16 # more: CUDA out of memory");
        assert_eq!(parts(&yaml).job, [yaml.as_str()]);
        let failed = parts(&format!("{yaml}\n{ERROR}"));
        assert_eq!(failed.job.len(), 1, "{failed:?}");
        assert!(failed.job[0].contains("lora_target_linear"));
    }

    #[test]
    fn items_of_lists_are_settings_and_code_of_tracebacks_is_none() {
        for line in [
            "  - o_proj",
            "- axolotl.integrations.liger.LigerPlugin",
            "lr = 1e-4",
            "name = \"x\"",
        ] {
            assert!(is_setting(line), "{line}");
        }
        for line in ["    self.pid = os.fork()", "- it fails when I train", "-"] {
            assert!(!is_setting(line), "{line}");
        }
    }

    #[test]
    fn an_error_alone_is_told_and_a_job_alone_is_the_whole_text() {
        let told = parts(ERROR);
        assert!(told.job.is_empty() && told.told.contains("23.50 GiB"));
        assert_eq!(parts(YAML).job, [YAML]);
        let killed = parts("srun: error: node3: task 0: Out Of Memory\nslurmstepd: error: killed");
        assert!(killed.job.is_empty(), "{killed:?}");
    }
}

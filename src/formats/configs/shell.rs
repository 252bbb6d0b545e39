//! Scripts of a shell: what its variables hold, and the words of each command.
//!
//! Enough of it to follow scripts that start training: quotes, lines that go on behind a backslash, variables
//! with defaults, arrays. Nothing is ever run: what a command would print stays unknown.

use std::collections::HashMap;

/// The content of a script.
#[derive(Default)]
pub(super) struct Script {
    /// The words of each command.
    pub commands: Vec<Vec<String>>,
    /// The options of `#SBATCH` lines.
    pub sbatch: Vec<String>,
    /// Variables that are set, those of single commands included.
    pub variables: HashMap<String, Vec<String>>,
}

/// Programs that start training, or lines that ask for machines.
const MARKS: &[&str] = &[
    "trl sft",
    "trl dpo",
    "trl kto",
    "trl orpo",
    "trl cpo",
    "trl grpo",
    "trl reward",
    "torchrun",
    "accelerate launch",
    "deepspeed ",
    "torch.distributed",
    "#SBATCH",
    "srun ",
    "sbatch ",
    "salloc ",
    "tune run",
    "llamafactory-cli",
    "axolotl train",
    "./run_train.sh",
    "run_train.sh",
    "swift sft",
    "swift pt",
    "swift rlhf",
    "megatron sft",
    "megatron pt",
    "megatron rlhf",
    "ray job submit",
    "yolo train",
    "yolo detect",
    "yolo segment",
    "yolo pose",
    "yolo classify",
    "yolo task=",
    "yolo mode=",
    "nnUNetv2_train",
    "nnUNet_train",
    "fairseq-",
    "simpletuner ",
    "composer train",
    "automodel ",
    "mim train",
    "python ",
    "python3 ",
    "PYTORCH_CUDA_ALLOC_CONF=",
    "PYTORCH_ALLOC_CONF=",
    "CUDA_VISIBLE_DEVICES=",
    "NGPU=",
    "NPROC_PER_NODE=",
];

/// Letters that the values of all variables together may grow by.
const MOST_EXPANDED: usize = 1 << 20;

/// Whether some line begins with a program that starts training, or the whole is options of a command line.
pub(super) fn looks_like_script(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let bare = first.is_some_and(|line| line.starts_with("--") && !line.starts_with("---"));
    bare || text.starts_with("#!") || text.lines().any(is_command)
}

fn is_command(line: &str) -> bool {
    let line = line
        .trim_start()
        .trim_start_matches("$ ")
        .trim_start_matches("export ");
    MARKS.iter().any(|mark| line.starts_with(mark))
        // A variable for one command: `FORCE_TORCHRUN=1 llamafactory-cli ...`.
        || line.split_once('=').is_some_and(|(name, rest)| {
            is_name(name)
                && rest.split_whitespace().nth(1).is_some()
                && MARKS.iter().any(|mark| rest.contains(mark))
        })
}

fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Reads a script.
pub(super) fn read(text: &str) -> Script {
    let mut reader = Reader {
        script: Script::default(),
        left: MOST_EXPANDED,
    };
    for line in text.lines() {
        if let Some(options) = line.trim_start().strip_prefix("#SBATCH") {
            reader
                .script
                .sbatch
                .extend(options.split_whitespace().map(str::to_owned));
        }
    }
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut rest = joined.as_str();
    while !rest.is_empty() {
        rest = reader.command(rest);
    }
    reader.script
}

struct Reader {
    script: Script,
    /// Letters that variables may still grow by.
    left: usize,
}

impl Reader {
    /// Reads one command and gives what comes after it.
    fn command<'a>(&mut self, text: &'a str) -> &'a str {
        let mut words = Words::default();
        let mut letters = text.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\n' | ';' | '&' | '|' => {
                    self.end(words);
                    return &text[at + 1..];
                }
                '#' if words.between() => {
                    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
                    self.end(words);
                    return &text[end..];
                }
                '(' if words.opens_array() => {
                    let inner = &text[at + 1..];
                    let end = closing(inner);
                    let items = self.split(&inner[..end]);
                    let (name, more) = words.take_array_name();
                    let mut all = if more { self.spend(&name) } else { Vec::new() };
                    all.extend(items);
                    self.set(name, all);
                    return inner.get(end + 1..).unwrap_or_default();
                }
                '\'' => {
                    let inner = &text[at + 1..];
                    let end = inner.find('\'').unwrap_or(inner.len());
                    words.push(&inner[..end]);
                    skip_to(&mut letters, at + 1 + end + 1);
                }
                '"' => {
                    let inner = &text[at + 1..];
                    let end = closing_quote(inner);
                    let expanded = self.quoted(&inner[..end]);
                    words.push_all(expanded);
                    skip_to(&mut letters, at + 1 + end + 1);
                }
                '$' => {
                    let (length, values) = self.variable(&text[at..]);
                    words.push_fields(&values);
                    skip_to(&mut letters, at + length);
                }
                '\\' => {
                    if let Some((_, next)) = letters.next() {
                        words.push(next.encode_utf8(&mut [0; 4]));
                    }
                }
                letter if letter.is_whitespace() => words.end_word(),
                letter => words.push(letter.encode_utf8(&mut [0; 4])),
            }
        }
        self.end(words);
        ""
    }

    /// The words of a text that holds no commands: the items of an array.
    fn split(&mut self, text: &str) -> Vec<String> {
        let mut inner = Reader {
            script: Script {
                variables: std::mem::take(&mut self.script.variables),
                ..Script::default()
            },
            left: self.left,
        };
        let mut rest = text;
        while !rest.is_empty() {
            rest = inner.command(rest);
        }
        self.left = inner.left;
        self.script.variables = inner.script.variables;
        inner.script.commands.concat()
    }

    /// A command's end: variables before it are set, and alone they are set for good.
    fn end(&mut self, mut words: Words) {
        words.end_word();
        let mut words = words.done;
        if words.first().is_some_and(|word| word == "export") {
            words.remove(0);
        }
        while let Some((name, value)) = words.first().and_then(|word| word.split_once('=')) {
            let name = name.trim_end_matches('+');
            if !is_name(name) {
                break;
            }
            let (name, value) = (name.to_owned(), value.to_owned());
            self.set(name, vec![value]);
            words.remove(0);
        }
        if !words.is_empty() {
            self.script.commands.push(words);
        }
    }

    fn set(&mut self, name: String, values: Vec<String>) {
        let grown: usize = values.iter().map(String::len).sum();
        if grown <= self.left {
            self.left -= grown;
            self.script.variables.insert(name, values);
        }
    }

    /// Reads a text within double quotes, with its variables; an array stays one word for each item.
    fn quoted(&mut self, text: &str) -> Vec<String> {
        let mut done = vec![String::new()];
        let mut rest = text;
        while let Some(at) = rest.find(['$', '\\']) {
            append(&mut done, &rest[..at]);
            rest = &rest[at..];
            if let Some(escaped) = rest.strip_prefix('\\') {
                let length = escaped.chars().next().map_or(0, char::len_utf8);
                append(&mut done, &escaped[..length]);
                rest = &escaped[length..];
                continue;
            }
            let (length, values) = self.variable(rest);
            let mut values = values.into_iter();
            if let Some(first) = values.next() {
                append(&mut done, &first);
            }
            done.extend(values);
            rest = &rest[length..];
        }
        append(&mut done, rest);
        done
    }

    /// The value of the variable that a text begins with, and its length.
    fn variable(&mut self, text: &str) -> (usize, Vec<String>) {
        let inner = &text[1..];
        if let Some(command) = inner.strip_prefix('(') {
            let end = closing(command) + 2;
            return ((end + 1).min(text.len()), Vec::new());
        }
        if let Some(braced) = inner.strip_prefix('{') {
            let end = braced.find('}').unwrap_or(braced.len());
            let length = (end + 3).min(text.len());
            let name = &braced[..end];
            let (name, default) = match name.find([':', '-', '=']) {
                Some(at) => (&name[..at], name[at..].trim_start_matches([':', '-', '='])),
                None => (name, ""),
            };
            let name = name.split('[').next().unwrap_or(name);
            let values = self.spend(name);
            let given = values.iter().any(|value| !value.is_empty());
            return (length, if given { values } else { self.quoted(default) });
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = inner.find(|c| !plain(c)).unwrap_or(inner.len());
        (1 + end, self.spend(&inner[..end]))
    }

    /// A variable's values, counted: a few lines can make each other double.
    fn spend(&mut self, name: &str) -> Vec<String> {
        let values = self.script.variables.get(name).cloned().unwrap_or_default();
        let size: usize = values.iter().map(|value| value.len() + 1).sum();
        if size > self.left {
            return Vec::new();
        }
        self.left -= size;
        values
    }
}

fn append(words: &mut [String], text: &str) {
    if let Some(last) = words.last_mut() {
        last.push_str(text);
    }
}

/// The index of the bracket that closes the one open before `text`, quotes aside.
fn closing(text: &str) -> usize {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, letter) in text.char_indices() {
        match quote {
            Some(open) if open == letter => quote = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None if letter == '(' => depth += 1,
            None if letter == ')' && depth == 0 => return at,
            None => depth -= usize::from(letter == ')'),
        }
    }
    text.len()
}

/// The index at which a double quote closes.
fn closing_quote(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if !escaped => return at,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

fn skip_to(letters: &mut std::iter::Peekable<std::str::CharIndices>, end: usize) {
    while letters.peek().is_some_and(|(at, _)| *at < end) {
        letters.next();
    }
}

/// The words of a command as they are read.
#[derive(Default)]
struct Words {
    done: Vec<String>,
    word: Option<String>,
}

impl Words {
    fn between(&self) -> bool {
        self.word.is_none()
    }

    fn push(&mut self, text: &str) {
        self.word.get_or_insert_default().push_str(text);
    }

    /// Words that belong together as they are, the first to the word before them.
    fn push_all(&mut self, texts: Vec<String>) {
        for (place, text) in texts.into_iter().enumerate() {
            if place > 0 {
                self.end_word();
            }
            self.push(&text);
        }
    }

    /// The same, each split at spaces, as a shell does outside of quotes.
    fn push_fields(&mut self, values: &[String]) {
        let fields = values.iter().flat_map(|value| value.split_whitespace());
        let fields: Vec<String> = fields.map(str::to_owned).collect();
        self.push_all(fields);
    }

    fn end_word(&mut self) {
        self.done.extend(self.word.take());
    }

    /// Whether the word so far is `NAME=` or `NAME+=`.
    fn opens_array(&self) -> bool {
        let word = self.word.as_deref().and_then(|word| word.strip_suffix('='));
        word.is_some_and(|name| is_name(name.trim_end_matches('+')))
    }

    /// The name, and whether more is added to what it holds.
    fn take_array_name(&mut self) -> (String, bool) {
        let word = self.word.take().unwrap_or_default();
        let name = word.trim_end_matches(['=', '+']).to_owned();
        (name, word.ends_with("+="))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(text: &str) -> Vec<String> {
        let commands = read(text).commands.into_iter();
        commands.map(|words| words.join("|")).collect()
    }

    #[test]
    fn variables_arrays_quotes_and_long_lines_are_followed() {
        let text = "GPUS=${GPUS:-8} # per node\nARGS=(\n  --bf16 # half\n  --name \"a b\"\n)\nexport X='y z'\n\
                    torchrun --nproc_per_node $GPUS \\\n  train.py \"${ARGS[@]}\" $X && echo done\n";
        let expected = [
            "torchrun|--nproc_per_node|8|train.py|--bf16|--name|a b|y|z",
            "echo|done",
        ];
        assert_eq!(commands(text), expected);
    }

    #[test]
    fn variables_that_double_each_other_end() {
        let mut text = "A=xxxxxxxxxxxxxxxx\n".to_owned();
        for _ in 0..200 {
            text.push_str("A=\"$A$A$A$A\"\n");
        }
        text.push_str("python train.py $A\n");
        assert_eq!(read(&text).commands.len(), 1);
    }

    #[test]
    fn what_is_left_open_ends_with_the_text() {
        for text in [
            "echo \"a", "echo 'a", "A=(", "echo ${A", "echo $(", "echo $", "echo \\", "\\",
        ] {
            read(text);
        }
        assert!(looks_like_script(
            "FORCE_TORCHRUN=1 llamafactory-cli train a.yaml"
        ));
        assert!(!looks_like_script("a: b\nc: d"));
    }
}

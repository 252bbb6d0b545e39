//! A file's text as a tree of keys, as the lines of a shell's script, or as Python.

use super::python;
use super::refused::Unread;
use super::shell;
use serde_json::{Map, Value};
use serde_saphyr::budget::Budget;
use serde_saphyr::options::DuplicateKeyPolicy;

/// A file by its kind.
pub(super) enum Document {
    /// Keys and values.
    Tree(Map<String, Value>),
    /// Command lines.
    Script,
    /// A program in Python, without the text around it.
    Python(String),
}

/// Bytes of the largest file that is read; configurations have tens of kilobytes at most.
const LARGEST: usize = 2 << 20;
/// Bytes of the largest notebook that is read; it may hold pictures.
const LARGEST_NOTEBOOK: usize = 16 << 20;

/// Reads a text.
pub(super) fn read(text: &str) -> Result<Document, Unread> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let is_notebook = text.starts_with('{') && text.contains("\"nbformat\"");
    let most = if is_notebook {
        LARGEST_NOTEBOOK
    } else {
        LARGEST
    };
    let size = text.len();
    if size > most {
        return Err(Unread::Large { size, most });
    }
    if text.starts_with('{') {
        return match json(text) {
            Ok(Document::Tree(map)) => Ok(match python::notebook(&map) {
                Some(code) if code.len() <= LARGEST => Document::Python(code),
                _ => Document::Tree(map),
            }),
            other => other,
        };
    }
    if let Some(code) = python::code(text) {
        return Ok(Document::Python(code));
    }
    if shell::looks_like_script(text) {
        return Ok(Document::Script);
    }
    if looks_like_toml(text) {
        return toml(text);
    }
    yaml(text)
}

fn json(text: &str) -> Result<Document, Unread> {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(Document::Tree(map)),
        Ok(_) => Err(Unread::Unknown),
        Err(error) if error.to_string().contains("recursion limit") => {
            Err(Unread::Expands { syntax: "JSON" })
        }
        // YAML may begin with a brace, too.
        Err(error) => match yaml(text) {
            Ok(document) => Ok(document),
            Err(expands @ Unread::Expands { .. }) => Err(expands),
            Err(_) => Err(Unread::Broken {
                syntax: "JSON",
                line: Some(error.line()),
                reason: first_line(&error.to_string()),
            }),
        },
    }
}

/// Whether the first line that says something is a table's name or a value behind an equals sign.
fn looks_like_toml(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(line) = first else { return false };
    let plain = |name: &str| {
        let name = name.trim();
        let mut letters = name.chars();
        !name.is_empty() && letters.all(|c| c.is_ascii_alphanumeric() || "_-.\"".contains(c))
    };
    let line = line.split(" #").next().unwrap_or(line).trim_end();
    match line
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        Some(table) => plain(table.trim_matches(['[', ']'])),
        None => line.split_once('=').is_some_and(|(key, _)| plain(key)),
    }
}

fn toml(text: &str) -> Result<Document, Unread> {
    match toml::from_str::<Map<String, Value>>(text) {
        Ok(map) => Ok(Document::Tree(map)),
        Err(error) if error.message().contains("recursion") => {
            Err(Unread::Expands { syntax: "TOML" })
        }
        Err(error) => {
            let before = error.span().and_then(|span| text.get(..span.start));
            Err(Unread::Broken {
                syntax: "TOML",
                line: before.map(|before| before.matches('\n').count() + 1),
                reason: first_line(error.message()),
            })
        }
    }
}

fn yaml(text: &str) -> Result<Document, Unread> {
    let mut options = serde_saphyr::Options::default();
    let mut budget = Budget::default();
    budget.max_depth = 40;
    budget.flow_nesting_limit = 40;
    budget.max_nodes = 50_000;
    budget.max_events = 200_000;
    budget.max_aliases = 1000;
    budget.max_anchors = 1000;
    budget.max_recorded_anchor_events = 50_000;
    budget.max_documents = 2;
    budget.max_total_scalar_bytes = LARGEST;
    options.budget = Some(budget);
    options.with_snippet = false;
    options.duplicate_keys = DuplicateKeyPolicy::LastWins;
    match serde_saphyr::from_str_with_options::<Value>(text, options) {
        Ok(Value::Object(map)) => Ok(Document::Tree(map)),
        Ok(_) => Err(Unread::Unknown),
        Err(error) => {
            let reason = first_line(&error.to_string());
            let lower = reason.to_ascii_lowercase();
            let marks = ["budget", "limit", "exceed", "too deep", "nesting"];
            if marks.iter().any(|mark| lower.contains(mark)) {
                return Err(Unread::Expands { syntax: "YAML" });
            }
            if !says_keys(text) {
                return Err(Unread::Unknown);
            }
            let line = error.location().map(|place| place.line());
            Err(Unread::Broken {
                syntax: "YAML",
                line: line.and_then(|line| usize::try_from(line).ok()),
                reason,
            })
        }
    }
}

/// Whether most lines of a text are keys with values, so that it was to be YAML.
fn says_keys(text: &str) -> bool {
    let lines = text.lines().map(str::trim);
    let lines: Vec<&str> = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .take(100)
        .collect();
    let is_key = |line: &&&str| {
        let key = line
            .split_once(':')
            .map(|(key, _)| key.trim_start_matches("- "));
        key.is_some_and(|key| !key.is_empty() && !key.contains(' '))
    };
    2 * lines.iter().filter(is_key).count() > lines.len()
}

fn first_line(text: &str) -> String {
    const LONGEST: usize = 160;
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(LONGEST).collect()
}

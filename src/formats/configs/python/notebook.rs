//! Python within other texts: the cells of a notebook, the fenced blocks of Markdown.

use serde_json::{Map, Value};

/// The code of a notebook's cells; nothing where the keys are no notebook's.
pub(super) fn cells(map: &Map<String, Value>) -> Option<String> {
    if !map.contains_key("nbformat") {
        return None;
    }
    let cells = map.get("cells")?.as_array()?.iter();
    let code = cells.filter(|cell| cell["cell_type"] == "code");
    let mut all = String::new();
    for cell in code {
        match &cell["source"] {
            Value::String(text) => all.push_str(text),
            Value::Array(lines) => all.extend(lines.iter().filter_map(Value::as_str)),
            _ => {}
        }
        all.push('\n');
    }
    Some(all)
}

/// The blocks that are fenced as Python, joined; nothing where there is none.
pub(super) fn fenced(text: &str) -> Option<String> {
    let mut all = String::new();
    let (mut inside, mut found) = (false, false);
    for line in text.lines() {
        let mark = line.trim_start();
        if let Some(word) = mark.strip_prefix("```").or(mark.strip_prefix("~~~")) {
            let word = word.trim().to_ascii_lowercase();
            let opens = ["python", "py", "python3", "{python}"].contains(&word.as_str());
            inside = !inside && opens;
            found |= inside;
        } else if inside {
            all.push_str(line);
            all.push('\n');
        }
    }
    found.then_some(all)
}

/// A program without the lines that are a notebook's, or of a session: `!pip install`, `%cd`, `>>> x`.
pub(super) fn plain(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for line in text.lines() {
        let start = line.trim_start();
        let prompt = start.strip_prefix(">>> ").or(start.strip_prefix("... "));
        if let Some(code) = prompt {
            all.push_str(code);
        } else if !start.starts_with(['!', '%']) {
            all.push_str(line);
        }
        all.push('\n');
    }
    all
}

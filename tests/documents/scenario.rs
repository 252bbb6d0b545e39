//! The reference of settings: one entry for each key, by group, with an anchor of the key's own name.

use highwater::ask::Scenario;
use highwater::codec::{KEYS, Key, Kind};
use highwater::text::{Language, setting_help, setting_name};
use serde_json::Value;
use std::fmt::Write;

/// Words of the page, in English and Chinese.
type Words = (&'static str, &'static str);

fn say(language: Language, words: Words) -> &'static str {
    match language {
        Language::English => words.0,
        Language::Chinese => words.1,
    }
}

const TITLE: Words = ("Reference of settings", "设置参考");
const INTRODUCTION: Words = (
    "Every key of a scenario. A scenario is JSON and says only what differs from the defaults; \
     [Scenarios and reports](scenarios.md) explains how settings work together, and \
     [scenario.schema.json](../scenario.schema.json) is the JSON schema. A dotted key such as `lora.r` is \
     `{\"lora\": {\"r\": 8}}` in JSON, and `lora=8` by its own name in a link.",
    "场景的全部键。场景是 JSON，只写与默认值不同的部分；JSON schema 见 [scenario.schema.json](../scenario.schema.json)。\
     带点的键如 `lora.r` 在 JSON 中写作 `{\"lora\": {\"r\": 8}}`，在链接中用其链接名：`lora=8`。",
);
const TOP: Words = ("The run", "训练");

/// The page in a language.
pub fn page(language: Language) -> String {
    let (say, schema) = (|words| say(language, words), schema());
    let defaults = serde_json::to_value(Scenario::default()).expect("a scenario");
    let mut page = format!("# {}\n\n{}\n", say(TITLE), say(INTRODUCTION));
    let mut groups: Vec<&str> = Vec::new();
    for key in KEYS {
        if !groups.contains(&group(key)) {
            groups.push(group(key));
        }
    }
    for of in groups {
        let title = if of.is_empty() {
            say(TOP).to_owned()
        } else {
            format!("`{of}`")
        };
        let _ = writeln!(page, "\n## {title}");
        for key in KEYS.iter().filter(|key| group(key) == of) {
            let described = at(&schema, key.path, "properties");
            page += &entry(
                key,
                language,
                &described["description"],
                at(&defaults, key.path, ""),
            );
        }
    }
    page
}

/// The JSON schema's properties.
fn schema() -> Value {
    let mut schema: Value =
        serde_json::from_str(include_str!("../../public/scenario.schema.json")).expect("JSON");
    schema["properties"].take()
}

/// The part of a tree at a dotted path, with `between` on the way from an object to its members.
fn at<'a>(tree: &'a Value, path: &str, between: &str) -> &'a Value {
    path.split('.')
        .enumerate()
        .fold(tree, |node, (depth, part)| {
            let members = if depth > 0 && !between.is_empty() {
                &node[between]
            } else {
                node
            };
            &members[part]
        })
}

/// The dotted path of the object that holds a key.
fn group(key: &Key) -> &'static str {
    key.path.rsplit_once('.').map_or("", |(group, _)| group)
}

fn entry(key: &Key, language: Language, description: &Value, default: &Value) -> String {
    let help = setting_help(key.path);
    let name = setting_name(key.path, language);
    let sentence = help.map_or("", |help| help.sentence(language));
    let end = say(language, (". ", "。"));
    let mut text = format!(
        "\n### `{}`\n\n**{}**{end}{}",
        key.path,
        plain(name),
        plain(sentence)
    );
    if let (Language::English, Some(more)) = (language, description.as_str()) {
        let _ = write!(text, "\n\n{}", plain(more));
    }
    let say = |words| say(language, words);
    let mut facts = vec![format!(
        "{}: {}",
        say(("Type", "类型")),
        say(type_of(key.kind))
    )];
    if let Kind::Name(all) = key.kind {
        let names: Vec<String> = all().iter().map(|name| format!("`{name}`")).collect();
        facts.push(format!("{}: {}", say(("Values", "取值")), names.join(", ")));
    }
    if !default.is_null() {
        facts.push(format!("{}: `{default}`", say(("Default", "默认值"))));
    }
    facts.push(format!("{}: `{}`", say(("In links", "链接名")), key.query));
    if let Some(help) = help {
        if !help.symbol.is_empty() {
            facts.push(format!(
                "{}: {}",
                say(("In formulas", "公式")),
                plain(help.symbol)
            ));
        }
        facts.push(format!(
            "{}: {}",
            say(("Set as", "对应参数")),
            plain(help.source)
        ));
    }
    format!("{text}\n\n- {}\n", facts.join("\n- "))
}

fn type_of(kind: Kind) -> Words {
    match kind {
        Kind::Model => ("a model", "模型"),
        Kind::Count => ("integer", "整数"),
        Kind::Tokens => ("integer, tokens", "整数（词元数）"),
        Kind::Bytes => ("integer, bytes", "整数（字节）"),
        Kind::Real => ("number", "数"),
        Kind::Flag => ("true or false", "true 或 false"),
        Kind::Name(_) => ("one of the names below", "下列名称之一"),
        Kind::Text => ("text", "文本"),
        Kind::List => ("list of texts", "文本列表"),
        Kind::Fields => ("object", "对象"),
        Kind::Divisions => (
            "integer, or a list by size as text",
            "整数，或按大小分段的文本",
        ),
        Kind::Sides => ("integer, or width x height as text", "整数，或“宽x高”文本"),
        Kind::Lengths => ("text, or lengths with their counts", "文本，或长度及其次数"),
    }
}

/// A sentence as Markdown that means nothing but the sentence.
fn plain(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let within =
            before.is_alphanumeric() && letters.peek().is_some_and(|c| c.is_alphanumeric());
        if "*<[`".contains(letter) || (letter == '_' && !within) {
            written.push('\\');
        }
        written.push(letter);
        before = letter;
    }
    written
}

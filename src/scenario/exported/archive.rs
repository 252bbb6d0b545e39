//! The archive: its central directory, then the entries that hold the graph.

use super::digest::Digest;
use super::graph::Graph;
use super::parse::{self, Parts};
use super::unreadable::Unreadable;
use serde_json::Value;
use std::io::{Read, Seek, SeekFrom};
use zip::ZipArchive;

/// Bytes of JSON that are read: some fifty times what the largest model that was looked at has.
const LARGEST: u64 = 256 << 20;

/// The format's major version since torch 2.6.
const MAJOR: u64 = 8;

/// Reads a graph out of an archive.
///
/// # Errors
/// The kind of file that it is instead.
pub fn read<R: Read + Seek>(mut file: R) -> Result<Graph, Unreadable> {
    let mut head = [0; 16];
    let length = begin(&mut file, &mut head).map_err(|why| Unreadable::Damaged(why.to_string()))?;
    if !head.starts_with(b"PK") {
        return Err(not_zipped(&head[..length]));
    }
    let mut archive = ZipArchive::new(file).map_err(|why| Unreadable::Damaged(why.to_string()))?;
    let names = archive.file_names().filter_map(Result::ok);
    let names: Vec<String> = names.map(std::borrow::Cow::into_owned).collect();
    let Some(program) = program_of(&names) else {
        return Err(other(&names));
    };
    let mut digest = Digest::new();
    let program = json(&mut archive, &program, &mut digest)?;
    let major = program["schema_version"]["major"].as_u64();
    if let Some(major) = major.filter(|major| *major < MAJOR) {
        return Err(Unreadable::TooOld(major));
    }
    let weights = named(&names, "model_weights_config.json");
    let weights = weights.map(|name| json(&mut archive, name, &mut digest));
    let weights = weights.transpose()?;
    let mut graph = parse::graph(&Parts {
        program: &program,
        weights: weights.as_ref().unwrap_or(&Value::Null),
    })?;
    graph.digest = digest.written();
    Ok(graph)
}

/// The first bytes of a file, to whose beginning it goes back.
fn begin<R: Read + Seek>(file: &mut R, head: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while length < head.len() {
        match file.read(&mut head[length..])? {
            0 => break,
            n => length += n,
        }
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(length)
}

/// The kind of a file that is no archive.
fn not_zipped(head: &[u8]) -> Unreadable {
    if head.get(8) == Some(&b'{') {
        Unreadable::Safetensors
    } else if head.starts_with(&[0x80, 0x02]) {
        Unreadable::StateDict
    } else if head.starts_with(&[0x08]) && head.get(2) == Some(&0x12) {
        Unreadable::Onnx
    } else {
        Unreadable::NoArchive
    }
}

/// The entry with the program: `models/model.json` since torch 2.7, whatever its folder is called, and
/// `serialized_exported_program.json` in torch 2.6.
fn program_of(names: &[String]) -> Option<String> {
    let in_models = |name: &&String| {
        let is_json = std::path::Path::new(name).extension() == Some("json".as_ref());
        is_json && (name.starts_with("models/") || name.contains("/models/"))
    };
    let mut models: Vec<&String> = names.iter().filter(in_models).collect();
    models.sort();
    let model = models.iter().find(|name| name.ends_with("/model.json"));
    let model = model.or(models.first()).copied();
    let old = || {
        let is_it = |name: &&String| name.ends_with("serialized_exported_program.json");
        names.iter().find(is_it)
    };
    model.or_else(old).cloned()
}

fn named<'a>(names: &'a [String], last: &str) -> Option<&'a str> {
    let mut names = names.iter().map(String::as_str);
    names.find(|name| name.rsplit('/').next() == Some(last))
}

/// The kind of an archive without a program.
fn other(names: &[String]) -> Unreadable {
    let has = |part: &str| names.iter().any(|name| name.contains(part));
    if has("constants.pkl") && has("/code/") {
        Unreadable::TorchScript
    } else if has("data.pkl") {
        Unreadable::StateDict
    } else if has("aotinductor") {
        Unreadable::Compiled
    } else {
        Unreadable::OtherArchive
    }
}

/// An entry that is JSON, with what Python's `json` writes beyond it.
fn json<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    name: &str,
    digest: &mut Digest,
) -> Result<Value, Unreadable> {
    let damaged = |why: String| Unreadable::Damaged(why);
    let entry = archive
        .by_name(name)
        .map_err(|why| damaged(why.to_string()))?;
    if entry.size() > LARGEST {
        return Err(Unreadable::TooLarge(entry.size()));
    }
    let mut text = Vec::new();
    let read = entry.take(LARGEST + 1).read_to_end(&mut text);
    read.map_err(|why| damaged(why.to_string()))?;
    if text.len() as u64 > LARGEST {
        return Err(Unreadable::TooLarge(text.len() as u64));
    }
    digest.take(&text);
    let text = String::from_utf8_lossy(&text);
    serde_json::from_str(&finite(&text)).map_err(|why| Unreadable::NoGraph(why.to_string()))
}

/// The text, whose numbers that are none are the largest there is: masks are filled with `-Infinity`.
fn finite(text: &str) -> String {
    let numbers = [
        (":-Infinity", ":-1e308"),
        (": -Infinity", ":-1e308"),
        (":Infinity", ":1e308"),
        (": Infinity", ":1e308"),
        (":NaN", ":0.0"),
        (": NaN", ":0.0"),
    ];
    numbers.iter().fold(text.to_owned(), |text, (from, to)| {
        if text.contains(from) {
            text.replace(from, to)
        } else {
            text
        }
    })
}

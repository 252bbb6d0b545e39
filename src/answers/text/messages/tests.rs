//! Messages and their wordings: neither without the other.

use super::say::{FILES, english, labelled, message_text};
use crate::ask::message;
use crate::text::Language;
use crate::text::settings::setting_label;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Names of the values of each message that the sources make, by its code.
fn made() -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source");
                let code = text
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("//"));
                let code: String = code.collect();
                for call in code.split("message!(").skip(1) {
                    let Some((code, values)) = read(call) else {
                        continue;
                    };
                    let others = all.entry(code.clone()).or_insert_with(|| values.clone());
                    assert_eq!(*others, values, "{code} has other values elsewhere");
                }
            }
        }
    }
    all
}

/// The code and the names of the values in the arguments of a `message!` call.
fn read(call: &str) -> Option<(String, BTreeSet<String>)> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in call.chars() {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        match (c, depth) {
            (_, ..0) => break,
            (',', 0) => parts.push(String::new()),
            _ => parts.last_mut()?.push(c),
        }
    }
    let name = |part: &String| part.split('=').next().unwrap_or(part).trim().to_owned();
    let (group, code) = parts[0].split_once("::")?;
    let values = parts[1..].iter().map(name).filter(|name| !name.is_empty());
    Some((
        format!("{}.{}", group.trim(), code.trim()),
        values.collect(),
    ))
}

/// The names in the places of a wording.
fn places(wording: &str) -> BTreeSet<String> {
    let open = wording.split('{').skip(1);
    let names = open.filter_map(|rest| rest.split_once('}'));
    let names = names.map(|(name, _)| name.trim_end_matches(":?"));
    let is_part = |c: char| c == '_' || c.is_ascii_lowercase();
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(is_part);
    names.filter(is_name).map(str::to_owned).collect()
}

#[test]
fn every_message_has_a_wording_with_places_for_its_values_and_every_wording_a_message() {
    let mut worded = BTreeMap::new();
    for (group, words) in FILES.iter().copied().flatten() {
        for (name, english, chinese) in words() {
            let mut named = places(english);
            named.extend(places(chinese));
            let code = format!("{group}.{name}");
            assert!(
                worded.insert(code.clone(), named).is_none(),
                "{code} stands twice"
            );
            assert_ne!(english, chinese, "{code}");
        }
    }
    assert_eq!(made(), worded);
}

#[test]
fn values_go_to_their_places() {
    let shown = "a \"b\"";
    let message = message!(reading::unknown_id, shown);
    let text = message_text(&message, Language::English);
    assert!(
        text.starts_with(r#"There is no model "a \"b\"" in the catalog"#),
        "{text}"
    );
    let path = "lora";
    let message = message!(codec::not_a_group, path);
    let text = message_text(&message, Language::English);
    assert_eq!(text, r#"lora must be an object such as {"key": value}."#);
    let names: &[&str] = &["llama", "gemma"];
    let message = message!(image_text::text_type, name = "X", names, given = "mpt");
    let text = message_text(&message, Language::Chinese);
    assert_eq!(text, "X 目前支持 llama、gemma 类型的解码器，不支持 mpt。");
}

#[test]
fn what_has_its_own_wording_is_said_in_the_same_language() {
    let shown = "batch";
    let hint = Some(message!(codec::did_you_mean, nearest = "micro_batch_size"));
    let said = |message| message_text(&message, Language::English);
    assert_eq!(
        said(message!(codec::unknown_key, shown, hint)),
        "There is no key batch; it is ignored. Did you mean micro_batch_size?"
    );
    let hint = hint.filter(|_| false);
    assert_eq!(
        said(message!(codec::unknown_key, shown, hint)),
        "There is no key batch; it is ignored."
    );
}

/// Dotted words of a text that name a setting.
fn keys_in(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let words = text
        .split(|c| !is_part(c))
        .map(|word| word.trim_matches('.'));
    let is_key =
        |word: &&str| word.contains('.') && setting_label(word, Language::English).is_some();
    words.filter(is_key).collect()
}

#[test]
fn no_sentence_of_the_page_has_the_key_of_a_setting_that_has_a_name() {
    let mut replaced = 0;
    for (group, words) in FILES.iter().copied().flatten() {
        for (name, english, chinese) in words() {
            for (text, language) in [(english, Language::English), (chinese, Language::Chinese)] {
                let said = labelled(text, language);
                assert!(keys_in(&said).is_empty(), "{group}.{name}: {said}");
                replaced += keys_in(text).len();
            }
        }
    }
    assert!(replaced > 30, "{replaced}");
    // A key that is a value of a message is one, too; the command line keeps all of them.
    let key = "parallelism.dp.cpu_offload";
    let message = message!(codec::not_a_group, path = key);
    assert!(english(&message).contains(key));
    for &language in Language::ALL {
        let said = message_text(&message, language);
        assert!(keys_in(&said).is_empty() && said.contains("FSDP"), "{said}");
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src/page/views");
    let mut folders = vec![page];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read_to_string(&path).expect("a source");
                assert!(!text.contains("english("), "{} says keys", path.display());
            }
        }
    }
}

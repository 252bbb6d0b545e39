//! Messages in the words of a language.

use super::group::{Group, Wording};
use super::{asked, decoders, encoders, exported, images, model, reading, run, trainers};
use crate::ask::{Argument, Message};
use crate::text::Language;
use crate::text::settings::setting_label;
use std::fmt::Write;

/// The groups of each file.
pub(super) const FILES: [&[Group]; 9] = [
    asked::GROUPS,
    reading::GROUPS,
    decoders::GROUPS,
    encoders::GROUPS,
    exported::GROUPS,
    images::GROUPS,
    model::GROUPS,
    run::GROUPS,
    trainers::GROUPS,
];

/// A message in a language, for the page: settings by the names that they have there.
pub fn message_text(message: &Message, language: Language) -> String {
    labelled(&keyed_text(message, language), language)
}

/// A message with settings by their keys, for people who write scenarios.
pub(super) fn keyed_text(message: &Message, language: Language) -> String {
    let mut text = String::new();
    say(message, language, &mut text);
    text
}

/// The message in English, which the command line speaks.
pub fn english(message: &Message) -> String {
    keyed_text(message, Language::English)
}

/// A text with names of settings in the place of their keys, of those with a dot in them: others are what people
/// write in their own programs.
pub(super) fn labelled(text: &str, language: Language) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let (mut said, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_part(c)).unwrap_or(from.len()));
        let key = word.trim_end_matches('.');
        let label = key.contains('.').then(|| setting_label(key, language));
        said.push_str(before);
        match label.flatten() {
            Some(label) => {
                for part in ["\u{201c}", label, "\u{201d}", &word[key.len()..]] {
                    said.push_str(part);
                }
            }
            None => said.push_str(word),
        }
        rest = after;
    }
    said.push_str(rest);
    said
}

fn wording(code: &str) -> Option<Wording> {
    let (group, name) = code.split_once('.')?;
    let mut groups = FILES.iter().copied().flatten();
    let (_, words) = groups.find(|(own, _)| *own == group)?;
    words().iter().copied().find(|(own, ..)| *own == name)
}

fn say(message: &Message, language: Language, text: &mut String) {
    let Some((_, english, chinese)) = wording(message.code) else {
        text.push_str(message.code);
        return;
    };
    let mut rest = language.of((english, chinese));
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let place = after.split_once('}');
        let place = place.and_then(|(place, after)| Some((place, value(message, place)?, after)));
        let Some((place, value, after)) = place else {
            text.push('{');
            rest = after;
            continue;
        };
        match value {
            Argument::Nothing => {}
            Argument::Text(value) if place.ends_with(":?") => {
                let _ = write!(text, "{value:?}");
            }
            Argument::Text(value) => text.push_str(value),
            Argument::List(names) => text.push_str(&names.join(language.of((", ", "、")))),
            Argument::Message(message) => say(message, language, text),
        }
        rest = after;
    }
    text.push_str(rest);
}

/// The value for a place, if it is one.
fn value<'a>(message: &'a Message, place: &str) -> Option<&'a Argument> {
    let name = place.strip_suffix(":?").unwrap_or(place);
    let mut values = message.values.iter();
    values.find_map(|(own, value)| (*own == name).then_some(value))
}

//! The configuration on screen as trainers, launchers and batch systems read it.

use super::copy::CopyButton;
use crate::app::{Store, use_store};
use crate::browser;
use crate::codec::{Unwritten, write_job, written_formats};
use crate::text::{
    ConfigWord, Word, estimate_comment, nothing_of, unsaid_comment, verdict_answer, verdict_detail,
};
use leptos::prelude::*;

/// The text of a configuration, or a note on why there is none; the note also names settings that the format cannot
/// say.
#[derive(Clone, Default, PartialEq)]
struct Written {
    text: String,
    note: Option<String>,
}

fn written(store: Store, to: &str, link: &str) -> Written {
    let (language, units) = (store.language.get(), store.units.get());
    let comment = store.answer.with(|answer| {
        let verdict = answer.as_ref().map(|answer| &answer.report.verdict);
        let sentences = verdict.map(|verdict| {
            let answer = verdict_answer(verdict, units, language);
            let detail = verdict_detail(verdict, units, language);
            estimate_comment(&answer, &detail, link, language)
        });
        sentences.unwrap_or_default()
    });
    let found = store
        .scenario
        .with(|scenario| write_job(scenario, to, &comment));
    match found {
        Ok(found) => Written {
            note: (!found.unsaid.is_empty()).then(|| unsaid_comment(&found.unsaid, language)),
            text: found.text,
        },
        Err(Unwritten::NothingToSay) => Written {
            note: Some(nothing_of(to, language)),
            text: String::new(),
        },
        Err(Unwritten::NoFormat) => Written::default(),
    }
}

/// A choice of formats, and the text to be copied or saved.
#[component]
pub(super) fn ConfigTab(
    /// The link to the configuration on screen.
    link: Memo<String>,
) -> impl IntoView {
    let store = use_store();
    let word = move |word: ConfigWord| Signal::derive(move || word.text(store.language.get()));
    let formats: Vec<&'static str> = written_formats().collect();
    let chosen = RwSignal::new(formats.first().copied().unwrap_or_default());
    let written = Memo::new(move |_| written(store, chosen.get(), &link.get()));
    let text = Signal::derive(move || written.with(|written| written.text.clone()));
    let note = move || {
        let note = written.with(|written| written.note.clone());
        note.map(|note| view! { <p class="field-note">{note}</p> })
    };
    let options = formats.iter().map(|&name| {
        view! { <option value=name selected=move || chosen.get() == name>{name}</option> }
    });
    let options = options.collect_view();
    let pick = move |event| {
        let name = event_target_value(&event);
        let known = formats.iter().find(|known| **known == name);
        if let Some(&known) = known {
            chosen.set(known);
        }
    };
    let save = move |_| {
        let name = format!("highwater-{}.txt", chosen.get_untracked());
        browser::save_text(&name, "text/plain", &text.get_untracked());
    };
    view! {
        <p class="field-note">{word(ConfigWord::Help)}</p>
        <div class="field">
            <label class="field-label" for="share-format">{word(ConfigWord::Format)}</label>
            <select id="share-format" class="box" on:change=pick>
                {options}
            </select>
        </div>
        <textarea
            id="share-config"
            class="code"
            rows="14"
            readonly
            aria-label=word(ConfigWord::Title)
            prop:value=text
        ></textarea>
        {note}
        <div class="share-row">
            <CopyButton label=Word::Copy text class="primary" />
            <button type="button" class="quiet" on:click=save>
                {word(ConfigWord::Save)}
            </button>
        </div>
    }
}

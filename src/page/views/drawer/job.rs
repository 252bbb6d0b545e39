//! The files of a job: the settings that were filled in, and the keys that are not followed.

use crate::app::Store;
use crate::codec::{Job, Said, change_of};
use crate::configs::{Approximation, Matters, Understood};
use crate::text::{
    InputWord, approximated, gpu_taken_for, job_counts, lack_sentence, left_out, message_text,
    note_sentence,
};
use leptos::prelude::*;

/// A button that takes a job as an earlier version of its trainer runs it, where something is said of one.
fn change(said: &Said, store: Store) -> Option<AnyView> {
    let Said::Note(note) = said else {
        return None;
    };
    let change = change_of(&Approximation::of_note(note)?)?;
    let on_click = move |_| store.apply(&change);
    let button = view! {
        " "
        <button type="button" class="quiet" on:click=on_click>
            {InputWord::UseEarlier.text(store.language.get())}
        </button>
    };
    Some(button.into_any())
}

/// Reports on a job's files: the counts of their keys, findings, the keys that are not followed, and the keys that are.
pub(super) fn job(of: &Job, store: Store) -> AnyView {
    let language = store.language.get();
    let sentence = |said: &Said| match said {
        Said::Note(note) => note_sentence(note, language),
        Said::Finding(finding) => message_text(&finding.message, language),
        Said::Left(key, finding) => left_out(key, finding, language),
        Said::Gpu(name, id) => gpu_taken_for(name, id, language),
    };
    let line = |said: &Said| view! { <li>{sentence(said)} {change(said, store)}</li> };
    let lines = of.said.iter().map(line).collect_view();
    let certainty = approximated(&of.approximated, language);
    let certainty = (!certainty.is_empty()).then(|| view! { <li>{certainty}</li> });
    let matters = of.read.ignored.iter().filter_map(|own| {
        let why = match own.matters {
            Matters::No => return None,
            Matters::Maybe => InputWord::Unlisted.text(language),
            Matters::Value => InputWord::UnknownValue.text(language),
            Matters::Computed => InputWord::Computed.text(language),
            Matters::Yes(lack) => lack_sentence(lack, language),
        };
        Some(view! { <li><code>{own.key.clone()}</code> " — " {why}</li> })
    });
    let matters: Vec<_> = matters.collect();
    let counts = job_counts(
        of.read.understood.len(),
        of.read.idle(),
        matters.len(),
        language,
    );
    let read = |own: &Understood| {
        let said = format!("{}: {}", own.key, own.value);
        view! { <li><code>{said}</code></li> }
    };
    view! {
        <p>{counts}</p>
        <ul class="sentences">{certainty} {lines} {matters}</ul>
        <details class="twin">
            <summary>{InputWord::ReadKeys.text(language)}</summary>
            <ul class="sentences">{of.read.understood.iter().map(read).collect_view()}</ul>
        </details>
    }
    .into_any()
}

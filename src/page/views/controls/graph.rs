//! Controls of a graph of the reader's own: the sizes that it leaves open, and how one is written where no model is
//! found.

use super::find::finds_nothing;
use super::own_model::OwnModel;
use crate::app::{Store, use_store};
use crate::ask::{ExportedModel, Finding, ModelRef, Scenario, Severity};
use crate::codec::nearest;
use crate::families::{OpenSize, open_sizes};
use crate::text::{
    GraphFacts, Language, Word, fix_label, message_text, setting_help, size_name, size_note,
};
use crate::widgets::{Field, HelpText, Number, Problem};
use leptos::prelude::*;
use serde_json::Value;

/// Ids of controls for sizes: of as many there are controls, of all others there is the text in the last group.
const IDS: [&str; 16] = [
    "size-1", "size-2", "size-3", "size-4", "size-5", "size-6", "size-7", "size-8", "size-9",
    "size-10", "size-11", "size-12", "size-13", "size-14", "size-15", "size-16",
];

/// Facts of the scenario's graph, below the box for the model.
fn about(scenario: &Scenario, language: Language) -> Option<String> {
    let ModelRef::Exported(ExportedModel {
        graph: Some(graph), ..
    }) = &scenario.model
    else {
        return None;
    };
    let facts = GraphFacts {
        operations: graph.nodes().len(),
        parameters: graph.parameters(),
        torch: graph.torch.as_deref(),
    };
    Some(facts.title(language))
}

/// The message about a config whose type of model is not read.
const FOREIGN: &str = "reading.type_not_supported";

/// Controls of the sizes that a graph leaves open; the lines that write a graph, once nothing was found for the text
/// typed into the box for the model, or its config is of a type that is not read.
pub(super) fn graph_controls(typed: RwSignal<Option<String>>) -> AnyView {
    let store = use_store();
    let missing = Memo::new(move |before: Option<&bool>| match typed.get() {
        None => before == Some(&true),
        Some(text) if text.trim().is_empty() => false,
        Some(text) => finds_nothing(&text),
    });
    let is_foreign = Memo::new(move |_| {
        let says_so = |finding: &Finding| finding.message.code == FOREIGN;
        store.findings.with(|all| all.iter().any(says_so))
    });
    let names = Memo::new(move |_| {
        let sizes = store.scenario.with(open_sizes).into_iter();
        sizes.map(|size| size.name).collect::<Vec<_>>()
    });
    let about = Memo::new(move |_| {
        let language = store.language.get();
        store.scenario.with(|scenario| about(scenario, language))
    });
    let sizes = move || {
        let names = names.get().into_iter().zip(IDS);
        names
            .map(|(name, id)| size_control(store, name, id))
            .collect_view()
    };
    view! {
        <Show when=move || missing.get() || is_foreign.get()>
            <details class="field twin" open>
                <summary>{move || Word::OwnModel.text(store.language.get())}</summary>
                <OwnModel id="found-none" />
            </details>
        </Show>
        {move || about.get().map(|about| view! { <p class="field-note">{about}</p> })}
        {sizes}
    }
    .into_any()
}

/// The control of a size, by the name of its symbol.
fn size_control(store: Store, name: String, id: &'static str) -> AnyView {
    let name = StoredValue::new(name);
    let size = Memo::new(move |_| {
        let sizes = store.scenario.with(open_sizes).into_iter();
        name.with_value(|name| sizes.into_iter().find(|size| size.name == *name))
    });
    let of = move |read: &dyn Fn(&OpenSize) -> String| {
        size.with(|size| size.as_ref().map(read).unwrap_or_default())
    };
    let label = Signal::derive(move || {
        let language = store.language.get();
        of(&|size| size_name(&size.name, &size.places, language))
    });
    let note = move || {
        let language = store.language.get();
        of(&|size| size_note(&size.name, &size.places, size.range, language))
    };
    let value = move || size.with(|size| size.as_ref().and_then(|size| size.value));
    let stops = size.with_untracked(|size| {
        let stops = size.iter().flat_map(|size| &size.stops);
        stops.map(|&stop| Value::from(stop)).collect::<Vec<_>>()
    });
    let (count, stops) = (stops.len(), StoredValue::new(stops));
    let step = Signal::derive(move || {
        let value = value().map_or(Value::Null, Value::from);
        stops.with_value(|stops| nearest(stops, &value))
    });
    let draft = RwSignal::new(None::<String>);
    let put = move |value: Value| {
        draft.set(None);
        let Some(size) = size.get_untracked() else {
            return;
        };
        store.edit("symbols", |scenario| {
            for key in &size.places {
                scenario.symbols.remove(key);
            }
            scenario.symbols.insert(size.name, value);
        });
    };
    let on_text = move |text: String| match text.trim().parse::<u64>() {
        Ok(number) => put(number.into()),
        Err(_) => draft.set(Some(text)),
    };
    let on_step = move |at: usize| {
        if let Some(stop) = stops.with_value(|stops| stops.get(at).cloned()) {
            put(stop);
        }
    };
    let text = Signal::derive(move || {
        let written = || value().map_or_else(String::new, |value| value.to_string());
        draft.get().unwrap_or_else(written)
    });
    let finding = move || name.with_value(|name| finding(store, name));
    let problem = Signal::derive(move || {
        let language = store.language.get();
        if draft.get().is_some() {
            return Some(Problem {
                message: Word::SizeNumber.text(language).to_owned(),
                blocking: true,
                fix: None,
            });
        }
        let finding = finding()?;
        Some(Problem {
            message: message_text(&finding.message, language),
            blocking: finding.severity == Severity::Error,
            fix: finding.fix.map(|fix| fix_label(&fix, language)),
        })
    });
    let on_fix = move |()| {
        if let Some(fix) = untrack(finding).and_then(|finding| finding.fix) {
            store.apply(&fix);
        }
    };
    let invalid = Signal::derive(move || problem.with(|p| p.as_ref().is_some_and(|p| p.blocking)));
    view! {
        <Field id half=false label help=help(store) idle=Signal::stored(None::<String>) problem on_fix>
            <Number id label text steps=count step disabled=Signal::stored(false) invalid on_step on_text />
            <p class="field-note">{note}</p>
        </Field>
    }
    .into_any()
}

/// The finding about a size.
fn finding(store: Store, name: &str) -> Option<Finding> {
    let is_about = |finding: &&Finding| finding.key.strip_prefix("symbols.") == Some(name);
    store
        .findings
        .with(|all| all.iter().find(is_about).cloned())
}

fn help(store: Store) -> Signal<HelpText> {
    Signal::derive(move || {
        let language = store.language.get();
        let said = setting_help("symbols");
        HelpText {
            sentence: said.map_or("", |said| said.sentence(language)),
            symbol: said.map_or("", |said| said.symbol),
            source: said.map_or("", |said| said.source),
            more: "docs/own-models.html".to_owned(),
            more_name: Word::InGuide.text(language),
        }
    })
}

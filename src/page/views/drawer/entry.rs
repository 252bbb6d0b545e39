//! One entry of the drawer: its kind, the content that was read, and the button that takes it back.

use super::failure::failure;
use super::job::job;
use super::snapshot::snapshot;
use crate::app::{Given, Opened, Store, take_back, use_drawer, use_with_model};
use crate::ask::Finding;
use crate::text::{
    GraphFacts, InputWord, Language, Word, configuration_name, kind_name, machine_sentence,
    message_text, refused_sentence, too_large, unread_sentence,
};
use leptos::prelude::*;

/// The name of a thing's kind: "axolotl configuration".
pub(super) fn title(opened: &Opened, language: Language) -> String {
    let word = match &opened.given {
        Given::Failure(failure) => return kind_name(failure.kind, language).to_owned(),
        Given::Job(job) | Given::Partial(job) => {
            return configuration_name(&job.read.kinds, language);
        }
        Given::Foreign(_) => InputWord::ForeignFailure,
        Given::Machine(_) => InputWord::Machine,
        Given::Reading => InputWord::Reading,
        Given::ReadingGraph => InputWord::ReadingGraph,
        Given::Graph(..) => InputWord::ExportedGraph,
        Given::Snapshot(_) => InputWord::Snapshot,
        Given::Scenario(_) => InputWord::Scenario,
        Given::Model(_) => InputWord::Model,
        Given::NoJob(_) => InputWord::Configuration,
        Given::NoGraph(_)
        | Given::Unfetched(_)
        | Given::Refused(_)
        | Given::TooLarge(..)
        | Given::Unknown => InputWord::NotRead,
    };
    word.text(language).to_owned()
}

/// A sentence for each finding.
fn findings(findings: &[Finding], language: Language) -> AnyView {
    let line = |finding: &Finding| view! { <li>{message_text(&finding.message, language)}</li> };
    let lines: Vec<_> = findings.iter().map(line).collect();
    let list = (!lines.is_empty()).then(|| view! { <ul class="sentences">{lines}</ul> });
    view! { {list} }.into_any()
}

/// Reports on an entry: the content that was read, and the parts that were not.
fn content(opened: &Opened, store: Store) -> AnyView {
    let (language, units) = (store.language.get(), store.units.get());
    let sentence = |text: String| view! { <p>{text}</p> }.into_any();
    match &opened.given {
        Given::Failure(given) => failure(given, store),
        Given::Foreign(owner) => sentence((*owner).to_owned()),
        Given::Machine(table) => sentence(machine_sentence(table, units, language)),
        Given::Snapshot(given) => snapshot(given, store),
        Given::Refused(refused) => sentence(refused_sentence(*refused, language)),
        Given::Graph(graph, said) => {
            let facts = GraphFacts {
                operations: graph.nodes().len(),
                parameters: graph.parameters(),
                torch: graph.torch.as_deref(),
            };
            view! { <p>{facts.sentence(language)}</p> {findings(said, language)} }.into_any()
        }
        Given::NoGraph(why) => sentence(message_text(&why.message, language)),
        Given::Unfetched(_) => sentence(Word::OpenAddressGone.text(language).to_owned()),
        Given::Reading | Given::ReadingGraph => ().into_any(),
        Given::TooLarge(bytes, most) => sentence(too_large(*bytes, *most, units, language)),
        Given::Unknown => sentence(InputWord::Unknown.text(language).to_owned()),
        Given::NoJob(why) => sentence(unread_sentence(why, language)),
        Given::Scenario(said) | Given::Model(said) => findings(said, language),
        Given::Job(of) => job(of, store),
        Given::Partial(of) => {
            let (own, partial) = (opened.clone(), of.clone());
            let fill = move |_| use_with_model(store, &own, &partial);
            view! {
                {job(of, store)}
                <p>
                    <button type="button" class="quiet" on:click=fill>
                        {InputWord::UseWithModel.text(language)}
                    </button>
                </p>
            }
            .into_any()
        }
    }
}

/// The thing, with its tools.
pub(super) fn entry(opened: Opened, store: Store) -> impl IntoView {
    let drawer = use_drawer();
    let opened = StoredValue::new(opened);
    let key = opened.with_value(|opened| opened.key);
    let name = opened.with_value(|opened| opened.name.clone());
    let word = move |word: InputWord| Signal::derive(move || word.text(store.language.get()));
    let title = Memo::new(move |_| {
        let language = store.language.get();
        opened.with_value(|opened| title(opened, language))
    });
    let remove_name = Signal::derive(move || {
        let remove = InputWord::Remove.text(store.language.get());
        format!("{remove}: {}", title.get())
    });
    let is_last = Memo::new(move |_| drawer.last_filled_in() == Some(key));
    let undo = move |_| {
        if let Some(opened) = opened.try_get_value() {
            take_back(store, &opened);
        }
    };
    view! {
        <li class="given-thing">
            <div class="given-head">
                <h3>{title}</h3>
                <Show when=move || is_last.get()>
                    <button type="button" class="quiet" on:click=undo>{word(InputWord::Undo)}</button>
                </Show>
                <button
                    type="button"
                    class="quiet square"
                    aria-label=remove_name
                    title=remove_name
                    on:click=move |_| drawer.remove(key)
                >
                    "\u{d7}"
                </button>
            </div>
            {name.map(|name| view! { <p class="fit-note">{name}</p> })}
            {move || opened.try_with_value(|opened| content(opened, store))}
        </li>
    }
}

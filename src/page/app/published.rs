//! Graphs that come along: fetched from beside the page when one is chosen, or when a link's scenario waits for one.

use super::graph_opening::{self, Outcome, Use};
use super::store::Store;
use crate::ask::{Finding, Loss, message};
use crate::browser::fetch_file;
use crate::catalog::PublishedGraph;
use crate::codec::awaited_published;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::rc::Rc;

/// The folder beside the page.
const FOLDER: &str = "graphs";

/// Fetches the graphs for which the scenario on screen, or the one beside it, waits: each once.
#[inline(never)] // The first visit does without it.
pub(super) fn follow(store: Store) {
    let asked = StoredValue::new(Vec::<&'static str>::new());
    Effect::new(move |_| {
        let own = store.scenario.with(awaited_published);
        let beside = store.kept.scenario();
        let beside = beside.as_deref().and_then(awaited_published);
        for graph in [own, beside].into_iter().flatten() {
            if asked.with_value(|asked| asked.contains(&graph.id.as_str())) {
                continue;
            }
            asked.update_value(|asked| asked.push(&graph.id));
            fetch(store, graph, Use::Awaited, || ());
        }
    });
}

/// Fetches a graph and shows it as the model, with the loss that it is trained with; `done` is called in any case.
pub fn open_published(store: Store, graph: &'static PublishedGraph, done: impl FnOnce() + 'static) {
    let usage = Use::Chosen(Loss::from_name(&graph.loss));
    fetch(store, graph, usage, done);
}

fn fetch(store: Store, graph: &'static PublishedGraph, usage: Use, done: impl FnOnce() + 'static) {
    spawn_local(async move {
        let file = graph.file();
        let Ok(fetched) = fetch_file(&format!("{FOLDER}/{file}")).await else {
            done();
            return store.address_findings.set(vec![unfetched(&file)]);
        };
        graph_opening::read(Rc::new(fetched), move |outcome| {
            done();
            let findings = match outcome {
                Outcome::Read(read) => graph_opening::show(store, file, &read, usage),
                Outcome::None(_) | Outcome::Unread => vec![unfetched(&file)],
            };
            if !findings.is_empty() {
                store.address_findings.set(findings);
            }
        });
    });
}

fn unfetched(file: &str) -> Finding {
    Finding::warning("model", message!(exported::unfetched, file))
}

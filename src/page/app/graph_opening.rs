//! Opening a graph: a thread of its own reads the archive, the scenario takes the graph.

use super::estimates;
use super::graphs::{self, PURPOSE, Read};
use super::model::change_model;
use super::store::Store;
use crate::ask::{ExportedModel, Finding, Fix, Loss, ModelRef, Scenario, Severity};
use crate::browser::{Chosen, Timer, Workers};
use crate::codec::{awaited_digest, awaited_graph, hand_graph};
use crate::exported::{Graph, Unreadable};
use crate::resolve::resolve;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// From an answer to the end of the thread that gave it.
const PAUSE: Duration = Duration::from_millis(500);
/// Rounds in which settings that a graph refuses are taken back.
const ROUNDS: usize = 12;

thread_local! {
    /// The thread that reads a graph, or has read one a moment ago.
    static READER: RefCell<Workers> = RefCell::default();
    /// Its end.
    static END: Timer = Timer::default();
}

/// The outcome of reading a graph's archive.
pub(super) enum Outcome {
    /// It was read.
    Read(Arc<Graph>),
    /// It is none, for this reason.
    None(Unreadable),
    /// The browser does not give its content.
    Unread,
}

/// Has an archive read by a thread of its own, which ends afterwards; by the page, where there is none.
pub(super) fn read(file: Rc<Chosen>, told: impl FnOnce(Outcome) + 'static) {
    let workers = Workers::start(1);
    let former = READER.replace(workers.clone());
    former.stop();
    END.with(Timer::clear);
    let asked = Rc::clone(&file);
    workers.ask_of(PURPOSE, &asked, move |worked| {
        END.with(|end| end.set(PAUSE, || READER.take().stop()));
        if let Some(text) = worked.text() {
            return told(outcome(&text));
        }
        spawn_local(async move { told(outcome(&graphs::written(&file).await)) });
    });
}

fn outcome(text: &str) -> Outcome {
    match serde_json::from_str::<Read>(text) {
        Ok(Some(Ok(graph))) => {
            let graph = Arc::new(graph);
            graphs::know(Arc::clone(&graph));
            estimates::note(text);
            Outcome::Read(graph)
        }
        Ok(Some(Err(why))) => Outcome::None(why),
        Ok(None) => Outcome::Unread,
        Err(why) => Outcome::None(Unreadable::NoGraph(why.to_string())),
    }
}

/// The reason for which a graph is shown.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Use {
    /// A scenario waits for one.
    Awaited,
    /// The reader wants it for a model, whether or not a scenario waits for one.
    Given,
    /// The reader has chosen it by its name; it is trained with this loss.
    Chosen(Option<Loss>),
}

/// Shows a graph: that of the scenario on screen, or of the one beside it, where they wait for one; else as another model,
/// whose scenario is settled. Returns the findings to show besides.
pub(super) fn show(store: Store, name: String, graph: &Arc<Graph>, usage: Use) -> Vec<Finding> {
    let mut findings = Vec::new();
    let takes = |of: &Scenario| match usage {
        Use::Awaited => awaited_digest(of) == Some(&graph.digest),
        Use::Given => waits(of),
        Use::Chosen(_) => false,
    };
    if let Some(mut beside) = store.kept.scenario().filter(|of| takes(of)) {
        findings.extend(hand_graph(&mut beside, Arc::clone(graph)));
        store.kept.set(Some(*beside));
        if !store.scenario.with_untracked(takes) {
            return findings;
        }
    }
    let mut scenario = store.scenario.get_untracked();
    if takes(&scenario) {
        if let ModelRef::Exported(model) = &mut scenario.model {
            model.exported = name;
        }
        findings.extend(hand_graph(&mut scenario, Arc::clone(graph)));
    } else if usage == Use::Awaited {
        // Another model has come meanwhile.
        return findings;
    } else {
        let model = ModelRef::Exported(ExportedModel {
            exported: name,
            digest: Some(graph.digest.clone()),
            graph: Some(Arc::clone(graph)),
        });
        scenario.symbols.clear();
        if let Use::Chosen(Some(loss)) = usage {
            scenario.loss = loss;
        }
        findings.extend(change_model(&mut scenario, model));
        findings.extend(settle(&mut scenario));
    }
    store.replace(scenario);
    findings
}

fn waits(scenario: &Scenario) -> bool {
    awaited_graph(scenario).is_some()
}

/// Takes back settings that a graph refuses, or that only the former model had; returns the findings about the changes.
fn settle(scenario: &mut Scenario) -> Vec<Finding> {
    let mut changed = Vec::new();
    for _ in 0..ROUNDS {
        let is_refused = |finding: &&Finding| {
            let is_error = finding.severity == Severity::Error;
            let is_asked = finding.key.starts_with("symbols.") || finding.key == "model";
            (is_error && !is_asked) || (finding.key == "loss" && finding.fix.is_some())
        };
        let findings = resolve(scenario).findings;
        let Some(finding) = findings.iter().find(is_refused) else {
            break;
        };
        let fix = finding.fix.clone().unwrap_or_else(|| Fix {
            key: finding.key.clone(),
            value: serde_json::Value::Null,
        });
        let fixed = fix.apply(scenario).filter(|fixed| fixed != scenario);
        let Some(fixed) = fixed else {
            break;
        };
        *scenario = fixed;
        changed.push(finding.clone());
    }
    changed
}

//! Models found for the text typed into the box for the model.

use super::model::{EXPORT, GRAPH, HUB, LINEAR, OWN, SIZE};
use crate::browser;
use crate::catalog::{Model, PublishedGraph};
use crate::families;
use crate::text::{Language, Word, model_of_size};
use crate::widgets::Found;

/// The name under which the browser keeps the models used last.
const KEPT: &str = "highwater.models";
/// As many are kept.
const RECENT: usize = 4;

fn recent() -> Vec<String> {
    let kept = browser::recall(KEPT).unwrap_or_default();
    kept.split(' ')
        .filter(|id| !id.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Keeps a model as used last, on this machine.
pub(super) fn remember(id: &str) {
    let mut all = recent();
    all.retain(|other| other != id);
    all.insert(0, id.to_owned());
    all.truncate(RECENT);
    browser::remember(KEPT, &all.join(" "));
}

fn line(model: &Model) -> Found {
    Found {
        value: model.id.to_owned(),
        label: model.name.to_owned(),
        detail: model.published.to_owned(),
        heading: None,
    }
}

fn graph_line(graph: &PublishedGraph) -> Found {
    Found {
        value: format!("{GRAPH}{}", graph.id),
        label: graph.name.clone(),
        detail: graph.library.clone(),
        heading: None,
    }
}

/// The name of a repository, `owner/name`, or its address.
fn repository(text: &str) -> Option<&str> {
    let name = text.trim().trim_start_matches("https://huggingface.co/");
    let name = name.trim_end_matches('/');
    let (owner, rest) = name.split_once('/')?;
    let plain = |part: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !part.is_empty() && part.chars().all(allowed)
    };
    (plain(owner) && plain(rest)).then_some(name)
}

/// Groups the catalog's order by the company or lab that published the models.
fn with_headings(found: &mut [Found], models: &[&'static Model]) {
    let mut before = "";
    for (found, model) in found.iter_mut().zip(models) {
        let owner = model.source.split('/').next().unwrap_or_default();
        if owner != before {
            found.heading = Some(owner.to_owned());
            before = owner;
        }
    }
}

/// Whether nothing has the typed name.
pub(super) fn finds_nothing(typed: &str) -> bool {
    let query = typed.trim();
    families::search_models(query).is_empty()
        && families::search_graphs(query).is_empty()
        && repository(query).is_none()
}

/// The ways to a model that are left where nothing is called as it is asked for: its size, where the query names one, its
/// config, its graph.
fn ways_left(query: &str, language: Language) -> Vec<Found> {
    let word = |word: Word| word.text(language).to_owned();
    let size = families::size_in(query).map(|size| Found {
        value: format!("{SIZE}{size}"),
        label: model_of_size(size, language),
        detail: word(Word::FoundSize),
        heading: None,
    });
    let others = [
        (OWN, Word::FoundConfig, Word::FoundConfigDetail),
        (EXPORT, Word::FoundGraph, Word::FoundGraphDetail),
    ];
    let others = others.map(|(value, label, detail)| Found {
        value: value.to_owned(),
        label: word(label),
        detail: word(detail),
        heading: None,
    });
    let mut ways: Vec<Found> = size.into_iter().chain(others).collect();
    if let Some(first) = ways.first_mut() {
        first.heading = Some(word(Word::FoundNothing));
    }
    ways
}

/// The lines of the list.
pub(super) fn find(typed: Option<String>, language: Language) -> Vec<Found> {
    let query = typed.unwrap_or_default();
    let word = |word: Word| word.text(language).to_owned();
    let models = families::search_models(query.trim());
    let mut found: Vec<Found> = models.iter().map(|model| line(model)).collect();
    let graphs = families::search_graphs(query.trim()).into_iter();
    let graphs = graphs.enumerate().map(|(at, graph)| Found {
        heading: (at == 0).then(|| word(Word::ModelGraphs)),
        ..graph_line(graph)
    });
    if query.trim().is_empty() {
        with_headings(&mut found, &models);
        let recent: Vec<Found> = recent()
            .iter()
            .filter_map(|id| families::catalog_model(id))
            .map(line)
            .enumerate()
            .map(|(at, found)| Found {
                heading: (at == 0).then(|| word(Word::ModelRecent)),
                ..found
            })
            .collect();
        found.splice(0..0, recent);
        found.extend(graphs);
        let own = [
            (LINEAR, word(Word::ModelLinear), String::new()),
            (OWN, word(Word::ModelCustom), word(Word::ModelOwnDetail)),
        ];
        let others = own
            .into_iter()
            .enumerate()
            .map(|(at, (value, label, detail))| Found {
                value: value.to_owned(),
                label,
                detail,
                heading: (at == 0).then(|| word(Word::ModelOwn)),
            });
        found.extend(others);
        return found;
    }
    found.extend(graphs);
    if let Some(name) = repository(&query)
        && families::catalog_model(name).is_none()
    {
        let fetch = Found {
            value: format!("{HUB}{name}"),
            label: name.to_owned(),
            detail: word(Word::ModelFetch),
            heading: None,
        };
        found.insert(0, fetch);
    }
    if found.is_empty() {
        return ways_left(query.trim(), language);
    }
    found
}

//! The model: found in the catalog, pasted as a config, fetched by its name on the hub, or a single
//! linear layer.

use super::config::ConfigField;
use super::find::{find, remember};
use super::graph::graph_controls;
use super::hub::fetch_config;
use crate::app::{Draft, Store, change_model, open_published, use_store};
use crate::ask::{ExportedModel, Finding, LinearModel, ModelRef, Scenario};
use crate::browser::focus_first;
use crate::codec::{Pasted, published_graph, published_name, read_pasted};
use crate::families;
use crate::text::{Language, Word, model_of_size};
use crate::views::setting::{Setting, SettingField};
use crate::widgets::Search;
use leptos::prelude::*;

pub(super) const MODEL: Setting = Setting::new("model");
const IN_FEATURES: Setting = Setting::new("model.linear.in_features")
    .steps(WIDTHS)
    .half();
const OUT_FEATURES: Setting = Setting::new("model.linear.out_features")
    .steps(WIDTHS)
    .half();

/// Value of the choice of a single layer; no catalog id looks like it.
pub(super) const LINEAR: &str = "nn.Linear";
/// Value of the choice of a config of one's own.
pub(super) const OWN: &str = "config.json";
/// Before the id of a graph that comes along.
pub(super) const GRAPH: &str = "graph:";
/// Value of the choice to export a model's graph, whose lines stand below the box.
pub(super) const EXPORT: &str = "model.pt2";
/// Before a number of parameters.
pub(super) const SIZE: &str = "parameters:";
/// Before the name of a repository whose config is to be fetched.
pub(super) const HUB: &str = "hub:";

/// The layer of the toy that shows where the peak is.
const TOY: LinearModel = LinearModel {
    in_features: 10_000,
    out_features: 50_000,
    bias: true,
};

/// Widths of layers.
const WIDTHS: &[u64] = &[
    256, 512, 1000, 1024, 2000, 2048, 4096, 5000, 8192, 10_000, 16_384, 20_000, 32_768, 50_000,
    65_536, 100_000,
];

/// The model.
#[component]
pub(super) fn ModelControls() -> impl IntoView {
    let store = use_store();
    let pasting = RwSignal::new(false);
    let typed = RwSignal::new(None::<String>);
    let fetching = RwSignal::new(false);
    let own = Memo::new(move |_| {
        store
            .scenario
            .with(|s| matches!(s.model, ModelRef::HfConfig { .. }))
    });
    let linear = Memo::new(move |_| {
        store
            .scenario
            .with(|s| matches!(s.model, ModelRef::Linear { .. }))
    });
    let open = Memo::new(move |_| pasting.get() || own.get());
    let chosen = Signal::derive(move || {
        if fetching.get() {
            return Word::ModelFetching.text(store.language.get()).to_owned();
        }
        let language = store.language.get();
        store
            .scenario
            .with(|scenario| model_name(scenario, language))
    });
    let choose = move |value: String| {
        pasting.set(value == OWN);
        if let Some(repository) = value.strip_prefix(HUB) {
            return fetch_config(store, repository.to_owned(), fetching);
        }
        if let Some(graph) = value.strip_prefix(GRAPH).and_then(published_graph) {
            fetching.set(true);
            return open_published(store, graph, move || fetching.set(false));
        }
        if let Some(num_parameters) = value.strip_prefix(SIZE).and_then(|size| size.parse().ok()) {
            return use_model(store, ModelRef::NumParameters { num_parameters });
        }
        let model = match value.as_str() {
            LINEAR => ModelRef::Linear { linear: TOY },
            OWN => return show_then_focus("#model-config"),
            EXPORT => return show_then_focus("#found-none-shape"),
            id => {
                remember(id);
                ModelRef::Catalog(id.to_owned())
            }
        };
        use_model(store, model);
    };
    // A config pasted whole is used at once: nobody types one.
    Effect::new(move |_| {
        let text = typed.get().unwrap_or_default();
        let link = text.contains('?') && text.contains("v=");
        if text.trim_start().starts_with('{') || link {
            typed.set(None);
            use_pasted(store, text);
        }
    });
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()).to_owned());
    let problem = MODEL.problem(store);
    view! {
        <SettingField setting=MODEL idle=MODEL.idle(store) problem>
            <div class="model">
                <Search
                    id=MODEL.key
                    described="model-note model-problem"
                    chosen
                    hint=word(Word::ModelSearch)
                    list_name=word(Word::ModelList)
                    nothing=word(Word::ModelNothing)
                    typed
                    found=Signal::derive(move || find(typed.get(), store.language.get()))
                    invalid=Signal::derive(move || problem.get().is_some_and(|p| p.blocking))
                    on_choice=choose
                />
                <button
                    type="button"
                    class="quiet"
                    aria-expanded=Signal::derive(move || open.get().to_string())
                    aria-controls="model-config-field"
                    on:click=move |_| pasting.update(|pasting| *pasting = !*pasting)
                >
                    "config.json"
                </button>
            </div>
        </SettingField>
        <div id="model-config-field" hidden=Signal::derive(move || !open.get())>
            <ConfigField />
        </div>
        <Show when=move || store.whole.get() || linear.get()>{own_controls(linear, typed)}</Show>
    }
}

/// Focuses a field that the choice of it shows, once it is there.
#[inline(never)] // The first visit does without it.
fn show_then_focus(selector: &'static str) {
    request_animation_frame(move || {
        focus_first(selector);
    });
}

/// Controls of models of the reader's own: of a layer, of a graph.
#[inline(never)] // The first visit does without it.
fn own_controls(linear: Memo<bool>, typed: RwSignal<Option<String>>) -> AnyView {
    view! {
        <Show when=move || linear.get()>
            {IN_FEATURES.view()}
            {OUT_FEATURES.view()}
        </Show>
        {graph_controls(typed)}
    }
    .into_any()
}

/// The name of the model in use.
pub(super) fn model_name(scenario: &Scenario, language: Language) -> String {
    match &scenario.model {
        ModelRef::Catalog(id) => {
            families::catalog_model(id).map_or_else(|| id.clone(), |model| model.name.to_owned())
        }
        ModelRef::Linear { .. } => Word::ModelLinear.text(language).to_owned(),
        ModelRef::HfConfig { hf_config } => {
            let kind = hf_config.get("model_type").and_then(|kind| kind.as_str());
            kind.map_or_else(|| OWN.to_owned(), |kind| format!("{OWN}: {kind}"))
        }
        ModelRef::NumParameters { num_parameters } => sized_name(*num_parameters, language),
        ModelRef::Exported(model) => graph_name(model),
    }
}

/// The name of a model of which only the size is known.
#[inline(never)] // The first visit does without it.
fn sized_name(parameters: u64, language: Language) -> String {
    model_of_size(parameters, language)
}

/// The name of a graph: the model's name where it comes along, else its file's.
#[inline(never)] // The first visit does without it.
fn graph_name(model: &ExportedModel) -> String {
    let along = published_name(model).map(str::to_owned);
    along.unwrap_or_else(|| model.exported.clone())
}

/// Uses a model, and shows what its config says besides.
pub(super) fn use_model(store: Store, model: ModelRef) {
    let mut said = None;
    store.edit(MODEL.key, |scenario| said = change_model(scenario, model));
    if said.is_some() {
        store.address_findings.set(said.into_iter().collect());
    }
}

/// Uses a pasted text: a config, a whole scenario, a link or the name of a model.
pub(super) fn use_pasted(store: Store, text: String) {
    let (pasted, findings) = read_pasted(&text);
    match pasted {
        Some(Pasted::Model(model)) => use_model(store, model),
        Some(Pasted::Scenario(scenario)) => {
            store.replace(*scenario);
            store.address_findings.set(findings);
        }
        None => {
            if let Some(Finding { message, .. }) = findings.into_iter().next() {
                store.reject(MODEL.key, Draft { text, message });
            }
        }
    }
}

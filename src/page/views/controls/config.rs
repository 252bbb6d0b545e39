//! A config of one's own, to be pasted and changed.

use super::model::{MODEL, use_pasted};
use crate::app::use_store;
use crate::ask::{ModelRef, Scenario};
use crate::text::Word;
use leptos::prelude::*;

/// The text field into which a config is pasted. Whole scenarios, links and hub ids are understood too.
#[component]
pub(super) fn ConfigField() -> impl IntoView {
    let store = use_store();
    let typed = RwSignal::new(None::<String>);
    let shown = move || {
        typed
            .get()
            .unwrap_or_else(|| store.scenario.with(config_text))
    };
    let paste = move |text: String| {
        typed.set(Some(text.clone()));
        use_pasted(store, text);
    };
    view! {
        <div class="field">
            <label class="field-label" for="model-config">
                {Signal::derive(move || Word::ModelConfig.text(store.language.get()))}
            </label>
            <textarea
                id="model-config"
                rows="6"
                spellcheck="false"
                autocomplete="off"
                aria-describedby="model-config-help model-problem"
                prop:value=shown
                on:input:target=move |event| paste(event.target().value())
                on:blur=move |_| {
                    if store.drafts.with_untracked(|drafts| !drafts.contains_key(MODEL.key)) {
                        typed.set(None);
                    }
                }
            ></textarea>
            <p class="field-note" id="model-config-help">
                {Signal::derive(move || Word::ModelConfigHelp.text(store.language.get()))}
            </p>
        </div>
    }
}

/// The config that is in use, as text.
fn config_text(scenario: &Scenario) -> String {
    match &scenario.model {
        ModelRef::HfConfig { hf_config } => {
            serde_json::to_string_pretty(hf_config).unwrap_or_default()
        }
        _ => String::new(),
    }
}

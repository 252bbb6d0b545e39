//! The model: one of the catalog, a single linear layer, or a pasted config.

use crate::app::{Draft, Store, use_store};
use crate::catalog::MODELS;
use crate::codec::{Pasted, read_pasted};
use crate::spec::{LinearModel, ModelRef, Scenario};
use crate::text::Word;
use crate::views::setting::{NumberSetting, Setting, SettingField};
use crate::widgets::{Choice, Choices};
use leptos::prelude::*;

const MODEL: Setting = Setting::new("model", Word::Model, Word::ModelHelp);
const IN_FEATURES: Setting = Setting::with_id(
    "model.linear.in_features",
    "in_features",
    Word::InFeatures,
    Word::InFeaturesHelp,
);
const OUT_FEATURES: Setting = Setting::with_id(
    "model.linear.out_features",
    "out_features",
    Word::OutFeatures,
    Word::OutFeaturesHelp,
);

/// Value of the choice of a single layer; no catalog id looks like it.
const LINEAR: &str = "nn.Linear";
/// Value of the choice of a config of one's own.
const OWN: &str = "config.json";

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
    let chosen = Memo::new(move |_| store.scenario.with(choice_of));
    let linear = Memo::new(move |_| chosen.with(|value| value == LINEAR));
    let open = Memo::new(move |_| pasting.get() || chosen.with(|value| value == OWN));
    let choose = move |value: String| {
        pasting.set(value == OWN);
        let model = match value.as_str() {
            LINEAR => ModelRef::Linear { linear: TOY },
            OWN => return,
            id => ModelRef::Catalog(id.to_owned()),
        };
        store.edit(MODEL.key, |scenario| change_model(scenario, model));
    };
    view! {
        <SettingField setting=MODEL>
            <div class="model">
                <Choices
                    id=MODEL.id
                    choices=choices(store)
                    value=chosen
                    disabled=false
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
        <Show when=move || linear.get()>
            <div class="pair">
                <NumberSetting
                    setting=IN_FEATURES
                    steps=WIDTHS
                    get=|s| layer(s).in_features
                    set=|s, value| change_layer(s, |layer| layer.in_features = value)
                />
                <NumberSetting
                    setting=OUT_FEATURES
                    steps=WIDTHS
                    get=|s| layer(s).out_features
                    set=|s, value| change_layer(s, |layer| layer.out_features = value)
                />
            </div>
        </Show>
    }
}

fn choice_of(scenario: &Scenario) -> String {
    match &scenario.model {
        ModelRef::Catalog(id) => id.clone(),
        ModelRef::Linear { .. } => LINEAR.to_owned(),
        ModelRef::HfConfig { .. } | ModelRef::NumParameters { .. } => OWN.to_owned(),
    }
}

fn choices(store: Store) -> Signal<Vec<Choice>> {
    Signal::derive(move || {
        let language = store.language.get();
        let models = MODELS.iter().map(|model| Choice {
            value: model.id.to_owned(),
            label: model.name.to_owned(),
        });
        let others =
            [(LINEAR, Word::ModelLinear), (OWN, Word::ModelCustom)].map(|(value, word)| Choice {
                value: value.to_owned(),
                label: word.text(language).to_owned(),
            });
        models.chain(others).collect()
    })
}

fn change_model(scenario: &mut Scenario, model: ModelRef) {
    scenario.model = model;
    scenario.model_overrides.clear();
}

fn layer(scenario: &Scenario) -> LinearModel {
    match scenario.model {
        ModelRef::Linear { linear } => linear,
        _ => TOY,
    }
}

fn change_layer(scenario: &mut Scenario, change: impl FnOnce(&mut LinearModel)) {
    if let ModelRef::Linear { linear } = &mut scenario.model {
        change(linear);
    }
}

/// Where a config is pasted. Whole scenarios, links and hub ids are understood too.
#[component]
fn ConfigField() -> impl IntoView {
    let store = use_store();
    let typed = RwSignal::new(None::<String>);
    let shown = move || {
        typed
            .get()
            .unwrap_or_else(|| store.scenario.with(config_text))
    };
    let paste = move |text: String| {
        let (pasted, findings) = read_pasted(&text);
        typed.set(Some(text.clone()));
        match pasted {
            Some(Pasted::Model(model)) => {
                store.edit(MODEL.key, |scenario| change_model(scenario, model));
            }
            Some(Pasted::Scenario(scenario)) => {
                store.replace(*scenario);
                store.address_findings.set(findings);
            }
            None => {
                let message = findings.into_iter().next().map_or_else(
                    || (String::new(), String::new()),
                    |finding| (finding.message, finding.message_zh),
                );
                store.reject(MODEL.key, Draft { text, message });
            }
        }
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

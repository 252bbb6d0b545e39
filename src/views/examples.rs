//! Ready configurations, each a link.

use crate::app::{query_of_scenario, use_store, visit};
use crate::spec::{
    ActivationCheckpointing, LinearModel, Loss, ModelRef, Optimizer, OptimizerImpl, OptimizerName,
    Precision, Scenario,
};
use crate::text::Word;
use leptos::prelude::*;

/// The examples: what they are called and what they are.
fn examples() -> [(Word, Scenario); 4] {
    [
        (Word::ExampleOptimizer, Scenario::default()),
        (
            Word::ExampleBackward,
            Scenario {
                micro_batch_size: 16,
                ..Scenario::default()
            },
        ),
        (
            Word::ExampleLarge,
            Scenario {
                model: ModelRef::Catalog("llama-3.1-8b".to_owned()),
                micro_batch_size: 1,
                seq_len: 4096,
                precision: Precision::Bf16,
                activation_checkpointing: ActivationCheckpointing::Full,
                ..Scenario::default()
            },
        ),
        (
            Word::ExampleToy,
            Scenario {
                model: ModelRef::Linear {
                    linear: LinearModel {
                        in_features: 10_000,
                        out_features: 50_000,
                        bias: true,
                    },
                },
                micro_batch_size: 5000,
                loss: Loss::MeanLogits,
                optimizer: Optimizer {
                    name: OptimizerName::Sgd,
                    implementation: OptimizerImpl::Foreach,
                    ..Optimizer::default()
                },
                ..Scenario::default()
            },
        ),
    ]
}

/// The examples.
#[component]
pub(super) fn Examples() -> impl IntoView {
    let store = use_store();
    let link = move |(word, scenario): (Word, Scenario)| {
        let query = StoredValue::new(query_of_scenario(store, &scenario));
        let chosen = Memo::new(move |_| store.scenario.with(|now| *now == scenario));
        view! {
            <li>
                <a
                    href=Signal::derive(move || query.with_value(|query| format!("?{query}")))
                    aria-current=Signal::derive(move || chosen.get().then_some("true"))
                    on:click=move |event| {
                        event.prevent_default();
                        visit(store, &query.get_value());
                    }
                >
                    {Signal::derive(move || word.text(store.language.get()))}
                </a>
            </li>
        }
    };
    view! {
        <nav class="examples" aria-label=Signal::derive(move || Word::Examples.text(store.language.get()))>
            <ul>{examples().into_iter().map(link).collect_view()}</ul>
        </nav>
    }
}

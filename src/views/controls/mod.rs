//! The controls: every setting of a training run that the page offers, in order of weight.

mod config;
mod data;
mod evaluation;
mod find;
mod hub;
mod machine;
mod model;
mod more;
mod training;

use crate::app::use_store;
use crate::browser;
use crate::text::Word;
use data::DataControls;
use evaluation::EvaluationControls;
use leptos::prelude::*;
pub(super) use machine::GpuControl;
use machine::MachineControls;
use model::ModelControls;
use more::MoreControls;
use training::TrainingControls;
pub(super) use training::{MicroBatchControl, SeqLenControl};

/// Keys that have a control: what is to be said about them is said there.
pub(super) const KEYS: &[&str] = &[
    "model",
    "micro_batch_size",
    "seq_len",
    "gradient_accumulation_steps",
    "precision",
    "optimizer.name",
    "optimizer.impl",
    "attention",
    "activation_checkpointing",
    "clip_grad_norm",
    "loss",
    "framework",
    "task",
    "target_seq_len",
    "hardware.gpu",
    "hardware.gpus_per_node",
    "hardware.processes_per_gpu",
    "hardware.host_ram",
    "hardware.swap",
    "dataset.mode",
    "dataset.raw_bytes",
    "dataloader.num_workers",
    "dataloader.pin_memory",
    "program",
    "evaluation.kind",
    "evaluation.micro_batch_size",
    "evaluation.batches",
    "evaluation.keep_predictions",
    "evaluation.max_new_tokens",
    "evaluation.num_beams",
    "checkpoint_every",
    "offload.activations",
    "pad_to_multiple_of",
];

/// All controls.
#[component]
pub(super) fn Controls() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| Signal::derive(move || word.text(store.language.get()));
    view! {
        <section class="controls" data-testid="controls" aria-label=word(Word::Controls)>
            <ModelControls />
            <GpuControl />
            <TrainingControls />
            <Group id="group-machine" title=Word::GroupHost>
                <MachineControls />
            </Group>
            <Group id="group-data" title=Word::GroupData>
                <DataControls />
            </Group>
            <Group id="group-evaluation" title=Word::GroupEvaluation>
                <EvaluationControls />
            </Group>
            <Group id="group-more" title=Word::GroupMore>
                <MoreControls />
            </Group>
        </section>
    }
}

/// A group of controls that can be folded; open where there is room beside the answer.
#[component]
fn Group(
    /// The id of what is folded.
    id: &'static str,
    /// The title.
    title: Word,
    /// The controls.
    children: Children,
) -> impl IntoView {
    let store = use_store();
    let open = RwSignal::new(browser::is_wide());
    view! {
        <div class="group">
            <button
                type="button"
                class="group-title"
                aria-expanded=Signal::derive(move || open.get().to_string())
                aria-controls=id
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {Signal::derive(move || title.text(store.language.get()))}
            </button>
            <div
                class="group-body"
                id=id
                role="group"
                aria-label=Signal::derive(move || title.text(store.language.get()))
                hidden=Signal::derive(move || !open.get())
            >
                {children()}
            </div>
        </div>
    }
}

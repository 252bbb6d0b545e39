//! The controls: every setting of a training run that the page offers, in order of weight.

mod data;
mod machine;
mod model;
mod more;
mod training;

use crate::app::use_store;
use crate::text::Word;
use data::DataControls;
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
    "hardware.gpu",
    "hardware.gpus_per_node",
    "hardware.processes_per_gpu",
    "hardware.host_ram",
    "hardware.swap",
    "dataset.mode",
    "dataset.raw_bytes",
    "dataloader.num_workers",
    "dataloader.pin_memory",
];

/// All controls.
#[component]
pub(super) fn Controls() -> impl IntoView {
    let store = use_store();
    let word = move |word: Word| move || word.text(store.language.get());
    view! {
        <section class="controls" data-testid="controls" aria-label=word(Word::Controls)>
            <ModelControls />
            <TrainingControls />
            <Group title=Word::GroupHost>
                <MachineControls />
            </Group>
            <Group title=Word::GroupData>
                <DataControls />
            </Group>
            <Group title=Word::GroupMore>
                <MoreControls />
            </Group>
        </section>
    }
}

/// A group of controls with a title.
#[component]
fn Group(
    /// The title.
    title: Word,
    /// The controls.
    children: Children,
) -> impl IntoView {
    let store = use_store();
    view! {
        <fieldset class="group">
            <legend>{move || title.text(store.language.get())}</legend>
            {children()}
        </fieldset>
    }
}

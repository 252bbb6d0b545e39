//! Settings that matter less often.

use super::training::LENGTHS;
use crate::spec::{Framework, Task};
use crate::text::Word;
use crate::views::setting::{ChoiceSetting, Kind, NumberSetting, Setting, SwitchSetting, terms};
use leptos::prelude::*;

const TASK: Setting = Setting::new("task", Word::Task, Word::TaskHelp);
const TARGET_SEQ_LEN: Setting =
    Setting::new("target_seq_len", Word::TargetSeqLen, Word::TargetSeqLenHelp);
const CLIPPING: Setting = Setting::new("clip_grad_norm", Word::Clipping, Word::ClippingHelp);
const OFFLOAD: Setting = Setting::with_id(
    "offload.optimizer_states",
    "offload-optimizer-states",
    Word::OffloadStates,
    Word::OffloadStatesHelp,
);
const OFFLOAD_GRADIENTS: Setting = Setting::with_id(
    "offload.gradients",
    "offload-gradients",
    Word::OffloadGradients,
    Word::OffloadGradientsHelp,
);
const CHECKPOINT_EVERY: Setting = Setting::new(
    "checkpoint_every",
    Word::CheckpointEvery,
    Word::CheckpointEveryHelp,
);
const OFFLOAD_ACTIVATIONS: Setting = Setting::with_id(
    "offload.activations",
    "offload-activations",
    Word::OffloadActivations,
    Word::OffloadActivationsHelp,
);
const PAD_TO: Setting = Setting::new("pad_to_multiple_of", Word::PadTo, Word::PadToHelp);

/// Of how many layers people checkpoint one.
const LAYERS: &[u64] = &[1, 2, 3, 4, 6, 8];
/// Multiples that people pad to.
const MULTIPLES: &[u64] = &[1, 8, 16, 32, 64, 128];

const FRAMEWORK: Setting = Setting::new("framework", Word::Framework, Word::FrameworkHelp);

/// Settings that matter less often.
#[component]
pub(super) fn MoreControls() -> impl IntoView {
    view! {
        <ChoiceSetting
            setting=TASK
            choices=terms(Task::ALL, Task::name)
            get=|s| s.task.name().to_owned()
            set=|s, name| {
                if let Some(task) = Task::from_name(name) {
                    s.task = task;
                }
            }
        />
        <NumberSetting
            setting=TARGET_SEQ_LEN
            steps=LENGTHS
            kind=Kind::Tokens
            get=|s| s.target_seq_len.unwrap_or(s.seq_len)
            set=|s, value| s.target_seq_len = Some(value)
        />
        <SwitchSetting
            setting=CLIPPING
            get=|s| s.clip_grad_norm
            set=|s, on| s.clip_grad_norm = on
        />
        <SwitchSetting
            setting=OFFLOAD
            get=|s| s.offload.optimizer_states
            set=|s, on| s.offload.optimizer_states = on
        />
        <SwitchSetting
            setting=OFFLOAD_GRADIENTS
            get=|s| s.offload.gradients
            set=|s, on| s.offload.gradients = on
        />
        <SwitchSetting
            setting=OFFLOAD_ACTIVATIONS
            get=|s| s.offload.activations
            set=|s, on| s.offload.activations = on
        />
        <NumberSetting
            setting=CHECKPOINT_EVERY
            steps=LAYERS
            get=|s| s.checkpoint_every
            set=|s, value| s.checkpoint_every = value
        />
        <NumberSetting
            setting=PAD_TO
            steps=MULTIPLES
            get=|s| s.pad_to_multiple_of.unwrap_or(1)
            set=|s, value| s.pad_to_multiple_of = (value != 1).then_some(value)
        />
        <ChoiceSetting
            setting=FRAMEWORK
            choices=terms(Framework::ALL, Framework::name)
            get=|s| s.framework.name().to_owned()
            set=|s, name| {
                if let Some(framework) = Framework::from_name(name) {
                    s.framework = framework;
                }
            }
        />
    }
}

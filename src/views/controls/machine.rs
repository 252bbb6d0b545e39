//! The machine.

use crate::catalog::ACCELERATORS;
use crate::text::Word;
use crate::views::setting::{ChoiceSetting, Kind, NumberSetting, Setting};
use crate::widgets::Choice;
use leptos::prelude::*;

const GPU: Setting = Setting::with_id("hardware.gpu", "gpu", Word::Gpu, Word::GpuHelp);
const GPUS: Setting = Setting::with_id(
    "hardware.gpus_per_node",
    "gpus_per_node",
    Word::GpusPerNode,
    Word::GpusPerNodeHelp,
);
const PROCESSES: Setting = Setting::with_id(
    "hardware.processes_per_gpu",
    "processes_per_gpu",
    Word::ProcessesPerGpu,
    Word::ProcessesPerGpuHelp,
);
const HOST_RAM: Setting = Setting::with_id(
    "hardware.host_ram",
    "host_ram",
    Word::HostRam,
    Word::HostRamHelp,
);
const SWAP: Setting = Setting::with_id("hardware.swap", "swap", Word::Swap, Word::SwapHelp);

/// GPUs in a machine.
const GPU_COUNTS: &[u64] = &[1, 2, 3, 4, 6, 8, 10, 16];
/// Processes on a GPU.
const PROCESS_COUNTS: &[u64] = &[1, 2, 3, 4];
/// RAM as machines have it.
const RAM_SIZES: &[u64] = &[
    8 << 30,
    16 << 30,
    24 << 30,
    32 << 30,
    48 << 30,
    64 << 30,
    96 << 30,
    128 << 30,
    192 << 30,
    256 << 30,
    384 << 30,
    512 << 30,
    768 << 30,
    1 << 40,
    2 << 40,
];
/// Swap as machines have it.
const SWAP_SIZES: &[u64] = &[0, 2 << 30, 4 << 30, 8 << 30, 16 << 30, 32 << 30, 64 << 30];

/// Which accelerator.
#[component]
pub(in crate::views) fn GpuControl() -> impl IntoView {
    let choices: Vec<Choice> = ACCELERATORS
        .iter()
        .map(|accelerator| Choice {
            value: accelerator.id.to_owned(),
            label: accelerator.name.to_owned(),
        })
        .collect();
    view! {
        <ChoiceSetting
            setting=GPU
            choices=Signal::stored(choices)
            get=|s| s.hardware.gpu.clone()
            set=|s, id| {
                id.clone_into(&mut s.hardware.gpu);
                s.hardware.gpu_memory = None;
            }
        />
    }
}

/// The machine.
#[component]
pub(super) fn MachineControls() -> impl IntoView {
    view! {
        <NumberSetting
            setting=GPUS
            steps=GPU_COUNTS
            get=|s| s.hardware.gpus_per_node
            set=|s, value| s.hardware.gpus_per_node = value
        />
        <NumberSetting
            setting=PROCESSES
            steps=PROCESS_COUNTS
            get=|s| s.hardware.processes_per_gpu
            set=|s, value| s.hardware.processes_per_gpu = value
        />
        <NumberSetting
            setting=HOST_RAM
            steps=RAM_SIZES
            kind=Kind::Bytes
            get=|s| s.hardware.host_ram
            set=|s, value| s.hardware.host_ram = value
        />
        <NumberSetting
            setting=SWAP
            steps=SWAP_SIZES
            kind=Kind::Bytes
            get=|s| s.hardware.swap
            set=|s, value| s.hardware.swap = value
        />
    }
}

//! The data set and its loader.

use crate::spec::DatasetMode;
use crate::text::Word;
use crate::views::setting::{ChoiceSetting, Kind, NumberSetting, Setting, SwitchSetting, terms};
use leptos::prelude::*;

const MODE: Setting = Setting::with_id(
    "dataset.mode",
    "dataset-mode",
    Word::DatasetMode,
    Word::DatasetModeHelp,
);
const SIZE: Setting = Setting::with_id(
    "dataset.raw_bytes",
    "dataset-size",
    Word::DatasetSize,
    Word::DatasetSizeHelp,
);
const WORKERS: Setting = Setting::with_id(
    "dataloader.num_workers",
    "num_workers",
    Word::Workers,
    Word::WorkersHelp,
);
const PIN: Setting = Setting::with_id(
    "dataloader.pin_memory",
    "pin_memory",
    Word::PinMemory,
    Word::PinMemoryHelp,
);

/// Sizes of data sets.
const DATASET_SIZES: &[u64] = &[
    64 << 20,
    256 << 20,
    512 << 20,
    1 << 30,
    2 << 30,
    4 << 30,
    8 << 30,
    16 << 30,
    32 << 30,
    64 << 30,
    128 << 30,
    256 << 30,
    512 << 30,
];
/// Numbers of worker processes.
const WORKER_COUNTS: &[u64] = &[0, 1, 2, 4, 6, 8, 12, 16, 24, 32];

/// The data set and its loader.
#[component]
pub(super) fn DataControls() -> impl IntoView {
    view! {
        <ChoiceSetting
            setting=MODE
            choices=terms(DatasetMode::ALL, DatasetMode::name)
            get=|s| s.dataset.mode.name().to_owned()
            set=|s, name| {
                if let Some(mode) = DatasetMode::from_name(name) {
                    s.dataset.mode = mode;
                }
            }
        />
        <NumberSetting
            setting=SIZE
            steps=DATASET_SIZES
            kind=Kind::Bytes
            get=|s| s.dataset.raw_bytes
            set=|s, value| s.dataset.raw_bytes = value
        />
        <NumberSetting
            setting=WORKERS
            steps=WORKER_COUNTS
            get=|s| s.dataloader.num_workers
            set=|s, value| s.dataloader.num_workers = value
        />
        <SwitchSetting
            setting=PIN
            get=|s| s.dataloader.pin_memory
            set=|s, on| s.dataloader.pin_memory = on
        />
    }
}

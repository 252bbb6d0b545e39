//! The settings that matter most for GPU memory.

use crate::spec::{
    ActivationCheckpointing, Attention, Loss, OptimizerImpl, OptimizerName, Precision,
};
use crate::text::Word;
use crate::views::setting::{ChoiceSetting, Kind, NumberSetting, Setting, terms};
use leptos::prelude::*;

pub(in crate::views) const MICRO_BATCH_SIZE: Setting = Setting::new(
    "micro_batch_size",
    Word::MicroBatchSize,
    Word::MicroBatchSizeHelp,
);
const SEQ_LEN: Setting = Setting::new("seq_len", Word::SeqLen, Word::SeqLenHelp);
const ACCUMULATION: Setting = Setting::new(
    "gradient_accumulation_steps",
    Word::Accumulation,
    Word::AccumulationHelp,
);
const PRECISION: Setting = Setting::new("precision", Word::Precision, Word::PrecisionHelp);
const OPTIMIZER: Setting = Setting::with_id(
    "optimizer.name",
    "optimizer",
    Word::Optimizer,
    Word::OptimizerHelp,
);
const IMPLEMENTATION: Setting = Setting::with_id(
    "optimizer.impl",
    "optimizer-impl",
    Word::OptimizerImpl,
    Word::OptimizerImplHelp,
);
const ATTENTION: Setting = Setting::new("attention", Word::Attention, Word::AttentionHelp);
const CHECKPOINTING: Setting = Setting::new(
    "activation_checkpointing",
    Word::Checkpointing,
    Word::CheckpointingHelp,
);
const LOSS: Setting = Setting::new("loss", Word::LossFrom, Word::LossFromHelp);

/// Batch sizes that people use.
const BATCH_SIZES: &[u64] = &[
    1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 192, 256,
];
/// Sequence lengths that people use.
pub(super) const LENGTHS: &[u64] = &[
    64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 16_384, 32_768,
];
/// Micro-batches per optimizer step that people use.
const ACCUMULATIONS: &[u64] = &[1, 2, 4, 8, 16, 32, 64, 128];

/// Samples per forward pass.
#[component]
pub(in crate::views) fn MicroBatchControl() -> impl IntoView {
    view! {
        <NumberSetting
            setting=MICRO_BATCH_SIZE
            steps=BATCH_SIZES
            get=|s| s.micro_batch_size
            set=|s, value| s.micro_batch_size = value
        />
    }
}

/// Tokens per sample.
#[component]
pub(in crate::views) fn SeqLenControl() -> impl IntoView {
    view! {
        <NumberSetting
            setting=SEQ_LEN
            steps=LENGTHS
            kind=Kind::Tokens
            get=|s| s.seq_len
            set=|s, value| s.seq_len = value
        />
    }
}

/// The settings that matter most for GPU memory.
#[component]
pub(super) fn TrainingControls() -> impl IntoView {
    view! {
        <MicroBatchControl />
        <SeqLenControl />
        <NumberSetting
            setting=ACCUMULATION
            steps=ACCUMULATIONS
            get=|s| s.gradient_accumulation_steps
            set=|s, value| s.gradient_accumulation_steps = value
        />
        <div class="pair">
            <ChoiceSetting
                setting=PRECISION
                choices=terms(Precision::ALL, Precision::name)
                get=|s| s.precision.name().to_owned()
                set=|s, name| {
                    if let Some(precision) = Precision::from_name(name) {
                        s.precision = precision;
                    }
                }
            />
            <ChoiceSetting
                setting=CHECKPOINTING
                choices=terms(ActivationCheckpointing::ALL, ActivationCheckpointing::name)
                get=|s| s.activation_checkpointing.name().to_owned()
                set=|s, name| {
                    if let Some(checkpointing) = ActivationCheckpointing::from_name(name) {
                        s.activation_checkpointing = checkpointing;
                    }
                }
            />
        </div>
        <div class="pair">
            <ChoiceSetting
                setting=OPTIMIZER
                choices=terms(OptimizerName::ALL, OptimizerName::name)
                get=|s| s.optimizer.name.name().to_owned()
                set=|s, name| {
                    if let Some(name) = OptimizerName::from_name(name) {
                        s.optimizer.name = name;
                    }
                }
            />
            <ChoiceSetting
                setting=IMPLEMENTATION
                choices=terms(
                    &[OptimizerImpl::Foreach, OptimizerImpl::Fused, OptimizerImpl::ForLoop],
                    OptimizerImpl::name,
                )
                get=|s| s.optimizer.implementation.name().to_owned()
                set=|s, name| {
                    if let Some(implementation) = OptimizerImpl::from_name(name) {
                        s.optimizer.implementation = implementation;
                    }
                }
            />
        </div>
        <div class="pair">
            <ChoiceSetting
                setting=ATTENTION
                choices=terms(Attention::ALL, Attention::name)
                get=|s| s.attention.name().to_owned()
                set=|s, name| {
                    if let Some(attention) = Attention::from_name(name) {
                        s.attention = attention;
                    }
                }
            />
            <ChoiceSetting
                setting=LOSS
                choices=terms(Loss::ALL, Loss::name)
                get=|s| s.loss.name().to_owned()
                set=|s, name| {
                    if let Some(loss) = Loss::from_name(name) {
                        s.loss = loss;
                    }
                }
            />
        </div>
    }
}

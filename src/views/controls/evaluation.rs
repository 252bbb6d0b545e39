//! The settings of an evaluation, or of generation.

use crate::spec::{EvaluationKind, Program};
use crate::text::Word;
use crate::views::setting::{ChoiceSetting, Kind, NumberSetting, Setting, SwitchSetting, terms};
use leptos::prelude::*;

const PROGRAM: Setting = Setting::new("program", Word::Program, Word::ProgramHelp);
const KIND: Setting = Setting::with_id(
    "evaluation.kind",
    "evaluation-kind",
    Word::Evaluation,
    Word::EvaluationHelp,
);
const BATCH: Setting = Setting::with_id(
    "evaluation.micro_batch_size",
    "evaluation-batch",
    Word::EvaluationBatch,
    Word::EvaluationBatchHelp,
);
const BATCHES: Setting = Setting::with_id(
    "evaluation.batches",
    "evaluation-batches",
    Word::EvaluationBatches,
    Word::EvaluationBatchesHelp,
);
const KEEP: Setting = Setting::with_id(
    "evaluation.keep_predictions",
    "evaluation-keep",
    Word::KeepPredictions,
    Word::KeepPredictionsHelp,
);
const NEW_TOKENS: Setting = Setting::with_id(
    "evaluation.max_new_tokens",
    "evaluation-new-tokens",
    Word::NewTokens,
    Word::NewTokensHelp,
);
const BEAMS: Setting = Setting::with_id(
    "evaluation.num_beams",
    "evaluation-beams",
    Word::Beams,
    Word::BeamsHelp,
);

/// Batch sizes that people evaluate with.
const BATCH_SIZES: &[u64] = &[1, 2, 4, 8, 16, 32, 64, 128, 256];
/// Batches that people evaluate.
const COUNTS: &[u64] = &[1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000];
/// Tokens that people generate.
const TOKENS: &[u64] = &[16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192];
/// Beams that people search with.
const BEAM_COUNTS: &[u64] = &[1, 2, 3, 4, 5, 8, 10, 16];

/// The settings of an evaluation, or of generation.
#[component]
pub(super) fn EvaluationControls() -> impl IntoView {
    view! {
        <div class="pair">
            <ChoiceSetting
                setting=PROGRAM
                choices=terms(Program::ALL, Program::name)
                get=|s| s.program.name().to_owned()
                set=|s, name| {
                    if let Some(program) = Program::from_name(name) {
                        s.program = program;
                    }
                }
            />
            <ChoiceSetting
                setting=KIND
                choices=terms(EvaluationKind::ALL, EvaluationKind::name)
                get=|s| s.evaluation.kind.name().to_owned()
                set=|s, name| {
                    if let Some(kind) = EvaluationKind::from_name(name) {
                        s.evaluation.kind = kind;
                    }
                }
            />
        </div>
        <NumberSetting
            setting=BATCH
            steps=BATCH_SIZES
            get=|s| s.evaluation.micro_batch_size.unwrap_or(s.micro_batch_size)
            set=|s, value| s.evaluation.micro_batch_size = Some(value)
        />
        <NumberSetting
            setting=BATCHES
            steps=COUNTS
            get=|s| s.evaluation.batches
            set=|s, value| s.evaluation.batches = value
        />
        <SwitchSetting
            setting=KEEP
            get=|s| s.evaluation.keep_predictions
            set=|s, on| s.evaluation.keep_predictions = on
        />
        <NumberSetting
            setting=NEW_TOKENS
            steps=TOKENS
            kind=Kind::Tokens
            get=|s| s.evaluation.max_new_tokens
            set=|s, value| s.evaluation.max_new_tokens = value
        />
        <NumberSetting
            setting=BEAMS
            steps=BEAM_COUNTS
            get=|s| s.evaluation.num_beams
            set=|s, value| s.evaluation.num_beams = value
        />
    }
}

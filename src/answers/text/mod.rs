//! Words and numbers for people, in English and in Chinese.
//!
//! Everything a person reads is made here. Each word is one line with both languages, so that
//! none can be missing; each sentence is a function of plain data. Nothing here knows the page.

mod absent;
mod bar_parts;
mod configs;
mod explained;
mod explanation;
mod export;
mod failed;
mod figure_words;
mod figures;
mod fits;
mod given;
mod graphs;
mod history;
mod images;
mod inputs;
mod language;
mod long_batches;
mod long_steps;
mod map;
mod measured;
mod mesh;
mod messages;
mod node;
mod numbers;
mod others;
mod parts_explained;
mod peak;
mod plans;
mod ranks;
mod reference;
mod remedies;
mod segments;
mod sentences;
mod settings;
mod sight;
mod tensors;
mod terms;
mod tour;
mod verdict;
mod words;

pub use absent::{absent_settings, changed_settings};
pub use bar_parts::{device_part_name, host_bar_part_name, small_parts_explained};
pub use configs::{
    ConfigWord, approximated, certainty, estimate_comment, gpu_taken_for, lack_sentence, left_out,
    note_sentence, nothing_of, unread_sentence, unsaid_comment,
};
pub use explained::{category_explained, phase_explained, tensor_explained};
pub use explanation::{explanation, lagging_sentence};
pub use export::{configuration, csv, markdown};
pub use failed::explained_sentences;
pub use figure_words::FigureWords;
pub use figures::{
    crossover_summary, phase_part, phases_summary, sweep_point, timeline_point, timeline_summary,
};
pub use fits::{axis_name, curve_summary, floor_name, gpus_sentence, sharding_name};
pub use given::{InputWord, configuration_name, job_counts, machine_sentence, too_large};
pub use graphs::{GraphFacts, export_snippet, model_of_size, size_name, size_note};
pub use history::{history_moment, history_summary};
pub use images::image_tokens_sentence;
pub use inputs::{cause_sentence, holder_name, kind_name, refused_sentence, requested_sentence};
pub use language::Language;
pub use long_batches::{batch_lengths, too_long_batches};
pub use long_steps::{long_steps_summary, segments_sentence, step_sentence};
pub use map::{map_cell, map_summary};
pub use measured::{near_sentences, near_short};
pub use mesh::mesh_words;
pub use messages::{WrittenFinding, WrittenReport, english, message_text, written};
pub use node::{growth_sentence, more_ranks, rank_name};
pub use numbers::{ByteUnits, Scale, amount, count, difference, exact, exact_bytes};
pub use others::{method_name, method_source, other_figures, other_reasons};
pub use parts_explained::{device_part_explained, host_part_explained, page_cache_explained};
pub use peak::{PeakAlong, PeakMove, change_along, peak_along, peak_moved, peak_moved_aloud};
pub use plans::{
    adapters_name, altered_sentence, freedom_name, gpu_choice, gpus_choice, looked_text,
    miss_sentence, nearest_sentence, peak_in, ratio, rejection_sentence, search_summary, share_of,
    shared_sentence,
};
pub use ranks::{
    busy_share, in_flight, rank_place, ranks_alike, ranks_summary, schedule_summary, slot_sentence,
};
pub use reference::{
    Meaning, meaning_of_category, meaning_of_host_part, meaning_of_phase, words_explained,
};
pub use remedies::{
    change_first, largest_batch, outcome_changes, plan_about, plan_name, plan_outcome, price_name,
    remedy_cost, remedy_name, remedy_saving, room_text, steps_beyond, steps_text,
};
pub use segments::{fullness_moment, fullness_summary, owner_name, piece_sentence, state_summary};
pub use sentences::{
    and_more, bar_name, embed_snippet, fits_up_to, fix_label, host_peak, largest_fitting,
    phase_in_sentence, phase_short, switch_sentence, widget_title,
};
pub use settings::{
    FoundSetting, SettingHelp, find_settings, guide_page, setting_help, setting_name,
};
pub use sight::{settings_changed, used_of, verdict_short};
pub use tensors::{dtype_name, moment, shape_text, show_more, tensors_summary};
pub use terms::{Term, value_name};
pub use tour::Stop;
pub use verdict::{both_on_one_gpu, given_back, is_at_risk, verdict_answer, verdict_detail};
pub use words::{Word, idle_reason};

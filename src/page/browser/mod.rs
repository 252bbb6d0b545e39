//! The browser: the only room that names `web-sys`, gloo's crates and plotters-canvas.
//!
//! Small functions over the platform: the address, the language, the clipboard, what the page
//! looks like, the parent of an embedded page, threads beside its own, and what happens when something breaks. It knows
//! no domain word. Nothing here panics: what a browser lacks or refuses is left out.

mod address;
mod appearance;
mod canvas;
mod clipboard;
mod dialog;
mod document;
mod embed;
mod failure;
mod fetch;
mod field;
mod files;
mod memory;
mod parts;
mod sight;
mod text_width;
mod timer;
mod workers;

pub use address::{
    go_to_part, href_beside, href_with, leave_part, life, mark, on_page_shown, on_part, open_part,
    part, push_marked, push_query, query, replace_marked, replace_query, set_mark, travel,
};
pub use appearance::{
    Appearance, appearance, on_appearance_change, on_resize, on_seen, on_seen_below, prefers_still,
};
pub use canvas::Canvas;
pub use clipboard::copy;
pub use dialog::{can_share, close_dialog, share, show_beside, show_modal};
pub use document::{
    element, focus_anew, focus_first, focus_leaves, focus_within, hide, is_there, is_typing,
    label_at, languages, on_update, point_out, reload, remove_skeleton, select_text, set_language,
    set_root, set_root_style, show_within,
};
pub use embed::follow_height;
pub use failure::{failures, report_failures};
pub use fetch::{FetchError, fetch_file, fetch_text};
pub use field::{
    Listening, focus_slider, is_slider_held, name_slider_keys, on_any_input, on_use_of_field,
};
pub use files::{Chosen, chosen_files, is_pasted, on_given, save_png, save_text};
pub use memory::{keeps, recall, remember};
pub use parts::{all_parts, with_parts_of_link};
pub use sight::{
    has_focus, is_at, is_in_sight, is_shown, keep_pointer, on_seen_first, pull, show,
    show_end_within, type_from_sliders,
};
pub use timer::{Timer, in_a_task, timed};
pub use web_sys::HtmlCanvasElement as CanvasElement;
pub use workers::{Answered, Worked, Workers, answer, is_worker};

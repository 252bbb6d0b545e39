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
mod files;
mod memory;
mod parts;
mod text_width;
mod timer;
mod workers;

pub use address::{
    go_to_part, href_beside, href_with, leave_part, on_part, open_part, part, push_query, query,
    replace_query,
};
pub use appearance::{
    Appearance, appearance, on_appearance_change, on_resize, on_seen, on_seen_below,
};
pub use canvas::Canvas;
pub use clipboard::copy;
pub use dialog::{can_share, close_dialog, share, show_modal};
pub use document::{
    element, focus_first, focus_leaves, focus_within, is_typing, languages, on_update, point_out,
    reload, remove_skeleton, set_language, set_root, set_root_style, show_within,
};
pub use embed::follow_height;
pub use failure::{failures, report_failures};
pub use fetch::{FetchError, fetch_file, fetch_text};
pub use files::{Chosen, chosen_files, on_drop, save_png, save_text};
pub use memory::{recall, remember};
pub use parts::{all_parts, with_parts_of_link};
pub use timer::{Timer, in_a_task, timed};
pub use web_sys::HtmlCanvasElement as CanvasElement;
pub use workers::{Answered, Worked, Workers, answer, is_worker};

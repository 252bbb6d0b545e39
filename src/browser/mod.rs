//! The browser: the only room that names `web-sys`.
//!
//! Small functions over the platform: the address, the language, frames and timers, the canvas,
//! the parent of an embedded page. It knows no domain word. Nothing here panics: what a browser
//! lacks or refuses is left out.

mod document;

pub use document::{languages, remove_skeleton, set_language};

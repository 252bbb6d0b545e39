//! Text to scenario and back: JSON, the query string of a link, and what people type or paste.
//!
//! Decoding never fails: what cannot be read becomes a finding, the rest is kept. Encoding writes
//! only what differs from the default, in a fixed order.
//!
//! Invariants: `decode(encode(s))` is `s` for every scenario in both formats (of a config only the
//! fields that decide something are kept in a link); a key once published is never renamed, and
//! the defaults of a format version never change (`versions`), so that every link opens forever
//! (`tests/links/`). No input makes anything here panic.
//!
//! Not here: whether a scenario makes sense (`resolve::resolve`), and where text comes from.

mod elsewhere;
mod exported;
mod flat;
mod handed;
mod job;
mod json;
mod keys;
mod kind;
mod machine;
mod meant;
mod model;
mod number;
mod parts;
mod pasted;
mod percent;
mod query;
mod setting;
mod tree;
mod versions;
mod view;
mod written;

pub use elsewhere::Elsewhere;
pub use exported::{
    awaited_digest, awaited_graph, awaited_published, hand_graph, published_graph, published_name,
    unreadable_graph, use_published,
};
pub use handed::{Handed, read_handed, with_new_files};
pub use job::{Job, JobFile, Said, change_of, read_job};
pub use json::{decode_json, encode_json, parse_json};
pub use keys::{KEYS, Key, Kind};
pub use machine::machine_settings;
pub use meant::settle_config;
pub use model::{Known, PublishedNames, published};
pub use number::{NumberError, parse_bytes, parse_count, parse_tokens, write_bytes};
pub use pasted::{Pasted, read_pasted};
pub use percent::decode as percent_decoded;
pub use query::{Link, decode_query, encode_query};
pub use setting::{Difference, differences, is_usual, key, nearest, value_at, values};
pub use view::{Language, Panel, Theme, ViewOptions, WidgetControls, WidgetPanels, widget_height};
pub use written::{Unwritten, write_job, written_formats};

#[cfg(test)]
mod tests;

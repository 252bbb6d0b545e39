//! The wording of messages, English and Chinese, by what happened: a file for each room that says them, with a
//! group for each of its files or folders.
//!
//! A place in braces is filled with the message's value of that name; `{name:?}` puts it in quotes.

mod asked;
mod decoders;
mod encoders;
mod exported;
mod group;
mod images;
mod model;
mod reading;
mod run;
mod say;
mod trainers;
mod written;

#[cfg(test)]
mod tests;

pub use say::{english, message_text};
pub use written::{WrittenFinding, WrittenReport, written};

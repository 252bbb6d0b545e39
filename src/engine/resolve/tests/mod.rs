//! Resolved scenarios, over all families.

mod doge;
mod gpt_neo;
mod images;
mod linear_attention;
mod meshes;
mod published;
mod recipes;
mod repetition;
mod resolving;
mod sequences;
mod types;
mod whisper;
mod windows;

//! Parameters of the models of the catalog, counted by formula and not by the engine.

mod counts;
mod decoders;
mod heard;
mod mixers;
mod texts;
mod towers;

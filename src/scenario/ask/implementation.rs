//! The library whose modules a model is built of.

use crate::units::names;

names! {
    /// A library whose modules a model is built of in the place of those that its config is named after.
    Implementation {
        /// torchtune: its `TransformerDecoder` and the blocks around it (0.6.1).
        Torchtune = "torchtune",
        /// torchtitan: its `Transformer` of Llama 3 (0.2.1).
        Torchtitan = "torchtitan",
    }
}

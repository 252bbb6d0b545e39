//! Why no configuration is read.

/// What is wrong with what was to be a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// Larger than configurations are.
    Large {
        /// Bytes.
        size: usize,
        /// Bytes that are read.
        most: usize,
    },
    /// JSON, YAML or TOML that does not hold together.
    Broken {
        /// Which of the three.
        syntax: &'static str,
        /// From 1, where it is known.
        line: Option<usize>,
        /// The parser's words.
        reason: String,
    },
    /// It would make more of itself, or lies deeper within itself, than configurations do.
    Expands {
        /// In which syntax.
        syntax: &'static str,
    },
    /// A configuration of a framework that is not read.
    Other {
        /// Which framework.
        framework: &'static str,
    },
    /// No configuration.
    Unknown,
}

//! Why no configuration is read.

/// A problem of a file that was to be a configuration.
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
        /// The syntax.
        syntax: &'static str,
        /// From 1, where it is known.
        line: Option<usize>,
        /// The parser's words.
        reason: String,
    },
    /// It would make more of itself, or lies deeper within itself, than configurations do.
    Expands {
        /// The name of the syntax.
        syntax: &'static str,
    },
    /// A tool whose jobs are not covered.
    Other {
        /// The tool.
        framework: &'static str,
        /// The alternative.
        instead: Instead,
    },
    /// A configuration of a framework that is read, which trains nothing.
    NoJob(NoJob),
    /// No configuration.
    Unknown,
}

/// The alternative to a tool that is not covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// A scenario says the job: the tool trains language models with PyTorch.
    Scenario,
    /// A scenario of `gpt2`, or of its `config.json` with other sizes.
    Gpt2,
    /// Nothing: the tool trains models that generate images, video or sound.
    Generators,
    /// Nothing: the tool trains detectors or segmentation models.
    Vision,
    /// Nothing: the tool does not run on PyTorch.
    NotPyTorch,
}

/// The purpose of a configuration that trains nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoJob {
    /// Adapters are merged, or a model is written in another form.
    Export,
    /// A model answers.
    Inference,
    /// A model is evaluated.
    Evaluation,
    /// A model's weights are quantized.
    Quantization,
    /// Machines are asked of a cloud.
    Cloud,
    /// Tokens are added to a tokenizer.
    Tokens,
}

//! How a mixture chooses the experts of a token.

/// How experts are chosen for a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routing {
    /// By their probabilities, which are weights in the dtype of the logits.
    Softmax,
    /// By their probabilities, which are weights in float32.
    WideSoftmax,
    /// By their probabilities in float32, if there are groups only in the best of them; the weights
    /// are scaled.
    Scaled(Option<Groups>),
    /// By their logits, which the gate may have a bias for; only the chosen experts' logits become probabilities.
    Largest {
        /// Whether the gate has a bias.
        biased: bool,
    },
    /// As by the largest logits, and tokens are sorted by the experts that they go through, which run one
    /// after the other and have a bias on what they give.
    Sorted,
    /// By their logits; only the chosen experts' logits become probabilities in float32 or sigmoids, which take the
    /// dtype of the tokens.
    Chosen {
        /// Whether the chosen logits become sigmoids, not probabilities.
        sigmoid: bool,
    },
    /// By their probabilities, which take the dtype of the tokens.
    SoftmaxOfTokens,
    /// By their logits, whose sigmoids weight the tokens of all experts: all run over all tokens, most
    /// of which weigh nothing.
    Sigmoid,
    /// By their probabilities, from a gate with weights in float32.
    WideGate,
    /// By their probabilities in float32 with a correction that is never trained; the gate has its
    /// weights in float32.
    Static,
    /// By chance, as likely as their scores say.
    Drawn {
        /// Whether tokens are multiplied by noise before.
        jitter: bool,
    },
    /// By sigmoids in float32 with a correction, in the best groups only; the weights are scaled.
    Corrected(Groups),
    /// By their probabilities, in the best groups only; the weights are scaled.
    Grouped(Groups),
    /// By sigmoids of the logits in float32 with a correction that the mixture has.
    CorrectedOutside,
    /// By sigmoids, with the correction that the mixture has if there is one; the weights are scaled.
    Sigmoids(SigmoidScores),
}

/// How sigmoids choose experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SigmoidScores {
    /// The dtype in which logits are computed.
    pub logits: LogitsDtype,
    /// The kind of the mixture's correction.
    pub correction: Correction,
}

/// The dtype of a router's logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogitsDtype {
    /// The dtype of the tokens.
    Tokens,
    /// Float32 behind the gate, a linear layer within the router.
    WideBehindGate,
    /// Float32 already in the product.
    WideProduct,
}

/// The correction that is added to scores before experts are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// Nothing.
    None,
    /// A buffer in the dtype of the weights.
    Buffer,
    /// A buffer in float32.
    WideBuffer,
    /// A parameter that is never trained.
    Fixed,
}

/// Experts in groups of equal size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Groups.
    pub count: u64,
    /// Groups in which experts are chosen.
    pub kept: u64,
}

impl Groups {
    /// All in one.
    pub const ONE: Self = Self { count: 1, kept: 1 };
}

//! Functions of feed-forward layers.

/// An activation function, by how it is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `relu`.
    Relu,
    /// `gelu_new`, written out in Python.
    GeluNew,
    /// `gelu_fast`, written out in Python.
    GeluFast,
    /// `gelu`.
    Gelu,
    /// `gelu` as ESM writes it out, with the error function.
    GeluErf,
    /// `quick_gelu`, written out in Python.
    QuickGelu,
    /// `silu`.
    Silu,
    /// `tanh`.
    Tanh,
    /// `relu2`: the square of `relu`.
    Relu2,
}

impl Activation {
    /// The function that transformers calls `name` (`activations.py`), if it is known.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "relu" => Self::Relu,
            "gelu_new" => Self::GeluNew,
            "gelu_fast" => Self::GeluFast,
            "gelu" | "gelu_pytorch_tanh" => Self::Gelu,
            "quick_gelu" => Self::QuickGelu,
            "silu" | "swish" => Self::Silu,
            "tanh" => Self::Tanh,
            "relu2" => Self::Relu2,
            _ => return None,
        })
    }
}

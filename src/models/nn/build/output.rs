//! Inputs of a forward pass besides its batch, and its outputs.

use crate::nn::vision::ImageFeatures;
use crate::tape::{Tensor, TokenOutputs};

/// The results of a forward pass.
#[derive(Default)]
pub struct Output {
    /// The logits, unless the loss is computed without them.
    pub logits: Option<Tensor>,
    /// The loss.
    pub loss: Option<Tensor>,
    /// The encoder's result, which an encoder-decoder returns, too.
    pub encoded: Option<Tensor>,
    /// Other results. Of a mixture of experts: the loss that balances them and the routers' logits. Of a head that
    /// scores tokens: the requested values. Of a head that is left out: its inputs.
    pub beside: Vec<Tensor>,
}

impl Output {
    /// Logits and, where there are labels, the loss.
    pub(crate) fn of(logits: Tensor, loss: Option<Tensor>) -> Self {
        Self {
            logits: Some(logits),
            loss,
            encoded: None,
            beside: Vec::new(),
        }
    }

    /// The output of a model whose loss needs no logits of the whole batch.
    pub fn of_loss(loss: Tensor) -> Self {
        Self {
            logits: None,
            loss: Some(loss),
            encoded: None,
            beside: Vec::new(),
        }
    }
}

impl Output {
    /// All tensors that it holds.
    pub(crate) fn tensors_mut(&mut self) -> Vec<&mut Tensor> {
        let named = [&mut self.loss, &mut self.logits, &mut self.encoded];
        let named = named.into_iter().filter_map(Option::as_mut);
        named.chain(&mut self.beside).collect()
    }
}

/// The request to a head that scores tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored {
    /// The last tokens of each sample whose labels are not ignored.
    pub tokens: u64,
    /// Values of each token besides its log-probability.
    pub outputs: TokenOutputs,
}

/// The request to a forward pass, of evaluation and of objectives.
#[derive(Clone, Default)]
pub struct Request {
    /// Whether a mask comes with the batch, with no padding in it.
    pub masked: bool,
    /// Positions `[B, S]`; the model makes its own when absent.
    pub positions: Option<Tensor>,
    /// The number of last positions that logits are asked for; all when absent.
    pub logits_to_keep: Option<u64>,
    /// The encoder's result `[B, S, H]`, where it has run before.
    pub encoded: Option<Tensor>,
    /// Features of images, where those have been seen before.
    pub features: Option<ImageFeatures>,
    /// The mask `[B, 1, S, K]` that is added to scores, where the caller makes it.
    pub causal_mask: Option<Tensor>,
    /// Whether experts are run as `generate` does after the prompt.
    pub batched_experts: bool,
    /// The scores that are asked of each token, where tokens are scored instead of giving logits.
    pub scored: Option<Scored>,
    /// Whether the loss that balances experts is left out.
    pub without_balance: bool,
    /// Whether the last hidden states are given as they are, and the head's weight and bias with them.
    pub without_head: bool,
    /// Whether adapters are left out (`disable_adapter`).
    pub without_adapters: bool,
    /// Whether a kernel that needs no logits computes the loss beside training, too (`skip_logits`).
    pub without_logits: bool,
}

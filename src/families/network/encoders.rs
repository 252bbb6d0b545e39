//! The encoders by their type.

use crate::families::bart::BartDecoder;
use crate::families::beit::Beit;
use crate::families::bert::{
    Bert, EsmModel, LayoutLm, Mpnet, NomicBert, PreNormBert, WrittenOutBert,
};
use crate::families::conv_nets::{ConvNext, ResNet};
use crate::families::deberta::Deberta;
use crate::families::distilbert::DistilBert;
use crate::families::eurobert::EuroBert;
use crate::families::modernbert::ModernBert;
use crate::families::swin::Swin;
use crate::families::vit::Vit;
use crate::families::wav2vec2::Speech;
use crate::nn::build::Output;
use crate::tape::{Tape, Tensor};

/// A model that reads its whole input at once.
pub(crate) trait Encoder {
    /// Token ids `[B, S]` or images `[B, C, I, I]` to logits and, from labels, the loss.
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output;
}

impl Encoder for BartDecoder {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for Bert {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for EsmModel {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for PreNormBert {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for Deberta {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for DistilBert {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for ModernBert {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for EuroBert {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for Mpnet {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for LayoutLm {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for NomicBert {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for Speech {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for ConvNext {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for ResNet {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for WrittenOutBert {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for Beit {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for Swin {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

impl Encoder for Vit {
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input, labels)
    }
}

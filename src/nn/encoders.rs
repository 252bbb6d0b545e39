//! The encoders by their type.

use super::bart_decoder::BartDecoder;
use super::beit::Beit;
use super::bert::Bert;
use super::bert_esm::EsmModel;
use super::bert_pre_norm::PreNormBert;
use super::bert_written_out::WrittenOutBert;
use super::convnext::ConvNext;
use super::deberta::Deberta;
use super::distilbert::DistilBert;
use super::eurobert::EuroBert;
use super::layoutlm::LayoutLm;
use super::model::Output;
use super::modernbert::ModernBert;
use super::mpnet::Mpnet;
use super::nomic_bert::NomicBert;
use super::resnet::ResNet;
use super::speech::Speech;
use super::swin::Swin;
use super::vit::Vit;
use crate::tape::{Tape, Tensor};

/// A model that reads its whole input at once.
pub(super) trait Encoder {
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

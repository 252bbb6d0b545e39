//! The config of an architecture by its type.

use super::architecture::Architecture;
use super::bart::BartConfig;
use super::beit::BeitConfig;
use super::bert::BertConfig;
use super::conv_nets::ConvNetConfig;
use super::decoder::DecoderConfig;
use super::distilbert::DistilBertConfig;
use super::dual::DualConfig;
use super::eurobert::EuroBertConfig;
use super::exported::ExportedConfig;
use super::fla::FlaConfig;
use super::modernbert::ModernBertConfig;
use super::resolved::ResolvedSpec;
use super::speech::SpeechConfig;
use super::swin::SwinConfig;
use super::t5::{T5Config, T5GemmaConfig};
use super::vit::VitConfig;
use crate::ask::LinearModel;

/// A config that an architecture holds.
pub trait HeldConfig: Sized {
    /// It, if that is what the architecture holds.
    fn held_by(architecture: &Architecture) -> Option<&Self>;
}

macro_rules! held {
    ($($variant:ident($config:ty),)*) => {
        $(impl HeldConfig for $config {
            fn held_by(architecture: &Architecture) -> Option<&Self> {
                match architecture {
                    Architecture::$variant(config) => Some(config),
                    _ => None,
                }
            }
        })*
    };
}

held! {
    Linear(LinearModel),
    Decoder(DecoderConfig),
    Fla(FlaConfig),
    T5(T5Config),
    T5Gemma(T5GemmaConfig),
    Bart(BartConfig),
    Bert(BertConfig),
    DistilBert(DistilBertConfig),
    ModernBert(ModernBertConfig),
    EuroBert(EuroBertConfig),
    Vit(VitConfig),
    Swin(SwinConfig),
    Speech(SpeechConfig),
    Beit(BeitConfig),
    ConvNet(ConvNetConfig),
    Dual(DualConfig),
    Exported(ExportedConfig),
}

impl ResolvedSpec {
    /// The architecture's config.
    ///
    /// # Panics
    ///
    /// If the architecture holds another: the registry pairs the builder of a family's models with the reader of their
    /// configs.
    pub fn config<C: HeldConfig>(&self) -> &C {
        C::held_by(&self.architecture).expect("what a family's reader reads its network takes")
    }
}

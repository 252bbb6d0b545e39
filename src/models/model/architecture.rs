//! Any architecture with all its sizes, and what can be asked of each.

mod bounds;

use super::bart::{BartConfig, BartKind};
use super::beit::BeitConfig;
use super::bert::BertConfig;
use super::conv_nets::ConvNetConfig;
use super::decoder::DecoderConfig;
use super::distilbert::DistilBertConfig;
use super::dual::DualConfig;
use super::eurobert::EuroBertConfig;
use super::experts::Experts;
use super::exported::ExportedConfig;
use super::family::Family;
use super::fla::FlaConfig;
use super::images::ImageConfig;
use super::modernbert::ModernBertConfig;
use super::speech::SpeechConfig;
use super::swin::SwinConfig;
use super::t5::{T5Config, T5GemmaConfig};
use super::vit::VitConfig;
use crate::ask::LinearModel;
use bounds::{
    Bounds, of_beit, of_convolutions, of_eurobert, of_images, of_modernbert, of_pairs, of_speech,
    of_t5gemma, of_windows,
};

/// An architecture with all its sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "there is one in a run")]
pub enum Architecture {
    /// One linear layer.
    Linear(LinearModel),
    /// A model that predicts the next token.
    Decoder(DecoderConfig),
    /// A model of flash-linear-attention.
    Fla(FlaConfig),
    /// T5 and mT5.
    T5(T5Config),
    /// `T5Gemma`.
    T5Gemma(T5GemmaConfig),
    /// BART.
    Bart(BartConfig),
    /// BERT and `RoBERTa`.
    Bert(BertConfig),
    /// `DistilBERT`.
    DistilBert(DistilBertConfig),
    /// `ModernBERT`.
    ModernBert(ModernBertConfig),
    /// `EuroBERT`.
    EuroBert(EuroBertConfig),
    /// The vision transformer.
    Vit(VitConfig),
    /// Swin.
    Swin(SwinConfig),
    /// wav2vec 2.0 and `HuBERT`.
    Speech(SpeechConfig),
    /// `BEiT`.
    Beit(BeitConfig),
    /// `ConvNeXT` and `ResNet`.
    ConvNet(ConvNetConfig),
    /// CLIP and `SigLIP`.
    Dual(DualConfig),
    /// A graph that `torch.export` wrote.
    Exported(ExportedConfig),
}

/// Bounds that every transformer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions {
    /// The widest a token becomes: H, F, V or all heads.
    pub widest: u64,
    /// The widest that a layer takes or a table gives: H or all heads.
    pub inner: u64,
    /// Rows of the table of learned positions, 0 when there is none.
    pub position_rows: u64,
    /// Tokens of a sample, where the model decides them.
    pub tokens: Option<u64>,
    /// V.
    pub vocab_size: u64,
    /// A.
    pub heads: u64,
    /// D.
    pub head_dim: u64,
    /// Whether a matrix of tokens by tokens is made however attention is computed: the mask of a
    /// window, biases on scores.
    pub masked: bool,
    /// Experts of a layer, 1 when there is one MLP.
    pub experts: u64,
    /// Experts that each token goes through.
    pub experts_per_token: u64,
}

/// The sizes of a transformer of one stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uniform {
    /// L.
    pub layers: u64,
    /// H.
    pub hidden: u64,
    /// A.
    pub heads: u64,
    /// V.
    pub vocab_size: u64,
}

impl Architecture {
    /// Whether transformers makes its masks without positions, by which packed sequences are told apart.
    pub fn makes_blind_masks(&self) -> bool {
        self.family().is_some_and(|family| family.style.blind_masks)
    }

    /// The family that it is of; a linear layer alone is of none.
    pub fn family(&self) -> Option<&'static Family> {
        match self {
            Self::Linear(_) | Self::Exported(_) => None,
            Self::Decoder(config) => Some(config.family),
            Self::Fla(config) => Some(config.family),
            Self::T5(config) => Some(config.family),
            Self::T5Gemma(config) => Some(config.family),
            Self::Bart(config) => Some(config.family),
            Self::Bert(config) => Some(config.family),
            Self::DistilBert(config) => Some(config.family),
            Self::ModernBert(config) => Some(config.family),
            Self::EuroBert(config) => Some(config.family),
            Self::Vit(config) => Some(config.family),
            Self::Swin(config) => Some(config.family),
            Self::Speech(config) => Some(config.family),
            Self::Beit(config) => Some(config.family),
            Self::ConvNet(config) => Some(config.family),
            Self::Dual(config) => Some(config.family),
        }
    }

    /// The family of the whole model, where a decoder is the text part of one that sees images.
    pub fn whole_family(&self) -> Option<&'static Family> {
        match self {
            Self::Decoder(config) => config.whole.or(Some(config.family)),
            _ => self.family(),
        }
    }

    /// Whether a mask is always made, as with biases on scores.
    fn is_always_masked(&self) -> bool {
        matches!(self, Self::Decoder(c) if c.alibi || c.family.attention_support.holds_mask)
    }

    /// Whether an encoder has layers that are given a mask or a bias without padding, too.
    pub fn makes_masks(&self, seq_len: u64) -> bool {
        match self {
            Self::ModernBert(config) => config.window <= seq_len,
            Self::Beit(config) => config.relative || config.shared,
            _ => false,
        }
    }

    /// Tokens of a sample, where the model decides them: an image's patches, a recording's
    /// positions.
    pub fn tokens(&self) -> Option<u64> {
        match self {
            Self::Vit(config) => Some(config.tokens()),
            Self::Swin(config) => Some(config.side() * config.side()),
            Self::Beit(config) => Some(config.tokens()),
            Self::ConvNet(config) => Some(config.places()),
            Self::Dual(config) if config.text.is_none() => Some(config.image_tokens()),
            Self::Bart(config) => config
                .recordings
                .map(|recordings| recordings.max_source_positions),
            _ => None,
        }
    }

    /// Channels of images that it sees alone or compares, and pixels along each side of them.
    pub fn pixels(&self) -> Option<[u64; 2]> {
        match self {
            Self::Vit(config) if config.spectrogram.is_none() => {
                Some([config.num_channels, config.image_size])
            }
            Self::Dual(config) => Some([config.num_channels, config.image_size]),
            Self::Swin(config) => Some([config.num_channels, config.image_size]),
            Self::Beit(config) => Some([config.num_channels, config.image_size]),
            Self::ConvNet(config) => Some([config.num_channels, config.image_size]),
            _ => None,
        }
    }

    /// The part that sees images among the tokens of a decoder.
    pub fn images(&self) -> Option<&ImageConfig> {
        match self {
            Self::Decoder(config) => config.images.as_deref(),
            _ => None,
        }
    }

    /// The experts of a decoder's layers, where they have some.
    pub fn experts(&self) -> Option<&Experts> {
        match self {
            Self::Decoder(config) => config.experts.as_ref(),
            _ => None,
        }
    }

    /// The sizes of one whose layers are all alike, as published formulas want them.
    pub fn uniform(&self) -> Option<Uniform> {
        let [layers, hidden, heads, vocab_size] = match self {
            Self::Decoder(c) => [
                c.num_hidden_layers,
                c.hidden_size,
                c.num_attention_heads,
                c.vocab_size,
            ],
            Self::Bert(c) => [
                c.num_hidden_layers,
                c.hidden_size,
                c.num_attention_heads,
                c.vocab_size,
            ],
            _ => return None,
        };
        Some(Uniform {
            layers,
            hidden,
            heads,
            vocab_size,
        })
    }

    /// Classes of its classification head, where it can have one.
    pub fn labels(&self) -> u64 {
        match self {
            Self::Decoder(config) => config.num_labels,
            Self::Bert(config) => config.num_labels,
            Self::DistilBert(config) => config.num_labels,
            Self::ModernBert(config) => config.num_labels,
            Self::EuroBert(config) => config.num_labels,
            Self::Vit(config) => config.num_labels,
            Self::Dual(config) => config.num_labels,
            Self::Swin(config) => config.num_labels,
            Self::Beit(config) => config.num_labels,
            Self::ConvNet(config) => config.num_labels,
            Self::Speech(config) => config.num_labels,
            _ => 0,
        }
    }

    /// Whether the module that `get_input_embeddings` gives embeds tokens (transformers 5.23): all of them, or in
    /// `T5Gemma` the encoder's, as in Marian, which is left out.
    pub fn embeds_tokens(&self) -> bool {
        match self {
            Self::Decoder(_)
            | Self::Fla(_)
            | Self::T5(_)
            | Self::T5Gemma(_)
            | Self::Bert(_)
            | Self::DistilBert(_)
            | Self::ModernBert(_)
            | Self::EuroBert(_) => true,
            Self::Bart(config) => {
                config.recordings.is_none() && (config.alone || config.kind != BartKind::Marian)
            }
            Self::Linear(_)
            | Self::Vit(_)
            | Self::Swin(_)
            | Self::Beit(_)
            | Self::ConvNet(_)
            | Self::Dual(_)
            | Self::Speech(_)
            | Self::Exported(_) => false,
        }
    }

    /// Whether that module is called: not where encoder and decoder are tied to it by its weight alone
    /// (`models/{t5,bart}/modeling_*.py`, transformers 5.23).
    pub fn calls_input_embedding(&self) -> bool {
        match self {
            Self::T5(_) => false,
            Self::Bart(config) => config.alone,
            _ => true,
        }
    }

    /// Whether a decoder with a length of its own follows an encoder.
    pub fn is_encoder_decoder(&self) -> bool {
        match self {
            Self::T5(_) | Self::T5Gemma(_) => true,
            Self::Bart(config) => !config.alone,
            _ => false,
        }
    }

    /// The widest columns of a token in an expert, and in the shared experts; the number of experts of a layer, and of
    /// a token.
    fn expert_sizes(&self) -> [u64; 4] {
        self.experts().map_or([0, 0, 1, 1], |experts| {
            [
                2 * experts.intermediate_size,
                experts.shared_intermediate_size.unwrap_or(0),
                experts.count,
                experts.per_token,
            ]
        })
    }

    /// The sizes of a transformer.
    pub fn dimensions(&self) -> Option<Dimensions> {
        let Bounds {
            hidden,
            intermediate,
            vocab_size,
            heads,
            head_dim,
            window,
            position_rows,
        } = match self {
            Self::Linear(_) | Self::Exported(_) => return None,
            Self::Bert(c) => Bounds {
                hidden: c.hidden_size,
                intermediate: c.intermediate_size,
                vocab_size: c.vocab_size,
                heads: c.num_attention_heads,
                head_dim: c.head_dim,
                window: None,
                position_rows: c.position_rows(),
            },
            Self::Bart(c) => Bounds {
                hidden: c.d_model,
                intermediate: c.encoder.ffn_dim.max(c.decoder.ffn_dim),
                vocab_size: c.vocab_size,
                heads: c.encoder.attention_heads.max(c.decoder.attention_heads),
                head_dim: c.encoder.head_dim.max(c.decoder.head_dim),
                window: None,
                position_rows: c.position_rows,
            },
            Self::DistilBert(c) => Bounds {
                hidden: c.dim,
                intermediate: c.hidden_dim,
                vocab_size: c.vocab_size,
                heads: c.n_heads,
                head_dim: c.head_dim,
                window: None,
                position_rows: c.max_position_embeddings,
            },
            Self::ModernBert(c) => of_modernbert(c),
            Self::EuroBert(c) => of_eurobert(c),
            Self::Vit(c) => of_images(c),
            Self::Dual(c) => of_pairs(c),
            Self::Swin(c) => of_windows(c),
            Self::Beit(c) => of_beit(c),
            Self::ConvNet(c) => of_convolutions(c),
            Self::Speech(c) => of_speech(c),
            Self::T5(c) => Bounds {
                hidden: c.d_model,
                intermediate: c.d_ff,
                vocab_size: c.vocab_size,
                heads: c.num_heads,
                head_dim: c.d_kv,
                window: None,
                position_rows: 0,
            },
            Self::T5Gemma(c) => of_t5gemma(c),
            Self::Fla(c) => Bounds {
                hidden: c.hidden_size,
                // The states of the chunks, of which each has at least 16 tokens.
                intermediate: c
                    .intermediate_size
                    .max(c.key_dim().saturating_mul(c.head_v_dim) / 16),
                vocab_size: c.vocab_size,
                heads: c.num_heads,
                head_dim: c.head_k_dim.max(c.head_v_dim),
                window: None,
                position_rows: 0,
            },
            Self::Decoder(c) => Bounds {
                hidden: c.hidden_size,
                intermediate: match c.state_space {
                    Some(sizes) => sizes.widest(c.intermediate_size).max(c.intermediate_size),
                    None => c.intermediate_size,
                },
                vocab_size: c.vocab_size.max(c.num_labels),
                heads: c.num_attention_heads,
                head_dim: c.head_dim,
                window: c.sliding_window,
                position_rows: c.position_rows,
            },
        };
        let inner = hidden.max(heads.saturating_mul(head_dim));
        let [of_expert, of_shared, count, per_token] = self.expert_sizes();
        let ends = inner.max(intermediate).max(vocab_size);
        Some(Dimensions {
            widest: ends.max(of_expert).max(of_shared).max(count),
            inner,
            position_rows,
            tokens: match self {
                Self::Dual(c) => Some(c.image_tokens().max(position_rows)),
                _ => self.tokens(),
            },
            vocab_size,
            heads,
            head_dim,
            masked: window.is_some() || self.is_always_masked(),
            experts: count,
            experts_per_token: per_token,
        })
    }
}

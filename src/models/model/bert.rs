//! BERT and its kin.

use super::activation::Activation;
use super::family::Family;
use super::options::Dropout;

/// Peculiarities of ESM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Esm {
    /// Whether positions rotate queries and keys; else they are added to the embeddings.
    pub rotary: bool,
    /// Whether there is a norm over the embeddings.
    pub normed: bool,
    /// Whether the embeddings of masked tokens are zero and the others scaled.
    pub token_dropout: bool,
    /// Whether the table of tokens gives the logits, too.
    pub tied: bool,
}

impl BertConfig {
    /// Rows of a table of positions, which end there.
    pub fn position_rows(&self) -> u64 {
        match self.kind {
            BertKind::Nomic => 0,
            _ => self.max_position_embeddings,
        }
    }
}

/// The places of norms in such a model.
#[derive(Debug)]
pub struct PreNorm {
    /// Before attention, in a layer.
    pub attention: &'static str,
    /// Before the feed-forward layers, in a layer.
    pub feed_forward: &'static str,
    /// Behind the last layer, in the model.
    pub last: &'static str,
    /// The list of layers.
    pub list: &'static str,
    /// The embeddings.
    pub embeddings: &'static str,
}

const ROBERTA: PreNorm = PreNorm {
    attention: "attention.LayerNorm",
    feed_forward: "intermediate.LayerNorm",
    last: "LayerNorm",
    list: "roberta_prelayernorm.encoder.layer",
    embeddings: "roberta_prelayernorm.embeddings",
};

const XLM_ROBERTA: PreNorm = PreNorm {
    attention: "attention.self_attn_layer_norm",
    feed_forward: "LayerNorm",
    last: "encoder.LayerNorm",
    list: "roberta.encoder.layer",
    embeddings: "roberta.embeddings",
};

const MEGATRON: PreNorm = PreNorm {
    attention: "attention.ln",
    feed_forward: "ln",
    last: "encoder.ln",
    list: "bert.encoder.layer",
    embeddings: "bert.embeddings",
};

impl PreNorm {
    pub(crate) fn of(kind: BertKind) -> Option<&'static Self> {
        match kind {
            BertKind::RobertaPreNorm => Some(&ROBERTA),
            BertKind::XlmRobertaXl => Some(&XLM_ROBERTA),
            BertKind::Megatron => Some(&MEGATRON),
            _ => None,
        }
    }
}

/// A relative of BERT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BertKind {
    /// BERT.
    Bert,
    /// ERNIE, which can have embeddings of tasks, too.
    Ernie,
    /// `RoBERTa`, which numbers positions by the tokens that are not padding, `XLM-RoBERTa` and
    /// `CamemBERT`.
    Roberta,
    /// `Data2VecText`, which is written as `RoBERTa` is.
    Data2Vec,
    /// `RoBERTa` with norms before attention and feed-forward layers.
    RobertaPreNorm,
    /// XLM-RoBERTa XL and XXL, the same without a norm over the embeddings.
    XlmRobertaXl,
    /// Megatron's BERT, whose norms come before, too.
    Megatron,
    /// `DeBERTa`, whose attention sees distances of tokens.
    DebertaV1,
    /// `DeBERTa` V2 and V3, which are written in another way.
    Deberta,
    /// ESM, which reads proteins.
    Esm,
    /// ELECTRA, whose embeddings can have fewer columns than its layers.
    Electra,
    /// `MPNet`, whose scores have biases by the distances of tokens.
    Mpnet,
    /// ALBERT, whose embeddings have fewer columns, too, and whose layers are one.
    Albert,
    /// `NomicBERT`, with rotary positions and gated feed-forward layers.
    Nomic,
    /// `LayoutLM`, with embeddings of where tokens stand on a page.
    LayoutLm,
    /// `RemBERT`, whose embeddings have fewer columns than its layers, and whose table of outputs is its own.
    RemBert,
    /// `RoFormer`, with rotary positions.
    RoFormer,
}

/// BERT or its kin as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BertConfig {
    /// The family that it is of.
    pub family: &'static Family,
    /// The relative of BERT.
    pub kind: BertKind,
    /// H.
    pub hidden_size: u64,
    /// Columns of the embeddings, H but for ELECTRA, ALBERT, `RemBERT` and `RoFormer`.
    pub embedding_size: u64,
    /// Columns from which tokens are predicted, those of the embeddings but for `RemBERT`.
    pub output_embedding_size: u64,
    /// Whether positions rotate values, too (`RoFormer`).
    pub rotary_value: bool,
    /// F.
    pub intermediate_size: u64,
    /// L.
    pub num_hidden_layers: u64,
    /// A.
    pub num_attention_heads: u64,
    /// D.
    pub head_dim: u64,
    /// V.
    pub vocab_size: u64,
    /// Rows of the table of positions.
    pub max_position_embeddings: u64,
    /// Rows of the table of segments.
    pub type_vocab_size: u64,
    /// Rows of the table of tasks (ERNIE), else 0.
    pub task_type_vocab_size: u64,
    /// The function of feed-forward layers.
    pub activation: Activation,
    /// Places of dropout that is active in training; that of embeddings is that of the residual.
    pub dropout: Dropout,
    /// Whether what a classifier reads is dropped out.
    pub classifier_dropout: bool,
    /// Classes of a classifier.
    pub num_labels: u64,
    /// Rows of the tables of places on a page (`LayoutLM`), else 0.
    pub page_positions: u64,
    /// Buckets of distances that have biases on scores (`MPNet`), else 0.
    pub buckets: u64,
    /// How attention sees the distances of tokens, if it does.
    pub relative: Option<Relative>,
    /// Peculiarities of ESM.
    pub esm: Option<Esm>,
}

/// How attention of `DeBERTa` sees the distances of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relative {
    /// Rows of the table of distances.
    pub rows: u64,
    /// Whether there is a norm over them.
    pub normalized: bool,
    /// Whether queries look at distances.
    pub content_to_position: bool,
    /// Whether keys look at distances.
    pub position_to_content: bool,
    /// Whether positions are added to the embeddings, too.
    pub position_biased: bool,
    /// Whether what the pooler reads is dropped out.
    pub pooler_dropout: bool,
}

impl BertKind {
    /// Whether the model itself pools what a class is made of.
    pub fn pools(self) -> bool {
        matches!(
            self,
            Self::Bert
                | Self::Ernie
                | Self::Albert
                | Self::Megatron
                | Self::Nomic
                | Self::LayoutLm
                | Self::RemBert
        )
    }

    /// Whether it is written as `RoBERTa` is.
    pub fn of_roberta(self) -> bool {
        matches!(
            self,
            Self::Roberta | Self::Data2Vec | Self::RobertaPreNorm | Self::XlmRobertaXl
        )
    }

    /// The norms before attention and feed-forward layers, of models that have them there.
    pub fn pre_norm(self) -> Option<&'static PreNorm> {
        PreNorm::of(self)
    }

    /// Whether attention is written out, in one way only, and returns its weights.
    pub fn writes_attention_out(self) -> bool {
        matches!(self, Self::Megatron | Self::RemBert | Self::RoFormer)
    }

    /// Whether there is a norm over the embeddings.
    pub fn norms_embeddings(self) -> bool {
        !matches!(self, Self::XlmRobertaXl | Self::Megatron)
    }

    /// The size of the vocabulary in transformers' own config of the kind.
    pub(crate) fn usual_vocabulary(self) -> u64 {
        match self {
            Self::Roberta | Self::RobertaPreNorm | Self::DebertaV1 => 50_265,
            Self::XlmRobertaXl => 250_880,
            Self::Megatron => 29_056,
            Self::Albert => 30_000,
            Self::Mpnet => 30_527,
            Self::RemBert => 250_300,
            Self::RoFormer => 50_000,
            _ => 30_522,
        }
    }
}

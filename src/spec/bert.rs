//! BERT, `RoBERTa`, ELECTRA (`models/{bert,roberta,electra}/configuration_*.py` of transformers 5.23 and
//! 4.51), `Data2VecText`, ERNIE, `RoBERTa` with norms before, XLM-RoBERTa XL and Megatron's BERT (all of
//! 5.23), `DeBERTa`, `RemBERT` and `RoFormer` (5.23), ALBERT and `DeBERTa` V2 (both of 5.23, 4.51 and 4.48).

use super::bert_esm::{self, Esm};
use super::bert_pre_norm::PreNorm;
use super::config_fields::ConfigFields;
use super::limits::{HEADS, LAYERS, VOCABULARY, WIDTH};
use super::{Activation, Dropout, Finding, deberta, nomic_bert};

/// Which of BERT's kin a config is of.
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
    /// Which of the kin it is.
    pub kind: BertKind,
    /// H.
    pub hidden_size: u64,
    /// Columns of the embeddings, H but for ELECTRA, ALBERT, `RemBERT` and `RoFormer`.
    pub embedding_size: u64,
    /// Columns from which tokens are predicted, those of the embeddings but for `RemBERT`.
    pub output_embedding_size: u64,
    /// Whether positions turn values, too (`RoFormer`).
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
    /// Where dropout is active in training; what it does to embeddings it does to the residual.
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
    /// What is peculiar to ESM.
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

impl BertConfig {
    /// Layers with the names that BERT gives them.
    pub(super) fn built_layers(&self) -> u64 {
        match self.kind {
            kind if kind == BertKind::Albert || kind.pre_norm().is_some() => 0,
            _ => self.num_hidden_layers,
        }
    }
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

    /// The norms of those that have them before attention and feed-forward layers.
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

    /// What the model without a head is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bert | Self::Megatron => "bert",
            Self::Ernie => "ernie",
            Self::Data2Vec => "data2vec_text",
            Self::Roberta | Self::XlmRobertaXl => "roberta",
            Self::RobertaPreNorm => "roberta_prelayernorm",
            Self::Electra => "electra",
            Self::Albert => "albert",
            Self::DebertaV1 | Self::Deberta => "deberta",
            Self::Mpnet => "mpnet",
            Self::Esm => "esm",
            Self::Nomic => "nomic_bert",
            Self::LayoutLm => "layoutlm",
            Self::RemBert => "rembert",
            Self::RoFormer => "roformer",
        }
    }

    /// The size of the vocabulary in transformers' own config of the kind.
    fn usual_vocabulary(self) -> u64 {
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

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(super) fn read(kind: BertKind, fields: &mut ConfigFields<'_>) -> BertConfig {
    if kind == BertKind::Nomic {
        return nomic_bert::read(fields);
    }
    let hidden_size = fields.required("hidden_size", &WIDTH, 768);
    let heads = fields.required("num_attention_heads", &HEADS, 12);
    let albert = kind == BertKind::Albert;
    let drops = !albert && kind != BertKind::RemBert;
    let hidden = fields.drops("hidden_dropout_prob", drops);
    let activation = if albert {
        check_groups(fields);
        fields.activation("hidden_act", "gelu_new")
    } else if kind == BertKind::Esm {
        Activation::GeluErf
    } else {
        fields.check_activation("hidden_act", &["gelu", "gelu_pytorch_tanh"]);
        Activation::Gelu
    };
    let embedding_size = match kind {
        BertKind::Electra | BertKind::Albert => fields.optional("embedding_size", &WIDTH, 128),
        BertKind::RemBert => fields.optional("input_embedding_size", &WIDTH, 256),
        BertKind::RoFormer => fields.optional("embedding_size", &WIDTH, hidden_size),
        _ => hidden_size,
    };
    let head_dim = fields.divided(hidden_size, heads, "num_attention_heads");
    if kind == BertKind::RoFormer {
        check_pairs(heads, head_dim, fields);
    }
    BertConfig {
        kind,
        hidden_size,
        embedding_size,
        output_embedding_size: match kind {
            BertKind::RemBert => fields.optional("output_embedding_size", &WIDTH, 1664),
            _ => embedding_size,
        },
        rotary_value: kind == BertKind::RoFormer && fields.flag("rotary_value", false),
        intermediate_size: fields.required("intermediate_size", &WIDTH, 3072),
        num_hidden_layers: fields.required("num_hidden_layers", &LAYERS, 12),
        num_attention_heads: heads,
        head_dim,
        vocab_size: fields.required("vocab_size", &VOCABULARY, kind.usual_vocabulary()),
        max_position_embeddings: match kind {
            BertKind::XlmRobertaXl => fields.optional("max_position_embeddings", &VOCABULARY, 514),
            BertKind::Esm => bert_esm::positions(fields),
            BertKind::RoFormer => fields.optional("max_position_embeddings", &VOCABULARY, 1536),
            _ => fields.optional("max_position_embeddings", &VOCABULARY, 512),
        },
        type_vocab_size: match kind {
            BertKind::Mpnet | BertKind::Esm => 0,
            BertKind::DebertaV1 | BertKind::Deberta => {
                fields.optional("type_vocab_size", &(0..=*VOCABULARY.end()), 0)
            }
            BertKind::XlmRobertaXl => fields.optional("type_vocab_size", &VOCABULARY, 1),
            _ => fields.optional("type_vocab_size", &VOCABULARY, 2),
        },
        task_type_vocab_size: if kind == BertKind::Ernie && fields.flag("use_task_id", false) {
            fields.optional("task_type_vocab_size", &VOCABULARY, 3)
        } else {
            0
        },
        activation,
        dropout: Dropout {
            embedding: hidden,
            attention: fields.drops("attention_probs_dropout_prob", drops),
            residual: hidden,
        },
        classifier_dropout: match kind {
            BertKind::DebertaV1 | BertKind::Deberta => fields.drops("cls_dropout", hidden),
            BertKind::Albert | BertKind::RemBert => fields.drops("classifier_dropout_prob", true),
            BertKind::Mpnet
            | BertKind::Megatron
            | BertKind::Esm
            | BertKind::LayoutLm
            | BertKind::RoFormer => hidden,
            _ => fields.drops("classifier_dropout", hidden),
        },
        num_labels: fields.labels(2),
        page_positions: if kind == BertKind::LayoutLm {
            fields.optional("max_2d_position_embeddings", &VOCABULARY, 1024)
        } else {
            0
        },
        buckets: if kind == BertKind::Mpnet {
            fields.optional("relative_attention_num_buckets", &VOCABULARY, 32)
        } else {
            0
        },
        relative: deberta::read(kind, fields),
        esm: bert_esm::read(kind, fields),
    }
}

/// Refuses rotary positions over heads of an odd size: they turn pairs of columns.
fn check_pairs(heads: u64, head_dim: u64, fields: &mut ConfigFields<'_>) {
    if !head_dim.is_multiple_of(2) {
        let key = fields.key("num_attention_heads");
        fields.push(
            Finding::error(
                &key,
                format!("Positions of RoFormer turn pairs of columns, and each of {heads} heads has {head_dim} of them, which is odd."),
                format!("RoFormer 的位置编码成对旋转各列，而 {heads} 个注意力头各有 {head_dim} 列，为奇数。"),
            ),
        );
    }
}

/// Refuses an ALBERT with several different layers.
fn check_groups(fields: &mut ConfigFields<'_>) {
    for field in ["num_hidden_groups", "inner_group_num"] {
        if fields.optional(field, &LAYERS, 1) != 1 {
            let key = fields.key(field);
            fields.push(
                Finding::error(
                    &key,
                    format!("ALBERT is estimated with one layer that is used again and again; {field} must be 1."),
                    format!("目前按所有层共享一层的 ALBERT 估算；{field} 必须为 1。"),
                )
                .with_fix(&key, 1),
            );
        }
    }
}

//! BERT's kin whose norms come before attention and feed-forward layers, with one behind the last layer
//! (`models/{roberta_prelayernorm,xlm_roberta_xl,megatron_bert}/modeling_*.py` of transformers 5.23).

use super::bert_modules::LAYER_LINEARS;
use super::modules::{Module, linear, norm};
use super::{BertConfig, BertKind};

/// Where such a model has its norms.
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
    pub(super) fn of(kind: BertKind) -> Option<&'static Self> {
        match kind {
            BertKind::RobertaPreNorm => Some(&ROBERTA),
            BertKind::XlmRobertaXl => Some(&XLM_ROBERTA),
            BertKind::Megatron => Some(&MEGATRON),
            _ => None,
        }
    }

    /// The modules with parameters of the layers, and the norm behind them.
    pub(super) fn modules(&self, c: &BertConfig) -> Vec<Module> {
        let mut all = Vec::new();
        for i in 0..c.num_hidden_layers {
            let at = |name: &str| format!("{}.{i}.{name}", self.list);
            all.extend(LAYER_LINEARS.map(|name| linear(at(name), true)));
            all.extend([self.attention, self.feed_forward].map(|name| norm(at(name))));
        }
        all.push(norm(format!("{}.{}", c.kind.name(), self.last)));
        all
    }
}

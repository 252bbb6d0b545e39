//! The modules of BERT's kin whose norms come before attention and feed-forward layers, with one behind the
//! last layer (`models/{roberta_prelayernorm,xlm_roberta_xl,megatron_bert}/modeling_*.py` of transformers
//! 5.23).

use super::modules::LAYER_LINEARS;
use crate::model::{BertConfig, Module, PreNorm, linear, norm};

impl PreNorm {
    /// The modules with parameters of the layers, and the norm behind them.
    pub(crate) fn modules(&self, c: &BertConfig) -> Vec<Module> {
        let mut all = Vec::new();
        for i in 0..c.num_hidden_layers {
            let at = |name: &str| format!("{}.{i}.{name}", self.list);
            all.extend(LAYER_LINEARS.map(|name| linear(at(name), true)));
            all.extend([self.attention, self.feed_forward].map(|name| norm(at(name))));
        }
        all.push(norm(format!("{}.{}", c.family.base_model, self.last)));
        all
    }
}

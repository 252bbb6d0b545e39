//! Falcon's config (`models/falcon` of transformers 5.23).

use crate::ask::{Finding, HEADS, LAYERS, VOCABULARY, WIDTH, message};
use crate::families::reading::options;
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{DecoderConfig, FusedHeads};

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden_size = fields.named(&["n_embed", "hidden_size"], &WIDTH, sizes.hidden);
    let heads = fields.named(&["num_attention_heads", "n_head"], &HEADS, sizes.heads);
    let head_dim = fields.divided(hidden_size, heads, "num_attention_heads");
    fields.check_activation("activation", &["gelu", "gelu_pytorch_tanh"]);
    let (recent, multi_query) = (
        fields.flag("new_decoder_architecture", false),
        fields.flag("multi_query", true),
    );
    let fused_heads = match (recent, multi_query) {
        (true, _) => FusedHeads::Groups,
        (false, true) => FusedHeads::Last,
        (false, false) => FusedHeads::Each,
    };
    let groups = match fused_heads {
        FusedHeads::Groups => fields.shared_by("num_kv_heads", heads, heads),
        FusedHeads::Last => 1,
        FusedHeads::Each => heads,
    };
    let norms = fields.optional("num_ln_in_parallel_attn", &(1..=2), 2);
    let alibi = fields.flag("alibi", false);
    let parallel = fields.flag("parallel_attn", true);
    if recent && norms == 2 && !parallel {
        let key = fields.key("parallel_attn");
        fields.push(Finding::error(&key, message!(falcon::two_norms)).with_fix(&key, true));
    }
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("ffn_hidden_size", &WIDTH, 4 * hidden_size),
        num_key_value_heads: groups,
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        rotary_dim: options::rotary_columns(rules.rotary_columns, head_dim, fields),
        attention_bias: options::biases(&rules.biases, fields).output,
        parallel_residual: recent || parallel,
        fused_heads,
        parallel_norms: recent && norms == 2,
        alibi,
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(
            family,
            hidden_size,
            fields.named(&["num_hidden_layers", "n_layer"], &LAYERS, sizes.layers),
            heads,
        )
    }
}

//! The configs and modules of GPT-2, `GPTBigCode`, GPT-Neo, GPT-J and `CodeGen`
//! (`models/{gpt2,gpt_bigcode,gpt_neo,gptj,codegen}` of transformers 5.23).

use crate::ask::{Finding, HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{
    Activation, DecoderConfig, DecoderType, Dropout, Module, embedding, linear, norm, output,
};
use serde_json::{Value, json};

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let model_type = family.decoder_type();
    let hidden_size = fields.named(&["n_embd", "hidden_size"], &WIDTH, 768);
    let num_attention_heads = fields.named(&["n_head", "num_attention_heads"], &HEADS, 12);
    let num_hidden_layers = fields.named(&["n_layer", "num_hidden_layers"], &LAYERS, 12);
    let is_big_code = model_type == DecoderType::GptBigCode;
    let activation = if is_big_code {
        fields.activation("activation_function", "gelu_pytorch_tanh")
    } else {
        fields.check_activation("activation_function", &["gelu_new"]);
        Activation::GeluNew
    };
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("n_inner", &WIDTH, 4 * hidden_size),
        num_key_value_heads: if is_big_code && fields.flag("multi_query", true) {
            1
        } else {
            num_attention_heads
        },
        activation,
        head_dim: fields.divided(hidden_size, num_attention_heads, "n_head"),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 50_257),
        position_rows: fields.named(&["n_positions", "max_position_embeddings"], &SEQ_LEN, 1024),
        tie_word_embeddings: fields.flag("tie_word_embeddings", true),
        dropout: Dropout {
            embedding: fields.drops("embd_pdrop", true),
            attention: fields.drops("attn_pdrop", true),
            residual: fields.drops("resid_pdrop", true),
        },
        ..DecoderConfig::plain(family, hidden_size, num_hidden_layers, num_attention_heads)
    }
}

/// `CodeGenAttention` cuts its projection into four blocks of as many heads each (`mp_num`).
fn check_blocks(hidden_size: u64, heads: u64, fields: &mut ConfigFields<'_>) {
    if heads.is_multiple_of(4) {
        return;
    }
    let key = fields.key("n_head");
    let fits = (1..=hidden_size / 4).map(|n| 4 * n);
    let fits = fits.filter(|n| hidden_size.is_multiple_of(*n));
    let nearest = fits.min_by_key(|n| n.abs_diff(heads)).unwrap_or(4);
    fields.push(
        Finding::error(
            &key,
            format!("CodeGen puts its heads into four blocks: {heads} is no multiple of 4."),
            format!("CodeGen 把注意力头分成四块：{heads} 不是 4 的倍数。"),
        )
        .with_fix(&key, nearest),
    );
}

/// Reads the config of GPT-Neo, GPT-J or `CodeGen`.
pub(crate) fn read_wide(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let model_type = family.decoder_type();
    let neo = model_type == DecoderType::GptNeo;
    let width = if neo { 2048 } else { 4096 };
    let hidden_size = fields.named(&["n_embd", "hidden_size"], &WIDTH, width);
    let heads = &["n_head", "num_heads", "num_attention_heads"];
    let num_attention_heads = fields.named(heads, &HEADS, 16);
    let layers = &["n_layer", "num_layers", "num_hidden_layers"];
    let num_hidden_layers = fields.named(layers, &LAYERS, if neo { 24 } else { 28 });
    let inner = &["n_inner", "intermediate_size"];
    let head_dim = fields.divided(hidden_size, num_attention_heads, heads[usize::from(neo)]);
    if neo {
        check_attention_types(num_hidden_layers, fields);
    }
    if model_type == DecoderType::CodeGen {
        check_blocks(hidden_size, num_attention_heads, fields);
    }
    let vocab_size = if neo { 50_257 } else { 50_400 };
    DecoderConfig {
        intermediate_size: fields.named(inner, &WIDTH, 4 * hidden_size),
        activation: fields.activation("activation_function", "gelu_new"),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, vocab_size),
        position_rows: fields.named(&["n_positions", "max_position_embeddings"], &SEQ_LEN, 2048),
        rotary_dim: if neo {
            0
        } else {
            fields.optional("rotary_dim", &WIDTH, 64.min(head_dim))
        },
        tie_word_embeddings: fields.flag("tie_word_embeddings", neo),
        parallel_residual: !neo,
        dropout: Dropout {
            embedding: fields.drops(if neo { "embed_dropout" } else { "embd_pdrop" }, false),
            attention: fields.drops(
                if neo {
                    "attention_dropout"
                } else {
                    "attn_pdrop"
                },
                false,
            ),
            residual: fields.drops(if neo { "resid_dropout" } else { "resid_pdrop" }, false),
        },
        ..DecoderConfig::plain(family, hidden_size, num_hidden_layers, num_attention_heads)
    }
}

/// `attention_types` of GPT-Neo must name the attention of as many layers as there are
/// (`configuration_gpt_neo.py`, transformers 5.23, 4.51 and 4.48). Without it there are 24.
fn check_attention_types(layers: u64, fields: &mut ConfigFields<'_>) {
    const FIELD: &str = "attention_types";
    let of_item = |item: &Value| {
        let kinds = item.get(0).and_then(Value::as_array).map_or(0, Vec::len);
        let times = item.get(1).and_then(Value::as_u64).unwrap_or(0);
        times.saturating_mul(kinds as u64)
    };
    let given = fields.get(FIELD).and_then(Value::as_array);
    let named = given.map(|items| items.iter().map(of_item).fold(0, u64::saturating_add));
    let count = named.unwrap_or(24);
    if count == layers {
        return;
    }
    let mut fitting = vec![json!([["global", "local"], layers / 2])];
    if layers % 2 == 1 {
        fitting.push(json!([["global"], 1]));
    }
    let (english, chinese) = (
        format!(
            "attention_types says how {count} layers attend, but there are {layers}: transformers refuses that."
        ),
        format!(
            "attention_types 描述了 {count} 层的注意力，而模型有 {layers} 层：transformers 会报错。"
        ),
    );
    let key = fields.key(FIELD);
    fields.push(Finding::error(&key, english, chinese).with_fix(&key, fitting));
}

/// What the linear layers of an MLP are called.
pub fn mlp_names(model_type: DecoderType) -> [&'static str; 2] {
    match model_type {
        DecoderType::GptJ | DecoderType::CodeGen => ["fc_in", "fc_out"],
        _ => ["c_fc", "c_proj"],
    }
}

/// The linear layers of attention in the order in which they are built, and whether they have biases.
fn attention(model_type: DecoderType) -> &'static [(&'static str, bool)] {
    match model_type {
        DecoderType::GptNeo => &[
            ("attn.attention.k_proj", false),
            ("attn.attention.v_proj", false),
            ("attn.attention.q_proj", false),
            ("attn.attention.out_proj", true),
        ],
        DecoderType::GptJ => &[
            ("attn.k_proj", false),
            ("attn.v_proj", false),
            ("attn.q_proj", false),
            ("attn.out_proj", false),
        ],
        DecoderType::CodeGen => &[("attn.qkv_proj", false), ("attn.out_proj", false)],
        _ => &[("attn.c_attn", true), ("attn.c_proj", true)],
    }
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(config: &DecoderConfig) -> Vec<Module> {
    let mut all = vec![embedding("transformer.wte")];
    if config.rotary_dim == 0 {
        all.push(embedding("transformer.wpe"));
    }
    for layer in 0..config.num_hidden_layers {
        let at = |name: &str| format!("transformer.h.{layer}.{name}");
        all.push(norm(at("ln_1")));
        let parts = attention(config.model_type).iter();
        all.extend(parts.map(|&(name, bias)| linear(at(name), bias)));
        if !config.parallel_residual {
            all.push(norm(at("ln_2")));
        }
        let mlp = mlp_names(config.model_type);
        all.extend(mlp.map(|name| linear(at("mlp.") + name, true)));
    }
    all.push(norm("transformer.ln_f"));
    let mut head = output("lm_head", config.tie_word_embeddings);
    if config.rotary_dim != 0 {
        head.parameters = if config.tie_word_embeddings {
            &["bias"]
        } else {
            &["weight", "bias"]
        };
    }
    all.push(head);
    all
}

//! What of a `config.json` decides something.

use super::model::is_known;
use serde_json::{Map, Value};

/// Fields of a config that are read, here or by the reader of a family.
const FIELDS: &[&str] = &[
    "activation",
    "activation_dropout",
    "activation_function",
    "allow_neg_eigval",
    "architectures",
    "attention_bias",
    "attention_dropout",
    "attention_out_bias",
    "attention_probs_dropout_prob",
    "attn",
    "attn_logit_softcapping",
    "attn_mode",
    "attn_pdrop",
    "attnres_block_size",
    "clamp_min",
    "conv_size",
    "clip_qkv",
    "d_ff",
    "d_kv",
    "d_model",
    "classifier_dropout",
    "classifier_dropout_prob",
    "num_hidden_groups",
    "inner_group_num",
    "qa_dropout",
    "sparse_prediction",
    "reference_compile",
    "global_attn_every_n_layers",
    "local_attention",
    "mlp_dropout",
    "hidden_activation",
    "classifier_activation",
    "classifier_pooling",
    "classifier_bias",
    "decoder_bias",
    "norm_bias",
    "decoder_attention_heads",
    "decoder_ffn_dim",
    "decoder_layers",
    "decoder_sparse_step",
    "dim",
    "dropout_rate",
    "do_layer_norm_before",
    "dropout",
    "elementwise_affine",
    "embd_pdrop",
    "embedding_dropout",
    "enable_bias",
    "encoder_attention_heads",
    "encoder_ffn_dim",
    "encoder_layers",
    "expand_k",
    "expand_ratio",
    "expand_v",
    "feature_map",
    "feed_forward_proj",
    "ffn_dim",
    "final_logit_softcapping",
    "first_k_dense_replace",
    "fuse_cross_entropy",
    "fuse_linear_cross_entropy",
    "fuse_norm",
    "fuse_swiglu",
    "head_dim",
    "hidden_act",
    "hidden_dropout",
    "hidden_dim",
    "hidden_dropout_prob",
    "hidden_ratio",
    "hidden_size",
    "image_size",
    "intermediate_size",
    "kv_lora_rank",
    "layer_types",
    "max_position_embeddings",
    "max_window_layers",
    "mlp_bias",
    "mlp_layer_types",
    "mlp_only_layers",
    "model_type",
    "n_embd",
    "n_group",
    "n_head",
    "n_heads",
    "n_inner",
    "n_layer",
    "n_layers",
    "n_positions",
    "n_routed_experts",
    "n_shared_experts",
    "no_rope_layer_interval",
    "no_rope_layers",
    "norm_topk_prob",
    "num_attention_heads",
    "num_channels",
    "num_decoder_layers",
    "num_shared_experts",
    "num_experts",
    "num_experts_per_tok",
    "num_heads",
    "num_hidden_layers",
    "num_key_value_heads",
    "num_kv_heads",
    "num_labels",
    "num_layers",
    "num_local_experts",
    "num_v_heads",
    "output_router_logits",
    "partial_rotary_factor",
    "patch_size",
    "qk_activation",
    "qk_norm",
    "q_lora_rank",
    "qk_nope_head_dim",
    "qk_rope_head_dim",
    "qkv_bias",
    "quantization_config",
    "relative_attention_num_buckets",
    "resid_pdrop",
    "rope_interleave",
    "rotary_pct",
    "router_jitter_noise",
    "shared_expert_intermediate_size",
    "seq_classif_dropout",
    "sliding_window",
    "sliding_window_pattern",
    "text_config",
    "tie_word_embeddings",
    "topk_group",
    "topk_method",
    "type_vocab_size",
    "use_beta",
    "use_gate",
    "use_l2warp",
    "use_lower_bound",
    "use_output_gate",
    "use_parallel_residual",
    "use_short_conv",
    "use_sliding_window",
    "v_head_dim",
    "vocab_size",
    "word_embed_proj_dim",
    "alibi",
    "apply_residual_connection_post_layernorm",
    "bias",
    "ffn_hidden_size",
    "multi_query",
    "n_embed",
    "new_decoder_architecture",
    "num_ln_in_parallel_attn",
    "parallel_attn",
    "conv_kernel",
    "expand",
    "residual_dropout",
    "residual_in_fp32",
    "state_size",
    "time_step_rank",
    "qk_layernorm",
    "use_bias",
    "use_qk_norm",
    "use_qkv_bias",
    "use_conv_bias",
    "attn_config",
    "input_jitter_noise",
    "lm_head_bias",
    "max_seq_len",
    "max_source_positions",
    "max_target_positions",
    "add_bias_linear",
    "use_mem_rope",
    "use_shared_attention_adapter",
    "adapter_rank",
    "num_mem_blocks",
    "n_mamba_heads",
    "mlp_hidden_act",
    "ssm_state_size",
    "hybrid_override_pattern",
    "conv_kernel_size",
    "legacy",
    "z_steps",
    "vision_config",
    "share_att_key",
    "resid_dropout",
    "ssm_cfg",
    "norm_rel_ebd",
    "relative_attention",
    "embed_dropout",
    "conv_use_bias",
    "projectors_bias",
    "chunk_size",
    "n_groups",
    "layers_block_type",
    "full_attn_idxs",
    "expert_layer_offset",
    "expert_layer_period",
    "attn_layer_offset",
    "attn_layer_period",
    "attn_layer_indices",
    "tie_embedding",
    "shared_intermediate_size",
    "rotary_dim",
    "position_embedding_type",
    "position_buckets",
    "position_biased_input",
    "pos_att_type",
    "pooler_dropout",
    "is_encoder_decoder",
    "intermediate_size_mlp",
    "interleave_moe_layer_step",
    "full_attention_interval",
    "embedding_size",
    "conv_bias",
    "conv_L_cache",
    "cls_dropout",
    "block_ffn_dim_multiplier",
    "block_multiple_of",
    "block_ff_dim",
    "block_auto_adjust_ff_dim",
    "attn_temperature_tuning",
    "attention_chunk_size",
    "num_mel_bins",
    "attention_k_eq_v",
    "enable_moe_block",
    "global_head_dim",
    "hidden_size_per_layer_input",
    "num_global_key_value_heads",
    "num_kv_shared_layers",
    "use_double_wide_mlp",
    "vocab_size_per_layer_input",
    "drop_path_rate",
    "top_k_experts",
    "mlp_ratio",
    "use_mask_token",
    "use_swiglu_ffn",
];

/// How fields begin that are read whatever follows.
const FAMILIES: [&str; 3] = ["linear_", "mamba_", "moe_"];

/// Whether a field is one of those that are read.
pub(super) fn is_read(name: &str) -> bool {
    [ROPE, LABELS].contains(&name)
        || FIELDS.contains(&name)
        || FAMILIES.iter().any(|family| name.starts_with(family))
}

/// Where transformers 5 keeps what is known of positions, and the part of it that is read.
const ROPE: &str = "rope_parameters";
const FACTOR: &str = "partial_rotary_factor";
/// Names of labels, which are only counted.
const LABELS: &str = "id2label";

/// The fields of a config that decide something. A config of a type that is not supported is
/// kept whole, but for nested parts.
#[must_use]
pub fn essential_config(config: &Map<String, Value>) -> Map<String, Value> {
    let known = [
        config.get("model_type"),
        config
            .get("text_config")
            .and_then(|text| text.get("model_type")),
    ]
    .into_iter()
    .flatten()
    .any(|given| given.as_str().is_some_and(is_known));
    let kept = |name: &str, value: &Value| {
        if known {
            is_read(name) && name != LABELS && (name != ROPE || value.get(FACTOR).is_some())
        } else {
            !value.is_object() && !value.is_array()
        }
    };
    let fields = config.iter().filter(|(name, value)| kept(name, value));
    let labels = config.get(LABELS).and_then(Value::as_object);
    let counted = labels.filter(|_| known && !config.contains_key("num_labels"));
    let counted = counted.map(|labels| ("num_labels".to_owned(), Value::from(labels.len())));
    let shortened = fields.map(|(name, value)| {
        let value = match value {
            Value::Object(text) if name == "text_config" => Value::Object(essential_config(text)),
            // That there is one is all that is read.
            Value::Object(_) if name == "quantization_config" => Value::Bool(true),
            Value::Object(rope) if name == ROPE => {
                let factor = rope.get_key_value(FACTOR);
                Value::Object(
                    factor
                        .map(|(k, v)| (k.clone(), v.clone()))
                        .into_iter()
                        .collect(),
                )
            }
            other => other.clone(),
        };
        (name.clone(), value)
    });
    shortened.chain(counted).collect()
}

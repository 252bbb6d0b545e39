//! What of a `config.json` decides something.

use crate::families::registry;
use serde_json::{Map, Value};

/// Fields of a config that are read, here or by the reader of a family.
const FIELDS: &[&str] = &[
    "D_has_hdim",
    "activation",
    "activation_dropout",
    "activation_function",
    "activation_sparsity_pattern",
    "adapter_attn_dim",
    "add_adapter",
    "alibi",
    "allow_neg_eigval",
    "altup_coef_clip",
    "altup_correct_scale",
    "altup_num_inputs",
    "apply_residual_connection_post_layernorm",
    "apply_spec_augment",
    "architectures",
    "attention_bias",
    "attention_chunk_size",
    "attention_dropout",
    "attention_heads",
    "attention_k_eq_v",
    "attention_out_bias",
    "attention_probs_dropout_prob",
    "attention_types",
    "attn",
    "attn_config",
    "attn_layer_indices",
    "attn_layer_offset",
    "attn_layer_period",
    "attn_logit_softcapping",
    "attn_mode",
    "attn_pdrop",
    "attn_temperature_tuning",
    "attnres_block_size",
    "bias",
    "block_auto_adjust_ff_dim",
    "block_ff_dim",
    "block_ffn_dim_multiplier",
    "block_multiple_of",
    "block_size",
    "bos_token_id",
    "chunk_size",
    "clamp_min",
    "classifier_activation",
    "classifier_bias",
    "classifier_dropout",
    "classifier_dropout_prob",
    "classifier_pooling",
    "classifier_proj_size",
    "clip_qkv",
    "cls_dropout",
    "conv_L_cache",
    "conv_bias",
    "conv_dim",
    "conv_kernel",
    "conv_kernel_size",
    "conv_pos_batch_norm",
    "conv_pos_kernel_size",
    "conv_size",
    "conv_stride",
    "cross_attention_layers",
    "ctc_loss_reduction",
    "ctc_zero_infinity",
    "d_ff",
    "d_kv",
    "d_model",
    "decoder",
    "decoder_attention_heads",
    "decoder_bias",
    "decoder_ffn_dim",
    "decoder_layerdrop",
    "decoder_layers",
    "decoder_sparse_step",
    "deepstack_visual_indexes",
    "depth",
    "depths",
    "dim",
    "do_layer_norm_before",
    "do_stable_layer_norm",
    "downsample_in_bottleneck",
    "downsample_in_first_stage",
    "downsample_ratio",
    "drop_path_rate",
    "dropout",
    "dropout_rate",
    "dt_rank",
    "elementwise_affine",
    "emb_layer_norm_before",
    "embd_pdrop",
    "embed_dim",
    "embed_dropout",
    "embedding_dropout",
    "embedding_size",
    "enable_bias",
    "enable_moe_block",
    "enable_moe_fp32_combine",
    "encoder",
    "encoder_attention_heads",
    "encoder_ffn_dim",
    "encoder_layerdrop",
    "encoder_layers",
    "encoder_no_repeat_ngram_size",
    "expand",
    "expand_k",
    "expand_ratio",
    "expand_v",
    "expert_layer_offset",
    "expert_layer_period",
    "expert_selection_fn",
    "feat_extract_activation",
    "feat_extract_norm",
    "feat_proj_dropout",
    "feat_proj_layer_norm",
    "feature_map",
    "feed_forward_proj",
    "ffn_dim",
    "ffn_hidden_size",
    "final_dropout",
    "final_logit_softcapping",
    "first_k_dense_replace",
    "frequency_stride",
    "full_attention_interval",
    "full_attn_idxs",
    "fullatt_block_indexes",
    "fuse_cross_entropy",
    "fuse_linear_cross_entropy",
    "fuse_norm",
    "fuse_swiglu",
    "global_attn_every_n_layers",
    "global_head_dim",
    "head_dim",
    "hidden_act",
    "hidden_activation",
    "hidden_dim",
    "hidden_dropout",
    "hidden_dropout_prob",
    "hidden_ratio",
    "hidden_size",
    "hidden_size_per_layer_input",
    "hidden_sizes",
    "hybrid_override_pattern",
    "image_grid_pinpoints",
    "image_size",
    "image_token_index",
    "in_channels",
    "index_head_dim",
    "index_n_heads",
    "index_skip_topk_offset",
    "index_topk",
    "index_topk_freq",
    "index_topk_pattern",
    "indexer_types",
    "inner_group_num",
    "input_embedding_size",
    "input_jitter_noise",
    "interleave_moe_layer_step",
    "intermediate_layers_indices",
    "intermediate_size",
    "intermediate_size_mlp",
    "is_encoder_decoder",
    "is_folding_model",
    "is_moe",
    "keep_window_size",
    "kv_channels",
    "kv_lora_rank",
    "laurel_rank",
    "layer_scale_init_value",
    "layer_type",
    "layer_rope_theta",
    "layer_types",
    "layerdrop",
    "layers_block_type",
    "legacy",
    "lm_head_bias",
    "local_attention",
    "mask_feature_min_masks",
    "mask_feature_prob",
    "mask_time_length",
    "mask_time_min_masks",
    "mask_time_prob",
    "max_2d_position_embeddings",
    "max_length",
    "max_num_tiles",
    "max_position_embeddings",
    "max_relative_positions",
    "max_seq_len",
    "max_source_positions",
    "max_target_positions",
    "max_window_layers",
    "mlp_bias",
    "mlp_dropout",
    "mlp_hidden_act",
    "mlp_layer_types",
    "mlp_only_layers",
    "mlp_ratio",
    "mm_tokens_per_image",
    "model_type",
    "multi_query",
    "multimodal_projector_bias",
    "mup_enabled",
    "n_embd",
    "n_embed",
    "n_group",
    "n_groups",
    "n_head",
    "n_heads",
    "n_inner",
    "n_layer",
    "n_layers",
    "n_positions",
    "n_routed_experts",
    "n_shared_experts",
    "new_decoder_architecture",
    "no_rope_layer_interval",
    "no_rope_layers",
    "norm_bias",
    "norm_rel_ebd",
    "norm_topk_prob",
    "norm_type",
    "num_attention_heads",
    "num_buckets",
    "num_channels",
    "num_conv_pos_embedding_groups",
    "num_conv_pos_embeddings",
    "num_decoder_layers",
    "num_dense_layers",
    "num_experts",
    "num_experts_per_tok",
    "num_global_key_value_heads",
    "num_global_layers",
    "num_heads",
    "num_hidden_groups",
    "num_hidden_layers",
    "num_key_value_heads",
    "num_kv_heads",
    "num_kv_shared_layers",
    "num_labels",
    "num_layers",
    "num_ln_in_parallel_attn",
    "num_local_experts",
    "num_mel_bins",
    "num_position_embeddings",
    "num_register_tokens",
    "num_shared_experts",
    "num_v_heads",
    "out_hidden_size",
    "output_embedding_size",
    "output_router_logits",
    "parallel_attn",
    "partial_rotary_factor",
    "patch_size",
    "pooler_dropout",
    "pos_att_type",
    "position_biased_input",
    "position_buckets",
    "position_embedding_type",
    "prefix_dense_intermediate_size",
    "prefix_dense_sliding_window_pattern",
    "pretrained_window_sizes",
    "projection_dim",
    "projection_dropout",
    "projector_hidden_act",
    "projectors_bias",
    "q_lora_rank",
    "qa_dropout",
    "qk_activation",
    "qk_layernorm",
    "qk_nope_head_dim",
    "qk_norm",
    "qk_rope_head_dim",
    "qkv_bias",
    "quantization_config",
    "reference_compile",
    "relative_attention",
    "relative_attention_num_buckets",
    "resid_dropout",
    "resid_pdrop",
    "residual_dropout",
    "residual_in_fp32",
    "rms_norm_eps",
    "rmsnorm",
    "rope_interleave",
    "rotary_dim",
    "rotary_pct",
    "rotary_value",
    "router_jitter_noise",
    "scale_emb",
    "scale_embedding",
    "scale_factor",
    "seq_classif_dropout",
    "share_att_key",
    "share_encoder_decoder_embeddings",
    "shared_expert_combination_strategy",
    "shared_expert_intermediate_size",
    "shared_intermediate_size",
    "sliding_window",
    "sliding_window_pattern",
    "sparse_prediction",
    "spatial_merge_size",
    "ssm_cfg",
    "ssm_state_size",
    "state_size",
    "supported_aspect_ratios",
    "talking_head",
    "task_type_vocab_size",
    "temporal_patch_size",
    "text_config",
    "tie_embedding",
    "tie_word_embeddings",
    "time_step_rank",
    "time_stride",
    "token_dropout",
    "top_k_experts",
    "topk_group",
    "topk_method",
    "type_vocab_size",
    "use_absolute_embeddings",
    "use_absolute_position_embeddings",
    "use_beta",
    "use_bias",
    "use_conv_bias",
    "use_double_wide_mlp",
    "use_expert_bias",
    "use_gate",
    "use_l2warp",
    "use_lower_bound",
    "use_mask_token",
    "use_mean_pooling",
    "use_output_gate",
    "use_parallel_residual",
    "use_post_norm",
    "use_qk_norm",
    "use_qkv_bias",
    "use_relative_position_bias",
    "use_shared_relative_position_bias",
    "use_short_conv",
    "use_sliding_window",
    "use_swiglu_ffn",
    "use_task_id",
    "use_weighted_layer_sum",
    "v_head_dim",
    "vision_config",
    "vision_feature_layer",
    "vision_feature_select_strategy",
    "vision_output_dim",
    "vocab_size",
    "vocab_size_per_layer_input",
    "window_size",
    "word_embed_proj_dim",
    "z_steps",
];

/// How fields begin that are read whatever follows.
const FAMILIES: [&str; 3] = ["linear_", "mamba_", "moe_"];

/// Whether a field is one of those that are read.
pub(crate) fn is_read(name: &str) -> bool {
    [ROPE, LABELS].contains(&name)
        || FIELDS.contains(&name)
        || FAMILIES.iter().any(|family| name.starts_with(family))
        || registry::maps_to(name)
}

/// Where transformers 5 keeps what is known of positions, and the part of it that is read.
const ROPE: &str = "rope_parameters";

const FACTOR: &str = "partial_rotary_factor";

/// The base of frequencies, which is null where there are none.
const THETA: &str = "rope_theta";

/// Layers that see all of an image, in a part that does not say its type.
const FULL_LAYERS: &str = "fullatt_block_indexes";

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
    .any(|given| {
        given
            .as_str()
            .is_some_and(|name| registry::family(name).is_some())
    });
    essential(config, known)
}

/// The same, where it is known whether the type is supported.
fn essential(config: &Map<String, Value>, known: bool) -> Map<String, Value> {
    let kept = |name: &str, value: &Value| {
        if known {
            is_read(name)
                && name != LABELS
                && (name != ROPE
                    || value
                        .as_object()
                        .is_some_and(|rope| rope.iter().any(decides)))
        } else {
            !value.is_object() && !value.is_array() || name == FULL_LAYERS
        }
    };
    let fields = config.iter().filter(|(name, value)| kept(name, value));
    let labels = config.get(LABELS).and_then(Value::as_object);
    let counted = labels.filter(|_| known && !config.contains_key("num_labels"));
    let counted = counted.map(|labels| ("num_labels".to_owned(), Value::from(labels.len())));
    let shortened = fields.map(|(name, value)| {
        let value = match value {
            Value::Object(text) if ["text_config", "vision_config"].contains(&name.as_str()) => {
                Value::Object(essential_config(text))
            }
            Value::Object(stack) if ["encoder", "decoder"].contains(&name.as_str()) => {
                Value::Object(essential(stack, known))
            }
            // That there is one is all that is read.
            Value::Object(_) if name == "quantization_config" => Value::Bool(true),
            Value::Object(rope) if name == ROPE => {
                let kept = rope.iter().filter(|&field| decides(field));
                Value::Object(kept.map(|(k, v)| (k.clone(), v.clone())).collect())
            }
            other => other.clone(),
        };
        (name.clone(), value)
    });
    shortened.chain(counted).collect()
}

/// Whether a field of what is known of positions decides something.
fn decides((name, value): (&String, &Value)) -> bool {
    name == FACTOR || (name == THETA && value.is_null())
}

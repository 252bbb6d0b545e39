//! The configs and modules of `DeepSeek` V2, V3 and V3.2, of GLM-4.7 Flash and GLM-5, A.X K1, Mistral Small 4, Youtu-LLM
//! and `MiniCPM3` (`models/{deepseek_v2,deepseek_v3,deepseek_v32,glm4_moe_lite,glm_moe_dsa,axk1,mistral4,youtu,minicpm3}` of
//! transformers 5.23).

use super::indexer;
use crate::ask::{Finding, Framework, HEADS, LAYERS, VOCABULARY, WIDTH};
use crate::families::reading::{expert_modules, experts};
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{
    Correction, DecoderConfig, DecoderType, Dropout, EXPERTS, ExpertForm, Experts, Groups, Latent,
    LatentRotary, LogitsDtype, Module, Routing, SharedForm, SigmoidScores, embedding, linear,
    other, output,
};

/// `DeepSeek`'s defaults of [`Latent`].
const LATENT: [u64; 5] = [1536, 512, 128, 64, 128];

/// Defaults by which the versions differ.
struct Defaults {
    sizes: [u64; 5],
    /// Of [`Latent`]: the ranks of queries and of keys and values, and the columns of a head that are
    /// not turned, that are, and of values.
    latent: [u64; 5],
    /// Of a mixture of experts, if there is one.
    mixture: Option<Mixture>,
    tied: bool,
}

/// Defaults of a mixture of experts.
struct Mixture {
    experts: u64,
    per_token: u64,
    shared: u64,
    expert_size: u64,
    dense_layers: u64,
    /// Groups, and how many of them are kept, where sigmoids with a correction choose.
    corrected: Option<[u64; 2]>,
    normalized: bool,
}

fn defaults(model_type: DecoderType) -> Defaults {
    match model_type {
        DecoderType::Glm4MoeLite => Defaults {
            sizes: [2048, 10_240, 47, 20, 154_880],
            latent: [768, 512, 192, 64, 256],
            mixture: Some(Mixture {
                experts: 64,
                per_token: 4,
                shared: 1,
                expert_size: 1536,
                dense_layers: 1,
                corrected: Some([1, 1]),
                normalized: true,
            }),
            tied: false,
        },
        DecoderType::AxK1 => Defaults {
            sizes: [7168, 18_432, 61, 64, 163_840],
            latent: LATENT,
            mixture: Some(Mixture {
                experts: 192,
                per_token: 8,
                shared: 1,
                expert_size: 2048,
                dense_layers: 1,
                corrected: Some([8, 4]),
                normalized: true,
            }),
            tied: false,
        },
        DecoderType::Mistral4 => Defaults {
            sizes: [4096, 12_288, 36, 32, 131_072],
            latent: [1024, 256, 64, 64, 128],
            mixture: Some(Mixture {
                experts: 128,
                per_token: 4,
                shared: 1,
                expert_size: 2048,
                dense_layers: 0,
                corrected: Some([1, 1]),
                normalized: true,
            }),
            tied: false,
        },
        DecoderType::Youtu => Defaults {
            sizes: [2048, 6144, 32, 16, 128_256],
            latent: LATENT,
            mixture: None,
            tied: true,
        },
        // The columns of a head's values are those of a head of all.
        DecoderType::MiniCpm3 => Defaults {
            sizes: [2560, 6400, 62, 40, 73_448],
            latent: [768, 256, 64, 32, 64],
            mixture: None,
            tied: true,
        },
        DecoderType::GlmMoeDsa => Defaults {
            sizes: [6144, 12_288, 78, 64, 154_880],
            latent: [2048, 512, 192, 64, 256],
            mixture: defaults(DecoderType::DeepseekV32)
                .mixture
                .map(|mixture| Mixture {
                    corrected: Some([1, 1]),
                    ..mixture
                }),
            tied: false,
        },
        DecoderType::DeepseekV3 | DecoderType::DeepseekV32 => Defaults {
            sizes: [7168, 18_432, 61, 128, 129_280],
            latent: LATENT,
            mixture: Some(Mixture {
                experts: 256,
                per_token: 8,
                shared: 1,
                expert_size: 2048,
                dense_layers: 3,
                corrected: Some([8, 4]),
                normalized: true,
            }),
            tied: false,
        },
        _ => Defaults {
            sizes: [4096, 11_008, 32, 32, 102_400],
            latent: LATENT,
            mixture: Some(Mixture {
                experts: 64,
                per_token: 8,
                shared: 2,
                expert_size: 1407,
                dense_layers: 0,
                corrected: None,
                normalized: false,
            }),
            tied: false,
        },
    }
}

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let model_type = family.decoder_type();
    let v3 = model_type != DecoderType::DeepseekV2;
    let mini = model_type == DecoderType::MiniCpm3;
    let mistral = model_type == DecoderType::Mistral4;
    let defaults = defaults(model_type);
    let [hidden, intermediate, layers, heads, vocabulary] = defaults.sizes;
    let num_hidden_layers = fields.optional("num_hidden_layers", &LAYERS, layers);
    let num_attention_heads = fields.optional("num_attention_heads", &HEADS, heads);
    let hidden_size = fields.optional("hidden_size", &WIDTH, hidden);
    let mut sizes = defaults.latent;
    if mini {
        sizes[4] = (hidden_size / num_attention_heads).max(1);
    }
    let mut latent = latent(v3, sizes, fields);
    if mini {
        latent.rotary = LatentRotary::Halves;
    }
    latent.indexer = indexer::read(model_type, latent.turned, fields);
    if latent.indexer.is_some() {
        latent.rotary = LatentRotary::Pairs;
    }
    let numbered = model_type == DecoderType::AxK1 || latent.indexer.is_some();
    if numbered && latent.query_rank.is_none() {
        refuse_null(sizes[0], fields);
    }
    fields.check_activation("hidden_act", &["silu", "swish"]);
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("intermediate_size", &WIDTH, intermediate),
        head_dim: latent.head_dim(),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", defaults.tied),
        rotary_dim: latent.turned,
        attention_bias: fields.flag("attention_bias", false),
        mlp_bias: (mini || !v3) && fields.flag("mlp_bias", false),
        dropout: Dropout {
            attention: fields.drops("attention_dropout", false),
            ..Dropout::default()
        },
        scales_by_whole_number: mini
            && !fields
                .get("scale_emb")
                .is_some_and(serde_json::Value::is_f64),
        experts: defaults.mixture.map(|mixture| {
            let experts = read_experts(&mixture, num_hidden_layers, fields);
            match experts.routing {
                _ if latent.indexer.is_some() => Experts {
                    wide_correction: true,
                    ..experts
                },
                Routing::Corrected(groups) if mistral => Experts {
                    routing: Routing::Grouped(groups),
                    ..experts
                },
                _ => experts,
            }
        }),
        scales_queries: mistral,
        latent: Some(latent),
        indexed: indexer::layers(model_type, num_hidden_layers, fields),
        ..DecoderConfig::plain(family, hidden_size, num_hidden_layers, num_attention_heads)
    }
}

fn latent(
    v3: bool,
    [query, rank, straight, turned, value]: [u64; 5],
    fields: &mut ConfigFields<'_>,
) -> Latent {
    let rotary = match (v3, fields.flag("rope_interleave", true)) {
        (false, _) => LatentRotary::Complex,
        (true, true) => LatentRotary::Pairs,
        (true, false) => LatentRotary::Halves,
    };
    Latent {
        query_rank: if fields.is_null("q_lora_rank") {
            None
        } else {
            Some(fields.optional("q_lora_rank", &WIDTH, query))
        },
        rank: fields.optional("kv_lora_rank", &WIDTH, rank),
        straight: fields.optional("qk_nope_head_dim", &WIDTH, straight),
        turned: even(turned, fields),
        value: fields.optional("v_head_dim", &WIDTH, value),
        rotary,
        indexer: None,
    }
}

/// `q_lora_rank` of A.X K1, `DeepSeek` V3.2 and GLM-5 must be a number (`configuration_*.py`, transformers
/// 5.23).
fn refuse_null(default: u64, fields: &mut ConfigFields<'_>) {
    let key = fields.key("q_lora_rank");
    fields.push(
        Finding::error(
            &key,
            "q_lora_rank is null, which transformers refuses for this model: it must be a number.",
            "q_lora_rank 为 null；transformers 中该模型要求它是一个数。",
        )
        .with_fix(&key, default),
    );
}

/// `qk_rope_head_dim`: columns are turned in pairs.
fn even(default: u64, fields: &mut ConfigFields<'_>) -> u64 {
    const FIELD: &str = "qk_rope_head_dim";
    let turned = fields.optional(FIELD, &WIDTH, default);
    if !turned.is_multiple_of(2) {
        let key = fields.key(FIELD);
        fields.push(
            Finding::error(
                &key,
                format!("{turned} columns of a head are turned; rotary position embeddings need an even number."),
                format!("每个注意力头有 {turned} 列参与旋转；旋转位置编码要求偶数。"),
            )
            .with_fix(&key, turned + 1),
        );
    }
    turned
}

/// The experts of other families whose mixtures are those of `DeepSeek` V3
/// (`models/{dots1,glm4_moe,solar_open,exaone_moe,hy_v3,afmoe,lfm2_moe}/configuration_*.py`).
pub(crate) fn experts_of_kin(
    model_type: DecoderType,
    layers: u64,
    fields: &mut ConfigFields<'_>,
) -> Option<Experts> {
    let defaults = Mixture {
        experts: 128,
        per_token: 8,
        shared: 1,
        expert_size: 1408,
        dense_layers: 1,
        corrected: Some([1, 1]),
        normalized: true,
    };
    let defaults = match model_type {
        DecoderType::Glm4Moe => defaults,
        DecoderType::SolarOpen => Mixture {
            expert_size: 1280,
            dense_layers: 0,
            ..defaults
        },
        DecoderType::ExaoneMoe => Mixture {
            experts: 64,
            expert_size: 1024,
            ..defaults
        },
        // Those that must be given have no default; dots.llm1's own are taken.
        DecoderType::Dots1 => Mixture {
            per_token: 6,
            shared: 2,
            dense_layers: 0,
            normalized: false,
            ..defaults
        },
        DecoderType::HyV3 => Mixture {
            experts: 192,
            expert_size: 1536,
            ..defaults
        },
        DecoderType::Afmoe => Mixture {
            experts: 64,
            per_token: 6,
            shared: 2,
            ..defaults
        },
        DecoderType::Lfm2Moe => Mixture {
            experts: 32,
            per_token: 4,
            expert_size: 1792,
            dense_layers: 2,
            ..defaults
        },
        _ => return None,
    };
    let experts = read_experts(&defaults, layers, fields);
    let sigmoids = |logits, correction| Routing::Sigmoids(SigmoidScores { logits, correction });
    Some(match model_type {
        DecoderType::HyV3 => Experts {
            routing: sigmoids(LogitsDtype::WideProduct, Correction::Buffer),
            shared: SharedForm::Last {
                wide: fields.flag("enable_moe_fp32_combine", true),
            },
            normalized: true,
            built_first: false,
            ..experts
        },
        DecoderType::Afmoe => Experts {
            routing: sigmoids(LogitsDtype::WideBehindGate, Correction::Fixed),
            shared: SharedForm::Between,
            normalized: true,
            built_first: false,
            ..experts
        },
        DecoderType::Lfm2Moe => {
            let corrected = fields.flag("use_expert_bias", true);
            let buffer = corrected.then_some(Correction::WideBuffer);
            let correction = buffer.unwrap_or(Correction::None);
            Experts {
                routing: sigmoids(LogitsDtype::Tokens, correction),
                shared_intermediate_size: None,
                ..experts
            }
        }
        _ => experts,
    })
}

fn read_experts(defaults: &Mixture, layers: u64, fields: &mut ConfigFields<'_>) -> Experts {
    let names = ["n_routed_experts", "num_experts", "num_local_experts"];
    let count = fields.named(&names, &EXPERTS, defaults.experts);
    experts::warn_of_options(fields);
    let size = fields.optional("moe_intermediate_size", &WIDTH, defaults.expert_size);
    let names = ["n_shared_experts", "num_shared_experts"];
    let shared = fields.named(&names, &EXPERTS, defaults.shared);
    let dense = fields.named(
        &["first_k_dense_replace", "num_dense_layers"],
        &(0..=*LAYERS.end()),
        defaults.dense_layers,
    );
    let grouped = fields.text("topk_method") == Some("group_limited_greedy");
    let routing = match (defaults.corrected, grouped) {
        (Some(defaults), _) => Routing::Corrected(groups(count, defaults, fields)),
        (None, true) => Routing::Scaled(Some(groups(count, [1, 1], fields))),
        (None, false) => Routing::Scaled(None),
    };
    Experts {
        count,
        per_token: experts::per_token(count, defaults.per_token, fields),
        intermediate_size: size,
        shared_intermediate_size: Some(size * shared),
        latent_size: None,
        wide_correction: false,
        shared: SharedForm::Plain,
        form: ExpertForm::Gated,
        normalized: defaults.corrected.is_some()
            && fields.flag("norm_topk_prob", defaults.normalized),
        routing,
        built_first: true,
        balanced: false,
        sparse: experts::listed(layers, |layer| layer >= dense, fields),
    }
}

/// `n_group` groups of equal size, of which `topk_group` are kept.
pub(crate) fn groups(experts: u64, defaults: [u64; 2], fields: &mut ConfigFields<'_>) -> Groups {
    let count = fields.optional("n_group", &EXPERTS, defaults[0]);
    let kept = fields.optional("topk_group", &EXPERTS, defaults[1]);
    if !experts.is_multiple_of(count) {
        let key = fields.key("n_group");
        let fits = (1..=count).rev().find(|n| experts.is_multiple_of(*n));
        fields.push(
            Finding::error(
                &key,
                format!("{experts} experts cannot be parted into {count} groups of equal size."),
                format!("{experts} 个专家无法均分为 {count} 组。"),
            )
            .with_fix(&key, fits.unwrap_or(1)),
        );
    }
    if kept > count {
        let key = fields.key("topk_group");
        fields.push(
            Finding::error(
                &key,
                format!("{kept} groups are to be kept, but there are only {count}."),
                format!("要保留 {kept} 组，但只有 {count} 组专家。"),
            )
            .with_fix(&key, count),
        );
    }
    Groups { count, kept }
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(config: &DecoderConfig, framework: Framework) -> Vec<Module> {
    let mut all = vec![embedding("model.embed_tokens")];
    let low_rank = config
        .latent
        .is_some_and(|latent| latent.query_rank.is_some());
    for (index, layer) in (0..config.num_hidden_layers).enumerate() {
        let at = |name: &str| format!("model.layers.{layer}.{name}");
        let attention = |name: &str| at(&format!("self_attn.{name}"));
        if low_rank {
            all.extend([
                linear(attention("q_a_proj"), config.attention_bias),
                other(attention("q_a_layernorm")),
                linear(attention("q_b_proj"), false),
            ]);
        } else {
            all.push(linear(attention("q_proj"), false));
        }
        all.extend([
            linear(attention("kv_a_proj_with_mqa"), config.attention_bias),
            other(attention("kv_a_layernorm")),
            linear(attention("kv_b_proj"), false),
            linear(attention("o_proj"), config.attention_bias),
        ]);
        all.extend(indexer::modules(config, index, attention));
        let sparse = expert_modules::modules(config, layer, framework, at);
        if sparse.is_empty() {
            all.extend(
                ["mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"]
                    .map(|name| linear(at(name), config.mlp_bias)),
            );
        }
        all.extend(sparse);
        all.extend([
            other(at("input_layernorm")),
            other(at("post_attention_layernorm")),
        ]);
    }
    all.push(other("model.norm"));
    all.push(output("lm_head", config.tie_word_embeddings));
    all
}

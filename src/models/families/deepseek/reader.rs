//! The configs of `DeepSeek` V2, V3 and V3.2, of GLM-4.7 Flash and GLM-5, A.X K1, Mistral Small 4, Youtu-LLM
//! and `MiniCPM3` (`models/{deepseek_v2,deepseek_v3,deepseek_v32,glm4_moe_lite,glm_moe_dsa,axk1,mistral4,youtu,minicpm3}` of
//! transformers 5.23).

use super::indexer;
use crate::ask::{Finding, HEADS, LAYERS, VOCABULARY, WIDTH, message};
use crate::families::reading::{experts, options};
use crate::model::{ConfigFields, DecoderConfig, Family, Latent, LatentRotary};

/// Reads the config by the rules of its family, with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let layers = fields.optional("num_hidden_layers", &LAYERS, sizes.layers);
    let heads = fields.optional("num_attention_heads", &HEADS, sizes.heads);
    let hidden_size = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let latent = latent(family.latent.unwrap_or_default(), fields);
    let intermediate_size = fields.optional("intermediate_size", &WIDTH, sizes.inner);
    let biased = options::biases(&rules.biases, fields);
    let config = DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size,
        head_dim: latent.head_dim(),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        rotary_dim: if latent.rotary == LatentRotary::None {
            0
        } else {
            latent.rotated
        },
        attention_bias: biased.output,
        mlp_bias: biased.mlp,
        activation: options::function(rules.function, fields),
        dropout: options::dropout(&rules.dropout, fields),
        experts: experts::read(family.experts.as_ref(), layers, intermediate_size, fields),
        scales_queries: rules.scales_queries,
        indexed: indexer::layers(latent.indexer.as_ref(), layers, fields),
        latent: Some(latent),
        ..DecoderConfig::plain(family, hidden_size, layers, heads)
    };
    if latent.indexer.is_some() {
        check_query_rank(&config, fields);
    }
    config
}

/// Reads the sizes of attention, whose defaults are given.
fn latent(default: Latent, fields: &mut ConfigFields<'_>) -> Latent {
    let query = (default.query_rank).filter(|_| !fields.is_null(QUERY_RANK));
    let given = fields.get(QUERY_RANK).is_some();
    let pairs = fields.flag("rope_interleave", true);
    let rotated = if default.rotary == LatentRotary::None {
        fields.optional(ROTATED, &WIDTH, default.rotated)
    } else {
        even(default.rotated, fields)
    };
    Latent {
        query_rank: if given {
            Some(fields.optional(QUERY_RANK, &WIDTH, query.unwrap_or(1)))
        } else {
            query
        },
        rank: fields.optional("kv_lora_rank", &WIDTH, default.rank),
        straight: fields.optional("qk_nope_head_dim", &WIDTH, default.straight),
        rotated,
        value: fields.optional("v_head_dim", &WIDTH, default.value),
        rotary: match default.rotary {
            LatentRotary::Pairs if default.indexer.is_none() && !pairs => LatentRotary::Halves,
            rotary => rotary,
        },
        indexer: default
            .indexer
            .map(|indexer| indexer::read(indexer, rotated, fields)),
    }
}

/// The field of the columns that queries are made from.
const QUERY_RANK: &str = "q_lora_rank";

/// The field of the columns that are rotated.
const ROTATED: &str = "qk_rope_head_dim";

/// It must be a number where all of transformers' configs of a family have one (`configuration_*.py`,
/// transformers 5.23).
pub(crate) fn check_query_rank(config: &DecoderConfig, fields: &mut ConfigFields<'_>) {
    if config
        .latent
        .is_none_or(|latent| latent.query_rank.is_some())
    {
        return;
    }
    let default = config.family.latent.and_then(|latent| latent.query_rank);
    let key = fields.key(QUERY_RANK);
    fields.push(Finding::error(&key, message!(deepseek::query_rank_null)).with_fix(&key, default));
}

/// `qk_rope_head_dim`: columns are rotated in pairs.
fn even(default: u64, fields: &mut ConfigFields<'_>) -> u64 {
    let rotated = fields.optional(ROTATED, &WIDTH, default);
    if !rotated.is_multiple_of(2) {
        let key = fields.key(ROTATED);
        fields.push(
            Finding::error(&key, message!(deepseek::odd_rotary, rotated))
                .with_fix(&key, rotated + 1),
        );
    }
    rotated
}

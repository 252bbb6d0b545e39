//! Parameters of decoders, counted by formula and not by the engine.

use super::mixers::{hybrid_layers, state_space};
use crate::model::{Correction, DecoderConfig, DecoderType, Latent, Routing};

/// Elements of all parameters of a decoder.
pub(crate) fn decoder_parameters(config: &DecoderConfig) -> u64 {
    let (hidden, intermediate) = (config.hidden_size, config.intermediate_size);
    let (queries, keys) = (
        config.num_attention_heads * config.head_dim,
        config.num_key_value_heads * config.head_dim,
    );
    let linear = |inputs, outputs| inputs * outputs + outputs;
    let norm = 2 * hidden;
    let rotary = 2 * hidden * (queries + keys) + 3 * hidden * intermediate;
    let biases = if config.qkv_bias {
        queries + 2 * keys
    } else {
        0
    };
    let (embedding, layer, last) = match config.model_type {
        DecoderType::Llama | DecoderType::Mistral | DecoderType::Qwen2 => {
            (0, rotary + biases + 2 * hidden, hidden)
        }
        DecoderType::Qwen3 => (0, rotary + 2 * hidden + 2 * config.head_dim, hidden),
        DecoderType::DeepseekV2
        | DecoderType::DeepseekV3
        | DecoderType::DeepseekV32
        | DecoderType::GlmMoeDsa
        | DecoderType::Mixtral
        | DecoderType::Olmoe
        | DecoderType::Qwen2Moe
        | DecoderType::Qwen3Moe => {
            let norms = match config.model_type {
                DecoderType::Olmoe => queries + keys,
                DecoderType::Qwen3Moe => 2 * config.head_dim,
                _ => 0,
            };
            let attention = 2 * hidden * (queries + keys) + biases + norms;
            (0, attention + experts(config) + 2 * hidden, hidden)
        }
        DecoderType::Gpt2
        | DecoderType::GptNeox
        | DecoderType::Opt
        | DecoderType::BioGpt
        | DecoderType::Xglm
        | DecoderType::Bloom
        | DecoderType::Persimmon
        | DecoderType::GptBigCode => {
            let layer = 2 * norm
                + u64::from(config.head_norms) * 4 * config.head_dim
                + linear(hidden, hidden + 2 * keys)
                + linear(hidden, hidden)
                + linear(hidden, intermediate)
                + linear(intermediate, hidden);
            let embedding_norm = u64::from(config.model_type == DecoderType::Bloom) * norm;
            (learned_rows(config) * hidden + embedding_norm, layer, norm)
        }
        DecoderType::GptNeo => {
            let biases = 2 * hidden + intermediate;
            let layer = 2 * norm + 4 * hidden * hidden + 2 * hidden * intermediate + biases;
            (config.position_rows * hidden, layer, norm)
        }
        // The head has a bias.
        DecoderType::GptJ | DecoderType::CodeGen => {
            let biases = hidden + intermediate;
            let layer = norm + 4 * hidden * hidden + 2 * hidden * intermediate + biases;
            (config.vocab_size, layer, norm)
        }
        DecoderType::Mamba | DecoderType::Mamba2 | DecoderType::FalconMamba => {
            (0, state_space(config) + hidden, hidden)
        }
        DecoderType::Falcon => {
            let weights =
                hidden * (queries + 2 * keys) + hidden * hidden + 2 * hidden * intermediate;
            let biases = queries + 2 * keys + 2 * hidden + intermediate;
            let norms = if config.parallel_residual && !config.parallel_norms {
                1
            } else {
                2
            };
            let biases = if config.attention_bias { biases } else { 0 };
            (0, weights + biases + norms * norm, norm)
        }
        DecoderType::Phi => {
            let layer = norm
                + 4 * linear(hidden, hidden)
                + linear(hidden, intermediate)
                + linear(intermediate, hidden)
                + u64::from(config.head_norms) * 4 * config.head_dim;
            (config.vocab_size, layer, norm)
        }
        DecoderType::Gemma3n | DecoderType::Gemma4 => (of_gemma_layers(config), 0, hidden),
        _ => {
            let (layer, last) = of_kin(config, rotary + biases);
            (0, layer, last)
        }
    };
    let tables = if config.tie_word_embeddings { 1 } else { 2 };
    if !config.mixers.is_empty() {
        return tables * config.vocab_size * hidden + hybrid_layers(config) + last;
    }
    if let Some(latent) = &config.latent {
        let layers = config.num_hidden_layers * (latent_attention(config, latent) + 2 * hidden)
            + indexers(config, latent);
        return tables * config.vocab_size * hidden + layers + mlps(config) + last;
    }
    tables * config.vocab_size * hidden + embedding + config.num_hidden_layers * layer + last
}

/// Elements of all layers of Gemma 3n or 4 and of what the model has for them.
fn of_gemma_layers(config: &DecoderConfig) -> u64 {
    let hidden = config.hidden_size;
    let layers = config.gemma_layers.expect("layers of Gemma 4");
    let input = layers.input_columns;
    let readers = config.num_hidden_layers - layers.readers;
    let layer = |index: u64| {
        let near = config.windowed[usize::try_from(index).expect("a layer")];
        let (columns, keys) = if near {
            (config.head_dim, config.num_key_value_heads)
        } else {
            (layers.full_head_dim, layers.full_kv_heads)
        };
        let reads = index >= readers;
        let projections = if layers.keys_are_values && !near {
            1
        } else {
            2
        };
        let own = if reads {
            0
        } else {
            projections * keys * columns * hidden + columns
        };
        let queries = 2 * config.num_attention_heads * columns * hidden + columns;
        let inner = config.intermediate_size << u64::from(reads && layers.wide_readers);
        let beside = if input > 0 {
            2 * input * hidden + hidden
        } else {
            0
        };
        let mixture = config.experts.as_ref().map_or(0, |mixture| {
            let router = hidden + mixture.count + mixture.count * hidden;
            router + 3 * mixture.count * mixture.intermediate_size * hidden + 3 * hidden
        });
        let streams = config.altup.as_ref().map_or(0, |altup| {
            let coefficients = altup.streams * altup.streams * (1 + altup.streams);
            let laurel = 2 * hidden * altup.laurel_rank + hidden;
            coefficients + hidden * (altup.streams + 2) + laurel
        });
        mixture + own + queries + 3 * hidden * inner + 4 * hidden + beside + streams
    };
    let all = config.num_hidden_layers * input;
    let of_model = if input > 0 {
        let around = config
            .altup
            .as_ref()
            .map_or(0, |altup| 2 * (altup.streams - 1));
        all * (layers.input_rows + hidden) + input + around * hidden * hidden
    } else {
        0
    };
    (0..config.num_hidden_layers).map(layer).sum::<u64>() + of_model
}

/// Elements of a layer and of the last norm of what differs from Llama in few things; `plain` are
/// those of Llama's attention and MLP with biases on q, k and v where there are any.
fn of_kin(config: &DecoderConfig, plain: u64) -> (u64, u64) {
    let (hidden, intermediate) = (config.hidden_size, config.intermediate_size);
    let queries = config.num_attention_heads * config.head_dim;
    let keys = config.num_key_value_heads * config.head_dim;
    match config.model_type {
        DecoderType::Olmo2 | DecoderType::Olmo3 => (plain + 2 * hidden + queries + keys, hidden),
        DecoderType::FlexOlmo | DecoderType::MiniMaxM2 => {
            let attention = 2 * hidden * (queries + keys) + queries + keys;
            (attention + experts(config) + 2 * hidden, hidden)
        }
        DecoderType::ExaoneMoe | DecoderType::SolarOpen => {
            let norms = u64::from(config.head_norms) * 2 * config.head_dim;
            let attention = 2 * hidden * (queries + keys) + norms;
            (attention + 2 * hidden, hidden + mlps(config))
        }
        DecoderType::Apertus => {
            let norms = 2 * hidden + 2 * config.head_dim;
            (plain - hidden * intermediate + norms + 2, hidden)
        }
        DecoderType::Jais2 => {
            let biases = hidden + intermediate + hidden;
            let layer = plain - hidden * intermediate + biases + 4 * hidden;
            (layer, 2 * hidden)
        }
        DecoderType::Exaone4 => (plain + 2 * hidden + 2 * config.head_dim, hidden),
        DecoderType::Cohere | DecoderType::Cohere2 => (plain + hidden, hidden),
        DecoderType::Gemma3 => (plain + 4 * hidden + 2 * config.head_dim, hidden),
        DecoderType::Glm4 | DecoderType::Gemma2 => (plain + 4 * hidden, hidden),
        DecoderType::Olmo => (plain, 0),
        DecoderType::StableLm => {
            let norms = u64::from(config.head_norms) * (queries + keys);
            (plain + norms + 4 * hidden, 2 * hidden)
        }
        DecoderType::Nemotron => (plain - hidden * intermediate + 4 * hidden, 2 * hidden),
        DecoderType::BitNet => (plain + intermediate + 3 * hidden, hidden),
        DecoderType::Arcee => (plain - hidden * intermediate + 2 * hidden, hidden),
        DecoderType::Starcoder2 => {
            // Two layers in the MLP, and a bias to every layer and norm, of which q, k and v have
            // theirs already.
            let mlp = intermediate + hidden;
            let layer = plain - hidden * intermediate + hidden + mlp + 4 * hidden;
            (layer, 2 * hidden)
        }
        DecoderType::GptOss => {
            let attention = 2 * hidden * (queries + keys) + queries + 2 * keys + hidden;
            let count = config.experts.as_ref().map_or(0, |experts| experts.count);
            let biases = count * (1 + 2 * intermediate + hidden);
            let mixture = experts(config) + biases + config.num_attention_heads;
            (attention + mixture + 2 * hidden, hidden)
        }
        DecoderType::Glm4Moe => {
            let attention = 2 * hidden * (queries + keys);
            let biases = if config.qkv_bias {
                queries + 2 * keys
            } else {
                0
            };
            (attention + biases + 2 * hidden, hidden + mlps(config))
        }
        DecoderType::Mpt => {
            let layer = 2 * hidden + 4 * hidden * hidden + 2 * hidden * intermediate;
            (layer, hidden)
        }
        DecoderType::PhiMoe => {
            let attention = 2 * hidden * (queries + keys);
            let biases = if config.attention_bias {
                queries + 2 * keys + hidden
            } else {
                0
            };
            let head = if config.head_bias {
                config.vocab_size
            } else {
                0
            };
            let layer = attention + biases + experts(config) + 4 * hidden;
            (layer, 2 * hidden + head)
        }
        DecoderType::GraniteMoe | DecoderType::GraniteMoeShared | DecoderType::HunyuanMoe => {
            let attention = 2 * hidden * (queries + keys);
            let norms = if config.head_norms {
                2 * config.head_dim
            } else {
                0
            };
            (attention + norms + experts(config) + 2 * hidden, hidden)
        }
        DecoderType::HunyuanDense => (plain + 2 * config.head_dim + 2 * hidden, hidden),
        DecoderType::Afmoe => {
            let attention = hidden * (3 * queries + 2 * keys) + 2 * config.head_dim;
            (attention + 4 * hidden, hidden + mlps(config))
        }
        DecoderType::HyV3 => {
            let attention = 2 * hidden * (queries + keys) + 2 * config.head_dim;
            (attention + 2 * hidden, hidden + mlps(config))
        }
        DecoderType::NanoChat => (plain - hidden * intermediate, 0),
        DecoderType::Llama4 | DecoderType::Ernie45Moe => {
            let attention = 2 * hidden * (queries + keys);
            (attention + 2 * hidden, hidden + mlps(config))
        }
        _ => (plain + 2 * hidden, hidden),
    }
}

/// Elements of attention of low rank in one layer.
fn latent_attention(config: &DecoderConfig, latent: &Latent) -> u64 {
    let (hidden, heads) = (config.hidden_size, config.num_attention_heads);
    let queries = heads * latent.head_dim();
    let query = match latent.query_rank {
        Some(rank) => hidden * rank + rank + rank * queries,
        None => hidden * queries,
    };
    let keys = hidden * (latent.rank + latent.turned) + latent.rank;
    let values = latent.rank * heads * (latent.straight + latent.value);
    query + keys + values + heads * latent.value * hidden
}

/// Elements of what chooses keys in all layers.
fn indexers(config: &DecoderConfig, latent: &Latent) -> u64 {
    let (Some(indexer), Some(rank)) = (latent.indexer, latent.query_rank) else {
        return 0;
    };
    let layers = (0..config.num_hidden_layers)
        .filter(|&layer| usize::try_from(layer).is_ok_and(|layer| config.has_indexer(layer)));
    let projections = rank * indexer.heads * indexer.columns
        + config.hidden_size * (indexer.columns + indexer.heads);
    (projections + 2 * indexer.columns) * layers.count() as u64
}

/// Elements of all MLPs where some are mixtures of experts.
fn mlps(config: &DecoderConfig) -> u64 {
    let dense = 3 * config.hidden_size * config.intermediate_size;
    let Some(mixture) = &config.experts else {
        return config.num_hidden_layers * dense;
    };
    // A.X K1 has a norm over what each mixture gives.
    let norm = if config.model_type == DecoderType::AxK1 {
        config.hidden_size
    } else {
        0
    };
    let of = |&sparse: &bool| {
        if sparse {
            experts(config) + norm
        } else {
            dense
        }
    };
    mixture.sparse.iter().map(of).sum()
}

/// Elements of a layer's router and experts.
pub(crate) fn experts(config: &DecoderConfig) -> u64 {
    let experts = config.experts.as_ref().expect("a mixture of experts");
    let is_parameter = match experts.routing {
        Routing::Static => true,
        Routing::Sigmoids(scores) => scores.correction == Correction::Fixed,
        _ => false,
    };
    let correction = u64::from(is_parameter) * experts.count;
    let routed = experts.count * (1 + 3 * experts.intermediate_size);
    let shared = experts.shared_intermediate_size.map_or(0, |intermediate| {
        3 * intermediate + u64::from(experts.shared == crate::model::SharedForm::Gated)
    });
    (routed + shared) * config.hidden_size + correction
}

/// Rows of the table of positions: that of XGLM is a buffer.
fn learned_rows(config: &DecoderConfig) -> u64 {
    if config.model_type == DecoderType::Xglm {
        0
    } else {
        config.position_rows
    }
}

//! The Llama family: llama, mistral, qwen2, qwen3 (`models/llama/modeling_llama.py` and kin).

use super::attention::{AttentionOptions, attend};
use super::builder::Builder;
use super::facts::{Facts, MaskStyle, Transformers};
use super::layers::{Embedding, Linear, RmsNorm};
use super::loss;
use super::mask::{self, MaskRequest};
use super::model::Output;
use super::rotary::{self, Rotary};
use crate::spec::{ActivationCheckpointing, Attention, LlamaConfig, LlamaType, ResolvedSpec};
use crate::tape::{Region, Tape, Tensor};
use crate::units::DType;
use std::rc::Rc;

/// `LlamaForCausalLM`.
pub(super) struct Llama {
    embed_tokens: Embedding,
    layers: Vec<Rc<DecoderLayer>>,
    norm: RmsNorm,
    rotary: Rotary,
    lm_head: Linear,
    dtype: DType,
    facts: Facts,
    checkpointing: ActivationCheckpointing,
    attention: Attention,
    padding_mask: bool,
    sliding_window: Option<u64>,
    mask_style: MaskStyle,
}

struct DecoderLayer {
    attention: SelfAttention,
    mlp: Mlp,
    input_layernorm: RmsNorm,
    post_attention_layernorm: RmsNorm,
}

struct SelfAttention {
    q_proj: Linear,
    k_proj: Linear,
    v_proj: Linear,
    o_proj: Linear,
    q_norm: Option<RmsNorm>,
    k_norm: Option<RmsNorm>,
    head_dim: u64,
    options: AttentionOptions,
}

#[allow(clippy::struct_field_names, reason = "the names of the PyTorch module")]
struct Mlp {
    gate_proj: Linear,
    up_proj: Linear,
    down_proj: Linear,
}

/// What every layer of one forward pass is given besides the hidden states.
#[derive(Clone)]
struct Shared {
    /// Token positions `[S]`, which the layers only hold.
    positions: Option<Tensor>,
    mask: Option<Tensor>,
    cos: Tensor,
    sin: Tensor,
}

impl Llama {
    pub(super) fn new(b: &Builder, c: &LlamaConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions::of(spec, facts);
        let model = b.at("model");
        let embed_tokens =
            Embedding::of_input(&model.at("embed_tokens"), c.vocab_size, c.hidden_size);
        let layers = (0..)
            .take(usize::try_from(c.num_hidden_layers).unwrap_or(usize::MAX))
            .map(|i| Rc::new(DecoderLayer::new(&model.item("layers", i), c, options)))
            .collect();
        let norm = RmsNorm::new(&model.at("norm"), c.hidden_size);
        let rotary = Rotary::new(&model.at("rotary_emb"), c.head_dim, facts);
        let tied = c.tie_word_embeddings.then_some(&embed_tokens.weight);
        let lm_head = Linear::of_output(&b.at("lm_head"), c.hidden_size, c.vocab_size, tied);
        let checkpointing = spec.activation_checkpointing;
        Self {
            embed_tokens,
            layers,
            norm,
            rotary,
            lm_head,
            dtype: b.dtype(),
            facts,
            checkpointing,
            attention: spec.attention,
            padding_mask: spec.padding_mask,
            sliding_window: c.sliding_window,
            mask_style: facts.llama_mask(c.model_type),
        }
    }

    /// Token ids `[B, S]` to logits `[B, S, V]` and, from labels `[B, S]`, the loss.
    pub(super) fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        // The last hidden state is a local variable until the loss is there.
        let hidden = self.decode(t, input_ids);
        let logits = t.scoped("lm_head", None, || {
            // hidden_states[:, slice_indices, :]
            let kept = self.facts.index_all(t, &hidden, 3);
            self.lm_head.forward(t, &kept)
        });
        let loss = labels.map(|labels| {
            t.scoped("loss", None, || {
                loss::causal_lm(t, self.facts, &logits, labels)
            })
        });
        Output {
            logits,
            loss,
            encoded: None,
        }
    }

    fn decode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let embedded = t.scoped("model.embed_tokens", None, || {
            self.embed_tokens.forward(t, input_ids)
        });
        let positions = self.rotary.positions(t, input_ids.dim(1));
        let mask = mask::causal(t, self.mask_request(input_ids));
        let (cos, sin) = t.scoped("model.rotary_emb", None, || {
            self.rotary.forward(t, &positions, self.dtype)
        });
        let shared = Shared {
            positions: Some(positions),
            mask,
            cos,
            sin,
        };
        let mut hidden = embedded.clone();
        for (i, layer) in (0..).zip(&self.layers) {
            hidden = t.scoped("model.layers", Some(i), || {
                self.layer(t, layer, &hidden, &shared)
            });
        }
        let normalized = t.scoped("model.norm", None, || self.norm.forward(t, &hidden));
        drop(hidden);
        drop(shared);
        drop(embedded);
        normalized
    }

    fn mask_request(&self, input_ids: &Tensor) -> MaskRequest {
        MaskRequest {
            eager: self.attention == Attention::Eager,
            padding: self.padding_mask,
            style: self.mask_style,
            window: self
                .sliding_window
                .is_some_and(|window| window <= input_ids.dim(1)),
            size: (input_ids.dim(0), input_ids.dim(1)),
            dtype: self.dtype,
        }
    }

    /// What a re-entrant checkpoint holds until the graph dies: since transformers 5 all keyword
    /// arguments, before only the position embeddings, the rest being saved tensors.
    fn outliving(&self, shared: &Shared) -> Shared {
        let mut kept = shared.clone();
        if self.facts.transformers != Transformers::V5 {
            kept.positions = None;
            kept.mask = None;
        }
        kept
    }

    fn layer(
        &self,
        t: &Tape,
        layer: &Rc<DecoderLayer>,
        hidden: &Tensor,
        shared: &Shared,
    ) -> Tensor {
        let region = || -> Region {
            let (layer, shared) = (Rc::clone(layer), shared.clone());
            Rc::new(move |t: &Tape, x: &Tensor| layer.forward(t, x, &shared))
        };
        match self.checkpointing {
            ActivationCheckpointing::None => layer.forward(t, hidden, shared),
            ActivationCheckpointing::Full => t.checkpoint(hidden, &region()),
            ActivationCheckpointing::FullReentrant => {
                t.checkpoint_reentrant(hidden, region(), Rc::new(self.outliving(shared)))
            }
        }
    }
}

impl DecoderLayer {
    fn new(b: &Builder, c: &LlamaConfig, options: AttentionOptions) -> Self {
        let attention = SelfAttention::new(&b.at("self_attn"), c, options);
        let mlp = Mlp::new(&b.at("mlp"), c);
        let norm = |name| RmsNorm::new(&b.at(name), c.hidden_size);
        let input_layernorm = norm("input_layernorm");
        let post_attention_layernorm = norm("post_attention_layernorm");
        Self {
            attention,
            mlp,
            input_layernorm,
            post_attention_layernorm,
        }
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        let attended = {
            let x = t.scoped("input_layernorm", None, || {
                self.input_layernorm.forward(t, hidden)
            });
            t.scoped("self_attn", None, || self.attention.forward(t, &x, shared))
        };
        let residual = t.add(hidden, &attended);
        drop(attended);
        let changed = {
            let x = t.scoped("post_attention_layernorm", None, || {
                self.post_attention_layernorm.forward(t, &residual)
            });
            t.scoped("mlp", None, || self.mlp.forward(t, &x))
        };
        let out = t.add(&residual, &changed);
        drop(changed);
        out
    }
}

impl SelfAttention {
    fn new(b: &Builder, c: &LlamaConfig, options: AttentionOptions) -> Self {
        let width = |heads| heads * c.head_dim;
        let linear = |name, inputs, outputs, bias| Linear::new(&b.at(name), inputs, outputs, bias);
        let (hidden, queries) = (c.hidden_size, width(c.num_attention_heads));
        let keys = width(c.num_key_value_heads);
        let q_proj = linear("q_proj", hidden, queries, c.qkv_bias);
        let k_proj = linear("k_proj", hidden, keys, c.qkv_bias);
        let v_proj = linear("v_proj", hidden, keys, c.qkv_bias);
        let o_proj = linear("o_proj", queries, hidden, c.o_bias);
        let head_norm = |name| {
            (c.model_type == LlamaType::Qwen3).then(|| RmsNorm::new(&b.at(name), c.head_dim))
        };
        let (q_norm, k_norm) = (head_norm("q_norm"), head_norm("k_norm"));
        let head_dim = c.head_dim;
        Self {
            q_proj,
            k_proj,
            v_proj,
            o_proj,
            q_norm,
            k_norm,
            head_dim,
            options,
        }
    }

    /// `[B, S, H]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor, shared: &Shared) -> Tensor {
        let heads = |projection: &Linear, norm: &Option<RmsNorm>| {
            let y = projection.forward(t, x);
            let y = t.view(
                &y,
                [x.dim(0), x.dim(1), y.dim(2) / self.head_dim, self.head_dim],
            );
            let y = match norm {
                Some(norm) => norm.forward(t, &y),
                None => y,
            };
            t.transpose(&y, 1, 2)
        };
        let q = heads(&self.q_proj, &self.q_norm);
        let k = heads(&self.k_proj, &self.k_norm);
        let v = heads(&self.v_proj, &None);
        let turned_q = rotary::apply(t, &q, &shared.cos, &shared.sin);
        let turned_k = rotary::apply(t, &k, &shared.cos, &shared.sin);
        drop(q);
        drop(k);
        let out = attend(
            t,
            self.options,
            &turned_q,
            &turned_k,
            &v,
            shared.mask.as_ref(),
        );
        let out = t.reshape(&out, [x.dim(0), x.dim(1), out.dim(2) * out.dim(3)]);
        let out = t.contiguous(&out);
        self.o_proj.forward(t, &out)
    }
}

impl Mlp {
    fn new(b: &Builder, c: &LlamaConfig) -> Self {
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, c.mlp_bias);
        let (hidden, intermediate) = (c.hidden_size, c.intermediate_size);
        Self {
            gate_proj: linear("gate_proj", hidden, intermediate),
            up_proj: linear("up_proj", hidden, intermediate),
            down_proj: linear("down_proj", intermediate, hidden),
        }
    }

    /// `down_proj(silu(gate_proj(x)) * up_proj(x))`.
    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let product = {
            let gate = {
                let gate = self.gate_proj.forward(t, x);
                t.silu(&gate)
            };
            let up = self.up_proj.forward(t, x);
            t.mul(&gate, &up)
        };
        self.down_proj.forward(t, &product)
    }
}

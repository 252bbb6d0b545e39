"""Families of models as `draw.py` draws them: sizes that fit to each other, names of linear layers, tasks, what a framework lacks."""

LINEARS = dict(kimi_linear=["q_proj", "v_proj", "o_proj", "kv_b_proj", "f_a_proj", "g_b_proj", "gate_proj", "up_proj", "down_proj"], jetmoe=["kv_proj", "layer"], doge=["q_proj", "k_proj", "v_proj", "dt_proj", "o_proj", "gate_proj", "up_proj", "down_proj"], deberta=["in_proj", "pos_proj", "pos_q_proj", "dense"], convnextv2=["pwconv1", "pwconv2"], resnet=["classifier.1"], gpt2=["c_attn", "c_proj", "c_fc"], gpt_neox=["query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"],
               bloom=["query_key_value", "dense", "dense_h_to_4h"], falcon=["query_key_value", "dense"], phi3=["qkv_proj", "o_proj", "gate_up_proj", "down_proj"],
               phi=["q_proj", "k_proj", "v_proj", "dense", "fc1", "fc2"], opt=["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"],
               bart=["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"], whisper=["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"],
               t5=["q", "k", "v", "o", "wo"], bert=["query", "key", "value", "dense"], vit=["query", "value", "dense"], distilbert=["q_lin", "v_lin", "lin1"],
               mamba=["in_proj", "x_proj", "out_proj"], deepseek=["q_proj", "kv_b_proj", "o_proj"], starcoder2=["q_proj", "v_proj", "o_proj", "c_fc", "c_proj"],
               nemotron=["q_proj", "v_proj", "up_proj", "down_proj"], moe=["q_proj", "k_proj", "v_proj", "o_proj"],
               gptj=["q_proj", "k_proj", "v_proj", "out_proj", "fc_in", "fc_out"], codegen=["qkv_proj", "out_proj", "fc_in", "fc_out"],
               gpt_neo=["q_proj", "k_proj", "v_proj", "out_proj", "c_fc", "c_proj"], lfm2=["q_proj", "k_proj", "v_proj", "out_proj", "in_proj", "w1", "w2", "w3"],
               bamba=["in_proj", "out_proj", "q_proj", "v_proj", "up_proj", "down_proj"], jamba=["in_proj", "x_proj", "q_proj", "v_proj", "o_proj"],
               granitemoehybrid=["q_proj", "k_proj", "v_proj", "o_proj", "input_linear", "output_linear", "in_proj"],
               qwen3_next=["q_proj", "k_proj", "v_proj", "o_proj", "in_proj_qkvz", "in_proj_ba", "out_proj"],
               mpt=["Wqkv", "out_proj", "up_proj", "down_proj"], swinv2=["query", "key", "value", "dense"], modernbert=["Wqkv", "Wo", "Wi"], **{"modernbert-decoder": ["q_proj", "v_proj", "Wo", "Wi"]}, nemotron_h=["in_proj", "out_proj", "q_proj", "v_proj", "up_proj", "down_proj"],
               llama=["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"])
LIKE = dict(beit="opt", xglm="bart", convnext="convnextv2", wav2vec2="bart", hubert="bart", unispeech="bart", mt5="t5", umt5="t5", t5gemma="llama", nomic_bert="llama", layoutlm="bert", olmo_hybrid="qwen3_next", deit="vit", vit_msn="opt", dinov2="vit", dinov2_with_registers="vit", swin="vit", clip="opt", siglip="opt", biogpt="opt", jais2="nemotron", apertus="nemotron", lfm2_moe="lfm2", persimmon="gpt_neox", minicpm3="deepseek", youtu="deepseek",
            glm4_moe_lite="deepseek", deepseek_v32="deepseek", glm_moe_dsa="deepseek", axk1="deepseek", roberta="bert", electra="bert", albert="bert", camembert="bert", ernie="bert", esm="bert", plbart="bart", blenderbot="bart", **{"xlm-roberta": "bert", "roberta-prelayernorm": "bert", "xlm-roberta-xl": "bert", "megatron-bert": "bert", "blenderbot-small": "bart", "data2vec-text": "bert", "rembert": "bert", "roformer": "bert", "deberta-v2": "vit", "audio-spectrogram-transformer": "opt", "unispeech-sat": "bart", "data2vec-audio": "bart", "data2vec-vision": "vit", "wavlm": "bart"}, arcee="nemotron", glm="phi3", glm4="phi3",
            deepseek_v2="deepseek", deepseek_v3="deepseek", gpt_bigcode="gpt2", falcon_mamba="mamba", mamba2="mamba", falcon_h1="bamba", llama4_text="moe", hunyuan_v1_moe="moe", ernie4_5_moe="moe",
            **dict.fromkeys(["mixtral", "olmoe", "phimoe", "qwen2_moe", "qwen3_moe", "dots1", "glm4_moe", "gpt_oss", "granitemoe", "granitemoeshared", "minimax", "minimax_m2", "flex_olmo", "exaone_moe", "solar_open", "afmoe", "hy_v3", "mellum", "granitemoe_swa"], "moe"), jetmoe="jetmoe")
TASKS = dict(t5=["seq2seq_lm"], mt5=["seq2seq_lm"], umt5=["seq2seq_lm"], t5gemma=["seq2seq_lm"], bart=["seq2seq_lm"], **dict.fromkeys(["plbart", "blenderbot", "blenderbot-small"], ["seq2seq_lm"]), whisper=["seq2seq_lm"], vit=["image_classification"],
             **{"audio-spectrogram-transformer": ["audio_classification"]}, **dict.fromkeys(["vit_msn", "swin", "swinv2", "deit", "dinov2", "dinov2_with_registers"], ["image_classification"]), **dict.fromkeys(["clip", "siglip"], ["contrastive", "image_classification"]), **dict.fromkeys(["qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "paligemma", "idefics3", "smolvlm", "mistral3", "internvl", "llava_next", "mllama", "llava", "gemma3"], ["image_text_to_text"]),
             **dict.fromkeys(["wav2vec2", "hubert", "unispeech", "unispeech-sat", "data2vec-audio", "wavlm"], ["ctc", "audio_classification"]),
             **dict.fromkeys(["rembert", "roformer", "deberta", "layoutlm", "nomic_bert", "bert", "roberta", "xlm-roberta", "camembert", "data2vec-text", "ernie", "roberta-prelayernorm", "xlm-roberta-xl", "megatron-bert", "esm", "eurobert", "modernbert-decoder", "electra", "distilbert", "deberta-v2", "albert", "modernbert", "mpnet"], ["masked_lm", "sequence_classification", "token_classification"]))
TASKS.update(dict.fromkeys(["data2vec-vision", "beit", "convnext", "convnextv2", "resnet"], ["image_classification"]))
EAGER_ONLY = ["swinv2", "rembert", "roformer", "granite_swa", "granitemoe_swa", "wavlm", "deberta", "xglm", "t5gemma", "megatron-bert", "gpt_oss", "gemma2", "deberta-v2", "bloom", "mamba", "mamba2", "falcon_mamba", "gpt_neo", "gptj", "codegen"]
SINCE_5 = ["rembert", "roformer", "data2vec-vision", "doge", "jetmoe", "granite_swa", "granitemoe_swa", "wavlm", "data2vec-audio", "deberta", "smollm3", "exaone4", "seed_oss", "arcee", "ernie4_5", "ministral", "olmo3", "gpt_oss", "dots1", "glm4_moe", "falcon_h1", "lfm2", "bamba", "falcon_mamba", "nemotron", "helium",
           "stablelm", "cohere2", "glm4", "granitemoeshared", "deepseek_v2", "deberta-v2", "nemotron_h", "phimoe",
           "granitemoehybrid", "qwen3_next", "jamba", "llama4_text", "hunyuan_v1_dense", "hunyuan_v1_moe", "ernie4_5_moe",
           "ministral3", "apertus", "minimax_m2", "flex_olmo", "exaone_moe", "solar_open", "vaultgemma", "cwm", "jais2", "glm4_moe_lite", "gemma4_text", "gemma3n_text", "diffllama", "deepseek_v32", "glm_moe_dsa", "lfm2_moe", "afmoe", "hy_v3", "nanochat",
           "youtu", "minicpm3", "hyperclovax", "mellum", "biogpt", "bitnet", "persimmon", "axk1", "qwen3_5_text", "qwen3_5_moe_text", "clip", "siglip", "swin", "swinv2", "deit", "vit_msn", "audio-spectrogram-transformer", "dinov2", "dinov2_with_registers", "mpnet", "data2vec-text", "ernie", "roberta-prelayernorm", "xlm-roberta-xl", "megatron-bert", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "paligemma", "idefics3", "smolvlm", "mistral3", "internvl", "llava_next", "mllama", "llava", "gemma3",
           "esm", "eurobert", "umt5", "t5gemma", "nomic_bert", "layoutlm", "olmo_hybrid", "minimax", "plbart", "blenderbot", "blenderbot-small",
           "kimi_linear", "beit", "xglm", "wav2vec2", "hubert", "unispeech", "unispeech-sat", "convnext", "convnextv2", "resnet",
           "gla", "delta_net", "gated_deltanet", "retnet", "hgrn", "hgrn2", "transformer"]
# Those of flash-linear-attention, which choose their attention themselves.
LINEAR_ATTENTION = SINCE_5[-7:]
CLASSIFIERS = ["llama", "mistral", "qwen2", "qwen3", "gemma", "phi3", "gpt2", "opt"]


class Drawn:
    """Sizes that fit to each other."""

    def __init__(self, chance):
        self.pick, self.often = chance.choice, lambda share: chance.random() < share
        self.head = self.pick([16, 24, 32, 40, 64, 64, 64, 80, 96, 128])
        self.groups = self.pick([1, 2, 3, 4, 5])
        self.heads = self.groups * self.pick([1, 2, 2, 3])
        self.hidden = self.heads * self.head
        self.inner = self.pick([2, 3, 4]) * self.hidden + self.pick([0, 0, 8, 36, 100])
        self.layers = self.pick([1, 2, 3, 4, 7])
        self.vocabulary = self.pick([999, 1000, 5003, 20000, 32000, 32001, 50257])
        self.positions = 2048

    def common(self, **more):
        return dict(hidden_size=self.hidden, intermediate_size=self.inner, num_hidden_layers=self.layers, num_attention_heads=self.heads, vocab_size=self.vocabulary,
                    max_position_embeddings=self.positions, bos_token_id=0, eos_token_id=1, pad_token_id=0, **more)

    def decoder(self, **more):
        return self.common(num_key_value_heads=self.groups, tie_word_embeddings=self.often(0.5), **more)

    def flag(self, *names):
        return {name: self.often(0.5) for name in names}

    def mixed(self, other, attention="full_attention"):
        """A mixer for each layer."""
        return [self.pick([other, attention]) for _ in range(self.layers)]

    def states(self):
        """Heads of Mamba 2, twice as wide together as the model or as wide."""
        return dict(mamba_n_heads=self.heads, mamba_d_head="auto", mamba_d_state=self.pick([16, 32]), mamba_chunk_size=self.pick([16, 64]), mamba_n_groups=1)

    def delta(self, **more):
        """Gated DeltaNet beside attention, every fourth layer."""
        return self.decoder(linear_num_key_heads=self.groups, linear_num_value_heads=self.heads, linear_key_head_dim=self.pick([32, 64]), linear_value_head_dim=self.pick([32, 64]), head_dim=64, **more)

    def mixer(self, **more):
        """Of flash-linear-attention."""
        return dict(hidden_size=self.heads * self.pick([32, 64, 128]), num_hidden_layers=self.layers, num_heads=self.heads, vocab_size=self.vocabulary, max_position_embeddings=self.positions,
                    **self.flag("tie_word_embeddings", "fuse_norm", "fuse_swiglu", "fuse_cross_entropy"), **more)

    def free(self):
        """A width of heads that the hidden size does not say."""
        return dict(head_dim=self.pick([self.head, 32, 64, 72]))


def waveforms(d):
    """Speech, whose adapters are put on attention alone."""
    layer = d.pick([True, False])
    return dict(hidden_size=d.hidden, num_hidden_layers=d.layers, num_attention_heads=d.heads, intermediate_size=d.inner, conv_dim=[32, 40, 48], conv_kernel=[10, 3, 3], conv_stride=[5, 2, 2],
                num_conv_pos_embeddings=d.pick([16, 19]), num_conv_pos_embedding_groups=d.pick([2, 4]), feat_extract_norm="layer" if layer else "group", do_stable_layer_norm=layer, conv_bias=layer,
                mask_time_length=2, mask_feature_prob=d.pick([0.0, 0.1]), ctc_loss_reduction=d.pick(["sum", "mean"]), num_labels=d.pick([2, 5]), **d.flag("ctc_zero_infinity", "apply_spec_augment"))


def windows_and_bases(d):
    """Layers with a window, turned by bases of their own or not at all."""
    bases = d.pick([{}, dict(layer_rope_theta=[d.pick([0, 10000.0, 500000.0]) for _ in range(d.layers)])])
    return dict(sliding_window=40, attention_dropout=d.pick([0.0, 0.1]), attention_multiplier=0.1, **d.pick([{}, dict(layer_types=d.mixed("sliding_attention"))]), **bases)


FAMILIES = dict(
    llama=lambda d: d.decoder(**d.flag("attention_bias", "mlp_bias")),
    mistral=lambda d: d.decoder(sliding_window=d.pick([None, 32, 100]), **d.free()),
    qwen2=lambda d: d.decoder(**d.pick([{}, dict(use_sliding_window=True, sliding_window=48, max_window_layers=1)])),
    qwen3=lambda d: d.decoder(**d.flag("attention_bias"), **d.free()),
    gemma=lambda d: d.decoder(**d.free()), gemma2=lambda d: d.decoder(sliding_window=50, **d.free()), gemma3_text=lambda d: d.decoder(sliding_window=50, **d.free()),
    olmo=lambda d: d.decoder(clip_qkv=d.pick([None, 8.0])), olmo2=lambda d: d.decoder(**d.flag("attention_bias")), olmo3=lambda d: d.decoder(sliding_window=40),
    phi=lambda d: d.decoder(partial_rotary_factor=0.5, resid_pdrop=d.pick([0.0, 0.1]), **d.flag("qk_layernorm")),
    phi3=lambda d: d.decoder(resid_pdrop=d.pick([0.0, 0.1]), sliding_window=d.pick([None, 40])),
    starcoder2=lambda d: d.decoder(residual_dropout=d.pick([0.0, 0.1]), sliding_window=d.pick([None, 40]), **d.flag("use_bias")),
    granite=lambda d: d.decoder(embedding_multiplier=12.0, logits_scaling=8.0, residual_multiplier=0.2, attention_multiplier=0.1, **d.flag("attention_bias", "mlp_bias")),
    cohere=lambda d: d.decoder(**d.flag("attention_bias", "use_qk_norm")), cohere2=lambda d: d.decoder(sliding_window=40, **d.flag("attention_bias")),
    glm=lambda d: d.decoder(**d.flag("attention_bias"), **d.free()), glm4=lambda d: d.decoder(**d.flag("attention_bias"), **d.free()),
    smollm3=lambda d: d.decoder(**d.flag("attention_bias", "mlp_bias")), exaone4=lambda d: d.decoder(sliding_window=40), seed_oss=lambda d: d.decoder(**d.flag("attention_bias"), **d.free()),
    arcee=lambda d: d.decoder(**d.flag("mlp_bias")), ernie4_5=lambda d: d.decoder(**d.flag("use_bias"), **d.free()), nemotron=lambda d: d.decoder(**d.flag("attention_bias", "mlp_bias")),
    helium=lambda d: d.decoder(head_dim=d.head), ministral=lambda d: d.decoder(sliding_window=40, head_dim=d.head),
    gpt2=lambda d: dict(n_embd=d.hidden, n_layer=d.layers, n_head=d.heads, vocab_size=d.vocabulary, n_positions=d.positions, tie_word_embeddings=d.often(0.8),
                        n_inner=d.pick([None, d.inner]), **{f"{part}_pdrop": d.pick([0.0, 0.1]) for part in ("resid", "embd", "attn")}),
    gpt_neox=lambda d: d.common(rotary_pct=d.pick([0.25, 0.5, 1.0]), hidden_dropout=d.pick([0.0, 0.1]), attention_dropout=d.pick([0.0, 0.1]), **d.flag("use_parallel_residual", "attention_bias", "tie_word_embeddings")),
    opt=lambda d: dict(hidden_size=d.hidden, ffn_dim=d.inner, num_hidden_layers=d.layers, num_attention_heads=d.heads, vocab_size=d.vocabulary, max_position_embeddings=d.positions,
                       dropout=d.pick([0.0, 0.1]), attention_dropout=d.pick([0.0, 0.1]), word_embed_proj_dim=d.pick([d.hidden, d.hidden // 2]), **d.flag("enable_bias", "do_layer_norm_before")),
    bloom=lambda d: dict(hidden_size=d.hidden, n_layer=d.layers, n_head=d.heads, vocab_size=d.vocabulary, hidden_dropout=d.pick([0.0, 0.1]), attention_dropout=d.pick([0.0, 0.1]),
                         **d.flag("apply_residual_connection_post_layernorm")),
    falcon=lambda d: dict(hidden_size=d.hidden, num_hidden_layers=d.layers, num_attention_heads=d.heads, vocab_size=d.vocabulary, hidden_dropout=d.pick([0.0, 0.1]),
                          attention_dropout=d.pick([0.0, 0.1]), **d.flag("alibi", "bias", "multi_query", "parallel_attn"), **d.pick([{}, dict(new_decoder_architecture=True, num_kv_heads=d.groups)])),
    mixtral=lambda d: d.decoder(num_local_experts=d.pick([4, 7]), num_experts_per_tok=d.pick([1, 2]), sliding_window=None, **d.flag("output_router_logits")),
    olmoe=lambda d: d.decoder(num_experts=d.pick([4, 10]), num_experts_per_tok=d.pick([2, 3]), **d.flag("output_router_logits", "norm_topk_prob")),
    qwen2_moe=lambda d: d.decoder(num_experts=d.pick([4, 10]), num_experts_per_tok=3, moe_intermediate_size=96, shared_expert_intermediate_size=136, decoder_sparse_step=d.pick([1, 2]),
                                  **d.flag("output_router_logits")),
    qwen3_moe=lambda d: d.decoder(num_experts=d.pick([4, 10]), num_experts_per_tok=3, moe_intermediate_size=96, decoder_sparse_step=d.pick([1, 2]), **d.flag("output_router_logits"), **d.free()),
    granitemoe=lambda d: d.decoder(num_local_experts=6, num_experts_per_tok=2, logits_scaling=8.0), gpt_oss=lambda d: d.decoder(num_local_experts=6, num_experts_per_tok=2, sliding_window=40, head_dim=64),
    granitemoeshared=lambda d: d.decoder(num_local_experts=6, num_experts_per_tok=2, shared_intermediate_size=104),
    dots1=lambda d: d.decoder(n_routed_experts=8, num_experts_per_tok=3, n_shared_experts=d.pick([1, 2]), first_k_dense_replace=1, moe_intermediate_size=72),
    glm4_moe=lambda d: d.decoder(n_routed_experts=8, num_experts_per_tok=3, first_k_dense_replace=1, moe_intermediate_size=72, **d.flag("attention_bias", "use_qk_norm"), **d.free()),
    deepseek_v2=lambda d: latent(d, topk_method="greedy", first_k_dense_replace=d.pick([0, 1])), deepseek_v3=lambda d: latent(d, n_group=2, topk_group=1, first_k_dense_replace=1),
    mamba=lambda d: dict(hidden_size=d.hidden, num_hidden_layers=min(d.layers, 3), vocab_size=d.vocabulary, state_size=d.pick([8, 16]), **d.flag("use_bias", "tie_word_embeddings"), **d.pick([{}, d.flag("fuse_cross_entropy")])),
    t5=lambda d: seq2seq(d, feed_forward_proj=d.pick(["relu", "gated-gelu"]), tie_word_embeddings=d.often(0.6)),
    kimi_linear=lambda d: kimi(d, q_lora_rank=d.pick([None, 56]), kv_lora_rank=40, qk_rope_head_dim=16, qk_nope_head_dim=32, v_head_dim=d.pick([32, 48]), moe_intermediate_size=72, num_experts_per_token=d.pick([2, 3])),
    olmo_hybrid=lambda d: d.decoder(linear_key_head_dim=d.pick([32, 64]), linear_value_head_dim=d.pick([32, 64]), layer_types=["linear_attention", "full_attention", *d.mixed("linear_attention")][:max(d.layers, 2)], **d.flag("attention_bias", "linear_allow_neg_eigval")),
    nomic_bert=lambda d: {**encoder(d, **d.free()), "hidden_act": "silu"},
    t5gemma=lambda d: dict(encoder=d.decoder(sliding_window=40, **d.free()), decoder=d.decoder(sliding_window=d.pick([40, 4096]), **d.free()), dropout_rate=d.pick([0.0, 0.1]), attention_dropout=d.pick([0.0, 0.1]), **d.flag("tie_word_embeddings")),
    umt5=lambda d: seq2seq(d, feed_forward_proj=d.pick(["relu", "gated-gelu"])),
    mt5=lambda d: seq2seq(d, feed_forward_proj="gated-gelu", tie_word_embeddings=False),
    **{kind: lambda d: translator(d) for kind in ("bart", "plbart", "blenderbot", "blenderbot-small")},
    bert=lambda d: encoder(d, type_vocab_size=2), roberta=lambda d: encoder(d, type_vocab_size=1), electra=lambda d: encoder(d, type_vocab_size=2, embedding_size=d.pick([d.hidden, 72])),
    **{"modernbert-decoder": lambda d: d.common(global_attn_every_n_layers=d.pick([2, 3]), local_attention=d.pick([32, 128]), cls_token_id=0, sep_token_id=0, **d.flag("attention_bias", "mlp_bias", "norm_bias", "tie_word_embeddings"),
                                      **{name: d.pick([0.0, 0.1]) for name in ("attention_dropout", "embedding_dropout", "mlp_dropout")})},
    eurobert=lambda d: d.decoder(num_labels=d.pick([1, 2, 5]), attention_dropout=d.pick([0.0, 0.1]), classifier_pooling=d.pick(["late", "mean", "bos"]), **d.flag("attention_bias", "mlp_bias"), **d.free()),
    esm=lambda d: encoder(d, mask_token_id=32, position_embedding_type=d.pick(["rotary", "absolute"]), **d.flag("token_dropout", "emb_layer_norm_before")),
    **{kind: lambda d: encoder(d, type_vocab_size=2) for kind in ("data2vec-text", "ernie", "roberta-prelayernorm", "megatron-bert")}, **{"xlm-roberta-xl": lambda d: encoder(d, type_vocab_size=1)},
    distilbert=lambda d: dict(dim=d.hidden, n_layers=d.layers, n_heads=d.heads, hidden_dim=d.inner, vocab_size=d.vocabulary, max_position_embeddings=d.positions, num_labels=d.pick([1, 2, 5]),
                              dropout=d.pick([0.0, 0.1]), attention_dropout=d.pick([0.0, 0.1])),
    vit=lambda d: dict(hidden_size=d.hidden, intermediate_size=d.inner, num_hidden_layers=d.layers, num_attention_heads=d.heads, image_size=d.pick([32, 112, 224]), patch_size=16, num_labels=d.pick([2, 10, 1000]),
                       hidden_dropout_prob=d.pick([0.0, 0.1]), attention_probs_dropout_prob=d.pick([0.0, 0.1]), **d.flag("qkv_bias")),
    stablelm=lambda d: d.decoder(partial_rotary_factor=d.pick([0.25, 0.5]), hidden_dropout=d.pick([0.0, 0.1]), **d.flag("use_qkv_bias", "qk_layernorm", "use_parallel_residual")),
    hunyuan_v1_dense=lambda d: d.decoder(**d.flag("attention_bias"), **d.free()), hunyuan_v1_moe=lambda d: d.decoder(num_experts=d.pick([4, 6]), moe_topk=d.pick([1, 2]), **d.free()),
    ernie4_5_moe=lambda d: d.decoder(moe_num_experts=d.pick([4, 10]), moe_k=d.pick([2, 3]), moe_intermediate_size=96, moe_num_shared_experts=d.pick([1, 2]), moe_layer_start_index=d.pick([0, 1]),
                                     moe_layer_interval=d.pick([1, 2]), **d.flag("use_bias")),
    llama4_text=lambda d: d.decoder(num_local_experts=d.pick([2, 4]), num_experts_per_tok=1, intermediate_size_mlp=d.inner + 64, interleave_moe_layer_step=d.pick([1, 2]), attention_chunk_size=d.pick([32, 8192]),
                                    head_dim=d.head, **d.flag("use_qk_norm")),
    lfm2=lambda d: d.decoder(layer_types=d.mixed("conv"), block_multiple_of=d.pick([8, 64]), **d.flag("conv_bias")),
    bamba=lambda d: d.decoder(attn_layer_indices=[n for n in range(d.layers) if d.often(0.4)], **d.states()),
    falcon_h1=lambda d: d.decoder(head_dim=d.head, mamba_d_ssm=d.pick([None, d.hidden]), **d.states()),
    granitemoehybrid=lambda d: d.decoder(layer_types=d.mixed("mamba", "attention"), num_local_experts=d.pick([0, 6]), num_experts_per_tok=2, shared_intermediate_size=d.inner, **d.states()),
    jamba=lambda d: d.decoder(attn_layer_period=2, attn_layer_offset=d.pick([0, 1]), expert_layer_period=2, expert_layer_offset=d.pick([0, 1]), num_experts=d.pick([1, 4]), num_experts_per_tok=d.pick([1, 2]),
                              use_mamba_kernels=False, mamba_d_state=d.pick([8, 16]), mamba_dt_rank=d.pick(["auto", 24])),
    qwen3_next=lambda d: d.decoder(layer_types=d.mixed("linear_attention"), num_experts=6, num_experts_per_tok=2, moe_intermediate_size=96, shared_expert_intermediate_size=104, linear_num_key_heads=d.groups,
                                   linear_num_value_heads=d.heads, linear_key_head_dim=d.pick([32, 64]), linear_value_head_dim=d.pick([32, 64]), partial_rotary_factor=0.5, head_dim=64),
    mamba2=lambda d: dict(hidden_size=d.hidden, num_hidden_layers=min(d.layers, 3), vocab_size=d.vocabulary, num_heads=2 * d.heads, head_dim=d.head, state_size=d.pick([16, 32]), n_groups=d.pick([1, 2]),
                          chunk_size=d.pick([32, 64]), **d.flag("use_bias", "tie_word_embeddings"), **d.pick([{}, d.flag("fuse_cross_entropy")])),
    falcon_mamba=lambda d: dict(hidden_size=d.hidden, num_hidden_layers=min(d.layers, 3), vocab_size=d.vocabulary, state_size=d.pick([8, 16]), **d.flag("use_bias", "tie_word_embeddings")),
    gptj=lambda d: dict(n_embd=d.hidden, n_layer=d.layers, n_head=d.heads, rotary_dim=d.pick([d.head, 16]), vocab_size=d.vocabulary, n_positions=d.positions,
                        **{f"{part}_pdrop": d.pick([0.0, 0.1]) for part in ("resid", "embd", "attn")}),
    codegen=lambda d: dict(n_embd=4 * d.groups * d.head, n_layer=d.layers, n_head=4 * d.groups, rotary_dim=16, vocab_size=d.vocabulary, n_positions=d.positions, n_ctx=d.positions,
                           **{f"{part}_pdrop": d.pick([0.0, 0.1]) for part in ("resid", "embd", "attn")}),
    gpt_neo=lambda d: dict(hidden_size=d.hidden, num_layers=2 * d.pick([1, 2]), num_heads=d.heads, vocab_size=d.vocabulary, max_position_embeddings=d.positions, window_size=40,
                           **{f"{part}_dropout": d.pick([0.0, 0.1]) for part in ("resid", "embed", "attention")}),
    gpt_bigcode=lambda d: dict(n_embd=d.hidden, n_layer=d.layers, n_head=d.heads, n_inner=d.inner, vocab_size=d.vocabulary, n_positions=d.positions,
                               **{f"{part}_pdrop": d.pick([0.0, 0.1]) for part in ("resid", "embd", "attn")}, **d.flag("multi_query", "scale_attn_weights")),
    whisper=lambda d: dict(d_model=d.hidden, encoder_layers=d.layers, decoder_layers=d.pick([1, 2, 3]), encoder_ffn_dim=d.inner, decoder_ffn_dim=d.inner, encoder_attention_heads=d.heads,
                           decoder_attention_heads=d.heads, vocab_size=d.vocabulary, num_mel_bins=d.pick([80, 40]), max_source_positions=d.pick([50, 150, 375]), max_target_positions=448,
                           pad_token_id=0, decoder_start_token_id=1, bos_token_id=0, eos_token_id=0, **{name: d.pick([0.0, 0.1]) for name in ("dropout", "attention_dropout", "activation_dropout")}),
    mpt=lambda d: dict(d_model=d.hidden, n_heads=d.heads, n_layers=d.layers, expansion_ratio=d.pick([2, 4]), max_seq_len=d.positions, vocab_size=d.vocabulary),
    albert=lambda d: encoder(d, embedding_size=d.pick([d.hidden, 72]), num_hidden_groups=1, inner_group_num=d.pick([1, 1, 2]), type_vocab_size=2),
    modernbert=lambda d: d.common(num_labels=d.pick([1, 2, 5]), global_attn_every_n_layers=d.pick([2, 3]), local_attention=d.pick([32, 128]), classifier_pooling=d.pick(["mean", "cls"]), cls_token_id=0, sep_token_id=0,
                                  **d.flag("attention_bias", "mlp_bias", "norm_bias"), **{name: d.pick([0.0, 0.1]) for name in ("attention_dropout", "embedding_dropout", "mlp_dropout")}),
    phimoe=lambda d: d.decoder(num_local_experts=d.pick([4, 6]), num_experts_per_tok=2, input_jitter_noise=d.pick([0.0, 0.01]), **d.flag("attention_bias", "lm_head_bias")),
    nemotron_h=lambda d: dict(hidden_size=d.hidden, intermediate_size=d.inner, vocab_size=d.vocabulary, num_attention_heads=d.heads, num_key_value_heads=d.groups, head_dim=d.pick([d.head, 64]),
                              hybrid_override_pattern="".join(d.pick("M*-") for _ in range(d.layers)), mamba_num_heads=2 * d.heads, mamba_head_dim=d.head, ssm_state_size=d.pick([16, 32]), n_groups=d.pick([1, 2]),
                              chunk_size=d.pick([32, 64])),
    gla=lambda d: d.mixer(expand_k=0.5, expand_v=1, **d.flag("use_output_gate", "use_short_conv")), retnet=lambda d: d.mixer(expand_k=1, expand_v=2, **d.flag("use_output_gate")),
    delta_net=lambda d: d.mixer(expand_k=1, expand_v=1, use_short_conv=True, **d.flag("use_gate")), gated_deltanet=lambda d: d.mixer(head_dim=d.pick([32, 64]), expand_v=d.pick([1, 2]), use_short_conv=True, **d.flag("use_gate")),
    **{kind: lambda d: d.decoder(**d.free()) for kind in ("ministral3", "nanochat")}, **{kind: lambda d: d.decoder(sliding_window=40, **d.free()) for kind in ("vaultgemma", "cwm")},
    apertus=lambda d: d.decoder(**d.flag("attention_bias")), jais2=lambda d: d.decoder(**d.flag("attention_bias", "mlp_bias")), bitnet=lambda d: d.decoder(), persimmon=lambda d: d.common(**d.flag("qk_layernorm")),
    hyperclovax=lambda d: d.decoder(embedding_multiplier=10.0, logits_scaling=0.125, residual_multiplier=0.5, attention_multiplier=0.1),
    biogpt=lambda d: d.common(hidden_dropout_prob=d.pick([0.0, 0.1]), attention_probs_dropout_prob=d.pick([0.0, 0.1])),
    gemma4_text=lambda d: d.decoder(sliding_window=40, global_head_dim=64, vocab_size_per_layer_input=900, hidden_size_per_layer_input=d.pick([0, 16]), num_kv_shared_layers=0, **d.free()),
    gemma3n_text=lambda d: d.decoder(sliding_window=40, vocab_size_per_layer_input=900, hidden_size_per_layer_input=16, num_kv_shared_layers=0, laurel_rank=d.pick([8, 24]), altup_num_inputs=d.pick([2, 4]),
                                     activation_sparsity_pattern=[d.pick([0.0, 0.95]) for _ in range(d.layers)], **d.free()),
    diffllama=lambda d: {**d.decoder(**d.flag("attention_bias")), "num_attention_heads": 2 * d.heads, "num_key_value_heads": 2 * d.groups, "head_dim": d.pick([32, 64])},
    deepseek_v32=lambda d: {**latent(d, n_group=2, topk_group=1), **indexer(d)}, glm_moe_dsa=lambda d: {**latent(d), **indexer(d), "indexer_types": ["full", *d.mixed("shared", "full")[1:]]},
    minimax_m2=lambda d: d.decoder(rotary_dim=16, num_local_experts=8, num_experts_per_tok=3, **d.free()), flex_olmo=lambda d: d.decoder(num_experts=5, num_experts_per_tok=2),
    exaone_moe=lambda d: d.decoder(num_experts=8, num_experts_per_tok=2, moe_intermediate_size=72, sliding_window=40, sliding_window_pattern=2),
    solar_open=lambda d: d.decoder(n_routed_experts=8, num_experts_per_tok=2, moe_intermediate_size=72, **d.free()), lfm2_moe=lambda d: d.decoder(
        layer_types=d.mixed("conv"), num_dense_layers=1, num_experts=8, num_experts_per_tok=3, moe_intermediate_size=96),
    **{kind: lambda d: d.decoder(num_experts=8, num_experts_per_tok=3, moe_intermediate_size=96, sliding_window=48, **d.free()) for kind in ("afmoe", "hy_v3")},
    doge=lambda d: d.decoder(hidden_dropout=d.pick([0.0, 0.1]), attention_dropout=d.pick([0.0, 0.1]), **d.flag("attention_bias", "mlp_bias"), **d.free()),
    jetmoe=lambda d: d.decoder(kv_channels=d.head, num_local_experts=d.pick([4, 7]), num_experts_per_tok=d.pick([1, 2, 3]), attention_dropout=d.pick([0.0, 0.1]), **d.flag("output_router_logits")),
    granite_swa=lambda d: d.decoder(**windows_and_bases(d), **d.flag("attention_bias", "mlp_bias")),
    granitemoe_swa=lambda d: d.decoder(**windows_and_bases(d), num_local_experts=6, num_experts_per_tok=2, shared_intermediate_size=d.pick([0, 104]), **d.flag("output_router_logits")),
    minimax=lambda d: d.decoder(layer_types=d.mixed("linear_attention"), block_size=d.pick([16, 64, 256]), num_local_experts=d.pick([4, 7]), num_experts_per_tok=d.pick([1, 2]), **d.flag("output_router_logits"), **d.free()),
    mellum=lambda d: d.decoder(num_experts=8, num_experts_per_tok=3, moe_intermediate_size=96, sliding_window=48, layer_types=d.mixed("sliding_attention"), **d.free()),
    glm4_moe_lite=lambda d: latent(d), youtu=lambda d: latent(d), minicpm3=lambda d: latent(d), axk1=lambda d: latent(d, n_group=4, topk_group=2),
    qwen3_5_text=lambda d: d.delta(), qwen3_5_moe_text=lambda d: d.delta(num_experts=8, num_experts_per_tok=3, moe_intermediate_size=96, shared_expert_intermediate_size=136),
    rembert=lambda d: encoder(d, input_embedding_size=d.pick([d.hidden, 72]), output_embedding_size=d.pick([d.hidden, 136])), roformer=lambda d: encoder(d, embedding_size=d.pick([d.hidden, 72]), **d.flag("rotary_value")),
    mpnet=lambda d: encoder(d), layoutlm=lambda d: encoder(d, max_2d_position_embeddings=d.pick([100, 1024])), deit=lambda d: pictures(d), vit_msn=lambda d: pictures(d), **{"audio-spectrogram-transformer": lambda d: dict(pictures(d), patch_size=d.pick([8, 16]), max_length=d.pick([64, 100, 204]), num_mel_bins=d.pick([32, 40]), frequency_stride=d.pick([6, 10]), time_stride=d.pick([8, 10]))}, dinov2=lambda d: pictures(d, **d.flag("use_swiglu_ffn")), dinov2_with_registers=lambda d: pictures(d, num_register_tokens=d.pick([1, 4]), **d.flag("use_swiglu_ffn")),
    clip=lambda d: pair(d, projection_dim=96), siglip=lambda d: pair(d, text=dict(projection_size=d.hidden)),
    qwen2_vl=lambda d: patches(d, hidden_size=d.hidden, embed_dim=4 * d.pick([16, 40])),
    qwen2_5_vl=lambda d: patches(d, out_hidden_size=d.hidden, hidden_size=4 * d.pick([16, 40]), intermediate_size=d.pick([136, 300]), window_size=d.pick([56, 112]), fullatt_block_indexes=[1]),
    qwen3_vl=lambda d: deep(d, d.decoder(head_dim=d.head, **d.flag("attention_bias"))),
    qwen3_vl_moe=lambda d: deep(d, d.decoder(head_dim=d.head, num_experts=d.pick([4, 10]), num_experts_per_tok=3, moe_intermediate_size=96, decoder_sparse_step=d.pick([1, 2]), **d.flag("output_router_logits"))),
    llava=lambda d: dict(image_token_index=7, **d.pick([{}, dict(vision_feature_select_strategy="full", vision_feature_layer=-1)]), text_config=d.decoder(model_type=d.pick(["llama", "mistral", "qwen2"])), vision_config=dict(
        model_type=d.pick(["clip_vision_model", "siglip_vision_model"]), hidden_size=d.hidden, intermediate_size=d.inner, num_hidden_layers=2, num_attention_heads=d.heads, image_size=d.pick([56, 112]), patch_size=14)),
    gemma3=lambda d: dict(image_token_id=7, mm_tokens_per_image=d.pick([4, 16]), text_config=d.decoder(sliding_window=50, **d.free()), vision_config=dict(
        hidden_size=d.hidden, intermediate_size=d.inner, num_hidden_layers=d.layers, num_attention_heads=d.heads, image_size=d.pick([56, 112]), patch_size=14)),
    paligemma=lambda d: dict(image_token_index=7, projection_dim=d.hidden, text_config=d.decoder(model_type=d.pick(["gemma", "gemma2"]), sliding_window=50, **d.free()),
                             vision_config=dict(model_type="siglip_vision_model", hidden_size=d.hidden, intermediate_size=d.inner, num_hidden_layers=d.layers, num_attention_heads=d.heads,
                                                image_size=d.pick([56, 112]), patch_size=14, vision_use_head=False)),
    **dict.fromkeys(("idefics3", "smolvlm"), lambda d: dict(image_token_id=7, scale_factor=2, tie_word_embeddings=d.often(0.3), text_config=d.decoder(model_type=d.pick(["llama", "mistral"])),
                    vision_config=dict(hidden_size=d.hidden, intermediate_size=d.inner, num_hidden_layers=d.layers, num_attention_heads=d.heads, image_size=d.pick([56, 112]), patch_size=14))),
    **{kind: lambda d: dict(image_size=d.pick([64, 72]), hidden_sizes=[16, 32, 48], depths=[1, d.pick([1, 2]), 2], num_stages=3, drop_path_rate=d.pick([0.0, 0.1]), num_labels=d.pick([2, 10])) for kind in ("convnext", "convnextv2")},
    xglm=lambda d: dict(d_model=d.hidden, num_layers=d.layers, attention_heads=d.heads, ffn_dim=d.inner, vocab_size=d.vocabulary, max_position_embeddings=d.positions, dropout=d.pick([0.0, 0.1]), attention_dropout=d.pick([0.0, 0.1]), **d.flag("scale_embedding", "tie_word_embeddings")),
    deberta=lambda d: d.common(type_vocab_size=0, relative_attention=True, pos_att_type=d.pick(["c2p|p2c", "c2p", "p2c"]), **d.flag("position_biased_input")),
    **{kind: lambda d: dict(image_size=64, patch_size=d.pick([8, 16]), hidden_size=d.hidden, num_hidden_layers=d.layers, num_attention_heads=d.heads, intermediate_size=d.inner, num_labels=d.pick([2, 10]), drop_path_rate=d.pick([0.0, 0.1]), **d.flag("use_mean_pooling", "use_absolute_position_embeddings", "use_relative_position_bias")) for kind in ("beit", "data2vec-vision")},
    resnet=lambda d: dict(image_size=d.pick([64, 72]), embedding_size=16, hidden_sizes=[32, 64], depths=[1, d.pick([1, 2])], layer_type=d.pick(["basic", "bottleneck"]), num_labels=d.pick([2, 10]), **d.flag("downsample_in_first_stage", "downsample_in_bottleneck")),
    **{kind: lambda d: waveforms(d) for kind in ("wav2vec2", "hubert", "unispeech", "unispeech-sat", "data2vec-audio", "wavlm")},
    mistral3=lambda d: dict(image_token_index=7, tie_word_embeddings=d.often(0.3), text_config=d.decoder(model_type="mistral"), vision_config=dict(
        model_type="pixtral", hidden_size=4 * d.pick([16, 40]), intermediate_size=d.inner, num_hidden_layers=d.layers, num_attention_heads=4, patch_size=14)),
    internvl=lambda d: dict(image_token_id=7, tie_word_embeddings=d.often(0.3), text_config=d.decoder(model_type="qwen2"), vision_config=dict(
        hidden_size=d.hidden, intermediate_size=d.inner, num_hidden_layers=d.layers, num_attention_heads=d.heads, image_size=d.pick([56, 112]), patch_size=14, **d.flag("attention_bias", "use_qk_norm", "use_mean_pooling"))),
    llava_next=lambda d: dict(image_token_index=7, image_grid_pinpoints=[[56, 112], [112, 56], [112, 112]], text_config=d.decoder(model_type=d.pick(["llama", "mistral"])), vision_config=dict(
        model_type="clip_vision_model", hidden_size=d.hidden, intermediate_size=d.inner, num_hidden_layers=2, num_attention_heads=d.heads, image_size=56, patch_size=14)),
    mllama=lambda d: dict(image_token_index=7, text_config=dict(d.decoder(), model_type="mllama_text_model", cross_attention_layers=[d.layers - 1], pad_token_id=0), vision_config=dict(
        hidden_size=d.hidden, intermediate_size=d.inner, num_hidden_layers=2, num_global_layers=d.pick([1, 2]), attention_heads=d.heads, image_size=56, patch_size=14, intermediate_layers_indices=[1], vision_output_dim=2 * d.hidden)),
    swin=lambda d: dict(image_size=64, patch_size=4, embed_dim=32, depths=[2, d.pick([2, 4])], num_heads=[2, 4], window_size=4, drop_path_rate=d.pick([0.0, 0.1]), num_labels=d.pick([2, 10])),
    swinv2=lambda d: dict(image_size=64, patch_size=4, embed_dim=32, depths=[2, d.pick([2, 4])], num_heads=[2, 4], window_size=4, drop_path_rate=d.pick([0.0, 0.1]), num_labels=d.pick([2, 10])),
    hgrn=lambda d: d.mixer(attn_mode=d.pick(["fused_recurrent", "chunk"]), **d.flag("use_lower_bound")), hgrn2=lambda d: d.mixer(expand_ratio=d.head), transformer=lambda d: d.mixer(num_kv_heads=d.groups, **d.flag("qkv_bias", "qk_norm")),
)


def latent(d, **more):
    return d.common(num_key_value_heads=d.heads, tie_word_embeddings=d.often(0.3), moe_intermediate_size=72, n_routed_experts=8, num_experts_per_tok=2, n_shared_experts=d.pick([1, 2]),
                    q_lora_rank=d.pick([None, 56]), kv_lora_rank=40, qk_rope_head_dim=16, qk_nope_head_dim=32, v_head_dim=d.pick([32, 48]), **more)


def kimi(d, **more):
    """One layer at least attends: a cache of states alone knows no length."""
    layers = [*d.mixed("linear_attention")[1:], "full_attention"]
    return d.common(num_key_value_heads=d.heads, linear_head_dim=d.pick([16, 32, 64, 80]), linear_num_heads=d.heads, linear_conv_kernel_dim=d.pick([3, 4]), layer_types=layers, num_experts=d.pick([6, 8, 12]),
                    num_shared_experts=d.pick([1, 2]), num_expert_group=d.pick([1, 2]), first_k_dense_replace=d.pick([0, 1, 2]), **d.flag("moe_renormalize", "attention_bias"), **more)


def indexer(d):
    return dict(q_lora_rank=56, index_head_dim=d.pick([32, 40]), index_n_heads=d.pick([2, 4]), index_topk=d.pick([24, 2048]), first_k_dense_replace=d.pick([0, 1]))


def patches(d, **seen):
    """A decoder, and what sees images of any size."""
    sections = [d.head // 2 - 2 * (d.head // 6), d.head // 6, d.head // 6]
    return dict(text_config=d.decoder(rope_scaling=dict(type="mrope", mrope_section=sections)), vision_config=dict(depth=d.pick([1, 2, 3]), num_heads=4, **seen))


def deep(d, text):
    """A decoder whose first layers get features of images, too, and what sees those."""
    sections = [d.head // 2 - 2 * (d.head // 6), d.head // 6, d.head // 6]
    text["rope_parameters"] = dict(rope_type="default", rope_theta=5000000, mrope_section=sections, mrope_interleaved=True)
    depth = d.pick([2, 3, 5])
    seen = dict(depth=depth, num_heads=4, hidden_size=4 * d.pick([16, 40]), intermediate_size=d.pick([136, 300]), out_hidden_size=d.hidden, num_position_embeddings=d.pick([49, 256]),
                deepstack_visual_indexes=d.pick([[0], [0, 1], list(range(depth))]))
    return dict(text_config=text, vision_config=seen, **d.flag("tie_word_embeddings"))


def pictures(d, **more):
    return dict(hidden_size=d.hidden, intermediate_size=d.inner, num_hidden_layers=d.layers, num_attention_heads=d.heads, image_size=d.pick([32, 112]), patch_size=16, num_labels=d.pick([2, 10]), **more)


def pair(d, text={}, **more):
    """A tower for texts and one for images."""
    tower = dict(hidden_size=d.hidden, intermediate_size=d.inner, num_hidden_layers=d.layers, num_attention_heads=d.heads)
    return dict(text_config=dict(**tower, vocab_size=d.vocabulary, **text), vision_config=dict(**tower, image_size=d.pick([32, 112]), patch_size=16), **more)


def seq2seq(d, **more):
    return dict(d_model=d.hidden, d_kv=d.pick([d.head, 64]), d_ff=d.inner, num_layers=d.layers, num_decoder_layers=d.pick([1, 2, 3]), num_heads=d.heads, vocab_size=d.vocabulary,
                dropout_rate=d.pick([0.0, 0.1]), **more)


def translator(d):
    return dict(d_model=d.hidden, encoder_layers=d.layers, decoder_layers=d.pick([1, 2, 3]), encoder_ffn_dim=d.inner, decoder_ffn_dim=d.inner, encoder_attention_heads=d.heads,
                decoder_attention_heads=d.heads, vocab_size=d.vocabulary, max_position_embeddings=d.positions, pad_token_id=1, decoder_start_token_id=2,
                **{name: d.pick([0.0, 0.1]) for name in ("dropout", "attention_dropout", "activation_dropout")}, **d.flag("scale_embedding"))


def encoder(d, **more):
    return d.common(hidden_dropout_prob=d.pick([0.0, 0.1]), attention_probs_dropout_prob=d.pick([0.0, 0.1]), num_labels=d.pick([1, 2, 5]), **more)

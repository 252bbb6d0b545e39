"""draw.py SEED COUNT [FRAMEWORK] > SCENARIOS: scenarios drawn at random over families, sizes and options, for cases that nobody tuned to.

    python3 draw.py 7 60 | highwater estimate | ...                   # what the estimates refuse, and why
    python3 draw.py 7 60 | DIR/run.sh cases.py > measured.jsonl       # what PyTorch refuses has an "error"; the rest is measured
    highwater check measured.jsonl --worst 10

The same seed draws the same scenarios. Sizes are odd on purpose: heads that are no powers of two, vocabularies and lengths that no 8 divides."""
import json, os, random, sys

HERE = os.path.dirname(os.path.abspath(__file__))
CATALOG = next(folder for folder in (f"{HERE}/configs", f"{HERE}/../../src/catalog/models") if os.path.isdir(folder))
LARGEST = 3_000_000_000  # weights of a model of the catalog that keeps all its layers, roughly
FRAMEWORK = "torch-2.15/transformers-5.23"
LINEARS = dict(gpt2=["c_attn", "c_proj", "c_fc"], gpt_neox=["query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"],
               bloom=["query_key_value", "dense", "dense_h_to_4h"], falcon=["query_key_value", "dense"], phi3=["qkv_proj", "o_proj", "gate_up_proj", "down_proj"],
               phi=["q_proj", "k_proj", "v_proj", "dense", "fc1", "fc2"], opt=["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"],
               bart=["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"], whisper=["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"],
               t5=["q", "k", "v", "o", "wo"], bert=["query", "key", "value", "dense"], vit=["query", "value", "dense"], distilbert=["q_lin", "v_lin", "lin1"],
               mamba=["in_proj", "x_proj", "out_proj"], deepseek=["q_proj", "kv_b_proj", "o_proj"], starcoder2=["q_proj", "v_proj", "o_proj", "c_fc", "c_proj"],
               nemotron=["q_proj", "v_proj", "up_proj", "down_proj"], moe=["q_proj", "k_proj", "v_proj", "o_proj"],
               llama=["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"])
LIKE = dict(mt5="t5", roberta="bert", electra="bert", camembert="bert", **{"xlm-roberta": "bert", "deberta-v2": "vit"}, arcee="nemotron", glm="phi3", glm4="phi3",
            deepseek_v2="deepseek", deepseek_v3="deepseek", gpt_bigcode="gpt2", falcon_mamba="mamba", mamba2="mamba",
            **dict.fromkeys(["mixtral", "olmoe", "qwen2_moe", "qwen3_moe", "dots1", "glm4_moe", "gpt_oss", "granitemoe", "granitemoeshared"], "moe"))
TASKS = dict(t5=["seq2seq_lm"], mt5=["seq2seq_lm"], bart=["seq2seq_lm"], whisper=["seq2seq_lm"], vit=["image_classification"],
             **dict.fromkeys(["bert", "roberta", "xlm-roberta", "camembert", "electra", "distilbert", "deberta-v2"], ["masked_lm", "sequence_classification", "token_classification"]))
IMPLEMENTATIONS = dict(adamw=["foreach", "fused", "for_loop"], adam=["foreach", "fused", "for_loop"], sgd=["foreach", "fused", "for_loop"], adafactor_transformers=["for_loop"],
                       lion=["for_loop"], adamw_8bit=["fused"], paged_adamw_32bit=["fused"], muon=["for_loop"])
EAGER_ONLY = ["gemma2", "deberta-v2", "bloom", "mamba", "mamba2", "falcon_mamba"]
SINCE_5 = ["smollm3", "exaone4", "seed_oss", "arcee", "ernie4_5", "ministral", "olmo3", "gpt_oss", "dots1", "glm4_moe", "falcon_h1", "lfm2", "bamba", "mamba2", "falcon_mamba", "nemotron", "helium",
           "stablelm", "cohere2", "glm4", "granitemoe", "granitemoeshared", "deepseek_v2", "gpt_bigcode", "deberta-v2"]
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

    def free(self):
        """A width of heads that the hidden size does not say."""
        return dict(head_dim=self.pick([self.head, 32, 64, 72]))


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
    helium=lambda d: d.decoder(head_dim=d.head), ministral=lambda d: d.decoder(sliding_window=40),
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
    mamba=lambda d: dict(hidden_size=d.hidden, num_hidden_layers=min(d.layers, 3), vocab_size=d.vocabulary, state_size=d.pick([8, 16]), **d.flag("use_bias", "tie_word_embeddings")),
    t5=lambda d: seq2seq(d, feed_forward_proj=d.pick(["relu", "gated-gelu"]), tie_word_embeddings=d.often(0.6)),
    mt5=lambda d: seq2seq(d, feed_forward_proj="gated-gelu", tie_word_embeddings=False),
    bart=lambda d: dict(d_model=d.hidden, encoder_layers=d.layers, decoder_layers=d.pick([1, 2, 3]), encoder_ffn_dim=d.inner, decoder_ffn_dim=d.inner, encoder_attention_heads=d.heads,
                        decoder_attention_heads=d.heads, vocab_size=d.vocabulary, max_position_embeddings=d.positions, pad_token_id=1, decoder_start_token_id=2,
                        **{name: d.pick([0.0, 0.1]) for name in ("dropout", "attention_dropout", "activation_dropout")}, **d.flag("scale_embedding")),
    bert=lambda d: encoder(d, type_vocab_size=2), roberta=lambda d: encoder(d, type_vocab_size=1), electra=lambda d: encoder(d, type_vocab_size=2, embedding_size=d.pick([d.hidden, 72])),
    distilbert=lambda d: dict(dim=d.hidden, n_layers=d.layers, n_heads=d.heads, hidden_dim=d.inner, vocab_size=d.vocabulary, max_position_embeddings=d.positions, num_labels=d.pick([1, 2, 5]),
                              dropout=d.pick([0.0, 0.1]), attention_dropout=d.pick([0.0, 0.1])),
    vit=lambda d: dict(hidden_size=d.hidden, intermediate_size=d.inner, num_hidden_layers=d.layers, num_attention_heads=d.heads, image_size=d.pick([32, 112, 224]), patch_size=16, num_labels=d.pick([2, 10, 1000]),
                       hidden_dropout_prob=d.pick([0.0, 0.1]), attention_probs_dropout_prob=d.pick([0.0, 0.1]), **d.flag("qkv_bias")),
)


def latent(d, **more):
    return d.common(num_key_value_heads=d.heads, tie_word_embeddings=d.often(0.3), moe_intermediate_size=72, n_routed_experts=8, num_experts_per_tok=2, n_shared_experts=d.pick([1, 2]),
                    q_lora_rank=d.pick([None, 56]), kv_lora_rank=40, qk_rope_head_dim=16, qk_nope_head_dim=32, v_head_dim=d.pick([32, 48]), **more)


def seq2seq(d, **more):
    return dict(d_model=d.hidden, d_kv=d.pick([d.head, 64]), d_ff=d.inner, num_layers=d.layers, num_decoder_layers=d.pick([1, 2, 3]), num_heads=d.heads, vocab_size=d.vocabulary,
                dropout_rate=d.pick([0.0, 0.1]), **more)


def encoder(d, **more):
    return d.common(hidden_dropout_prob=d.pick([0.0, 0.1]), attention_probs_dropout_prob=d.pick([0.0, 0.1]), num_labels=d.pick([1, 2, 5]), **more)


def model(chance, framework):
    """-> model_type, the scenario's keys."""
    lacking = [] if framework == FRAMEWORK else SINCE_5
    if chance.random() < 0.5:
        kind = chance.choice(sorted(set(FAMILIES) - set(lacking)))
        return kind, dict(model=dict(hf_config=dict(model_type=kind, **FAMILIES[kind](Drawn(chance)))))
    by_type = {}
    for name in sorted(os.listdir(CATALOG)):
        config = json.load(open(f"{CATALOG}/{name}"))
        by_type.setdefault(config["model_type"], []).append((name[:-5], config))
    kind = chance.choice(sorted(set(by_type) - set(lacking)))
    name, config = chance.choice(by_type[kind])
    width, deep = config.get("hidden_size", 0), config.get("num_hidden_layers", 0)
    large = 12 * width * width * deep * (1 + config.get("num_experts", config.get("num_local_experts", config.get("n_routed_experts", 0)))) > LARGEST
    return kind, dict(model=name, **dict(model_overrides=dict(num_hidden_layers=chance.choice([1, 2, 5]))) if large and deep else {})


def optimizer(chance, recent):
    often = lambda share: chance.random() < share
    name = chance.choice(["adamw"] * 8 + ["adam", "sgd", "sgd", "adafactor", "adafactor_transformers", "rmsprop", "adagrad", "adadelta", "adamax", "nadam", "lion", *["muon"] * recent, "adamw_8bit", "paged_adamw_32bit"])
    made = dict(name=name, impl=chance.choice(IMPLEMENTATIONS.get(name, ["foreach", "for_loop"])))
    if name in ("adamw", "adam") and often(0.15):
        made["amsgrad"] = True
    if name in ("sgd", "rmsprop") and often(0.5):
        made["momentum"] = 0.9
    if name == "adafactor_transformers" and often(0.5):
        made["relative_step"] = True
    if name in ("adam", "sgd", "rmsprop", "adagrad") and often(0.3):
        made["weight_decay"] = True
    return made


def scenario(chance, framework=FRAMEWORK):
    often, pick = lambda share: chance.random() < share, chance.choice
    kind, made = model(chance, framework)
    recent = framework == FRAMEWORK
    task = pick(TASKS.get(kind, ["causal_lm"] * 5 + ["sequence_classification"] * (kind in CLASSIFIERS)))
    made.update(task=task, micro_batch_size=pick([1, 2, 3, 4, 5, 8]), precision=pick(["fp32", "bf16", "bf16", "amp_bf16", "amp_bf16", "amp_fp16"]), optimizer=optimizer(chance, recent), framework=framework)
    if task != "image_classification":
        made["seq_len"] = pick([33, 64, 100, 127, 128, 200, 256, 301, 512])
        made["padding_mask"] = often(0.25)
    if task == "seq2seq_lm" and often(0.6):
        made["target_seq_len"] = pick([17, 48, 64, 130])
    made["attention"] = "eager" if kind in EAGER_ONLY or not recent and kind in ("t5", "mt5", "electra") or often(0.25) else "sdpa"
    if made["attention"] == "sdpa" and often(0.15):
        made["sdpa_backend"] = pick(["flash", "efficient", "math"])
    if often(0.25):
        made["activation_checkpointing"] = pick(["full", "full_reentrant"])
        if recent and often(0.2):
            made["checkpoint_every"] = pick([2, 3])
    linears = LINEARS[LIKE.get(kind, kind) if LIKE.get(kind, kind) in LINEARS else "llama"]
    if often(0.3):
        made["lora"] = dict(r=pick([4, 8, 16, 24]), target_modules=pick([linears, linears[:1], linears[:2], ["all-linear"]]), **dict(dropout=0.1) if often(0.4) else {},
                            **dict(use_dora=True) if often(0.15) else {})
        if often(0.25) and made["precision"] != "fp32":
            made["quantization"] = dict(type=pick(["nf4", "fp4", "int8"]), double=often(0.5), prepare_for_kbit_training=often(0.6))
    elif often(0.12):
        made["frozen"] = pick([["embed"], ["norm"], ["bias"], ["layers.0."], ["encoder"], ["wte"], ["attn"], ["mlp"]])
    if made["precision"].startswith("amp"):
        if often(0.2):
            made["autocast_style"] = "accelerate"
        if often(0.15) and "quantization" not in made:
            made["weights"] = "bf16"
    if often(0.3):
        made["gradient_accumulation_steps"] = pick([2, 3, 4])
    for key, share in dict(clip_grad_norm=0.35, keep_outputs=0.2, use_cache=0.07).items():
        if often(share):
            made[key] = True
    if often(0.12):
        made["zero_grad_set_to_none"] = False
    if often(0.06):
        made["loss"] = "mean_logits"
    if recent and task == "causal_lm" and kind in ("llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "phi3", "mixtral") and often(0.3):
        made["liger_kernel"] = pick([["rms_norm"], ["rope"], ["swiglu"], ["geglu"], ["cross_entropy"], ["fused_linear_cross_entropy"], ["rope", "rms_norm"], ["all"]])
    if often(0.1):
        made["evaluation"] = dict(kind=pick(["loss", "logits", "trainer"]), **dict(micro_batch_size=pick([1, 3, 8])) if often(0.5) else {}, **dict(keep_predictions=False) if often(0.3) else {},
                                  **dict(use_cache=True) if often(0.3) else {})
    elif often(0.06):
        made["program"] = "forward"
        for key in ("optimizer", "clip_grad_norm", "lora", "quantization", "gradient_accumulation_steps", "frozen", "zero_grad_set_to_none", "activation_checkpointing", "checkpoint_every"):
            made.pop(key, None)
    return made


if __name__ == "__main__":
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        print(json.dumps(dict(v=1, **scenario(random.Random(f"{seed}.{number}"), *sys.argv[3:]))))

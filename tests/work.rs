//! A report's figures of a rank's work, against formulas worked out by hand: floating-point operations of dense models
//! (6 for each weight of a matrix and token, and attention's term) and bytes sent.

use highwater::codec::decode_json;
use highwater::families::catalog_model;
use highwater::report::{Communication, Compute, DeviceReport, estimate};
use highwater::tape::Collective;
use serde_json::{Value, json};

/// Samples of a micro-batch, and tokens of each.
const BATCH: u64 = 2;
const TOKENS: u64 = 512;

/// Sizes of a decoder whose layers have four matrices of attention and three of an MLP.
struct Decoder {
    hidden: u64,
    layers: u64,
    /// Columns of all heads of queries, and of keys.
    heads: [u64; 2],
    intermediate: u64,
    vocab: u64,
}

impl Decoder {
    fn of(id: &str) -> Self {
        let config = catalog_model(id).expect("a model").config;
        let config: Value = serde_json::from_str(config()).expect("JSON");
        let size = |key: &str| config[key].as_u64();
        let needed = |key: &str| size(key).unwrap_or_else(|| panic!("{id} has no {key}"));
        let (hidden, queries) = (needed("hidden_size"), needed("num_attention_heads"));
        let keys = size("num_key_value_heads").unwrap_or(queries);
        let columns = size("head_dim").unwrap_or(hidden / queries);
        Self {
            hidden,
            layers: needed("num_hidden_layers"),
            heads: [queries * columns, keys * columns],
            intermediate: needed("intermediate_size"),
            vocab: needed("vocab_size"),
        }
    }

    /// Weights of the matrices of queries, keys and values.
    fn inputs(&self) -> u64 {
        self.hidden * (self.heads[0] + 2 * self.heads[1])
    }

    /// Weights of all matrices of a layer.
    fn layer(&self) -> u64 {
        self.inputs() + self.heads[0] * self.hidden + 3 * self.hidden * self.intermediate
    }

    fn all(&self) -> u64 {
        self.layers * self.layer() + self.hidden * self.vocab
    }

    /// Operations of the scores, or of their product with the values, in all layers.
    fn scores(&self) -> u64 {
        2 * BATCH * TOKENS * TOKENS * self.heads[0] * self.layers
    }

    /// Operations of a forward pass.
    fn forward(&self) -> u64 {
        2 * BATCH * TOKENS * self.all() + 2 * self.scores()
    }
}

fn device(id: &str, settings: &Value) -> DeviceReport {
    let mut scenario = json!({
        "model": id, "micro_batch_size": BATCH, "seq_len": TOKENS, "precision": "bf16",
        "attention": "sdpa", "hardware": {"gpu": "a100-80gb"},
    });
    for (key, value) in settings.as_object().expect("an object") {
        scenario[key] = value.clone();
    }
    let (scenario, findings) = decode_json(&scenario.to_string());
    assert!(findings.is_empty(), "{findings:?}");
    let estimated = estimate(&scenario);
    estimated
        .unwrap_or_else(|findings| panic!("{id} {settings}: {findings:?}"))
        .report
        .device
}

fn compute(id: &str, settings: &Value) -> Compute {
    device(id, settings).compute
}

/// Within a thousandth.
fn close(found: u64, expected: u64, what: &str) {
    assert!(
        found.abs_diff(expected) <= expected / 1000,
        "{what}: {found} instead of {expected}"
    );
}

const DENSE: [&str; 5] = [
    "llama-3.1-8b",
    "qwen2.5-1.5b",
    "mistral-7b",
    "qwen3-0.6b",
    "tinyllama-1.1b",
];

#[test]
fn dense_models_compute_six_for_each_weight_and_token_and_attention() {
    for id in DENSE {
        let model = Decoder::of(id);
        let found = compute(id, &json!({}));
        close(found.forward, model.forward(), id);
        close(found.backward, 2 * model.forward(), id);
        close(found.recompute, model.scores(), id);
        // Written out, attention keeps its scores.
        let eager = compute(id, &json!({"attention": "eager"}));
        assert_eq!(
            eager,
            Compute {
                recompute: 0,
                ..found
            },
            "{id}"
        );
        let flash = compute(id, &json!({"attention": "flash_attention_2"}));
        assert_eq!(flash, found, "{id}");
    }
}

#[test]
fn checkpointed_layers_compute_their_forward_pass_once_more() {
    for id in DENSE {
        let model = Decoder::of(id);
        let head = 2 * BATCH * TOKENS * model.hidden * model.vocab;
        let again = model.forward() - head;
        let plain = compute(id, &json!({}));
        let reentrant = json!({"activation_checkpointing": "full_reentrant"});
        let reentrant = compute(id, &reentrant);
        close(reentrant.recompute, again + model.scores(), id);
        // Operations after the last saved tensor are not computed: the MLP's last matrix.
        let last = 2 * BATCH * TOKENS * model.hidden * model.intermediate * model.layers;
        let full = compute(id, &json!({"activation_checkpointing": "full"}));
        close(full.recompute, again - last + model.scores(), id);
        for found in [reentrant, full] {
            assert_eq!(
                [found.forward, found.backward],
                [plain.forward, plain.backward]
            );
        }
    }
}

#[test]
fn frozen_weights_have_no_gradients() {
    let r = 16;
    let settings = json!({"lora": {"r": r, "target_modules": ["q_proj", "v_proj"]}});
    for id in ["llama-3.1-8b", "qwen2.5-1.5b"] {
        let model = Decoder::of(id);
        let [queries, values] = model.heads;
        let tokens = 2 * BATCH * TOKENS;
        let adapters = r * (2 * model.hidden + queries + values) * model.layers * tokens;
        let found = compute(id, &settings);
        close(found.forward, model.forward() + adapters, id);
        // Nothing before the first layer is trained: its matrices need no gradient of their input.
        let backward = tokens * (model.all() - model.inputs()) + 4 * model.scores() + 2 * adapters;
        close(found.backward, backward, id);
    }
}

#[test]
fn micro_batches_of_a_step_add_up() {
    for id in ["llama-3.1-8b", "qwen2.5-1.5b"] {
        let one = compute(id, &json!({}));
        for steps in [2, 3, 4, 5, 32] {
            let all = compute(id, &json!({"gradient_accumulation_steps": steps}));
            let times = |one: u64| one * steps;
            let expected = Compute {
                forward: times(one.forward),
                backward: times(one.backward),
                recompute: times(one.recompute),
            };
            assert_eq!(all, expected, "{id} {steps}");
        }
    }
}

#[test]
fn ranks_of_tensor_parallelism_compute_a_share_each() {
    for id in ["llama-3.1-8b", "mistral-7b"] {
        let one = compute(id, &json!({}));
        let parallel =
            json!({"parallelism": {"tp": {"size": 4}}, "hardware": {"gpus_per_node": 4}});
        let share = compute(id, &parallel);
        close(share.forward, one.forward / 4, id);
        close(share.backward, one.backward / 4, id);
        close(share.recompute, one.recompute / 4, id);
    }
}

#[test]
fn tokens_go_through_as_many_experts_as_are_chosen_for_them() {
    let config = catalog_model("mixtral-8x7b").expect("a model").config;
    let config: Value = serde_json::from_str(config()).expect("JSON");
    let size = |key: &str| config[key].as_u64().expect(key);
    let mut model = Decoder::of("mixtral-8x7b");
    model.intermediate *= size("num_experts_per_tok");
    for framework in [
        "torch-2.15/transformers-5.23",
        "torch-2.6/transformers-4.51",
    ] {
        let found = compute("mixtral-8x7b", &json!({"framework": framework}));
        close(found.forward, model.forward(), framework);
        close(found.backward, 2 * model.forward(), framework);
    }
}

/// Ranks of the job.
const RANKS: u64 = 8;

fn sent(settings: &Value) -> Communication {
    let settings = json!({"parallelism": settings, "hardware": {"gpus_per_node": RANKS}});
    device("llama-3.1-8b", &settings).communication
}

/// Bytes of all parameters of Llama 3.1 8B, and of those of its layers.
fn parameters() -> [u64; 2] {
    let model = Decoder::of("llama-3.1-8b");
    let layers = model.layers * (model.layer() + 2 * model.hidden);
    let root = 2 * model.hidden * model.vocab + model.hidden;
    [2 * (layers + root), 2 * layers]
}

/// A rank's share of what all gather or scatter.
fn share(bytes: u64) -> u64 {
    bytes / RANKS * (RANKS - 1)
}

#[track_caller]
fn sends(found: &Communication, expected: &[(Collective, u64)]) {
    for &collective in Collective::ALL {
        let of = |&&(one, _): &&(Collective, u64)| one == collective;
        let bytes = expected.iter().find(of).map_or(0, |(_, bytes)| *bytes);
        close(found.get(collective).get(), bytes, collective.name());
    }
}

#[test]
fn a_rank_alone_sends_nothing() {
    assert_eq!(
        device("llama-3.1-8b", &json!({})).communication,
        Communication::default()
    );
}

#[test]
fn ddp_reduces_all_gradients_once_a_step() {
    let [all, _] = parameters();
    let expected = [(Collective::AllReduce, 2 * share(all))];
    sends(&sent(&json!({"dp": {"kind": "ddp"}})), &expected);
}

#[test]
fn fsdp2_gathers_layers_twice_and_the_rest_once() {
    let [all, layers] = parameters();
    let expected = [
        (Collective::AllGather, share(all + layers)),
        (Collective::ReduceScatter, share(all)),
    ];
    sends(&sent(&json!({"dp": {"kind": "fsdp2"}})), &expected);
    let kept = json!({"dp": {"kind": "fsdp2", "reshard_after_forward": false}});
    let expected = [
        (Collective::AllGather, share(all)),
        (Collective::ReduceScatter, share(all)),
    ];
    sends(&sent(&kept), &expected);
}

#[test]
fn zero_2_reduces_gradients_and_gathers_what_was_stepped_over() {
    let [all, _] = parameters();
    let expected = [
        (Collective::AllReduce, 2 * share(all)),
        (Collective::AllGather, share(all)),
    ];
    sends(
        &sent(&json!({"dp": {"kind": "deepspeed_zero", "stage": 2}})),
        &expected,
    );
}

#[test]
fn zero_3_gathers_parameters_for_each_pass_unless_they_stay() {
    let [all, _] = parameters();
    let zero = |[reuse, ahead]: [u64; 2]| {
        sent(&json!({"dp": {
            "kind": "deepspeed_zero", "stage": 3, "stage3_max_reuse_distance": reuse,
            "stage3_prefetch_bucket_size": ahead,
            "stage3_param_persistence_threshold": 0,
        }}))
    };
    let expected = [
        (Collective::AllGather, share(2 * all)),
        (Collective::ReduceScatter, share(all)),
    ];
    let each_time = zero([0, 0]);
    sends(&each_time, &expected);
    let gathered = |sent: &Communication| sent.get(Collective::AllGather);
    let usual = zero([1_000_000_000, 50_000_000]);
    assert!(gathered(&usual) < gathered(&each_time));
}

#[test]
fn tensor_parallelism_reduces_what_each_layer_gives_and_gradients_of_what_each_matrix_is_given() {
    let model = Decoder::of("llama-3.1-8b");
    let hidden = 2 * BATCH * TOKENS * model.hidden;
    // Forward: attention and MLP of each layer, and the embeddings. Backward: the inputs of five matrices of each
    // layer, and of the head.
    let reduced = (7 * model.layers + 2) * hidden;
    let logits = 2 * BATCH * TOKENS * model.vocab;
    let expected = [
        (Collective::AllReduce, 2 * share(reduced)),
        (Collective::AllGather, share(logits)),
    ];
    sends(&sent(&json!({"tp": {"size": RANKS}})), &expected);
}

#[test]
fn stages_of_a_pipeline_send_what_passes_between_them() {
    let model = Decoder::of("llama-3.1-8b");
    let boundary = 2 * BATCH * TOKENS * model.hidden;
    let expected = |ways: u64| [(Collective::Send, ways * 16 * boundary)];
    let stage = |rank: u64| sent(&json!({"pp": {"size": RANKS, "microbatches": 16, "rank": rank}}));
    sends(&stage(0), &expected(1));
    sends(&stage(3), &expected(2));
    sends(&stage(7), &expected(1));
}

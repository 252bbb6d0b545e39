//! Ranks keep on the host together the whole model once for each copy of its shards, however it is divided.

use highwater::ask::Scenario;
use highwater::host::{HostPart, HostPhase};
use highwater::report::estimate;
use serde_json::{Value, json};

/// Bytes that all ranks of a node of eight GPUs keep on the host in place of the device, unpinned and so not rounded.
fn offloaded(parallelism: &Value) -> u64 {
    let scenario: Scenario = serde_json::from_value(json!({
        "model": "llama-3.2-1b", "micro_batch_size": 1, "seq_len": 64, "precision": "fp32",
        "optimizer": {"name": "adamw", "impl": "fused"},
        "hardware": {"gpu": "a100-80gb", "gpus_per_node": 8},
        "parallelism": parallelism,
    }))
    .expect("a scenario");
    let host = estimate(&scenario).expect("an estimate").report.host;
    let steady = host
        .phases
        .iter()
        .find(|phase| phase.phase == HostPhase::Steady);
    let parts = steady.expect("steps").composition.iter();
    parts
        .filter(|(part, _)| *part == HostPart::Offload)
        .map(|(_, bytes)| bytes.get())
        .sum()
}

/// Bytes of a trained parameter in fp32 with AdamW: itself, its gradient and two states.
const EACH: u64 = 16;

// Parameters of Llama 3.2 1B: all, its tied embeddings', its norms'.
const ALL: u64 = 1_235_814_400;
const EMBEDDINGS: u64 = 128_256 * 2_048;
const NORMS: u64 = 33 * 2_048;

#[test]
fn tensor_parallel_ranks_divide_what_they_divide_once() {
    for (sharded, copied) in [(true, NORMS), (false, NORMS + EMBEDDINGS)] {
        for tensor in [1, 2, 4] {
            let tp = json!({"size": tensor, "shard_embeddings": sharded});
            let dp = json!({"kind": "fsdp2", "cpu_offload": true, "pin_memory": false});
            let together = offloaded(&json!({"dp": dp, "tp": tp}));
            assert_eq!(together, EACH * (ALL + (tensor - 1) * copied), "{tensor}");
        }
    }
}

#[test]
fn each_copy_of_the_shards_is_there_as_often() {
    for kind in ["fsdp1", "fsdp2"] {
        let copies = |shard: u64| {
            offloaded(&json!({"dp": {
                "kind": kind, "cpu_offload": true, "pin_memory": false, "shard_size": shard,
                "sharding_strategy": "HYBRID_SHARD",
            }}))
        };
        assert_eq!(copies(2), 4 * copies(8), "{kind}");
    }
}

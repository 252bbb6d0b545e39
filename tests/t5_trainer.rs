//! The T5 of 0.2 billion parameters that situations 1 to 3 are about: what its training takes on
//! the GPU, by samples and tokens.

use highwater::ask::Scenario;
use highwater::report::estimate;
use serde_json::json;

/// The peak in bytes of a step with `batch` samples of `seq_len` tokens.
fn peak_allocated(batch: u64, seq_len: u64) -> u64 {
    let scenario: Scenario = serde_json::from_value(json!({
        "model": {"hf_config": {
            "model_type": "t5", "d_model": 768, "d_kv": 64, "d_ff": 3072, "num_layers": 10,
            "num_decoder_layers": 10, "num_heads": 12, "vocab_size": 40304,
            "feed_forward_proj": "relu", "dropout_rate": 0.1, "tie_word_embeddings": true,
        }},
        "task": "seq2seq_lm", "micro_batch_size": batch, "seq_len": seq_len,
        "precision": "amp_bf16", "attention": "eager", "padding_mask": true,
        "optimizer": {"name": "adafactor_transformers", "impl": "for_loop"},
        "clip_grad_norm": true, "keep_outputs": true,
        "framework": "torch-2.6/transformers-4.51",
    }))
    .expect("a scenario");
    let report = estimate(&scenario).expect("an answer").report;
    assert_eq!(report.model.num_parameters, 196_144_896);
    report.device.steady_step.peak.peak_allocated.0
}

#[test]
fn the_trainer_takes_what_pytorch_measured_at_each_batch_and_length() {
    /// Batch, tokens and tenths of GiB, measured with torch 2.6 and transformers 4.51.
    const MEASURED: [(u64, u64, u64); 8] = [
        (8, 192, 41),
        (24, 192, 98),
        (32, 192, 126),
        (8, 256, 53),
        (24, 256, 135),
        (32, 256, 176),
        (8, 512, 119),
        (24, 512, 332),
    ];
    for (batch, seq_len, tenths) in MEASURED {
        let peak = peak_allocated(batch, seq_len);
        let rounded = (peak * 10 + (1 << 29)) >> 30;
        assert_eq!(rounded, tenths, "{batch} x {seq_len}: {peak} bytes");
    }
}

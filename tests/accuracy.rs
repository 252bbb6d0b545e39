//! How exact the estimates are: every measured case of the fixtures, one table, and the goals.
//! `cargo test --test accuracy -- --nocapture` prints the table.

#[path = "accuracy/encoders.rs"]
mod encoders;

use highwater::ask::{Hardware, Scenario};
use highwater::report::{Accuracy, Selection, estimate, read_cases};
use highwater::resolve::resolve;
use highwater::text::english;
use serde_json::Value;
use std::collections::BTreeMap;

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the fixture")
}

fn accuracy(name: &str) -> Accuracy {
    let cases = read_cases(&fixture(name)).expect("cases");
    Accuracy::of(&cases, &Selection::default(), english)
}

#[test]
fn the_llama_family_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("llama_family.jsonl", 426);
}

#[test]
fn adapters_over_four_bits_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("four_bit.jsonl", 244);
}

#[test]
fn adapters_over_eight_bits_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("eight_bit.jsonl", 103);
}

#[test]
fn dora_and_adapters_of_conv1d_embeddings_and_beside_whole_modules_meet_every_goal() {
    every_goal_is_met("dora.jsonl", 40);
    every_goal_is_met("embedding_adapters.jsonl", 34);
    every_goal_is_met("modules_to_save.jsonl", 15);
}

#[test]
fn batches_of_usual_length_and_the_longest_after_them_meet_every_goal() {
    every_goal_is_met("lengths.jsonl", 18);
}

#[test]
fn master_weights_of_deepspeed_and_megatron_meet_every_goal() {
    every_goal_is_met("master_weights.jsonl", 17);
    every_goal_is_met("megatron.jsonl", 13);
}

#[test]
fn losses_in_chunks_meet_every_goal() {
    every_goal_is_met("chunked_loss.jsonl", 73);
}

#[test]
fn decoders_that_classify_sequences_meet_every_goal() {
    every_goal_is_met("sequence_classification.jsonl", 65);
}

#[test]
fn liger_kernels_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("liger.jsonl", 208);
}

/// Composition is not held: the oracle calls a copy autocast's that Liger's loss makes of the head's
/// weight and drops at once (5.2 %).
#[test]
fn liger_kernels_of_other_families_and_experts_meet_every_goal_of_bytes() {
    let held = |goal: &str| !goal.contains("composition");
    goals_are_met("liger_families.jsonl", 80, held);
}

#[test]
fn optimizers_of_bitsandbytes_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("bitsandbytes_optimizers.jsonl", 86);
}

#[test]
fn the_flash_attn_package_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("flash_attention_2.jsonl", 75);
}

#[test]
fn every_further_optimizer_meets_every_goal() {
    every_goal_is_met("optimizers.jsonl", 37);
}

#[test]
fn an_optimizer_on_the_cpu_meets_every_goal() {
    every_goal_is_met("offload.jsonl", 7);
}

/// Reserved memory and composition are not held to the goals: DeepSpeed's set-up is not simulated,
/// and the order in which ZeRO-1 empties its bucket is not that of the engine (0.95 %).
#[test]
fn zero_1_and_2_with_an_optimizer_on_the_host_are_close_on_the_device() {
    goals_are_met("zero_offload.jsonl", 9, |goal| {
        ["tensor median", "tensor worst", "allocated", "phase"]
            .iter()
            .any(|held| goal.contains(held))
    });
}

#[test]
fn encoder_decoders_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("t5.jsonl", 240);
    every_goal_is_met("t5gemma.jsonl", 42);
    every_goal_is_met("bart.jsonl", 57);
    every_goal_is_met("bart_kin.jsonl", 219);
    every_goal_is_met("bart_decoders.jsonl", 35);
}

#[test]
fn distilbert_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("distilbert.jsonl", 12);
}

#[test]
fn gpt_neox_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("gpt_neox.jsonl", 43);
}

#[test]
fn gemma_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("gemma.jsonl", 109);
    every_goal_is_met("gemma4.jsonl", 51);
    every_goal_is_met("gemma3n.jsonl", 43);
    every_goal_is_met("indexed_attention.jsonl", 66);
    every_goal_is_met("diffllama.jsonl", 40);
}

#[test]
fn gpt2_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("gpt2.jsonl", 97);
}

#[test]
fn starcoder2_and_granite_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("starcoder2_granite.jsonl", 43);
    every_goal_is_met("granite_swa.jsonl", 44);
    every_goal_is_met("jetmoe.jsonl", 38);
    every_goal_is_met("doge.jsonl", 33);
}

#[test]
fn cohere_and_stablelm_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("cohere_stablelm.jsonl", 95);
}

#[test]
fn olmo_glm_and_helium_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("olmo_glm_helium.jsonl", 45);
    every_goal_is_met("olmo2.jsonl", 42);
}

#[test]
fn smollm3_exaone4_seed_oss_and_newer_decoders_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("newest_decoders.jsonl", 140);
    every_goal_is_met("further_decoders.jsonl", 310);
    every_goal_is_met("smollm3_exaone4_seed_oss.jsonl", 53);
}

#[test]
fn gpt_bigcode_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("gpt_bigcode.jsonl", 71);
}

#[test]
fn gpt_neo_gpt_j_and_codegen_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("gpt_neo_gptj_codegen.jsonl", 76);
}

#[test]
fn nemotron_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("nemotron.jsonl", 43);
}

#[test]
fn mixtures_of_experts_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("moe.jsonl", 169);
}

#[test]
fn mixtures_beyond_mixtral_s_kin_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("mixtures.jsonl", 45);
    every_goal_is_met("expert_adapters.jsonl", 114);
}

#[test]
fn phi_and_phi3_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("phi.jsonl", 6);
    every_goal_is_met("phi3.jsonl", 46);
}

#[test]
fn opt_and_xglm_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("opt.jsonl", 65);
    every_goal_is_met("xglm.jsonl", 29);
}

/// Losses, logits, predictions that are kept, caches, greedy and random decoding, beams.
#[test]
fn evaluation_and_generation_are_equal_to_the_byte() {
    every_goal_is_met("evaluation.jsonl", 143);
    let accuracy = accuracy("evaluation.jsonl");
    let goals = accuracy.goals();
    for what in [
        "peak_tensor worst",
        "peak_allocated worst",
        "peak_reserved p95",
    ] {
        let goal = goals.iter().find(|goal| goal.what == what);
        assert!(goal.is_some_and(|goal| goal.found == 0.0), "{goal:?}");
    }
}

/// Over the families of decoders and the versions of transformers.
#[test]
fn generation_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("generation.jsonl", 655);
    every_goal_is_met("image_text_generation.jsonl", 98);
}

#[test]
fn generation_with_encoder_decoders_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("generation_encoder_decoder.jsonl", 150);
}

/// Of flash-linear-attention's models and of Whisper.
#[test]
fn evaluation_of_linear_attention_and_whisper_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("evaluation_fla_whisper.jsonl", 41);
}

#[test]
fn weights_in_16_bits_under_autocast_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("sixteen_bit_weights.jsonl", 27);
}

#[test]
fn gated_linear_attention_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("gla.jsonl", 277);
}

#[test]
fn other_linear_attention_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("linear_attention.jsonl", 28);
}

/// Generation, sequences of at most 64 tokens, padding masks.
#[test]
fn recurrent_states_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("fla_generation.jsonl", 265);
}

#[test]
fn whisper_wav2vec_2_and_hubert_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("whisper.jsonl", 67);
    every_goal_is_met("speech.jsonl", 101);
    every_goal_is_met("unispeech.jsonl", 23);
    every_goal_is_met("data2vec_audio.jsonl", 32);
    every_goal_is_met("wavlm.jsonl", 34);
}

#[test]
fn hgrn_mamba_2_and_attention_among_linear_attention_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("hgrn.jsonl", 36);
    every_goal_is_met("hgrn2.jsonl", 19);
    every_goal_is_met("fla_mamba.jsonl", 36);
    every_goal_is_met("fla_mamba2.jsonl", 40);
    every_goal_is_met("fla_attention.jsonl", 23);
}

#[test]
fn falcon_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("falcon.jsonl", 53);
}

#[test]
fn mamba_mamba_2_and_falcon_mamba_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("mamba.jsonl", 37);
    every_goal_is_met("mamba2.jsonl", 33);
}

#[test]
fn lfm2_and_bamba_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("lfm2_bamba.jsonl", 43);
}

/// Its two models of 35 MiB are off by one segment of 2 MiB, the larger ones by none.
#[test]
fn nemotron_h_is_as_exact_as_the_goals_of_live_tensors_ask() {
    goals_are_met("nemotron_h.jsonl", 34, |goal| goal != "peak_reserved p95");
}

#[test]
fn falcon_h1_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("falcon_h1.jsonl", 10);
}

#[test]
fn llama_4_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("llama4.jsonl", 17);
}

#[test]
fn hunyuan_and_ernie_with_experts_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("hunyuan_ernie_moe.jsonl", 44);
}

#[test]
fn phi_3_5_moe_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("phimoe.jsonl", 17);
}

#[test]
fn granite_4_and_jamba_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("granite_hybrid.jsonl", 20);
    every_goal_is_met("granitemoe_before_5.jsonl", 40);
    every_goal_is_met("mamba2_before_5.jsonl", 40);
    every_goal_is_met("jamba.jsonl", 16);
}

#[test]
fn layers_of_linear_attention_among_others_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("qwen3_next.jsonl", 42);
    every_goal_is_met("olmo_hybrid.jsonl", 42);
    every_goal_is_met("minimax.jsonl", 40);
}

#[test]
fn mpt_and_bloom_are_as_exact_as_the_goals_ask() {
    every_goal_is_met("mpt.jsonl", 47);
    every_goal_is_met("bloom.jsonl", 40);
}

/// Every n-th layer checkpointed, activations on the host, a cache that training fills, and
/// evaluations after each step.
#[test]
fn programs_around_the_step_meet_every_goal() {
    every_goal_is_met("programs.jsonl", 70);
}

/// Drawn at random (`tests/oracle/draw.py`).
#[test]
fn cases_drawn_at_random_meet_every_goal() {
    every_goal_is_met("drawn.jsonl", 358);
}

/// The same with every option, and a usual job for each model of the catalog. Composition is not held
/// to the goals: the oracle does not see all caches of flash-linear-attention's beams (3.7 %) nor
/// the newest gradient of a step within backward (11 %), and takes an adapter's cast of stacked
/// experts for autocast's (0.95 %).
#[test]
fn cases_drawn_over_every_option_meet_every_goal_of_bytes() {
    let held = |goal: &str| !goal.contains("composition");
    goals_are_met("drawn_options.jsonl", 1078, held);
}

/// Every family with every option, in combinations that nobody tuned to.
#[test]
fn the_grid_over_families_and_options_is_as_exact_as_the_goals_ask() {
    every_goal_is_met("grid.jsonl", 124);
}

fn every_goal_is_met(fixture: &str, cases: usize) {
    goals_are_met(fixture, cases, |_| true);
}

/// The goals whose names are `held`.
fn goals_are_met(fixture: &str, cases: usize, held: impl Fn(&str) -> bool) {
    let accuracy = accuracy(fixture);
    println!("{accuracy}");
    assert_eq!(accuracy.compared(), cases, "every case is estimated");
    for goal in accuracy.goals() {
        let (what, found, bound) = (goal.what, goal.found, goal.bound);
        assert!(
            goal.met || !held(what),
            "{fixture}: {what}: {found} against {bound}"
        );
    }
}

/// Of a hundred answers this many must be right.
const RIGHT_OF_100: usize = 95;

/// Fits or not at 2 % above and below the measured smallest capacity.
#[test]
fn running_out_of_memory_is_told_at_two_percent_above_and_below_the_smallest_capacity() {
    let (mut asked, mut right, mut refused) = (0, 0, 0);
    for line in fixture("smallest_capacity.jsonl")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let case: Value = serde_json::from_str(line).expect("a case");
        let measured = case["expect"]["smallest_capacity"].as_u64().expect("bytes");
        let Ok(scenario) = serde_json::from_value::<Scenario>(case["scenario"].clone()) else {
            refused += 1;
            continue;
        };
        if resolve(&scenario).spec.is_none() {
            refused += 1;
            continue;
        }
        let ample = Hardware {
            gpu_memory: Some(1 << 40),
            ..scenario.hardware.clone()
        };
        for (limit, fits) in [(measured / 100 * 102, true), (measured / 100 * 98, false)] {
            let limited = Scenario {
                memory_limit: Some(limit),
                hardware: ample.clone(),
                ..scenario.clone()
            };
            let failure = estimate(&limited).expect("an answer").failure;
            asked += 1;
            if failure.is_none() == fits {
                right += 1;
            } else {
                println!(
                    "wrong at {limit}, smallest is {measured}: {}",
                    case["scenario"]
                );
            }
        }
    }
    println!("{right} of {asked} right, not supported: {refused} cases");
    assert_eq!(asked / 2 + refused, 68, "every case is accounted for");
    assert!(right * 100 >= asked * RIGHT_OF_100, "{right} of {asked}");
}

/// Settings of the allocator: reserved within 3 % median and 8 % at the 95th percentile, for each.
#[test]
fn reserved_memory_follows_each_setting_of_the_allocator() {
    let mut by_setting: BTreeMap<String, String> = BTreeMap::new();
    let text = fixture("allocator_settings.jsonl");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let case: Value = serde_json::from_str(line).expect("a case");
        let cases = by_setting.entry(case["scenario"]["allocator"].to_string());
        let cases = cases.or_default();
        cases.push_str(line);
        cases.push('\n');
    }
    assert_eq!(by_setting.len(), 10);
    let mut accounted = 0;
    for (setting, cases) in by_setting {
        let cases = read_cases(&cases).expect("cases");
        let accuracy = Accuracy::of(&cases, &Selection::default(), english);
        accounted += accuracy.compared() + accuracy.not_supported().values().sum::<usize>();
        let goals = accuracy.goals();
        let found = |what: &str| goals.iter().find(|goal| goal.what == what).map(|g| g.found);
        let [median, p95] =
            ["median", "p95"].map(|rank| found(&format!("peak_reserved {rank}")).expect("a goal"));
        println!(
            "{setting}: {} cases, median {median}, p95 {p95}",
            accuracy.compared()
        );
        assert!(median <= 0.03 && p95 <= 0.08, "{setting}: {median}, {p95}");
    }
    assert_eq!(accounted, 102, "every case is accounted for");
}

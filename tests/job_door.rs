//! The door of a job: missing settings, assumptions, the number of GPUs, and the parts left out of its estimate.

use highwater::codec::{Job, JobFile, Said, read_job, values};
use highwater::configs::{self, Certainty, Differs, Effect, Note};
use highwater::report::estimate;
use serde_json::{Value, json};

/// The job of some files, as the command line and the page have it.
fn job_of(files: &[(&str, &str)], set: &[(&str, Value)]) -> Job {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| JobFile {
            name: (*name).to_owned(),
            text: (*text).to_owned(),
        })
        .collect();
    let set: Vec<_> = set
        .iter()
        .map(|(key, value)| ((*key).to_owned(), value.clone()))
        .collect();
    read_job(&files, &set).expect("a job")
}

#[test]
fn a_job_without_a_model_is_not_estimated() {
    for text in [
        "max_length: 512\nbf16: true\n",
        "{\"zero_optimization\": {\"stage\": 2}}",
        "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n",
        "torchrun --nproc_per_node 4 my_train.py --foo 3 --bar x",
    ] {
        let job = job_of(&[("file", text)], &[]);
        assert_eq!(job.stop(), Some(&Note::NoModel), "{text}");
        assert!(!job.read.understood.is_empty() || !job.read.ignored.is_empty());
        let named = job_of(&[("file", text)], &[("model", json!("gpt2"))]);
        assert_eq!(named.stop(), None, "{text}");
    }
}

#[test]
fn an_unknown_program_is_named_with_all_its_arguments() {
    let job = job_of(
        &[(
            "run.sh",
            "torchrun --nproc_per_node 4 my_train.py --foo 3 --bar x",
        )],
        &[("model", json!("gpt2"))],
    );
    let program = "my_train.py".to_owned();
    assert!(job.read.notes.contains(&Note::Program { program }));
    let unread: Vec<_> = job.read.ignored.iter().map(|own| &own.key).collect();
    assert_eq!(unread, ["--foo", "--bar"]);
    assert_eq!(job.scenario.hardware.gpus_per_node, 4);
}

#[test]
fn a_length_that_nobody_says_is_assumed_and_said() {
    let torchtune = "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\ntokenizer:\n  max_seq_len: null\nbatch_size: 2\n";
    let assumed = |job: &Job| {
        let assumed = job.read.assumed.iter();
        let own = assumed.clone().find(|own| own.key == "seq_len");
        own.map(|own| (own.value.clone(), own.source))
    };
    let job = job_of(&[("8B.yaml", torchtune)], &[]);
    assert_eq!(assumed(&job), Some((json!(2048), configs::UNSAID)));
    assert_eq!(job.scenario.seq_len, 2048);
    // GPT-2 has 1,024 positions.
    let job = job_of(
        &[("run.sh", "python my_train.py")],
        &[("model", json!("gpt2"))],
    );
    assert_eq!(assumed(&job), Some((json!(1024), configs::UNSAID)));
    let job = job_of(&[("8B.yaml", torchtune)], &[("seq_len", json!(512))]);
    assert_eq!((assumed(&job), job.scenario.seq_len), (None, 512));
}

#[test]
fn the_number_of_gpus_is_kept_however_a_job_is_started() {
    let torchtitan = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\nseq_len = 2048\n[parallelism]\ndata_parallel_shard_degree = -1\ncontext_parallel_degree = 2\n";
    let torchtune = "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\ntokenizer:\n  max_seq_len: 512\nbatch_size: 2\n";
    let factory = "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\nfinetuning_type: full\ncutoff_len: 512\ntemplate: llama3\n";
    let none: &[(&str, Value)] = &[];
    for (config, start, set, kind) in [
        (
            torchtitan,
            "NGPU=4 CONFIG_FILE=job.toml ./run_train.sh",
            none,
            "fsdp2",
        ),
        (
            torchtitan,
            "",
            &[("hardware.gpus_per_node", json!(4))][..],
            "fsdp2",
        ),
        (
            torchtune,
            "tune run --nproc_per_node 4 full_finetune_distributed --config job.yaml",
            none,
            "fsdp2",
        ),
        (
            torchtune,
            "tune run --nnodes 1 --nproc_per_node 4 full_finetune_distributed --config job.yaml",
            none,
            "fsdp2",
        ),
        (
            factory,
            "NPROC_PER_NODE=4 FORCE_TORCHRUN=1 llamafactory-cli train job.yaml",
            none,
            "ddp",
        ),
        (
            factory,
            "CUDA_VISIBLE_DEVICES=0,1,2,3 llamafactory-cli train job.yaml",
            none,
            "ddp",
        ),
        (
            factory,
            "",
            &[("hardware.gpus_per_node", json!(4))][..],
            "ddp",
        ),
    ] {
        let mut files = vec![("job.toml", config)];
        if !start.is_empty() {
            files.push(("run.sh", start));
        }
        let job = job_of(&files, set);
        let own = values(&job.scenario);
        assert_eq!(own["hardware"]["gpus_per_node"], 4, "{start}");
        assert_eq!(own["parallelism"]["dp"]["kind"], kind, "{start} {set:?}");
    }
}

#[test]
fn what_a_framework_runs_and_nothing_here_models_is_left_out_and_said() {
    let base =
        "base_model: openai/gpt-oss-20b\nsequence_len: 1024\nmicro_batch_size: 1\nbf16: true\n";
    let ours = format!(
        "{base}attn_implementation: eager\noptimizer: adamw_torch_8bit\ndeepspeed: zero.json\n"
    );
    let zero = "{\"zero_optimization\": {\"stage\": 3}, \"bf16\": {\"enabled\": true}}";
    let files = [("job.yaml", ours.as_str()), ("zero.json", zero)];
    let job = job_of(&files, &[("hardware.gpus_per_node", json!(8))]);
    let mut left = job.said.iter().filter_map(|said| match said {
        Said::Left(key, _) => Some(*key),
        _ => None,
    });
    assert!(left.any(|own| own == "optimizer.name"), "{:?}", job.said);
    assert!(estimate(&job.scenario).is_ok());
}

/// transformers 5.23 takes a kernel of the Hub in its place.
#[test]
fn flash_attention_is_kept_where_the_model_has_attention_sinks() {
    let job =
        "base_model: openai/gpt-oss-20b\nsequence_len: 4096\nmicro_batch_size: 1\nbf16: true\n";
    let needed = |attention: &str| {
        let text = format!("{job}attn_implementation: {attention}\n");
        let job = job_of(&[("job.yaml", &text)], &[]);
        assert_eq!(values(&job.scenario)["attention"], attention);
        let report = estimate(&job.scenario).expect("an answer").report;
        report.device.steady_step.peak.peak_tensor
    };
    assert!(needed("flash_attention_2") < needed("eager"));
}

const QLORA: &str = "adapter: qlora\nload_in_4bit: true\nlora_r: 8\nlora_dropout: 0.05\nlora_target_linear: true\nsequence_len: 512\nmicro_batch_size: 1\nbf16: true\noptimizer: adamw_torch_fused\n";

#[test]
fn axolotl_adapts_linear_layers_and_not_the_parameters_of_experts() {
    let targets = |model: &str| {
        let job = job_of(
            &[("job.yaml", &format!("base_model: {model}\n{QLORA}"))],
            &[],
        );
        assert!(estimate(&job.scenario).is_ok(), "{model}: {:?}", job.said);
        job.scenario.lora.expect("adapters").target_modules
    };
    let attention = ["k_proj", "o_proj", "q_proj", "v_proj"];
    assert_eq!(targets("mistralai/Mixtral-8x7B-v0.1"), attention);
    assert_eq!(targets("mistral-community/Mixtral-8x22B-v0.1"), attention);
    assert_eq!(targets("meta-llama/Llama-3.2-1B"), ["all-linear"]);
}

const FACTORY: &str =
    "stage: sft\ntemplate: llama3\ncutoff_len: 512\nper_device_train_batch_size: 1\nbf16: true\n";

/// Whether it is said that the framework's own trainer differs in this way.
fn said(job: &Job, how: Differs) -> bool {
    let mut notes = job.read.notes.iter();
    notes.any(|note| matches!(note, Note::Differs { how: own, .. } if *own == how))
}

fn factory(rest: &str) -> Job {
    job_of(&[("job.yaml", &format!("{FACTORY}{rest}"))], &[])
}

#[test]
fn layers_that_are_trained_alone_are_the_last_the_first_or_spread() {
    let trained = |model: &str, rest: &str| {
        let job = factory(&format!(
            "model_name_or_path: {model}\nfinetuning_type: freeze\n{rest}"
        ));
        let frozen = job.scenario.frozen.clone();
        assert!(estimate(&job.scenario).is_ok(), "{:?}", job.said);
        assert!(said(&job, Differs::FrozenHalf));
        assert!(frozen.contains(&"model.norm.weight".to_owned()));
        let layers = values(&job.scenario);
        assert_eq!(layers["lora"], Value::Null);
        let is_free = |layer: &u64| !frozen.contains(&format!("model.layers.{layer}."));
        (0..40).filter(is_free).collect::<Vec<_>>()
    };
    let tiny = "meta-llama/Llama-3.2-1B";
    let beyond: Vec<u64> = (16..40).collect();
    let of = |own: &[u64]| [own, beyond.as_slice()].concat();
    assert_eq!(trained(tiny, ""), of(&[14, 15]));
    assert_eq!(trained(tiny, "freeze_trainable_layers: -1\n"), of(&[0]));
    let pro = "freeze_trainable_layers: 8\nuse_llama_pro: true\n";
    assert_eq!(
        trained("models/llama3-8b-pro", pro),
        [4, 9, 14, 19, 24, 29, 34, 39]
    );
}

#[test]
fn single_modules_of_layers_that_are_trained_are_told_as_not_followed() {
    let job = factory(
        "model_name_or_path: meta-llama/Llama-3.2-1B\nfinetuning_type: freeze\nfreeze_trainable_modules: mlp\n",
    );
    assert!(job.scenario.frozen.is_empty());
    let told = job.read.ignored.iter();
    let told: Vec<_> = told
        .filter(|own| matches!(own.matters, configs::Matters::Yes(_)))
        .map(|own| own.key.as_str())
        .collect();
    assert_eq!(told, ["freeze_trainable_modules"]);
}

#[test]
fn what_llama_factory_trains_in_its_own_way_is_approximated_and_said() {
    let oft = factory(
        "model_name_or_path: meta-llama/Meta-Llama-3-8B\nfinetuning_type: oft\noft_block_size: 32\noft_target: all\nquantization_bit: 4\nquantization_method: bnb\n",
    );
    assert!(said(&oft, Differs::Rotations));
    assert_eq!(oft.scenario.lora.as_ref().map(|lora| lora.r), Some(8));
    let kto = job_of(
        &[(
            "job.yaml",
            "model_name_or_path: meta-llama/Llama-3.2-1B\nstage: kto\nfinetuning_type: lora\ntemplate: llama3\ncutoff_len: 512\nper_device_train_batch_size: 1\nbf16: true\n",
        )],
        &[],
    );
    // Answers to other prompts come with the data, so that one sample is enough.
    assert_eq!(kto.scenario.micro_batch_size, 1);
    for job in [oft, kto] {
        assert!(estimate(&job.scenario).is_ok(), "{:?}", job.said);
    }
}

#[test]
fn pairs_with_images_are_samples_of_usual_training_where_adapters_are_the_only_difference() {
    let dpo = |kind: &str| {
        let text = format!(
            "model_name_or_path: Qwen/Qwen3-VL-2B-Instruct\nstage: dpo\nfinetuning_type: {kind}\ntemplate: qwen3_vl\ncutoff_len: 1024\nper_device_train_batch_size: 2\nbf16: true\n"
        );
        job_of(&[("job.yaml", &text)], &[])
    };
    let adapters = dpo("lora");
    assert_eq!(adapters.scenario.micro_batch_size, 4);
    assert!(!adapters.scenario.objective.is_on());
    assert!(estimate(&adapters.scenario).is_ok());
    let whole = dpo("full");
    assert_eq!(whole.scenario.micro_batch_size, 2);
    assert!(estimate(&whole.scenario).is_err());
}

#[test]
fn ranks_that_would_divide_modules_which_is_not_estimated_shard_instead() {
    let torchtune = "model:\n  _component_: torchtune.models.llama4.llama4_scout_17b_16e\ntensor_parallel_dim: 2\ndata_parallel_shard_dim: -1\ntokenizer:\n  max_seq_len: 512\nbatch_size: 1\noptimizer:\n  _component_: torch.optim.AdamW\ndtype: bf16\n";
    let job = job_of(
        &[("job.yaml", torchtune)],
        &[("hardware.gpus_per_node", json!(8))],
    );
    let parallelism = job.scenario.parallelism;
    assert_eq!(parallelism.tp.size, 1);
    assert_eq!(parallelism.dp.shard_size.unwrap_or(8), 8);
    assert!(estimate(&job.scenario).is_ok(), "{:?}", job.said);
}

#[test]
fn gradients_are_clipped_beside_the_plan_of_transformers() {
    let text = "base_model: meta-llama/Llama-3.1-8B\ndp_shard_size: 4\ntensor_parallel_size: 2\nfsdp_version: 2\nfsdp_config:\n  reshard_after_forward: true\nsequence_len: 512\nmicro_batch_size: 1\nbf16: true\noptimizer: adamw_torch_fused\n";
    let job = job_of(&[("job.yaml", text)], &[]);
    assert!(job.scenario.clip_grad_norm);
    assert_eq!(job.scenario.parallelism.tp.size, 2);
    let how = Differs::Stops;
    let framework = "accelerate";
    assert!(job.read.notes.contains(&Note::Differs { framework, how }));
    assert!(estimate(&job.scenario).is_ok(), "{:?}", job.said);
}

#[test]
fn a_model_of_torchtune_can_be_its_sizes() {
    let text = "model:\n  _component_: torchtune.models.llama2.llama2\n  vocab_size: 32000\n  num_layers: 22\n  num_heads: 32\n  num_kv_heads: 4\n  embed_dim: 2048\n  max_seq_len: 2048\ntokenizer:\n  max_seq_len: 512\nbatch_size: 1\noptimizer:\n  _component_: torch.optim.AdamW\ndtype: bf16\n";
    let job = job_of(&[("job.yaml", text)], &[]);
    let report = estimate(&job.scenario).expect("a report");
    // TinyLlama 1.1B.
    assert_eq!(report.report.model.num_parameters, 1_100_048_384);
    assert!(job.read.ignored.iter().all(|own| !own.key.contains("num_")));
}

#[test]
fn clipping_beside_the_plan_of_transformers_has_the_peaks_that_were_measured() {
    // torch 2.15, transformers 5.23, `Accelerator._clip_grad_norm_dtensor_aware` of accelerate 1.15, rank 0 of 8.
    let scenario = json!({"model": "llama-3.1-8b", "micro_batch_size": 1, "seq_len": 512, "precision": "bf16",
        "optimizer": {"impl": "fused"}, "clip_grad_norm": true, "parallelism": {
            "dp": {"kind": "fsdp2", "size": 4, "plan": "transformers"},
            "tp": {"size": 2, "plan": "transformers"}}});
    let (scenario, _) = highwater::codec::decode_json(&scenario.to_string());
    let estimate = estimate(&scenario).expect("a report");
    let device = &estimate.report.device;
    let peaks: Vec<u64> = device
        .steady_step
        .phases
        .iter()
        .map(|phase| phase.peak_tensor.get())
        .collect();
    assert_eq!(peaks[..3], [9_929_711_616, 10_218_819_072, 8_030_864_896]);
}

#[test]
fn models_that_zero_3_divides_are_built_whole_where_a_file_says_so() {
    let trainer =
        "model_name_or_path: Qwen/Qwen2.5-7B\nper_device_train_batch_size: 1\nblock_size: 512\n";
    let loading = |flag: &str| {
        let accelerate = format!(
            "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 3\n{flag}"
        );
        let job = job_of(
            &[("sft.yaml", trainer), ("accelerate.yaml", &accelerate)],
            &[],
        );
        assert!(estimate(&job.scenario).is_ok(), "{:?}", job.said);
        values(&job.scenario)["around"]["loading"].clone()
    };
    assert_eq!(loading(""), "zero_init");
    assert_eq!(loading("  zero3_init_flag: true\n"), "zero_init");
    assert_eq!(loading("  zero3_init_flag: false\n"), "cpu");
}

#[test]
fn what_is_approximated_says_what_was_asked_what_is_used_and_which_way_it_errs() {
    let axolotl = "base_model: NousResearch/Meta-Llama-3-8B\nadapter: lora\nlora_r: 8\nlora_target_linear: true\n\
        sequence_len: 2048\nsample_packing: true\nmicro_batch_size: 1\nbf16: true\nflash_attention: true\nlora_qkv_kernel: false\n";
    let of = |more: &str| job_of(&[("qlora.yaml", &format!("{axolotl}{more}"))], &[]).approximated;

    assert_eq!(of(""), [], "everything is modelled");
    assert_eq!(Certainty::of(&of("")), Certainty::Measured);

    let divided = of("tensor_parallel_size: 2\n");
    assert_eq!(divided.len(), 1);
    assert_eq!(divided[0].key, "packing.kind");
    assert_eq!(divided[0].asked, json!("position_ids"));
    assert_eq!(divided[0].used, json!("none"));
    assert_eq!(divided[0].effect, Effect::Either);
    assert_eq!(Certainty::of(&divided), Certainty::Approximated);

    let eight_bits = of("fp8: true\n");
    assert_eq!(eight_bits.len(), 1);
    assert_eq!(eight_bits[0].asked, json!(true));
    assert_eq!(eight_bits[0].effect, Effect::Either);
}

#[test]
fn packed_rows_are_evaluated_as_they_are_trained() {
    let axolotl = "base_model: NousResearch/Meta-Llama-3-8B\nadapter: lora\nlora_r: 8\nlora_target_linear: true\n\
        sequence_len: 2048\nsample_packing: true\nmicro_batch_size: 2\nbf16: true\nflash_attention: true\nval_set_size: 0.05\n";
    let rows = |more: &str| {
        let job = job_of(&[("qlora.yaml", &format!("{axolotl}{more}"))], &[]);
        let rows = job.scenario.evaluation.micro_batch_size;
        let keys: Vec<String> = job.approximated.into_iter().map(|own| own.key).collect();
        (job.scenario.seq_len, rows, keys)
    };
    assert_eq!(rows(""), (4096, Some(1), Vec::new()));
    assert_eq!(rows("eval_batch_size: 6\n"), (4096, Some(3), Vec::new()));
    let apart = rows("eval_sample_packing: false\n");
    assert_eq!(apart.2, ["eval_sample_packing"]);
}

#[test]
fn a_job_that_is_approximated_by_more_than_it_takes_has_a_bound() {
    let axolotl = "base_model: NousResearch/Meta-Llama-3-8B\nadapter: lora\nlora_r: 8\nlora_target_linear: true\n\
        sequence_len: 2048\nmicro_batch_size: 1\nbf16: true\nlora_embedding_kernel: true\n";
    let job = job_of(&[("lora.yaml", axolotl)], &[]);
    let keys: Vec<&str> = job
        .approximated
        .iter()
        .map(|own| own.key.as_str())
        .collect();
    assert_eq!(keys, ["lora_embedding_kernel"]);
    assert_eq!(Certainty::of(&job.approximated), Certainty::Bounded);
}

#[test]
fn a_job_that_shards_has_two_gpus_where_none_says_how_many() {
    let axolotl = "base_model: gpt2\nsequence_len: 512\nmicro_batch_size: 1\nbf16: true\nfsdp_config:\n  fsdp_version: 2\n  auto_wrap_policy: TRANSFORMER_BASED_WRAP\n";
    let zero = |more: &str| format!("{{\"zero_optimization\": {{\"stage\": 2{more}}}}}");
    let model = ("model", json!("gpt2"));
    let gpus = |job: &Job| job.scenario.hardware.gpus_per_node;
    let job = job_of(&[("job.yaml", axolotl)], &[]);
    assert_eq!(gpus(&job), 2);
    assert!(job.read.notes.contains(&Note::LeastGpus { gpus: 2 }));
    let set = ("hardware.gpus_per_node", json!(8));
    assert_eq!(gpus(&job_of(&[("job.yaml", axolotl)], &[set])), 8);
    let divided = zero("");
    assert_eq!(
        gpus(&job_of(
            &[("ds.json", &divided)],
            std::slice::from_ref(&model)
        )),
        2
    );
    // One GPU alone is reason enough to keep states on the host.
    let offloaded = zero(", \"offload_optimizer\": {\"device\": \"cpu\"}");
    let job = job_of(&[("ds.json", &offloaded)], &[model]);
    assert_eq!(gpus(&job), 1);
    assert!(job.read.notes.contains(&Note::NoGpus));
}

#[test]
fn a_named_gpu_brings_the_ram_of_the_machine_that_it_is_rented_in() {
    let text = "base_model: gpt2\nsequence_len: 512\nmicro_batch_size: 1\n";
    let ram = |set: &[(&str, Value)]| {
        let job = job_of(&[("job.yaml", text)], set);
        let assumed = job.read.assumed.iter();
        let is_assumed = assumed.clone().any(|own| own.key == "hardware.host_ram");
        (job.scenario.hardware.host_ram >> 30, is_assumed)
    };
    let gpu = |id: &str| ("hardware.gpu", json!(id));
    let gpus = ("hardware.gpus_per_node", json!(8));
    assert_eq!(ram(&[gpu("h100-80gb"), gpus.clone()]), (2048, true));
    assert_eq!(ram(&[gpu("A100-SXM4-80GB")]), (144, true));
    assert_eq!(ram(&[gpu("rtx-4090")]), (128, false));
    assert_eq!(ram(&[]), (128, false));
    let said = ("hardware.host_ram", json!(64_u64 << 30));
    assert_eq!(ram(&[gpu("h100-80gb"), gpus, said]), (64, false));
}

#[test]
fn axolotl_trains_the_parameters_that_it_unfreezes_alone() {
    let job = |more: &str| {
        let text = format!(
            "base_model: Qwen/Qwen2.5-0.5B\nsequence_len: 512\nmicro_batch_size: 1\nbf16: true\nflash_attention: true\n{more}"
        );
        job_of(&[("job.yaml", &text)], &[])
    };
    let trained = |job: &Job| {
        let estimate = estimate(&job.scenario).expect("an estimate");
        (
            estimate.report.model.num_trainable,
            job.approximated.is_empty(),
        )
    };
    // 13,126,016 is the sum of the parameters of a layer but its two norms of 896 (`Qwen2DecoderLayer`,
    // transformers 5.23: q 802,816 + 896, k and v 114,688 + 128 each, o 802,816, three of 4,358,144).
    let layer = 802_816 + 896 + 2 * (114_688 + 128) + 802_816 + 3 * 4_358_144;
    let last = "unfrozen_parameters:\n  - model.layers.2[23].(self_attn|mlp)\n";
    assert_eq!(trained(&job(last)), (2 * layer, true));
    let rows = "unfrozen_parameters:\n  - ^model.norm.weight$\n  - ^model.layers.0.mlp.up_proj.weight$[:64]\n";
    assert_eq!(trained(&job(rows)), (896 + 4_358_144, true));
    // The language model of one that reads images is estimated by itself.
    let within = "unfrozen_parameters:\n  - model.language_model.layers.23.mlp\n";
    assert_eq!(trained(&job(within)), (3 * 4_358_144, true));
    let all = trained(&job(""));
    let nothing = "unfrozen_parameters:\n  - transformer.blocks.[0-7].\n";
    assert_eq!(trained(&job(nothing)), (all.0, false));
}

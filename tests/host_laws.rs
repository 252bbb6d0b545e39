//! Laws of the host model, over many jobs drawn from a fixed sequence.

use highwater::ask::{
    ArrowPool, Checkpoint, DataLoader, Dataset, DatasetMode, Libraries, MultiprocessingContext,
    Scenario, TokenizerKind,
};
use highwater::host::{
    FACTS, HostDriver, HostEstimate, HostEvaluation, HostJob, HostPart, HostPhase,
    KNOWN_LIMITATIONS, Offloaded, estimate_job,
};
use highwater::report::estimate;
use highwater::units::Bytes;

/// A fixed sequence of numbers that look random (xorshift64).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::try_from(self.below(choices.len() as u64)).expect("a small index")]
    }

    fn yes(&mut self) -> bool {
        self.below(2) == 1
    }

    fn job(&mut self) -> HostJob {
        let ranks = 1 + self.below(8);
        HostJob {
            ranks,
            jobs: 1,
            world_size: ranks,
            launcher: ranks > 1,
            libraries: self.one_of(Libraries::ALL),
            optimizer: self.yes(),
            cuda: self.yes(),
            tokenizer: self.one_of(TokenizerKind::ALL),
            vocab_size: self.below(300_000),
            dataset: Dataset {
                mode: self.one_of(DatasetMode::ALL),
                raw_bytes: self.below(20 << 30),
                rows: 1 + self.below(10_000_000),
                columns: 1 + self.below(8),
                file_bytes: None,
                row_group_bytes: None,
                epochs: self.below(10),
                arrow_pool: self.one_of(ArrowPool::ALL),
                length_mean: None,
                lengths: None,
            },
            loader: DataLoader {
                num_workers: self.below(16),
                prefetch_factor: 1 + self.below(8),
                pin_memory: self.yes(),
                persistent_workers: self.yes(),
                shuffle: self.yes(),
                group_by_length: false,
                multiprocessing_context: self.one_of(MultiprocessingContext::ALL),
            },
            batch: (0..3).map(|_| Bytes(self.below(1 << 24))).collect(),
            checkpoint: self.one_of(Checkpoint::ALL),
            first_reads: self.yes(),
            parameter_bytes: Bytes(self.below(8 << 30)),
            cast_from: Bytes(self.below(16 << 30)),
            cast_tensor: Bytes(self.below(1 << 30)),
            checkpoint_bytes: Bytes(self.below(8 << 30)),
            saved_parameter_bytes: Bytes(self.below(8 << 30)),
            saved_optimizer_bytes: Bytes(self.below(16 << 30)),
            largest_tensor_bytes: Bytes(self.below(1 << 30)),
            offloaded: Offloaded {
                pinned: Bytes(self.below(16 << 30)),
                pageable: Bytes(self.below(16 << 30)),
                states: Bytes(self.below(16 << 30)),
                step: Bytes(self.below(1 << 30)),
            },
            training: Bytes(self.below(16 << 30)),
            gathered: self.yes().then_some(Bytes(self.below(16 << 30))),
            evaluation: self.yes().then(|| HostEvaluation {
                batch: vec![Bytes(self.below(1 << 24))],
                predictions: Bytes(self.below(8 << 30)),
            }),
            max_shard: Bytes(5_000_000_000),
            other_memory: Bytes(self.below(1 << 30)),
        }
    }
}

fn jobs() -> impl Iterator<Item = HostJob> {
    let mut draw = Draw(0x9E37_79B9_7F4A_7C15);
    (0..500).map(move |_| draw.job())
}

fn needs(job: &HostJob) -> Vec<Bytes> {
    let phases = estimate_job(job).phases;
    phases.iter().map(|phase| phase.total).collect()
}

/// Asserts that no phase of any job needs less after `change`.
fn never_needs_less(what: &str, change: impl Fn(&mut HostJob)) {
    for job in jobs() {
        let mut more = job.clone();
        change(&mut more);
        for (before, after) in needs(&job).into_iter().zip(needs(&more)) {
            assert!(
                before <= after,
                "{what}: {before:?} to {after:?} for {job:?}"
            );
        }
    }
}

#[test]
fn parts_add_up_to_the_total_of_their_phase() {
    for job in jobs() {
        for phase in estimate_job(&job).phases {
            let sum: Bytes = phase.composition.iter().map(|(_, bytes)| *bytes).sum();
            assert_eq!(sum, phase.total, "{job:?}");
        }
    }
}

#[test]
fn the_peak_is_the_largest_of_the_phases() {
    for job in jobs() {
        let HostEstimate { peak, phases, .. } = estimate_job(&job);
        let evaluates = usize::from(job.evaluation.is_some());
        assert_eq!(phases.len() + 1, HostPhase::ALL.len() + evaluates);
        assert!(phases.contains(&peak));
        assert!(phases.iter().all(|phase| phase.total <= peak.total));
    }
}

#[test]
fn ranks_and_what_they_share_add_up_to_the_node() {
    for job in jobs() {
        let estimate = estimate_job(&job);
        let ranks: Bytes = estimate.per_rank.iter().copied().sum();
        let part = |part| {
            let parts = &estimate.peak.composition;
            let found = parts.iter().find(|(p, _)| *p == part);
            found.map_or(Bytes::ZERO, |(_, bytes)| *bytes)
        };
        let apart = part(HostPart::SharedLibraries) + part(HostPart::OtherProcesses);
        let rest = estimate.peak.total - ranks - apart;
        // The launcher's page tables are the node's, too.
        assert!(rest <= Bytes::mib(2), "{rest:?} for {job:?}");
    }
}

#[test]
fn more_workers_never_need_less() {
    // Each worker sees fewer samples and copies less, but together they copy at least as much.
    never_needs_less("workers", |job| {
        if job.loader.num_workers == 0 {
            // From 0 to 1 what fetching keeps moves from one process to the other.
            return;
        }
        job.loader.num_workers += 1;
    });
}

#[test]
fn a_larger_batch_never_needs_less() {
    never_needs_less("batch", |job| {
        for tensor in &mut job.batch {
            *tensor = *tensor + *tensor + Bytes(1);
        }
    });
}

#[test]
fn more_rows_of_the_same_length_never_need_less() {
    never_needs_less("rows", |job| {
        job.dataset.raw_bytes *= 2;
        job.dataset.rows *= 2;
    });
}

#[test]
fn more_ranks_never_need_less() {
    never_needs_less("ranks", |job| {
        job.ranks += 1;
        job.world_size += 1;
        job.launcher = true;
    });
}

#[test]
fn more_epochs_never_need_less() {
    never_needs_less("epochs", |job| job.dataset.epochs += 1);
}

#[test]
fn a_larger_model_never_needs_less() {
    never_needs_less("model", |job| {
        job.parameter_bytes += Bytes::gib(1);
        job.saved_parameter_bytes += Bytes::gib(1);
    });
}

#[test]
fn each_worker_has_page_tables_of_its_own_for_a_mapped_file() {
    let mut job = jobs().next().expect("a job");
    job.ranks = 1;
    job.world_size = 1;
    job.dataset.mode = DatasetMode::MemoryMapped;
    job.dataset.raw_bytes = 512 << 30;
    job.dataset.epochs = 1;
    job.loader.num_workers = 8;
    let eight = needs(&job)[HostPhase::Steady as usize];
    job.loader.num_workers = 0;
    let none = needs(&job)[HostPhase::Steady as usize];
    assert!(eight - none > Bytes::gib(7), "{:?}", eight - none);
}

#[test]
fn nothing_at_all_needs_nothing_but_what_else_runs() {
    let mut job = jobs().next().expect("a job");
    job.ranks = 0;
    job.launcher = false;
    job.other_memory = Bytes::mib(7);
    let estimate = estimate_job(&job);
    assert_eq!(estimate.peak.total, Bytes::mib(7));
    assert!(estimate.per_rank.is_empty());
}

#[test]
fn zero_and_huge_values_give_an_answer() {
    for value in [0, 1, u64::MAX] {
        for mut job in jobs().take(50) {
            job.ranks = value;
            job.jobs = value;
            job.world_size = value;
            job.vocab_size = value;
            job.dataset.raw_bytes = value;
            job.dataset.rows = value;
            job.dataset.columns = value;
            job.dataset.epochs = value;
            job.loader.num_workers = value;
            job.loader.prefetch_factor = value;
            job.batch = vec![Bytes(value); 3];
            job.parameter_bytes = Bytes(value);
            job.saved_parameter_bytes = Bytes(value);
            job.saved_optimizer_bytes = Bytes(value);
            let estimate = estimate_job(&job);
            assert!(estimate.peak.total <= Bytes(u64::MAX));
            assert!(estimate.per_rank.len() <= 1_024);
        }
    }
}

#[test]
fn without_pinning_or_workers_the_batch_size_is_all_but_invisible() {
    for mut job in jobs() {
        job.loader.num_workers = 0;
        job.loader.pin_memory = false;
        let before = estimate_job(&job).peak.total;
        job.batch
            .iter_mut()
            .for_each(|tensor| *tensor += Bytes(1 << 20));
        let after = estimate_job(&job).peak.total;
        assert!(after - before <= Bytes(job.ranks * 6 * (1 << 20)));
    }
}

#[test]
fn every_known_limitation_is_a_sentence_in_both_languages() {
    for limitation in KNOWN_LIMITATIONS {
        assert!(limitation.english.ends_with('.'), "{limitation:?}");
        assert!(limitation.chinese.ends_with('。'), "{limitation:?}");
    }
}

#[test]
fn every_fact_has_a_meaning_and_a_source_and_a_name_of_its_own() {
    for (index, fact) in FACTS.iter().enumerate() {
        assert!(
            fact.meaning.ends_with('.') && !fact.source.is_empty(),
            "{fact:?}"
        );
        assert!(FACTS[..index].iter().all(|other| other.name != fact.name));
    }
}

#[test]
fn ranks_and_what_a_node_has_once_add_up_to_the_node() {
    for job in jobs() {
        let node = estimate_job(&job);
        let sum = |parts: &[(HostPart, Bytes)]| parts.iter().map(|(_, b)| *b).sum::<Bytes>();
        let (savers, saving) = node.saving;
        let ranks = job.ranks * sum(&node.rank).get() + savers * saving.get();
        assert_eq!(Bytes(ranks) + sum(&node.shared), node.peak.total, "{job:?}");
    }
}

#[test]
fn what_grows_with_batch_workers_and_ranks_is_what_a_larger_job_needs_more() {
    for job in jobs() {
        let node = estimate_job(&job);
        let needs = |job: &HostJob| {
            let phases = estimate_job(job).phases;
            let same = phases.iter().find(|phase| phase.phase == node.peak.phase);
            same.expect("the phase").total
        };
        let mut more = job.clone();
        more.ranks += 1;
        let of = |driver| node.growth.iter().find(|growth| growth.driver == driver);
        let ranks = of(HostDriver::Ranks).expect("every driver is told");
        assert_eq!(node.peak.total + ranks.total, needs(&more), "{job:?}");
        let sum: Bytes = ranks.parts.iter().map(|(_, bytes)| *bytes).sum();
        assert_eq!(sum, ranks.total, "{job:?}");
        assert!(of(HostDriver::NumWorkers).is_some() && of(HostDriver::MicroBatchSize).is_some());
    }
}

/// Host RAM of a node while an 8B model in float32 comes to 8 ranks.
fn loading(dp: &serde_json::Value) -> Bytes {
    let asked = serde_json::json!({
        "model": "llama-3.1-8b", "precision": "amp_bf16",
        "hardware": {"gpus_per_node": 8}, "parallelism": {"dp": dp},
    });
    let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
    let host = estimate(&scenario).expect("an answer").report.host;
    host.phases[0].total
}

#[test]
fn the_first_of_a_node_s_ranks_reads_for_all_where_fsdp_sends_the_weights() {
    let parameters = 8_030_261_248 * 4;
    for kind in ["fsdp1", "fsdp2"] {
        let all = loading(&serde_json::json!({"kind": kind}));
        let first = loading(&serde_json::json!({"kind": kind, "cpu_ram_efficient_loading": true}));
        let saved = (all - first).get();
        let others = 7 * parameters;
        assert!(
            (others..others + (1 << 30)).contains(&saved),
            "{kind}: {saved}"
        );
    }
}

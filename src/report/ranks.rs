//! The ranks of a job: those that differ, and the one that takes most.

use super::{Communication, Compute, DeviceSummary, RankReport, summarize};
use crate::ask::{ContextParallelKind, Place, Scenario};
use crate::model::ResolvedSpec;
use crate::sim::{Trace, simulate};
use crate::units::Bytes;
use std::cmp::Reverse;

/// The run of one rank.
pub(super) struct RankRun {
    /// What it is asked to do.
    pub(super) spec: ResolvedSpec,
    /// What it does.
    pub(super) trace: Trace,
    /// What that takes; nothing for a trace without phases.
    pub(super) summary: Option<DeviceSummary>,
}

impl RankRun {
    pub(super) fn of(spec: ResolvedSpec) -> Self {
        let trace = simulate(&spec);
        let summary = summarize(&spec, &trace);
        Self {
            spec,
            trace,
            summary,
        }
    }

    fn total(&self) -> Option<Bytes> {
        self.summary.as_ref().map(|summary| summary.report.total)
    }

    /// The run of the rank of a pipeline that takes most of its device, the first of equal ones, where the
    /// scenario names none.
    pub(super) fn of_binding_rank(spec: ResolvedSpec) -> Self {
        Self::of_binding_rank_and_last(spec).0
    }

    /// The same with what the last of the ranks that were compared computes and sends.
    pub(super) fn of_binding_rank_and_last(
        spec: ResolvedSpec,
    ) -> (Self, Option<(Compute, Communication)>) {
        if is_named(&spec) {
            return (Self::of(spec), None);
        }
        let at = |rank| Self::of(at_stage(spec.clone(), rank));
        let (mut most, mut last) = (at(0), None);
        for rank in 1..spec.mesh.pp {
            let run = at(rank);
            let device = run.summary.as_ref().map(|summary| &summary.report);
            last = device.map(|device| (device.compute, device.communication));
            if run.total() > most.total() {
                most = run;
            }
        }
        (most, last)
    }
}

/// What the rank is asked to do that takes most of its device, where the scenario names none.
pub(super) fn of_binding_rank(spec: ResolvedSpec) -> ResolvedSpec {
    if is_named(&spec) {
        return spec;
    }
    RankRun::of_binding_rank(spec).spec
}

/// Whether it is known which rank is looked at.
fn is_named(spec: &ResolvedSpec) -> bool {
    spec.mesh.pp < 2 || spec.parallelism.pp.rank.is_some()
}

fn at_stage(mut spec: ResolvedSpec, rank: u64) -> ResolvedSpec {
    if spec.mesh.pp > 1 {
        spec.mesh.rank.pp = rank;
        spec.parallelism.pp.rank = Some(rank);
    }
    spec
}

impl RankReport {
    /// The rank that a run is of.
    fn of(spec: &ResolvedSpec, summary: &DeviceSummary) -> Self {
        let (mesh, device) = (&spec.mesh, &summary.report);
        let place = mesh.rank;
        Self {
            rank: ((place.pp * mesh.dp + place.dp) * mesh.cp + place.cp) * mesh.tp,
            place,
            count: 1,
            peak: *device.binding(),
            total: device.total,
            processes: None,
            usable: device.usable,
            fits: device.total <= device.usable,
        }
    }
}

/// The ranks of a job, simulated one kind after the other so that a page can spread them over frames: call
/// [`Ranks::advance`] until it says that nothing is left.
///
/// Ranks of tensor and of expert parallelism are taken to be alike, as they are where sizes divide and tokens
/// are routed evenly.
#[derive(Clone, Debug)]
pub struct Ranks {
    spec: ResolvedSpec,
    /// What comes next; nothing when all were looked at.
    next: Option<Next>,
    found: Vec<RankReport>,
}

/// A rank to simulate.
#[derive(Clone, Copy, Debug)]
struct Next {
    /// Its stages.
    pp: u64,
    /// Its part of the sequence, where ranks of a ring see it differently; else 0.
    part: u64,
    /// Its place among ranks that hold different shares, with the same part of the sequence.
    share: u64,
}

/// Ranks of one stage that are simulated at most, from the first on: beyond them the shares of more ranks
/// than a job on eight nodes has differ by a few rows.
const MOST_SHARES: u64 = 64;

impl Ranks {
    /// Those of a scenario, whichever rank it names; nothing where there is one, or no answer.
    pub fn of(scenario: &Scenario) -> Option<Self> {
        let mut scenario = scenario.clone();
        let parallelism = &mut scenario.parallelism;
        (parallelism.dp.rank, parallelism.cp.rank) = (0, 0);
        parallelism.pp.rank = None;
        let spec = crate::resolve::resolve(&scenario).spec?;
        let first = Next {
            pp: 0,
            part: 0,
            share: 0,
        };
        if let Some(plan) = spec.scenario.hardware.by_gpu() {
            return Some(Self::of_plan(spec, &plan));
        }
        (spec.mesh.world() > 1).then_some(Self {
            spec,
            next: Some(first),
            found: Vec::new(),
        })
    }

    /// The GPUs of each machine with so many processes each, all the same.
    fn of_plan(spec: ResolvedSpec, plan: &[u64]) -> Self {
        let mut run = RankRun::of(spec);
        let mut found: Vec<RankReport> = Vec::new();
        let used = (0..).zip(plan).filter(|(_, processes)| **processes > 0);
        for (rank, &processes) in used {
            if let Some(like) = found.iter_mut().find(|of| of.processes == Some(processes)) {
                like.count += run.spec.scenario.hardware.nodes;
                continue;
            }
            run.spec.device.processes = processes;
            let summary = summarize(&run.spec, &run.trace);
            found.extend(summary.map(|summary| RankReport {
                rank,
                count: run.spec.scenario.hardware.nodes,
                processes: Some(processes),
                ..RankReport::of(&run.spec, &summary)
            }));
        }
        Self {
            spec: run.spec,
            next: None,
            found,
        }
    }

    /// Simulates one more rank; false when nothing is left to do.
    pub fn advance(&mut self) -> bool {
        self.next_run().is_some()
    }

    /// The same; gives its run.
    fn next_run(&mut self) -> Option<RankRun> {
        let at = self.next?;
        let mesh = self.spec.mesh;
        let rings = self.spec.parallelism.cp.kind == ContextParallelKind::Ring;
        let parts = if rings { mesh.cp } else { 1 };
        // Copies of the parameters are alike where each has whole sequences.
        let copied = mesh.shard.is_multiple_of(mesh.cp);
        let (span, copies) = if copied {
            (mesh.shard, mesh.replicate)
        } else {
            (mesh.dp * mesh.cp, 1)
        };
        let among = at.share * parts + at.part;
        let place = Place {
            dp: among / mesh.cp,
            pp: at.pp,
            cp: among % mesh.cp,
        };
        let mut spec = at_stage(self.spec.clone(), at.pp);
        spec.mesh.rank = place;
        let here = spec.mesh.place_in_shard();
        let run = RankRun::of(spec);
        let until = among + run.trace.alike_until.saturating_sub(here).max(1);
        let shares = span / parts;
        let next = (until - at.part)
            .div_ceil(parts)
            .clamp(at.share + 1, shares);
        let count = (next - at.share) * copies * mesh.tp;
        if let Some(summary) = &run.summary {
            self.add(RankReport {
                count,
                ..RankReport::of(&run.spec, summary)
            });
        }
        let left = next < shares.min(MOST_SHARES);
        self.next = if left {
            Some(Next { share: next, ..at })
        } else if at.part + 1 < parts {
            Some(Next {
                part: at.part + 1,
                share: 0,
                ..at
            })
        } else {
            let pp = at.pp + 1;
            let next = Next {
                pp,
                part: 0,
                share: 0,
            };
            (pp < mesh.pp).then_some(next)
        };
        Some(run)
    }

    fn add(&mut self, report: RankReport) {
        let numbers = |of: &RankReport| (of.place.pp, of.total, of.peak.phase, of.peak.peak_tensor);
        match self.found.last_mut() {
            Some(last) if numbers(last) == numbers(&report) => last.count += report.count,
            _ => self.found.push(report),
        }
    }

    /// What is known so far, in the order of their numbers.
    pub fn found(&self) -> &[RankReport] {
        &self.found
    }
}

/// All ranks of a scenario that differ, those that take most first; none where there is one rank, or no
/// answer.
pub fn ranks(scenario: &Scenario) -> Vec<RankReport> {
    with_binding_run(scenario).0
}

/// The same, with the run of the rank that [`RankRun::of_binding_rank`] finds, where it is among those that
/// were simulated.
pub(super) fn with_binding_run(scenario: &Scenario) -> (Vec<RankReport>, Option<RankRun>) {
    let Some(mut ranks) = Ranks::of(scenario) else {
        return (Vec::new(), None);
    };
    let asked = &scenario.parallelism;
    let names_none = (asked.dp.rank, asked.cp.rank, asked.pp.rank) == (0, 0, None);
    let mut binding: Option<RankRun> = None;
    while let Some(run) = ranks.next_run() {
        let place = run.spec.mesh.rank;
        let is_first = names_none && (place.dp, place.cp) == (0, 0);
        if is_first && (binding.as_ref()).is_none_or(|most| run.total() > most.total()) {
            binding = Some(run);
        }
    }
    ranks.found.sort_by_key(|report| Reverse(report.total));
    (ranks.found, binding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::estimate;
    use crate::tape::Category;
    use serde_json::{Value, json};

    fn scenario(model: &str, gpus: u64, parallelism: &Value) -> Scenario {
        let scenario = json!({"model": model, "precision": "bf16", "seq_len": 64, "parallelism": parallelism,
            "hardware": {"gpus_per_node": gpus}, "model_overrides": {"num_layers": 2}});
        serde_json::from_value(scenario).expect("a scenario")
    }

    #[test]
    fn each_rank_is_as_it_is_when_it_is_asked_for() {
        let options = [
            (7, json!({"dp": {"kind": "fsdp2"}})),
            (6, json!({"dp": {"kind": "fsdp2", "replicate_size": 2}})),
            (3, json!({"dp": {"kind": "fsdp1"}})),
            (3, json!({"dp": {"kind": "deepspeed_zero", "stage": 2}})),
            (
                3,
                json!({"dp": {"kind": "ddp",
                    "zero_redundancy_optimizer": {"parameters_as_bucket_view": true}}}),
            ),
        ];
        for (gpus, option) in options {
            let scenario = scenario("t5-small", gpus, &option);
            let found = ranks(&scenario);
            assert_eq!(found.iter().map(|of| of.count).sum::<u64>(), gpus);
            let totals = (0..gpus).map(|rank| {
                let mut one = scenario.clone();
                one.parallelism.dp.rank = rank;
                estimate(&one).expect("an answer").report.device.total
            });
            let mut totals: Vec<Bytes> = totals.collect();
            totals.sort_unstable_by(|a, b| b.cmp(a));
            let grouped = found
                .iter()
                .flat_map(|of| (0..of.count).map(|_| of.total))
                .collect::<Vec<_>>();
            assert_eq!(grouped, totals, "{option}");
        }
    }

    #[test]
    fn ranks_sum_to_the_whole() {
        let whole = |scenario: &Scenario| {
            let found = ranks(scenario).into_iter();
            found
                .map(|of| of.count * of.peak.composition.get(Category::Parameters).get())
                .sum::<u64>()
        };
        let alone = scenario("t5-small", 1, &json!({}));
        let alone = estimate(&alone)
            .expect("an answer")
            .report
            .model
            .num_parameters
            * 2;
        for ranks in [2, 4, 8] {
            let divided = whole(&scenario(
                "t5-small",
                ranks,
                &json!({"dp": {"kind": "fsdp2"}}),
            ));
            let rounding = 512 * 64 * ranks;
            assert!(
                (alone..alone + rounding).contains(&divided),
                "{alone} {divided}"
            );
        }
    }

    #[test]
    fn every_stage_is_a_rank_and_the_one_that_takes_most_comes_first() {
        let scenario = scenario(
            "llama-3.2-1b",
            8,
            &json!({"pp": {"size": 2}, "tp": {"size": 2}}),
        );
        let found = ranks(&scenario);
        let places = found.iter().map(|of| (of.place.pp, of.rank, of.count));
        let mut places: Vec<(u64, u64, u64)> = places.collect();
        places.sort_unstable();
        assert_eq!(places, [(0, 0, 4), (1, 4, 4)]);
        let device = estimate(&scenario).expect("an answer").report.device;
        assert_eq!(found[0].total, device.total);
        assert!(found[0].total >= found[1].total);
    }

    #[test]
    fn ranks_of_a_ring_see_different_parts_of_the_sequence() {
        let ring = scenario(
            "llama-3.2-1b",
            4,
            &json!({"cp": {"size": 4}, "dp": {"kind": "fsdp2"}}),
        );
        let found = ranks(&ring);
        assert!(found.len() > 1);
        assert_eq!(found.iter().map(|of| of.count).sum::<u64>(), 4);
    }

    #[test]
    fn gpus_with_as_many_processes_are_alike() {
        let of = |hardware: &Value| {
            let scenario = json!({"model": "qwen2.5-0.5b", "seq_len": 64, "hardware": hardware});
            serde_json::from_value::<Scenario>(scenario).expect("a scenario")
        };
        let plan = of(&json!({"gpus_per_node": 7, "processes_by_gpu": "2,2,2,2,1,1,1"}));
        let found = ranks(&plan);
        let counts = found.iter().map(|of| (of.processes, of.count, of.rank));
        assert_eq!(
            counts.collect::<Vec<_>>(),
            [(Some(2), 4, 0), (Some(1), 3, 4)]
        );
        let [alone, two] = [1, 2].map(|processes| {
            let one = of(&json!({"processes_per_gpu": processes}));
            estimate(&one).expect("an answer").report.device.total
        });
        assert_eq!([found[0].total, found[1].total], [two, alone]);
        let report = estimate(&plan).expect("an answer").report;
        assert_eq!(report.device.total, two, "the GPU with most is shown");
        let jobs = of(&json!({"gpus_per_node": 1, "processes_per_gpu": 11}));
        let jobs = estimate(&jobs).expect("an answer").report;
        assert_eq!(
            report.host.peak.total, jobs.host.peak.total,
            "eleven jobs share the host"
        );
    }

    #[test]
    fn a_gpu_without_processes_is_none_of_the_ranks() {
        let plan = json!({"model": "qwen2.5-0.5b", "seq_len": 64,
            "hardware": {"gpus_per_node": 3, "processes_by_gpu": "2,0,1"}});
        let found = ranks(&serde_json::from_value(plan).expect("a scenario"));
        let processes = found.iter().map(|of| (of.processes, of.rank, of.count));
        assert_eq!(
            processes.collect::<Vec<_>>(),
            [(Some(2), 0, 1), (Some(1), 2, 1)]
        );
    }

    #[test]
    fn one_gpu_has_no_ranks() {
        assert!(ranks(&Scenario::default()).is_empty());
    }
}

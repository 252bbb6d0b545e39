//! The ranks of a job: one report for each rank that differs, and the rank that takes most.

use super::rank_run::{RankRun, at_stage};
use super::side_by_side::each;
use super::{DeviceSummary, PhaseReport, RankReport, summarize};
use crate::ask::{ContextParallelKind, Mesh, Place, Scenario};
use crate::model::ResolvedSpec;
use crate::units::Bytes;
use std::cmp::Reverse;

/// The need of a rank.
#[derive(Clone, Copy, Debug)]
pub struct RankTakes {
    /// The phase that needs most.
    pub peak: PhaseReport,
    /// Bytes that nvidia-smi shows then.
    pub total: Bytes,
    /// Bytes of the GPU that programs can use.
    pub usable: Bytes,
    /// How many ranks, from this one on, are known to take the same: itself at least.
    pub alike: u64,
}

impl RankReport {
    /// The rank that a run is of.
    fn of(spec: &ResolvedSpec, summary: &DeviceSummary) -> Self {
        let device = &summary.report;
        let takes = RankTakes {
            peak: *device.binding(),
            total: device.total,
            usable: device.usable,
            alike: 1,
        };
        Self::at(&spec.mesh, takes)
    }

    /// The rank that is looked at.
    fn at(mesh: &Mesh, takes: RankTakes) -> Self {
        let RankTakes {
            peak,
            total,
            usable,
            ..
        } = takes;
        let place = mesh.rank;
        Self {
            rank: ((place.pp * mesh.dp + place.dp) * mesh.cp + place.cp) * mesh.tp,
            place,
            count: 1,
            peak,
            total,
            processes: None,
            usable,
            fits: total <= usable,
        }
    }
}

/// The ranks of a job, one kind after the other so that a page can spread them over time: tell what
/// [`Ranks::next_scenario`] takes until nothing is left.
///
/// Ranks of tensor and of expert parallelism are taken to be alike, as they are where sizes divide and tokens
/// are routed evenly.
#[derive(Clone, Debug)]
pub struct Ranks {
    spec: ResolvedSpec,
    /// The next rank; `None` when all were looked at.
    next: Option<Next>,
    /// The stage with which it ends.
    end: u64,
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
    /// The ranks of a scenario, whichever rank it names; `None` where there is one, or no answer.
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
            next: Some(first),
            end: spec.mesh.pp,
            spec,
            found: Vec::new(),
        })
    }

    /// The GPUs of each machine with the processes of `plan`, all the same.
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
            end: 0,
            found,
        }
    }

    /// Simulates the next rank; nothing when nothing is left to do.
    fn next_run(&mut self) -> Option<RankRun> {
        let place = self.place(self.next?);
        let mut spec = at_stage(self.spec.clone(), place.pp);
        spec.mesh.rank = place;
        let run = RankRun::of(spec);
        let report = run.summary.as_ref();
        let report = report.map(|summary| RankReport::of(&run.spec, summary));
        self.tell(report, run.alike());
        Some(run)
    }

    /// The next rank as a scenario of its own, whose figures [`Ranks::told`] takes.
    pub fn next_scenario(&self) -> Option<Scenario> {
        self.next.map(|next| self.scenario_at(next))
    }

    /// Scenarios of ranks that come later, as far as that is known: the first of each stage.
    pub fn coming(&self) -> impl Iterator<Item = Scenario> {
        let next = self.next.into_iter();
        let stages = next.flat_map(|next| next.pp + 1..self.end);
        stages.map(|pp| {
            self.scenario_at(Next {
                pp,
                part: 0,
                share: 0,
            })
        })
    }

    /// Takes in the need of the next rank; `None` where it is refused.
    pub fn told(&mut self, takes: Option<RankTakes>) {
        let Some(next) = self.next else { return };
        let mut mesh = self.spec.mesh;
        mesh.rank = self.place(next);
        let alike = takes.map_or(1, |takes| takes.alike);
        self.tell(takes.map(|takes| RankReport::at(&mesh, takes)), alike);
    }

    /// The place of a rank.
    fn place(&self, at: Next) -> Place {
        let among = at.share * self.parts() + at.part;
        Place {
            dp: among / self.spec.mesh.cp,
            pp: at.pp,
            cp: among % self.spec.mesh.cp,
        }
    }

    fn scenario_at(&self, at: Next) -> Scenario {
        let place = self.place(at);
        let mut scenario = self.spec.scenario.clone();
        let parallelism = &mut scenario.parallelism;
        (parallelism.dp.rank, parallelism.cp.rank) = (place.dp, place.cp);
        parallelism.pp.rank = (self.spec.mesh.pp > 1).then_some(place.pp);
        scenario
    }

    /// Parts of a sequence that ranks see differently.
    fn parts(&self) -> u64 {
        let rings = self.spec.parallelism.cp.kind == ContextParallelKind::Ring;
        if rings { self.spec.mesh.cp } else { 1 }
    }

    /// Notes the next rank, where it is known, and how many from it on are like it at least.
    fn tell(&mut self, report: Option<RankReport>, alike: u64) {
        let Some(at) = self.next else { return };
        let (mesh, parts) = (self.spec.mesh, self.parts());
        // Copies of the parameters are alike where each has whole sequences.
        let copied = mesh.shard.is_multiple_of(mesh.cp);
        let (span, copies) = if copied {
            (mesh.shard, mesh.replicate)
        } else {
            (mesh.dp * mesh.cp, 1)
        };
        let until = at.share * parts + alike.max(1);
        let shares = span / parts;
        let next = until.div_ceil(parts).clamp(at.share + 1, shares);
        let count = (next - at.share) * copies * mesh.tp;
        if let Some(report) = report {
            self.add(RankReport { count, ..report });
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
            (pp < self.end).then_some(next)
        };
    }

    /// The ranks of one stage.
    fn of_stage(&self, stage: u64) -> Self {
        Self {
            spec: self.spec.clone(),
            next: self.next.map(|next| Next { pp: stage, ..next }),
            end: stage + 1,
            found: Vec::new(),
        }
    }

    /// The reports of all ranks, with the run of the first.
    fn settled(mut self) -> (Vec<RankReport>, Option<RankRun>) {
        let first = self.next_run();
        while self.next_run().is_some() {}
        (self.found, first)
    }

    fn add(&mut self, report: RankReport) {
        let numbers = |of: &RankReport| (of.place.pp, of.total, of.peak.phase, of.peak.peak_tensor);
        match self.found.last_mut() {
            Some(last) if numbers(last) == numbers(&report) => last.count += report.count,
            _ => self.found.push(report),
        }
    }

    /// Ranks that are known so far, in the order of their numbers.
    pub fn found(&self) -> &[RankReport] {
        &self.found
    }
}

/// All ranks of a scenario that differ, in descending order of memory; empty where there is one rank, or no
/// answer.
pub fn ranks(scenario: &Scenario) -> Vec<RankReport> {
    with_binding_run(scenario).0
}

/// The reports of [`ranks`], with the run of the rank that [`RankRun::of_binding_rank`] finds, where that rank was
/// simulated.
pub(super) fn with_binding_run(scenario: &Scenario) -> (Vec<RankReport>, Option<RankRun>) {
    let Some(ranks) = Ranks::of(scenario) else {
        return (Vec::new(), None);
    };
    let asked = &scenario.parallelism;
    let names_none = (asked.dp.rank, asked.cp.rank, asked.pp.rank) == (0, 0, None);
    let stages: Vec<u64> = (0..ranks.end).collect();
    let stages = each(&stages, |&stage| ranks.of_stage(stage).settled());
    let (mut found, mut firsts) = (ranks.found, Vec::new());
    for (of_stage, first) in stages {
        found.extend(of_stage);
        firsts.extend(first.filter(|_| names_none));
    }
    found.sort_by_key(|report| Reverse(report.total));
    (found, firsts.into_iter().reduce(RankRun::more))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Figures, estimate};
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
            let mut one_by_one = Ranks::of(&scenario).expect("ranks");
            while let Some(rank) = one_by_one.next_scenario() {
                one_by_one.told(Some(Figures::of(&rank).expect("figures").of_rank()));
            }
            one_by_one.found.sort_by_key(|report| Reverse(report.total));
            assert_eq!(one_by_one.found, found, "{option}");
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

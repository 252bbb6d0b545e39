//! The search.

use super::candidates::{Family, families, global_batch};
use super::catalog::{Choice, Climb, at_most};
use super::front::{Front, RunPlan, idle};
use super::options::{Freedom, GpuModel, PlanOptions};
use super::rejected::{Misses, NearMiss, Rejected, Rejection, Why};
use crate::ask::{Finding, Scenario, message};
use crate::decide::question::{Answer, Estimator, Progress, Question};
use crate::report::{Figures, Memory};
use crate::sim::Phase;
use crate::units::Bytes;

/// The results of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Plans {
    /// The plans that no other dominates.
    pub plans: Vec<RunPlan>,
    /// The other candidates.
    pub rejected: Vec<Rejection>,
    /// The candidates that miss by least.
    pub misses: Vec<NearMiss>,
    /// How many candidates there are, and how many of them were estimated; what those said rules the others out.
    pub candidates: u64,
    /// How many were estimated.
    pub estimated: u64,
    /// The nearest plan without a lock, where nothing fits.
    pub nearest: Option<Nearest>,
}

impl Plans {
    /// How many candidates were looked at so far.
    pub fn looked_at(&self) -> u64 {
        let rejected: u64 = self.rejected.iter().map(|group| group.count).sum();
        rejected + self.plans.len() as u64
    }

    /// The least that a plan computes; nothing where there is none.
    pub fn least_compute(&self) -> u64 {
        let computed = self.plans.iter().map(RunPlan::computed);
        computed.min().unwrap_or(0)
    }
}

/// The plan that fits without a lock and changes least.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// The locks that are in the way.
    pub without: Vec<Freedom>,
    /// The plan.
    pub plan: RunPlan,
}

/// A candidate of the line that is looked at.
#[derive(Clone, Debug)]
struct Seen {
    sizes: Batches,
    /// Bytes of the GPU that it cannot do without: live tensors and memory outside of the allocator.
    least: Bytes,
    /// The plan, where it fits.
    plan: Option<RunPlan>,
}

/// With which tensors alone are too many.
#[derive(Clone, Copy, Debug)]
struct TooMany {
    /// The least such micro-batch.
    from: u64,
    /// When they are.
    phase: Phase,
    /// By how much.
    by: Bytes,
}

/// How a candidate cuts a batch.
#[derive(Clone, Copy, Debug)]
struct Batches {
    /// Samples of a micro-batch.
    micro_batch: u64,
    /// How many of them a step has.
    count: u64,
}

/// A search for plans.
///
/// Candidates are not estimated where others rule them out:
/// - Where live tensors alone take more than there is, larger micro-batches do not fit either, nor do layers
///   that are not checkpointed where checkpointed ones do not.
/// - Where a plan that is known costs no more than they cost at least. Of candidates that differ in the micro-batch
///   alone, when two are known: what they compute is the same, what they send is on the straight line through two of
///   them by the number of micro-batches, and so is what tensors take at least by their size, since peaks grow with
///   it ever faster.
#[derive(Clone, Debug)]
pub struct Planner {
    scenario: Scenario,
    options: PlanOptions,
    /// The GPUs to choose from, where any will do.
    choice: Option<Choice>,
    /// The candidate that looks for its GPU among them.
    climb: Option<(Seen, Climb)>,
    families: Vec<Family>,
    /// The next candidate: its family, its line and its place there.
    next: [usize; 3],
    seen: Vec<Seen>,
    too_many: Option<TooMany>,
    front: Front,
    rejected: Rejected,
    misses: Misses,
    candidates: u64,
    estimated: u64,
    /// Searches without each lock, where nothing fits.
    relaxed: Vec<(Vec<Freedom>, Self)>,
}

impl Planner {
    /// A search around a scenario, whose samples of a step stay.
    pub fn new(scenario: &Scenario, options: &PlanOptions) -> Self {
        let any = options.gpu == GpuModel::Any;
        let choice = any.then(|| Choice::of_catalog(options));
        let families = match &choice {
            Some(choice) => families(&choice.on_largest(scenario), options),
            None => families(scenario, options),
        };
        let lines = families.iter().flat_map(|family| &family.lines);
        Self {
            candidates: lines.map(|line| line.len() as u64).sum(),
            scenario: scenario.clone(),
            options: options.clone(),
            choice,
            climb: None,
            families,
            next: [0; 3],
            seen: Vec::new(),
            too_many: None,
            front: Front::default(),
            rejected: Rejected::default(),
            misses: Misses::default(),
            estimated: 0,
            relaxed: Vec::new(),
        }
    }

    /// How many candidates there are.
    pub fn candidates(&self) -> u64 {
        self.candidates
    }

    /// How many of them were estimated.
    pub fn estimated(&self) -> u64 {
        self.estimated
    }

    /// The results so far.
    pub fn found(&self) -> Plans {
        let nearest = self.relaxed.iter().filter_map(|(without, planner)| {
            let plans = planner.front.sorted().into_iter();
            let plan = plans.min_by_key(|plan| plan.changes.len())?;
            let without = without.clone();
            Some(Nearest { without, plan })
        });
        let nearest = nearest.min_by_key(|nearest| {
            let Nearest { without, plan } = nearest;
            (without.len(), plan.changes.len())
        });
        Plans {
            plans: self.front.sorted(),
            rejected: self.rejected.sorted(),
            misses: self.misses.nearest(),
            candidates: self.candidates,
            estimated: self.estimated,
            nearest,
        }
    }

    /// The candidate that comes next; the end of its line, of its family, of all of them is stepped over.
    fn settle_place(&mut self) -> Option<[usize; 3]> {
        loop {
            let [family, line, place] = self.next;
            let lines = &self.families.get(family)?.lines;
            match lines.get(line) {
                None => {
                    self.next = [family + 1, 0, 0];
                    self.too_many = None;
                    self.seen.clear();
                }
                Some(candidates) if place >= candidates.len() => {
                    self.next = [family, line + 1, 0];
                    self.seen.clear();
                }
                Some(_) => return Some(self.next),
            }
        }
    }

    /// The next candidate that is to be estimated.
    fn next_candidate(&mut self) -> Option<(Batches, Scenario)> {
        while let Some([family, line, place]) = self.settle_place() {
            let line = &self.families[family].lines[line];
            if let Some(ranks) = line.undivided() {
                let batch = global_batch(&self.scenario);
                let finding = message!(decide::batch_not_shared, batch, ranks);
                let finding = Finding::error("micro_batch_size", finding);
                self.rejected.add(Why::Refused(finding), 1);
                self.next[2] += 1;
                continue;
            }
            let sizes = line.micro_batch(place).zip(line.batches(place));
            let sizes = sizes.map(|(micro_batch, count)| Batches { micro_batch, count });
            if let Some((sizes, candidate)) = sizes.zip(line.candidate(place)) {
                let Some(why) = self.ruled_out(sizes, &candidate) else {
                    return Some((sizes, candidate));
                };
                self.rejected.add(why, 1);
            }
            self.next[2] += 1;
        }
        None
    }

    /// The candidates from the next one on, without the ones of its family that need too much memory for sure.
    fn coming(&self) -> impl Iterator<Item = Scenario> + use<'_> {
        let from = self.next;
        let families = self.families.iter().enumerate().skip(from[0]);
        let lines = families.flat_map(|(at, family)| {
            let lines = family.lines.iter().enumerate();
            lines.map(move |(line, of)| ([at, line], of))
        });
        let all = lines.flat_map(|([family, line], of)| {
            (0..of.len()).map(move |place| ([family, line, place], of))
        });
        let all = all.filter(move |(at, of)| {
            let too_many = || self.too_many_from(of.micro_batch(at[2])?);
            *at >= from && (at[0] != from[0] || too_many().is_none())
        });
        all.filter_map(|(at, of)| of.candidate(at[2]))
    }

    /// The bound that rules out such a micro-batch in the family that is looked at, if one does.
    fn too_many_from(&self, micro_batch: u64) -> Option<TooMany> {
        self.too_many.filter(|many| micro_batch >= many.from)
    }

    /// Why a candidate with micro-batches of such `sizes` need not be estimated.
    fn ruled_out(&self, sizes: Batches, candidate: &Scenario) -> Option<Why> {
        if let Some(TooMany { phase, by, .. }) = self.too_many_from(sizes.micro_batch) {
            return Some(Why::Short {
                memory: Memory::Device,
                phase: Some(phase),
                by,
            });
        }
        let [.., before, last] = &self.seen[..] else {
            return None;
        };
        let plans = before.plan.as_ref().zip(last.plan.as_ref())?;
        let mut costs = at_least([before, last], [plans.0, plans.1], sizes, candidate)?;
        if let (Some(choice), [_, memory, ..]) = (&self.choice, &mut costs) {
            *memory = choice.memory_for(Bytes(*memory)).get();
        }
        self.front
            .dominates(costs, &plans.0.altered)
            .then_some(Why::Dominated)
    }

    fn look(&mut self, sizes: Batches, candidate: Scenario, answer: Answer) {
        self.estimated += 1;
        let figures = match answer {
            Ok(figures) => figures,
            Err(findings) => {
                self.rejected.refuse(findings);
                return;
            }
        };
        let most = self.at_most(&figures);
        let peak = &figures.binding;
        let processes = self.scenario.hardware.most_processes().max(1);
        let tensors = Bytes(peak.peak_tensor.get().saturating_mul(processes));
        let mut seen = Seen {
            sizes,
            least: tensors + figures.outside,
            plan: None,
        };
        if let Some(why) = short(&figures, most) {
            if seen.least > most && self.too_many_from(sizes.micro_batch).is_none() {
                self.too_many = Some(TooMany {
                    from: sizes.micro_batch,
                    phase: peak.phase,
                    by: seen.least - most,
                });
            }
            let of = (&candidate, &figures);
            self.misses.add(self.next[0], &why, &self.scenario, of);
            self.rejected.add(why, 1);
            self.seen.push(seen);
        } else if let Some(choice) = &self.choice {
            self.climb = Some((seen, Climb::from(choice, candidate, tensors)));
        } else {
            seen.plan = Some(RunPlan::new(&self.scenario, candidate, &figures));
            self.fits(seen);
        }
    }

    /// Bytes that a candidate may take of its GPU.
    fn at_most(&self, figures: &Figures) -> Bytes {
        at_most(figures.device.capacity, self.options.headroom)
    }

    /// A candidate is a plan.
    fn fits(&mut self, seen: Seen) {
        let dominated = seen.plan.clone().map(|plan| self.front.add(plan));
        self.rejected.add(Why::Dominated, dominated.unwrap_or(0));
        self.seen.push(seen);
    }

    /// The candidate that looks for its GPU was estimated on one.
    fn climbed(&mut self, (mut seen, mut climb): (Seen, Climb), on: Scenario, answer: Answer) {
        let figures = answer.ok();
        let figures = figures.filter(|figures| short(figures, self.at_most(figures)).is_none());
        if let Some(figures) = figures {
            let mut plan = RunPlan::new(&self.scenario, on, &figures);
            plan.compared = figures.device.capacity;
            seen.plan = Some(plan);
            return self.fits(seen);
        }
        climb.go_on();
        if let Some(choice) = &self.choice
            && !climb.is_at_end(choice)
        {
            self.climb = Some((seen, climb));
        }
    }

    /// Searches without each of the locks, and then without any, where nothing fits.
    fn relax(&mut self, by: &mut dyn Estimator) -> Progress {
        let locks = &self.options.locked;
        if !self.front.is_empty() || locks.is_empty() {
            return Progress::Done;
        }
        if let Some((_, planner)) = self.relaxed.last_mut() {
            let on = planner.advance(by);
            if on != Progress::Done {
                return on;
            }
        }
        let none = |planner: &Self| planner.front.is_empty();
        let (without, options) = match locks.get(self.relaxed.len()) {
            Some(&lock) => (vec![lock], self.options.without(lock)),
            None if self.relaxed.len() == locks.len()
                && locks.len() > 1
                && self.relaxed.iter().all(|(_, planner)| none(planner)) =>
            {
                let mut options = self.options.clone();
                options.locked.clear();
                (locks.clone(), options)
            }
            None => return Progress::Done,
        };
        // A search without a lock looks no further.
        let mut planner = Self::new(&self.scenario, &options);
        planner.options.locked.clear();
        self.relaxed.push((without, planner));
        Progress::Further
    }
}

impl Question for Planner {
    fn advance(&mut self, by: &mut dyn Estimator) -> Progress {
        if let (Some((_, climb)), Some(choice)) = (&self.climb, &self.choice) {
            let on = climb.candidate(choice);
            let Some(answer) = by.figures(&on) else {
                return Progress::Waits;
            };
            if let Some(climb) = self.climb.take() {
                self.climbed(climb, on, answer);
            }
            return Progress::Further;
        }
        let Some((sizes, candidate)) = self.next_candidate() else {
            return self.relax(by);
        };
        by.prepare(&mut self.coming());
        let Some(answer) = by.figures(&candidate) else {
            return Progress::Waits;
        };
        self.next[2] += 1;
        self.look(sizes, candidate, answer);
        Progress::Further
    }
}

/// The least cost of a candidate with micro-batches of such `sizes`, by two others of its line.
fn at_least(
    [before, last]: [&Seen; 2],
    [one, other]: [&RunPlan; 2],
    sizes: Batches,
    candidate: &Scenario,
) -> Option<[u64; 5]> {
    if one.compute != other.compute {
        return None;
    }
    let further = (last.least - before.least)
        .get()
        .checked_mul(sizes.micro_batch.checked_sub(last.sizes.micro_batch)?)?;
    let larger = last
        .sizes
        .micro_batch
        .checked_sub(before.sizes.micro_batch)?;
    let larger = larger.max(1);
    let least = last.least + Bytes(further / larger);
    let sent = [one, other].map(|plan| plan.communication.total().get());
    let fewer = before.sizes.count.checked_sub(last.sizes.count)?.max(1);
    let saved = sent[0].saturating_sub(sent[1]);
    let saves = u128::from(saved) * u128::from(last.sizes.count.checked_sub(sizes.count)?);
    let saves = u64::try_from(saves.div_ceil(u128::from(fewer))).unwrap_or(u64::MAX);
    // Shares of ranks are rounded.
    let rounded = if saves > 0 { sent[1] / 1000 } else { 0 };
    let computed = one.compute.total();
    Some([
        one.gpus,
        least.get(),
        one.host.min(other.host).get(),
        computed.saturating_add(idle(candidate, computed)),
        sent[1].saturating_sub(saves).saturating_sub(rounded),
    ])
}

/// Why a candidate does not fit.
fn short(figures: &Figures, most: Bytes) -> Option<Why> {
    let Figures { device, host, .. } = figures;
    if device.needed > most {
        return Some(Why::Short {
            memory: Memory::Device,
            phase: Some(figures.binding.phase),
            by: device.needed - most,
        });
    }
    (!host.fits).then(|| Why::Short {
        memory: Memory::Host,
        phase: None,
        by: host.shortfall(),
    })
}

/// The search at once.
pub fn plans(scenario: &Scenario, options: &PlanOptions) -> Plans {
    let mut planner = Planner::new(scenario, options);
    planner.settle();
    planner.found()
}

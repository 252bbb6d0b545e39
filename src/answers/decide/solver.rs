//! The value of an axis that only just fits.

use super::axis::{Along, Axis};
use super::gpus;
use super::listed;
use super::number::{Named, Number, repair};
use super::pixels::{MAX_PIXELS, followed};
use super::question::{Estimator, Progress, Question};
use super::search::{Found, Search};
use crate::ask::{Finding, Message, Scenario, Severity, message};
use crate::report::Figures;
use crate::resolve::resolve;
use serde_json::Value;

/// The result of a solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The value that fits, as the scenario's key takes it, or the number of GPUs. Where none fits: 0, or null
    /// for a name of the catalog and where 0 itself is allowed.
    pub value: Value,
    /// The scenario with that value; nothing where none fits.
    pub scenario: Option<Scenario>,
    /// Findings: that something else than memory ends the axis.
    pub findings: Vec<Finding>,
}

/// Looks for the value of one axis of a scenario that only just fits. Whether a value fits is the verdict of an
/// estimate: device and host.
///
/// What is found, exactly:
/// - Of a number of which more takes more memory (`micro_batch_size`, `seq_len`, `lora.r`, ...): a value N that
///   fits, of which the next larger value that is not refused does not fit, and neither do the next multiples of
///   2, 4, 8, ... 256 after that. It is the largest that fits but where memory falls again later, by more than
///   such a multiple saves. Doubling and bisection find it, in about 2 log2(N) + 8 estimates.
/// - Of a size that an exported graph leaves open the same.
/// - Of `max_pixels`, in steps of a token's pixels, the same: images are as large as it allows, and `seq_len` follows
///   their tokens, so that as much text stays.
/// - Of a number that makes room (`hardware.host_ram`, `parallelism.tp.size`, ...) and of `gpus`: a value that
///   fits, of which the next smaller one does not. GPUs are counted one by one within a node, then by whole
///   nodes, up to 4096, with data parallelism over all that the other axes leave.
/// - Of `hardware.gpu`: the GPU of the catalog with the least usable memory on which it fits; all with less were
///   looked at. Of `model`: the published model of the same `model_type` with the most parameters that fits; all
///   were looked at.
///
/// Values that `resolve` refuses are stepped over, up to 512 in a row; beyond that, or where the repairs of
/// refused values lead back, the axis has its end, which a finding says.
#[derive(Clone, Debug)]
pub struct Solver {
    scenario: Scenario,
    axis: Axis,
    work: Work,
    /// Findings about the first value that was refused.
    refused: Option<Vec<Finding>>,
    /// Whether a value fits.
    fits: fn(&Figures) -> bool,
}

/// How far the work has come.
#[derive(Clone, Debug)]
enum Work {
    Number(Number, Search),
    Gpus(Vec<u64>, Search),
    Listed {
        /// Names that are left to look at, the next one last.
        left: Vec<&'static str>,
        /// The best that fits, with its number of parameters.
        best: Option<(&'static str, u64)>,
        /// Whether one did not fit.
        short: bool,
    },
}

impl Solver {
    /// A solver that has done nothing yet.
    ///
    /// # Errors
    /// Where the axis has no effect in the scenario, or the catalog no model of the kind.
    pub fn new(scenario: &Scenario, axis: &Axis) -> Result<Self, Vec<Finding>> {
        if axis.idle(scenario).is_some() {
            let (key, axis) = (axis.in_the_way(), axis.name());
            return Err(vec![Finding::error(
                key,
                message!(decide::without_effect, axis),
            )]);
        }
        let listed = |mut all: Vec<&'static str>| {
            all.reverse();
            Work::Listed {
                left: all,
                best: None,
                short: false,
            }
        };
        let number = |named: Named, makes_room: bool| {
            let line = Number::of(scenario, named, makes_room);
            let start = line.start(scenario);
            let search = Search::new(line.places(), start, !makes_room);
            Work::Number(line, search)
        };
        let work = match &axis.along {
            Along::Largest(key) => number(Named::Setting(key), false),
            Along::Least(key) => number(Named::Setting(key), true),
            Along::Symbol(name) => number(Named::Symbol(name.clone()), false),
            Along::Gpus => {
                let mut counts = gpus::counts(scenario);
                // More GPUs make room.
                counts.reverse();
                let own = gpus::gpus_of(scenario);
                let start = counts.partition_point(|&count| count > own);
                let last = counts.len().saturating_sub(1) as u64;
                let search = Search::new([0, last], start as u64, false);
                Work::Gpus(counts, search)
            }
            Along::Gpu => listed(listed::accelerators()),
            Along::Model => listed(listed::models(scenario)?),
        };
        Ok(Self {
            scenario: scenario.clone(),
            axis: axis.clone(),
            work,
            refused: None,
            fits: Figures::fits,
        })
    }

    /// A solver for which a value fits where a tenth of each memory stays free.
    #[must_use]
    pub fn with_room(self) -> Self {
        Self {
            fits: Figures::is_roomy,
            ..self
        }
    }

    /// The result so far.
    ///
    /// # Errors
    /// Findings of the scenario, if every estimated value is refused.
    pub fn solution(&self) -> Result<Solution, Vec<Finding>> {
        match &self.work {
            Work::Number(line, search) => {
                let value = search.fits().map(|place| line.value(place));
                self.check(search.is_refused())?;
                let zero_is_allowed = line.range()[0] == 0;
                let none = if zero_is_allowed {
                    Value::Null
                } else {
                    0.into()
                };
                let mut findings = match (value, &self.axis.along) {
                    (Some(value), Along::Largest(_) | Along::Symbol(_))
                        if !search.is_short_beyond() =>
                    {
                        vec![self.ends(line, value)]
                    }
                    _ => Vec::new(),
                };
                let scenario = value.and_then(|value| line.with(&self.scenario, value));
                if self.axis.setting() == MAX_PIXELS {
                    findings.extend(scenario.as_ref().and_then(followed));
                }
                Ok(Solution {
                    value: value.map_or(none, |value| line.written(value)),
                    scenario,
                    findings,
                })
            }
            Work::Gpus(counts, search) => {
                self.check(search.is_refused())?;
                let place = search.fits().and_then(|place| usize::try_from(place).ok());
                let gpus = place.and_then(|place| counts.get(place)).copied();
                Ok(Solution {
                    value: gpus.unwrap_or(0).into(),
                    scenario: gpus.map(|gpus| gpus::with_gpus(&self.scenario, gpus)),
                    findings: Vec::new(),
                })
            }
            Work::Listed { best, short, .. } => {
                self.check(best.is_none() && !short)?;
                let with = match self.axis.along {
                    Along::Gpu => listed::on_gpu,
                    _ => listed::of_model,
                };
                Ok(Solution {
                    value: best.map_or(Value::Null, |(id, _)| id.into()),
                    scenario: best.map(|(id, _)| with(&self.scenario, id)),
                    findings: Vec::new(),
                })
            }
        }
    }

    /// Refuses the axis with the findings of the scenario itself, or else of the refused value, where
    /// `nothing_allowed`.
    fn check(&self, nothing_allowed: bool) -> Result<(), Vec<Finding>> {
        let Some(refused) = self.refused.as_ref().filter(|_| nothing_allowed) else {
            return Ok(());
        };
        let own = resolve(&self.scenario);
        Err(if own.spec.is_none() {
            own.findings
        } else {
            refused.clone()
        })
    }

    /// Says that memory is left at the last value that is allowed.
    fn ends(&self, line: &Number, value: u64) -> Finding {
        let next = value.checked_add(1);
        let next = next.and_then(|next| line.with(&self.scenario, next));
        let findings = next.map_or_else(Vec::new, |next| resolve(&next).findings);
        let mut errors = findings
            .into_iter()
            .filter(|finding| finding.severity == Severity::Error);
        let reason: Option<Message> = errors.next().map(|finding| finding.message);
        let axis = self.axis.name();
        Finding::notice(
            &self.axis.key(),
            message!(decide::ends, axis, value, reason),
        )
    }
}

impl Question for Solver {
    fn advance(&mut self, by: &mut dyn Estimator) -> Progress {
        let Self {
            scenario,
            axis,
            work,
            refused,
            fits,
        } = self;
        let mut look = |asked: Option<Scenario>| {
            let Some(asked) = asked else {
                return Some(Err(None));
            };
            Some(by.figures(&asked)?.map_err(|findings| {
                let repair = repair(&findings, &axis.key()).and_then(Value::as_u64);
                refused.get_or_insert(findings);
                repair
            }))
        };
        match work {
            Work::Number(line, search) => search.advance(|place| {
                let figures = look(line.with(scenario, line.value(place)))?;
                let place = |repair: Option<u64>| repair.and_then(|value| line.place(value));
                Some(found(figures.map_err(place), *fits))
            }),
            Work::Gpus(counts, search) => search.advance(|place| {
                let gpus = usize::try_from(place).ok().and_then(|at| counts.get(at));
                let figures = look(gpus.map(|&gpus| gpus::with_gpus(scenario, gpus)))?;
                Some(found(figures.map_err(|_| None), *fits))
            }),
            Work::Listed { left, best, short } => {
                let Some(&id) = left.last() else {
                    return Progress::Done;
                };
                let is_gpu = matches!(axis.along, Along::Gpu);
                let asked = if is_gpu {
                    listed::on_gpu(scenario, id)
                } else {
                    listed::of_model(scenario, id)
                };
                let Some(figures) = look(Some(asked)) else {
                    return Progress::Waits;
                };
                left.pop();
                if let Ok(figures) = figures {
                    let parameters = figures.num_parameters;
                    if !fits(&figures) {
                        *short = true;
                    } else if is_gpu {
                        *best = Some((id, parameters));
                        left.clear();
                    } else if best.is_none_or(|(_, most)| parameters > most) {
                        *best = Some((id, parameters));
                    }
                }
                Progress::Further
            }
        }
    }
}

/// Whether the figures at a place fit, or the place of a repair where the scenario is refused.
fn found(figures: Result<Figures, Option<u64>>, fits: fn(&Figures) -> bool) -> Found {
    match figures {
        Ok(figures) if fits(&figures) => Found::Fits,
        Ok(_) => Found::Short,
        Err(repair) => Found::Refused(repair),
    }
}

/// The solution at once.
///
/// # Errors
/// The findings of the scenario, or why the axis has no effect in it.
pub fn solve(scenario: &Scenario, axis: &Axis) -> Result<Solution, Vec<Finding>> {
    let mut solver = Solver::new(scenario, axis)?;
    solver.settle();
    solver.solution()
}

//! Steps through the allocator, one after the other.

use super::pieces::{Action, Piece, Pieces};
use crate::ask::{Finding, Scenario, message};
use crate::device::{Failure, Held, Limit, Replay, Request};
use crate::model::ResolvedSpec;
use crate::report::replayed::{limited, settings};
use crate::resolve::resolve;
use crate::sim::simulate;
use crate::units::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Memory of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepHeld {
    /// Tokens of its longest micro-batch.
    pub length: u64,
    /// `torch.cuda.max_memory_allocated()` of the step.
    pub peak_allocated: Bytes,
    /// `torch.cuda.max_memory_reserved()` of it.
    pub peak_reserved: Bytes,
    /// `torch.cuda.memory_reserved()` when it has ended.
    pub reserved: Bytes,
}

/// Memory of many steps, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepsRun {
    /// Each of them, as far as there was memory.
    pub steps: Vec<StepHeld>,
    /// The request at which the next one ran out, if it did.
    pub failure: Option<Failure>,
}

/// A scenario's steps at some lengths, each simulated once, to be run through allocators in any order.
#[derive(Clone, Debug)]
pub struct ManySteps {
    scenario: Scenario,
    micro_batches: usize,
    spec: ResolvedSpec,
    /// Lengths that are not simulated yet.
    left: Vec<u64>,
    pieces: BTreeMap<u64, Pieces>,
}

/// A run that is going on.
#[derive(Clone)]
pub struct Running {
    of: Arc<ManySteps>,
    /// The length of each micro-batch, step after step.
    lengths: Vec<u64>,
    replay: Replay,
    /// Memory that is held now.
    held: Held,
    /// Storages that live on, by places: their numbers.
    alive: Vec<u32>,
    spare: Vec<u32>,
    next: u32,
    run: StepsRun,
}

impl ManySteps {
    /// Steps of a scenario whose micro-batches have some of these lengths.
    ///
    /// # Errors
    /// The findings about the scenario, or the reason why such steps are not estimated.
    pub fn new(scenario: &Scenario, lengths: &[u64]) -> Result<Self, Vec<Finding>> {
        let micro_batches = usize::try_from(scenario.gradient_accumulation_steps.max(1));
        let mut left = lengths.to_vec();
        left.sort_unstable();
        left.dedup();
        // A setting that is refused for usual batches before the longest is refused for all others.
        let mut differing = scenario.clone();
        differing.dataset.length_mean = Some(scenario.seq_len);
        let resolution = resolve(&differing);
        let spec = resolution.spec.ok_or(resolution.findings)?;
        Ok(Self {
            scenario: scenario.clone(),
            micro_batches: micro_batches.unwrap_or(usize::MAX),
            spec,
            left,
            pieces: BTreeMap::new(),
        })
    }

    /// Simulates one more length; false when all are.
    ///
    /// # Errors
    /// Why such steps are not estimated.
    pub fn advance(&mut self) -> Result<bool, Vec<Finding>> {
        let Some(length) = self.left.pop() else {
            return Ok(false);
        };
        let asked = &self.scenario;
        let mut of_length = asked.clone();
        of_length.dataset.length_mean = None;
        of_length.seq_len = length;
        of_length.target_seq_len = asked.target_seq_len.map(|target| {
            let share = target.saturating_mul(length);
            share.div_ceil(asked.seq_len.max(1)).max(1)
        });
        let resolution = resolve(&of_length);
        let spec = resolution.spec.ok_or(resolution.findings)?;
        let emptied = spec.allocator.empty_cache_after_loading;
        let pieces = Pieces::of(&simulate(&spec), emptied);
        let fits = |pieces: &Pieces| {
            let first = self.pieces.values().next();
            let more = self.micro_batches > pieces.of_step(0).len();
            first.is_none_or(|first| first.go_with(pieces)) && (!more || pieces.can_go_on())
        };
        let Some(pieces) = pieces.filter(fits) else {
            let why = message!(lengths::steps_differ);
            return Err(vec![Finding::error("dataset.lengths", why)]);
        };
        self.pieces.insert(length, pieces);
        Ok(true)
    }

    /// Simulates all lengths that are left.
    ///
    /// # Errors
    /// Why such steps are not estimated.
    pub fn complete(mut self) -> Result<Self, Vec<Finding>> {
        while self.advance()? {}
        Ok(self)
    }

    /// The capacity of a process on the scenario's device.
    pub fn capacity(&self) -> Bytes {
        match limited(&self.spec).limit {
            Limit::Capacity(bytes) | Limit::Fraction(bytes) | Limit::Watched(bytes) => Bytes(bytes),
            Limit::None => Bytes(u64::MAX),
        }
    }

    /// Micro-batches of a step.
    pub fn micro_batches(&self) -> usize {
        self.micro_batches
    }

    /// The pieces of a step whose micro-batches have these lengths.
    fn step(&self, lengths: &[u64], step: usize) -> Option<Vec<&Piece>> {
        let piece = |(at, length): (usize, &u64)| {
            let all = self.pieces.get(length)?.of_step(step);
            let last = all.len().checked_sub(1)?;
            // The micro-batches between the first and the last are all the same piece.
            let inner = at.min(last.saturating_sub(1));
            all.get(if at + 1 == lengths.len() { last } else { inner })
        };
        lengths.iter().enumerate().map(piece).collect()
    }
}

impl Running {
    /// A run that is about to begin, over micro-batches of these lengths: with or without expandable segments, with as
    /// much memory as it asks for or with what the device has.
    pub fn new(
        of: Arc<ManySteps>,
        lengths: Vec<u64>,
        expandable_segments: bool,
        on_device: bool,
    ) -> Self {
        let mut spec = of.spec.clone();
        spec.allocator.expandable_segments = expandable_segments;
        let limit = match (limited(&spec).limit, spec.memory_limit) {
            _ if !on_device => Limit::None,
            (Limit::Capacity(bytes), Some(_)) => Limit::Fraction(bytes),
            (limit, _) => limit,
        };
        let numbers = of.pieces.values().map(Pieces::numbers).max();
        Self {
            replay: Replay::new(0, settings(&spec.allocator, limit)),
            held: Held::default(),
            lengths,
            alive: Vec::new(),
            spare: Vec::new(),
            next: numbers.unwrap_or(0),
            run: StepsRun::default(),
            of,
        }
    }

    /// Runs all steps.
    pub fn complete(mut self) -> StepsRun {
        while self.advance() {}
        self.run
    }

    /// Runs one more step; false when there is none, or no memory for one.
    pub fn advance(&mut self) -> bool {
        let (at, of) = (self.run.steps.len(), Arc::clone(&self.of));
        let mut steps = self.lengths.chunks_exact(of.micro_batches);
        let Some(lengths) = steps.nth(at).filter(|_| self.run.failure.is_none()) else {
            return false;
        };
        let length = lengths.iter().copied().max().unwrap_or(0);
        let Some(pieces) = of.step(lengths, at) else {
            return false;
        };
        let loading = of.pieces.values().next().filter(|_| at == 0);
        match self.step(loading.map(|pieces| &pieces.loading), &pieces) {
            Ok(most) => self.run.steps.push(StepHeld {
                length,
                peak_allocated: Bytes(most.allocated),
                peak_reserved: Bytes(most.reserved),
                reserved: Bytes(self.held.reserved),
            }),
            Err(failure) => self.run.failure = Some(failure),
        }
        self.run.failure.is_none()
    }

    /// The steps so far.
    pub fn so_far(&self) -> &StepsRun {
        &self.run
    }

    /// Runs a step, after the model was loaded where it is the first: the most of each that was held.
    fn step(&mut self, loading: Option<&Piece>, pieces: &[&Piece]) -> Result<Held, Failure> {
        if let Some(loading) = loading {
            self.piece(loading)?;
        }
        let mut most = Held::default();
        for piece in pieces {
            most = most.max_of_each(self.piece(piece)?);
        }
        Ok(most)
    }

    /// Runs a piece: the most of each that was held.
    fn piece(&mut self, piece: &Piece) -> Result<Held, Failure> {
        let mut most = self.held;
        let mut added = Vec::new();
        let mut ended = Vec::new();
        for action in &piece.actions {
            let request = match *action {
                Action::Own(request) => request,
                Action::Stays(mut request) => {
                    let number = self.spare.pop().unwrap_or_else(|| {
                        self.next += 1;
                        self.next - 1
                    });
                    if let Request::Alloc { id, .. } = &mut request {
                        *id = number;
                    }
                    added.push(number);
                    request
                }
                Action::Ends(place) => {
                    let number = self.alive.get(place as usize).copied();
                    let number = number.unwrap_or(u32::MAX);
                    ended.push((place, number));
                    Request::Free(number)
                }
            };
            self.held = self.replay.run(request)?;
            most = most.max_of_each(self.held);
        }
        ended.sort_unstable();
        for (place, number) in ended.into_iter().rev() {
            self.alive.remove(place as usize);
            self.spare.push(number);
        }
        self.alive.append(&mut added);
        Ok(most)
    }
}

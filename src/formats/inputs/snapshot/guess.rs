//! Purposes of blocks and phases of the program: guessed from frames and lifetimes, since no snapshot has them.
//!
//! Frames say when: frames of an optimizer, of modules' `forward`, of recomputation; a thread of autograd has no Python
//! frames. Lifetimes say what for: blocks that an optimizer makes and keeps are its states, blocks that backward leaves
//! are gradients, blocks that forward leaves for backward are activations.

use super::contents::{Action, Event, Stack, stacked};
use super::pickle::{Pickle, Value};
use super::replay::Live;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A phase of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Doing {
    /// It makes or loads a model.
    Loading,
    /// The forward pass.
    Forward,
    /// The backward pass.
    Backward,
    /// Within it, activations that were not kept are computed again.
    Recompute,
    /// Gradients are clipped.
    Clip,
    /// The optimizer's step.
    OptimizerStep,
    /// Gradients are dropped.
    ZeroGrad,
}

impl Doing {
    /// Its stable name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loading => "loading",
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Recompute => "recompute",
            Self::Clip => "clip",
            Self::OptimizerStep => "optimizer_step",
            Self::ZeroGrad => "zero_grad",
        }
    }

    /// Whether it belongs to the backward pass.
    fn is_backward(self) -> bool {
        matches!(self, Self::Backward | Self::Recompute)
    }
}

/// The purpose of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Purpose {
    /// It was there when recording began.
    Before,
    /// Made while the model was, and kept.
    Parameters,
    /// Made by the optimizer, and kept.
    OptimizerStates,
    /// Left by the backward pass.
    Gradients,
    /// Left by the forward pass for the backward pass.
    Activations,
    /// Made and given back within a pass.
    Temporaries,
    /// Made in a pass and never given back: workspaces of libraries, for example.
    Kept,
    /// Nothing says what for.
    Unknown,
}

impl Purpose {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 8] = [
        Self::Before,
        Self::Parameters,
        Self::OptimizerStates,
        Self::Gradients,
        Self::Activations,
        Self::Temporaries,
        Self::Kept,
        Self::Unknown,
    ];

    /// Its stable name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Before => "before_recording",
            Self::Parameters => "parameters",
            Self::OptimizerStates => "optimizer_states",
            Self::Gradients => "gradients",
            Self::Activations => "activations",
            Self::Temporaries => "temporaries",
            Self::Kept => "kept",
            Self::Unknown => "unknown",
        }
    }
}

/// The guess about a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guess {
    /// The phases of the program, each with its first event.
    pub passes: Vec<(usize, Doing)>,
    /// Requested bytes of the blocks held at the peak of allocated memory, each rounded to 512, by purpose; only
    /// purposes that occur.
    pub at_peak: Vec<(Purpose, u64)>,
    /// Bytes that the allocator gave beyond these requests.
    pub beyond_requests: u64,
}

/// Requests are rounded to this number of bytes: kMinBlockSize of c10/cuda/CUDACachingAllocator.cpp.
const GRAIN: u64 = 512;

impl Guess {
    /// The phase of the program at an event.
    pub fn doing(&self, event: usize) -> Option<Doing> {
        self.pass(event).map(|number| self.passes[number].1)
    }

    /// The phases at these events alone, which may be few of many passes.
    pub(super) fn of_events(&self, events: impl Iterator<Item = usize>) -> Self {
        let mut numbers: Vec<usize> = events.filter_map(|event| self.pass(event)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self {
            passes: numbers.iter().map(|number| self.passes[*number]).collect(),
            at_peak: self.at_peak.clone(),
            beyond_requests: self.beyond_requests,
        }
    }

    /// The number of the pass in which an event came; nothing before the first.
    fn pass(&self, event: usize) -> Option<usize> {
        let after = self.passes.partition_point(|(start, _)| *start <= event);
        after.checked_sub(1)
    }
}

/// The meaning of a frame by itself.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    /// Whatever else there is.
    Surely(Doing),
    /// Unless another frame says more.
    Perhaps(Doing),
    Nothing,
}

fn sign(file: &[u8], name: &[u8]) -> Sign {
    let in_file = |part: &[u8]| file.windows(part.len()).any(|at| at == part);
    let in_name = |part: &[u8]| name.windows(part.len()).any(|at| at == part);
    match name {
        b"zero_grad" => Sign::Surely(Doing::ZeroGrad),
        b"step" | b"__init__" if in_file(b"optim") => Sign::Surely(Doing::OptimizerStep),
        b"recompute_fn" | b"unpack_hook" | b"recompute" => Sign::Surely(Doing::Recompute),
        b"backward" | b"_engine_run_backward" => Sign::Surely(Doing::Backward),
        b"clip_grad_norm_" | b"clip_grad_value_" => Sign::Surely(Doing::Clip),
        b"forward" => Sign::Perhaps(Doing::Forward),
        b"__init__" | b"from_pretrained" | b"to" | b"cuda" | b"_apply" | b"load_state_dict" => {
            Sign::Perhaps(Doing::Loading)
        }
        _ if in_name(b"autograd::Engine") => Sign::Surely(Doing::Backward),
        _ => Sign::Nothing,
    }
}

/// The meanings of frames; each is looked at once.
struct Signs<'a> {
    pickle: &'a Pickle<'a>,
    known: HashMap<u32, Sign>,
}

impl Signs<'_> {
    /// The phase of a stack; `None` where it has none, or there is no stack.
    fn doing(&mut self, stack: Stack) -> Option<Doing> {
        let mut perhaps = None;
        for frame in stacked(self.pickle, stack) {
            match self.sign(frame) {
                Sign::Surely(doing) => return Some(doing),
                // A module that is called within another's constructor is called.
                Sign::Perhaps(doing) if perhaps != Some(Doing::Forward) => perhaps = Some(doing),
                Sign::Perhaps(_) | Sign::Nothing => {}
            }
        }
        perhaps
    }

    fn sign(&mut self, frame: Value) -> Sign {
        let text = |key| self.pickle.text(self.pickle.get(frame, key)?);
        let look = || {
            let (file, name) = (text("filename"), text("name"));
            sign(file.unwrap_or_default(), name.unwrap_or_default())
        };
        match frame {
            Value::Dict(node) => *self.known.entry(node).or_insert_with(look),
            _ => look(),
        }
    }

    fn has_frames(&self, stack: Stack) -> bool {
        stacked(self.pickle, stack).next().is_some()
    }
}

/// Guesses what the program did and what the blocks are for that live after `events` events; nothing where no event
/// has a frame.
pub(super) fn guess(
    pickle: &Pickle,
    events: &[Event],
    position: usize,
    live: &[Live],
) -> Option<Guess> {
    let mut signs = Signs {
        pickle,
        known: HashMap::new(),
    };
    if !events.iter().any(|event| signs.has_frames(event.stack)) {
        return None;
    }
    let mut guess = Guess::default();
    for (place, event) in events.iter().enumerate() {
        if !matches!(event.action, Action::Alloc | Action::FreeRequested) {
            continue;
        }
        let doing = if signs.has_frames(event.stack) {
            signs.doing(event.stack)
        } else {
            Some(Doing::Backward)
        };
        let now = guess.passes.last().map(|(_, now)| *now);
        if let Some(doing) = doing.filter(|doing| Some(*doing) != now) {
            guess.passes.push((place, doing));
        }
    }
    let mut sums: HashMap<Purpose, u64> = HashMap::new();
    for (block, purpose) in live.iter().zip(guess.purposes(events, position, live)) {
        let requested = block.requested.next_multiple_of(GRAIN).min(block.size);
        let sum = sums.entry(purpose).or_default();
        *sum = sum.saturating_add(requested);
        let beyond = block.size - requested;
        guess.beyond_requests = guess.beyond_requests.saturating_add(beyond);
    }
    let parts = Purpose::ALL.iter();
    guess.at_peak = parts
        .filter_map(|purpose| Some((*purpose, *sums.get(purpose)?)))
        .collect();
    Some(guess)
}

impl Guess {
    /// The purpose of each of the blocks that live after `events` events.
    pub(super) fn purposes(
        &self,
        events: &[Event],
        position: usize,
        live: &[Live],
    ) -> Vec<Purpose> {
        let mut freed: HashMap<u64, usize> = HashMap::new();
        let future = events.iter().enumerate().skip(position);
        for (place, event) in future.filter(|(_, event)| event.action == Action::FreeRequested) {
            freed.entry(event.address).or_insert(place);
        }
        let purpose = |block: &Live| match block.since {
            None => Purpose::Before,
            Some(since) => self.purpose(since, freed.get(&block.address).copied()),
        };
        live.iter().map(purpose).collect()
    }

    /// The purpose of a block that was made by one event and given back by another.
    fn purpose(&self, made: usize, freed: Option<usize>) -> Purpose {
        let Some(number) = self.pass(made) else {
            // Before anything is known to be done: what a script makes first.
            return freed.map_or(Purpose::Parameters, |_| Purpose::Unknown);
        };
        let (_, doing) = self.passes[number];
        let end = freed.and_then(|event| self.pass(event));
        let within = |same: fn(Doing) -> bool| {
            let passes = end.map(|end| &self.passes[number..=end]);
            passes.is_some_and(|passes| passes.iter().all(|(_, doing)| same(*doing)))
        };
        let goes_on = self.passes.len() > number + 1;
        match doing {
            Doing::Loading if freed.is_none() => Purpose::Parameters,
            Doing::OptimizerStep if end != Some(number) => Purpose::OptimizerStates,
            Doing::Recompute if end == Some(number) => Purpose::Temporaries,
            Doing::Recompute if within(Doing::is_backward) => Purpose::Activations,
            Doing::Backward if within(Doing::is_backward) => Purpose::Temporaries,
            Doing::Backward | Doing::Recompute => Purpose::Gradients,
            _ if end == Some(number) => Purpose::Temporaries,
            Doing::Forward if freed.is_none() && goes_on => Purpose::Kept,
            Doing::Forward => Purpose::Activations,
            _ => Purpose::Unknown,
        }
    }
}

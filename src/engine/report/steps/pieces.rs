//! One run cut where its micro-batches begin (Note [Steps from pieces]).

use crate::device::Request;
use crate::sim::{Event, Phase, Trace};
use crate::tape::Asked;
use crate::tape::RecordedEvent;

/// The steps of a trace: the last one represents all that follow.
const FIRST: u32 = 0;
const SECOND: u32 = 1;
const STEADY: u32 = 2;

/// A request of a piece. Storages that are gone when it ends are numbered among themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// A request for a storage that is gone when the piece ends, or its free.
    Own(Request),
    /// A request for a storage that lives on.
    Stays(Request),
    /// Frees the storage with this place among all that lived when the piece began or came later.
    Ends(u32),
}

/// The change by a piece of the storages that live on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Change {
    /// How many storages lived before.
    before: usize,
    /// The places of the storages that it frees, in ascending order.
    ended: Vec<u32>,
    /// How many it leaves that were not there, in the places after the others.
    added: usize,
}

impl Change {
    /// Whether it finds again what it has left: what it frees came last, and as much comes in its place.
    fn repeats(&self) -> bool {
        let kept = self.before.checked_sub(self.added);
        let last = kept.map(|kept| kept..self.before);
        last.is_some_and(|last| {
            let ended = self.ended.iter().map(|&place| place as usize);
            ended.eq(last)
        })
    }

    /// The change by several changes, one after the other.
    fn of_all<'a>(all: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let before = all.clone().next().map_or(0, |first| first.before);
        let mut list: Vec<Option<usize>> = (0..before).map(Some).collect();
        for change in all {
            for &place in change.ended.iter().rev() {
                list.remove(place as usize);
            }
            list.extend(std::iter::repeat_n(None, change.added));
        }
        let lives: Vec<usize> = list.iter().copied().flatten().collect();
        let ended = (0..before).filter(|place| lives.binary_search(place).is_err());
        let ended = ended.map(|place| u32::try_from(place).unwrap_or(u32::MAX));
        Self {
            before,
            ended: ended.collect(),
            added: list.len() - lives.len(),
        }
    }
}

/// Consecutive requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Piece {
    pub(super) actions: Vec<Action>,
    /// How many numbers its own storages have.
    pub(super) numbers: u32,
    change: Change,
}

/// The pieces of a run.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    /// The piece before the first step.
    pub(super) loading: Piece,
    /// The micro-batches of each of three steps, each with what follows it up to the next.
    pub(super) steps: [Vec<Piece>; 3],
}

impl Pieces {
    /// The pieces of a run, if they can follow each other in any order of lengths.
    pub(super) fn of(trace: &Trace, empty_cache_after_loading: bool) -> Option<Self> {
        let mut cut = Cut::default();
        cut.walk(trace, empty_cache_after_loading);
        let mut pieces = cut.pieces.into_iter();
        let (_, loading) = pieces.next()?;
        let mut steps = [FIRST, SECOND, STEADY].map(|_| Vec::new());
        for (step, piece) in pieces {
            steps.get_mut(step as usize)?.push(piece);
        }
        let [first, second, steady] = &steps;
        let as_many = first.len() == steady.len() && second.len() == steady.len();
        let whole = Change::of_all(steady.iter().map(|piece| &piece.change));
        (as_many && !steady.is_empty() && whole.repeats()).then_some(Self { loading, steps })
    }

    /// The pieces of a step, from 0.
    pub(super) fn of_step(&self, step: usize) -> &[Piece] {
        &self.steps[step.min(self.steps.len() - 1)]
    }

    fn all(&self) -> impl Iterator<Item = &Piece> {
        std::iter::once(&self.loading).chain(self.steps.iter().flatten())
    }

    /// The number of ids for storages that are gone when their piece ends.
    pub(super) fn numbers(&self) -> u32 {
        self.all().map(|piece| piece.numbers).max().unwrap_or(0)
    }

    /// Whether pieces of both traces can follow each other.
    pub(super) fn go_with(&self, other: &Self) -> bool {
        let changes = |of: &Self| {
            of.all()
                .map(|piece| &piece.change)
                .cloned()
                .collect::<Vec<_>>()
        };
        changes(self) == changes(other)
    }

    /// Whether the micro-batches between the first and the last do the same, so that one of them can be repeated.
    pub(super) fn can_go_on(&self) -> bool {
        let inner = |pieces: &Vec<Piece>| match pieces.as_slice() {
            [_, .., third, _] => third.change.repeats(),
            _ => false,
        };
        self.steps.iter().all(inner)
    }
}

/// A storage that was allocated.
#[derive(Clone, Copy, Debug)]
struct Made {
    id: u32,
    /// The index in its piece.
    at: usize,
}

/// A run that is being cut.
#[derive(Default)]
struct Cut {
    /// Each with its step.
    pieces: Vec<(u32, Piece)>,
    /// Storages that lived when the piece began, by places, and whether each still does.
    before: Vec<(u32, bool)>,
    /// Storages that the piece has allocated and not freed.
    made: Vec<Made>,
}

impl Cut {
    fn walk(&mut self, trace: &Trace, mut empties: bool) {
        self.pieces.push((0, Piece::default()));
        let storages = trace.record.written();
        let mut marks = trace.marks.iter();
        for stretch in &trace.program {
            for piece in trace.record.pieces(stretch.clone()) {
                for RecordedEvent { event, stored, .. } in piece.steps() {
                    match event {
                        Event::Alloc(id) => {
                            let Asked {
                                bytes,
                                stream,
                                used_on,
                            } = storages.asked(stored);
                            self.alloc(Request::Alloc {
                                id,
                                bytes,
                                stream,
                                used_on,
                            });
                        }
                        Event::Free(id) => self.free(id),
                        Event::Wait(wait) => self.add(Action::Own(Request::Wait(wait.wait()))),
                        Event::EmptyCache => self.add(Action::Own(Request::EmptyCache)),
                        Event::Mark(_) => {
                            let mark = marks.next();
                            // Loading has marks of its own, before those of steps.
                            let of_step = mark.is_some_and(|mark| mark.phase != Phase::Loading);
                            if of_step && std::mem::take(&mut empties) {
                                self.add(Action::Own(Request::EmptyCache));
                            }
                            if let Some(mark) = mark.filter(|mark| mark.phase == Phase::Data) {
                                self.begin(mark.step);
                            }
                        }
                    }
                }
            }
        }
        self.end();
    }

    fn add(&mut self, action: Action) {
        if let Some((_, piece)) = self.pieces.last_mut() {
            piece.actions.push(action);
        }
    }

    fn alloc(&mut self, request: Request) {
        let Request::Alloc { id, .. } = request else {
            return;
        };
        let at = self
            .pieces
            .last()
            .map_or(0, |(_, piece)| piece.actions.len());
        self.made.push(Made { id, at });
        self.add(Action::Stays(request));
    }

    fn free(&mut self, id: u32) {
        // The last storage is freed first, mostly.
        if let Some(place) = self.made.iter().rposition(|made| made.id == id) {
            let made = self.made.remove(place);
            if let Some((_, piece)) = self.pieces.last_mut()
                && let Some(action) = piece.actions.get_mut(made.at)
                && let Action::Stays(request) = *action
            {
                *action = Action::Own(request);
            }
            self.add(Action::Own(Request::Free(id)));
        } else if let Some(place) = self.before.iter().rposition(|own| *own == (id, true)) {
            self.before[place].1 = false;
            self.add(Action::Ends(u32::try_from(place).unwrap_or(u32::MAX)));
        }
    }

    fn begin(&mut self, step: u32) {
        self.end();
        self.pieces.push((step, Piece::default()));
    }

    /// The piece is whole.
    fn end(&mut self) {
        let before = self.before.len();
        let ended = (self.before.iter().enumerate()).filter(|(_, (_, lives))| !lives);
        let ended = ended.map(|(place, _)| u32::try_from(place).unwrap_or(u32::MAX));
        let ended: Vec<u32> = ended.collect();
        self.before.retain(|(_, lives)| *lives);
        self.before
            .extend(self.made.drain(..).map(|made| (made.id, true)));
        if let Some((_, piece)) = self.pieces.last_mut() {
            let added = self.before.len() + ended.len() - before;
            piece.change = Change {
                before,
                ended,
                added,
            };
            piece.number();
        }
    }
}

impl Piece {
    /// Numbers its own storages from 0 on; numbers of freed storages come again.
    fn number(&mut self) {
        let mut spare: Vec<u32> = Vec::new();
        let mut numbers: std::collections::BTreeMap<u32, u32> = std::collections::BTreeMap::new();
        for action in &mut self.actions {
            match action {
                Action::Own(Request::Alloc { id, .. }) => {
                    let number = spare.pop().unwrap_or_else(|| {
                        self.numbers += 1;
                        self.numbers - 1
                    });
                    numbers.insert(*id, number);
                    *id = number;
                }
                Action::Own(Request::Free(id)) => {
                    if let Some(number) = numbers.remove(id) {
                        spare.push(number);
                        *id = number;
                    }
                }
                _ => {}
            }
        }
        self.actions.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Scenario;
    use serde_json::json;

    #[test]
    fn the_cache_is_emptied_when_the_steps_begin_however_the_model_came() {
        for loading in ["none", "cpu", "device_map"] {
            let asked = json!({"model": "qwen2.5-0.5b", "model_overrides": {"num_hidden_layers": 2},
                "precision": "bf16", "seq_len": 64, "around": {"loading": loading}});
            let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
            let spec = crate::resolve::resolve(&scenario).spec.expect("facts");
            let trace = crate::sim::simulate(&spec);
            let pieces = Pieces::of(&trace, true).expect("pieces");
            let emptied = Action::Own(Request::EmptyCache);
            let actions = &pieces.loading.actions;
            assert_eq!(actions.last(), Some(&emptied), "{loading}");
            let times = actions.iter().filter(|action| **action == emptied);
            assert_eq!(times.count(), 1, "{loading}");
        }
    }
}

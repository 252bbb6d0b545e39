//! Streams: which one a storage belongs to, and which others use it.

use super::{Awaited, Backend, Event, Tape, Tensor};
use crate::units::{Stream, Wait};

impl Tape {
    /// An empty record that also keeps the waits of streams and of the host.
    pub fn with_waits(backend: Backend) -> Self {
        let tape = Self::new(backend);
        tape.recorder.keeps_waits.set(true);
        tape
    }

    /// A gradient came to a leaf of a stream.
    pub(super) fn leaf_ran(&self, stream: Stream) {
        let leaves = &self.recorder.leaves;
        leaves.set(leaves.get().with(stream));
    }

    /// Whoever has gone backward waits for the streams of leaves (`GraphTask::exec_post_processing`,
    /// `torch/csrc/autograd/engine.cpp`, torch 2.15).
    pub(super) fn wait_for_leaves(&self) {
        let leaves = self.recorder.leaves.take();
        for stream in Stream::all().filter(|&stream| leaves.contains(stream)) {
            self.wait_stream(self.stream(), stream);
        }
    }

    /// Runs `f` with `stream` as the current one, as `torch.cuda.stream` does: the storages that it allocates
    /// belong to that stream, wherever they are freed. What is recorded for backward goes backward on
    /// it, too.
    pub fn on_stream<R>(&self, stream: Stream, f: impl FnOnce() -> R) -> R {
        let before = self.recorder.set_stream(stream);
        let result = f();
        self.recorder.set_stream(before);
        result
    }

    /// The current stream.
    pub fn stream(&self) -> Stream {
        self.recorder.stream()
    }

    /// `x.record_stream(stream)`: that stream uses the storage, too, so that the caching allocator does not
    /// hand it out again before the stream is done with it.
    pub fn record_stream(&self, x: &Tensor, stream: Stream) {
        self.recorder.record_stream(x.storage_id(), stream);
    }

    /// `stream.wait_stream(until)`.
    #[inline]
    pub fn wait_stream(&self, stream: Stream, until: Stream) {
        if stream != until {
            self.wait(Wait::Stream { stream, until });
        }
    }

    /// The host waits for the current stream: it is synchronized, or a number is read.
    pub fn synchronize_stream(&self) {
        self.wait(Wait::Host(self.stream()));
    }

    /// The host waits for a stream; where waits are not recorded, it waits for all of them.
    pub fn synchronize_with(&self, stream: Stream) {
        if self.keeps_waits() {
            self.wait(Wait::Host(stream));
        } else {
            self.synchronize();
        }
    }

    /// Whether waits of streams and of the host are recorded.
    pub(super) fn keeps_waits(&self) -> bool {
        self.recorder.keeps_waits.get()
    }

    /// Records that a stream or the host waits, if waits are recorded.
    pub fn wait(&self, wait: Wait) {
        if self.keeps_waits() {
            self.recorder.note(Event::Wait(Awaited::of(wait)));
        }
    }

    /// `torch.cuda.synchronize()`: the host waits until all streams are done.
    pub fn synchronize(&self) {
        self.recorder.note(Event::Wait(Awaited::of(Wait::Device)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::{Category, RawStorage};
    use crate::units::{DType, Shape};

    const SIDE: Stream = Stream::side(3);

    fn written(program: impl FnOnce(&Tape)) -> Vec<RawStorage> {
        let tape = Tape::new(Backend::default());
        program(&tape);
        let (record, _) = tape.finish();
        record.written().iter().collect()
    }

    fn tensor(tape: &Tape) -> Tensor {
        tape.empty("empty", Shape::from([512]), DType::Float32)
    }

    #[test]
    fn a_storage_belongs_to_the_stream_that_was_current_when_it_was_made() {
        let storages = written(|tape| {
            let _before = tensor(tape);
            let there = tape.on_stream(SIDE, || {
                let there = tensor(tape);
                tape.on_stream(Stream::MAIN, || tensor(tape));
                there
            });
            tape.classify(there.storage_id(), Category::Communication);
        });
        let streams: Vec<Stream> = storages.iter().map(|storage| storage.stream).collect();
        assert_eq!(streams, [Stream::MAIN, SIDE, Stream::MAIN]);
        assert_eq!(storages[1].category, Category::Communication);
        assert!(storages.iter().all(|storage| storage.bytes == 2048));
    }

    #[test]
    fn only_a_stream_that_is_not_its_own_is_recorded_of_a_storage() {
        let storages = written(|tape| {
            for used in [Stream::MAIN, SIDE, Stream::side(1)] {
                let x = tape.on_stream(SIDE, || tensor(tape));
                tape.record_stream(&x, used);
                tape.record_stream(&x, SIDE);
            }
        });
        let recorded: Vec<bool> =
            (storages.iter().map(|storage| !storage.used_on.is_empty())).collect();
        assert_eq!(recorded, [true, false, true]);
    }

    #[test]
    fn storages_of_different_streams_never_stand_for_one_another() {
        let storages = written(|tape| {
            drop(tensor(tape));
            drop(tape.on_stream(SIDE, || tensor(tape)));
            let recorded = tensor(tape);
            tape.record_stream(&recorded, SIDE);
            drop(recorded);
            drop(tensor(tape));
        });
        let &[one, aside, recorded, other] = storages.as_slice() else {
            panic!("four storages");
        };
        assert_eq!(aside.further(one, 1), None);
        assert_eq!(recorded.further(one, 1), None);
        assert_eq!(other.further(one, 1), Some(other));
    }
}

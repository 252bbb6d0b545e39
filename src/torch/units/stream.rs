//! CUDA streams by number.

/// A CUDA stream of a device: the main one, PyTorch's default, or one of seven beside it, such as those on
/// which collectives gather and reduce. The caching allocator keeps the blocks of each apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stream(u8);

impl Stream {
    /// The main stream.
    pub const MAIN: Self = Self(0);
    /// How many there are.
    pub const COUNT: u8 = 8;

    /// The side stream with a number from 1 to 7. Streams that do something get the lowest numbers.
    ///
    /// # Panics
    /// For any other number; in a constant that is an error of the compiler.
    pub const fn side(number: u8) -> Self {
        assert!(number > 0 && number < Self::COUNT, "streams are few");
        Self(number)
    }

    /// All of them, the main one first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(Self)
    }

    /// Its number, 0 for the main one.
    #[inline]
    pub const fn number(self) -> u8 {
        self.0
    }
}

/// Streams that use something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Streams(u8);

impl Streams {
    /// Not any.
    pub const NONE: Self = Self(0);

    /// These and one more.
    #[must_use]
    pub const fn with(self, stream: Stream) -> Self {
        Self(self.0 | 1 << stream.0)
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a stream is one of them.
    #[inline]
    pub const fn contains(self, stream: Stream) -> bool {
        self.0 & 1 << stream.0 != 0
    }

    /// A bit for each, from the main stream on.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The set of the given bits.
    #[inline]
    pub const fn of_bits(bits: u8) -> Self {
        Self(bits)
    }
}

/// The waiter for the work that streams have been given so far. Where nobody waits, a stream may have done none of it
/// yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Work given to `stream` from here on comes after work given to `until`: `stream.wait_stream(until)`.
    Stream {
        /// Who waits.
        stream: Stream,
        /// For whom.
        until: Stream,
    },
    /// The host waits for a stream: `stream.synchronize()`, or a number that is read.
    Host(Stream),
    /// The host waits for all streams.
    Device,
    /// An event is recorded on a stream, which the host can wait for.
    Event(Queue, Stream),
    /// The host waits for the oldest event of a queue, where there are too many.
    Limit(Queue),
}

/// Events that the host lets run on, up to a number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// Of gathered parameters that FSDP1 has freed (`_FreeEventQueue`, `torch/distributed/fsdp/_limiter_utils.py`,
    /// torch 2.15).
    Frees,
    /// Of parameters that `ZeRO` 3 gathers (`__ongoing_fetch_events`, `partitioned_param_coordinator.py`, deepspeed 0.19.8).
    Fetches,
    /// Of gradients that it reduces (`param_reduce_events`, `stage3.py`).
    Reductions,
}

impl Queue {
    /// All queues.
    pub const ALL: [Self; 3] = [Self::Frees, Self::Fetches, Self::Reductions];

    /// The number of outstanding events at which the host waits for the oldest.
    pub const fn too_many(self) -> usize {
        match self {
            Self::Frees => 2,
            Self::Fetches | Self::Reductions => 3,
        }
    }

    /// Whether complete events are removed before the outstanding ones are counted.
    pub const fn drops_complete(self) -> bool {
        !matches!(self, Self::Frees)
    }
}

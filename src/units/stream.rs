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

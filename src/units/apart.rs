//! Values made in functions of their own.

/// Makes a value apart from the function that chooses what to make, so that the page can fetch the
/// code when its first estimate is there: `xtask/src/split` tells it by the value's type.
#[inline(never)]
pub(crate) fn apart<T>(make: impl FnOnce() -> T) -> T {
    make()
}

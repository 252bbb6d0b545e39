//! Scales that hold still while a setting is being dragged.

use crate::units::Bytes;

/// A scale grows to this many times the value that left it, as a fraction: it grows seldom.
const GROWTH: (u64, u64) = (5, 4);

/// The need that a scale shows. It follows the run, but while a gesture goes on, it only grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    need: Bytes,
    going: bool,
}

impl Held {
    /// The scale after a change to a run that takes `need`, while a gesture is `going` on or not.
    #[must_use]
    pub fn next(before: Option<&Self>, need: Bytes, going: bool) -> Self {
        let (times, of) = GROWTH;
        let need = match before {
            Some(before) if going && need <= before.need => before.need,
            Some(_) if going => Bytes(need.get().saturating_mul(times) / of),
            _ => need,
        };
        Self { need, going }
    }

    /// The least that the scale shows, whatever the run takes.
    pub fn least(self) -> Option<Bytes> {
        self.going.then_some(self.need)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_holds_still_in_a_gesture_grows_when_a_value_leaves_it_and_settles_after() {
        let rests = Held::next(None, Bytes(100), false);
        assert_eq!(rests.least(), None);
        let smaller = Held::next(Some(&rests), Bytes(40), true);
        assert_eq!(smaller.least(), Some(Bytes(100)));
        let larger = Held::next(Some(&smaller), Bytes(120), true);
        assert_eq!(larger.least(), Some(Bytes(150)));
        let inside = Held::next(Some(&larger), Bytes(140), true);
        assert_eq!(inside.least(), Some(Bytes(150)));
        assert_eq!(Held::next(Some(&inside), Bytes(140), false).least(), None);
    }
}

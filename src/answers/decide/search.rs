//! Looking for the last place on a line that fits.

use super::question::Progress;
use std::collections::BTreeSet;

/// The result at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It fits.
    Fits,
    /// It does not fit.
    Short,
    /// It is refused; a repair leads to another place.
    Refused(Option<u64>),
}

/// The last place from `first` to `last` that fits, where those further on take more memory, found by doubling
/// and bisection.
///
/// At the end the place fits, and the next that is not refused does not. Where `aligned`, nor do the next
/// multiples of 2, 4, 8, ... 256, which can take less than their neighbours: the first of them that fits is
/// where the search goes on. Refused places are stepped over, downwards to the nearest that is not.
#[derive(Clone, Debug)]
pub(super) struct Search {
    first: u64,
    last: u64,
    start: u64,
    aligned: bool,
    /// The furthest place that fits.
    fits: Option<u64>,
    /// All places between that and this one are refused.
    floor: u64,
    /// Places that do not fit.
    short: BTreeSet<u64>,
    /// From here on all is taken to be refused.
    ceiling: Option<u64>,
    /// Multiples of powers of two that are refused.
    refused: BTreeSet<u64>,
    /// How often a multiple of a power of two fitted further on.
    raised: u32,
    /// Whether nothing at all can be looked at.
    nowhere: bool,
}

/// How many refused places are stepped over at most.
const STEPS: u64 = 512;

/// The largest power of two, by its exponent, that multiples are tried of.
const ALIGNMENTS: u32 = 8;

/// How often the search goes on from a multiple that fits.
const RAISES: u32 = 32;

/// The next work.
enum Next {
    /// The nearest place from here down to above another, where there is one.
    Down { from: u64, above: Option<u64> },
    /// The nearest place from the first on, up to another.
    Up { until: u64 },
    /// This place.
    At(u64),
    /// Nothing.
    Done,
}

impl Search {
    /// A search that begins at `start`.
    pub(super) fn new([first, last]: [u64; 2], start: u64, aligned: bool) -> Self {
        Self {
            first,
            last: last.max(first),
            start: start.clamp(first, last.max(first)),
            aligned,
            fits: None,
            floor: first,
            short: BTreeSet::new(),
            ceiling: None,
            refused: BTreeSet::new(),
            raised: 0,
            nowhere: false,
        }
    }

    /// The furthest place that is known to fit.
    pub(super) fn fits(&self) -> Option<u64> {
        self.fits
    }

    /// Whether a place beyond the furthest that fits is known not to fit.
    pub(super) fn is_short_beyond(&self) -> bool {
        self.beyond().is_some()
    }

    /// Whether no place could be looked at: all are refused.
    pub(super) fn is_refused(&self) -> bool {
        self.fits.is_none() && self.short.is_empty()
    }

    /// Looks at one more place; nothing is found there while it waits to be known.
    pub(super) fn advance(&mut self, look: impl FnMut(u64) -> Option<Found>) -> Progress {
        match self.next() {
            Next::Done => Progress::Done,
            next => match self.look(&next, look) {
                Some(()) => Progress::Further,
                None => Progress::Waits,
            },
        }
    }

    /// Looks there; nothing is changed where it waits.
    fn look(&mut self, next: &Next, mut look: impl FnMut(u64) -> Option<Found>) -> Option<()> {
        match *next {
            Next::Done => {}
            Next::At(place) => match look(place)? {
                Found::Fits => {
                    self.raised += 1;
                    self.fit(place, place);
                }
                Found::Short => {
                    self.short.insert(place);
                }
                Found::Refused(_) => {
                    self.refused.insert(place);
                }
            },
            Next::Down { from, above } => self.down(from, above, look)?,
            Next::Up { until } => {
                let places = (self.first..until).take(usize::try_from(STEPS).unwrap_or(1));
                for place in places {
                    match look(place)? {
                        Found::Fits => {
                            self.fit(place, place);
                            return Some(());
                        }
                        Found::Short => {
                            self.short.insert(place);
                            break;
                        }
                        Found::Refused(_) => {}
                    }
                }
                self.nowhere = true;
            }
        }
        Some(())
    }

    /// The nearest place that does not fit beyond the furthest that does.
    fn beyond(&self) -> Option<u64> {
        let from = self.fits.map_or(0, |fits| fits.saturating_add(1));
        self.short.range(from..).next().copied()
    }

    fn next(&self) -> Next {
        if self.nowhere {
            return Next::Done;
        }
        let Some(fits) = self.fits else {
            return match self.short.first() {
                None => Next::Down {
                    from: self.start,
                    above: None,
                },
                Some(&short) if short > self.first => Next::Up { until: short },
                Some(_) => Next::Done,
            };
        };
        let end = match (self.beyond(), self.ceiling) {
            (Some(short), Some(ceiling)) => Some(short.min(ceiling)),
            (short, ceiling) => short.or(ceiling),
        };
        let above = Some(self.floor);
        match end {
            None if self.floor >= self.last => Next::Done,
            None => Next::Down {
                from: fits.saturating_mul(2).clamp(self.floor + 1, self.last),
                above,
            },
            Some(end) if end - self.floor > 1 => Next::Down {
                from: self.floor + (end - self.floor) / 2,
                above,
            },
            Some(end) => self.multiple_after(end).map_or(Next::Done, Next::At),
        }
    }

    /// The next multiple of a power of two after a place that has not been looked at.
    fn multiple_after(&self, place: u64) -> Option<u64> {
        if !self.aligned || self.raised >= RAISES || !self.short.contains(&place) {
            return None;
        }
        let until = self.ceiling.unwrap_or(u64::MAX).min(self.last);
        (1..=ALIGNMENTS)
            .filter_map(|power| place.checked_add(1)?.checked_next_multiple_of(1 << power))
            .find(|multiple| {
                *multiple <= until
                    && !self.short.contains(multiple)
                    && !self.refused.contains(multiple)
            })
    }

    /// `place` fits, and all between it and `floor` is refused.
    fn fit(&mut self, place: u64, floor: u64) {
        self.fits = Some(place);
        self.floor = floor;
    }

    /// Looks at the nearest place from `from` down that is not refused and lies above another.
    fn down(
        &mut self,
        from: u64,
        above: Option<u64>,
        mut look: impl FnMut(u64) -> Option<Found>,
    ) -> Option<()> {
        let lowest = above.map_or(self.first, |above| above + 1);
        let (mut place, mut each) = (from, true);
        for _ in 0..STEPS {
            match look(place)? {
                Found::Fits => {
                    self.fit(place, if each { from } else { place });
                    return Some(());
                }
                Found::Short => {
                    self.short.insert(place);
                    return Some(());
                }
                Found::Refused(Some(repair)) if (lowest..place).contains(&repair) => {
                    each = each && repair + 1 == place;
                    place = repair;
                }
                Found::Refused(_) if place > lowest => place -= 1,
                Found::Refused(_) => {
                    // All of it is refused.
                    match above {
                        Some(_) if each => self.floor = from,
                        Some(_) => self.ceiling = Some(from),
                        None => self.up_after(from, look)?,
                    }
                    return Some(());
                }
            }
        }
        if above.is_some() {
            self.ceiling = Some(from);
            return Some(());
        }
        self.up_after(from, look)
    }

    /// Nothing up to `from` can be looked at: the nearest place after it.
    fn up_after(&mut self, from: u64, mut look: impl FnMut(u64) -> Option<Found>) -> Option<()> {
        let end = from.saturating_add(STEPS).min(self.last);
        for place in from.saturating_add(1)..=end {
            match look(place)? {
                Found::Fits => {
                    self.fit(place, place);
                    return Some(());
                }
                Found::Short => {
                    self.short.insert(place);
                    return Some(());
                }
                Found::Refused(_) => {}
            }
        }
        self.nowhere = true;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer, whether something beyond does not fit, and how many places were looked at.
    fn found(
        [first, last, start]: [u64; 3],
        look: impl Fn(u64) -> Found,
    ) -> (Option<u64>, bool, u32) {
        let mut looked = 0;
        let mut search = Search::new([first, last], start, true);
        while search.advance(|place| {
            looked += 1;
            Some(look(place))
        }) == Progress::Further
        {}
        (search.fits(), search.is_short_beyond(), looked)
    }

    fn up_to(most: u64) -> impl Fn(u64) -> Found {
        move |place| {
            if place <= most {
                Found::Fits
            } else {
                Found::Short
            }
        }
    }

    #[test]
    fn the_last_that_fits_is_found_wherever_the_search_begins() {
        for most in (1..200).chain([1000, 4095, 4096]) {
            for start in [1, 7, 64, 5000] {
                let (fits, ends, looked) = found([1, 1 << 20, start], up_to(most));
                assert_eq!((fits, ends), (Some(most), true), "from {start}");
                assert!(looked < 42, "{looked} for {most} from {start}");
            }
        }
    }

    #[test]
    fn where_nothing_fits_there_is_no_answer_and_where_all_does_it_is_the_last() {
        assert_eq!(found([1, 100, 8], up_to(0)), (None, true, 2));
        let (fits, ends, _) = found([1, 100, 8], up_to(1000));
        assert_eq!((fits, ends), (Some(100), false));
        assert_eq!(found([5, 5, 5], up_to(5)).0, Some(5));
        assert_eq!(found([0, 0, 3], up_to(0)).0, Some(0));
    }

    #[test]
    fn refused_places_are_stepped_over() {
        for most in 1..100 {
            let look = |place: u64| {
                if place.is_multiple_of(12) {
                    up_to(most * 12)(place)
                } else {
                    Found::Refused(None)
                }
            };
            for start in [1, 12, 13, 600] {
                let (fits, ends, _) = found([1, 1 << 20, start], look);
                assert_eq!((fits, ends), (Some(most * 12), true), "from {start}");
            }
        }
    }

    #[test]
    fn repairs_lead_over_what_is_far_from_anything_allowed() {
        let look = |place: u64| match place {
            1 | 2 | 4 | 8 | 16 | 1024 => up_to(16)(place),
            _ => Found::Refused([1024, 16, 8, 4, 2, 1].into_iter().find(|one| *one < place)),
        };
        assert_eq!(found([1, 1 << 20, 3], look).0, Some(16));
        // All values after it are refused.
        let end = |place: u64| match place {
            0..=2048 => Found::Fits,
            _ => Found::Refused(Some(2048)),
        };
        let (fits, ends, _) = found([1, 1 << 24, 256], end);
        assert_eq!((fits, ends), (Some(2048), false));
    }

    #[test]
    fn a_place_that_fits_behind_one_that_does_not_is_found_where_it_is_a_multiple() {
        let look = |place: u64| match place {
            1001..=1007 | 1009..=1015 => Found::Short,
            _ => up_to(1016)(place),
        };
        assert_eq!(found([1, 1 << 20, 1], look).0, Some(1016));
    }

    #[test]
    fn places_that_change_at_each_step_come_to_an_end() {
        let look = |place: u64| match place % 2 {
            0 => Found::Fits,
            _ => Found::Short,
        };
        let (fits, ..) = found([1, 1 << 20, 1], look);
        assert!(fits.is_none_or(|place| place.is_multiple_of(2)));
        let nothing = |_: u64| Found::Refused(None);
        assert_eq!(found([1, 1 << 20, 77], nothing).0, None);
    }
}

//! How the elements of a list repeat.

/// Of the elements of a list the first `head` may differ from all others; each of the others repeats the one `period`
/// before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// Elements before the first that repeats.
    pub head: u64,
    /// Elements after which they do the same again, at least 1.
    pub period: u64,
}

impl Repetition {
    /// All elements are alike.
    pub const ALIKE: Self = Self { head: 0, period: 1 };

    /// The repetition of elements of these `kinds`: the shortest head before the first element that repeats, and the
    /// shortest period.
    pub fn of_kinds<K: PartialEq>(kinds: &[K]) -> Self {
        let repeating = |period: usize| {
            let differ = |at: &usize| kinds[*at] != kinds[at + period];
            let last = (0..kinds.len() - period).rfind(differ);
            Self {
                head: last.map_or(0, |at| at as u64 + 1),
                period: period as u64,
            }
        };
        let built = |found: Self| found.head + 2 * found.period;
        let (mut best, mut period) = (None, 1);
        while period < kinds.len() && best.is_none_or(|best| 2 * (period as u64) < built(best)) {
            let found = repeating(period);
            best = best
                .filter(|&best| built(best) <= built(found))
                .or(Some(found));
            period += 1;
        }
        best.unwrap_or(Self::ALIKE)
    }

    /// Moves the first element that repeats to `head` at least.
    pub fn after(self, head: u64) -> Self {
        Self {
            head: self.head.max(head),
            ..self
        }
    }

    /// Lets every `n`th element differ, too.
    pub fn with_every(self, n: u64) -> Self {
        let (mut one, mut other) = (self.period, n.max(1));
        while other > 0 {
            (one, other) = (other, one % other);
        }
        Self {
            period: (self.period / one).saturating_mul(n.max(1)),
            ..self
        }
    }

    /// The index of the first of `count` elements from which on whole periods follow each other to the end.
    pub fn first(self, count: u64) -> u64 {
        self.head + count.saturating_sub(self.head) % self.period
    }

    /// How many periods `count` elements have.
    pub fn periods(self, count: u64) -> u64 {
        count.saturating_sub(self.head) / self.period
    }

    /// The first element that is as the one at `index` is.
    pub fn like(self, index: usize) -> usize {
        let (head, period) = (usize::try_from(self.head), usize::try_from(self.period));
        match (head, period) {
            (Ok(head), Ok(period)) if index >= head => head + (index - head) % period,
            _ => index,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Repetition;

    fn of(kinds: &str) -> [u64; 2] {
        let found = Repetition::of_kinds(kinds.as_bytes());
        [found.head, found.period]
    }

    #[test]
    fn the_shortest_period_is_found_after_what_differs() {
        assert_eq!(of("aaaaaaaa"), [0, 1]);
        assert_eq!(of("dddmmmmmmm"), [3, 1]);
        assert_eq!(of("abababab"), [0, 2]);
        assert_eq!(of("cababababa"), [1, 2]);
        assert_eq!(of("wwwwwfwwwwwfwwwwwfwwwwwfww"), [0, 6]);
        assert_eq!(of("a"), [0, 1]);
        assert_eq!(of(""), [0, 1]);
    }

    #[test]
    fn whole_periods_end_with_the_list() {
        let sixes = Repetition { head: 1, period: 6 };
        assert_eq!((sixes.first(62), sixes.periods(62)), (2, 10));
        assert_eq!(sixes.with_every(4).period, 12);
        assert_eq!(sixes.with_every(1), sixes);
        assert_eq!(
            [0, 1, 6, 7, 61].map(|index| sixes.like(index)),
            [0, 1, 6, 1, 1]
        );
    }
}

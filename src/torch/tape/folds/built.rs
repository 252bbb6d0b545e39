//! The elements of a folded list that are built, and the element that something belongs to.

/// How many elements of a folded list are built: two in the middle that are compared, the others at
/// the ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Built {
    /// Elements at each end.
    pub(in crate::tape) side: usize,
    /// Whether those have as many modules as the others, not one.
    pub(in crate::tape) whole: bool,
}

impl Built {
    /// One element at each end.
    pub const FEW: Self = Self {
        side: 1,
        whole: false,
    };
    /// Two elements at each end: whatever an end leaves to its neighbour can make that differ from the others.
    pub const MORE: Self = Self {
        side: 2,
        whole: false,
    };
    /// One element at each end, each with modules of all kinds: then each can have likes as neighbours.
    pub const WHOLE: Self = Self {
        side: 1,
        whole: true,
    };
    /// All ways, from the fewest elements on.
    pub const ALL: [Self; 3] = [Self::FEW, Self::MORE, Self::WHOLE];
    /// The most elements.
    const MOST: usize = 6;

    pub(in crate::tape) fn count(self) -> usize {
        2 * self.side + 2
    }

    /// The element that all left-out elements are copies of; the next one is compared with it.
    pub(in crate::tape) fn pattern(self) -> usize {
        self.side
    }

    /// All built elements.
    pub(in crate::tape) fn elements(self) -> std::ops::Range<usize> {
        0..self.count()
    }

    /// Whether an element is not one of the two that are compared.
    pub(in crate::tape) fn is_end(self, element: usize) -> bool {
        !(self.pattern()..=self.pattern() + 1).contains(&element)
    }

    /// The element that comes as `step` of a sweep, or the step of an element.
    pub(in crate::tape) fn passed(self, rising: bool, step: usize) -> usize {
        if rising {
            step
        } else {
            self.count() - 1 - step
        }
    }

    /// The index in a whole list of `count` of an element of the folded one.
    pub(in crate::tape) fn place(self, element: usize, count: usize) -> usize {
        if element > self.pattern() {
            element + count - self.count()
        } else {
            element
        }
    }

    /// The places of a list of `count` that the folded one leaves out.
    pub(in crate::tape) fn left_out(self, count: usize) -> std::ops::Range<usize> {
        let first = self.pattern() + 1;
        first..first + count - self.count()
    }

    /// The element of the folded list that represents the one at `place` in the whole list.
    pub(in crate::tape) fn element(self, place: usize, count: usize) -> usize {
        if place >= self.left_out(count).end {
            place - (count - self.count())
        } else {
            place.min(self.pattern())
        }
    }
}

/// The element of a folded list that something belongs to, if to any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::tape) struct Tag(u16);

impl Tag {
    /// The tag of something that belongs to no list.
    pub(in crate::tape) const NONE: Self = Self(0);
    /// The tag of something in a list, before the elements of it that are folded.
    pub(in crate::tape) const BESIDE: Self = Self(u16::MAX);

    pub(in crate::tape) fn of(list: usize, element: usize) -> Self {
        u16::try_from((list + 1) * Built::MOST + element).map_or(Self::NONE, Self)
    }

    /// The member that it tags.
    pub(in crate::tape) fn split(self) -> Option<Member> {
        let all = usize::from(self.0);
        let list = (all / Built::MOST).checked_sub(1)?;
        Some(Member {
            list,
            element: all % Built::MOST,
        })
    }
}

/// An element of a list that is folded.
#[derive(Clone, Copy)]
pub(in crate::tape) struct Member {
    pub(in crate::tape) list: usize,
    pub(in crate::tape) element: usize,
}

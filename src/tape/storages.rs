//! What a record knows of its storages, in eight bytes each: records of large models have millions.

use super::Category;
use std::ops::Range;

/// What the record knows of a storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawStorage {
    /// Bytes asked for.
    pub bytes: u64,
    /// What it is for, as far as is known; [`Category::Temporaries`] until somebody says more.
    pub category: Category,
    /// Index in the list of scopes.
    pub scope: u32,
    /// Whether it is alive.
    pub alive: bool,
}

impl RawStorage {
    /// What comes so many times after it, its scope as much further as it is from `before`, where those
    /// two are alike.
    pub(super) fn further(self, before: Self, times: u32) -> Option<Self> {
        let step = self.scope.wrapping_sub(before.scope);
        let alike = Self {
            scope: self.scope,
            ..before
        };
        (alike == self).then(|| Self {
            scope: self.scope.wrapping_add(step.wrapping_mul(times)),
            ..self
        })
    }
}

/// Storages in order, by where they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Storages {
    all: Vec<Packed>,
    /// Bytes of those that are too large to be written with them.
    large: Vec<u64>,
}

/// A storage in eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed {
    /// Its bytes below [`LARGE`], from there on where they are listed.
    bytes: u32,
    /// From the lowest bit on: whether it is alive, its category, and its scope, below 2^26.
    what: u32,
}

/// Adds to a list of which no more than a fifth is to stay empty, once it is long.
#[inline]
pub(super) fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        grow(list);
    }
    list.push(item);
}

#[cold]
fn grow<T>(list: &mut Vec<T>) {
    let count = list.len();
    list.reserve_exact(if count < LONG {
        count.max(64)
    } else {
        count / 4
    });
}

/// Items of a long list.
const LONG: usize = 1 << 16;

/// From so many bytes on they are listed apart: what is left counts 2^28 of them.
const LARGE: u32 = 0xF000_0000;
const ALIVE: u32 = 1;
const CATEGORY_BITS: u32 = 5;
const CATEGORY: u32 = ((1 << CATEGORY_BITS) - 1) << 1;

impl Packed {
    #[inline]
    fn is_alive(self) -> bool {
        self.what & ALIVE != 0
    }

    #[inline]
    fn category(self) -> Category {
        let number = (self.what & CATEGORY) >> 1;
        let category = Category::ALL.get(number as usize);
        category.copied().unwrap_or(Category::Temporaries)
    }

    #[inline]
    fn scope(self) -> u32 {
        self.what >> (CATEGORY_BITS + 1)
    }

    fn set_category(&mut self, category: Category) {
        self.what = self.what & !CATEGORY | (category as u32) << 1;
    }
}

impl Storages {
    /// How many are written.
    #[inline]
    pub fn count(&self) -> usize {
        self.all.len()
    }

    pub(super) fn push(&mut self, storage: RawStorage) {
        let bytes = match u32::try_from(storage.bytes) {
            Ok(bytes) if bytes < LARGE => bytes,
            _ => {
                if self.large.last() != Some(&storage.bytes) {
                    self.large.push(storage.bytes);
                }
                let last = u32::try_from(self.large.len() - 1);
                last.map_or(u32::MAX, |last| LARGE.saturating_add(last))
            }
        };
        let mut packed = Packed {
            bytes,
            what: storage.scope << (CATEGORY_BITS + 1) | u32::from(storage.alive),
        };
        packed.set_category(storage.category);
        push(&mut self.all, packed);
    }

    /// Makes room for so many more.
    pub(super) fn reserve(&mut self, count: usize) {
        self.all.reserve_exact(count);
    }

    /// Takes some out.
    pub(super) fn remove(&mut self, range: Range<usize>) {
        self.all.drain(range);
    }

    /// The bytes of the one at a place; 0 where there is none.
    #[inline]
    pub fn bytes(&self, at: usize) -> u64 {
        self.all.get(at).map_or(0, |packed| self.bytes_of(*packed))
    }

    #[inline]
    fn bytes_of(&self, packed: Packed) -> u64 {
        match packed.bytes.checked_sub(LARGE) {
            None => packed.bytes.into(),
            Some(at) => self.large.get(at as usize).copied().unwrap_or(u64::MAX),
        }
    }

    /// Whether the one at a place is alive.
    #[inline]
    pub fn is_alive(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|packed| packed.is_alive())
    }

    /// The one at a place.
    #[inline]
    pub fn get(&self, at: usize) -> Option<RawStorage> {
        self.all.get(at).map(|&packed| self.unpacked(packed))
    }

    #[inline]
    fn unpacked(&self, packed: Packed) -> RawStorage {
        RawStorage {
            bytes: self.bytes_of(packed),
            category: packed.category(),
            scope: packed.scope(),
            alive: packed.is_alive(),
        }
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = RawStorage> + '_ {
        self.all.iter().map(|&packed| self.unpacked(packed))
    }

    /// Those at some places.
    pub(super) fn between(&self, range: Range<usize>) -> impl Iterator<Item = RawStorage> + '_ {
        let some = self.all.get(range).unwrap_or_default();
        some.iter().map(|&packed| self.unpacked(packed))
    }

    /// Those that are alive, with their places.
    pub fn living(&self) -> impl Iterator<Item = (usize, RawStorage)> + '_ {
        let all = self.all.iter().enumerate();
        let living = all.filter(|(_, packed)| packed.is_alive());
        living.map(|(at, &packed)| (at, self.unpacked(packed)))
    }

    /// Says of those that are alive what they are for, by what has been known.
    pub fn classify_living(&mut self, category: impl Fn(Category) -> Category) {
        for packed in self.all.iter_mut().filter(|packed| packed.is_alive()) {
            packed.set_category(category(packed.category()));
        }
    }

    /// Says what the one at a place is for.
    pub(super) fn classify(&mut self, at: usize, category: Category) {
        if let Some(packed) = self.all.get_mut(at) {
            packed.set_category(category);
        }
    }

    /// The one at a place is freed: its scope.
    pub(super) fn free(&mut self, at: usize) -> Option<u32> {
        let packed = self.all.get_mut(at)?;
        packed.what &= !ALIVE;
        Some(packed.scope())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storages_are_read_as_they_were_written() {
        let mut storages = Storages::default();
        let sizes = [
            0,
            1,
            512,
            u64::from(LARGE) - 1,
            u64::from(LARGE),
            1 << 40,
            1 << 40,
        ];
        let all: Vec<RawStorage> = (sizes.iter().zip(Category::ALL.iter().rev()).zip(0..))
            .map(|((&bytes, &category), n)| RawStorage {
                bytes,
                category,
                scope: n * 0x7F_FFFF,
                alive: n % 2 == 0,
            })
            .collect();
        for &storage in &all {
            storages.push(storage);
        }
        assert!(storages.iter().eq(all.iter().copied()));
        assert_eq!(storages.get(all.len()), None);
        storages.free(2);
        storages.classify(2, Category::Logits);
        let changed = storages.get(2).map(|s| (s.bytes, s.category, s.alive));
        assert_eq!(changed, Some((512, Category::Logits, false)));
    }
}

//! A record's facts of its storages, in eight bytes each: records of large models have millions.

#![allow(
    clippy::inline_always,
    reason = "every event of a run passes here, and the page is compiled for size"
)]

use super::Category;
use crate::units::{Stream, Streams};
use std::ops::Range;

/// A record's facts of a storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawStorage {
    /// Bytes asked for.
    pub bytes: u64,
    /// The stream that it belongs to.
    pub stream: Stream,
    /// Other streams that use it.
    pub used_on: Streams,
    /// Its purpose, as far as it is known; [`Category::Temporaries`] until somebody says more.
    pub category: Category,
    /// Index in the list of scopes.
    pub scope: u32,
    /// Whether it is alive.
    pub alive: bool,
}

impl RawStorage {
    /// The storage `times` turns later: its scope moves in each turn by the distance from that of `before`. `None`
    /// where this storage and `before` differ in more than their scopes.
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
    /// The requests for storages whose bytes do not fit into the packed form, or that are used on other streams than
    /// the main one.
    apart: Vec<Asked>,
}

/// The request to the caching allocator for a storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Bytes.
    pub bytes: u64,
    /// The stream that it belongs to.
    pub stream: Stream,
    /// Other streams that use it.
    pub used_on: Streams,
}

/// A storage in eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed {
    /// Its bytes below [`APART`]; from there on, `APART` plus its index in the list of large requests.
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

/// Bytes from which on a request is listed apart: the numbers above count 2^28 of them.
const APART: u32 = 0xF000_0000;
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
        let asked = Asked {
            bytes: storage.bytes,
            stream: storage.stream,
            used_on: storage.used_on,
        };
        let mut packed = Packed {
            bytes: self.written(asked),
            what: storage.scope << (CATEGORY_BITS + 1) | u32::from(storage.alive),
        };
        packed.set_category(storage.category);
        push(&mut self.all, packed);
    }

    /// The written form of a request.
    fn written(&mut self, asked: Asked) -> u32 {
        match u32::try_from(asked.bytes) {
            Ok(bytes)
                if bytes < APART && asked.stream == Stream::MAIN && asked.used_on.is_empty() =>
            {
                bytes
            }
            _ => {
                if self.apart.last() != Some(&asked) {
                    self.apart.push(asked);
                }
                let last = u32::try_from(self.apart.len() - 1);
                last.map_or(u32::MAX, |last| APART.saturating_add(last))
            }
        }
    }

    /// Adds copies of the storages at some places, as storages that are not alive.
    pub(super) fn again(&mut self, places: Range<usize>) {
        let first = self.all.len();
        self.all.extend_from_within(places);
        for packed in &mut self.all[first..] {
            packed.what &= !ALIVE;
        }
    }

    /// Marks the storage at a place as alive.
    pub(super) fn live(&mut self, at: usize) {
        if let Some(packed) = self.all.get_mut(at) {
            packed.what |= ALIVE;
        }
    }

    /// Makes room for `count` more.
    pub(super) fn reserve(&mut self, count: usize) {
        self.all.reserve_exact(count);
    }

    /// Takes some out.
    pub(super) fn remove(&mut self, range: Range<usize>) {
        self.all.drain(range);
    }

    /// The request for the storage at a place; empty where there is none.
    #[inline(always)]
    pub fn asked(&self, at: usize) -> Asked {
        let bytes = self.all.get(at).map_or(0, |packed| packed.bytes);
        self.read(bytes)
    }

    #[inline(always)]
    fn read(&self, written: u32) -> Asked {
        let of_main = |bytes| Asked {
            bytes,
            stream: Stream::MAIN,
            used_on: Streams::NONE,
        };
        match written.checked_sub(APART) {
            None => of_main(written.into()),
            Some(at) => (self.apart.get(at as usize).copied()).unwrap_or(of_main(u64::MAX)),
        }
    }

    /// Whether `other` has the same storages but for their bytes.
    pub(super) fn differs_in_bytes_only(&self, other: &Self) -> bool {
        let streams = |of: &Self, packed: &Packed| {
            let asked = of.read(packed.bytes);
            (asked.stream, asked.used_on)
        };
        let mut both = self.all.iter().zip(&other.all);
        self.all.len() == other.all.len()
            && both
                .all(|(one, two)| one.what == two.what && streams(self, one) == streams(other, two))
    }

    /// These storages with other bytes, in order.
    pub(super) fn with_bytes(&self, bytes: impl Iterator<Item = u64>) -> Self {
        let mut storages = Self::default();
        storages.reserve(self.all.len());
        for (&packed, bytes) in self.all.iter().zip(bytes) {
            let asked = self.read(packed.bytes);
            let bytes = storages.written(Asked { bytes, ..asked });
            storages.all.push(Packed { bytes, ..packed });
        }
        storages
    }

    /// Whether streams use some that belong to others.
    pub fn share_streams(&self) -> bool {
        self.apart.iter().any(|asked| !asked.used_on.is_empty())
    }

    /// Whether the one at a place is alive.
    #[inline]
    pub fn is_alive(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|packed| packed.is_alive())
    }

    /// The storage at a place.
    #[inline]
    pub fn get(&self, at: usize) -> Option<RawStorage> {
        self.all.get(at).map(|&packed| self.unpacked(packed))
    }

    #[inline]
    fn unpacked(&self, packed: Packed) -> RawStorage {
        let Asked {
            bytes,
            stream,
            used_on,
        } = self.read(packed.bytes);
        RawStorage {
            bytes,
            stream,
            used_on,
            category: packed.category(),
            scope: packed.scope(),
            alive: packed.is_alive(),
        }
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = RawStorage> + '_ {
        self.all.iter().map(|&packed| self.unpacked(packed))
    }

    /// Storages at some places.
    pub(super) fn between(&self, range: Range<usize>) -> impl Iterator<Item = RawStorage> + '_ {
        let some = self.all.get(range).unwrap_or_default();
        some.iter().map(|&packed| self.unpacked(packed))
    }

    /// Storages that are alive, with their places.
    pub fn living(&self) -> impl Iterator<Item = (usize, RawStorage)> + '_ {
        let all = self.all.iter().enumerate();
        let living = all.filter(|(_, packed)| packed.is_alive());
        living.map(|(at, &packed)| (at, self.unpacked(packed)))
    }

    /// Sets the category of all live storages, by their present one.
    pub fn classify_living(&mut self, category: impl Fn(Category) -> Category) {
        self.classify_living_since(0, category);
    }

    /// Sets the category of the live storages from index `place` on, by their present one.
    pub fn classify_living_since(&mut self, place: usize, category: impl Fn(Category) -> Category) {
        let since = self.all.get_mut(place..).unwrap_or_default();
        for packed in since.iter_mut().filter(|packed| packed.is_alive()) {
            packed.set_category(category(packed.category()));
        }
    }

    /// Sets the category of the storage at a place.
    pub(super) fn classify(&mut self, at: usize, category: Category) {
        if let Some(packed) = self.all.get_mut(at) {
            packed.set_category(category);
        }
    }

    /// Notes that a stream uses the storage at a place.
    pub(super) fn record_stream(&mut self, at: usize, stream: Stream) {
        let mut asked = self.asked(at);
        if asked.stream == stream || asked.used_on.contains(stream) {
            return;
        }
        asked.used_on = asked.used_on.with(stream);
        let written = self.written(asked);
        if let Some(packed) = self.all.get_mut(at) {
            packed.bytes = written;
        }
    }

    /// Marks the storage at a place as freed, and returns its scope.
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
            u64::from(APART) - 1,
            u64::from(APART),
            1 << 40,
            1 << 40,
        ];
        let all: Vec<RawStorage> = (sizes.iter().zip(Category::ALL.iter().rev()).zip(0..))
            .map(|((&bytes, &category), n)| RawStorage {
                bytes,
                stream: Stream::all().nth(n as usize / 2).expect("a stream"),
                used_on: Streams::of_bits(u8::from(n == 1) << 3),
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
        storages.record_stream(2, Stream::MAIN);
        storages.free(2);
        storages.classify(2, Category::Logits);
        let changed = RawStorage {
            used_on: Streams::NONE.with(Stream::MAIN),
            category: Category::Logits,
            alive: false,
            ..all[2]
        };
        assert_eq!(storages.get(2), Some(changed));
    }
}

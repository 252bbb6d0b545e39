//! A file of which some pieces are in memory: for readers that have to wait for bytes, as a page has.

use super::archive::read;
use super::graph::Graph;
use super::unreadable::Unreadable;
use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

/// Bytes of the first pieces, at whose multiples pieces begin.
const STEP: u64 = 64 << 10;
/// Pieces of this size, before each one is twice as large as the one before: the archive's beginning and its end.
const SMALL: usize = 3;
/// Bytes of the largest piece.
const LARGEST: u64 = 16 << 20;
/// The most pieces: an archive that asks for more is damaged.
const MOST: usize = 64;

/// The state of a reader of pieces.
pub enum Progress {
    /// These bytes of the file are needed.
    Needs(Range<u64>),
    /// The graph.
    Read(Box<Graph>),
    /// The file is none, for this reason.
    Unreadable(Unreadable),
}

/// A file of which some pieces are in memory.
pub struct Pieces {
    size: u64,
    at: u64,
    /// Pieces by their first byte.
    there: BTreeMap<u64, Vec<u8>>,
    /// The first byte that was read and is not in memory.
    missing: Option<u64>,
    /// Pieces that were asked for.
    asked: usize,
}

impl Pieces {
    /// A file of `size` bytes, none of which is in memory.
    pub fn new(size: u64) -> Self {
        Self {
            size,
            at: 0,
            there: BTreeMap::new(),
            missing: None,
            asked: 0,
        }
    }

    /// Takes the bytes from `start` on.
    pub fn put(&mut self, start: u64, bytes: Vec<u8>) {
        self.there.insert(start, bytes);
    }

    /// Bytes that are in memory.
    pub fn held(&self) -> u64 {
        self.there.values().map(|piece| piece.len() as u64).sum()
    }

    /// Reads the graph, as far as the pieces go.
    pub fn read(&mut self) -> Progress {
        (self.at, self.missing) = (0, None);
        let read = read(&mut *self);
        match (self.missing, read) {
            (Some(_), _) if self.asked >= MOST => {
                Progress::Unreadable(Unreadable::Damaged(format!("{MOST} pieces")))
            }
            (Some(at), _) => {
                self.asked += 1;
                Progress::Needs(self.piece(at))
            }
            (None, Ok(graph)) => Progress::Read(Box::new(graph)),
            (None, Err(why)) => Progress::Unreadable(why),
        }
    }

    /// The piece to fetch for the byte at `at`.
    fn piece(&self, at: u64) -> Range<u64> {
        let doubled = self.asked.saturating_sub(SMALL).min(16);
        let length = (STEP << doubled).min(LARGEST);
        // A fetched range ends where the next piece begins.
        let before = self.there.range(..=at).next_back();
        let before = before.map_or(0, |(start, piece)| start + piece.len() as u64);
        let start = (at / STEP * STEP).max(before);
        let next = self.there.range(at..).next();
        let end = next.map_or(self.size, |(start, _)| *start);
        start..end.min(start + length)
    }
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.size || into.is_empty() {
            return Ok(0);
        }
        let piece = self.there.range(..=self.at).next_back();
        let rest = piece.and_then(|(start, piece)| {
            let skipped = usize::try_from(self.at - start).ok()?;
            piece.get(skipped..).filter(|rest| !rest.is_empty())
        });
        let Some(rest) = rest else {
            self.missing.get_or_insert(self.at);
            return Err(io::Error::other("not in memory yet"));
        };
        let n = rest.len().min(into.len());
        into[..n].copy_from_slice(&rest[..n]);
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for Pieces {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

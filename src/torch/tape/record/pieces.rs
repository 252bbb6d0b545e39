//! The events at some places of a record, piece by piece.

use super::{Copies, Piece, Record};
use std::ops::Range;

impl Record {
    /// The piece of the record that begins at `start` and ends at `end` at the latest.
    pub(super) fn piece(&self, Range { start, end }: Range<usize>) -> Piece<'_> {
        let after = self.copies.partition_point(|copies| copies.place <= start);
        let end = self
            .copies
            .get(after)
            .map_or(end, |next| end.min(next.place));
        let mut unwritten = 0;
        let mut at = start;
        if let Some(copies) = self.copies[..after].last() {
            let Some(since) = start.checked_sub(copies.end()) else {
                return self.repeated(copies, start..end);
            };
            unwritten = copies.storage + copies.storages * copies.times - copies.stored;
            at = copies.words + since;
        }
        let words = &self.words[at..at + end - start];
        Piece {
            words,
            before: words,
            times: 0,
            before_within: words,
            times_within: 0,
            written_at: at,
            unwritten,
        }
    }

    /// The piece of `copies` that begins at `start` and ends at `end` at the latest.
    fn repeated(&self, copies: &Copies, Range { start, end }: Range<usize>) -> Piece<'_> {
        let since = start - copies.place;
        let (time, offset) = (since / copies.events, since % copies.events);
        let length = (end - start).min(copies.events - offset);
        let last = copies.place - copies.events + offset;
        let one = self.piece(last..last + length);
        let last = last - copies.events;
        let before = self.piece(last..last + one.words.len());
        let length = before.words.len();
        Piece {
            words: &one.words[..length],
            before: before.words,
            times: u32::try_from(time + 1).unwrap_or(u32::MAX),
            before_within: &one.before[..length],
            times_within: one.times,
            ..one
        }
    }

    /// The events at some places, piece by piece.
    pub fn pieces(&self, mut places: Range<usize>) -> impl Iterator<Item = Piece<'_>> {
        // The last piece, and how many times more it comes that are not looked for.
        let mut last: Option<(Piece<'_>, usize)> = None;
        std::iter::from_fn(move || {
            if places.is_empty() {
                return None;
            }
            let piece = match &mut last {
                Some((piece, left)) if *left > 0 => {
                    *left -= 1;
                    piece.times += 1;
                    *piece
                }
                last => {
                    let piece = self.piece(places.clone());
                    *last = Some((piece, self.times_more(&piece, &places)));
                    piece
                }
            };
            places.start += piece.event_count();
            Some(piece)
        })
    }

    /// Number of further times that the piece at the beginning of `places` repeats within them, if nothing else repeats
    /// there.
    fn times_more(&self, piece: &Piece, places: &Range<usize>) -> usize {
        let after = (self.copies).partition_point(|copies| copies.place <= places.start);
        let copies = self.copies[..after].last();
        let whole = copies.filter(|copies| copies.events == piece.event_count());
        whole.map_or(0, |copies| {
            let end = copies.end().min(places.end);
            let times = end.saturating_sub(places.start) / copies.events;
            times.saturating_sub(1)
        })
    }
}

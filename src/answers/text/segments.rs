//! An allocator's segments and their pieces, in words.

use super::{ByteUnits, Language, Term, amount, exact};
use crate::inputs::{AllocatorState, Owner, Piece, Pool, SegmentState};
use crate::units::Bytes;

/// The free memory within segments at the peak, or when a request failed.
pub fn state_summary(state: &AllocatorState, units: ByteUnits, language: Language) -> String {
    let size = |bytes| amount(Bytes(bytes), units);
    let events = exact(state.position as u64);
    let when = match (language, state.refused.map(size)) {
        (Language::English, Some(refused)) => {
            format!("When a request of {refused} failed, after {events} events: ")
        }
        (Language::English, None) => format!("At the peak, after {events} events: "),
        (Language::Chinese, Some(refused)) => format!("{events} 个事件后申请 {refused} 失败时："),
        (Language::Chinese, None) => format!("峰值时（{events} 个事件之后）："),
    };
    let (segments, reserved) = (exact(state.count() as u64), size(state.reserved()));
    let (pieces, free) = (exact(state.free.pieces as u64), size(state.free.bytes));
    let largest = size(state.free.largest);
    let outlined = language.of(("; the largest is outlined", "（已框出）"));
    let outlined = if state.largest_is_told() {
        outlined
    } else {
        ""
    };
    let what = match language {
        Language::English => format!(
            "{free} of the {reserved} in segments ({segments}) is free, in pieces ({pieces}) of {largest} at most{outlined}."
        ),
        Language::Chinese => format!(
            "{segments} 个段共 {reserved}，其中空闲 {free}，分成 {pieces} 块，最大一块 {largest}{outlined}。"
        ),
    };
    format!("{when}{what}{}", owners(state, units, language))
}

/// Bytes in segments of private pools, of other streams, and of the segments that are not listed, as far as there are
/// some.
fn owners(state: &AllocatorState, units: ByteUnits, language: Language) -> String {
    let private = state.owned(|owner| owner.pool == Pool::Private);
    let streams = state.owned(|owner| !owner.default_stream);
    let rest = amount(Bytes(state.rest.bytes), units);
    let notes = [
        (private, " Of private pools: {}.", "属于私有池的段：{}。"),
        (streams, " Of other streams: {}.", "属于其他流的段：{}。"),
        (
            state.rest.segments,
            " Smaller segments that are not drawn: {} (@).",
            "另有 {} 个较小的段（@）未画出。",
        ),
    ];
    let notes = notes.into_iter().filter(|(count, ..)| *count > 0);
    let note = |(count, english, chinese): (usize, &'static str, &'static str)| {
        let note = language.of((english, chinese));
        note.replace("{}", &exact(count as u64)).replace('@', &rest)
    };
    notes.map(note).collect()
}

/// The owner of a segment: "large pool, another stream".
pub fn owner_name(owner: Option<Owner>, language: Language) -> String {
    let Some(owner) = owner else {
        return language.of(("given back since", "之后已归还")).to_owned();
    };
    let pool = language.of(match owner.pool {
        Pool::Small => ("small pool", "小块池"),
        Pool::Large => ("large pool", "大块池"),
        Pool::Private => ("private pool", "私有池"),
    });
    let stream = language.of((", another stream", "，其他流"));
    let stream = if owner.default_stream { "" } else { stream };
    format!("{pool}{stream}")
}

/// A segment: "segment 3 of 512 MiB, large pool".
fn segment_name(number: usize, own: &SegmentState, units: ByteUnits, language: Language) -> String {
    let (number, size) = (number.saturating_add(1), amount(Bytes(own.size), units));
    let owner = owner_name(own.owner, language);
    match language {
        Language::English => format!("segment {number} of {size}, {owner}"),
        Language::Chinese => format!("第 {number} 段，{size}，{owner}"),
    }
}

/// A piece: "48.0 MiB: optimizer states; train.py:12 main; in segment 3 of 512 MiB, large pool."
pub fn piece_sentence(
    state: &AllocatorState,
    [segment, piece]: [usize; 2],
    units: ByteUnits,
    language: Language,
) -> Option<String> {
    let own = state.segments.get(segment)?;
    let &Piece {
        size,
        used,
        blocks,
        purpose,
        frame,
    } = own.pieces.get(piece)?;
    let english = language == Language::English;
    let [size, used_size] = [size, used].map(|bytes| amount(Bytes(bytes), units));
    let is_one = blocks == 1 && used == own.pieces[piece].size;
    let what = match blocks {
        0 if english => format!("{size}: free"),
        0 => format!("{size}：空闲"),
        _ if is_one => size,
        _ if english => format!("{size}, of which blocks ({blocks}) hold {used_size}"),
        _ => format!("{size}，其中 {blocks} 个块占 {used_size}"),
    };
    let purpose = purpose.map(|purpose| match purpose.term(language) {
        term if is_one => term.to_owned(),
        term if english => format!("mostly {term}"),
        term => format!("主要为{term}"),
    });
    let frame = frame.and_then(|frame| state.frames.get(frame).cloned());
    let parts = [purpose, frame].into_iter().flatten();
    let parts = parts.chain([segment_name(segment, own, units, language)]);
    let (head, between, end) = if english {
        (": ", "; ", ".")
    } else {
        ("：", "；", "。")
    };
    let parts: Vec<String> = parts.collect();
    let head = if blocks == 0 { between } else { head };
    Some(format!("{what}{head}{}{end}", parts.join(between)))
}

/// The most that a segment held in a stretch of time.
pub fn fullness_moment(
    state: &AllocatorState,
    [moment, segment]: [usize; 2],
    units: ByteUnits,
    language: Language,
) -> Option<String> {
    let own = state.segments.get(segment)?;
    let held = amount(Bytes(*own.over_time.get(moment)?), units);
    let events = exact(*state.moments.get(moment)? as u64);
    let name = segment_name(segment, own, units, language);
    Some(match language {
        Language::English => format!("After {events} events: {held} held in {name}."),
        Language::Chinese => format!("{events} 个事件之后：{name}，占用 {held}。"),
    })
}

/// The map of segments over time in a sentence.
pub fn fullness_summary(state: &AllocatorState, language: Language) -> String {
    let count = exact(state.segments.len() as u64);
    match language {
        Language::English => format!(
            "A row for each of {count} segments, as high as it is large, from the first event to the last; the stronger the colour, the fuller. The line is the moment that is drawn above."
        ),
        Language::Chinese => format!(
            "{count} 个段各占一行，行高与大小成比例，从左到右为首个到最后一个事件；颜色越浓，占用越满。竖线为上图所示的时刻。"
        ),
    }
}

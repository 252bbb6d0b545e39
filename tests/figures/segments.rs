//! An allocator's segments, in pieces and over time.

use crate::drawing::{English, keep, look, themes};
use highwater::chart::{
    FullnessFigure, FullnessLayout, PieceBar, SegmentBar, SegmentsFigure, SegmentsHit,
    SegmentsLayout, Theme, svg_fullness, svg_segments,
};
use highwater::tape::Category;
use highwater::units::Bytes;

const WIDE: (u32, u32) = (760, 280);
const NARROW: (u32, u32) = (330, 280);

/// A segment of these pieces in MiB; negative ones are free.
fn segment(pieces: &[i64]) -> SegmentBar {
    let bytes = |mib: i64| Bytes(mib.unsigned_abs() << 20);
    let piece = |&mib: &i64| PieceBar {
        size: bytes(mib),
        used: if mib > 0 { bytes(mib) } else { Bytes::ZERO },
        category: (mib > 0).then_some(Category::Activations),
    };
    let size = pieces.iter().map(|&mib| bytes(mib)).sum();
    SegmentBar {
        size,
        pieces: pieces.iter().map(piece).collect(),
        over_time: (0..12).map(|part| Bytes(size.get() / 12 * part)).collect(),
    }
}

fn segments() -> Vec<SegmentBar> {
    let large = segment(&[200, -100, 300, -400, 24]);
    let small = (0..100).map(|_| segment(&[12, -8]));
    [large].into_iter().chain(small).collect()
}

fn with<R>(f: impl FnOnce(&SegmentsFigure) -> R) -> R {
    let segments = segments();
    f(&SegmentsFigure {
        segments: &segments,
        cursor: Some(SegmentsHit {
            segment: 0,
            piece: 2,
        }),
    })
}

#[test]
fn all_segments_have_one_scale_and_none_overlaps_another() {
    for size in [WIDE, NARROW] {
        with(|figure| {
            let layout = SegmentsLayout::new(figure, size);
            let frame = |own: usize| layout.segments[own].frame;
            let scale = f64::from(frame(0).width()) / figure.segments[0].size.get() as f64;
            for (own, bar) in layout.segments.iter().zip(figure.segments) {
                let long = scale * bar.size.get() as f64;
                assert!((f64::from(own.frame.width()) - long).abs() <= 3.0);
                assert!(own.frame.right <= size.0.cast_signed());
                assert!(own.frame.bottom <= size.1.cast_signed());
                assert_eq!(
                    own.pieces.first().map(|piece| piece.left),
                    Some(own.frame.left)
                );
                assert_eq!(
                    own.pieces.last().map(|piece| piece.right),
                    Some(own.frame.right)
                );
            }
            for one in 0..layout.segments.len() {
                let others = (0..one).map(frame);
                assert!(!others.into_iter().any(|other| other.overlaps(&frame(one))));
            }
        });
    }
}

#[test]
fn the_pointer_and_keys_find_every_piece_and_begin_at_the_largest_that_is_free() {
    with(|figure| {
        let layout = SegmentsLayout::new(figure, WIDE);
        let largest = SegmentsHit {
            segment: 0,
            piece: 3,
        };
        assert_eq!(layout.along(None, 1), Some(largest));
        for (segment, own) in layout.segments.iter().enumerate() {
            for (piece, frame) in own.pieces.iter().enumerate() {
                let hit = SegmentsHit { segment, piece };
                assert_eq!(SegmentsHit::from_number(hit.number()), Some(hit));
                assert!(frame.width() > 0);
                assert_eq!(layout.hit(frame.left, frame.top), Some(hit));
            }
        }
        let next = layout.along(Some(largest), 2).expect("a piece");
        assert_eq!((next.segment, next.piece), (1, 0));
        assert_eq!(layout.along(Some(next), -2), Some(largest));
        let last = layout.across(Some(next), isize::MAX).expect("a segment");
        assert_eq!(last.segment, 100);
        let end = layout.along(Some(last), isize::MAX);
        assert_eq!(end.map(|hit| hit.piece), Some(1));
    });
}

#[test]
fn a_map_over_time_has_a_row_as_high_as_a_segment_is_large() {
    let segments = [segment(&[300]), segment(&[-100])];
    let figure = FullnessFigure {
        segments: &segments,
        marked: 11,
        cursor: None,
    };
    let layout = FullnessLayout::new(&figure, WIDE);
    let [first, second] = [[3, 0], [3, 1]].map(|place| layout.cell(place).expect("a cell"));
    assert_eq!(first.height(), 3 * second.height());
    for place in [[0, 0], [3, 1], [11, 1]] {
        let cell = layout.cell(place).expect("a cell");
        assert_eq!(layout.hit(cell.left, cell.top), Some(place));
        assert_eq!(
            FullnessLayout::place_of(FullnessLayout::number(place)),
            place
        );
    }
    assert_eq!(layout.step([3, 0], [isize::MAX, 5]), Some([11, 1]));
    assert_eq!(layout.step([3, 0], [isize::MIN, -5]), Some([0, 0]));
}

#[test]
fn both_are_drawn_in_every_theme_and_at_any_size() {
    let segments = segments();
    let figure = FullnessFigure {
        segments: &segments,
        marked: 5,
        cursor: Some([3, 1]),
    };
    for (name, theme) in themes() {
        let look = look(&theme, &English);
        let svg = with(|figure| svg_segments(figure, &look, WIDE, None)).expect("a drawing");
        let free = theme.limit.css();
        assert!(
            svg.to_lowercase().contains(&free),
            "{name}: the largest free piece"
        );
        keep(&format!("segments-{name}"), &svg);
        let svg = svg_fullness(&figure, &look, WIDE, None).expect("a drawing");
        keep(&format!("fullness-{name}"), &svg);
    }
    let theme = Theme::dark();
    let look = look(&theme, &English);
    for size in [(0, 0), (1, 1), (40, 30), (3000, 2000)] {
        with(|figure| svg_segments(figure, &look, size, None)).expect("a drawing");
        svg_fullness(&figure, &look, size, None).expect("a drawing");
    }
    let none = SegmentsFigure {
        segments: &[],
        cursor: None,
    };
    svg_segments(&none, &look, WIDE, None).expect("a drawing");
    let none = FullnessFigure {
        segments: &[],
        marked: 0,
        cursor: Some([0, 0]),
    };
    svg_fullness(&none, &look, WIDE, None).expect("a drawing");
}

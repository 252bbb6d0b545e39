//! A field over two numbers, in words.

use super::{ByteUnits, Language, Term, Word, amount, exact, setting_name};
use crate::decide::CellCounts;
use crate::decide::{MapCell, MemoryMap};

/// A cell: "Micro-batch 8, sequence length 2048: 31.2 GiB, peak in backward; fits".
pub fn map_cell(
    map: &MemoryMap,
    place: [usize; 2],
    units: ByteUnits,
    language: Language,
) -> String {
    let english = language == Language::English;
    let at = [0, 1].map(|edge: usize| {
        let of = &map.edges[edge];
        let value = of.values.get(place[edge]).copied().unwrap_or_default();
        format!("{} {}", setting_name(of.key, language), exact(value))
    });
    let at = at.join(if english { ", " } else { "，" });
    match map.cell(place) {
        None => format!("{at}: {}", Word::Computing.text(language)),
        Some(MapCell::Refused) => {
            format!("{at}: {}", language.of(("not possible", "不可行")))
        }
        Some(MapCell::Needs(point)) => {
            let total = amount(point.total, units);
            let total = if map.is_lower_bound(place) {
                match language {
                    Language::English => format!("at least {total}"),
                    Language::Chinese => format!("至少 {total}"),
                }
            } else {
                total
            };
            let phase = point.binding.term(language);
            let fits = if point.fits {
                Word::Fits
            } else {
                Word::FitsNot
            };
            let fits = fits.text(language);
            if english {
                format!("{at}: {total}, peak in {phase}; {fits}")
            } else {
                format!("{at}：{total}，峰值在{phase}，{fits}")
            }
        }
    }
}

/// How much of a map is known, and how much of that fits.
pub fn map_summary(map: &MemoryMap, language: Language) -> String {
    let [width, height] = map.size();
    let all = (width * height) as u64;
    let CellCounts { known, fitting, .. } = map.counts();
    let (all, known, fitting) = (exact(all), exact(known), exact(fitting));
    match language {
        Language::English => format!("{fitting} of {known} cells fit; {all} in all."),
        Language::Chinese => format!("{known} 个格子中有 {fitting} 个放得下；共 {all} 个。"),
    }
}

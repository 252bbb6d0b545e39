//! The parts of bars in words: their names, and which are shown as one.

use super::{ByteUnits, Language, Term, Word, amount};
use crate::figure::{DevicePart, HostBarPart, SMALL, device_parts, host_parts, parted};
use crate::report::Report;
use crate::units::Bytes;

/// The name of a part of the GPU's bar.
pub fn device_part_name(part: DevicePart, language: Language) -> &'static str {
    match part {
        DevicePart::Category(category) => category.term(language),
        DevicePart::Cached => Word::Cached.text(language),
        DevicePart::OtherProcesses => Word::OtherProcesses.text(language),
        DevicePart::Context => Word::Context.text(language),
        DevicePart::Small => Word::SmallParts.text(language),
    }
}

/// The name of a part of the host's bar.
pub fn host_bar_part_name(part: HostBarPart, language: Language) -> &'static str {
    match part {
        HostBarPart::Used(part) => part.term(language),
        HostBarPart::Small => Word::SmallParts.text(language),
        HostBarPart::PageCache => Word::PageCache.text(language),
    }
}

/// The parts that are shown as one because they are small, in both bars; nothing where none are.
pub fn small_parts_explained(
    report: &Report,
    units: ByteUnits,
    language: Language,
) -> Option<String> {
    let [_, of_device] = parted(device_parts(&report.device));
    let [_, of_host] = parted(host_parts(&report.host));
    let of_device = listed(of_device, device_part_name, units, language);
    let of_host = listed(of_host, host_bar_part_name, units, language);
    let bars = [
        (("On the GPU: ", "GPU："), of_device),
        (("In host RAM: ", "主机内存："), of_host),
    ];
    let bars = bars.into_iter().filter_map(|(bar, listed)| {
        let end = language.of((".", "。"));
        Some(format!("{}{}{end}", language.of(bar), listed?))
    });
    let bars: Vec<String> = bars.collect();
    let rule = match language {
        Language::English => format!(
            "Parts of less than {:.0} % of their bar are shown as one.",
            SMALL * 100.0
        ),
        Language::Chinese => format!("占比不足 {:.0}% 的部分合并显示。", SMALL * 100.0),
    };
    let space = language.of((" ", ""));
    (!bars.is_empty()).then(|| format!("{rule}{space}{}", bars.join(space)))
}

/// Parts with what they take, and their sum; nothing where there are none.
fn listed<K: Copy>(
    parts: Vec<(K, Bytes)>,
    name: fn(K, Language) -> &'static str,
    units: ByteUnits,
    language: Language,
) -> Option<String> {
    let all: Bytes = parts.iter().map(|(_, bytes)| *bytes).sum();
    let named =
        |(part, bytes): (K, Bytes)| format!("{} {}", name(part, language), amount(bytes, units));
    let named: Vec<String> = parts.into_iter().map(named).collect();
    let listed = named.join(language.of((", ", "、")));
    let together = language.of((", together ", "，共 "));
    (!named.is_empty()).then(|| format!("{listed}{together}{}", amount(all, units)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Scenario;
    use crate::figure::device_bar;
    use crate::report::estimate;

    #[test]
    fn small_parts_are_named_with_the_sum_that_the_bar_shows() {
        let report = estimate(&Scenario::default()).expect("an answer").report;
        let bar = device_bar(&report.device);
        let small = bar.parts.iter().find(|part| part.key == DevicePart::Small);
        let small = small.expect("small parts").bytes;
        for language in [Language::English, Language::Chinese] {
            let said = small_parts_explained(&report, ByteUnits::Binary, language);
            let said = said.expect("small parts");
            assert!(said.contains(&amount(small, ByteUnits::Binary)), "{said}");
            let [shown, few] = parted(device_parts(&report.device));
            let name = |(part, _): &(DevicePart, Bytes)| device_part_name(*part, language);
            assert!(few.iter().all(|part| said.contains(name(part))), "{said}");
            let listed = format!("{} ", name(&shown[0]));
            assert!(!said.contains(&listed), "{said}");
        }
    }
}

//! Elements of lists that options name.

use crate::model::ResolvedSpec;

/// Up to which element of a list options name single ones, as in `layers.3.`: all, where what follows the
/// number is left open.
pub(crate) fn up_to(spec: &ResolvedSpec) -> u64 {
    let targets = spec.lora.iter().flat_map(|lora| &lora.target_modules);
    let parts = spec.frozen.iter().chain(targets);
    parts.filter_map(|part| of_part(part)).max().unwrap_or(0)
}

/// The number that one part of a name is.
fn of_part(part: &str) -> Option<u64> {
    let names = part.split('.');
    let last = names.clone().count() - 1;
    let numbers = names.enumerate().filter_map(|(at, name)| {
        let number: u64 = name.parse().ok()?;
        Some(if at == 0 || at == last {
            u64::MAX
        } else {
            number.saturating_add(1)
        })
    });
    numbers.max()
}

//! The name somebody probably meant.

/// The most edits between a name and what was probably meant, as a share of its length.
const SHARE_OF_LENGTH: usize = 2;

/// The candidate with the fewest edits from `name`, unless most of it would have to change. One
/// that contains the name is nearest, one that is contained in it always near enough.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Letters from which on one name inside another means something.
    const TELLING: usize = 3;
    let lower = name
        .chars()
        .take(64)
        .map(|letter| letter.to_ascii_lowercase());
    let name: String = lower.collect();
    let limit = name.chars().count().div_ceil(SHARE_OF_LENGTH);
    let inside = |outer: &str, inner: &str| inner.len() >= TELLING && outer.contains(inner);
    candidates
        .into_iter()
        .map(|candidate| {
            let lower = candidate.to_ascii_lowercase();
            let edits = strsim::levenshtein(&name, &lower);
            let distance = if inside(&lower, &name) {
                0
            } else if inside(&name, &lower) {
                edits.min(limit)
            } else {
                edits
            };
            (distance, candidate)
        })
        .min_by_key(|&(edits, _)| edits)
        .filter(|&(edits, _)| edits <= limit)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn a_typing_error_finds_its_name() {
        assert_eq!(
            closest("qwen2.5-1.5", ["qwen2.5-1.5b", "qwen3-8b"]),
            Some("qwen2.5-1.5b")
        );
        assert_eq!(
            closest("MICRO_BATCH", ["seq_len", "micro_batch_size"]),
            Some("micro_batch_size")
        );
        assert_eq!(closest("A100", ["a10", "a100-80gb"]), Some("a100-80gb"));
    }

    #[test]
    fn a_part_of_a_name_finds_the_whole() {
        assert_eq!(
            closest("batch_size", ["seq_len", "micro_batch_size"]),
            Some("micro_batch_size")
        );
    }

    #[test]
    fn something_else_finds_nothing() {
        assert_eq!(closest("zzzz", ["seq_len", "task"]), None);
    }
}

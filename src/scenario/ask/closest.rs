//! The name somebody probably meant.

/// The most edits between a name and the probably meant one, as a share of its length.
const SHARE_OF_LENGTH: usize = 2;

/// The candidate with the fewest edits from `name`, unless most of it would have to change. One
/// that contains the name is nearest, one that is contained in it always near enough.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (name, limit) = lowered(name);
    candidates
        .into_iter()
        .map(|candidate| (distance(&name, candidate, limit), candidate))
        .min_by_key(|&(edits, _)| edits)
        .filter(|&(edits, _)| edits <= limit)
        .map(|(_, candidate)| candidate)
}

/// The candidate that `name` is but for a slip: of four letters one may differ. One that contains the name is it, too.
pub fn mistyped<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LETTERS: usize = 4;
    let nearest = near(name, candidates, 1).into_iter().next()?;
    let (name, limit) = lowered(name);
    let slips = name.chars().count().max(LETTERS) / LETTERS;
    (distance(&name, nearest, limit) <= slips).then_some(nearest)
}

/// The candidates nearest to `name`, the nearest first, at most `most` of them.
pub fn near<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    let (name, limit) = lowered(name);
    let of = |candidate: &'a str| {
        let edits = strsim::levenshtein(&name, candidate);
        (distance(&name, candidate, limit), edits, candidate)
    };
    let mut all: Vec<_> = candidates.into_iter().map(of).collect();
    all.sort_unstable();
    all.dedup();
    let nearest = all.into_iter().take(most);
    nearest.map(|(.., candidate)| candidate).collect()
}

/// The name as it is compared, and the most edits between it and the probably meant one.
fn lowered(name: &str) -> (String, usize) {
    let lower = name
        .chars()
        .take(64)
        .map(|letter| letter.to_ascii_lowercase());
    let name: String = lower.collect();
    let limit = name.chars().count().div_ceil(SHARE_OF_LENGTH);
    (name, limit)
}

fn distance(name: &str, candidate: &str, limit: usize) -> usize {
    /// Letters from which on one name inside another means something.
    const TELLING: usize = 3;
    let inside = |outer: &str, inner: &str| inner.len() >= TELLING && outer.contains(inner);
    let lower = candidate.to_ascii_lowercase();
    let edits = strsim::levenshtein(name, &lower);
    if inside(&lower, name) {
        0
    } else if inside(name, &lower) {
        edits.min(limit)
    } else {
        edits
    }
}

#[cfg(test)]
mod tests {
    use super::{closest, mistyped, near};

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

    #[test]
    fn another_word_is_no_slip() {
        assert_eq!(mistyped("segformer", ["roformer", "swin"]), None);
        assert_eq!(mistyped("lama", ["llama", "swin"]), Some("llama"));
    }

    #[test]
    fn the_nearest_names_come_first_and_are_few() {
        let all = ["llama", "llama4", "mistral", "lama", "qwen3", "llama"];
        assert_eq!(near("lamma", all, 3), ["lama", "llama", "llama4"]);
    }
}

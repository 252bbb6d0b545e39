//! How long the samples of a data set are, as a scenario says it.

use serde::{Deserialize, Serialize};

/// The most different lengths that a scenario keeps of the pasted ones: links stay short enough to be sent.
const MOST: usize = 64;

/// How long samples are, in tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SampleLengths {
    /// Lengths, each with the number of samples that have it; ascending, each once.
    Counted(Vec<[u64; 2]>),
    /// Three numbers of the data set.
    Shape(LengthShape),
}

/// Three numbers that say how lengths are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LengthShape {
    /// The mean.
    pub mean: u64,
    /// The length that 95 % of samples do not exceed.
    pub p95: u64,
    /// The longest.
    pub longest: u64,
}

impl SampleLengths {
    /// Parses lengths as people paste them: `mean 412, p95 1800, longest 4096`; lengths with their counts, as `128:40,
    /// 512:3`, as lists `[[128, 40], [512, 3]]` or as lines of two numbers; or the length of each sample. If there are
    /// more than 64 different lengths, lengths near each other become the longest of them.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.chars().any(|letter| letter.is_ascii_alphabetic()) {
            return shape(text).map(Self::Shape);
        }
        let lines = text.lines().map(numbers).collect::<Option<Vec<_>>>()?;
        let in_lines = lines.len() > 1 && lines.iter().all(|line| line.len() == 2);
        let all = lines.concat();
        let pairs: Vec<[u64; 2]> = if in_lines || text.contains(':') || text.starts_with("[[") {
            let (pairs, rest) = all.as_chunks::<2>();
            pairs.iter().copied().filter(|_| rest.is_empty()).collect()
        } else {
            all.into_iter().map(|length| [length, 1]).collect()
        };
        let counted = counted(pairs);
        (!counted.is_empty()).then_some(Self::Counted(counted))
    }

    /// As [`Self::parse`] reads it.
    pub fn write(&self) -> String {
        match self {
            Self::Counted(pairs) => {
                let pairs = pairs
                    .iter()
                    .map(|[length, count]| format!("{length}:{count}"));
                pairs.collect::<Vec<_>>().join(",")
            }
            Self::Shape(LengthShape { mean, p95, longest }) => {
                format!("mean:{mean},p95:{p95},longest:{longest}")
            }
        }
    }

    /// The same, as a scenario keeps it.
    pub fn tidied(self) -> Option<Self> {
        match self {
            Self::Counted(pairs) => {
                let pairs = counted(pairs);
                (!pairs.is_empty()).then_some(Self::Counted(pairs))
            }
            shape @ Self::Shape(_) => Some(shape),
        }
    }

    /// The longest.
    pub fn longest(&self) -> u64 {
        match self {
            Self::Counted(pairs) => pairs.last().map_or(0, |[length, _]| *length),
            Self::Shape(shape) => shape.longest,
        }
    }
}

/// The whole numbers of a text between anything else; nothing where one is too large.
fn numbers(text: &str) -> Option<Vec<u64>> {
    let parts = text.split(|letter: char| !letter.is_ascii_digit());
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(|part| part.parse().ok()).collect()
}

/// Three numbers, each after its name.
fn shape(text: &str) -> Option<LengthShape> {
    let lower = text.to_ascii_lowercase();
    let after = |names: &[&str]| {
        let found = names
            .iter()
            .find_map(|name| lower.find(name).map(|at| at + name.len()))?;
        let rest = lower[found..].trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let end = rest.find(|letter: char| !letter.is_ascii_digit());
        rest[..end.unwrap_or(rest.len())].parse().ok()
    };
    Some(LengthShape {
        mean: after(&["mean", "average", "avg"])?,
        p95: after(&["p95", "95%", "95 %"])?,
        longest: after(&["longest", "max"])?,
    })
}

/// Ascending lengths, each once with all of its samples, at most [`MOST`] of them.
fn counted(mut pairs: Vec<[u64; 2]>) -> Vec<[u64; 2]> {
    pairs.retain(|[length, count]| *length > 0 && *count > 0);
    pairs.sort_unstable();
    let joined = joined(&pairs, |a, b| a == b);
    if joined.len() <= MOST {
        return joined;
    }
    let ends = [joined.first(), joined.last()].map(|end| end.map_or(0, |[length, _]| *length));
    let width = (ends[1] - ends[0]).div_ceil(MOST as u64).max(1);
    let class = |length: u64| (ends[1] - length) / width;
    self::joined(&joined, |a, b| class(a) == class(b))
}

/// Neighbours that go together become the longest of them.
fn joined(pairs: &[[u64; 2]], together: impl Fn(u64, u64) -> bool) -> Vec<[u64; 2]> {
    let groups = pairs.chunk_by(|[a, _], [b, _]| together(*a, *b));
    let group = |group: &[[u64; 2]]| {
        let count = group
            .iter()
            .fold(0_u64, |sum, [_, count]| sum.saturating_add(*count));
        group.last().map(|[length, _]| [*length, count])
    };
    groups.filter_map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_as_people_have_them() {
        let counted = Some(SampleLengths::Counted(vec![[128, 40], [512, 3]]));
        for text in [
            "128:40, 512:3",
            "[[128, 40], [512, 3]]",
            "512\t3\n128\t40\n",
        ] {
            assert_eq!(SampleLengths::parse(text), counted, "{text}");
        }
        let listed = SampleLengths::parse("[7, 9, 7]\n3");
        assert_eq!(
            listed,
            Some(SampleLengths::Counted(vec![[3, 1], [7, 2], [9, 1]]))
        );
        let shape = LengthShape {
            mean: 412,
            p95: 1800,
            longest: 4096,
        };
        for text in [
            "mean 412, p95 1800, longest 4096",
            "Mean: 412.7 P95=1800 max=4096",
        ] {
            let read = SampleLengths::parse(text);
            assert_eq!(read, Some(SampleLengths::Shape(shape)), "{text}");
        }
        for text in ["", "mean 4", "0:3", "128:40,512", "99999999999999999999"] {
            assert_eq!(SampleLengths::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["1:2,30:4", "mean:412,p95:1800,longest:4096"] {
            let read = SampleLengths::parse(text).expect("lengths");
            assert_eq!(read.write(), text);
        }
    }

    #[test]
    fn many_lengths_become_few_of_which_none_is_shorter_than_it_was() {
        let all: Vec<String> = (100..1100).map(|length| length.to_string()).collect();
        let read = SampleLengths::parse(&all.join(" ")).expect("lengths");
        let SampleLengths::Counted(pairs) = &read else {
            panic!("they are listed");
        };
        assert!(pairs.len() <= MOST, "{}", pairs.len());
        assert_eq!(pairs.iter().map(|[_, count]| count).sum::<u64>(), 1000);
        assert_eq!(read.longest(), 1099);
        // Of each the number of samples that are no longer is not too large.
        let mut seen = 0;
        for [length, count] in pairs {
            seen += count;
            assert!(seen <= length - 99, "{length}");
        }
    }
}

//! `roundup_power2_divisions` as PyTorch's `parseRoundUpPower2Divisions` reads it
//! (`c10/core/AllocatorConfig.cpp`, torch 2.6 to 2.15).

use serde::{Deserialize, Serialize};

/// `kRoundUpPowerOfTwoIntervals`: requests below 2 MiB, 4 MiB, 8 MiB, ... and the rest.
pub const ROUNDUP_INTERVALS: usize = 16;

/// Into how many steps the way from one power of two to the next is divided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RoundupDivisions {
    /// One number for requests of all sizes.
    Same(u64),
    /// By the size of a request in MiB, as PyTorch writes it: `[256:1,512:2,1024:4,>:8]`.
    BySize(String),
}

impl RoundupDivisions {
    /// Divisions by interval; nothing for what PyTorch refuses.
    pub fn by_interval(&self) -> Option<[u64; ROUNDUP_INTERVALS]> {
        match self {
            Self::Same(divisions) => allowed(*divisions)
                .filter(|divisions| *divisions > 0)
                .map(|divisions| [divisions; ROUNDUP_INTERVALS]),
            Self::BySize(list) => parse(list),
        }
    }
}

/// The largest number of divisions that makes a difference: steps of 512 bytes up to 64 GiB.
const MOST: u64 = 1 << 27;

/// A power of two, or 0 for rounding to 512 bytes only.
fn allowed(divisions: u64) -> Option<u64> {
    (divisions == 0 || divisions.is_power_of_two() && divisions <= MOST).then_some(divisions)
}

/// The first size is also for all sizes below it, and `>` for the last listed size, which it replaces, and all above
/// it; sizes between two listed ones stay at 0.
fn parse(list: &str) -> Option<[u64; ROUNDUP_INTERVALS]> {
    let inner = list.trim().strip_prefix('[')?.strip_suffix(']')?;
    let mut by_interval = [0; ROUNDUP_INTERVALS];
    let mut last = None;
    for item in inner.split(',') {
        let (size, divisions) = item.split_once(':')?;
        let divisions = allowed(divisions.trim().parse().ok()?)?;
        if size.trim() == ">" {
            by_interval[last.unwrap_or(0)..].fill(divisions);
            continue;
        }
        let mebibytes: u64 = size.trim().parse().ok()?;
        if !mebibytes.is_power_of_two() {
            return None;
        }
        let interval = (mebibytes.ilog2() as usize).min(ROUNDUP_INTERVALS - 1);
        if last.is_none() {
            by_interval[..interval].fill(divisions);
        }
        by_interval[interval] = divisions;
        last = Some(interval);
    }
    Some(by_interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_size(list: &str) -> Option<[u64; ROUNDUP_INTERVALS]> {
        RoundupDivisions::BySize(list.to_owned()).by_interval()
    }

    #[test]
    fn a_list_says_divisions_by_size() {
        let mut expected = [1; ROUNDUP_INTERVALS];
        expected[9] = 2;
        // `>` replaces what the last size said.
        expected[10..].fill(8);
        assert_eq!(by_size("[256:1,512:2,1024:4,>:8]"), Some(expected));
        assert_eq!(by_size("[1:4, >:4]"), Some([4; ROUNDUP_INTERVALS]));
        assert_eq!(
            by_size("[2:8]").map(|by| by[..4].to_vec()),
            Some(vec![8, 8, 0, 0])
        );
    }

    #[test]
    fn what_pytorch_refuses_is_none() {
        for list in [
            "", "[]", "[3:1]", "[256:3]", "[256]", "256:1", "[x:1]", "[0:1]", "[256:-1]",
        ] {
            assert_eq!(by_size(list), None, "{list}");
        }
        assert_eq!(RoundupDivisions::Same(3).by_interval(), None);
        assert!(RoundupDivisions::Same(4).by_interval().is_some());
    }
}

//! The parts of a node's host memory, in words.

use super::sentences::list;
use super::{ByteUnits, Language, Term, amount};
use crate::host::{Growth, HostDriver};
use crate::units::sort_short;

/// A training process of a node: "rank 0".
pub fn rank_name(rank: usize, language: Language) -> String {
    match language {
        Language::English => format!("rank {rank}"),
        Language::Chinese => format!("进程 {rank}（rank）"),
    }
}

/// Several more processes: "6 more, each".
pub fn more_ranks(count: usize, language: Language) -> String {
    match language {
        Language::English => format!("{count} more, each"),
        Language::Chinese => format!("另外 {count} 个，各占"),
    }
}

/// The growth of memory: "One more rank: 1.2 GiB (libraries, workers)."
pub fn growth_sentence(growth: &Growth, units: ByteUnits, language: Language) -> String {
    let driver = match (growth.driver, language) {
        (HostDriver::MicroBatchSize, Language::English) => "Twice the micro-batch",
        (HostDriver::MicroBatchSize, Language::Chinese) => "微批次加倍",
        (HostDriver::NumWorkers, Language::English) => "One more worker in each rank",
        (HostDriver::NumWorkers, Language::Chinese) => "每个进程多一个工作进程",
        (HostDriver::Ranks, Language::English) => "One more rank",
        (HostDriver::Ranks, Language::Chinese) => "多一个训练进程（rank）",
    };
    if growth.parts.is_empty() {
        return match language {
            Language::English => format!("{driver}: nothing."),
            Language::Chinese => format!("{driver}：不增加。"),
        };
    }
    let mut parts = growth.parts.clone();
    sort_short(&mut parts, |&(_, bytes)| std::cmp::Reverse(bytes));
    let names: Vec<String> = parts
        .iter()
        .take(NAMED)
        .map(|(part, _)| part.term(language).to_owned())
        .collect();
    let (names, total) = (list(&names, language), amount(growth.total, units));
    match language {
        Language::English => format!("{driver}: {total} more, mostly {names}."),
        Language::Chinese => format!("{driver}：增加 {total}，主要是{names}。"),
    }
}

/// Parts that a sentence names.
const NAMED: usize = 3;

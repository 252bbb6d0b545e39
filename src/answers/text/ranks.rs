//! The ranks of a job and what a pipeline's ranks do, in words.

use super::sentences::list;
use super::{ByteUnits, Language, amount, rank_name};
use crate::ask::Place;
use crate::report::{RankReport, RankSchedule, Schedule};
use crate::sim::{Computation, Slot};

/// Ranks that are alike, by the first of them: "rank 4 and 3 like it".
pub fn ranks_alike(report: &RankReport, language: Language) -> String {
    let name = if report.processes.is_some() {
        "GPU"
    } else {
        "rank"
    };
    let first = report.rank;
    match (report.count, language) {
        (1, _) => format!("{name} {first}"),
        (count, Language::English) => format!("{name} {first} and {} like it", count - 1),
        (count, Language::Chinese) => format!("{name} {first} 等 {count} 个（相同）"),
    }
}

/// The place of a rank along the axes that tell the ranks of a job apart: "pipeline 3, data 1"; empty where
/// all are alike.
pub fn rank_place(report: &RankReport, all: &[RankReport], language: Language) -> String {
    if let Some(processes) = report.processes {
        return match (processes, language) {
            (1, Language::English) => "1 process".to_owned(),
            (_, Language::English) => format!("{processes} processes"),
            (_, Language::Chinese) => format!("{processes} 个进程"),
        };
    }
    let along = |place: Place| [place.pp, place.dp, place.cp];
    let names = [
        ("pipeline", "流水线"),
        ("data", "数据"),
        ("context", "上下文"),
    ];
    let differ = |axis: usize| all.iter().any(|of| along(of.place)[axis] > 0);
    let places = (0..).zip(names).zip(along(report.place));
    let places = places.filter(|((axis, _), _)| differ(*axis));
    let places = places.map(|((_, name), place)| format!("{} {place}", language.of(name)));
    places.collect::<Vec<_>>().join(language.of((", ", "，")))
}

/// The list of ranks in a sentence: how many differ, which takes most and which least.
pub fn ranks_summary(ranks: &[RankReport], units: ByteUnits, language: Language) -> String {
    let all: u64 = ranks.iter().map(|of| of.count).sum();
    let most = ranks
        .iter()
        .max_by_key(|of| (of.total, std::cmp::Reverse(of.rank)));
    let least = ranks.iter().min_by_key(|of| of.total);
    let (Some(most), Some(least)) = (most, least) else {
        return String::new();
    };
    if most.processes.is_some() {
        return gpus_summary(ranks, units, language);
    }
    let [high, low] = [most, least].map(|of| amount(of.total, units));
    let outside: u64 = ranks.iter().filter(|of| !of.fits).map(|of| of.count).sum();
    let refused = match (outside, language) {
        (0, _) => String::new(),
        (_, Language::English) => format!(" {outside} of {all} do not fit."),
        (_, Language::Chinese) => format!("其中 {outside} 个放不下。"),
    };
    if most.total == least.total {
        return match language {
            Language::English => format!("All {all} ranks take {high}.{refused}"),
            Language::Chinese => format!("{all} 个进程（rank）各占 {high}。{refused}"),
        };
    }
    let (most, least) = (most.rank, least.rank);
    match language {
        Language::English => format!(
            "Rank {most} takes most of {all}: {high}. Rank {least} takes least: {low}.{refused}"
        ),
        Language::Chinese => {
            format!("{all} 个进程中 rank {most} 最多：{high}；rank {least} 最少：{low}。{refused}")
        }
    }
}

/// The list of GPUs on which processes train alone, in a sentence.
fn gpus_summary(gpus: &[RankReport], units: ByteUnits, language: Language) -> String {
    let all: u64 = gpus.iter().map(|of| of.count).sum();
    let fit: u64 = gpus.iter().filter(|of| of.fits).map(|of| of.count).sum();
    let needs = gpus.iter().map(|of| {
        let (needed, processes) = (amount(of.total, units), of.processes.unwrap_or(1));
        match language {
            Language::English => format!("{needed} with {processes} on one"),
            Language::Chinese => format!("每块 {processes} 个进程时 {needed}"),
        }
    });
    let needs = list(&needs.collect::<Vec<_>>(), language);
    match language {
        Language::English => format!("Processes fit on {fit} of {all} GPUs: {needs}."),
        Language::Chinese => format!("{all} 块 GPU 中 {fit} 块放得下：{needs}。"),
    }
}

/// How many micro-batches a rank holds: "4 in flight".
pub fn in_flight(micro_batches: u64, language: Language) -> String {
    match language {
        Language::English => format!("{micro_batches} in flight"),
        Language::Chinese => format!("{micro_batches} 个在途"),
    }
}

/// The share of a step in which a rank computes: "73 %".
pub fn busy_share(of: &RankSchedule, schedule: &Schedule) -> String {
    format!("{:.0} %", of.busy(schedule.end) * 100.0)
}

/// A schedule in a sentence: how many micro-batches ranks hold at most, and how busy they are.
pub fn schedule_summary(schedule: &Schedule, language: Language) -> String {
    let most = schedule.most_in_flight;
    let holding = (0..)
        .zip(&schedule.ranks)
        .filter(|(_, rank)| rank.most_in_flight() == most)
        .map(|(at, _)| rank_name(at, language))
        .collect::<Vec<_>>();
    let holding = match holding.len() {
        all if all == schedule.ranks.len() && all > 1 => {
            language.of(("every rank", "每个进程")).to_owned()
        }
        _ => list(&holding, language),
    };
    let busy = schedule.ranks.iter().map(|rank| rank.busy(schedule.end));
    let busy = busy.fold(f64::INFINITY, f64::min) * 100.0;
    match language {
        Language::English => format!(
            "Up to {most} micro-batches are in flight, on {holding}. Counting a backward pass as two forward passes, each rank computes {busy:.0} % of the time at least."
        ),
        Language::Chinese => format!(
            "在途微批次最多 {most} 个（{holding}）。按一次反向等于两次前向计算，每个进程至少有 {busy:.0}% 的时间在计算。"
        ),
    }
}

/// Something that a rank computes: "Rank 2: forward pass of micro-batch 3 on stage 2; 4 in flight then."
pub fn slot_sentence(rank: usize, of: &RankSchedule, slot: &Slot, language: Language) -> String {
    let action = slot.action;
    let what = language.of(match action.computation {
        Computation::Forward => ("forward pass", "前向"),
        Computation::BackwardInput => ("backward pass for the input", "反向（输入梯度）"),
        Computation::BackwardWeight => ("backward pass for the weights", "反向（权重梯度）"),
        _ => ("backward pass", "反向"),
    });
    let then = of.in_flight.partition_point(|&(at, _)| at <= slot.start);
    let then = then.checked_sub(1).map_or(0, |at| of.in_flight[at].1);
    let (name, held) = (rank_name(rank, language), in_flight(then, language));
    let (stage, micro_batch) = (action.stage, action.micro_batch);
    match language {
        Language::English => {
            format!("{name}: {what} of micro-batch {micro_batch} on stage {stage}; {held} then.")
        }
        Language::Chinese => {
            format!("{name}：微批次 {micro_batch} 在第 {stage} 阶段的{what}；此时 {held}。")
        }
    }
}

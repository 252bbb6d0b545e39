//! Many steps of differing length, in words.

use super::{ByteUnits, Language, amount, exact};
use crate::decide::{LongSteps, SegmentsRun};

/// The outcome of a run: "Without expandable segments 71.2 GiB are reserved in the end, 6.20 GiB more than the longest
/// batch needs alone; on this GPU PyTorch runs out at step 553, a batch of 3,900 tokens, asking for 1.20 GiB."
pub fn segments_sentence(run: &SegmentsRun, units: ByteUnits, language: Language) -> String {
    let reserved = amount(run.peak_reserved, units);
    let beyond = amount(run.beyond(), units);
    let more = run.peak_reserved > run.longest_alone;
    let ends = run.out_of_memory.map(|at| {
        let (step, length) = (exact(at.step), exact(at.length));
        (step, length, amount(at.tried, units))
    });
    match language {
        Language::English => {
            let segments = if run.expandable_segments {
                "With expandable segments"
            } else {
                "Without expandable segments"
            };
            let more = if more {
                format!("{beyond} more than the longest batch needs alone")
            } else {
                "no more than the longest batch needs alone".to_owned()
            };
            let ends = match ends {
                Some((step, length, tried)) => format!(
                    "on this GPU PyTorch runs out at step {step}, a batch of {length} tokens, asking for {tried}"
                ),
                None if run.gives_back => {
                    "all steps fit this GPU, where PyTorch has to give cached segments back again and again, which takes time".to_owned()
                }
                None => "all steps fit this GPU".to_owned(),
            };
            format!("{segments} up to {reserved} would be reserved, {more}; {ends}.")
        }
        Language::Chinese => {
            let segments = if run.expandable_segments {
                "使用可扩展段时"
            } else {
                "不使用可扩展段时"
            };
            let more = if more {
                format!("比单独运行最长批次多 {beyond}")
            } else {
                "不超过单独运行最长批次所需".to_owned()
            };
            let ends = match ends {
                Some((step, length, tried)) => format!(
                    "在此 GPU 上，PyTorch 于第 {step} 步（批次长 {length} 个词元）申请 {tried} 时显存不足"
                ),
                None if run.gives_back => {
                    "所有步骤都放得下，但 PyTorch 须反复归还缓存的段，会变慢".to_owned()
                }
                None => "所有步骤都放得下".to_owned(),
            };
            format!("{segments}，最多会保留 {reserved}，{more}；{ends}。")
        }
    }
}

/// A step: "Step 553, 3,900 tokens: 41.2 GiB allocated, 44.0 GiB reserved."
pub fn step_sentence(
    run: &SegmentsRun,
    place: usize,
    units: ByteUnits,
    language: Language,
) -> String {
    let Some(step) = run.steps.get(place) else {
        return String::new();
    };
    let (number, length) = (exact(place as u64 + 1), exact(step.length));
    let [allocated, reserved] =
        [step.peak_allocated, step.peak_reserved].map(|bytes| amount(bytes, units));
    match language {
        Language::English => format!(
            "Step {number}, {length} tokens: {allocated} allocated, {reserved} reserved at most."
        ),
        Language::Chinese => {
            format!("第 {number} 步，{length} 个词元：最多分配 {allocated}，保留 {reserved}。")
        }
    }
}

/// How the steps were made.
pub fn long_steps_summary(found: &LongSteps, language: Language) -> String {
    let [count, lengths, longest] = [found.count, found.lengths, found.longest].map(exact);
    match language {
        Language::English => format!(
            "{count} steps, drawn, of {lengths} lengths up to {longest} tokens. The area is what tensors hold at most in each step, the thin line what is reserved."
        ),
        Language::Chinese => format!(
            "随机抽取的 {count} 步，共 {lengths} 种长度，最长 {longest} 个词元。色块为每步张量占用的峰值，细线为已保留。"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::OutOfMemoryAt;
    use crate::units::Bytes;

    #[test]
    fn a_run_is_said_with_what_it_reserves_beyond_the_longest_batch() {
        let run = SegmentsRun {
            expandable_segments: false,
            peak_allocated: Bytes::gib(60),
            peak_reserved: Bytes::gib(71),
            longest_alone: Bytes::gib(65),
            gives_back: true,
            out_of_memory: Some(OutOfMemoryAt {
                step: 553,
                length: 3900,
                tried: Bytes::gib(1),
                allocated: Bytes::gib(60),
                reserved: Bytes::gib(70),
            }),
            steps: Vec::new(),
            growth: Vec::new(),
        };
        assert_eq!(
            segments_sentence(&run, ByteUnits::Binary, Language::English),
            "Without expandable segments up to 71.0\u{a0}GiB would be reserved, 6.00\u{a0}GiB more than the longest batch needs alone; on this GPU PyTorch runs out at step 553, a batch of 3,900 tokens, asking for 1.00\u{a0}GiB."
        );
    }
}

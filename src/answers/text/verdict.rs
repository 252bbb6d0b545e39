//! The answer in one sentence.

use super::{ByteUnits, Language, Scale, amount, phase_in_sentence};
use crate::catalog::CONTEXTS_DIFFER_BY;
use crate::report::{Fit, Verdict};
use crate::units::Bytes;

/// `71.3 of 79.2 GiB`.
pub(super) fn of(needed: Bytes, capacity: Bytes, units: ByteUnits, language: Language) -> String {
    let scale = Scale::new(capacity, units);
    let needed = scale.number(needed);
    match language {
        Language::English => format!("{needed} of {}", scale.amount(capacity)),
        Language::Chinese => format!("{needed} / {}", scale.amount(capacity)),
    }
}

/// Whether a GPU's need fits with less to spare than contexts of CUDA differ by: it may not fit on another machine
/// with the same GPU.
pub fn is_at_risk(device: &Fit) -> bool {
    device.fits && device.headroom() < CONTEXTS_DIFFER_BY
}

/// The answer in a few words: "Fits, 7.9 GiB to spare."
pub fn verdict_answer(verdict: &Verdict, units: ByteUnits, language: Language) -> String {
    let device = Scale::new(verdict.device.capacity, units);
    let host = Scale::new(verdict.host.capacity, units);
    let killed = verdict.host.shortfall() > verdict.swapped;
    let tight = verdict.device.is_tight();
    let Fit {
        needed, capacity, ..
    } = verdict.device;
    let spare = || device.amount(capacity - needed);
    let missing = || device.amount(needed - capacity);
    let missing_on_host = || host.amount(verdict.host.needed - verdict.host.capacity);
    match (verdict.device.fits, verdict.host.fits, language) {
        (true, true, Language::English) if is_at_risk(&verdict.device) => format!(
            "At risk: {} to spare, less than CUDA contexts differ by.",
            spare()
        ),
        (true, true, Language::Chinese) if is_at_risk(&verdict.device) => {
            format!("有风险：显存仅余 {}，小于 CUDA 上下文之间的差异。", spare())
        }
        (true, true, Language::English) if tight => {
            format!("Fits tightly: {} to spare, less than 10 %.", spare())
        }
        (true, true, Language::Chinese) if tight => {
            format!("勉强放得下：显存仅余 {}，不到 10%。", spare())
        }
        (true, true, Language::English) if verdict.host.is_tight() => format!(
            "Fits tightly: {} of host RAM to spare, less than 10 %.",
            host.amount(verdict.host.headroom())
        ),
        (true, true, Language::Chinese) if verdict.host.is_tight() => format!(
            "勉强放得下：主机内存仅余 {}，不到 10%。",
            host.amount(verdict.host.headroom())
        ),
        (true, true, Language::English) => format!("Fits, {} to spare.", spare()),
        (true, true, Language::Chinese) => format!("放得下，显存还余 {}。", spare()),
        (false, true, Language::English) => {
            format!("Does not fit: {} of GPU memory missing.", missing())
        }
        (false, true, Language::Chinese) => format!("放不下：显存还差 {}。", missing()),
        (true, false, Language::English) if killed => format!(
            "Host RAM runs out: {} missing; the job is killed.",
            missing_on_host()
        ),
        (true, false, Language::Chinese) if killed => {
            format!("主机内存不足：还差 {}，任务会被终止。", missing_on_host())
        }
        (true, false, Language::English) => format!(
            "Swaps {} of host RAM: many times slower.",
            host.amount(verdict.swapped)
        ),
        (true, false, Language::Chinese) => format!(
            "有 {} 主机内存被换出到交换空间，会慢很多倍。",
            host.amount(verdict.swapped)
        ),
        (false, false, Language::English) => format!(
            "Does not fit: {} of GPU memory and {} of host RAM missing.",
            missing(),
            missing_on_host()
        ),
        (false, false, Language::Chinese) => format!(
            "放不下：显存还差 {}，主机内存还差 {}。",
            missing(),
            missing_on_host()
        ),
    }
}

/// The numbers of the answer: "Needs 71.3 of 79.2 GiB VRAM at the optimizer step; host RAM 38.0
/// of 128 GiB."
pub fn verdict_detail(verdict: &Verdict, units: ByteUnits, language: Language) -> String {
    let device = of(
        verdict.device.needed,
        verdict.device.capacity,
        units,
        language,
    );
    let host = of(verdict.host.needed, verdict.host.capacity, units, language);
    let phase = phase_in_sentence(verdict.binding_phase, language);
    match language {
        Language::English => {
            format!("Needs {device} VRAM at {phase}; host RAM {host}.")
        }
        Language::Chinese => {
            format!("显存需要 {device}，峰值在{phase}阶段；主机内存 {host}。")
        }
    }
}

/// The bytes that PyTorch does not hold on this GPU: "With more room PyTorch would cache 6.9 GiB more."
pub fn given_back(bytes: Bytes, units: ByteUnits, language: Language) -> String {
    let bytes = amount(bytes, units);
    match language {
        Language::English => format!("With more room PyTorch would cache {bytes} more."),
        Language::Chinese => format!("若显存更多，PyTorch 会多缓存 {bytes}。"),
    }
}

/// Two jobs on one GPU: "Both at once on one GPU: 15.2 of 23.6 GiB VRAM; 8.4 GiB to spare."
pub fn both_on_one_gpu(both: &Fit, units: ByteUnits, language: Language) -> String {
    let need = of(both.needed, both.capacity, units, language);
    let scale = Scale::new(both.capacity, units);
    let between = if both.fits {
        scale.amount(both.capacity - both.needed)
    } else {
        scale.amount(both.needed - both.capacity)
    };
    match (both.fits, language) {
        (true, Language::English) => {
            format!("Both jobs on one GPU: {need} VRAM, {between} to spare.")
        }
        (false, Language::English) => {
            format!("Both jobs on one GPU: {need} VRAM, {between} missing.")
        }
        (true, Language::Chinese) => {
            format!("两个作业同在一块 GPU：显存 {need}，还余 {between}。")
        }
        (false, Language::Chinese) => {
            format!("两个作业同在一块 GPU：显存 {need}，还差 {between}。")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Phase;

    fn verdict(device: (u64, u64), host: (u64, u64)) -> Verdict {
        let fit = |(needed, capacity)| Fit::new(Bytes::gib(needed), Bytes::gib(capacity));
        let host = fit(host);
        Verdict {
            fits: true,
            binding_phase: Phase::OptimizerStep,
            device: fit(device),
            host,
            swapped: Bytes::ZERO,
        }
    }

    #[test]
    fn what_fits_says_how_much_is_left() {
        let verdict = verdict((71, 79), (38, 128));
        let say = |language| verdict_answer(&verdict, ByteUnits::Binary, language);
        assert_eq!(say(Language::English), "Fits, 8.00\u{a0}GiB to spare.");
        assert_eq!(say(Language::Chinese), "放得下，显存还余 8.00\u{a0}GiB。");
        assert_eq!(
            verdict_detail(&verdict, ByteUnits::Binary, Language::English),
            "Needs 71.0 of 79.0\u{a0}GiB VRAM at the optimizer step; host RAM 38.0 of 128\u{a0}GiB."
        );
    }

    #[test]
    fn what_fits_with_less_than_a_tenth_to_spare_says_so() {
        let say = |device, language| {
            verdict_answer(&verdict(device, (38, 128)), ByteUnits::Binary, language)
        };
        assert_eq!(
            say((72, 79), Language::English),
            "Fits tightly: 7.00\u{a0}GiB to spare, less than 10 %."
        );
        assert_eq!(
            say((72, 79), Language::Chinese),
            "勉强放得下：显存仅余 7.00\u{a0}GiB，不到 10%。"
        );
        assert_eq!(
            verdict_answer(
                &verdict((9, 79), (120, 128)),
                ByteUnits::Binary,
                Language::English
            ),
            "Fits tightly: 8.00\u{a0}GiB of host RAM to spare, less than 10 %."
        );
        assert!(say((9, 10), Language::English).starts_with("Fits, "));
    }

    #[test]
    fn what_fits_with_less_to_spare_than_contexts_differ_by_is_at_risk() {
        let say =
            |language| verdict_answer(&verdict((10, 10), (38, 128)), ByteUnits::Binary, language);
        assert_eq!(
            say(Language::English),
            "At risk: 0.00\u{a0}GiB to spare, less than CUDA contexts differ by."
        );
        assert_eq!(
            say(Language::Chinese),
            "有风险：显存仅余 0.00\u{a0}GiB，小于 CUDA 上下文之间的差异。"
        );
    }

    #[test]
    fn what_does_not_fit_says_how_much_is_missing() {
        let verdict = verdict((95, 79), (38, 128));
        assert_eq!(
            verdict_answer(&verdict, ByteUnits::Binary, Language::English),
            "Does not fit: 16.0\u{a0}GiB of GPU memory missing."
        );
    }
}

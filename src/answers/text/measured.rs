//! Measured cases near a scenario, in words.

use super::{Language, exact};
use crate::decide::{CaseErrors, CaseKind, Divided, Near, Runs, Trained};

const fn trained(trained: Trained, language: Language) -> &'static str {
    language.of(match trained {
        Trained::Full => ("all weights trained", "训练全部权重"),
        Trained::Lora => ("LoRA", "LoRA"),
        Trained::Quantized => ("LoRA over a quantized base", "量化基座上的 LoRA"),
    })
}

const fn divided(divided: Divided, language: Language) -> &'static str {
    language.of(match divided {
        Divided::Alone => ("one GPU", "单 GPU"),
        Divided::Ddp => ("DDP", "DDP"),
        Divided::Fsdp1 => ("FSDP1", "FSDP1"),
        Divided::Fsdp2 => ("FSDP2", "FSDP2"),
        Divided::Zero => ("DeepSpeed ZeRO", "DeepSpeed ZeRO"),
        Divided::Megatron => ("Megatron-Core", "Megatron-Core"),
        Divided::Model => (
            "tensor, pipeline, context or expert parallelism",
            "张量、流水线、上下文或专家并行",
        ),
    })
}

const fn runs(runs: Runs, language: Language) -> &'static str {
    language.of(match runs {
        Runs::Training => ("training", "训练"),
        Runs::Trainer => ("TRL's trainers", "TRL 的训练器"),
        Runs::Evaluated => ("training with an evaluation", "训练并评估"),
        Runs::Forward => ("evaluation or generation alone", "仅评估或生成"),
    })
}

/// A kind of run: "LoRA, FSDP2, training".
fn kind_name(kind: CaseKind, language: Language) -> String {
    let parts = [
        trained(kind.trained, language),
        divided(kind.divided, language),
        runs(kind.runs, language),
    ];
    parts.join(language.of((", ", "，")))
}

/// A share of millionths as a percentage with two digits, of small ones at most four decimals: "0.016 %".
fn percent(millionths: u64) -> String {
    let value = millionths as f64 / 1e4;
    let decimals = match value {
        v if v >= 10.0 => 0,
        v if v >= 1.0 => 1,
        v if v >= 0.1 => 2,
        v if v >= 0.01 => 3,
        v if v > 0.0 => 4,
        _ => 0,
    };
    format!("{value:.decimals$}\u{a0}%")
}

/// How many are equal, rounded down: "99.4 %".
fn equal_share(errors: CaseErrors) -> String {
    let equal = errors.cases.saturating_sub(errors.unequal);
    let thousandths = equal.saturating_mul(1000) / errors.cases.max(1);
    let (whole, rest) = (thousandths / 10, thousandths % 10);
    if rest == 0 {
        format!("{whole}\u{a0}%")
    } else {
        format!("{whole}.{rest}\u{a0}%")
    }
}

/// Errors of some cases: "live tensors equal to the byte in 100 %, `max_memory_allocated` off by 0.016 % at worst".
fn errors_text(errors: CaseErrors, language: Language) -> String {
    let equal = equal_share(errors);
    let (worst, reserved) = (
        percent(errors.allocated_worst),
        percent(errors.reserved_p95),
    );
    match language {
        Language::English => format!(
            "live tensors equal to the byte in {equal}, max_memory_allocated off by {worst} at worst, max_memory_reserved by {reserved} at the 95th percentile"
        ),
        Language::Chinese => format!(
            "存活张量 {equal} 逐字节一致，max_memory_allocated 误差最大 {worst}，max_memory_reserved 误差的 95 分位为 {reserved}"
        ),
    }
}

/// The number of cases near a scenario in a few words.
pub fn near_short(near: &Near, language: Language) -> String {
    match (near.same, language) {
        (Some(same), Language::English) if same.cases == 1 => "1 measured case like it".to_owned(),
        (Some(same), Language::English) => {
            format!("{} measured cases like it", exact(same.cases))
        }
        (Some(same), Language::Chinese) => format!("同类实测 {} 例", exact(same.cases)),
        (None, Language::English) => "No measured case like it".to_owned(),
        (None, Language::Chinese) => "没有同类实测".to_owned(),
    }
}

/// The cases near a scenario with their errors; where there is none, the nearest.
pub fn near_sentences(near: &Near, language: Language) -> Vec<String> {
    let kind = kind_name(near.key.kind, language);
    let english = language == Language::English;
    let mut said = Vec::new();
    match (&near.key.model_type, near.same) {
        (Some(own), Some(same)) => {
            let (cases, errors) = (exact(same.cases), errors_text(same, language));
            said.push(if english {
                format!("Measured with PyTorch, {own} ({kind}): {cases}. Of these: {errors}.")
            } else {
                format!("用 PyTorch 实测的 {own}（{kind}）：{cases} 例。其中{errors}。")
            });
        }
        (Some(own), None) => said.push(if english {
            format!("No measured case of {own} in such a run ({kind}).")
        } else {
            format!("没有 {own} 在此类运行（{kind}）中的实测。")
        }),
        (None, _) => said.push(if english {
            "The model has no model_type under which cases were measured.".to_owned()
        } else {
            "该模型没有可对应实测的 model_type。".to_owned()
        }),
    }
    if near.same.is_none() {
        said.extend(nearest(near, &kind, language));
    }
    if let Some(on_gpu) = near.on_gpu {
        let (cases, worst) = (exact(on_gpu.cases), percent(on_gpu.allocated_worst));
        said.push(if english {
            format!(
                "On a real H200, such runs: {cases}; max_memory_allocated off by {worst} at worst."
            )
        } else {
            format!("在真实 H200 上的此类运行：{cases} 例，max_memory_allocated 误差最大 {worst}。")
        });
    }
    said
}

/// The nearest cases where none is like the scenario: cases of its model type, cases of its kind of run.
fn nearest(near: &Near, kind: &str, language: Language) -> Vec<String> {
    let english = language == Language::English;
    let of = |of: String, errors: CaseErrors| {
        let (cases, errors) = (exact(errors.cases), errors_text(errors, language));
        if english {
            format!("Nearest, {of}: {cases}. Of these: {errors}.")
        } else {
            format!("最接近的，{of}：{cases} 例。其中{errors}。")
        }
    };
    let own = near.key.model_type.as_deref().zip(near.of_type);
    let own = own.map(|(own, errors)| {
        let name = if english {
            format!("{own} in other runs")
        } else {
            format!("{own} 的其他运行")
        };
        of(name, errors)
    });
    let others = near.of_kind.map(|errors| {
        let name = if english {
            format!("other models in such runs ({kind})")
        } else {
            format!("其他模型的此类运行（{kind}）")
        };
        of(name, errors)
    });
    own.into_iter().chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::CaseKey;

    fn near(same: Option<CaseErrors>) -> Near {
        let errors = |cases| CaseErrors {
            cases,
            ..CaseErrors::default()
        };
        Near {
            key: CaseKey {
                model_type: Some("llama".to_owned()),
                kind: CaseKind {
                    trained: Trained::Lora,
                    divided: Divided::Fsdp2,
                    runs: Runs::Training,
                },
            },
            same,
            of_type: Some(errors(400)),
            of_kind: Some(errors(57)),
            on_gpu: None,
        }
    }

    #[test]
    fn cases_like_it_are_said_with_their_errors() {
        let same = CaseErrors {
            cases: 1214,
            unequal: 1,
            allocated_worst: 160,
            reserved_p95: 27_000,
            ..CaseErrors::default()
        };
        let near = near(Some(same));
        assert_eq!(
            near_short(&near, Language::English),
            "1,214 measured cases like it"
        );
        let said = near_sentences(&near, Language::English);
        assert_eq!(
            said,
            [
                "Measured with PyTorch, llama (LoRA, FSDP2, training): 1,214. Of these: live tensors equal to the byte in \
                99.9\u{a0}%, max_memory_allocated off by 0.016\u{a0}% at worst, max_memory_reserved by 2.7\u{a0}% at the 95th \
                percentile."
            ]
        );
    }

    #[test]
    fn where_none_is_like_it_that_is_said_with_the_nearest() {
        for &language in Language::ALL {
            let said = near_sentences(&near(None), language);
            assert_eq!(said.len(), 3, "{said:?}");
            assert!(
                said[1].contains("400") && said[2].contains("57"),
                "{said:?}"
            );
        }
        assert_eq!(near_short(&near(None), Language::Chinese), "没有同类实测");
    }

    #[test]
    fn percentages_have_two_digits_and_none_is_rounded_to_all() {
        for (millionths, text) in [
            (0, "0"),
            (1, "0.0001"),
            (160, "0.016"),
            (3900, "0.39"),
            (120_000, "12"),
        ] {
            assert_eq!(percent(millionths), format!("{text}\u{a0}%"));
        }
        let share = |cases, unequal| {
            equal_share(CaseErrors {
                cases,
                unequal,
                ..CaseErrors::default()
            })
        };
        assert_eq!(share(10_000, 1), "99.9\u{a0}%");
        assert_eq!(share(10, 0), "100\u{a0}%");
        assert_eq!(share(3, 3), "0\u{a0}%");
    }
}

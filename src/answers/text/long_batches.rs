//! How long batches are, how often one comes that does not fit, in words.

use super::numbers::three_digits;
use super::{Language, exact};
use crate::decide::LongBatches;
use crate::lengths::Excess;

/// Shares that a sentence names: half, and almost all.
const NAMED: [f64; 2] = [0.5, 0.99];

/// How long batches are: "Half of the batches have at most 812 tokens, 99 % at most 2,310; the longest has 4,096."
pub fn batch_lengths(of: &LongBatches, language: Language) -> String {
    let at = |share: f64| {
        let found = of.quantiles.iter().find(|quantile| quantile.share >= share);
        exact(found.map_or(of.longest, |quantile| quantile.length))
    };
    let ([half, most], longest) = (NAMED.map(at), exact(of.longest));
    match language {
        Language::English => format!(
            "Half of the batches have at most {half} tokens, 99 % at most {most}; the longest has {longest}."
        ),
        Language::Chinese => {
            format!("半数批次不超过 {half} 个词元，99% 不超过 {most}；最长的为 {longest}。")
        }
    }
}

/// The sentence about batches that are too long: "Batches of up to 3,072 tokens fit. A longer one comes once in 553
/// steps (0.18 % of batches); in an epoch of 31,250 steps one comes with a probability of 99.9 %."
pub fn too_long_batches(of: &LongBatches, language: Language) -> String {
    let steps = exact(of.steps_per_epoch);
    let fits = of.longest_fitting.map(exact);
    match (&of.too_long, fits, language) {
        (None, _, Language::English) => "Every batch fits, the longest, too.".to_owned(),
        (None, _, Language::Chinese) => "所有批次都放得下，包括最长的。".to_owned(),
        (Some(_), None, Language::English) => "No batch fits, however short.".to_owned(),
        (Some(_), None, Language::Chinese) => "任何批次都放不下。".to_owned(),
        (Some(excess), Some(fits), _) => longer_ones(&fits, &said(excess), &steps, language),
    }
}

/// The tokens of the longest batch that fits, and how often a longer one comes.
fn longer_ones(fits: &str, often: &Said, steps: &str, language: Language) -> String {
    let Said {
        share,
        once,
        first,
        in_epoch,
    } = often;
    let has_first = first != once;
    match language {
        Language::English => {
            let first = if has_first {
                format!(", the first at step {first}")
            } else {
                String::new()
            };
            format!(
                "Batches of up to {fits} tokens fit. A longer one comes once in {once} steps ({share} of batches){first}; in an epoch of {steps} steps one comes with a probability of {in_epoch}."
            )
        }
        Language::Chinese => {
            let first = if has_first {
                format!("，首次在第 {first} 步")
            } else {
                String::new()
            };
            format!(
                "不超过 {fits} 个词元的批次放得下。更长的批次平均每 {once} 步出现一次（占批次的 {share}）{first}；在一轮 {steps} 步中出现的概率为 {in_epoch}。"
            )
        }
    }
}

/// How often, in numbers for people.
struct Said {
    share: String,
    once: String,
    first: String,
    in_epoch: String,
}

fn said(excess: &Excess) -> Said {
    Said {
        share: percent(excess.share),
        once: steps(excess.once_in_steps),
        first: steps(excess.first_step),
        in_epoch: percent(excess.in_epoch),
    }
}

/// A share: "0.18 %".
fn percent(share: f64) -> String {
    const ALMOST: f64 = 0.9995;
    let of_hundred = share * 100.0;
    if (ALMOST..1.0).contains(&share) {
        ">99.9\u{a0}%".to_owned()
    } else if share > 0.0 && of_hundred < 1e-4 {
        "<0.0001\u{a0}%".to_owned()
    } else {
        format!("{}\u{a0}%", three_digits(of_hundred))
    }
}

/// A number of steps: whole where there are many.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of steps, as far as it goes"
)]
fn steps(count: f64) -> String {
    const MANY: f64 = 9.95;
    const MOST: f64 = 1e15;
    const SAME: f64 = 0.005;
    if count > MOST {
        ">10\u{b9}\u{2075}".to_owned()
    } else if count >= MANY || (count - count.round()).abs() < SAME {
        exact(count.round() as u64)
    } else {
        three_digits(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::Quantile;

    fn of(too_long: Option<Excess>) -> LongBatches {
        let quantile = |share, length| Quantile { share, length };
        LongBatches {
            quantiles: vec![quantile(0.5, 812), quantile(0.99, 2310)],
            longest: 4096,
            steps_per_epoch: 31_250,
            longest_fitting: Some(3072),
            too_long,
        }
    }

    #[test]
    fn a_batch_that_is_too_long_is_said_with_how_often_it_comes() {
        let excess = Excess {
            share: 0.001_808_3,
            once_in_steps: 553.02,
            in_epoch: 0.999_99,
            first_step: 553.02,
        };
        assert_eq!(
            too_long_batches(&of(Some(excess)), Language::English),
            "Batches of up to 3,072 tokens fit. A longer one comes once in 553 steps (0.181\u{a0}% of batches); in an epoch of 31,250 steps one comes with a probability of >99.9\u{a0}%."
        );
        let sorted = Excess {
            first_step: 1.0,
            ..excess
        };
        let said = too_long_batches(&of(Some(sorted)), Language::English);
        assert!(
            said.contains("(0.181\u{a0}% of batches), the first at step 1;"),
            "{said}"
        );
    }

    #[test]
    fn lengths_are_said_by_shares() {
        assert_eq!(
            batch_lengths(&of(None), Language::English),
            "Half of the batches have at most 812 tokens, 99 % at most 2,310; the longest has 4,096."
        );
        assert!(too_long_batches(&of(None), Language::English).starts_with("Every batch fits"));
    }
}

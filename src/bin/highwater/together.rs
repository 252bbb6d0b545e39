//! A failure against the estimate of the job that failed.

use crate::lines::sentence;
use highwater::ask::Scenario;
use highwater::decide::{Remedy, advice};
use highwater::figure::Explained;
use highwater::inputs::Failure;
use highwater::report::{Figures, Requested, estimate_with_ranks, requested};
use highwater::text::{
    ByteUnits, Language, cause_sentence, explained_sentences, remedy_name, remedy_saving,
    requested_sentence,
};
use highwater::units::Bytes;
use serde_json::{Value, json};

const LANGUAGE: Language = Language::English;
const UNITS: ByteUnits = ByteUnits::Binary;

/// Lines of one kind at most.
const LINES: usize = 6;

/// Explains a failure against the scenario of its job, as keys of an answer.
pub fn explained(failure: &Failure, scenario: &Scenario) -> Value {
    let reason = cause_sentence(&failure.cause, UNITS, LANGUAGE);
    let mut answer = json!({"cause": failure.cause.name(), "reason": plain(&reason)});
    let estimate = match estimate_with_ranks(scenario) {
        Ok(estimate) => estimate,
        Err(findings) => {
            answer["unestimated"] = sentence(&findings).into();
            return answer;
        }
    };
    let Some(explained) = Explained::of(failure, &estimate.report) else {
        return answer;
    };
    let said = explained_sentences(&explained, UNITS, LANGUAGE);
    answer["explained"] = json!(explained);
    answer["compared"] = json!(said.iter().map(|one| plain(one)).collect::<Vec<_>>());
    let printed = failure.facts.requested.map(Bytes);
    let alike = printed.and_then(|printed| requested(scenario, printed).ok());
    let alike = alike.unwrap_or_default();
    if !alike.is_empty() {
        let line = |of: &Requested| plain(&requested_sentence(of, UNITS, LANGUAGE));
        answer["same_size"] = json!(alike.iter().take(LINES).map(line).collect::<Vec<_>>());
    }
    let advice = advice(scenario, &Figures::from(&estimate.report));
    let of_it = advice
        .remedies
        .iter()
        .filter(|one| one.memory == explained.memory);
    answer["remedies"] = of_it.map(remedy).collect();
    answer
}

fn remedy(of: &Remedy) -> Value {
    let saving = plain(&remedy_saving(of.saves, of.total, UNITS, LANGUAGE));
    json!({
        "kind": of.kind.name(),
        "name": remedy_name(of.kind, LANGUAGE),
        "saves": of.saves,
        "total": of.total,
        "fits": of.fits(),
        "said": saving,
    })
}

/// A sentence without the blanks that keep numbers and units together.
fn plain(sentence: &str) -> String {
    sentence.replace('\u{a0}', " ")
}

//! Laws of reading and writing scenarios, over many random ones.

mod generate;

use generate::Random;
use highwater::ask::{ModelRef, Scenario, Severity};
use highwater::codec::{
    Link, ViewOptions, decode_json, decode_query, encode_json, encode_query, read_pasted,
};
use highwater::families::essential_config;
use highwater::report::estimate;
use highwater::resolve::resolve;
use serde_json::{Map, Value};

const MANY: usize = 300;

/// A random scenario whose every value is of the right kind.
fn scenario(random: &mut Random) -> Scenario {
    let text = random.scenario().to_string();
    let (scenario, findings) = decode_json(&text);
    assert!(findings.is_empty(), "{text}\n{findings:#?}");
    scenario
}

#[test]
fn json_says_every_scenario() {
    let random = &mut Random::new(1);
    for _ in 0..MANY {
        let scenario = scenario(random);
        let text = encode_json(&scenario);
        let (read, findings) = decode_json(&text);
        assert!(findings.is_empty(), "{text}\n{findings:#?}");
        assert_eq!(read, scenario, "{text}");
    }
}

#[test]
fn a_link_says_every_scenario_but_for_idle_fields_of_configs() {
    let random = &mut Random::new(2);
    for _ in 0..MANY {
        let mut scenario = scenario(random);
        let query = encode_query(&scenario, &ViewOptions::default());
        assert!(
            query.is_ascii() && !query.contains([' ', '#', '"', '<', '>']),
            "{query}"
        );
        if let ModelRef::HfConfig { hf_config } = &mut scenario.model {
            *hf_config = essential_config(hf_config);
        }
        let Link {
            scenario: read,
            findings,
            ..
        } = decode_query(&query);
        assert!(findings.is_empty(), "{query}\n{findings:#?}");
        assert_eq!(read, scenario, "{query}");
    }
}

#[test]
fn a_link_means_what_its_scenario_means() {
    let random = &mut Random::new(3);
    for _ in 0..MANY {
        let scenario = scenario(random);
        let query = encode_query(&scenario, &ViewOptions::default());
        let Link { scenario: read, .. } = decode_query(&query);
        let (there, back) = (resolve(&scenario), resolve(&read));
        assert_eq!(there.findings.len(), back.findings.len(), "{query}");
        let architecture = |resolution: &highwater::resolve::Resolution| {
            resolution
                .spec
                .as_ref()
                .map(|spec| spec.architecture.clone())
        };
        assert_eq!(architecture(&there), architecture(&back), "{query}");
    }
}

#[test]
fn no_scenario_makes_resolving_panic_and_an_error_gives_no_spec() {
    let random = &mut Random::new(4);
    let mut accepted = 0;
    for _ in 0..4 * MANY {
        let resolution = resolve(&scenario(random));
        let refused = resolution
            .findings
            .iter()
            .any(|f| f.severity == Severity::Error);
        assert_eq!(
            resolution.spec.is_none(),
            refused,
            "{:#?}",
            resolution.findings
        );
        accepted += usize::from(!refused);
    }
    assert!(accepted > 0, "the generator makes nothing that is accepted");
}

#[test]
fn repairs_lead_to_a_scenario_that_is_accepted() {
    let random = &mut Random::new(5);
    let accepted = (0..MANY / 4).filter(|_| repaired(scenario(random)).is_some());
    let accepted = accepted.count();
    assert!(
        accepted > MANY / 8,
        "only {accepted} of {} could be repaired",
        MANY / 4
    );
}

#[test]
fn every_scenario_that_is_accepted_has_an_answer() {
    let random = &mut Random::new(7);
    let mut answered = 0;
    for _ in 0..MANY / 5 {
        let mut scenario = scenario(random);
        // Two layers of a small model say as much as eighty of a large one, and sooner.
        let small = *random.pick(&["smollm2-135m", "qwen3-0.6b", "qwen2.5-0.5b", "mistral-7b"]);
        scenario.model = ModelRef::Catalog(small.to_owned());
        scenario.model_overrides =
            Map::from_iter([("num_hidden_layers".to_owned(), Value::from(2))]);
        let Some(scenario) = repaired(scenario) else {
            continue;
        };
        let estimate = estimate(&scenario).expect("an answer");
        assert!(estimate.report.device.total.get() > 0);
        assert!(estimate.report.host.peak.total.get() > 0);
        answered += 1;
    }
    assert!(answered > MANY / 10, "only {answered} were answered");
}

/// The scenario after all the repairs that its errors propose; none when one proposes none.
fn repaired(mut scenario: Scenario) -> Option<Scenario> {
    for _ in 0..80 {
        let findings = resolve(&scenario).findings;
        let Some(error) = findings.iter().find(|f| f.severity == Severity::Error) else {
            return Some(scenario);
        };
        let fix = error.fix.as_ref()?;
        let next = fix
            .apply(&scenario)
            .unwrap_or_else(|| panic!("no scenario: {error:#?}"));
        assert_ne!(next, scenario, "a repair that changes nothing: {error:#?}");
        scenario = next;
    }
    panic!("repairs without end: {scenario:#?}");
}

#[test]
fn garbage_never_panics() {
    let random = &mut Random::new(6);
    for _ in 0..MANY {
        let json = random.json(3).to_string();
        let mut texts = vec![random.text(), json.clone(), format!("{{\"model\":{json}}}")];
        let valid = scenario(random);
        texts.push(damaged(random, &encode_json(&valid)));
        texts.push(damaged(
            random,
            &encode_query(&valid, &ViewOptions::default()),
        ));
        for text in texts {
            resolve(&decode_json(&text).0);
            resolve(&decode_query(&text).scenario);
            read_pasted(&text);
        }
    }
}

/// A text with some of its characters changed, doubled or missing.
fn damaged(random: &mut Random, text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(characters.len());
        let other = random.text();
        if random.one_in(3) {
            characters.truncate(at);
        } else {
            let end = characters.len().min(at + random.below(3));
            characters.splice(at..end, other.chars());
        }
        if characters.is_empty() {
            break;
        }
    }
    characters.into_iter().collect()
}

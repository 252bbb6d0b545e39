//! Parts of a link besides the scenario.

use crate::ask::Scenario;
use crate::codec::{
    Language, Link, Panel, Theme, ViewOptions, WidgetControls, WidgetPanels, decode_query,
    encode_query,
};

/// Asserts that a link says the usual scenario, a view and nothing wrong.
fn says(query: &str, view: ViewOptions) {
    let Link {
        scenario,
        view: read,
        findings,
    } = decode_query(query);
    assert_eq!((scenario, read), (Scenario::default(), view));
    assert!(findings.is_empty());
}

#[test]
fn view_options_are_not_part_of_the_scenario() {
    let view = ViewOptions {
        embed: true,
        theme: Some(Theme::Dark),
        lang: Some(Language::Chinese),
        controls: WidgetControls::default().with("hardware.gpu", false),
        panels: WidgetPanels::default().with(Panel::Crossover, true),
        against: None,
    };
    let query = encode_query(&Scenario::default(), &view);
    assert_eq!(
        query,
        "v=1&embed=1&theme=dark&lang=zh&controls=mb.seq.precision&panels=bars.phases.crossover"
    );
    says(&query, view);
}

#[test]
fn any_setting_can_be_a_control_of_the_widget() {
    let Link { view, findings, .. } = decode_query("v=1&embed=1&controls=precision.mb.lora");
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(
        view.controls.keys(),
        ["precision", "micro_batch_size", "lora.r"]
    );
    assert!(encode_query(&Scenario::default(), &view).ends_with("controls=precision.mb.lora"));
    let Link { view, findings, .. } = decode_query("v=1&embed=1&controls=precison.mb");
    assert_eq!((view.controls.keys().len(), findings.len()), (1, 1));
}

#[test]
fn panels_of_the_widget_are_chosen_and_one_that_is_none_is_said() {
    let panels = |query: &str| {
        let Link { view, findings, .. } = decode_query(query);
        let has = |panel: &&Panel| view.panels.has(**panel);
        let shown: Vec<&str> = Panel::ALL.iter().filter(has).map(|p| p.name()).collect();
        (shown, findings.len())
    };
    assert_eq!(panels("v=1&embed=1").0, ["bars", "phases"]);
    assert_eq!(panels("v=1&panels=crossover"), (vec!["crossover"], 0));
    assert_eq!(panels("v=1&panels=none"), (Vec::new(), 0));
    assert_eq!(panels("v=1&panels=bars.phasen"), (vec!["bars"], 1));
    let view = ViewOptions {
        panels: WidgetPanels::NONE,
        ..ViewOptions::default()
    };
    assert_eq!(encode_query(&Scenario::default(), &view), "v=1&panels=none");
}

#[test]
fn a_link_holds_the_configuration_to_compare_with() {
    let mut a = Scenario {
        micro_batch_size: 16,
        ..Scenario::default()
    };
    a.model_overrides.insert("head_dim".to_owned(), 64.into());
    let view = ViewOptions {
        against: Some(Box::new(a)),
        ..ViewOptions::default()
    };
    let query = encode_query(&Scenario::default(), &view);
    assert_eq!(query, "v=1&a=v%3D1%26overrides%3Dhead_dim:64%26mb%3D16");
    says(&query, view);
}

#[test]
fn what_is_wrong_with_the_other_configuration_is_not_said_of_this_one() {
    let Link {
        scenario,
        view,
        findings,
    } = decode_query("v=1&seq=64&a=v%3D1%26mb%3Dmany");
    assert_eq!(scenario.seq_len, 64);
    assert_eq!(view.against.map(|a| *a), Some(Scenario::default()));
    let keys: Vec<&str> = findings.iter().map(|f| f.key.as_str()).collect();
    assert_eq!(keys, ["a"]);
}

#[test]
fn a_link_compares_once_however_deep_it_nests() {
    let query = "a=".repeat(100_000);
    assert!(decode_query(&query).view.against.is_some());
}

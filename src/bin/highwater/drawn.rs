//! `highwater estimate --svg`: the phases of a step as a figure.

use highwater::ask::Scenario;
use highwater::chart::{Caption, Highlight, Look, PhasesFigure, Theme, Unit, svg_phases};
use highwater::codec::{ViewOptions, encode_query};
use highwater::figure::binding_step;
use highwater::report::{Estimate, Measure};
use highwater::text::{ByteUnits, FigureWords, Language, Word, configuration};

/// The figure's size in CSS pixels.
const SIZE: (u32, u32) = (960, 520);

/// The page's query that opens a scenario.
pub fn link(scenario: &Scenario) -> String {
    format!("?{}", encode_query(scenario, &ViewOptions::default()))
}

/// The phases of the binding step, as an SVG document.
///
/// # Errors
/// The report that is drawn.
pub fn svg(scenario: &Scenario, estimate: &Estimate) -> Result<String, String> {
    let language = Language::English;
    let words = FigureWords {
        language,
        units: ByteUnits::Binary,
    };
    let look = Look {
        theme: &Theme::light(),
        words: &words,
        unit: Unit::Binary,
        highlight: Highlight::None,
    };
    let device = &estimate.report.device;
    let figure = PhasesFigure {
        step: binding_step(device),
        capacity: Some(device.usable),
        previous: None,
        held: None,
        measure: Measure::Live,
        cursor: None,
    };
    let caption = Caption {
        title: Word::PhasesTitle.text(language),
        configuration: &configuration(scenario, &estimate.report, language),
        address: &link(scenario),
    };
    svg_phases(&figure, &look, SIZE, Some(&caption)).map_err(|why| why.to_string())
}

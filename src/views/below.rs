//! What stands below the first screen: it comes with the rest of the program.

use super::assumptions::AssumptionsPanel;
use super::breakdown::BreakdownPanel;
use super::crossover::CrossoverPanel;
use super::explanation::ExplanationPanel;
use super::fits::FitsPanel;
use super::glossary::GlossaryPanel;
use super::node::NodePanel;
use super::opened::OpenedPanel;
use super::others::OthersPanel;
use super::ranks::RanksPanel;
use super::remedies::RemediesPanel;
use super::schedule::SchedulePanel;
use super::tensors::TensorsPanel;
use super::timeline::TimelinePanel;
use crate::app::use_store;
use leptos::prelude::*;

/// The panels below the first screen.
#[component]
pub(super) fn Below() -> impl IntoView {
    let store = use_store();
    view! {
        <Show when=move || store.has_answer()>
            <TimelinePanel />
            <FitsPanel />
            <CrossoverPanel />
            <RanksPanel />
            <SchedulePanel />
            <NodePanel />
            <RemediesPanel />
            <TensorsPanel />
            <ExplanationPanel />
            <OthersPanel />
            <BreakdownPanel />
        </Show>
        <OpenedPanel />
        <AssumptionsPanel />
        <GlossaryPanel />
    }
}

//! The panels below the first screen, ordered by question, and the drawer over them: they come with the rest of the program.

use super::assumptions::AssumptionsPanel;
use super::breakdown::BreakdownPanel;
use super::controls::LastSession;
use super::crossover::CrossoverPanel;
use super::decisions::{FitsPanel, MapPanel, PlansPanel, RemediesPanel, StepsPanel};
use super::drawer::DrawerPanel;
use super::explanation::ExplanationPanel;
use super::glossary::GlossaryPanel;
use super::history::SnapshotHistory;
use super::near::NearPlace;
use super::node::NodePanel;
use super::others::OthersPanel;
use super::question::{Asked, Contents, InSight, Question};
use super::ranks::RanksPanel;
use super::schedule::SchedulePanel;
use super::segments::SnapshotSegments;
use super::share::Print;
use super::tensors::TensorsPanel;
use super::timeline::TimelinePanel;
use crate::app::use_store;
use leptos::prelude::*;

/// The panels below the first screen.
#[component]
pub(super) fn Below() -> impl IntoView {
    let store = use_store();
    provide_context(InSight::new());
    view! {
        <Print />
        <LastSession />
        <Contents />
        <Show when=move || store.has_answer()>
            <NearPlace />
            <Asked question=Question::Change>
                <RemediesPanel />
                <PlansPanel />
            </Asked>
            <Asked question=Question::When>
                <div class="together">
                    <TimelinePanel />
                    <TensorsPanel />
                </div>
                <CrossoverPanel />
                <SchedulePanel />
            </Asked>
            <Asked question=Question::Fits>
                <FitsPanel />
                <StepsPanel />
                <MapPanel />
            </Asked>
            <Asked question=Question::Where>
                <RanksPanel />
                <NodePanel />
                <BreakdownPanel />
            </Asked>
            <Asked question=Question::Why>
                <ExplanationPanel />
                <OthersPanel />
            </Asked>
        </Show>
        <SnapshotHistory />
        <SnapshotSegments />
        <Asked question=Question::Assumed>
            <AssumptionsPanel />
            <GlossaryPanel />
        </Asked>
        <DrawerPanel />
    }
}

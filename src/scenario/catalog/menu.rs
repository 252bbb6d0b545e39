//! All situations of the menu.

use super::situation::{Situation, SituationGroup};
use super::situations::SITUATIONS;
use super::starting_points::STARTING_POINTS;

fn all() -> impl Iterator<Item = &'static Situation> {
    SITUATIONS.iter().chain(STARTING_POINTS)
}

/// The situations of a group, the most asked first.
pub fn situations_of(group: SituationGroup) -> impl Iterator<Item = &'static Situation> {
    all().filter(move |situation| situation.group == group)
}

/// The situation of this name.
pub fn situation(id: &str) -> Option<&'static Situation> {
    all().find(|situation| situation.id == id)
}

//! The figures of the page, for whoever wants to save them.

use super::plot::{Plot, Spot};
use crate::text::Word;
use leptos::prelude::*;
use std::sync::Arc;

/// A figure that can be saved.
#[derive(Clone)]
pub(super) struct Hung {
    /// Its stable name.
    pub id: &'static str,
    /// Its title.
    pub title: Word,
    /// The figure.
    pub plot: Arc<dyn Plot>,
    /// The place in it that is pointed at. It goes with its panel, which the figure may outlive.
    pub spot: RwSignal<Option<Spot>>,
}

/// All of them, in the page's order.
#[derive(Clone, Copy)]
pub(super) struct Gallery(RwSignal<Vec<Hung>>);

impl Gallery {
    /// None yet.
    pub fn new() -> Self {
        Self(RwSignal::new(Vec::new()))
    }

    /// Adds a figure, or replaces the one of its name.
    pub fn hang(
        &self,
        id: &'static str,
        title: Word,
        plot: Arc<dyn Plot>,
        spot: RwSignal<Option<Spot>>,
    ) {
        self.0.update(|all| {
            all.retain(|hung| hung.id != id);
            all.push(Hung {
                id,
                title,
                plot,
                spot,
            });
        });
    }

    /// The figures.
    pub fn all(self) -> Vec<Hung> {
        self.0.get()
    }
}

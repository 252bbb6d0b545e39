//! Towers that see images, and how their features come among the tokens of a text.

mod among;
pub(crate) mod batch;
mod crossed;
mod deep;
mod features;
mod intern;
mod joined;
mod merger;
mod packed;
mod patches;
mod places;
mod pooling_head;
mod rows;
mod sequences;
mod split;
mod tower;
mod vision_tower;
mod vision_transformer;

pub(crate) use among::Among;
pub use features::ImageFeatures;
pub(crate) use patches::Patches;
pub(crate) use tower::{Tower, TowerMlp};
pub(crate) use vision_tower::VisionTower;
pub(crate) use vision_transformer::{SeenImages, Vision, numbers};

//! How the layers of a decoder repeat.

use super::decoder::DecoderConfig;
use super::images::ImageConfig;
use crate::units::Repetition;

impl DecoderConfig {
    /// How the layers repeat: what differs from layer to layer is the kind of each. `None` where some
    /// read what others keep, so that each has a place of its own.
    pub fn repetition(&self) -> Option<Repetition> {
        let has_kinds = self.gemma_layers.is_some()
            || self.images.is_some()
            || self.experts.is_some()
            || !(self.unturned.is_empty() && self.indexed.is_empty() && self.mixers.is_empty());
        if has_kinds || self.windowed.contains(&true) {
            of_kinds(self)
        } else {
            Some(Repetition::ALIKE)
        }
    }
}

/// The repetition of layers that may be of several kinds.
fn of_kinds(config: &DecoderConfig) -> Option<Repetition> {
    if config.gemma_layers.is_some_and(|layers| layers.readers > 0) {
        return None;
    }
    let crossing = match config.images.as_deref() {
        Some(ImageConfig::Crossed(images)) => &images.crossing[..],
        _ => &[],
    };
    let cut = config.altup.as_ref().map(|altup| &altup.sparse[..]);
    let sparse = config.experts.as_ref().map(|experts| &experts.sparse[..]);
    let (windowed, unturned, indexed) = (&config.windowed, &config.unturned, &config.indexed);
    let lists = [
        Some(&windowed[..]),
        Some(unturned),
        Some(indexed),
        cut,
        sparse,
    ];
    let kind = |layer: u64| {
        let index = usize::try_from(layer).unwrap_or(usize::MAX);
        let listed = lists.map(|list| list.and_then(|list| list.get(index)));
        (
            listed,
            config.mixers.get(index),
            config.bases.get(index),
            crossing.contains(&layer),
        )
    };
    let kinds: Vec<_> = (0..config.num_hidden_layers).map(kind).collect();
    // Layers to whose inputs features are added differ from the others.
    let deep = config.images.as_ref().map_or(0, |images| images.depths());
    let head = if deep > 0 { deep + 1 } else { 0 };
    Some(Repetition::of_kinds(&kinds).after(head))
}

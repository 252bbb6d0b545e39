//! How the layers of a decoder repeat.

use super::{DecoderConfig, ImageConfig};
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

/// The same of layers that may be of several kinds.
#[inline(never)] // Not in `repetition`, so that the page can fetch it later.
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

#[cfg(test)]
mod tests {
    use crate::spec::{Architecture, ModelRef, Scenario, resolve};
    use crate::units::Repetition;

    fn of(model: &str) -> Option<Repetition> {
        let scenario = Scenario {
            model: ModelRef::Catalog(model.to_owned()),
            ..Scenario::default()
        };
        match resolve(&scenario).spec?.architecture {
            Architecture::Decoder(config) => config.repetition(),
            _ => None,
        }
    }

    #[test]
    fn layers_of_several_kinds_take_turns() {
        let found = |head, period| Some(Repetition { head, period });
        assert_eq!(of("llama-3.1-8b"), found(0, 1));
        assert_eq!(of("deepseek-v3"), found(3, 1));
        assert_eq!(of("gemma-2-2b"), found(0, 2));
        assert_eq!(of("gemma-3-1b"), found(0, 6));
        assert_eq!(of("gpt-oss-20b"), found(0, 2));
        // Keys and values of some are read by others.
        assert_eq!(of("gemma-3n-e2b"), None);
    }
}

//! Parts of a model that are trained, and so the parts that are not.

use std::collections::HashSet;

/// The parts of a model that are trained where others are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trained {
    /// The first n layers.
    First(u64),
    /// The last n layers.
    Last(u64),
    /// The last layer of each of n equal groups.
    Spread(u64),
    /// These parameters.
    Only(Vec<String>),
    /// All but the parameters with one of these names in their path.
    But(&'static [&'static str]),
}

/// A path that holds parameters: a layer with its number, or a parameter that is in none.
struct Part<'a> {
    path: &'a str,
    number: Option<u64>,
    names: Vec<&'a str>,
}

impl Trained {
    /// The parts that stay as they are, each by a path that no other name goes on from; nothing where the layers
    /// are not one list. `names`: the names of all parameters.
    pub(super) fn frozen(&self, names: &[String]) -> Option<Vec<String>> {
        let parts = parts(names);
        match self {
            Self::First(_) | Self::Last(_) | Self::Spread(_) => self.layers(&parts),
            Self::Only(trained) => {
                let trained: HashSet<&str> = trained.iter().map(String::as_str).collect();
                Some(all_but(&parts, |name| trained.contains(name)))
            }
            Self::But(frozen) => {
                let is_trained = |name: &str| !name.split('.').any(|own| frozen.contains(&own));
                Some(all_but(&parts, is_trained))
            }
        }
    }

    fn layers(&self, parts: &[Part]) -> Option<Vec<String>> {
        let layers = parts.iter().filter_map(|part| part.number).max()? + 1;
        let numbered = parts.iter().filter(|part| part.number.is_some()).count();
        if numbered as u64 != layers {
            return None;
        }
        let is_trained = |number: u64| match self {
            Self::First(count) => number < *count,
            Self::Last(count) => number + count >= layers,
            Self::Spread(count) => {
                let stride = layers / (*count).max(1);
                number % stride.max(1) == stride.saturating_sub(1)
            }
            Self::Only(_) | Self::But(_) => true,
        };
        let stays = |part: &&Part| !part.number.is_some_and(is_trained);
        Some(
            parts
                .iter()
                .filter(stays)
                .map(|part| part.path.to_owned())
                .collect(),
        )
    }
}

/// Whole parts that are not trained, and in the others the parameters that are not.
fn all_but(parts: &[Part], is_trained: impl Fn(&str) -> bool) -> Vec<String> {
    let mut frozen = Vec::new();
    for part in parts {
        if part.names.iter().any(|name| is_trained(name)) {
            let stays = part.names.iter().filter(|name| !is_trained(name));
            frozen.extend(stays.map(|&name| name.to_owned()));
        } else {
            frozen.push(part.path.to_owned());
        }
    }
    frozen
}

/// Paths that together hold all parameters, none inside another.
fn parts(names: &[String]) -> Vec<Part<'_>> {
    let mut parts: Vec<Part> = Vec::new();
    for name in names {
        let (path, number) = part_of(name);
        match parts.iter_mut().find(|part| part.path == path) {
            Some(part) => part.names.push(name),
            None => parts.push(Part {
                path,
                number,
                names: vec![name],
            }),
        }
    }
    parts
}

/// The path of the layer that `name` lies in, with its dot, and its number; `name` itself where it lies in none.
fn part_of(name: &str) -> (&str, Option<u64>) {
    let mut end = 0;
    for own in name.split_inclusive('.') {
        end += own.len();
        if let Some(number) = own.strip_suffix('.').and_then(|own| own.parse().ok()) {
            return (&name[..end], Some(number));
        }
    }
    (name, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        let mut names = vec!["visual.patch.weight".to_owned(), "embed.weight".to_owned()];
        for layer in 0..4 {
            names.push(format!("layers.{layer}.mlp.weight"));
            names.push(format!("layers.{layer}.norm.weight"));
        }
        names
    }

    fn frozen(trained: &Trained) -> Vec<String> {
        trained.frozen(&names()).expect("one list of layers")
    }

    #[test]
    fn layers_that_are_not_trained_are_frozen_with_what_is_in_no_layer() {
        let rest = ["visual.patch.weight", "embed.weight"];
        let with = |layers: &[&'static str]| [&rest, layers].concat();
        assert_eq!(
            frozen(&Trained::Last(1)),
            with(&["layers.0.", "layers.1.", "layers.2."])
        );
        assert_eq!(frozen(&Trained::First(3)), with(&["layers.3."]));
        assert_eq!(
            frozen(&Trained::Spread(2)),
            with(&["layers.0.", "layers.2."])
        );
    }

    #[test]
    fn parameters_that_are_not_named_are_frozen() {
        let only = Trained::Only(vec![
            "layers.3.mlp.weight".to_owned(),
            "embed.weight".to_owned(),
        ]);
        let stays = [
            "visual.patch.weight",
            "layers.0.",
            "layers.1.",
            "layers.2.",
            "layers.3.norm.weight",
        ];
        assert_eq!(frozen(&only), stays);
        assert_eq!(
            frozen(&Trained::But(&["visual", "norms"])),
            ["visual.patch.weight"]
        );
    }

    #[test]
    fn layers_of_two_lists_have_no_last_one() {
        let both = ["encoder.0.weight".to_owned(), "decoder.0.weight".to_owned()];
        assert_eq!(Trained::Last(1).frozen(&both), None);
    }
}

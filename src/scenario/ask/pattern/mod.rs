//! Regular expressions over the paths of modules, as PEFT takes `target_modules` that is one text
//! (`match_target_against_key`, `utils/other.py`, peft 0.21: `re.fullmatch`).
//!
//! Of Python's `re` (3.11) everything is read but back-references, conditions, flags, named characters,
//! atomic groups and possessive repetitions. A search goes on from all places at once, so that no
//! expression takes long. Crates without backtracking know no look-around, which expressions for models
//! that see images have.

mod read;
mod search;

use read::Node;
pub use read::PatternError;
use search::Search;

/// The longest expression that is read, in bytes.
const LONGEST: usize = 4096;

/// An expression that a whole path has to match.
#[derive(Debug)]
pub struct Pattern {
    root: Node,
}

impl Pattern {
    /// Reads an expression.
    ///
    /// # Errors
    ///
    /// If it is none, or has syntax that is not modelled.
    pub fn read(text: &str) -> Result<Self, PatternError> {
        if text.len() > LONGEST {
            return Err(PatternError::NotModelled);
        }
        Ok(Self {
            root: read::read(text)?,
        })
    }

    /// Whether it matches a whole text (`re.fullmatch`); nothing where that takes too many steps.
    pub fn matches(&self, text: &str) -> Option<bool> {
        let letters: Vec<char> = text.chars().collect();
        let search = Search::new(&letters);
        let ends = search.ends(&self.root, &[0])?;
        Some(ends.last() == Some(&letters.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        let pattern = Pattern::read(pattern).expect("an expression");
        pattern.matches(text).expect("few steps")
    }

    #[test]
    fn expressions_match_what_python_matches() {
        let layers = r"model.layers.[\d]+.(mlp|self_attn).(up|down|gate|q|k|v|o)_proj";
        assert!(matches(layers, "model.layers.12.mlp.up_proj"));
        assert!(!matches(layers, "model.layers.12.mlp.experts.up_proj"));
        assert!(!matches(layers, "x.model.layers.1.mlp.up_proj"));
        let some = r".*\.layers\.(3|7|11)\.self_attn\.(q|k)_proj|.*\.mlp\.gate_proj";
        assert!(matches(some, "model.layers.11.self_attn.k_proj"));
        assert!(!matches(some, "model.layers.1.self_attn.k_proj"));
        assert!(matches(some, "model.layers.1.mlp.gate_proj"));
        let looks = r"^(?!.*(?:visual|merger)).*(?:q_proj|v_proj)(?<!x)$";
        assert!(matches(looks, "model.layers.1.self_attn.q_proj"));
        assert!(!matches(looks, "model.visual.blocks.1.attn.q_proj"));
        assert!(matches(r"(?=.*7)(?P<all>\w|\.)*?\b", "layers.7"));
        assert!(!matches(r"(?=.*7)[^\W_]+", "layers_7"));
        assert!(matches(r"a{2}b{,1}c{1,}[]x-]\x2e\Z", "aaccx."));
        assert!(!matches("a{2}", "aaa"));
        assert!(matches("a{x}|", "a{x}"));
    }

    #[test]
    fn what_is_no_expression_is_told_from_what_is_not_modelled() {
        for wrong in [
            "(", "a)", "*a", "[a", "a**", r"\q", "[z-a]", "(?<=a+)b", "a{2,1}",
        ] {
            assert_eq!(
                Pattern::read(wrong).err(),
                Some(PatternError::Wrong),
                "{wrong}"
            );
        }
        for other in [r"(a)\1", "(?i)a", "(?>a)", "a*+", "(?(1)a|b)"] {
            let found = Pattern::read(other).err();
            assert_eq!(found, Some(PatternError::NotModelled), "{other}");
        }
    }

    #[test]
    fn no_expression_takes_long() {
        let nested = Pattern::read("((a*)*)*b").expect("an expression");
        let text = "a".repeat(200);
        assert_eq!(nested.matches(&text), Some(false));
        let deep = "(".repeat(2000) + &")".repeat(2000);
        assert_eq!(Pattern::read(&deep).err(), Some(PatternError::NotModelled));
    }
}

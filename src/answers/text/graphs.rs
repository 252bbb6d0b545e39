//! Words about graphs that `torch.export` writes.

use super::{Language, count, exact};

/// Facts of a graph that are said.
#[derive(Clone, Copy, Debug)]
pub struct GraphFacts<'a> {
    /// The number of its operations.
    pub operations: usize,
    /// Elements of its parameters.
    pub parameters: i64,
    /// The version of torch that wrote it.
    pub torch: Option<&'a str>,
}

impl GraphFacts<'_> {
    fn numbers(&self) -> (String, String) {
        let parameters = u64::try_from(self.parameters).unwrap_or_default();
        (exact(self.operations as u64), count(parameters))
    }

    /// A graph in a line: `228 operations, 25.6M parameters`.
    pub fn title(&self, language: Language) -> String {
        let (operations, parameters) = self.numbers();
        match language {
            Language::English => format!("{operations} operations, {parameters} parameters"),
            Language::Chinese => format!("{operations} 个算子，{parameters} 参数"),
        }
    }

    /// A sentence on a graph that was read.
    pub fn sentence(&self, language: Language) -> String {
        let (operations, parameters) = self.numbers();
        match language {
            Language::English => {
                let by = self
                    .torch
                    .map(|torch| format!(", exported by torch {torch}"));
                let by = by.unwrap_or_default();
                format!(
                    "A graph of {operations} operations and {parameters} parameters{by}. Its weights were not read."
                )
            }
            Language::Chinese => {
                let by = self.torch.map(|torch| format!("，由 torch {torch} 导出"));
                let by = by.unwrap_or_default();
                format!("计算图：{operations} 个算子，{parameters} 参数{by}。未读取权重。")
            }
        }
    }
}

/// The name of a model of which only the size is known: "a decoder of 13.0B parameters".
pub fn model_of_size(parameters: u64, language: Language) -> String {
    let parameters = count(parameters);
    match language {
        Language::English => format!("a decoder of {parameters} parameters"),
        Language::Chinese => format!("{parameters} 参数的解码器"),
    }
}

/// The name of a size that a graph leaves open, by the dimensions of inputs that it is (`x.2`), else by its own.
pub fn size_name(name: &str, places: &[String], language: Language) -> String {
    let Some((input, dimension)) = places.first().and_then(|place| place.rsplit_once('.')) else {
        return match language {
            Language::English => format!("Size {name}"),
            Language::Chinese => format!("尺寸 {name}"),
        };
    };
    match language {
        Language::English => format!("Dimension {dimension} of {input}"),
        Language::Chinese => format!("{input} 的第 {dimension} 维"),
    }
}

/// The values that a size may have: `s77: 2 to 4096; x.2, mask.1`.
pub fn size_note(
    name: &str,
    places: &[String],
    [low, high]: [Option<i64>; 2],
    language: Language,
) -> String {
    let low = low.unwrap_or_default().to_string();
    let range = match (high, language) {
        (Some(high), Language::English) => format!("{low} to {high}"),
        (Some(high), Language::Chinese) => format!("{low} 到 {high}"),
        (None, Language::English) => format!("{low} or more"),
        (None, Language::Chinese) => format!("不小于 {low}"),
    };
    let places = places.join(", ");
    if places.is_empty() {
        format!("{name}: {range}")
    } else {
        format!("{name} = {places}: {range}")
    }
}

/// The lines of Python that write a graph for an input of this shape, whose first dimension is the batch; none where the
/// shape is none.
pub fn export_snippet(shape: &str, whole_numbers: bool) -> Option<String> {
    let parts = shape.split([',', ' ', 'x', '×', '(', ')', '[', ']']);
    let parts = parts.filter(|part| !part.is_empty());
    let sizes: Vec<u64> = parts.map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let (_, rest) = sizes.split_first()?;
    let rest = rest
        .iter()
        .fold(String::new(), |all, size| format!("{all}, {size}"));
    let comma = if rest.is_empty() { "," } else { "" };
    let dtype = if whole_numbers {
        ", dtype=torch.long"
    } else {
        ""
    };
    let sizes = if whole_numbers || rest.is_empty() {
        format!("(3{rest}{comma}){dtype}")
    } else {
        format!("3{rest}")
    };
    Some(format!(
        "import torch\n\
         x = torch.zeros({sizes})  # an example batch of 3\n\
         ep = torch.export.export(model.train(), (x,), dynamic_shapes=({{0: torch.export.Dim.AUTO}},))\n\
         torch.export.save(ep, \"model.pt2\")\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_snippet_has_the_readers_shape_and_a_batch_of_three() {
        let snippet = export_snippet("8, 3, 224, 224", false).expect("a shape");
        assert!(snippet.contains("torch.zeros(3, 3, 224, 224)"));
        let snippet = export_snippet("(16 x 1024)", true).expect("a shape");
        assert!(snippet.contains("torch.zeros((3, 1024), dtype=torch.long)"));
        let snippet = export_snippet("[5]", false).expect("a shape");
        assert!(snippet.contains("torch.zeros((3,))"));
        for none in ["", "a, b", "3, -1", "1.5"] {
            assert_eq!(export_snippet(none, false), None, "{none}");
        }
    }

    #[test]
    fn a_size_is_called_by_the_first_input_that_has_it() {
        let places = ["x.2".to_owned(), "mask.1".to_owned()];
        let called = size_name("s77", &places, Language::English);
        assert_eq!(called, "Dimension 2 of x");
        assert_eq!(size_name("u0", &[], Language::English), "Size u0");
        let note = size_note("s77", &places, [Some(2), None], Language::English);
        assert_eq!(note, "s77 = x.2, mask.1: 2 or more");
    }
}

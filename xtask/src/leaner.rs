//! Style sheets of the page without what browsers do not read: comments and indentation.

/// A text without the comments that begin a line, without indentation and without empty lines. No text of a
/// string may go over several lines.
pub fn leaner(text: &str) -> String {
    let mut lean = String::with_capacity(text.len());
    let mut within = false;
    for mut line in text.lines().map(str::trim) {
        within = within || line.starts_with("/*");
        if within {
            let Some((_, after)) = line.split_once("*/") else {
                continue;
            };
            (within, line) = (false, after.trim_start());
        }
        if !line.is_empty() {
            lean.push_str(line);
            lean.push('\n');
        }
    }
    lean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go_and_nothing_else() {
        let sheet =
            "/* What it is. */\n\n/** How\n * long. */\na {\n  b: url(\"//c\"); /* why */\n}\n";
        let lean = "a {\nb: url(\"//c\"); /* why */\n}\n";
        assert_eq!(leaner(sheet), lean);
        assert_eq!(leaner("/* Why. */ a {\n}\n"), "a {\n}\n");
        assert_eq!(leaner(lean), lean);
    }
}

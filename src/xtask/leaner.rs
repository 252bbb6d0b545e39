//! Style sheets and pages without what browsers do not read.

/// A style sheet without the comments that begin a line, without indentation and without the spaces and line ends that
/// part nothing. No text of a string may go over several lines.
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
        match line.strip_suffix('{') {
            _ if line.is_empty() => {}
            Some(selector) => lean.extend([selector.trim_end(), "{"]),
            None if line.ends_with(';') && !line.contains(['"', '\'']) => {
                lean += &line.replacen(": ", ":", 1).replace(", ", ",");
            }
            None if line.ends_with([';', '}', ',', '(']) => lean += line,
            None => lean.extend([line, "\n"]),
        }
    }
    lean
}

/// A page without the indentation of its lines, empty lines, and the slashes of elements that have no content.
pub fn unindented(page: &str) -> String {
    let lines = page.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<String> = lines.map(|line| line.replace(" />", ">")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go_and_nothing_else() {
        let sheet =
            "/* What it is. */\n\n/** How\n * long. */\na {\n  b: url(\"//c\"); /* why */\n}\n";
        let lean = "a{b: url(\"//c\"); /* why */\n}";
        assert_eq!(leaner(sheet), lean);
        assert_eq!(leaner("/* Why. */ a {\n}\n"), "a{}");
        assert_eq!(leaner(lean), lean);
        let lists = "a,\nb :hover {\n  margin: 0\n    auto;\n  color: rgb(1, 2);\n}\n";
        assert_eq!(leaner(lists), "a,b :hover{margin: 0\nauto;color:rgb(1,2);}");
    }
}

//! `highwater help`: the guide's page of the command line, as plain text.

use std::fmt::Write;

/// The page: an introduction, and a section for each command.
const PAGE: &str = include_str!("../../../public/docs/command-line.md");

/// The usage of all commands.
pub fn usage() -> String {
    plain(PAGE.split("\n## ").next().unwrap_or(PAGE))
}

/// The section of a command; `None` for an unknown command.
pub fn help_of(command: &str) -> Option<String> {
    let mut sections = PAGE.split("\n## ").skip(1);
    let section = sections.find(|section| section.lines().next() == Some(command))?;
    Some(plain(section))
}

/// Markdown for a terminal: without its title, the fences of code and the marks of code in a line.
fn plain(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut is_code = false;
    for line in markdown.lines().skip(1) {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            let _ = writeln!(text, "  {line}");
        } else {
            let _ = writeln!(text, "{}", line.replace('`', ""));
        }
    }
    format!("{}\n", text.trim_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Commands of the overview, each with its lines there.
    fn overview() -> Vec<(String, String)> {
        let usage = usage();
        let lines = usage
            .lines()
            .skip_while(|line| !line.starts_with("  highwater"));
        let mut commands: Vec<(String, String)> = Vec::new();
        for line in lines.take_while(|line| !line.is_empty()) {
            match (line.strip_prefix("  highwater "), commands.last_mut()) {
                (Some(rest), _) => {
                    let name = rest.split(' ').next().unwrap_or(rest);
                    commands.push((name.to_owned(), line.to_owned()));
                }
                (None, Some((_, lines))) => lines.extend(["\n", line]),
                (None, None) => panic!("{line} belongs to no command"),
            }
        }
        commands
    }

    #[test]
    fn every_command_of_the_overview_has_a_section_that_repeats_its_usage_and_explains_its_options()
    {
        let commands = overview();
        assert_eq!(commands.len(), 10, "{commands:?}");
        for (command, usage) in commands {
            let Some(help) = help_of(&command) else {
                assert_eq!(command, "help");
                continue;
            };
            assert!(help.starts_with(&usage), "{command}: {help}");
            let options = usage
                .split(['[', ' ', ']'])
                .filter(|word| word.starts_with("--"));
            for option in options {
                assert!(
                    help.contains(&format!("\n- {option}")),
                    "{command} {option}"
                );
            }
            assert!(!help.contains("]("), "{command}: links are no text");
        }
        assert_eq!(help_of("guess"), None);
    }
}

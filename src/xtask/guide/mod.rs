//! The guide: Markdown of the repository as plain HTML beside the page.
//!
//! `public/docs/index.md` is the table of contents: its links, in their order, are the pages and their names in the
//! navigation. A link that leads nowhere, and a page that the contents lack, stop the build. The pages have no script
//! and no style of their own, as the page's Content-Security-Policy asks.

mod markdown;
mod template;

use crate::process::{Failure, root};
use markdown::{Page, render};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The folder of the sources.
const SOURCES: &str = "public/docs";
/// The page with the table of contents.
const CONTENTS: &str = "public/docs/index.md";
/// Files that the pages need beside them, and their names there.
const FILES: [(&str, &str); 2] = [
    ("public/icon.svg", "icon.svg"),
    ("public/scenario.schema.json", "scenario.schema.json"),
];
/// The page's colors and sizes, and the guide's own rules: one file.
const STYLES: [&str; 2] = ["style/tokens.css", "style/guide.css"];
/// The folder of a build without Trunk.
const BUILT: &str = "target/dist";
/// The variable in which Trunk names the folder that it fills.
const STAGING: &str = "TRUNK_STAGING_DIR";

/// An entry of the table of contents.
struct Entry {
    /// Its source, from the repository's root.
    source: String,
    /// Its name in the navigation.
    name: String,
}

/// Writes the guide into the folder that Trunk fills, or into the built page.
pub fn write() -> Result<(), Failure> {
    let staging = std::env::var_os(STAGING).map(std::path::PathBuf::from);
    write_into(&staging.unwrap_or_else(|| root().join(BUILT)).join("docs"))
}

fn write_into(folder: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("the guide: {error}"));
    fs::create_dir_all(folder).map_err(failed)?;
    for (name, html) in pages()? {
        fs::write(folder.join(name), html).map_err(failed)?;
    }
    let styles: Result<Vec<_>, _> = STYLES
        .iter()
        .map(|path| fs::read_to_string(root().join(path)))
        .collect();
    fs::write(folder.join("guide.css"), styles.map_err(failed)?.concat()).map_err(failed)?;
    for (source, name) in FILES {
        fs::copy(root().join(source), folder.join(name)).map_err(failed)?;
    }
    Ok(())
}

/// The name of each file, and its HTML.
fn pages() -> Result<Vec<(String, String)>, Failure> {
    let contents = read(CONTENTS)?;
    let mut entries = vec![Entry {
        source: CONTENTS.to_owned(),
        name: "Guide".to_owned(),
    }];
    entries.extend(markdown::links(&contents).into_iter().filter_map(|link| {
        let source = markdown::resolved(CONTENTS, &link.target)?;
        Some(Entry {
            source,
            name: link.text,
        })
    }));
    let sources: BTreeSet<String> = entries.iter().map(|entry| entry.source.clone()).collect();
    no_page_is_left_out(&sources)?;
    let rendered: Result<Vec<Page>, Failure> = entries
        .iter()
        .map(|entry| {
            let page = render(&entry.source, &read(&entry.source)?, &sources);
            page.map_err(Failure::new)
        })
        .collect();
    let rendered = rendered?;
    let dead = dead_links(&rendered);
    if !dead.is_empty() {
        return Err(Failure::new(format!(
            "links of the guide lead nowhere:\n{}",
            dead.join("\n")
        )));
    }
    let page = |page: &Page| {
        let html = template::whole(page, &entries);
        (page.file.clone(), html)
    };
    Ok(rendered.iter().map(page).collect())
}

fn read(source: &str) -> Result<String, Failure> {
    fs::read_to_string(root().join(source))
        .map_err(|error| Failure::new(format!("{source}: {error}")))
}

/// Fails when a Markdown file of the folder is not in the table of contents.
fn no_page_is_left_out(sources: &BTreeSet<String>) -> Result<(), Failure> {
    let files = fs::read_dir(root().join(SOURCES))
        .map_err(|error| Failure::new(format!("{SOURCES}: {error}")))?;
    for file in files.filter_map(Result::ok) {
        let source = format!("{SOURCES}/{}", file.file_name().to_string_lossy());
        if Path::new(&source)
            .extension()
            .is_some_and(|end| end == "md")
            && !sources.contains(&source)
        {
            return Err(Failure::new(format!(
                "{CONTENTS} does not link to {source}"
            )));
        }
    }
    Ok(())
}

/// Links within the guide whose page has no element with that id.
fn dead_links(pages: &[Page]) -> Vec<String> {
    let mut dead = Vec::new();
    for page in pages {
        for (file, id) in &page.anchors {
            let target = pages.iter().find(|other| other.file == *file);
            if !target.is_some_and(|target| target.ids.contains(id)) {
                dead.push(format!("{}: {file}#{id}", page.file));
            }
        }
    }
    dead
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_of_this_repository_has_no_dead_link_no_script_and_no_style_within() {
        let pages = pages();
        let pages = pages.unwrap_or_else(|failure| panic!("{}", failure.message));
        assert!(pages.len() >= 8, "{} pages", pages.len());
        for (name, html) in &pages {
            assert!(html.contains("<h1"), "{name} has a title");
            let tags = html
                .split('<')
                .skip(1)
                .filter_map(|rest| rest.split('>').next());
            for tag in tags {
                let has = [" style=", " on", "javascript:"].map(|part| tag.contains(part));
                assert!(
                    has == [false; 3] && !tag.starts_with("script"),
                    "{name}: {tag}"
                );
            }
        }
    }

    #[test]
    fn a_link_to_a_missing_heading_is_dead() {
        let sources = BTreeSet::from(["a.md".to_owned()]);
        let page = render("a.md", "# A\n\n## B\n\n[b](#b) [c](a.md#c)", &sources);
        let page = page.unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(dead_links(&[page]), ["a.html: a.html#c"]);
    }
}

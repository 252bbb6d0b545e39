//! What makes the built page fit for hosting: no script within the page, so that a strict
//! Content-Security-Policy needs no exception, and absolute addresses for previews of links.

use crate::process::{Failure, root};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Where the page's files are.
const DIST: &str = "target/dist";
/// How the script that Trunk writes into the page begins and ends.
const BEGINS: &str = "<script type=\"module\">";
const ENDS: &str = "</script>";

/// Moves the page's own script into a file and, when the page's future address is known, gives
/// link previews an absolute address of their picture.
pub fn finish(address: Option<&str>) -> Result<(), Failure> {
    let folder = root().join(DIST);
    let page = folder.join("index.html");
    let failed = |error: std::io::Error| Failure::new(format!("{DIST}: {error}"));
    let text = fs::read_to_string(&page).map_err(failed)?;
    let (mut text, script) = apart(&text)
        .ok_or_else(|| Failure::new("the built page has no script of Trunk's to move"))?;
    let mut hasher = DefaultHasher::new();
    script.hash(&mut hasher);
    let name = format!("boot-{:016x}.js", hasher.finish());
    fs::write(folder.join(&name), script.trim_start()).map_err(failed)?;
    text = text.replace(
        BEGINS,
        &format!("<script type=\"module\" src=\"./{name}\">"),
    );
    if let Some(address) = address {
        text = with_address(&text, address);
    }
    fs::write(&page, text).map_err(failed)
}

/// The page with its inline script emptied, and that script.
fn apart(page: &str) -> Option<(String, String)> {
    let begin = page.find(BEGINS)? + BEGINS.len();
    let end = begin + page[begin..].find(ENDS)?;
    let rest = format!("{}{}", &page[..begin], &page[end..]);
    Some((rest, page[begin..end].to_owned()))
}

/// The page whose preview names its picture and itself absolutely.
fn with_address(page: &str, address: &str) -> String {
    let folder = address.trim_end_matches('/');
    let image = format!("content=\"{folder}/screenshot.png\"");
    let own = format!("<meta property=\"og:url\" content=\"{folder}/\" />");
    let page = page.replace("content=\"screenshot.png\"", &image);
    page.replace("</head>", &format!("{own}</head>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_in_the_page_is_taken_out_whole() {
        let page = "<head></head><script type=\"module\">start();</script><p></p>";
        let (rest, script) = apart(page).expect("there is a script");
        assert_eq!(script, "start();");
        assert_eq!(
            rest,
            "<head></head><script type=\"module\"></script><p></p>"
        );
    }

    #[test]
    fn previews_get_absolute_addresses() {
        let page = with_address(
            "<meta content=\"screenshot.png\" /></head>",
            "https://a.b/c/",
        );
        assert!(page.contains("content=\"https://a.b/c/screenshot.png\""));
        assert!(page.contains("og:url\" content=\"https://a.b/c/\""));
    }
}

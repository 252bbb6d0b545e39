//! The frame of every page of the guide.

use super::Entry;
use super::markdown::{Page, escaped, file_of, language_of};

/// A whole file of HTML.
pub fn whole(page: &Page, entries: &[Entry]) -> String {
    let Page {
        title,
        language,
        html,
        ..
    } = page;
    let title = escaped(title);
    let links: String = entries.iter().map(|entry| link(page, entry)).collect();
    format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n\
         <meta charset=\"utf-8\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <meta name=\"color-scheme\" content=\"light dark\" />\n\
         <title>{title} \u{b7} Highwater</title>\n\
         <link rel=\"icon\" href=\"icon.svg\" type=\"image/svg+xml\" />\n\
         <link rel=\"stylesheet\" href=\"guide.css\" />\n\
         </head>\n<body>\n\
         <header class=\"guide-head\"><a class=\"brand\" href=\"../\">Highwater</a></header>\n\
         <div class=\"guide\">\n<nav aria-label=\"Guide\">\n<ul>\n{links}</ul>\n</nav>\n\
         <main>\n{html}</main>\n</div>\n</body>\n</html>\n"
    )
}

/// The line of the navigation for an entry.
fn link(page: &Page, entry: &Entry) -> String {
    let file = file_of(&entry.source);
    let current = if file == page.file {
        " aria-current=\"page\""
    } else {
        ""
    };
    let language = match language_of(&entry.source) {
        language if language == page.language => String::new(),
        language => format!(" lang=\"{language}\""),
    };
    let name = escaped(&entry.name);
    format!("<li><a href=\"{file}\"{current}{language}>{name}</a></li>\n")
}

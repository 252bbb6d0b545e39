//! One page of the guide from its Markdown.

use pulldown_cmark::{Alignment, CowStr, Event, Options, Parser, Tag, TagEnd, html};
use std::collections::BTreeSet;

/// Files beside the page that the guide may link to, from the repository's root.
const HOSTED: [&str; 2] = ["public/embed.js", "public/embed-demo.html"];
/// The schema, which is in the guide's own folder.
const SCHEMA: &str = "public/scenario.schema.json";

/// A page.
pub struct Page {
    /// Its file in the guide's folder.
    pub file: String,
    /// The text of its first heading.
    pub title: String,
    /// The tag of its language.
    pub language: &'static str,
    /// The HTML of its content.
    pub html: String,
    /// The ids of its headings.
    pub ids: BTreeSet<String>,
    /// Files of the guide and ids in them that its links name.
    pub anchors: Vec<(String, String)>,
}

/// A link of a document.
pub struct Link {
    /// Its address as it is written.
    pub target: String,
    /// Its text.
    pub text: String,
}

/// The links of a document, in their order.
pub fn links(text: &str) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let mut within = false;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                within = true;
                links.push(Link {
                    target: dest_url.into_string(),
                    text: String::new(),
                });
            }
            Event::End(TagEnd::Link) => within = false,
            Event::Text(part) | Event::Code(part) if within => {
                if let Some(link) = links.last_mut() {
                    link.text.push_str(&part);
                }
            }
            _ => {}
        }
    }
    links
}

/// The file of the repository that a relative address in a document names.
pub fn resolved(source: &str, target: &str) -> Option<String> {
    if target.contains(':') {
        return None;
    }
    let path = target.split('#').next().unwrap_or_default();
    if path.is_empty() {
        return Some(source.to_owned());
    }
    let mut parts: Vec<&str> = source.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            ".." => {
                parts.pop()?;
            }
            "." => {}
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The name of a document's file in the guide's folder.
pub fn file_of(source: &str) -> String {
    let name = source.rsplit('/').next().unwrap_or(source);
    let stem = name.strip_suffix(".md").unwrap_or(name);
    format!("{}.html", stem.to_ascii_lowercase())
}

/// The language of a document by its name.
pub fn language_of(source: &str) -> &'static str {
    if source.ends_with(".zh.md") {
        "zh-Hans"
    } else {
        "en"
    }
}

/// Writes a document as HTML.
///
/// # Errors
/// A link to a file that is neither one of the guide's `sources` nor hosted.
pub fn render(source: &str, text: &str, sources: &BTreeSet<String>) -> Result<Page, String> {
    let mut page = Page {
        file: file_of(source),
        title: String::new(),
        language: language_of(source),
        html: String::new(),
        ids: BTreeSet::new(),
        anchors: Vec::new(),
    };
    let parsed: Vec<Event> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let (mut events, mut heading) = (Vec::with_capacity(parsed.len()), String::new());
    for (at, event) in parsed.iter().enumerate() {
        let event = match event.clone() {
            Event::Start(Tag::Heading {
                level,
                classes,
                attrs,
                ..
            }) => {
                let (text, id) = heading_at(&parsed[at + 1..]);
                if page.title.is_empty() {
                    page.title.clone_from(&text);
                }
                heading = text;
                page.ids.insert(id.clone());
                Event::Start(Tag::Heading {
                    level,
                    id: Some(id.into()),
                    classes,
                    attrs,
                })
            }
            // A table and a block of code can be wider than a phone: they scroll by themselves, also by keys.
            Event::Start(Tag::Table(columns)) => {
                let label = escaped(&heading);
                let begin = format!(
                    "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"{label}\">"
                );
                events.push(Event::Html(begin.into()));
                Event::Start(Tag::Table(vec![Alignment::None; columns.len()]))
            }
            Event::End(TagEnd::Table) => {
                events.push(event.clone());
                Event::Html("</div>".into())
            }
            Event::Start(Tag::CodeBlock(_)) => Event::Html("<pre tabindex=\"0\"><code>".into()),
            Event::End(TagEnd::CodeBlock) => Event::Html("</code></pre>\n".into()),
            Event::Start(Tag::Link { dest_url, .. }) => {
                let (address, language) = address(source, &dest_url, sources, &mut page)?;
                let language = language.map_or(String::new(), |tag| {
                    format!(" lang=\"{tag}\" hreflang=\"{tag}\"")
                });
                let begin = format!("<a href=\"{}\"{language}>", escaped(&address));
                Event::InlineHtml(begin.into())
            }
            Event::End(TagEnd::Link) => Event::InlineHtml("</a>".into()),
            // What a document has of HTML is text: no page has markup that this file does not write.
            Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
            other => other,
        };
        events.push(event);
    }
    html::push_html(&mut page.html, events.into_iter());
    Ok(page)
}

/// The address of a link, and its language where the page has another one.
fn address(
    source: &str,
    target: &str,
    sources: &BTreeSet<String>,
    page: &mut Page,
) -> Result<(String, Option<&'static str>), String> {
    let Some(path) = resolved(source, target) else {
        return Ok((target.to_owned(), None));
    };
    if HOSTED.contains(&path.as_str()) {
        return Ok((path.replacen("public", "..", 1), None));
    }
    if path == SCHEMA {
        return Ok(("scenario.schema.json".to_owned(), None));
    }
    if !sources.contains(&path) {
        return Err(format!(
            "{source}: {target} is neither in the guide nor hosted"
        ));
    }
    let (file, id) = (file_of(&path), target.split_once('#').map(|(_, id)| id));
    if let Some(id) = id {
        page.anchors.push((file.clone(), id.to_owned()));
    }
    let language = language_of(&path);
    let address = match id {
        Some(id) if path == source => format!("#{id}"),
        Some(id) => format!("{file}#{id}"),
        None => file,
    };
    Ok((address, (language != page.language).then_some(language)))
}

/// The text and the id of a heading by the events after its start: a heading that is one piece of code, such as a
/// dotted key, is its own id; of others it is what code hosts make of them.
fn heading_at(events: &[Event]) -> (String, String) {
    let within = events
        .iter()
        .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let within: Vec<&Event> = within.collect();
    if let [Event::Code(code)] = within[..] {
        return (code.to_string(), code.to_string());
    }
    let text: String = within.iter().filter_map(|event| text_of(event)).collect();
    let id = slug(&text);
    (text, id)
}

fn text_of<'a>(event: &'a Event) -> Option<&'a str> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        _ => None,
    }
}

/// The id that code hosts give to a heading.
fn slug(text: &str) -> String {
    let kept = text
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// Text within HTML or an attribute.
pub fn escaped(text: &str) -> CowStr<'static> {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Result<Page, String> {
        let sources = [
            "public/docs/a.md",
            "public/docs/b.zh.md",
            "tests/ACCURACY.md",
        ];
        render("public/docs/a.md", text, &sources.map(str::to_owned).into())
    }

    #[test]
    fn headings_are_found_by_the_id_that_code_hosts_give_them_and_keys_by_themselves() {
        let page = page("# TRL's trainers, and more\n\n### `lora.r`\n").expect("a page");
        assert_eq!(page.title, "TRL's trainers, and more");
        assert!(page.html.contains("<h1 id=\"trls-trainers-and-more\">"));
        assert!(page.html.contains("<h3 id=\"lora.r\">"), "{}", page.html);
    }

    #[test]
    fn links_lead_to_pages_of_the_guide_or_hosted_files() {
        let text = "# A\n\n[x](../../tests/ACCURACY.md#decoders) [y](b.zh.md) [z](../embed.js) [w](https://a.b/)";
        let page = page(text).expect("a page");
        for link in [
            "<a href=\"accuracy.html#decoders\">",
            "<a href=\"b.zh.html\" lang=\"zh-Hans\" hreflang=\"zh-Hans\">",
            "<a href=\"../embed.js\">",
            "<a href=\"https://a.b/\">",
        ] {
            assert!(page.html.contains(link), "{link} in {}", page.html);
        }
        assert!(super::render("public/docs/a.md", "[q](../sw.js)", &BTreeSet::new()).is_err());
    }

    #[test]
    fn markup_of_a_document_is_text_and_wide_parts_scroll_by_themselves() {
        let text = "# A\n\n<script>x()</script>\n\n| a | b |\n|--:|---|\n| 1 | <b>2</b> |\n\n```\n<c>\n```\n";
        let page = page(text).expect("a page");
        assert!(!page.html.contains("<script") && !page.html.contains("<b>"));
        assert!(!page.html.contains("style="), "{}", page.html);
        assert!(
            page.html
                .contains("tabindex=\"0\" aria-label=\"A\"><table>")
        );
        assert!(page.html.contains("<pre tabindex=\"0\"><code>&lt;c&gt;"));
    }
}

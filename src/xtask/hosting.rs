//! Makes the built page fit for hosting: cuts the program into parts, of which a link's first estimate needs some;
//! leaves no script within the page, so that a strict Content-Security-Policy needs no exception; and writes absolute
//! addresses for previews of links.

use crate::leaner::{leaner, unindented};
use crate::process::{Failure, browser_tests, minutes, program, root, run};
use crate::split::{ordered, renamed, split, watched, with_short_imports};
use crate::tools;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// The folder of the page's files.
const DIST: &str = "target/dist";
/// The program as it was linked, before wasm-bindgen.
const LINKED: &str = "target/wasm32-unknown-unknown/web/web.wasm";
/// The parts, and that of each function, by the links for which they ran.
const RAN: &str = "target/visits";
/// How the script that Trunk writes into the page begins and ends.
const BEGINS: &str = "<script type=\"module\">";
const ENDS: &str = "</script>";
/// How the name of the program that Trunk writes ends.
const PROGRAM: &str = "_bg.wasm";

/// Cuts the program into parts, replaces the page's own script by a file and, when the page's future
/// address is known, gives link previews an absolute address of their picture.
pub fn finish(address: Option<&str>) -> Result<(), Failure> {
    let folder = root().join(DIST);
    let page = folder.join("index.html");
    let failed = |error: std::io::Error| Failure::new(format!("{DIST}: {error}"));
    let text = in_parts(&folder, &fs::read_to_string(&page).map_err(failed)?)?;
    let text = in_one(&folder, &text, &STYLES).map_err(failed)?;
    let text = in_one(&folder, &text, &SCRIPTS).map_err(failed)?;
    let (mut text, script) = apart(&text)
        .ok_or_else(|| Failure::new("the built page has no script of Trunk's to replace"))?;
    let script = boot(&script).ok_or_else(|| Failure::new("Trunk's script imports nothing"))?;
    let name = format!("boot-{:016x}.js", hash_of(&script));
    fs::write(folder.join(&name), script).map_err(failed)?;
    text = text.replace(
        BEGINS,
        &format!("<script type=\"module\" src=\"./{name}\">"),
    );
    if let Some(address) = address {
        text = with_address(&text, address);
    }
    // The attribute that Trunk writes where integrity is not asked for.
    let text = text.replace(" data-integrity=\"none\"", "");
    fs::write(&page, unindented(&text)).map_err(failed)?;
    make_lean(&folder)
}

/// The script that starts the program with the first part that `public/parts.js` fetches, by Trunk's, which names the
/// module.
fn boot(script: &str) -> Option<String> {
    let module = script
        .split(['\'', '"'])
        .find(|name| Path::new(name).extension().is_some_and(|end| end == "js"))?;
    Some(format!(
        "import start from \"{module}\";\nstart({{ module_or_path: highwaterStart }});\n"
    ))
}

/// Takes from the folder's style sheets and scripts what browsers do not read.
fn make_lean(folder: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("{DIST}: {error}"));
    let files = fs::read_dir(folder).map_err(failed)?;
    // All of them, before any is written anew.
    let files: Vec<_> = files.collect::<Result<_, _>>().map_err(failed)?;
    for path in files.iter().map(fs::DirEntry::path) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".css") {
            let lean = leaner(&fs::read_to_string(&path).map_err(failed)?);
            fs::write(&path, lean).map_err(failed)?;
        } else if name.ends_with(".js") {
            let mut shorten = program("terser");
            shorten.arg(&path).args(SHORTEN);
            // Names that other scripts may use stay as they are.
            if MODULES.iter().any(|module| name.starts_with(module)) {
                shorten.arg("--module");
            }
            run(shorten.arg("-o").arg(&path), minutes(2))?;
        }
    }
    Ok(())
}

/// How scripts begin that are modules.
const MODULES: [&str; 2] = ["boot-", "web-"];
/// Scripts without comments and long local names (terser 5.51: wasm-bindgen's takes 7.4 KiB, not 8.4). None
/// makes objects of a function expression or asks how many parameters a function has.
const SHORTEN: [&str; 5] = [
    "--compress",
    "passes=3,keep_fargs=false,unsafe_arrows=true,unsafe_methods=true",
    "--mangle",
    "--ecma",
    "2022",
];

/// Cuts the program of the folder into parts; gives the page that names them. Their names tell
/// of all of them, so that no cache brings parts together that do not fit.
fn in_parts(folder: &Path, page: &str) -> Result<String, Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("{DIST}: {error}"));
    let before = program_of(page)
        .ok_or_else(|| Failure::new("the built page names no program of Trunk's to cut"))?;
    let whole = fs::read(folder.join(before)).map_err(failed)?;
    let visits = visits(&whole, &folder.join(before))?;
    let linked = fs::read(root().join(LINKED)).map_err(failed)?;
    let last = visits.parts.len() - 1;
    let (whole, names) = with_short_imports(&whole).map_err(unread)?;
    let script = folder.join(before.replace(PROGRAM, ".js"));
    let text = fs::read_to_string(&script).map_err(failed)?;
    fs::write(&script, renamed(&text, &names)).map_err(failed)?;
    let parts = split(&whole, &linked, &visits.ran, last).map_err(unread)?;
    let hash = hash_of(&parts);
    let (mut files, mut first) = (Vec::new(), String::new());
    for (part, content) in visits.parts.iter().zip(parts) {
        let name = format!("web-{hash:016x}_{part}.wasm");
        let file = folder.join(&name);
        fs::write(&file, content).map_err(failed)?;
        let mut optimize = program("wasm-opt");
        optimize.args(OPTIMIZE);
        optimize.arg(&file).arg("-o").arg(&file);
        run(&mut optimize, minutes(5))?;
        let content = ordered(&fs::read(&file).map_err(failed)?).map_err(unread)?;
        files.push(format!("\"{part}\":[\"./{name}\",{}]", content.len()));
        fs::write(&file, content).map_err(failed)?;
        if first.is_empty() {
            first = name;
        }
    }
    fs::remove_file(folder.join(before)).map_err(failed)?;
    let page = page.replace(before, &first);
    let (page, styles) = without_later_styles(&page)
        .ok_or_else(|| Failure::new("the built page lacks a style sheet that could come later"))?;
    let styles = styles.join(" ");
    let [worker, offline] = LATER_SCRIPTS.map(|name| hashed(folder, name).map_err(failed));
    let (worker, offline, files) = (worker?, offline?, files.join(","));
    let named = format!(
        "<meta id=\"parts\" name=\"parts\" content='{{{files}}}' data-styles=\"{styles}\" data-worker=\"./{worker}\" data-offline=\"./{offline}\" /></head>"
    );
    Ok(page.replace("</head>", &named))
}

/// Scripts that come later: that of the threads beside the page's, and that of use without a network.
const LATER_SCRIPTS: [&str; 2] = ["worker.js", "offline.js"];

/// Names a file of the folder after its content; the name.
fn hashed(folder: &Path, name: &str) -> std::io::Result<String> {
    let hash = hash_of(&fs::read(folder.join(name))?);
    let (stem, end) = name.split_once('.').unwrap_or((name, ""));
    let named = format!("{stem}-{hash:016x}.{end}");
    fs::rename(folder.join(name), folder.join(&named))?;
    Ok(named)
}

/// How each part is made smaller. What counts is its size once compressed: passes that take away what
/// is the same in many places, or the zeros between constants, leave more for brotli to write, and so do hints of
/// alignment, which no engine needs (binaryen 132: 343 KiB without the first three, 333 with them, 330 with all). Locals
/// are ordered by use once more when all else is done.
const OPTIMIZE: [&str; 11] = [
    "-Oz",
    // The first KiB of memory is the end of the stack: nothing is read or written there.
    "--low-memory-unused",
    "--skip-pass=inlining-optimizing",
    "--skip-pass=local-cse",
    "--skip-pass=memory-packing",
    "--skip-pass=simplify-locals",
    "--skip-pass=dae-optimizing",
    "--skip-pass=precompute-propagate",
    "--dealign",
    "--reorder-locals",
    "--strip-target-features",
];

/// The parts of the program by the links whose functions they hold.
struct Visits {
    /// The names of the parts.
    parts: Vec<String>,
    /// The part of each function.
    ran: Vec<usize>,
}

/// For which links functions of a program run: the file is, for so long, a program that notes it. Without a browser
/// the first part has all of them.
fn visits(whole: &[u8], file: &Path) -> Result<Visits, Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("{RAN}: {error}"));
    let watched = watched(whole).map_err(unread)?;
    let browser = match tools::browser() {
        Ok(browser) => browser,
        Err(why) => {
            println!(
                "A first visit downloads the whole program, uncut: {}",
                why.message
            );
            return Ok(Visits {
                parts: ["start", "later"].map(str::to_owned).to_vec(),
                ran: vec![0; watched.functions],
            });
        }
    };
    fs::write(file, &watched.program).map_err(failed)?;
    run(
        program("node")
            .arg("visits.mjs")
            .args([watched.notes, watched.functions].map(|number| number.to_string()))
            .arg(root().join(RAN))
            .current_dir(browser_tests())
            .env("CHROMIUM", browser.chromium),
        minutes(5),
    )?;
    let text = fs::read_to_string(root().join(RAN)).map_err(failed)?;
    read_visits(&text, watched.functions)
        .ok_or_else(|| Failure::new(format!("{RAN} is not what visits.mjs writes")))
}

/// The names of the parts on a line, and on another the part of each of the `functions`.
fn read_visits(text: &str, functions: usize) -> Option<Visits> {
    let (parts, ran) = text.trim_end().split_once('\n')?;
    let parts: Vec<String> = parts.split(' ').map(str::to_owned).collect();
    let ran: Vec<usize> = (ran.split(' ').map(|part| part.parse().ok())).collect::<Option<_>>()?;
    let is_known = ran.len() == functions && ran.iter().all(|part| *part < parts.len());
    is_known.then_some(Visits { parts, ran })
}

/// A program that is not as rustc, wasm-bindgen and the linker write it.
fn unread(why: impl std::fmt::Display) -> Failure {
    Failure::new(format!("the page's program cannot be cut: {why}"))
}

/// The name of the program in a page.
fn program_of(page: &str) -> Option<&str> {
    let before = &page[..page.find(PROGRAM)? + PROGRAM.len()];
    let begin = before.rfind(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)))? + 1;
    Some(before[begin..].trim_start_matches("./"))
}

fn hash_of(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// How the addresses of style sheets begin that come with the rest of the program (`tests/e2e/size.mjs` counts them
/// there).
const LATER_STYLES: [&str; 7] = [
    "./below-",
    "./decisions-",
    "./compare-",
    "./over-",
    "./sight-",
    "./drawer-",
    "./ways-",
];

/// The page without the links to those, and their addresses.
fn without_later_styles(page: &str) -> Option<(String, Vec<String>)> {
    let (mut page, mut addresses) = (page.to_owned(), Vec::new());
    for name in LATER_STYLES {
        let name = page.find(name)?;
        let begin = page[..name].rfind("<link")?;
        let end = name + page[name..].find('>')? + 1;
        addresses.push(page[name..].split('"').next()?.to_owned());
        page.replace_range(begin..end, "");
    }
    Some((page, addresses))
}

/// Files of one kind that the page names.
struct Named {
    /// The beginning of their elements, up to the address.
    begins: &'static str,
    /// The end of their elements.
    ends: &'static str,
    /// The name of the one file that takes their place, without its hash, and the rest of its element.
    file: [&'static str; 2],
    rest: &'static str,
}

/// Style sheets of the first screen.
const STYLES: Named = Named {
    begins: "<link rel=\"stylesheet\" href=\"./",
    ends: ">",
    file: ["looks", "css"],
    rest: "\" />",
};

/// Scripts that fetch the program.
const SCRIPTS: Named = Named {
    begins: "<script src=\"./",
    ends: "</script>",
    file: ["loader", "js"],
    rest: "\" defer></script>",
};

/// Puts the folder's files of one kind that the page names into one; the page that names it. A compressor writes one
/// text shorter than several (brotli 11: style sheets take 4.1 KiB, not 5.1), and a browser asks once.
fn in_one(folder: &Path, page: &str, named: &Named) -> std::io::Result<String> {
    let (mut page, mut text, mut place) = (page.to_owned(), String::new(), None);
    while let Some(begin) = page.find(named.begins) {
        let element = &page[begin..];
        let end = element.find(named.ends).unwrap_or(named.begins.len()) + named.ends.len();
        let address = element[named.begins.len()..].split('"').next();
        let file = folder.join(address.unwrap_or_default());
        text += &fs::read_to_string(&file)?;
        fs::remove_file(&file)?;
        page.replace_range(begin..begin + end, "");
        place.get_or_insert(begin);
    }
    if let Some(place) = place {
        let [stem, end] = named.file;
        let name = format!("{stem}-{:016x}.{end}", hash_of(&text));
        fs::write(folder.join(&name), text)?;
        page.insert_str(place, &format!("{}{name}{}", named.begins, named.rest));
    }
    Ok(page)
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
    fn the_program_is_found_by_its_name() {
        let page = "<link href=\"./web-7a_bg.wasm\"><script>'./web-7a_bg.wasm'</script>";
        assert_eq!(program_of(page), Some("web-7a_bg.wasm"));
        assert_eq!(program_of("<p></p>"), None);
    }

    #[test]
    fn the_style_of_what_comes_later_is_taken_out() {
        let page = r#"<link href="./base-1.css"><link href="./below-7a.css"/><link href="./decisions-b.css"/><link href="./compare-c.css"/><link href="./over-d.css"/><link href="./sight-e.css"/><link href="./drawer-f.css"/><link href="./ways-g.css"/></head>"#;
        let found = without_later_styles(page);
        let left = r#"<link href="./base-1.css"></head>"#.to_owned();
        let later = [
            "./below-7a.css",
            "./decisions-b.css",
            "./compare-c.css",
            "./over-d.css",
            "./sight-e.css",
            "./drawer-f.css",
            "./ways-g.css",
        ]
        .map(str::to_owned);
        assert_eq!(found, Some((left, later.to_vec())));
        assert_eq!(without_later_styles("<p></p>"), None);
    }

    #[test]
    fn the_style_sheets_of_a_page_become_one() {
        let folder = std::env::temp_dir().join(format!("highwater-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        for (name, text) in [("a-1.css", "a{}\n"), ("b-2.css", "b{}\n")] {
            fs::write(folder.join(name), text).expect("a file");
        }
        let page = "<head><link rel=\"stylesheet\" href=\"./a-1.css\" data-integrity=\"none\"/>\
            <link rel=\"stylesheet\" href=\"./b-2.css\"/></head>";
        let page = in_one(&folder, page, &STYLES).expect("both are read");
        let name = page
            .split("./")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        let name = name.expect("the page names one");
        assert_eq!(
            page,
            format!("<head>{}{name}{}</head>", STYLES.begins, STYLES.rest)
        );
        let joined = fs::read_to_string(folder.join(name)).expect("it is there");
        assert_eq!(joined, "a{}\nb{}\n");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
        fs::remove_dir_all(&folder).expect("it is removed");
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

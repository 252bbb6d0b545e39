//! The documents say what the program knows: the guide's generated pages, its lists, and README's counts.
//!
//! `HIGHWATER_DOCS=write cargo test --test documents` writes the generated pages of `public/docs`.

#[path = "documents/assumptions.rs"]
mod assumptions;
#[path = "documents/scenario.rs"]
mod scenario;

use highwater::catalog::ACCELERATORS;
use highwater::codec::{KEYS, Kind, key, written_formats};
use highwater::configs::{FORMATS, is_written};
use highwater::families::catalog_models;
use highwater::text::{Language, guide_page};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

fn read(file: &str) -> String {
    std::fs::read_to_string(path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Compares a generated page with its file, or writes the file.
fn hold(file: &str, generated: &str) {
    if std::env::var_os("HIGHWATER_DOCS").is_some_and(|asked| asked == "write") {
        std::fs::write(path(file), generated).expect("written");
        return;
    }
    let written = read(file);
    let wrong = written
        .lines()
        .zip(generated.lines())
        .find(|(old, new)| old != new);
    assert!(
        written == generated,
        "`HIGHWATER_DOCS=write cargo test --test documents` writes {file}; the first difference: {wrong:?}"
    );
}

#[test]
fn the_reference_of_settings_is_generated_from_the_table_of_keys() {
    for (language, file) in [
        (Language::English, "public/docs/scenario.md"),
        (Language::Chinese, "public/docs/scenario.zh.md"),
    ] {
        let address = guide_page("scenario", language);
        assert_eq!(address.replace(".html", ".md"), file.replace("public/", ""));
        let page = scenario::page(language);
        for key in KEYS {
            assert!(page.contains(&format!("\n### `{}`\n", key.path)));
        }
        hold(file, &page);
    }
}

#[test]
fn the_pages_of_assumptions_list_every_limitation_and_fact() {
    for (language, file) in [
        (Language::English, "public/docs/assumptions.md"),
        (Language::Chinese, "public/docs/assumptions.zh.md"),
    ] {
        let address = guide_page("assumptions", language);
        assert_eq!(address.replace(".html", ".md"), file.replace("public/", ""));
        hold(file, &assumptions::page(language));
    }
}

#[test]
fn the_page_of_formats_lists_those_that_are_read_and_says_which_are_not_written() {
    let page = read("public/docs/formats.md");
    for format in FORMATS {
        let row = format!("| `{}` |", format.name);
        let row = page.lines().find(|line| line.starts_with(&row));
        let row = row.unwrap_or_else(|| panic!("{} has a row", format.name));
        assert_eq!(row.contains("read only"), !is_written(format), "{row}");
    }
    for name in written_formats() {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn the_page_of_scenarios_explains_every_form_of_a_model() {
    let schema: Value = serde_json::from_str(&read("public/scenario.schema.json")).expect("JSON");
    let forms = schema["$defs"]["model"]["oneOf"].as_array().expect("forms");
    let page = read("public/docs/scenarios.md");
    let names: Vec<&str> = forms
        .iter()
        .filter_map(|form| form["required"][0].as_str())
        .collect();
    assert!(names.len() >= 3, "{names:?}");
    for name in names {
        assert!(page.contains(&format!("| `{{\"{name}\": ")), "{name}");
    }
}

/// Number of names that a setting takes, without the name that turns it off.
fn names(path: &str) -> usize {
    let Some(Kind::Name(all)) = key(path).map(|key| key.kind) else {
        panic!("{path} has names");
    };
    all().iter().filter(|name| **name != "none").count()
}

/// Numbers in bold in a section of README.
fn bold(section: &str) -> Vec<usize> {
    let readme = read("README.md");
    let mut sections = readme.split("\n## ");
    let text = sections
        .find(|text| text.starts_with(section))
        .expect("a section");
    let parts = text.split("**").skip(1).step_by(2);
    parts.filter_map(|part| part.parse().ok()).collect()
}

#[test]
fn readme_s_counts_are_those_of_the_catalog_and_the_keys() {
    let types: BTreeSet<String> = catalog_models()
        .map(|model| {
            let config: Value = serde_json::from_str((model.config)()).expect("JSON");
            config["model_type"].as_str().unwrap_or_default().to_owned()
        })
        .collect();
    let expected = [
        catalog_models().count(),
        types.len(),
        names("task"),
        names("objective.kind"),
        names("optimizer.name"),
        names("quantization.type"),
        names("parallelism.dp.kind"),
        names("parallelism.pp.schedule"),
        FORMATS.len(),
        written_formats().count(),
        ACCELERATORS.len(),
        names("framework"),
    ];
    assert_eq!(bold("What it covers"), expected);
}

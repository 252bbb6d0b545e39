//! The rooms of `src/`: what there is, and who may use whom.
//!
//! [`table::ROOMS`] is the table of `src/README.md` as data. The other tests read the sources as text, so
//! they say something about code that this build leaves out as well (the page's, for example).

mod alive;
mod circles;
mod english;
mod names;
mod signatures;
mod source;
mod table;

use circles::Uses;
use source::{File, rust_files};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use table::{BINARIES, CLOSING, ROOMS, Room, room};

/// The longest a file may be. Most should be far shorter.
const MAX_LINES: usize = 500;

/// Folders of `src/` that are no wings: programs, the Python module over one of them, and what builds and tests all.
const NO_WINGS: [&str; 3] = ["src/bin", "src/python", "src/xtask"];

/// The folders in a folder.
fn folders(of: &str) -> Vec<String> {
    let entries = std::fs::read_dir(source::root().join(of)).expect("a readable folder");
    let folders = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir());
    let names = folders.map(|entry| format!("{of}/{}", entry.file_name().to_string_lossy()));
    names.collect()
}

#[test]
fn every_room_has_a_row_and_every_row_a_room() {
    let folders: BTreeSet<String> = folders("src")
        .into_iter()
        .filter(|wing| !NO_WINGS.contains(&wing.as_str()))
        .flat_map(|wing| folders(&wing))
        .collect();
    let rows: BTreeSet<String> = ROOMS.iter().map(Room::folder).collect();
    assert_eq!(
        folders, rows,
        "folders of src/ against the rows of tests/architecture/table.rs"
    );
}

#[test]
fn the_table_lists_a_room_only_after_those_it_uses() {
    for (place, room) in ROOMS.iter().enumerate() {
        for used in room.uses {
            assert!(
                ROOMS[..place].iter().any(|earlier| earlier.name == *used),
                "{} uses {used}, which stands below it or nowhere: the table would have a cycle",
                room.name
            );
        }
    }
}

#[test]
fn a_room_uses_only_what_its_row_allows() {
    let mut wrong = Vec::new();
    for file in rust_files("src") {
        let Some(room) = file.room().and_then(room) else {
            continue;
        };
        for used in file.rooms_used() {
            if used != room.name && !room.uses.contains(&used.as_str()) {
                wrong.push(format!("{}: {} may not use {used}", file.path, room.name));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "an arrow between rooms that tests/architecture/table.rs does not have:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_table_allows_nothing_that_nobody_uses() {
    for room in ROOMS {
        let used: BTreeSet<String> = rust_files(&room.folder())
            .flat_map(|file| file.rooms_used())
            .collect();
        for allowed in room.uses {
            assert!(
                used.contains(*allowed),
                "{} does not use {allowed}: take it out of tests/architecture/table.rs",
                room.name
            );
        }
    }
}

#[test]
fn a_binary_uses_only_the_rooms_it_is_made_for() {
    for (path, allowed) in BINARIES {
        for file in rust_files("src/bin").filter(|file| file.path.starts_with(path)) {
            for used in file.names_after("highwater") {
                assert!(
                    allowed.contains(&used.as_str()),
                    "{}: may not use {used}",
                    file.path
                );
            }
        }
    }
    for file in rust_files("src/bin") {
        assert!(
            BINARIES.iter().any(|(path, _)| file.path.starts_with(path)),
            "{}: a binary without a row in tests/architecture/table.rs",
            file.path
        );
    }
}

#[test]
fn paths_between_rooms_are_written_from_the_root() {
    for file in rust_files("src") {
        assert!(
            !file
                .words()
                .windows(3)
                .any(|w| w == ["super", "::", "super"]),
            "{}: write `crate::...` instead of `super::super`, so that the arrow shows",
            file.path
        );
    }
}

#[test]
fn each_room_has_a_door_that_says_what_it_does_and_opens_nothing_else() {
    for room in ROOMS {
        let door = format!("{}/mod.rs", room.folder());
        let file = File::read(&door);
        let comment = file.text.lines().take_while(|l| l.starts_with("//!"));
        assert!(comment.count() >= 3, "{door}: says too little of the room");
        assert!(
            !file.words().windows(2).any(|w| w == ["pub", "mod"]),
            "{door}: `pub mod` lets others reach past the door; re-export what they need"
        );
    }
}

/// Whether a crate is a way to the browser: web-sys, gloo's crates, and what draws on its canvas.
fn reaches_the_browser(name: &str) -> bool {
    name == "web_sys" || name == "plotters_canvas" || name.starts_with("gloo")
}

#[test]
fn only_the_rooms_of_the_page_name_web_crates_and_only_the_browser_room_reaches_the_browser() {
    for file in rust_files("src") {
        let of_the_page = file.room().and_then(room).is_some_and(|room| room.page)
            || file.path.starts_with("src/bin/web");
        for word in file.words() {
            let web = ["leptos", "wasm_bindgen", "js_sys"].contains(&word.as_str());
            assert!(!web || of_the_page, "{}: names {word}", file.path);
            assert!(
                !reaches_the_browser(&word) || file.room() == Some("browser"),
                "{}: {word} is the browser room's alone",
                file.path
            );
        }
    }
}

#[test]
fn each_wing_declares_its_rooms_and_the_library_hands_them_on() {
    let library = File::read("src/lib.rs").text;
    for room in ROOMS {
        let Room { wing, name, .. } = room;
        let declared = File::read(&format!("src/{wing}/lib.rs")).text;
        assert!(
            declared.contains(&format!("\npub mod {name};")),
            "src/{wing}/lib.rs does not declare {name}"
        );
        let (before, after) = library
            .split_once(&format!("pub use highwater_{wing}::{{"))
            .unwrap_or_else(|| panic!("src/lib.rs does not hand on {wing}"));
        let handed = after.split('}').next().unwrap_or_default();
        assert!(
            handed.split(", ").any(|handed| handed == *name),
            "src/lib.rs does not hand on {name}"
        );
        assert_eq!(
            before.trim_end().ends_with(PAGE_ONLY),
            room.page,
            "{name}: the library has the page only in WebAssembly and when asked"
        );
    }
}

/// Marks what the library has for the page alone.
const PAGE_ONLY: &str = "#[cfg(all(feature = \"web\", target_arch = \"wasm32\"))]";

#[test]
fn a_wing_depends_on_the_wings_whose_rooms_it_uses_and_on_no_other() {
    let mut wings: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for Room { wing, uses, .. } in ROOMS {
        let used = uses.iter().filter_map(|used| room(used));
        let others = used.map(|used| used.wing).filter(|other| other != wing);
        wings.entry(wing).or_default().extend(others);
    }
    for (wing, used) in wings {
        let manifest = source::read(&source::root().join(format!("src/{wing}/Cargo.toml")));
        let lines = manifest
            .lines()
            .filter(|line| line.contains("workspace = true"));
        let depends: BTreeSet<&str> = lines
            .filter_map(|line| line.strip_prefix("highwater-")?.split(['.', ' ']).next())
            .collect();
        assert_eq!(depends, used, "src/{wing}/Cargo.toml");
    }
}

#[test]
fn rooms_that_must_give_the_same_bytes_everywhere_have_no_floats_clocks_or_hash_order() {
    let forbidden = [
        "f32",
        "f64",
        "HashMap",
        "HashSet",
        "Instant",
        "SystemTime",
        "thread",
        "random",
    ];
    for file in rust_files("src") {
        if !file.room().and_then(room).is_some_and(|room| room.exact) {
            continue;
        }
        for word in file.words() {
            assert!(
                !forbidden.contains(&word.as_str()),
                "{}: `{word}` has no place in this room",
                file.path
            );
        }
    }
}

#[test]
fn views_do_no_arithmetic() {
    for file in rust_files("src/page/views") {
        let found = file.arithmetic();
        assert!(
            found.is_empty(),
            "{}: arithmetic belongs to report or text: {found:?}",
            file.path
        );
    }
}

#[test]
fn no_file_is_longer_than_a_person_reads() {
    let mut long = Vec::new();
    for (folder, endings) in [
        ("src", &["rs"][..]),
        ("tests", &["rs", "mjs", "py"]),
        ("style", &["css"]),
        ("public", &["html", "js"]),
    ] {
        for path in source::files(&source::root().join(folder), endings) {
            let lines = source::read(&path).lines().count();
            if lines > MAX_LINES {
                long.push(format!("{}: {lines} lines", source::relative(&path)));
            }
        }
    }
    assert!(long.is_empty(), "split by meaning:\n{}", long.join("\n"));
}

#[test]
fn no_files_of_a_room_use_each_other_in_a_circle() {
    let uses = Uses::read();
    let circles = uses.circles(&CLOSING.iter().copied().collect());
    for circle in &circles {
        println!("a circle of {}:", circle.len());
        for file in circle {
            let used = uses.of[file].intersection(circle);
            println!("  {file} uses {:?}", used.collect::<Vec<_>>());
        }
    }
    assert!(circles.is_empty(), "files that use each other in a circle");
    for closing in CLOSING {
        let others = CLOSING.iter().filter(|other| *other != closing);
        assert!(
            !uses.circles(&others.copied().collect()).is_empty(),
            "{closing:?} closes no circle any more: take it from the list"
        );
    }
}

/// The most Rust files that lie directly in one folder.
const MAX_FILES: usize = 40;

#[test]
fn no_folder_holds_more_files_than_a_person_keeps_in_mind() {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for file in rust_files("src") {
        let (folder, _) = file.path.rsplit_once('/').expect("a folder");
        *folders.entry(folder.to_owned()).or_default() += 1;
    }
    folders.retain(|_, files| *files > MAX_FILES);
    assert!(folders.is_empty(), "part by meaning: {folders:?}");
}

#[test]
fn the_top_folder_holds_only_what_a_newcomer_expects() {
    let expected = [
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE",
        "README.md",
        "Trunk.toml",
        "public",
        "src",
        "style",
        "target",
        "tests",
    ];
    for entry in std::fs::read_dir(source::root()).expect("the root is readable") {
        let name = entry
            .expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned();
        assert!(
            name.starts_with('.') || expected.contains(&name.as_str()),
            "{name} does not belong in the top folder"
        );
    }
}

#[test]
fn the_map_of_the_sources_shows_the_same_table() {
    let map = source::read(Path::new(&source::root().join("src/README.md")));
    for room in ROOMS {
        let row = format!("| `{}` |", room.name);
        let line = map.lines().find(|line| line.starts_with(&row));
        let line = line.unwrap_or_else(|| panic!("src/README.md has no row {row}"));
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let uses = if room.uses.is_empty() {
            "nothing".to_owned()
        } else {
            room.uses.join(", ")
        };
        assert_eq!(
            cells.get(3),
            Some(&uses.as_str()),
            "src/README.md's row of {}",
            room.name
        );
    }
}

/// The most lines of README, which leads to other documents and holds none.
const MAX_README: usize = 180;

#[test]
fn readme_is_short_and_names_every_room_once_in_a_group() {
    let readme = source::read(Path::new(&source::root().join("README.md")));
    assert!(readme.lines().count() <= MAX_README);
    let section = readme
        .split("\n## ")
        .find(|s| s.starts_with("Where things are"));
    let rows = section
        .expect("a section")
        .lines()
        .filter(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split(" | ").nth(1));
    let named: Vec<&str> = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    for room in ROOMS {
        let count = named.iter().filter(|name| **name == room.name).count();
        assert_eq!(count, 1, "README's groups name {} once", room.name);
    }
}

//! Files in folders of this machine.

use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes of the largest file of a job that is read because another one names it.
pub const LARGEST: u64 = 1 << 20;

/// A path as a configuration writes it, with the home folder in the place of a tilde.
pub fn expanded(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// A file's path and text, unless it is larger than `most` bytes.
pub fn read(path: &Path, most: u64) -> Option<(PathBuf, String)> {
    if !path.is_file() {
        return None;
    }
    let mut content = Vec::new();
    let file = File::open(path).ok()?;
    file.take(most + 1).read_to_end(&mut content).ok()?;
    let fits = u64::try_from(content.len()).is_ok_and(|size| size <= most);
    fits.then(|| {
        let text = highwater::inputs::decode(&content).into_owned();
        (path.to_owned(), text)
    })
}

/// The file `name` in a folder, or the path itself where it is that file.
pub fn read_in(path: &Path, name: &str, most: u64) -> Option<(PathBuf, String)> {
    if path.file_name().is_some_and(|last| last == name) {
        return read(path, most);
    }
    read(&path.join(name), most)
}

/// The model that an adapter's folder is made for.
pub fn base_of(folder: &Path) -> Option<String> {
    let (_, text) = read_in(folder, "adapter_config.json", LARGEST)?;
    let config: Value = serde_json::from_str(&text).ok()?;
    let base = config.get("base_model_name_or_path")?.as_str()?;
    (!base.is_empty()).then(|| base.to_owned())
}

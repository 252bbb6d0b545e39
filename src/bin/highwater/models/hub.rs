//! The Hugging Face Hub and its cache on disk.

use super::{Text, folder};
use highwater::codec::Elsewhere;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Bytes of the largest `config.json`; those of models with a quantization entry for each layer have some hundreds of
/// kilobytes.
pub const LARGEST: u64 = 4 << 20;

/// The public Hub.
const PUBLIC: &str = "https://huggingface.co";

/// A file, or why there is none.
type Answer = Result<Text, Elsewhere>;

/// The Hub as the environment describes it, by the variables of `huggingface_hub` (1.0, `constants.py`).
pub struct Hub {
    /// The folder of the cache.
    cache: PathBuf,
    endpoint: String,
    token: Option<String>,
    offline: bool,
    /// Answers so far, by the file's address.
    answers: Mutex<BTreeMap<String, Answer>>,
}

/// The repository that a name means: `ORG/NAME`, its address, or a path within the cache.
pub fn repository(name: &str) -> Option<String> {
    let cached = name
        .split(['/', '\\'])
        .find_map(|part| part.strip_prefix("models--"));
    let name = if let Some(folder) = cached {
        folder.replacen("--", "/", 1)
    } else {
        let own = name
            .strip_prefix(PUBLIC)
            .map(|own| own.trim_start_matches('/'));
        own.unwrap_or(name).trim_end_matches('/').to_owned()
    };
    let is_name = |part: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !part.is_empty() && part.len() <= 96 && !part.starts_with('.') && part.chars().all(plain)
    };
    let (owner, own) = name.split_once('/')?;
    (is_name(owner) && is_name(own)).then_some(name)
}

/// A variable of the environment that is not empty.
fn variable(name: &str) -> Option<String> {
    let value = std::env::var(name).ok()?.trim().to_owned();
    (!value.is_empty()).then_some(value)
}

/// Whether a variable says yes.
fn is_on(name: &str) -> bool {
    let value = variable(name).unwrap_or_default().to_ascii_uppercase();
    ["1", "ON", "YES", "TRUE"].contains(&value.as_str())
}

impl Hub {
    /// The Hub of the environment; asked unless it, or the command line, says `offline`.
    pub fn of_environment(offline: bool) -> Self {
        let home = variable("HF_HOME").map(PathBuf::from).or_else(|| {
            let caches = variable("XDG_CACHE_HOME").map(PathBuf::from);
            let caches = caches.or_else(|| Some(std::env::home_dir()?.join(".cache")));
            Some(caches?.join("huggingface"))
        });
        let cache = variable("HF_HUB_CACHE").or_else(|| variable("HUGGINGFACE_HUB_CACHE"));
        let cache = cache.map(PathBuf::from).or_else(|| Some(home?.join("hub")));
        let token = variable("HF_TOKEN").or_else(|| variable("HUGGING_FACE_HUB_TOKEN"));
        let endpoint = variable("HF_ENDPOINT").unwrap_or_else(|| PUBLIC.to_owned());
        Self {
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            token,
            offline: offline || is_on("HF_HUB_OFFLINE") || is_on("TRANSFORMERS_OFFLINE"),
            ..Self::of_cache(cache.unwrap_or_default())
        }
    }

    /// A cache alone.
    pub fn of_cache(cache: PathBuf) -> Self {
        Self {
            cache,
            endpoint: PUBLIC.to_owned(),
            token: None,
            offline: true,
            answers: Mutex::default(),
        }
    }

    /// A file of a repository's main branch: from the cache, else from the Hub, which is asked once for each.
    pub fn file(&self, repository: &str, name: &str) -> Answer {
        if let Some((path, text)) = network::cached(&self.cache, repository, name)
            .and_then(|path| folder::read(&path, LARGEST))
        {
            let place = path.display().to_string();
            return Ok(Text { place, text });
        }
        if self.offline {
            return Err(Elsewhere::Offline);
        }
        let address = format!("{}/{repository}/resolve/main/{name}", self.endpoint);
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answers.entry(address.clone()).or_insert_with(|| {
            let token = self.token.clone().or_else(|| network::token(&self.cache));
            let text = network::get(&address, token.as_deref(), &self.endpoint)?;
            Ok(Text {
                place: address,
                text,
            })
        });
        answer.clone()
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod network {
    //! The crates that know the cache's layout and the network.

    use super::{Elsewhere, LARGEST, Path, PathBuf};
    use hf_hub::{Cache, Repo};
    use std::time::Duration;
    use ureq::config::RedirectAuthHeaders;
    use ureq::{Agent, Error};

    /// How long an answer may take, from the name's look-up to the last byte.
    const LONGEST: Duration = Duration::from_secs(10);

    pub fn cached(cache: &Path, repository: &str, name: &str) -> Option<PathBuf> {
        let repository = Repo::model(repository.to_owned());
        Cache::new(cache.to_owned()).repo(repository).get(name)
    }

    /// The token that `hf auth login` leaves.
    pub fn token(cache: &Path) -> Option<String> {
        Cache::new(cache.to_owned()).token()
    }

    pub fn get(address: &str, token: Option<&str>, host: &str) -> Result<String, Elsewhere> {
        let host = host.to_owned();
        let config = Agent::config_builder()
            .timeout_global(Some(LONGEST))
            .redirect_auth_headers(RedirectAuthHeaders::SameHost)
            .user_agent(concat!("highwater/", env!("CARGO_PKG_VERSION")));
        let agent: Agent = config.build().into();
        let mut request = agent.get(address);
        if let Some(token) = token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let answer = request.call().and_then(|mut answer| {
            let body = answer.body_mut().with_config().limit(LARGEST);
            body.read_to_vec()
        });
        match answer {
            Ok(content) => Ok(highwater::inputs::decode(&content).into_owned()),
            Err(Error::StatusCode(status)) => Err(of_status(host, status.into())),
            Err(Error::BodyExceedsLimit(_)) => Err(Elsewhere::Unusable {
                place: address.to_owned(),
            }),
            Err(error) => Err(Elsewhere::Unreachable {
                host,
                reason: error.to_string(),
            }),
        }
    }

    fn of_status(host: String, status: u32) -> Elsewhere {
        match status {
            401 | 403 => Elsewhere::Gated { host, status },
            400..=499 => Elsewhere::Missing { host, status },
            _ => Elsewhere::Unreachable {
                host,
                reason: format!("status {status}"),
            },
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod network {
    //! The browser's tests build the command line, too; it has neither files nor a network there.

    use super::{Elsewhere, Path, PathBuf};

    pub fn cached(_: &Path, _: &str, _: &str) -> Option<PathBuf> {
        None
    }

    pub fn token(_: &Path) -> Option<String> {
        None
    }

    pub fn get(_: &str, _: Option<&str>, _: &str) -> Result<String, Elsewhere> {
        Err(Elsewhere::Offline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_repositories_are_told_from_paths() {
        for (name, expected) in [
            ("Qwen/Qwen2.5-7B", Some("Qwen/Qwen2.5-7B")),
            ("https://huggingface.co/a/b/", Some("a/b")),
            ("/x/models--a--b-c/snapshots/0", Some("a/b-c")),
            ("gpt2", None),
            ("../model", None),
            ("a/b/c", None),
            ("a/..", None),
            ("a/b?c", None),
            ("/data/model", None),
            ("", None),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(repository(name), expected, "{name}");
        }
    }
}

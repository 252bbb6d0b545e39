//! A job's files with the files that they name, read where they lie, and the config of its model.

use crate::models::{self, Found, Text};
use highwater::ask::ModelRef;
use highwater::codec::{Elsewhere, Handed, Job, JobFile, Said, read_job};
use highwater::configs::{Note, Unread};
use highwater::text::{Language, english, unread_sentence};
use serde_json::{Value, json};

/// Files that are read because others name them.
const MOST: usize = 64;

/// A job that is read.
pub struct Gathered {
    /// The job.
    pub job: Job,
    /// The files that it was read from: those given, then those found.
    pub files: Vec<String>,
    /// Sentences about the files and the model.
    pub said: Vec<Sentence>,
}

/// A sentence about a key.
pub struct Sentence {
    /// The key.
    pub key: String,
    /// The sentence.
    pub text: String,
}

/// A key that names a file.
#[derive(PartialEq)]
struct Named {
    key: String,
    file: String,
}

/// Reads the files of a job and the files that they name; the settings in `set` override them.
///
/// # Errors
/// The name of a file given that is no configuration, and why.
pub fn read(handed: &Handed, set: &[(String, Value)]) -> Result<Gathered, (String, Unread)> {
    let (given, set) = (&handed.job, &handed.settings(set)?);
    let mut gathered = Gathered {
        job: read_job(given, set)?,
        files: given.iter().map(|file| file.name.clone()).collect(),
        said: Vec::new(),
    };
    let mut files = given.clone();
    let mut tried = Vec::new();
    while tried.len() < MOST {
        let next = named(&gathered.job).find(|named| !tried.contains(named));
        let Some(named) = next else { break };
        if let Some(Text { place, text }) = models::named_file(&named.key, &named.file) {
            let name = named.file.clone();
            // What names a file counts more than the file.
            let mut more = vec![JobFile { name, text }];
            more.extend_from_slice(&files);
            match read_job(&more, set) {
                Ok(job) => {
                    gathered.job = job;
                    gathered.files.push(place);
                    files = more;
                }
                Err((_, why)) => {
                    let why = unread_sentence(&why, Language::English);
                    let said = Sentence {
                        key: named.key.clone(),
                        text: format!("{place}: {why}"),
                    };
                    gathered.said.push(said);
                }
            }
        }
        tried.push(named);
    }
    complete(&mut gathered, files, set);
    Ok(gathered)
}

/// The files that a job names and that are not given.
fn named(job: &Job) -> impl Iterator<Item = Named> {
    job.said.iter().filter_map(|said| match said {
        Said::Note(Note::File { key, file } | Note::Known { key, file, .. }) => {
            let (key, file) = (key.clone(), file.clone());
            Some(Named { key, file })
        }
        _ => None,
    })
}

/// Reads the job again with the config of its model, where the catalog lacks it.
fn complete(gathered: &mut Gathered, mut files: Vec<JobFile>, set: &[(String, Value)]) {
    let ModelRef::Catalog(name) = gathered.job.scenario.model.clone() else {
        return;
    };
    let mut set = set.to_vec();
    let (found, base) = match models::find(&name) {
        Ok(Some(Found::Base(base))) => (models::find(&base), Some(base)),
        found => (found, None),
    };
    if let Some(base) = &base {
        set.retain(|(key, _)| key != "model");
        set.push(("model".to_owned(), base.as_str().into()));
        let base = base.clone();
        gathered.say(&Elsewhere::Base { base }.finding(&name));
    }
    match found {
        Ok(Some(Found::Config(Text { text, place }))) => {
            set.retain(|(key, _)| key != "model");
            let config = serde_json::from_str::<Value>(&text);
            files.push(JobFile {
                name: place.clone(),
                text,
            });
            let by_file = read_job(&files, &set).ok().filter(has_config);
            let by_value = || {
                files.pop();
                set.push(("model".to_owned(), json!({"hf_config": config.ok()?})));
                read_job(&files, &set).ok().filter(has_config)
            };
            let job = by_file.or_else(by_value);
            let what = match job {
                Some(job) => {
                    gathered.job = job;
                    gathered.files.push(place.clone());
                    Elsewhere::Found { place }
                }
                None => Elsewhere::Unusable { place },
            };
            gathered.say(&what.finding(&name));
        }
        Ok(_) => {
            if base.is_some()
                && let Ok(job) = read_job(&files, &set)
            {
                gathered.job = job;
            }
        }
        Err(why) => gathered.say(&why),
    }
}

fn has_config(job: &Job) -> bool {
    matches!(job.scenario.model, ModelRef::HfConfig { .. })
}

impl Gathered {
    fn say(&mut self, finding: &highwater::ask::Finding) {
        self.said.push(Sentence {
            key: finding.key.clone(),
            text: english(&finding.message),
        });
    }
}

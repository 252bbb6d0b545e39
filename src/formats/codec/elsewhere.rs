//! Findings about a model whose config is looked for outside of the catalog. The programs look; nothing is read here.

use crate::ask::{Finding, message};

/// Result of looking for a model's config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    /// It is taken from this file or address.
    Found {
        /// The file or the address.
        place: String,
    },
    /// An adapter's folder names this model as its base.
    Base {
        /// The base model.
        base: String,
    },
    /// The Hub is not asked.
    Offline,
    /// The Hub answers 401 or 403.
    Gated {
        /// The Hub's address.
        host: String,
        /// The status of the answer.
        status: u32,
    },
    /// The Hub answers with another status that is no success.
    Missing {
        /// The Hub's address.
        host: String,
        /// The status of the answer.
        status: u32,
    },
    /// No answer came.
    Unreachable {
        /// The Hub's address.
        host: String,
        /// Why, as the client says it.
        reason: String,
    },
    /// The file there is no model's config, or too large for one.
    Unusable {
        /// The file or the address.
        place: String,
    },
}

impl Elsewhere {
    /// The finding about the model `name`.
    pub fn finding(&self, name: &str) -> Finding {
        let error = |message| Finding::error("model", message);
        match self {
            Self::Found { place } => {
                Finding::notice("model", message!(elsewhere::found, name, place))
            }
            Self::Base { base } => Finding::notice("model", message!(elsewhere::base, name, base)),
            Self::Offline => error(message!(elsewhere::offline, name)),
            Self::Gated { host, status } => error(message!(elsewhere::gated, name, host, status)),
            Self::Missing { host, status } => {
                error(message!(elsewhere::missing, name, host, status))
            }
            Self::Unreachable { host, reason } => {
                error(message!(elsewhere::unreachable, name, host, reason))
            }
            Self::Unusable { place } => error(message!(elsewhere::unusable, name, place)),
        }
    }
}

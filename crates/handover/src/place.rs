//! Where the store is: a file of this machine, or a database of PostgreSQL that several nodes share.

use handover_core::refusal::{Code, HandoffError};
use handover_engine::{Engine, Options};
use handover_store::{
    Store,
    postgres::{self, PostgresStore},
};
use serde::{Deserialize, Deserializer, de::Error};
use std::{fmt, path::PathBuf, str::FromStr, sync::Arc};

/// Where the store is.
#[derive(Clone, PartialEq, Eq)]
pub enum Place {
    /// A file. One process has it at a time.
    File(PathBuf),
    /// A database of PostgreSQL: `postgres://name:password@host:port/database?schema=…`. Any number of nodes share it.
    Postgres(String),
}

impl Place {
    /// Whether several processes may work on it at once.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// The file, where it is one.
    #[must_use]
    pub fn file(&self) -> Option<&std::path::Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }

    /// The name by which nodes of the same store know each other: the database and the schema.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Postgres(url) => {
                let (front, query) = url.split_once('?').unwrap_or((url, ""));
                let database = front.rsplit_once('/').map_or("", |(_, database)| database);
                let schema = query.split('&').find_map(|pair| pair.strip_prefix("schema="));
                format!("{database}.{}", schema.unwrap_or("handover"))
            }
        }
    }

    /// Opens an engine on it, as the node of this name.
    ///
    /// # Errors
    /// When the store cannot be opened, with what to do about it.
    pub async fn open(&self, node: &str, options: Options) -> Result<Engine, HandoffError> {
        match self {
            Self::File(path) => Engine::open_with(path, options).await,
            Self::Postgres(address) => {
                let (address, name) = (address.clone(), node.to_owned());
                let opened = Engine::on_store(options, async move |hooks| {
                    let store = PostgresStore::open(postgres::Options { address, name, hooks }).await?;
                    Ok(Arc::new(store) as Arc<dyn Store>)
                });
                opened.await.map_err(|error| self.with_hint(error))
            }
        }
    }

    /// The same error, with what to do where the database says what it is.
    pub(crate) fn with_hint(&self, mut error: HandoffError) -> HandoffError {
        for refusal in error.refusals.iter_mut().filter(|refusal| refusal.hint.is_empty()) {
            let hint = match (refusal.code, refusal.message.as_str()) {
                (Code::StoreFailed, said) if said.contains("28P01") || said.contains("28000") => {
                    "look at the name and the password in --store (or HANDOVER_STORE)"
                }
                (Code::StoreFailed, said) if said.contains("password missing") => {
                    "the server asks for a password: write it as postgres://name:password@host/database, in HANDOVER_STORE"
                }
                (Code::StoreFailed, said) if said.contains("3D000") => {
                    "make the database first, as with `createdb`; its tables are made by themselves"
                }
                (Code::StoreFailed, said) if said.contains("42501") => {
                    "let whoever is named in --store make and use the schema: GRANT CREATE ON DATABASE"
                }
                (Code::StoreAway, _) => {
                    "look whether the server runs, and at the host and the port in --store (or HANDOVER_STORE)"
                }
                _ => continue,
            };
            refusal.message = format!("{self}: {}", refusal.message);
            refusal.hint = hint.to_owned();
        }
        error
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once("://") {
            Some(("postgres" | "postgresql", rest)) if !rest.is_empty() => Ok(Self::Postgres(text.to_owned())),
            // What follows may be a password: it is not repeated.
            Some((scheme, _)) => Err(format!(
                "\"{scheme}://\" is no store; a store is a file, or postgres://name:password@host:port/database"
            )),
            None if text.is_empty() => Err("it is empty".to_owned()),
            None => Ok(Self::File(PathBuf::from(text))),
        }
    }
}

/// Without a name and a password: this is what is shown and logged.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Postgres(url) => {
                let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
                let (front, query) = rest.split_once('?').unwrap_or((rest, ""));
                let host = front.rsplit_once('@').map_or(front, |(_, host)| host);
                let schema = query.split('&').find(|pair| pair.starts_with("schema="));
                write!(f, "{scheme}://{host}{}", schema.map(|schema| format!("?{schema}")).unwrap_or_default())
            }
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Place({self})")
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_a_database_are_told_apart() {
        let place = |text: &str| text.parse::<Place>();
        assert_eq!(place("a/b.db"), Ok(Place::File("a/b.db".into())));
        assert!(place("postgres://db/work").unwrap().is_shared());
        for text in ["mysql://ann:geheim@db/work", "postgres://", ""] {
            let said = place(text).unwrap_err();
            assert!(!said.contains("geheim"), "{said}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        let place: Place = "postgresql://ann:p@ss@db:5433/work?sslmode=require&schema=t1&password=x".parse().unwrap();
        assert_eq!(place.to_string(), "postgresql://db:5433/work?schema=t1");
        assert_eq!(format!("{place:?}"), "Place(postgresql://db:5433/work?schema=t1)");
        assert_eq!(place.name(), "work.t1");
        assert_eq!("postgres://db/work".parse::<Place>().unwrap().name(), "work.handover");
    }
}

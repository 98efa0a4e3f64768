//! One who wants to be told of a task: where, with which token, and how far it was told.

use super::Pushes;
use crate::wrong::Wrong;
use a2a::TaskPushNotificationConfig;
use axum::http::HeaderValue;
use handover_core::{
    access::KeyId,
    handoff::Handoff,
    ids::{HandoffId, SessionId},
    limits::A2A_PUSH_TEXT_CHARS_MAX,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One who wants to be told of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Config {
    pub(crate) id: String,
    pub(crate) task: HandoffId,
    pub(crate) session: SessionId,
    pub(crate) tenant: String,
    pub(crate) url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) scheme: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) credentials: Option<String>,
    /// Whether it speaks version 0.3.
    #[serde(default)]
    pub(crate) old: bool,
    /// Who made it: its secrets are shown to nobody else.
    #[serde(default)]
    pub(crate) maker: String,
    /// The key that it was made with; nothing on an open server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) with: Option<KeyId>,
    /// The place in the feed up to which it was told.
    #[serde(default)]
    pub(crate) after: Option<u64>,
    /// Whether the task was over when it was made.
    #[serde(default)]
    pub(crate) done: bool,
}

impl Config {
    pub(super) fn key(&self) -> (HandoffId, String) {
        (self.task, self.id.clone())
    }

    /// The same, told from this place in the feed on.
    pub(crate) fn after(mut self, position: u64) -> Self {
        self.after = Some(position);
        self
    }

    /// As somebody sees it: with its secrets whoever made it, without them everybody else.
    pub(crate) fn shown(&self, to: &Asker) -> Value {
        let own = self.maker == to.name && self.tenant == to.tenant && self.with == to.key;
        let mut shown = json!({"id": self.id, "taskId": self.task, "url": self.url});
        if let Some(token) = self.token.as_ref().filter(|_| own) {
            shown["token"] = json!(token);
        }
        if let Some(scheme) = &self.scheme {
            shown["authentication"] = json!({"scheme": scheme});
            if let Some(credentials) = self.credentials.as_ref().filter(|_| own) {
                shown["authentication"]["credentials"] = json!(credentials);
            }
        }
        shown
    }
}

/// Who asks to be told.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    pub(crate) tenant: String,
    pub(crate) name: String,
    pub(crate) key: Option<KeyId>,
}

/// What somebody wants to be told, checked, before it is known of which task.
pub(crate) struct Wanted {
    id: Option<String>,
    said: TaskPushNotificationConfig,
    asker: Asker,
    old: bool,
}

impl Wanted {
    /// The same, with this id where none was given.
    pub(crate) fn or_named(mut self, id: &str) -> Self {
        self.id.get_or_insert_with(|| id.to_owned());
        self
    }

    /// The same, of this task.
    pub(crate) fn of(self, first: &Handoff) -> Config {
        let Self { id, said, asker, old } = self;
        let (scheme, credentials) = said.authentication.map(|said| (said.scheme, said.credentials)).unzip();
        Config {
            id: id.unwrap_or_else(|| uuid::Uuid::new_v4().to_string()),
            task: first.id,
            session: first.session_id.clone(),
            tenant: asker.tenant,
            url: said.url,
            token: said.token.filter(|token| !token.is_empty()),
            scheme,
            credentials: credentials.flatten().filter(|text| !text.is_empty()),
            old,
            maker: asker.name,
            with: asker.key,
            after: None,
            done: false,
        }
    }
}

impl Pushes {
    /// What somebody wants, if it can be.
    pub(crate) fn wanted(&self, asker: Asker, old: bool, said: TaskPushNotificationConfig) -> Result<Wanted, Wrong> {
        let id = said.id.clone().filter(|id| !id.is_empty());
        check_id(id.as_deref().unwrap_or_default())?;
        self.poster.check(&said.url).map_err(|why| Wrong::field("url", why))?;
        check_text("token", said.token.as_deref().unwrap_or_default())?;
        if let Some(authentication) = &said.authentication {
            check_text("authentication.scheme", &authentication.scheme)?;
            check_text("authentication.credentials", authentication.credentials.as_deref().unwrap_or_default())?;
        }
        Ok(Wanted { id, said, asker, old })
    }
}

fn check_id(id: &str) -> Result<(), Wrong> {
    let fits = id.len() <= 128 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte));
    if fits { Ok(()) } else { Err(Wrong::field("id", "at most 128 letters, digits and -_.~ are allowed")) }
}

/// Whether a text can go into a header.
fn check_text(field: &str, text: &str) -> Result<(), Wrong> {
    if text.chars().count() > A2A_PUSH_TEXT_CHARS_MAX {
        let what = format!("it has more than {A2A_PUSH_TEXT_CHARS_MAX} characters (A2A_PUSH_TEXT_CHARS_MAX)");
        return Err(Wrong::field(field, what));
    }
    if HeaderValue::from_str(text).is_err() {
        return Err(Wrong::field(field, "it cannot be said in a header"));
    }
    Ok(())
}

//! Keys: what is kept of one, who comes with it, and what is checked when one is asked for.

use super::{Caller, Denial, KeyId, Role};
use crate::{
    decide::validate::Checks,
    digest::Digest,
    ids::{AgentId, SessionId},
    limits::{KEY_AGENTS_MAX, KEY_NAME_CHARS_MAX, KEY_RATE_PER_SECOND_MAX, KEY_SESSIONS_MAX},
    refusal::{Code, HandoffError, Refusal},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeSet, fmt};

/// SHA-256 of the text of a key. It is shown nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Hidden(Digest);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hidden")
    }
}

/// What is known of a key. Written as JSON it has no hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeyInfo {
    /// Its id.
    pub id: KeyId,
    /// What people call it.
    pub name: String,
    /// Whose sessions it opens.
    pub tenant: String,
    /// Whether it is of the house.
    #[serde(default)]
    pub house: bool,
    /// What it may do.
    pub role: Role,
    /// For which agents it speaks; everybody when nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<AgentId>>,
    /// The sessions that exist for it; all of its tenant when nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<BTreeSet<SessionId>>,
    /// When it was made.
    pub made_at: Timestamp,
    /// When its time is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When it was taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
    /// The key that takes its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<KeyId>,
    /// Requests that it may make in a second, where it has a limit of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_second: Option<u32>,
    #[serde(skip)]
    hash: Hidden,
}

impl KeyInfo {
    /// A key of this scope, for this text.
    #[must_use]
    pub fn of(id: KeyId, new: NewKey, tenant: String, made_at: Timestamp, token: &str) -> Self {
        let NewKey { name, tenant: _, house, role, agents, sessions, expires_at, per_second } = new;
        let hash = Hidden(Digest::of(token.as_bytes()));
        let (revoked_at, replaced_by) = (None, None);
        Self {
            id,
            name,
            tenant,
            house,
            role,
            agents,
            sessions,
            made_at,
            expires_at,
            revoked_at,
            replaced_by,
            per_second,
            hash,
        }
    }

    /// A new key of the same scope, for another text.
    #[must_use]
    pub fn renewed(&self, id: KeyId, made_at: Timestamp, token: &str) -> Self {
        let hash = Hidden(Digest::of(token.as_bytes()));
        Self { id, made_at, revoked_at: None, replaced_by: None, hash, ..self.clone() }
    }

    /// Whether this is its text. It takes as long for a text that is nearly right as for one that is all wrong.
    #[must_use]
    pub fn fits(&self, token: &str) -> bool {
        self.hash.0.same_as(&Digest::of(token.as_bytes()))
    }

    /// Why it lets nobody in at this time, if so.
    #[must_use]
    pub fn ended(&self, now: Timestamp) -> Option<Denial> {
        let over = |at: Option<Timestamp>| at.is_some_and(|at| at <= now);
        if over(self.revoked_at) {
            return Some(Denial::Revoked);
        }
        over(self.expires_at).then_some(Denial::Expired)
    }

    /// Who comes with it.
    #[must_use]
    pub fn caller(&self) -> Caller {
        Caller {
            name: format!("{} ({})", self.name, self.id),
            tenant: self.tenant.clone(),
            acts_as: self.agents.clone(),
            role: self.role,
            sessions: self.sessions.clone(),
            house: self.house,
        }
    }

    /// As it is kept, with its hash. For the book of the house alone.
    #[must_use]
    pub fn kept(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or(Value::Null);
        value["hash"] = Value::String(self.hash.0.to_string());
        value
    }

    /// The key that is kept so.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(kept: &Value) -> Result<Self, String> {
        let mut key: Self = serde_json::from_value(kept.clone()).map_err(|error| error.to_string())?;
        key.hash = Hidden(kept["hash"].as_str().unwrap_or_default().parse::<Digest>()?);
        Ok(key)
    }
}

/// A key that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// What people call it.
    pub name: String,
    /// Whose sessions it opens; those of whoever makes it when nothing is said.
    pub tenant: Option<String>,
    /// Whether it is of the house.
    pub house: bool,
    /// What it may do.
    pub role: Role,
    /// For which agents it speaks. An agent's key needs them.
    pub agents: Option<Vec<AgentId>>,
    /// The sessions that exist for it.
    pub sessions: Option<BTreeSet<SessionId>>,
    /// When its time is over.
    pub expires_at: Option<Timestamp>,
    /// Requests that it may make in a second.
    pub per_second: Option<u32>,
}

impl NewKey {
    /// A key of this name and role, and nothing else said.
    #[must_use]
    pub fn of(name: impl Into<String>, role: Role) -> Self {
        Self {
            name: name.into(),
            tenant: None,
            house: false,
            role,
            agents: None,
            sessions: None,
            expires_at: None,
            per_second: None,
        }
    }

    /// Checks all of it.
    ///
    /// # Errors
    /// With everything that is wrong with it.
    pub fn check(&self, now: Timestamp) -> Result<(), HandoffError> {
        let mut checks = Checks::default();
        checks.text("name", &self.name);
        checks.count("name", self.name.chars().count(), KEY_NAME_CHARS_MAX, "KEY_NAME_CHARS_MAX");
        if let Some(bad) = self.name.chars().find(|c| c.is_control()) {
            checks.add(Refusal::new(Code::BadText, format!("it contains {bad:?}")).at("name"));
        }
        if let Some(tenant) = &self.tenant {
            check_tenant(tenant, &mut checks);
        }
        let agents = self.agents.as_ref().map_or(0, Vec::len);
        if agents == 0 && (self.role == Role::Agent || self.agents.is_some()) {
            let refusal = Refusal::new(Code::MissingField, "it names no agent that it could speak for");
            checks.add(refusal.at("agents").hint("name at least one agent"));
        }
        checks.count("agents", agents, KEY_AGENTS_MAX, "KEY_AGENTS_MAX");
        let sessions = self.sessions.as_ref().map_or(0, BTreeSet::len);
        if sessions == 0 && self.sessions.is_some() {
            let refusal = Refusal::new(Code::MissingField, "it names no session, so none would exist for it");
            checks.add(refusal.at("sessions").hint("name at least one session, or leave it out"));
        }
        checks.count("sessions", sessions, KEY_SESSIONS_MAX, "KEY_SESSIONS_MAX");
        if self.expires_at.is_some_and(|at| at <= now) {
            checks.add(Refusal::new(Code::OutOfRange, "it is over before it begins").at("expires_at"));
        }
        if self.per_second.is_some_and(|rate| rate == 0 || rate > KEY_RATE_PER_SECOND_MAX) {
            let message = format!("it is not between 1 and {KEY_RATE_PER_SECOND_MAX} (KEY_RATE_PER_SECOND_MAX)");
            checks.add(Refusal::new(Code::OutOfRange, message).at("per_second"));
        }
        checks.done()
    }
}

/// The name of a tenant becomes part of names of sessions: it has the same characters.
pub(crate) fn check_tenant(tenant: &str, checks: &mut Checks) {
    if let Err(bad) = SessionId::new(tenant) {
        checks.add(Refusal::new(Code::BadText, format!("not a name: {bad}")).at("tenant"));
    }
    if tenant.starts_with("handover:") {
        checks.add(Refusal::new(Code::ReservedName, format!("{tenant} is reserved")).at("tenant"));
    }
}

#[cfg(test)]
mod tests {
    use super::{super::token, *};

    fn made() -> (KeyInfo, String) {
        let id = KeyId::of_number(u128::MAX);
        let text = token(&id, &[0xfb; 32]);
        (KeyInfo::of(id, NewKey::of("ci", Role::Viewer), "acme".into(), Timestamp(5), &text), text)
    }

    #[test]
    fn its_hash_is_kept_and_never_shown() {
        let (key, text) = made();
        let hash = Digest::of(text.as_bytes()).to_string();
        let shown = format!("{key:?} {}", serde_json::to_string(&key).unwrap());
        assert!(!shown.contains(&hash) && !shown.contains(&text), "{shown}");
        let again = KeyInfo::read(&key.kept()).unwrap();
        assert_eq!(again, key);
        assert!(again.fits(&text) && !again.fits(&text.replace("-_s", "-_t")));
        assert!(KeyInfo::read(&serde_json::to_value(&key).unwrap()).is_err(), "without a hash it fits nothing");
    }

    #[test]
    fn what_is_wrong_with_a_key_is_told() {
        let base = || NewKey::of("ci", Role::Viewer);
        for (new, told) in [
            (base(), vec![]),
            (NewKey::of(" ", Role::Viewer), vec!["HO0102"]),
            (NewKey::of("x".repeat(KEY_NAME_CHARS_MAX + 1), Role::Viewer), vec!["HO0106"]),
            (NewKey::of("a", Role::Agent), vec!["HO0101"]),
            (NewKey { agents: Some(vec![]), ..base() }, vec!["HO0101"]),
            (NewKey { sessions: Some(BTreeSet::new()), ..base() }, vec!["HO0101"]),
            (NewKey { tenant: Some("handover:house".into()), ..base() }, vec!["HO0308"]),
            (NewKey { tenant: Some("a b".into()), ..base() }, vec!["HO0108"]),
            (NewKey { expires_at: Some(Timestamp(9)), ..base() }, vec!["HO0109"]),
            (NewKey { per_second: Some(0), ..base() }, vec!["HO0109"]),
        ] {
            let refusals = new.check(Timestamp(9)).err().map(|error| error.refusals).unwrap_or_default();
            assert_eq!(refusals.iter().map(|refusal| refusal.code.text()).collect::<Vec<_>>(), told, "{new:?}");
        }
    }

    #[test]
    fn its_time_ends() {
        let (key, _) = made();
        let ended = KeyInfo { expires_at: Some(Timestamp(7)), ..key.clone() };
        assert_eq!((ended.ended(Timestamp(6)), ended.ended(Timestamp(7))), (None, Some(Denial::Expired)));
        let revoked = KeyInfo { revoked_at: Some(Timestamp(6)), ..ended };
        assert_eq!(revoked.ended(Timestamp(7)), Some(Denial::Revoked));
        assert_eq!(key.ended(Timestamp(i64::MAX)), None);
    }
}

//! What the pages of people are tested with: agents, people, work that waits.

use crate::house::{Browser, House, Seen, cookie_of};
use handover_core::{
    access::{NewKey, Role},
    agent::{AgentKind, Profile},
    command::Open,
    handoff::{Kind, Request},
    ids::{AgentId, HandoffId, SessionId},
    message::{NewMessage, Role as Speaker},
};

/// A text that would be part of the page if somebody let it.
pub const HOSTILE: &str = "<script>alert(\"x\")</script><img src=x onerror='y'>&amp;";

pub fn id(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

pub fn session(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

/// Says that nothing of a hostile text became part of the page.
pub fn is_tame(seen: &Seen) {
    seen.hides("<script>alert").hides("<img src=x").shows("&lt;script&gt;alert");
}

impl House {
    /// Agents that ask for their work, people, and a session of the first agent's.
    pub async fn staffed(&self, workers: &[&str], people: &[&str]) {
        for (names, kind) in [(workers, AgentKind::Worker), (people, AgentKind::Human)] {
            for name in names {
                let profile = Profile { kind, max_concurrent_tasks: 50, ..Profile::of(id(name)) };
                self.engine.register_profile(profile).await.unwrap();
            }
        }
        self.engine.open_session(&session("s"), Open::by(workers[0]).unwrap()).await.unwrap();
    }

    /// Hands over, and gives the handoff.
    pub async fn handed(&self, request: Request) -> HandoffId {
        self.engine.initiate(&session("s"), request).await.unwrap().handoffs[0]
    }

    /// Hands over in a session of its own.
    pub async fn handed_in(&self, name: &str, request: Request) -> HandoffId {
        let open = Open::by(request.from_agent.as_str()).unwrap();
        self.engine.open_session(&session(name), open).await.unwrap();
        self.engine.initiate(&session(name), request).await.unwrap().handoffs[0]
    }

    /// A browser of whoever speaks for these agents alone.
    pub async fn bound(&self, role: Role, agents: &[&str]) -> Browser {
        let agents = Some(agents.iter().map(|name| id(name)).collect());
        let key = self.engine.make_key(NewKey { agents, ..NewKey::of(role.word(), role) }).await.unwrap().1;
        let seen = self.post(&Browser::default(), "/sign-in", &[("key", &key)]).await;
        Browser { cookie: cookie_of(&seen), ..Browser::default() }
    }
}

/// A delegation from one to another.
pub fn delegation(from: &str, to: &str, task: &str) -> Request {
    let mut request = Request::new(Kind::Delegation, id(from), task);
    request.to_agent = Some(id(to));
    request.return_protocol.timeout_ms = Some(3_600_000);
    request
}

/// Something that a user says.
pub fn said(text: &str) -> Vec<NewMessage> {
    vec![NewMessage::new(Speaker::User, text)]
}

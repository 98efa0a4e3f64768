//! A house for the journeys: a real server with people and agents, keys for each role, and the agents' side of the work.

use crate::{
    browser::{Browser, Size},
    place::{Place, Served, free},
};
use handover_client::{Assignment, Claiming, Client, Opening, done};
use handover_core::{
    handoff::Request,
    ids::{AgentId, HandoffId, SessionId},
};
use serde_json::{Value, json};
use std::time::Duration;

/// Who is there, and what waits for a person's word.
const SETTINGS: &str = "\
policy:
  human: ann
  accept_ms: 3600000
  limits: {handoffs: 100, escalations: 100, chain: 100}
  budgets: {prices: {small: {input: 1000, output: 2000}}}
  approvals:
    - {name: dear, when: {cost_above: 50}, approvers: [{who: ann}, {who: ops}]}
  experiments: [{name: spread, a: best_match, b: least_loaded, share: 0.5}]
agents:
  - {id: desk, kind: worker, description: Speaks with clients}
  - {id: writer, kind: worker, description: Writes letters, capabilities: [{id: writing, proficiency: 0.9}]}
  - {id: editor, kind: worker, description: Corrects letters, capabilities: [{id: writing, proficiency: 0.6}]}
  - {id: ann, kind: human, description: Decides what is dear}
";
/// Calls the interface from a page, and gives the status; else what it said.
const CALL: &str = "\
const [method, path, key, body, done] = arguments, headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
fetch(path, {method, headers, credentials: 'omit', body: JSON.stringify(body)})
  .then(answer => answer.ok ? answer.status : answer.text()).then(done, why => done(String(why)));";
/// How long an agent has.
const LONG: Duration = Duration::from_secs(3_600);
/// How long an agent waits for work, in milliseconds.
const WAIT_MS: u64 = 30_000;

pub struct House {
    pub served: Served,
    admin: String,
    /// Made once: it reads what a machine trusts, and that takes its time.
    client: Client,
}

impl House {
    pub fn new() -> Self {
        let place = Place::new(None);
        place.write("handover.yaml", SETTINGS);
        let admin = made(&place, "root", "admin --house");
        let served = Served::of(place, free());
        let client = Client::new(&served.url(), Some(&admin)).unwrap();
        Self { served, admin, client }
    }

    /// A new key of this role, under this name.
    pub fn key(&self, name: &str, role: &str) -> String {
        made(&self.served.place, name, role)
    }

    /// The ids of all keys of this name.
    pub fn revoke(&self, name: &str) {
        let keys = self.served.place.json("keys");
        let keys = keys.as_array().cloned().unwrap_or_else(|| keys["keys"].as_array().cloned().unwrap());
        for key in keys.iter().filter(|key| key["name"] == json!(name)) {
            self.served.place.json(&format!("keys revoke {}", key["id"].as_str().unwrap()));
        }
    }

    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.served.url())
    }

    /// The administrator's program.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// A browser of somebody with a new key, at this page.
    pub async fn visitor(&self, name: &str, role: &str, path: &str) -> Browser {
        let browser = Browser::open(Size::Desktop, false).await;
        self.enter(&browser, &self.key(name, role), path).await;
        browser
    }

    /// Signs in on the way to a page.
    pub async fn enter(&self, browser: &Browser, key: &str, path: &str) {
        browser.goto(&self.at(path)).await;
        self.signs_in(browser, key).await;
    }

    /// Signs in at the door.
    pub async fn signs_in(&self, browser: &Browser, key: &str) {
        browser.fill("Your key", key).await;
        browser.press("Sign in").await;
        browser.holds("return !location.pathname.startsWith('/sign-in')", &[]).await;
    }

    /// A session of the desk.
    pub async fn session(&self, name: &str, asked: &str) -> SessionId {
        let opening = Opening::by("desk").unwrap().named(name).unwrap().asking(asked);
        self.client().open_session(&opening).await.unwrap().id
    }

    /// Work from the desk to somebody.
    pub async fn hand_over(&self, session: &SessionId, to: &str, task: &str) -> HandoffId {
        self.ask(session, &Request::delegation("desk", to, task, LONG).unwrap()).await
    }

    /// The same, so dear that a person decides first.
    pub async fn hand_over_dear(&self, session: &SessionId, to: &str, task: &str) -> HandoffId {
        let mut request = Request::delegation("desk", to, task, LONG).unwrap().payload(json!({"copies": 500}));
        request.context.constraints.budget = serde_json::from_value(json!(80)).unwrap();
        request.reason = "The client wants it on paper".to_owned();
        self.ask(session, &request).await
    }

    /// Work from the desk to whoever can do it; with whom it went to.
    pub async fn hand_over_by(&self, session: &SessionId, what: &str, task: &str) -> (HandoffId, String) {
        let id = self.ask(session, &Request::delegation_by("desk", what, task, LONG).unwrap()).await;
        (id, self.client().handoff(id).await.unwrap().to_agent.to_string())
    }

    pub async fn ask(&self, session: &SessionId, request: &Request) -> HandoffId {
        self.client().hand_off(session, request).await.unwrap().handoffs[0]
    }

    /// The next work of this agent, taken.
    pub async fn take(&self, agent: &str) -> Assignment {
        let claiming = Claiming { wait_ms: WAIT_MS, ..Claiming::default() };
        let taken = self.client().claim(&AgentId::new(agent).unwrap(), &claiming).await.unwrap();
        taken.unwrap_or_else(|| panic!("{agent} gets no work"))
    }

    pub async fn give_back(&self, taken: &Assignment, body: Value) {
        self.client().give_back(taken.handoff.id, taken.lease, &done(body), None).await.unwrap();
    }

    /// Asks the interface for something, as the administrator; through a page of this house.
    pub async fn calls(&self, browser: &Browser, method: &str, path: &str, body: &Value) {
        let said = browser.run_async(CALL, vec![json!(method), json!(path), json!(self.admin), body.clone()]).await;
        assert!(said.as_u64().is_some_and(|status| status < 300), "{method} {path}: {said}");
    }

    /// What became of a handoff, in a word.
    pub async fn status(&self, id: HandoffId) -> String {
        let handoff = self.client().handoff(id).await.unwrap();
        json!(handoff.status).as_str().unwrap().to_owned()
    }
}

fn made(place: &Place, name: &str, role: &str) -> String {
    place.json(&format!("keys make {name} --role {role}"))["secret"].as_str().unwrap().to_owned()
}

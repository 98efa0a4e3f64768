//! How what came of a statement reads: one line, with names where the engine has ids.

use crate::{
    play::Play,
    words::{Words, name},
};
use handover_core::{
    command::Answer,
    event::Event,
    handoff::{Handoff, Phase},
    ids::SessionId,
    ledger::Entry,
    record::Record,
    refusal::HandoffError,
};
use handover_store::RecordQuery;

impl Play {
    /// Every id as the name that the story gave it.
    pub fn told(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (id, label)| text.replace(&id.to_string(), label))
    }

    pub fn outcome(&mut self, w: &Words<'_>, outcome: Result<Answer, HandoffError>) -> String {
        let said = match outcome {
            Err(error) => {
                let all: Vec<String> = error.refusals.iter().map(|refusal| format!("refused {refusal}")).collect();
                all.join("; ")
            }
            Ok(answer) => self.answered(w, &answer),
        };
        self.told(&format!("{}: {said}", w.all()))
    }

    fn answered(&mut self, w: &Words<'_>, answer: &Answer) -> String {
        let label = if w.verb() == "initiate" { w.nth(1) } else { w.get("as").unwrap_or("next") };
        let many = answer.group.is_some();
        for (i, handoff) in answer.handoffs.iter().enumerate() {
            let label = if many { format!("{label}.{}", i + 1) } else { label.to_owned() };
            self.call(label, *handoff);
        }
        let mut parts = vec![if answer.handoffs.is_empty() { "done" } else { "made" }.to_owned()];
        parts.extend(answer.warnings.iter().map(|warning| format!("warned: {warning}")));
        parts.extend(answer.fallback.iter().map(|error| format!("fallback: {error}")));
        parts.join("; ")
    }

    async fn news(&mut self) -> Vec<Record> {
        let query = RecordQuery { after: self.seen, limit: 1_000, ..RecordQuery::default() };
        let stored = self.door().audit(query).await.unwrap();
        self.seen = stored.last().map_or(self.seen, |last| last.position);
        stored.iter().map(|stored| serde_json::from_str(&stored.text).unwrap()).collect()
    }

    /// What a statement did was told by its answer.
    pub async fn pass_over(&mut self) {
        for record in self.news().await {
            self.call_successor(&record);
        }
    }

    /// What goes on with a handoff one level up is called like it, with a tick.
    fn call_successor(&mut self, record: &Record) {
        if let Event::Initiated { handoff, .. } = &record.event
            && let Some(before) = handoff.parent_id.filter(|_| handoff.returns_for != handoff.id)
            && let Some(label) = self.names.get(&before.0)
        {
            self.call(format!("{label}'"), handoff.id);
        }
    }

    /// What the engine did by itself.
    pub async fn happened(&mut self, w: &Words<'_>) -> String {
        let mut parts = Vec::new();
        for record in self.news().await {
            self.call_successor(&record);
            let about = record.handoff_id.and_then(|id| self.names.get(&id.0)).cloned().unwrap_or_default();
            parts.push(format!("{about} {}{}", record.event_type, detail(&record.event)).trim().to_owned());
        }
        let said = if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") };
        self.told(&format!("{}: {said}", w.all()))
    }

    pub async fn look(&self, w: &Words<'_>) -> String {
        let said = match w.verb() {
            "books" => self.books(w.nth(1)),
            "accounts" => self.stored().into_iter().map(|(account, _)| account).collect::<Vec<_>>().join(", "),
            "breaker" => {
                let view = self.engine.breaker(&name(w.nth(1))).unwrap();
                let until = view.open_until.map(|until| format!(", until {until}")).unwrap_or_default();
                let probe = view.probe.map(|probe| format!(", {probe} tries")).unwrap_or_default();
                format!("{}, {} failures{until}{probe}", view.state.word(), view.failures)
            }
            "breakers" => {
                let all = self.engine.breakers();
                all.iter().map(|(agent, view)| format!("{agent} {}", view.state.word())).collect::<Vec<_>>().join(", ")
            }
            "messages" => {
                let messages = self.door().messages(&self.session, 1, 100).await.unwrap();
                let read = |m: &handover_core::message::Message| format!("{:?}: {}", m.said.role, m.said.content);
                messages.iter().map(read).collect::<Vec<_>>().join(" | ")
            }
            "book" => self.book().await,
            "records" => self.records().await,
            _ if w.nth(1) == "session" => self.session_line().await,
            _ => line(&self.door().handoff(self.handoff(w)).await.unwrap()),
        };
        self.told(&format!("{}: {said}", w.all()))
    }

    /// What happened in the session, in words.
    async fn records(&self) -> String {
        let query = RecordQuery { session: Some(self.session.clone()), limit: 1_000, ..RecordQuery::default() };
        let stored = self.door().audit(query).await.unwrap();
        let word = |text: &str| serde_json::from_str::<Record>(text).unwrap().event_type;
        stored.iter().map(|stored| word(&stored.text)).collect::<Vec<_>>().join(", ")
    }

    async fn session_line(&self) -> String {
        let session = self.door().session(&self.session).await.unwrap();
        let class = session.complexity.map_or("no class", |class| class.word());
        let watch = &session.watch;
        let counted = format!("{} handoffs, {} escalations", watch.handoffs, watch.escalations);
        let decided: Vec<String> = session
            .decisions
            .iter()
            .map(|d| if d.escalated_to.is_some() { "escalated".to_owned() } else { format!("{} decided", d.made_by) })
            .collect();
        let decided = if decided.is_empty() { String::new() } else { format!(", {}", decided.join(", ")) };
        format!("{class}, owner {}, {counted}, {} tokens used{decided}", session.active_agent, session.metrics.tokens)
    }

    /// The ledger in the file, as anybody with a shell sees it.
    fn stored(&self) -> Vec<(String, Entry)> {
        let conn = rusqlite::Connection::open(self.file()).unwrap();
        let mut find = conn.prepare("SELECT account, entry FROM ledger ORDER BY account").unwrap();
        let rows = find.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
        rows.map(Result::unwrap).map(|(account, entry)| (account, serde_json::from_str(&entry).unwrap())).collect()
    }

    /// What is set aside and used by it.
    fn books(&self, only: &str) -> String {
        let mut parts = Vec::new();
        for (account, entry) in self.stored().into_iter().filter(|(account, _)| account.starts_with(only)) {
            if !entry.reserved.is_nothing() || !entry.used.is_nothing() {
                parts.push(format!("{account}: {} set aside, {} used", entry.reserved.words(), entry.used.words()));
            }
        }
        if parts.is_empty() { "nothing".to_owned() } else { parts.join("; ") }
    }

    /// What the book of the house says of breakers.
    async fn book(&self) -> String {
        let owner = handover_core::command::Caller::new("owner", "handover:house").of_house();
        let query = RecordQuery { session: Some(SessionId::house()), limit: 1_000, ..RecordQuery::default() };
        let stored = self.engine.for_caller(owner).audit(query).await.unwrap();
        let mut parts = Vec::new();
        for stored in stored {
            let record: Record = serde_json::from_str(&stored.text).unwrap();
            if let Event::BreakerMoved { agent, breaker, why } = record.event {
                let to = if breaker.open_until.is_some() { "opened" } else { "closed" };
                parts.push(format!("{} of {agent} {to}: {why}", record.event_type));
            }
        }
        parts.join("; ")
    }
}

fn detail(event: &Event) -> String {
    match event {
        Event::Rerouted { to, why, .. } => format!(" to {to} ({why:?})"),
        Event::Closed { result, .. } => format!(": {}", result.notes),
        Event::Initiated { handoff, .. } => format!(" to {}", handoff.to_agent),
        _ => String::new(),
    }
}

fn line(handoff: &Handoff) -> String {
    let kind = format!("{:?}", handoff.request.kind).to_lowercase();
    let mut line = format!("{kind} {} {}", handoff.status().word(), handoff.to_agent);
    if let Phase::Running { deadline, .. } = &handoff.phase {
        line += &format!(" until {deadline}");
    }
    if let Some(held) = &handoff.reservation {
        line += &format!(", may use {}", held.share.amount().words());
        line += if held.within.is_some() { " of its parent's" } else { "" };
    }
    if let Some(result) = &handoff.result {
        line += &format!(", {:?}", result.status).to_lowercase();
        line += &format!(", {} tokens for {}", result.metrics.tokens, result.metrics.cost);
    }
    line + &handoff.warnings.iter().map(|warning| format!(", warned: {warning}")).collect::<String>()
}

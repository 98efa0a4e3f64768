//! Ids as people give them: whole, or the beginning where no other has the same.

use super::{Job, door::unknown, exit::Stop};
use crate::yaml::did_you_mean;
use handover_core::{
    handoff::Handoff,
    ids::{AgentId, HandoffId, SessionId},
    limits::{PAGE_MAX, PREFIX_CHARS_MIN, PREFIX_HANDOFFS_SHOWN},
    refusal::{Code, Refusal},
};
use handover_engine::Engine;
use handover_store::{HandoffQuery, RecordQuery};

/// The characters of a handoff's id that are shown in a list.
pub(crate) const SHOWN: usize = 8;

/// The beginning of an id, as lists show it.
pub(crate) fn short(id: HandoffId) -> String {
    id.to_string().chars().take(SHOWN).collect()
}

/// The handoff that is meant.
pub(crate) async fn handoff(job: &Job<'_>, text: &str) -> Result<HandoffId, Stop> {
    let text = text.trim().to_lowercase();
    if let Ok(id) = text.parse() {
        return Ok(id);
    }
    let Some((first, last)) = HandoffId::between(&text) else {
        let message = format!("`{text}` is no id of a handoff");
        let hint = format!("give at least its first {PREFIX_CHARS_MIN} characters (PREFIX_CHARS_MIN)");
        return Err(Refusal::new(Code::UnknownHandoff, message).hint(hint).into());
    };
    let mut found = job.engine.handoffs_between(first, last, PREFIX_HANDOFFS_SHOWN + 1).await?;
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let message = format!("no handoff begins with {text}");
            Err(unknown(Code::UnknownHandoff, message, Some("`handover handoffs` lists them".to_owned())))
        }
        several => {
            let more = several.len() > PREFIX_HANDOFFS_SHOWN;
            let number = if more { format!("more than {PREFIX_HANDOFFS_SHOWN}") } else { several.len().to_string() };
            let message = format!("{number} handoffs begin with {text}");
            found.truncate(PREFIX_HANDOFFS_SHOWN);
            let names: Vec<String> = found.iter().map(ToString::to_string).collect();
            let dots = if more { ", …" } else { "" };
            Err(unknown(Code::UnknownHandoff, message, Some(format!("give more of it: {}{dots}", names.join(", ")))))
        }
    }
}

/// Handoffs page by page, the latest first.
pub(crate) struct Pages {
    query: HandoffQuery,
    over: bool,
}

impl Pages {
    pub(crate) fn new(query: HandoffQuery) -> Self {
        Self { query: HandoffQuery { latest_first: true, limit: PAGE_MAX, ..query }, over: false }
    }

    /// The next page; empty when there are no more.
    pub(crate) async fn next(&mut self, engine: &Engine) -> Result<Vec<Handoff>, Stop> {
        if self.over {
            return Ok(Vec::new());
        }
        let page = engine.handoffs(self.query.clone()).await?;
        self.over = page.len() < PAGE_MAX;
        if let Some(last) = page.last() {
            self.query.after = match &self.query.session {
                Some(_) => last.n,
                None => position(engine, last.id).await?,
            };
        }
        Ok(page)
    }
}

/// The number of a handoff in the house: the position of the record that initiated it.
async fn position(engine: &Engine, id: HandoffId) -> Result<u64, Stop> {
    let query = RecordQuery { handoff: Some(id), limit: 1, ..RecordQuery::default() };
    Ok(engine.audit(query).await?.first().map_or(1, |record| record.position))
}

/// The session that is meant: by its id, or its beginning where no other has the same.
pub(crate) async fn session(job: &Job<'_>, text: &str) -> Result<SessionId, Stop> {
    let id = SessionId::new(text)?;
    if job.engine.session(&id).await.is_ok() {
        return Ok(id);
    }
    let known = job.engine.sessions(0, PAGE_MAX).await?;
    let mut longer = known.iter().filter(|known| known.as_str().starts_with(text));
    match (longer.next(), longer.next()) {
        (Some(one), None) => Ok(one.clone()),
        (Some(one), Some(two)) => {
            let hint = format!("several sessions begin so: {one}, {two}");
            Err(unknown(Code::UnknownSession, format!("there is no session {text}"), Some(hint)))
        }
        (None, _) => {
            let near = did_you_mean(text, known.iter().map(SessionId::as_str));
            let hint = near.unwrap_or_else(|| "`handover sessions` lists them".to_owned());
            Err(unknown(Code::UnknownSession, format!("there is no session {text}"), Some(hint)))
        }
    }
}

/// An agent that is registered; the nearest name is suggested where there is none.
pub(crate) fn agent(job: &Job<'_>, text: &str) -> Result<AgentId, Stop> {
    let id = AgentId::new(text)?;
    job.engine.agent(&id)?;
    Ok(id)
}

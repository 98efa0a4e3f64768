//! Agents that work by their profiles, put to work by whoever holds the database: models, programs and services.

use super::{args::Cli, door, exit::Stop, out::Out};
use crate::settings::Settings;
use handover_agents::staff::{Staff, StaffSettings};
use handover_core::{agent::Profile, command::Caller, event::Event, ids::AgentId};
use handover_engine::{Engine, Filter, Notice, Subscription};
use std::{collections::BTreeMap, path::Path, sync::Arc};

/// Whose the book of the house is.
const HOUSE: &str = "handover:house";

/// What the settings say of providers, tools and callbacks, ready for work.
pub(crate) async fn of(engine: &Engine, settings: Option<&Settings>) -> Result<Staff, Stop> {
    let none = StaffSettings::default();
    let (said, folder, file) = settings
        .map_or((&none, Path::new(""), ""), |settings| (&settings.staff, settings.folder(), settings.file.as_str()));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let staff = Staff::new(said, &folder, engine).await.map_err(|faults| {
        let told: Vec<String> = faults.iter().map(|fault| format!("{}: {}", fault.at, fault.message)).collect();
        Stop::refused(format!("{file}: {}", told.join("; ")), "mend it and start again")
    })?;
    staff.lend_models(engine)?;
    Ok(staff)
}

/// Puts to work everybody who is registered. Whoever lacks something is told of, and keeps no other from its work.
pub(crate) async fn employed(cli: &Cli, engine: &Engine, out: &mut Out) -> Result<(Staff, usize), Stop> {
    let settings = door::config(cli, None)?;
    let staff = of(engine, settings.as_ref()).await?;
    // Whoever asks for an approval is told why; it keeps nobody else from working.
    if let Err(error) = handover_mcp::attend_again(engine).await {
        out.note(format!("nobody passes approvals on: {error}")).await?;
    }
    let employed = staff.employ_registered(engine).await;
    for (id, error) in &employed.lacking {
        out.note(format!("{id} cannot work here: {error}")).await?;
    }
    Ok((staff, employed.at_work.len()))
}

/// Whoever is registered or changed from now on, by a command from elsewhere.
pub(crate) struct Arrivals {
    /// Agents come and go in the book of the house.
    house: Engine,
    feed: Subscription,
    known: BTreeMap<AgentId, Arc<Profile>>,
}

impl Arrivals {
    /// Listens from now on. Whoever is there already is not among them.
    pub(crate) fn of(engine: &Engine) -> Self {
        let house = Caller::new("keep", HOUSE).of_house();
        let house = engine.for_caller(house);
        let feed = house.subscribe(Filter::default(), None);
        let known = engine.agents().into_iter().map(|agent| (agent.profile.id.clone(), agent.profile)).collect();
        Self { house, feed, known }
    }

    async fn next(&mut self) -> Result<Arc<Profile>, Stop> {
        loop {
            match self.feed.next().await? {
                Some(Notice::Event(message)) => {
                    if let Event::AgentRegistered { profile } = &message.payload {
                        let before = self.known.insert(profile.id.clone(), profile.clone());
                        if before.is_none_or(|before| is_news(&before, profile)) {
                            return Ok(profile.clone());
                        }
                    }
                }
                Some(Notice::Dropped { resume_after }) => {
                    self.feed = self.house.subscribe(Filter::default(), Some(resume_after));
                }
                None => return Err(Stop::Gone),
            }
        }
    }
}

/// Whether somebody said something new of an agent. What its card says is none of it: to be employed is to have the card
/// fetched, and one that is another each time would employ without end. Without the words of the card it was registered by
/// somebody, and must have them again.
fn is_news(before: &Profile, now: &Profile) -> bool {
    let lost = now.from_card.is_empty() && !before.from_card.is_empty();
    lost || before.bare() != now.bare()
}

/// Puts to work whoever arrives. It comes to an end only when nothing more can be heard or told.
pub(crate) async fn follow(mut arrivals: Arrivals, staff: &Staff, engine: &Engine, out: &mut Out) -> Result<(), Stop> {
    loop {
        let profile = arrivals.next().await?;
        if !Staff::runs(&profile) {
            continue;
        }
        let id = profile.id.clone();
        match staff.employ(engine, Profile::clone(&profile), serde_json::Value::Null).await {
            Ok(()) => match staff.lacks(&id) {
                Some(error) => out.note(format!("{id} cannot work yet: {error}")).await?,
                None => out.note(format!("{id} works now")).await?,
            },
            Err(error) => out.note(format!("{id} cannot work here: {error}")).await?,
        }
    }
}

/// Puts to work everybody of a file.
pub(crate) async fn employ(staff: &Staff, engine: &Engine, settings: &Settings) -> Result<(), Stop> {
    for profile in settings.agents.iter().filter(|profile| Staff::runs(profile)) {
        staff.employ(engine, profile.clone(), serde_json::Value::Null).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use handover_core::agent::AgentKind;
    use handover_engine::Options;
    use serde_json::json;
    use std::time::Duration;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    /// Nothing here takes so long unless it hangs.
    const HANGS: Duration = Duration::from_secs(60);

    /// A remote agent whose card says another thing each time. Gives its address.
    async fn restless() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let place = format!("{url}/rpc");
        tokio::spawn(async move {
            for count in 1.. {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut asked = Vec::new();
                while !asked.ends_with(b"\r\n\r\n") {
                    asked.push(stream.read_u8().await.unwrap());
                }
                let card = json!({"name": "Restless", "description": format!("Card {count}"), "version": "1",
                    "supportedInterfaces": [{"url": place, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
                    "skills": [{"id": format!("skill-{count}"), "tags": []}]});
                let (card, kind) = (card.to_string(), "content-type: application/json\r\nconnection: close");
                let told = format!("HTTP/1.1 200 OK\r\n{kind}\r\ncontent-length: {}\r\n\r\n{card}", card.len());
                stream.write_all(told.as_bytes()).await.unwrap();
            }
        });
        url
    }

    async fn arrived(arrivals: &mut Arrivals) -> String {
        let next = tokio::time::timeout(HANGS, arrivals.next()).await.expect("it hangs");
        next.unwrap_or_else(|_| panic!("nothing can be heard")).id.to_string()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_only_a_card_says_employs_nobody_again() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open_with(folder.path().join("h.db"), Options::default()).await.unwrap();
        let staff = Staff::new(&StaffSettings::default(), folder.path(), &engine).await.unwrap();
        let mut arrivals = Arrivals::of(&engine);
        let mut remote = Profile::named("remote").unwrap().kind(AgentKind::A2a);
        remote.url = Some(restless().await);
        let said =
            |engine: &Engine| engine.agent(&AgentId::new("remote").unwrap()).unwrap().profile.description.clone();
        engine.register_profile(remote.clone()).await.unwrap();
        assert_eq!(arrived(&mut arrivals).await, "remote");
        // Each employment registers what another card says.
        for count in 1..4 {
            staff.employ(&engine, remote.clone(), serde_json::Value::Null).await.unwrap();
            assert_eq!(said(&engine), format!("Card {count}"));
        }
        engine.register_profile(Profile::named("other").unwrap()).await.unwrap();
        assert_eq!(arrived(&mut arrivals).await, "other");
        // Whoever registers it anew, without the words of the card or with others of its own, is heard.
        engine.register_profile(remote.clone()).await.unwrap();
        assert_eq!(arrived(&mut arrivals).await, "remote");
        remote.description = "Ours".to_owned();
        engine.register_profile(remote).await.unwrap();
        assert_eq!(arrived(&mut arrivals).await, "remote");
        engine.close().await.unwrap();
    }
}

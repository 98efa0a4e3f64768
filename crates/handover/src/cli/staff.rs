//! Agents that work by their profiles, put to work by whoever holds the database: models, programs and services.

use super::{args::Cli, door, exit::Stop, out::Out};
use crate::settings::Settings;
use handover_agents::staff::{Staff, StaffSettings};
use handover_core::{agent::Profile, command::Caller, ids::AgentId};
use handover_engine::{Engine, Filter, Notice};
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
    let employed = staff.employ_registered(engine).await;
    for (id, error) in &employed.lacking {
        out.note(format!("{id} cannot work here: {error}")).await?;
    }
    Ok((staff, employed.at_work.len()))
}

/// Puts to work whoever is registered from now on, or changed, by a command from elsewhere. It never comes to an end.
pub(crate) async fn follow(staff: &Staff, engine: &Engine, out: &mut Out) -> Result<(), Stop> {
    // Agents come and go in the book of the house.
    let house = Caller { name: "keep".to_owned(), tenant: HOUSE.to_owned(), acts_as: None };
    let house = engine.for_caller(house);
    let mut feed = house.subscribe(Filter::default(), None);
    let agents = || engine.agents().into_iter().filter(|agent| Staff::runs(&agent.profile));
    let mut known: BTreeMap<AgentId, Arc<Profile>> =
        agents().map(|agent| (agent.profile.id.clone(), agent.profile)).collect();
    loop {
        match feed.next().await? {
            Some(Notice::Event(_)) => {}
            Some(Notice::Dropped { resume_after }) => feed = house.subscribe(Filter::default(), Some(resume_after)),
            None => return std::future::pending().await,
        }
        for profile in agents().map(|agent| agent.profile) {
            if known.get(&profile.id).is_some_and(|known| *known == profile) {
                continue;
            }
            let (id, new) = (profile.id.clone(), Profile::clone(&profile));
            known.insert(id.clone(), profile);
            match staff.employ(engine, new, serde_json::Value::Null).await {
                Ok(()) => out.note(format!("{id} works now")).await?,
                Err(error) => out.note(format!("{id} cannot work here: {error}")).await?,
            }
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

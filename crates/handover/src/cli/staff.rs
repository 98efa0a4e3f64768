//! Agents that work by their profiles, put to work by whoever holds the database: models, programs and services.

use super::{args::Cli, door, exit::Stop, out::Out};
use crate::settings::Settings;
use handover_agents::staff::{Staff, StaffSettings};
use handover_engine::Engine;
use std::path::Path;

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

/// Puts to work everybody of a file.
pub(crate) async fn employ(staff: &Staff, engine: &Engine, settings: &Settings) -> Result<(), Stop> {
    for profile in settings.agents.iter().filter(|profile| Staff::runs(profile)) {
        staff.employ(engine, profile.clone(), serde_json::Value::Null).await?;
    }
    Ok(())
}

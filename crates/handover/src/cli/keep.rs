//! `handover keep`: holds the database open, so that timers run and people in other terminals can take part.

use super::{args::Cli, desk, door, exit::Stop, node, out::Out, staff};
use serde_json::json;

/// Keeps the database open until it is interrupted.
pub(crate) async fn run(cli: &Cli, out: &mut Out) -> Result<(), Stop> {
    let engine = match door::open_in_turn(cli, true).await {
        Err(stop) if stop.is_in_use() && desk::answers(&cli.database()) => {
            return Err(door::in_use(stop, "it answers commands already; there is nothing more to do"));
        }
        opened => opened?,
    };
    let settings = door::config(cli, None)?;
    let bus = node::bus(cli, settings.as_ref(), &engine).await?;
    let desk = node::desk(cli, settings.as_ref(), &engine);
    let arrivals = staff::Arrivals::of(&engine);
    let staff = staff::employed(cli, &engine, out).await;
    let ready = match &staff {
        Ok((staff, _)) if staff.must_be_served() => Err(Stop::refused(
            "`callbacks` has no `listen`, and nobody serves its `url` here",
            "use `handover serve`, or set `callbacks.listen`",
        )),
        Ok((_, at_work)) => ready(cli, &desk, *at_work, out).await,
        Err(_) => Ok(()),
    };
    if let (Ok(()), Ok((staff, _))) = (&ready, &staff) {
        tokio::select! {
            () = interrupted() => {}
            // Whoever cannot be told of those who come goes on all the same.
            Err(_) = staff::follow(arrivals, staff, &engine, out) => interrupted().await,
        }
    }
    desk.close().await;
    node::leave(bus).await;
    engine.close().await?;
    staff?.0.close().await;
    ready
}

async fn ready(cli: &Cli, desk: &desk::Desk, at_work: usize, out: &mut Out) -> Result<(), Stop> {
    let place = cli.place_by_itself();
    if let Some(trouble) = desk.trouble() {
        out.note(format!("other terminals cannot be answered: {trouble}")).await?;
    }
    if out.look.json {
        return out
            .json_line(&json!({ "db": place.to_string(), "socket": desk.path(), "agents_at_work": at_work }))
            .await;
    }
    let agents = match at_work {
        0 => String::new(),
        1 => "1 agent works, ".to_owned(),
        many => format!("{many} agents work, "),
    };
    let text = format!("{place} is open: {agents}timers run, and other terminals can take part.");
    out.line(format!("{text} End with Ctrl-C.")).await
}

/// Runs one command that waits for others: the database is kept open meanwhile, and they are answered.
pub(crate) async fn run_once(cli: &Cli, out: &mut Out) -> Result<(), Stop> {
    let engine = match door::open_in_turn(cli, true).await {
        Ok(engine) => engine,
        Err(stop) if stop.is_in_use() => return door::ask(cli, out, stop).await,
        Err(stop) => return Err(stop),
    };
    let desk = node::desk(cli, door::config(cli, None)?.as_ref(), &engine);
    let staff = staff::employed(cli, &engine, out).await;
    let done = match &staff {
        Ok(_) => tokio::select! {
            done = door::here(cli, &engine, out, true) => done,
            () = interrupted() => {
                Err(Stop::refused("interrupted; the handoff goes on", "see it with `handover handoffs`"))
            }
        },
        Err(_) => Ok(()),
    };
    desk.close().await;
    let closed = engine.close().await;
    staff?.0.close().await;
    done?;
    Ok(closed?)
}

/// Until Ctrl-C, or whoever ends processes ends this one.
#[cfg(unix)]
pub(crate) async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut ended) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = ended.recv() => {}
            }
        }
        // Without signals the process ends as any other.
        Err(_) => std::future::pending().await,
    }
}

/// Until Ctrl-C.
#[cfg(not(unix))]
pub(crate) async fn interrupted() {
    let _ = tokio::signal::ctrl_c().await;
}

//! `handover serve`: the engine as a service, for every language.

use super::{args::Cli, away, door, exit::Stop, keep, log, node, out::Out, staff};
use crate::{
    place::Place,
    settings::{ServerSettings, Settings},
};
use clap::Args;
use handover_a2a::Rim;
use handover_core::refusal::HandoffError;
use handover_dashboard::Dashboard;
use handover_engine::Engine;
use handover_server::{Mount, Options, Server, StartError, TlsFiles};
use handover_telemetry::{Telemetry, TelemetrySettings};
use serde_json::json;
use std::{net::SocketAddr, path::PathBuf, sync::Arc};

/// Where it listens when nothing is said.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 7800);

/// Arguments of `handover serve`. What is not given comes from the environment, then from `server` of the settings.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  handover serve
  handover keys make ops --role admin --house && handover serve --listen 0.0.0.0:7800 --tls-cert cert.pem --tls-key key.pem
  curl http://127.0.0.1:7800/health/ready")]
pub struct Serve {
    /// Where to listen, 127.0.0.1:7800 when nothing is said; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS", env = "HANDOVER_LISTEN", hide_env_values = true)]
    listen: Option<SocketAddr>,
    /// The certificates of the server, as PEM
    #[arg(long, value_name = "FILE", env = "HANDOVER_TLS_CERT", hide_env_values = true, requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The key of the certificate, as PEM
    #[arg(long, value_name = "FILE", env = "HANDOVER_TLS_KEY", hide_env_values = true, requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Something in front of it speaks TLS: it may listen beyond this machine without
    #[arg(
        long,
        env = "HANDOVER_BEHIND_PROXY",
        hide_env_values = true,
        value_name = "YES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        value_parser = clap::builder::BoolishValueParser::new()
    )]
    behind_proxy: Option<bool>,
    /// Requests per second of a key that has no rate of its own
    #[arg(long, value_name = "N", env = "HANDOVER_PER_SECOND", hide_env_values = true, value_parser = clap::value_parser!(u32).range(1..))]
    per_second: Option<u32>,
    /// How the log is written: text or json
    #[arg(long, value_name = "FORM", env = "HANDOVER_LOG_FORM", hide_env_values = true, value_parser = ["text", "json"])]
    log_form: Option<String>,
    /// What is written to the log: error, warn, info, debug or off
    #[arg(long, value_name = "LEVEL", env = "HANDOVER_LOG", hide_env_values = true)]
    log: Option<String>,
}

impl Serve {
    /// What counts: what was given, else what the environment says, else the file, else what is usual.
    fn options(&self, settings: &ServerSettings) -> Options {
        let mut options = Options::at(self.listen.or(settings.listen).unwrap_or(LISTEN));
        let given = self.tls_cert.clone().zip(self.tls_key.clone());
        let tls = given.or_else(|| settings.tls.as_ref().map(|tls| (tls.cert.clone(), tls.key.clone())));
        options.tls = tls.map(|(cert, key)| TlsFiles { cert, key });
        options.behind_proxy = self.behind_proxy.or(settings.behind_proxy).unwrap_or(false);
        if let Some(per_second) = self.per_second.or(settings.per_second.map(std::num::NonZeroU32::get)) {
            options.per_second = per_second;
        }
        options
    }
}

/// Serves until it is interrupted.
pub(crate) async fn run(cli: &Cli, args: &Serve, out: &mut Out) -> Result<(), Stop> {
    let settings = door::config(cli, None)?;
    let said = settings.as_ref().map(|settings| settings.server.clone()).unwrap_or_default();
    let level = args.log.clone().or(said.log.clone());
    let form = args.log_form.clone().or(said.log_form.clone());
    log::begin(level.as_deref(), form.as_deref())?;
    let engine = match door::open_in_turn(cli, true).await {
        Err(stop) if stop.is_in_use() => {
            return Err(door::in_use(stop, "end that process first: one process serves a database"));
        }
        opened => opened?,
    };
    let telemetry = match telemetry(&engine, settings.as_ref()) {
        Ok(telemetry) => telemetry,
        Err(stop) => {
            engine.close().await?;
            return Err(stop);
        }
    };
    let bus = node::bus(cli, settings.as_ref(), &engine).await?.map(Arc::new);
    let desk = node::desk(cli, settings.as_ref(), &engine);
    let arrivals = staff::Arrivals::of(&engine);
    let staff = staff::employed(cli, &engine, out).await;
    let served = match &staff {
        Ok((staff, at_work)) => {
            let mut options = args.options(&said);
            options.beside = staff.callbacks();
            options.metrics = telemetry.metrics().clone();
            options.commands = Some(Arc::new(away::Desk));
            options.bus = bus.clone().map(node::asked);
            let public = settings.as_ref().and_then(|settings| settings.a2a.url.as_deref());
            let names = handover_mcp::http::Options { hosts: hosts(&options, public), ..Default::default() };
            let mcp = handover_mcp::http::router(&names);
            options.mounts.push(Mount::keyed("/mcp", mcp));
            let a2a = a2a(&engine, settings.as_ref(), &options).await;
            if let Ok(rim) = &a2a {
                options.mounts.push(Mount::keyed("/a2a", rim.keyed()));
                options.mounts.push(Mount::public("/.well-known", rim.public()));
            }
            let secure = options.tls.is_some() || options.behind_proxy;
            let dashboard = Dashboard::open(engine.clone(), handover_dashboard::Options { secure }).await;
            if let Ok(dashboard) = &dashboard {
                options.mounts.push(Mount::public("/", dashboard.router()));
            }
            let started = match a2a.as_ref().map(drop).and(dashboard.as_ref().map(drop)) {
                Ok(()) => Server::start(engine.clone(), options).await.map_err(|error| refused(&error)),
                Err(error) => Err(error.clone().into()),
            };
            match started {
                Ok(server) => {
                    let ready = ready(&cli.place(settings.as_ref()), &server, *at_work, out).await;
                    if ready.is_ok() {
                        tokio::select! {
                            () = keep::interrupted() => {}
                            // Whoever cannot be told of those who come goes on all the same.
                            Err(_) = staff::follow(arrivals, staff, &engine, out) => keep::interrupted().await,
                        }
                        tracing::info!(target: "handover", "ending: what is in flight is finished");
                    }
                    server.close().await;
                    if let Ok(rim) = &a2a {
                        rim.close();
                    }
                    ready
                }
                Err(stop) => Err(stop),
            }
        }
        Err(_) => Ok(()),
    };
    desk.close().await;
    if let Some(bus) = bus {
        bus.finish().await;
    }
    telemetry.close().await;
    engine.close().await?;
    staff?.0.close().await;
    served
}

/// The names by which the address for hosts of agents may be called, so that no page makes a browser call it by another one.
/// Any, where something stands in front of it, or where it listens on all addresses of the machine: its names are not known.
fn hosts(options: &Options, public: Option<&str>) -> Vec<String> {
    let ip = options.listen.ip();
    if options.behind_proxy || ip.is_unspecified() {
        return Vec::new();
    }
    let mut hosts = vec![ip.to_string()];
    if ip.is_loopback() {
        hosts.extend(["localhost", "127.0.0.1", "::1"].map(str::to_owned));
    }
    hosts.extend(public.and_then(host_of));
    hosts
}

/// The host of an address, with its port where it has one.
fn host_of(url: &str) -> Option<String> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    Some(host.to_owned()).filter(|host| !host.is_empty())
}

/// The rim for agents of other houses, as the file says.
async fn a2a(engine: &Engine, settings: Option<&Settings>, options: &Options) -> Result<Rim, HandoffError> {
    let said = settings.map(|settings| settings.a2a.clone()).unwrap_or_default();
    let usual = handover_a2a::Options::default();
    let options = handover_a2a::Options {
        name: said.name.unwrap_or(usual.name),
        description: said.description.unwrap_or(usual.description),
        url: said.url,
        secure: options.tls.is_some() || options.behind_proxy,
        allow_private: said.allow_private,
        push_wait: usual.push_wait,
    };
    Rim::open(engine.clone(), options).await
}

/// Traces and metrics, as the environment says, then the file.
fn telemetry(engine: &Engine, settings: Option<&Settings>) -> Result<Telemetry, Stop> {
    let wrong = |why: String| Stop::refused(why, "see docs/guides/telemetry.md");
    let said = TelemetrySettings::from_environment(&|name| std::env::var(name).ok());
    let said = said.map_err(|fault| wrong(fault.to_string()))?;
    let said = said.or(settings.map(|settings| settings.telemetry.clone()).unwrap_or_default());
    Telemetry::start(engine, &said).map_err(|error| wrong(error.to_string()))
}

fn refused(error: &StartError) -> Stop {
    Stop::refused(error.to_string(), error.hint())
}

async fn ready(place: &Place, server: &Server, at_work: usize, out: &mut Out) -> Result<(), Stop> {
    let (url, open) = (server.url(), server.is_open());
    if out.look.json {
        let value = json!({ "url": url, "db": place.to_string(), "keys": !open, "agents_at_work": at_work });
        return out.json_line(&value).await;
    }
    out.line(format!(
        "{place} is served at {url}; open it in a browser for the dashboard, {url}/docs for the interface. End with Ctrl-C."
    ))
    .await?;
    if open {
        let note = "there are no keys: every program of this machine may do everything. \
                    Make the first with `handover keys make ops --role admin --house`.";
        out.note(note).await?;
    }
    Ok(())
}

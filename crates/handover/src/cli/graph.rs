//! `handover graph`: who hands over to whom, in a session, a workflow or the whole team.

use super::{
    Job,
    exit::Stop,
    ids,
    input::Files,
    out::{Frame, Out},
    run::file_of,
};
use crate::workflow;
use clap::{Args, ValueEnum};
use handover_core::{
    agent::AgentKind,
    graph::{self, Graph, Load, NodeKind, Terminal},
    limits::{GRAPH_EDGES_MAX, PAGE_MAX},
    refusal::Code,
};
use handover_store::HandoffQuery;
use serde_json::json;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Columns of a drawing where nobody says how wide a line may be.
const WIDTH: usize = 120;

/// Arguments of `handover graph`.
#[derive(Debug, Clone, Args)]
pub struct Draw {
    /// A session, or the folder or file of a workflow; the whole team when left out
    #[arg(value_name = "WHAT")]
    what: Option<String>,
    /// How it is drawn
    #[arg(long, value_name = "FORM", value_enum, default_value = "text")]
    form: Form,
    /// Writes into a file instead
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// How a drawing is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For a terminal
    Text,
    /// For Markdown
    Mermaid,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
}

impl Draw {
    /// The file of a workflow, where one is meant.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        let path = Path::new(self.what.as_deref()?);
        let file = file_of(path);
        (path.is_dir() || file.extension().is_some_and(|end| end == "yaml" || end == "yml")).then_some(file)
    }
}

/// Writes a drawing into a file.
pub(crate) fn save(at: &Path, path: &Path, text: &str) -> Result<(), Stop> {
    std::fs::write(at, text).map_err(|error| {
        Stop::refused(format!("{} cannot be written: {error}", path.display()), "check the path and its permissions")
    })
}

/// A workflow needs no database.
pub(crate) async fn of_file(args: &Draw, file: &Path, out: &mut Out) -> Result<(), Stop> {
    let file = workflow::read(file)?;
    write(args, &graph::of_workflow(&file.workflow, None), Files::Here(Path::new("")), out).await
}

pub(crate) async fn run(args: &Draw, job: &mut Job<'_>) -> Result<(), Stop> {
    let mut graph = match &args.what {
        None => team(job).await?,
        Some(name) if job.engine.workflow(name).is_ok() => graph::of_workflow(&*job.engine.workflow(name)?, None),
        Some(text) => session(text, job).await.map_err(|stop| neither(text, stop))?,
    };
    let people = job.engine.agents().into_iter().filter(|agent| agent.profile.kind == AgentKind::Human);
    for person in people {
        let id = person.profile.id.as_str();
        if graph.nodes().iter().any(|node| node.id == id) {
            graph.change(id, |node| node.kind(NodeKind::Person));
        }
    }
    write(args, &graph, job.files, job.out).await
}

async fn session(text: &str, job: &Job<'_>) -> Result<Graph, Stop> {
    let id = ids::session(job, text).await?;
    let handoffs = job.engine.handoff_history(&id, 0, PAGE_MAX).await?;
    Ok(graph::of_session(id.as_str(), &handoffs))
}

/// What is no session might have been meant as a workflow.
fn neither(text: &str, stop: Stop) -> Stop {
    match stop {
        Stop::Refused(mut error) if error.code() == Code::UnknownSession => {
            for refusal in &mut error.refusals {
                refusal.message = format!("there is neither a session nor a workflow {text}");
            }
            Stop::Refused(error)
        }
        other => other,
    }
}

/// The whole team: how often each pair handed over, and how busy everybody is.
async fn team(job: &Job<'_>) -> Result<Graph, Stop> {
    let mut pairs: BTreeMap<(String, String), u64> = BTreeMap::new();
    let mut pages = ids::Pages::new(HandoffQuery { limit: PAGE_MAX, ..HandoffQuery::default() });
    loop {
        let page = pages.next(job.engine).await?;
        if page.is_empty() || pairs.len() > GRAPH_EDGES_MAX {
            break;
        }
        for handoff in page {
            let pair = (handoff.request.from_agent.to_string(), handoff.to_agent.to_string());
            *pairs.entry(pair).or_default() += 1;
        }
    }
    let agents = job.engine.agents();
    let loads = agents.iter().map(|agent| Load {
        agent: agent.profile.id.as_str(),
        is_person: agent.profile.kind == AgentKind::Human,
        running: u64::from(agent.load),
        waiting: u64::from(agent.waiting),
        at_once: u64::from(agent.profile.max_concurrent_tasks),
    });
    Ok(graph::of_team("team", loads, pairs.iter().map(|((from, to), count)| (from.as_str(), to.as_str(), *count))))
}

async fn write(args: &Draw, drawn: &Graph, files: Files<'_>, out: &mut Out) -> Result<(), Stop> {
    let text = match args.form {
        Form::Text => {
            let width = out.look.width.unwrap_or(WIDTH);
            graph::text(drawn, &Terminal { width, unicode: true, colour: out.look.colour && args.output.is_none() })
        }
        Form::Mermaid => graph::mermaid(drawn),
        Form::Dot => graph::dot(drawn),
        Form::Svg => graph::svg(drawn),
    };
    let form = args.form.to_possible_value().map(|form| form.get_name().to_owned());
    let Some(path) = &args.output else {
        return match out.look.json {
            true => out.json(&json!({ "form": form, "drawing": text })).await,
            false => out.line(text).await,
        };
    };
    match files {
        Files::Here(folder) => save(&folder.join(path), path, &text)?,
        // It is written where the command was typed.
        Files::Away(_) => out.send(Frame::Save(text)).await?,
    }
    match out.look.json {
        true => out.json(&json!({ "form": form, "file": path })).await,
        false => out.note(format!("written to {}", path.display())).await,
    }
}

//! `handover completions`: a script that completes commands in a shell.

use super::{
    exit::Stop,
    out::{Frame, Out},
    usage,
};
use clap::Args;
use clap_complete::Shell;

/// Arguments of `handover completions`.
#[derive(Debug, Clone, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) async fn run(args: &Completions, out: &mut Out) -> Result<(), Stop> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut usage::command(), "handover", &mut script);
    out.send(Frame::Out(String::from_utf8_lossy(&script).into_owned())).await
}

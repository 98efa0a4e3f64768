//! The binary. Everything but the demo is in `handover::cli`.

mod demo;

use handover::cli::{self, Cli, Command, exit};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = Vec::new();
    for arg in std::env::args_os().skip(1) {
        let Ok(arg) = arg.into_string() else {
            eprintln!("handover: an argument is not UTF-8");
            return ExitCode::from(exit::USAGE);
        };
        args.push(arg);
    }
    let cli = match cli::parse(args) {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => {
            let code = runtime.block_on(run(cli));
            // What still runs in the background is of no use to anybody now.
            runtime.shutdown_background();
            code
        }
        Err(error) => {
            eprintln!("handover: no threads can be started: {error}");
            ExitCode::from(exit::TROUBLE)
        }
    }
}

/// Commands that need more than the library has are carried out here.
async fn run(cli: Cli) -> ExitCode {
    let done = match &cli.command {
        Command::Demo { file } => Box::pin(demo::run(file.as_deref())).await,
        _ => return cli::run(cli).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => cli::report(&cli, error).await,
    }
}

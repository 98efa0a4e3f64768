//! The binary. Everything is in `handover::cli`.

use handover::{
    cli::{self, exit},
    core::limits::RUN_CLOSE_MS,
};
use std::{process::ExitCode, time::Duration};

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
            let code = runtime.block_on(cli::run(cli));
            // What still runs is of no use to anybody now. It is dropped here, and programs at work end with it.
            runtime.shutdown_timeout(Duration::from_millis(RUN_CLOSE_MS));
            code
        }
        Err(error) => {
            eprintln!("handover: no threads can be started: {error}");
            ExitCode::from(exit::TROUBLE)
        }
    }
}

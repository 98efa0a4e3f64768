//! The binary. Everything is in `handover::cli`.

use handover::cli::{self, exit};
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
            let code = runtime.block_on(cli::run(cli));
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

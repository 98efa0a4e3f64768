//! What people run on this project: `cargo xtask test`, `tidy`, `docs`, `bench`. One file per command.

mod bench;
mod browser;
mod contract;
mod docs;
mod foreign;
mod node;
mod run;
mod sdk;
mod servers;
mod source;
mod test;
mod tidy;
mod tree;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask <command>

  test [--rounds N] [--fast]   build, run all tests, the examples and `packages`, then tidy: what CI runs
  with-servers CMD…            run a command with a PostgreSQL and a nats-server for tests, which end with it
  packages                     let the official packages of model providers talk to the scripted model, and a
                               property-based tester to the server
  tidy                         formatting, lints and the rules of this house
  pictures                     take the pictures of the dashboard anew, with real data, into docs/pictures
  docs [--check]               write the generated pages under docs/, or report which are out of date
  bench NAME [--json] [--quick]   measure, with a limit of the same run; NAME is dashboard, engine, guards, scale,
                               server, tokens or workflow
  help                         this list";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[&str]) -> Result<(), String> {
    match args {
        ["test", rest @ ..] => test::main(rest),
        ["with-servers", rest @ ..] => servers::main(rest),
        ["packages"] => sdk::main(),
        ["pictures"] => browser::pictures(),
        ["tidy"] => tidy::main(),
        ["docs", rest @ ..] => docs::main(rest),
        ["bench", rest @ ..] => bench::main(rest),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        [first, ..] => Err(format!("`{first}` is not a command, or not with these arguments\n\n{HELP}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_command_is_refused_with_the_list() {
        let message = dispatch(&["tset"]).unwrap_err();
        assert!(message.starts_with("`tset` is not a command") && message.contains("tidy"), "{message}");
        assert!(dispatch(&["tidy", "--fix"]).is_err());
        assert!(dispatch(&["docs", "--chek"]).is_err());
        assert!(dispatch(&["help"]).is_ok());
    }
}

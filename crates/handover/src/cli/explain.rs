//! `handover explain`: what a code means, and how to mend it.

use super::{
    exit::Stop,
    out::Out,
    paint::Style,
    table::{Table, column},
    words::cell,
};
use clap::Args;
use handover_core::refusal::Code;
use serde_json::{Value, json};

/// Arguments of `handover explain`.
#[derive(Debug, Clone, Args)]
pub struct Explain {
    /// The code, such as HO0504 or 504; all of them when left out
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

pub(crate) async fn run(args: &Explain, out: &mut Out) -> Result<(), Stop> {
    let Some(text) = &args.code else { return list(out).await };
    let code = find(text)?;
    if out.look.json {
        return out.json(&as_json(code)).await;
    }
    let head = out.paint(Style::Bold, code.text());
    out.line(format!("{head}: {}\n\n{}\n\n{}", code.title(), code.meaning(), code.mend())).await
}

async fn list(out: &mut Out) -> Result<(), Stop> {
    if out.look.json {
        let all: Vec<Value> = Code::ALL.iter().map(|code| as_json(*code)).collect();
        return out.json(&all).await;
    }
    let mut table = Table::new(&[column("CODE"), column("MEANS").text()]);
    for code in Code::ALL {
        table.row([(code.to_string(), Style::Bold), cell(code.title())]);
    }
    table.write(out).await
}

fn as_json(code: Code) -> Value {
    json!({ "code": code, "title": code.title(), "meaning": code.meaning(), "mend": code.mend() })
}

/// A code by its text or its number alone.
fn find(text: &str) -> Result<Code, Stop> {
    let number = text.trim().parse::<u32>().map(|number| format!("HO{number:04}"));
    let text = number.unwrap_or_else(|_| text.trim().to_uppercase());
    text.parse::<Code>().map_err(|message| Stop::refused(message, "`handover explain` lists all of them"))
}

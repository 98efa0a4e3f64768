//! `handover explain`: what a code means, and how to mend it.

use super::{exit::Stop, out::Out, paint::Style};
use crate::yaml::did_you_mean;
use clap::Args;
use handover_core::refusal::Code;
use serde_json::json;

/// Arguments of `handover explain`.
#[derive(Debug, Clone, Args)]
pub struct Explain {
    /// The code, such as HO0504 or 504
    #[arg(value_name = "CODE")]
    code: String,
}

pub(crate) async fn run(args: &Explain, out: &mut Out) -> Result<(), Stop> {
    let code = find(&args.code)?;
    if out.look.json {
        let told = json!({ "code": code, "title": code.title(), "meaning": code.meaning(), "mend": code.mend() });
        return out.json(&told).await;
    }
    let head = out.paint(Style::Bold, code.text());
    out.line(format!("{head}: {}\n\n{}\n\n{}", code.title(), code.meaning(), code.mend())).await
}

/// A code by its text or its number alone.
fn find(text: &str) -> Result<Code, Stop> {
    let number = text.trim().parse::<u32>().map(|number| format!("HO{number:04}"));
    let text = number.unwrap_or_else(|_| text.trim().to_uppercase());
    text.parse::<Code>().map_err(|message| {
        let near = did_you_mean(&text, Code::ALL.iter().map(|code| code.text()));
        Stop::refused(message, near.unwrap_or_else(|| "a refusal names its code, such as HO0504".to_owned()))
    })
}

//! What crossed with a handoff, and what was withheld and why.

use crate::parts;
use handover_core::{
    context::{Manifest, TransferMode},
    handoff::Handoff,
};
use maud::{Markup, html};

pub(super) fn card(handoff: &Handoff) -> Markup {
    let context = &handoff.request.context;
    let variables: Vec<&String> = context.variables.keys().collect();
    html! {
        section.card data-part="crossing" {
            h2 { "What crossed" }
            div.talk {
                @match &handoff.manifest {
                    Some(manifest) => (manifest_facts(manifest)),
                    None => p.soft {
                        "Nobody has taken it yet. Of " (parts::number(handoff.mark.messages)) " messages, what suits a "
                        (parts::kind_words(handoff.request.kind)) " handoff will cross."
                    },
                }
                @if !variables.is_empty() { p { "Variables set with it: " @for name in variables.iter().take(50) { code { (name) } " " } } }
                @if !context.artifacts.is_empty() { p { "Artifacts: " @for path in context.artifacts.iter().take(50) { code { (path) } " " } } }
                @if !context.completed_work.is_null() { div { span.small.soft { "Done so far" } (parts::body(&context.completed_work)) } }
            }
        }
    }
}

fn manifest_facts(manifest: &Manifest) -> Markup {
    let mode = match manifest.mode {
        TransferMode::Full => "the whole conversation",
        TransferMode::Summary => "a summary and the latest messages",
        TransferMode::RelevantOnly => "what bears on the task",
    };
    let shown = (manifest.shown_tokens * 100).checked_div(manifest.total_tokens).unwrap_or(100);
    html! {
        p {
            strong { (parts::number(manifest.shown_messages)) } " of " (parts::number(manifest.total_messages)) " messages, "
            (parts::number(manifest.shown_tokens)) " of " (parts::number(manifest.total_tokens)) " tokens: " (mode) "."
        }
        div.bar role="img" aria-label=(format!("{shown} of 100 tokens crossed")) {
            (parts::bar(shown))
        }
        @if let Some(by) = &manifest.summarised_by {
            p.soft { "Summary of " (parts::number(manifest.summary_tokens)) " tokens by " (by) "." }
        }
        @if let Some(summary) = &manifest.summary { div.said { (parts::fold(summary)) } }
        @if !manifest.withheld.is_empty() {
            table {
                thead { tr { th { "Withheld because" } th.number { "Messages" } th.number { "Tokens" } } }
                tbody { @for withheld in &manifest.withheld {
                    tr { td.withheld { (parts::why_words(withheld.why)) } td.number { (parts::number(withheld.messages)) } td.number { (parts::number(withheld.tokens)) } }
                } }
            }
        }
        p.small.soft { "Digest " code { (manifest.digest.to_string().chars().take(24).collect::<String>()) "…" } }
    }
}

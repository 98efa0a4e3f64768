//! The interface and the codes as pages for people. No script, nothing from elsewhere.

use crate::{
    openapi,
    table::{Entry, routes},
};
use handover_core::refusal::Code;
use std::{fmt::Write as _, sync::OnceLock};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color:#1c1e21;background:#fff}h1{font-size:1.6rem}h2{margin-top:2.2rem;border-bottom:1px solid #ddd}\
code{font:13px/1.4 ui-monospace,monospace;background:#f3f4f6;padding:.1em .3em;border-radius:4px}\
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.35rem .5rem;\
border-bottom:1px solid #eee}.m{font-weight:600;white-space:nowrap}.r{color:#666;white-space:nowrap}\
@media(prefers-color-scheme:dark){body{color:#e4e6ea;background:#16181c}code{background:#24272d}\
h2{border-color:#333}td,th{border-color:#26292f}.r{color:#999}a{color:#8ab4f8}}";

/// A text within a page.
fn plain(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Text with words between backticks as code.
fn prose(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in plain(text).split('`').enumerate() {
        if at % 2 == 1 {
            let _ = write!(out, "<code>{part}</code>");
        } else {
            out.push_str(part);
        }
    }
    out
}

fn framed(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><style>{STYLE}</style></head>\
         <body>{body}</body></html>\n"
    )
}

/// All routes, by chapter.
pub(crate) fn page() -> &'static str {
    static PAGE: OnceLock<String> = OnceLock::new();
    PAGE.get_or_init(|| {
        let mut body = String::from(
            "<h1>Handover: the interface</h1><p>The same for programs: \
             <a href=\"/openapi.json\">openapi.json</a>. Send a key as \
             <code>authorization: Bearer ho_…</code>.</p>",
        );
        let mut chapter = "";
        for route in routes() {
            if route.tag != chapter {
                body.push_str(if chapter.is_empty() { "" } else { "</table>" });
                chapter = route.tag;
                let _ = write!(body, "<h2>{}</h2><table>", plain(chapter));
            }
            let right = match route.entry {
                Entry::Anybody => "anybody".to_owned(),
                Entry::With(right) => format!("{right:?}").to_ascii_lowercase(),
            };
            let good: Vec<String> = route.answers.iter().map(|answer| answer.status.to_string()).collect();
            let mut bad: Vec<u16> = openapi::refused(&route).into_iter().map(|(status, _)| status).collect();
            bad.sort_unstable();
            bad.dedup();
            let bad: Vec<String> = bad.iter().map(u16::to_string).collect();
            let _ = write!(
                body,
                "<tr id=\"{}\"><td class=\"m\">{}</td><td><code>{}</code><br>{}</td><td class=\"r\">{right}</td>\
                 <td class=\"r\">{}<br>{}</td></tr>",
                route.id,
                route.method,
                plain(route.path),
                prose(route.says),
                good.join(" "),
                bad.join(" "),
            );
        }
        body.push_str("</table>");
        framed("Handover: the interface", &body)
    })
}

/// What a code means.
pub(crate) fn explained(code: Code) -> String {
    let title = format!("{}: {}", code.text(), plain(code.title()));
    let body =
        format!("<h1>{title}</h1><p>{}</p><h2>How to mend it</h2><p>{}</p>", prose(code.meaning()), prose(code.mend()));
    framed(&title, &body)
}

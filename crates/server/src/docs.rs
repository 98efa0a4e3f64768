//! The interface and the codes as pages for people. No script, nothing from elsewhere.

mod examples;
mod shapes;

use crate::{
    openapi,
    table::{Entry, Route, routes},
};
use handover_core::refusal::Code;
use serde_json::Value;
use std::{fmt::Write as _, sync::OnceLock};

const STYLE: &str = include_str!("docs/style.css");

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
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\"><style>{STYLE}</style></head>\
         <body>{body}</body></html>\n"
    )
}

/// What somebody with a browser is told where there is nothing.
pub(crate) fn nowhere(path: &str) -> String {
    let body = format!(
        "<main><h1>There is nothing here</h1><p>No page is at <code>{}</code>. Go to the <a href=\"/\">overview</a>, or \
         read <a href=\"/docs\">the interface</a>.</p></main>",
        plain(path)
    );
    framed("Nothing here", &body)
}

/// All routes, by chapter, and the shapes of what they take and give.
pub(crate) fn page() -> &'static str {
    static PAGE: OnceLock<String> = OnceLock::new();
    PAGE.get_or_init(|| {
        let (document, routes) = (openapi::document(), routes());
        let about = document["info"]["description"].as_str().unwrap_or_default();
        let mut body = format!(
            "<nav>{}</nav><main><h1>Handover: the interface</h1><p>{}</p><p>The same for programs: \
             <a href=\"/openapi.json\">openapi.json</a>. Send a key as <code>authorization: Bearer ho_…</code>.</p>",
            contents(&routes),
            prose(about),
        );
        let mut chapter = "";
        for route in &routes {
            if route.tag != chapter {
                chapter = route.tag;
                let _ = write!(body, "<h2 id=\"{}\">{}</h2>", anchor(chapter), plain(chapter));
            }
            body.push_str(&told(route, &document));
        }
        body.push_str(&shapes::chapter(&document));
        body.push_str("</main>");
        framed("Handover: the interface", &body)
    })
}

fn anchor(chapter: &str) -> String {
    chapter.to_lowercase().replace(' ', "-")
}

/// The way to every route.
fn contents(routes: &[Route]) -> String {
    let mut out = String::from("<b>Handover</b>");
    let mut chapter = "";
    for route in routes {
        if route.tag != chapter {
            chapter = route.tag;
            let _ = write!(out, "<a class=\"chapter\" href=\"#{}\">{}</a>", anchor(chapter), plain(chapter));
        }
        let _ = write!(out, "<a href=\"#{0}\">{0}</a>", route.id);
    }
    out + "<a class=\"chapter\" href=\"#shapes\">Shapes</a>"
}

/// One route, with all that it takes and answers.
fn told(route: &Route, document: &Value) -> String {
    let operation = &document["paths"][route.path][route.method.as_str().to_ascii_lowercase()];
    let right = match route.entry {
        Entry::Anybody => "for anybody".to_owned(),
        Entry::With(right) => format!("needs the right to {}", format!("{right:?}").to_ascii_lowercase()),
    };
    let mut out = format!(
        "<section id=\"{id}\"><h3><span class=\"{method}\">{method}</span> <code>{}</code> \
         <a class=\"here\" href=\"#{id}\">#</a></h3><p>{} <small>{right}</small></p>",
        plain(route.path),
        prose(route.says),
        id = route.id,
        method = route.method,
    );
    out.push_str(&parameters(operation));
    let taken = &operation["requestBody"];
    if !taken.is_null() {
        let needed = if taken["required"] == true { "" } else { ", which may be left out" };
        let _ = write!(out, "<h4>Body{needed}</h4>");
        out.push_str(&shapes::body(&taken["content"]["application/json"]["schema"], document));
    }
    out.push_str(&answers(operation, route));
    if let Some(example) = examples::of(route) {
        let _ = write!(out, "<pre tabindex=\"0\">{}</pre>", plain(&example));
    }
    out + "</section>"
}

fn parameters(operation: &Value) -> String {
    let Some(all) = operation["parameters"].as_array() else { return String::new() };
    let mut out = String::from("<h4>Parameters</h4><table>");
    for parameter in all {
        let text = |name: &str| parameter[name].as_str().unwrap_or_default();
        let needed = if parameter["required"] == true { "" } else { " <small>optional</small>" };
        let _ = write!(
            out,
            "<tr><td><code>{}</code>{needed}</td><td><small>{}</small></td><td>{}</td><td>{}</td></tr>",
            plain(text("name")),
            text("in"),
            shapes::words(&parameter["schema"]),
            prose(text("description")),
        );
    }
    out + "</table>"
}

fn answers(operation: &Value, route: &Route) -> String {
    let mut out = String::from("<h4>Answers</h4><table>");
    for answer in &route.answers {
        let response = &operation["responses"][answer.status.to_string()];
        let content = response["content"].as_object().and_then(|all| all.iter().next());
        let shape = match content {
            Some((media, of)) if media == "application/json" => shapes::words(&of["schema"]),
            Some((media, _)) => format!("<code>{}</code>", plain(media)),
            None => "nothing".to_owned(),
        };
        let _ =
            write!(out, "<tr><td><b>{}</b></td><td>{shape}</td><td>{}</td></tr>", answer.status, prose(answer.says));
    }
    let refused = openapi::refused(route);
    let refused = refused.iter().map(|(status, says)| format!("<span title=\"{}\">{status}</span>", plain(says)));
    let refused: Vec<String> = refused.collect();
    if !refused.is_empty() {
        let shape = "<a href=\"#Problem\">Problem</a>";
        let _ = write!(out, "<tr><td>refused</td><td>{shape}</td><td>{}</td></tr>", refused.join(" "));
    }
    out + "</table>"
}

/// What a code means.
pub(crate) fn explained(code: Code) -> String {
    let title = format!("{}: {}", code.text(), plain(code.title()));
    let (meaning, mend) = (prose(code.meaning()), prose(code.mend()));
    let body = format!("<main><h1>{title}</h1><p>{meaning}</p><h2>How to mend it</h2><p>{mend}</p></main>");
    framed(&title, &body)
}

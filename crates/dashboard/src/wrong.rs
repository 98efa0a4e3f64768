//! What is refused, as a page: what, where, and how to mend it.

use crate::page::{self, Frame, Nav};
use axum::{
    body::Body,
    http::{Response, StatusCode},
};
use handover_core::refusal::{Code, Family, HandoffError};
use maud::{Markup, html};

/// Why there is no page.
#[derive(Debug)]
pub(crate) struct Wrong(pub(crate) Box<HandoffError>);

impl From<HandoffError> for Wrong {
    fn from(error: HandoffError) -> Self {
        Self(Box::new(error))
    }
}

impl From<handover_core::refusal::Refusal> for Wrong {
    fn from(refusal: handover_core::refusal::Refusal) -> Self {
        HandoffError::from(refusal).into()
    }
}

fn status(code: Code) -> StatusCode {
    if code == Code::RateLimited {
        return StatusCode::TOO_MANY_REQUESTS;
    }
    match code.family() {
        Family::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        Family::Unauthenticated => StatusCode::UNAUTHORIZED,
        Family::Forbidden => StatusCode::FORBIDDEN,
        Family::Missing => StatusCode::NOT_FOUND,
        Family::Conflict | Family::TooMuch => StatusCode::CONFLICT,
        Family::Trouble => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn title(code: Code) -> &'static str {
    match code.family() {
        Family::Invalid => "That does not fit",
        Family::Unauthenticated => "Please sign in",
        Family::Forbidden => "That is not yours to do",
        Family::Missing => "There is nothing here",
        Family::Conflict | Family::TooMuch => "That cannot be done now",
        Family::Trouble => "Something went wrong here",
    }
}

/// The page of a refusal. The script shows its `.problem` beside the form that was sent.
pub(crate) fn page(frame: &Frame, wrong: &Wrong) -> Response<Body> {
    let code = wrong.0.code();
    let body = html! {
        header.head { h1 { (title(code)) } }
        (problem(&wrong.0))
        p.ways { a href="/" { "Overview" } " · " a href="/sessions" { "Sessions" } " · use “back” to return to the form: nothing of it is lost" }
    };
    page::answer(frame, status(code), title(code), Nav::None, None, &body)
}

/// All that is wrong, with codes and hints.
pub(crate) fn problem(error: &HandoffError) -> Markup {
    html! {
        div.problem role="alert" {
            @for refusal in &error.refusals {
                @if refusal.code == Code::KeyConflict {
                    p { strong { "This form was sent before with other words, and that was done" } }
                    p { "look whether it is what you want; to send this as well, send it again, or load the page anew" }
                } @else {
                    p {
                        strong { (refusal.message) }
                        @if !refusal.field.is_empty() { " " span.soft { "(" (refusal.field) ")" } }
                    }
                    @if !refusal.hint.is_empty() { p { (refusal.hint) } }
                }
                p.soft { code { (refusal.code.text()) } " " (refusal.code.title()) }
            }
        }
    }
}

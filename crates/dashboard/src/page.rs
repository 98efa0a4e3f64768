//! The frame of every page: where one can go, who looks, whether it is live, and the page itself.

use crate::{
    ask::Ask,
    assets, parts,
    people::{self, Count},
};
use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
};
use handover_core::{
    access::{Right, Role},
    handoff::Status,
    ids::SessionId,
    limits::{LIVE_BEAT_MS, PAGE_LOOK_ROWS, PAGE_ROWS},
    refusal::HandoffError,
};
use handover_engine::Engine;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Where a page is in the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nav {
    Overview,
    Sessions,
    Team,
    Approvals,
    Inbox,
    Workflows,
    Audit,
    Experiments,
    None,
}

impl Nav {
    /// The menu: what, where, how it is called, and its picture.
    const MENU: [(Self, &str, &str, &str); 8] = [
        (Self::Overview, "/", "Overview", "M3 13h8V3H3zm0 8h8v-6H3zm10 0h8V11h-8zm0-18v6h8V3z"),
        (Self::Sessions, "/sessions", "Sessions", "M4 4h16v12H8l-4 4z"),
        (
            Self::Team,
            "/team",
            "Team",
            "M6 4a3 3 0 1 1 0 6 3 3 0 0 1 0-6m12 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6M6 14a3 3 0 1 1 0 6 3 3 0 0 1 0-6m2.5-6 7 3.2m-7 4.8 7-3.2",
        ),
        (Self::Approvals, "/approvals", "Approvals", "M4 12.5 9 18 20 6"),
        (Self::Inbox, "/inbox", "Inbox", "M4 4h16v16H4zm0 10h5l1.5 2.5h3L15 14h5"),
        (Self::Workflows, "/workflows", "Workflows", "M4 4h6v6H4zm10 10h6v6h-6zM7 10v7h7"),
        (Self::Audit, "/audit", "Audit", "M6 3h9l4 4v14H6zm3 8h7m-7 4h7"),
        (
            Self::Experiments,
            "/experiments",
            "Experiments",
            "M9 3h6M10 3v6L5 19a1.5 1.5 0 0 0 1.4 2h11.2A1.5 1.5 0 0 0 19 19l-5-10V3",
        ),
    ];
}

/// What was done, said on the page that follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    Said,
    HandedOver,
    Redirected,
    Retried,
    Cancelled,
    Approved,
    Edited,
    Rejected,
    Taken,
    GivenBack,
    Answered,
    Declined,
    Reset,
    Drained,
    BackAtWork,
    Ended,
    PutOff,
    Kept,
    Asked,
    Noted,
    AllNoted,
}

impl Done {
    const ALL: [(Self, &str, &str); 21] = [
        (Self::Said, "said", "Said in the conversation."),
        (Self::HandedOver, "handed-over", "Handed over."),
        (Self::Redirected, "redirected", "It goes to somebody else now."),
        (Self::Retried, "retried", "It is tried again."),
        (Self::Cancelled, "cancelled", "Taken back."),
        (Self::Approved, "approved", "Approved. It is on its way."),
        (Self::Edited, "edited", "Changed. It still waits for a yes."),
        (Self::Rejected, "rejected", "Rejected. Whoever asked is told."),
        (Self::Taken, "taken", "It is yours now."),
        (Self::GivenBack, "given-back", "Given back. Whoever asked is told."),
        (Self::Answered, "answered", "Answered. The work goes on."),
        (Self::Declined, "declined", "Declined. Somebody else is asked."),
        (Self::Reset, "reset", "The breaker is closed: work passes again."),
        (Self::Drained, "drained", "It gets nothing new now."),
        (Self::BackAtWork, "back", "It gets work again."),
        (Self::Ended, "ended", "The session is over."),
        (Self::PutOff, "put-off", "Put off. It comes back by itself."),
        (Self::Kept, "kept", "It stays yours for as long again."),
        (Self::Asked, "asked", "Asked. It comes back with the answer."),
        (Self::Noted, "noted", "Seen. It is no longer listed."),
        (Self::AllNoted, "all-noted", "All that was shown is seen. What came meanwhile is listed."),
    ];

    pub(crate) fn word(self) -> &'static str {
        Self::ALL.iter().find(|(done, _, _)| *done == self).map_or("", |(_, word, _)| word)
    }
}

/// What stands around a page. Made before the page, so that a refusal has it, too.
pub(crate) struct Frame {
    /// Nothing where nobody is known.
    visitor: Option<Visitor>,
    done: String,
}

struct Visitor {
    engine: Engine,
    name: String,
    role: Role,
    tenant: String,
    signed_in: bool,
    form_word: String,
    position: u64,
}

impl Frame {
    pub(crate) fn of(ask: &Ask) -> Self {
        let caller = ask.engine.caller();
        let visitor = Visitor {
            engine: ask.engine.clone(),
            name: caller.name.clone(),
            role: caller.role,
            tenant: caller.tenant.clone(),
            signed_in: ask.seat.is_some(),
            form_word: ask.form_word(),
            position: ask.position,
        };
        Self { visitor: Some(visitor), done: ask.query.get("done").to_owned() }
    }

    /// Around a page for nobody in particular.
    pub(crate) fn bare() -> Self {
        Self { visitor: None, done: String::new() }
    }
}

/// What a page hears of while somebody looks at it.
#[derive(Debug, Clone)]
pub(crate) enum Hears {
    /// Everything.
    All,
    /// One session.
    Session(SessionId),
}

/// A page, before its frame.
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) nav: Nav,
    /// What makes it stale; nothing where it stays as it is.
    pub(crate) hears: Option<Hears>,
    /// What waits for people, where the page has counted it.
    waiting: Option<Waiting>,
    pub(crate) body: Markup,
}

impl Page {
    pub(crate) fn new(title: impl Into<String>, nav: Nav, body: Markup) -> Self {
        Self { title: title.into(), nav, hears: None, waiting: None, body }
    }

    pub(crate) fn hears(mut self, hears: Hears) -> Self {
        self.hears = Some(hears);
        self
    }

    /// What waits for people was counted for the page itself.
    pub(crate) fn counted(mut self, waiting: Waiting) -> Self {
        self.waiting = Some(waiting);
        self
    }

    /// The answer with this page.
    pub(crate) async fn answer(self, ask: &Ask) -> crate::ask::Answer {
        let frame = Frame::of(ask);
        let waiting = match self.waiting {
            Some(counted) => counted,
            None => Waiting::now(ask).await.unwrap_or_default(),
        };
        Ok(rendered(&frame, StatusCode::OK, &self.title, self.nav, self.hears.as_ref(), &waiting, &self.body))
    }
}

/// How much waits for people.
#[derive(Default)]
pub(crate) struct Waiting {
    approvals: Count,
    /// Questions, work that is theirs or offered to them, and what failed and they are to look at.
    inbox: Count,
}

impl Waiting {
    async fn now(ask: &Ask) -> Result<Self, HandoffError> {
        Self::with_inbox(ask, people::inbox(ask).await?).await
    }

    /// Where a page has counted what is in the inbox.
    pub(crate) async fn with_inbox(ask: &Ask, inbox: Count) -> Result<Self, HandoffError> {
        let approvals = people::open(&ask.engine, Status::AwaitingApproval, PAGE_ROWS).await?;
        Ok(Self::of(approvals.count(), inbox))
    }

    /// By what a page has read already.
    pub(crate) fn of(approvals: Count, inbox: Count) -> Self {
        Self { approvals, inbox }
    }
}

/// A page with its frame, where nobody counts what waits.
pub(crate) fn answer(
    frame: &Frame,
    status: StatusCode,
    title: &str,
    nav: Nav,
    hears: Option<&Hears>,
    body: &Markup,
) -> Response<Body> {
    rendered(frame, status, title, nav, hears, &Waiting::default(), body)
}

fn rendered(
    frame: &Frame,
    status: StatusCode,
    title: &str,
    nav: Nav,
    hears: Option<&Hears>,
    waiting: &Waiting,
    body: &Markup,
) -> Response<Body> {
    let live = hears.zip(frame.visitor.as_ref()).map(|(hears, visitor)| live_url(hears, visitor.position));
    let text = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) " · Handover" }
                link rel="icon" href=(assets::ICON);
                link rel="stylesheet" href=(assets::style_url());
                script src=(assets::script_url()) defer {}
            }
            body data-live=[live] data-beat=(LIVE_BEAT_MS) {
                a.skip href="#main" { "Skip to the page" }
                @if let Some(visitor) = &frame.visitor { (side(visitor, nav, waiting, hears.is_some())) }
                main id="main" class=[frame.visitor.is_none().then_some("alone")] {
                    @if let Some((_, _, words)) = Done::ALL.iter().find(|(_, word, _)| *word == frame.done) {
                        p.notice role="status" { (words) }
                    }
                    @if frame.visitor.as_ref().is_some_and(|visitor| visitor.engine.left_out()) {
                        p.soft.small data-part="left-out" {
                            "Not everything was looked at: after " (PAGE_LOOK_ROWS) " rows that are not yours a list ends."
                        }
                    }
                    (body)
                }
            }
        }
    };
    html_answer(status, text)
}

/// Where the script listens.
fn live_url(hears: &Hears, position: u64) -> String {
    match hears {
        Hears::All => format!("/live?after={position}"),
        Hears::Session(session) => format!("/live?after={position}&session={}", parts::encoded(session.as_str())),
    }
}

fn side(visitor: &Visitor, here: Nav, waiting: &Waiting, live: bool) -> Markup {
    let count = |nav: Nav| match nav {
        Nav::Approvals => waiting.approvals,
        Nav::Inbox => waiting.inbox,
        _ => Count::default(),
    };
    html! {
        header.side {
            a.brand href="/" {
                svg.logo viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" { (PreEscaped(assets::LOGO)) }
                span { "Handover" }
            }
            nav aria-label="Pages" id="menu" data-part="menu" {
                @for (nav, href, name, picture) in Nav::MENU {
                    a href=(href) aria-current=[(nav == here).then_some("page")] {
                        svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" { path d=(picture) {} }
                        span { (name) }
                        @if count(nav).found > 0 {
                            b.count { (parts::at_least(count(nav))) span.unseen { " waiting" } }
                        }
                    }
                }
            }
            div.who {
                @if live { span.live.yet id="live" role="status" title="New events show at once when the page hears of them" { "not live yet" } }
                span.name title=(format!("{} of {}", visitor.role, visitor.tenant)) {
                    @if visitor.signed_in { (visitor.name) } @else { "open server" }
                    " " small { (visitor.role) }
                }
                @if visitor.signed_in {
                    form method="post" action="/sign-out" {
                        input type="hidden" name="word" value=(visitor.form_word);
                        button.plain type="submit" { "Sign out" }
                    }
                } @else if visitor.role.may(Right::Administer) {
                    small.soft { "No keys: every program of this machine may do everything." }
                }
            }
        }
    }
}

/// Text as a page.
pub(crate) fn html_answer(status: StatusCode, text: Markup) -> Response<Body> {
    let mut response = Response::new(Body::from(text.into_string()));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

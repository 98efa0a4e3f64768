//! The overview: what happens now, what is blocked and on whom, what comes next, and how it went lately.

mod blocked;
mod charts;
mod guards;
mod happening;
mod next;

pub(crate) use charts::{percent, short, time};
pub(crate) use guards::state as breaker_state;

use crate::{
    ask::{Answer, Ask},
    page::{Hears, Nav, Page, Waiting},
    parts,
    people::{self, Awaits, Found},
    pulse::Window,
};
use handover_core::{
    handoff::{Handoff, Status},
    limits::{OVERVIEW_ROWS, PAGE_ROWS, PULSE_MINUTES, WAITING_LOOK_ROWS},
    refusal::HandoffError,
    time::Timestamp,
};
use handover_engine::Engine;
use maud::{Markup, html};

/// How far back the figures go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    Hour,
    SixHours,
    Day,
}

impl Range {
    const ALL: [(Self, &str, &str, usize); 3] = [
        (Self::Hour, "1h", "hour", 60),
        (Self::SixHours, "6h", "6 hours", 6 * 60),
        (Self::Day, "24h", "24 hours", PULSE_MINUTES),
    ];

    fn of(word: &str) -> Self {
        Self::ALL.iter().find(|(_, known, ..)| *known == word).map_or(Self::Hour, |(range, ..)| *range)
    }

    fn minutes(self) -> usize {
        Self::ALL.iter().find(|(range, ..)| *range == self).map_or(60, |(.., minutes)| *minutes)
    }

    fn words(self) -> &'static str {
        Self::ALL.iter().find(|(range, ..)| *range == self).map_or("hour", |(_, _, words, _)| words)
    }
}

/// Everything that is open, as far as a page goes.
struct Open {
    running: Found<Handoff>,
    approvals: Found<Handoff>,
    offered: Found<Handoff>,
    put_off: Found<Handoff>,
    /// What people work on and what is offered to them: it may stand behind any number of tasks for machines.
    tasks: Found<Handoff>,
}

impl Open {
    async fn of(ask: &Ask) -> Result<Self, HandoffError> {
        let engine = &ask.engine;
        Ok(Self {
            running: people::open(engine, Status::Running, PAGE_ROWS).await?,
            approvals: people::open(engine, Status::AwaitingApproval, PAGE_ROWS).await?,
            offered: people::open(engine, Status::Offered, WAITING_LOOK_ROWS).await?,
            put_off: people::put_off(engine).await?,
            tasks: people::tasks(engine, &people::people(engine, |_| true)).await?,
        })
    }

    fn is_empty(&self) -> bool {
        [&self.running, &self.approvals, &self.offered, &self.put_off].iter().all(|found| found.rows.is_empty())
    }

    /// What waits for people, a word first.
    fn for_people(&self, engine: &Engine) -> Found<&Handoff> {
        let questions = self.put_off.rows.iter().filter(|one| people::awaits(engine, one) == Some(Awaits::Answer));
        let rows = self.approvals.rows.iter().chain(questions).chain(&self.tasks.rows).collect();
        Found { rows, more: self.approvals.more || self.put_off.more || self.tasks.more }
    }
}

/// What was counted, for whoever sees all of it.
struct Lately {
    window: Window,
    since: Option<Timestamp>,
    range: Range,
}

impl Lately {
    fn of(ask: &Ask) -> Option<Self> {
        let range = Range::of(ask.query.get("range"));
        let caller = ask.engine.caller();
        (!caller.is_restricted()).then(|| {
            ask.house.pulse.look(&caller.tenant, |tenant, since, _| Self {
                window: tenant.window(ask.now, range.minutes()),
                since,
                range,
            })
        })
    }

    /// How long was counted: all of the range, or since the first that was.
    fn minutes(&self, now: Timestamp) -> usize {
        let all = self.range.minutes();
        let counted = self.since.and_then(|since| usize::try_from(now.since(since).div_ceil(60_000)).ok());
        counted.map_or(all, |counted| counted.clamp(1, all))
    }
}

pub(crate) async fn show(ask: Ask) -> Answer {
    let open = Open::of(&ask).await?;
    let lately = Lately::of(&ask);
    if open.is_empty() && ask.engine.sessions_nearby(1, PAGE_ROWS).await?.is_empty() {
        let body =
            html! { (parts::head(html! { "Overview" }, html! {})) div data-part="first" { (first_visit(&ask)) } };
        return Page::new("Overview", Nav::Overview, body).hears(Hears::All).answer(&ask).await;
    }
    let blocked = blocked::list(&ask, &open).await;
    let happening = happening::activity(&ask).await?;
    let next = next::card(&ask).await?;
    let body = html! {
        (parts::head(html! { "Overview" }, ranges(&ask, lately.as_ref())))
        (tiles(&ask, &open, lately.as_ref()))
        div.overview.first {
            div { (happening::running(&ask, &open.running.rows)) (happening) }
            div { (blocked::card(&ask, &blocked)) (next) }
        }
        @match &lately {
            Some(lately) => {
                div.charts { (charts::cards(lately)) (guards::prevented(&ask)) }
                (guards::breakers(&ask))
                (since(&ask, lately))
            }
            None => p.soft { "Figures over time are for those who see all sessions of their tenant." }
        }
    };
    let waiting = Waiting::of(&ask.engine, &open.approvals, &open.put_off).await?;
    Page::new("Overview", Nav::Overview, body).hears(Hears::All).counted(waiting).answer(&ask).await
}

fn ranges(ask: &Ask, lately: Option<&Lately>) -> Markup {
    html! {
        @if let Some(lately) = lately {
            nav.ranges.push aria-label="How far back" {
                @for (range, word, words, _) in Range::ALL {
                    a href=(ask.query.with("range", word)) aria-current=[(range == lately.range).then_some("true")] title=(format!("The last {words}")) { (word) }
                }
            }
        }
    }
}

fn tiles(ask: &Ask, open: &Open, lately: Option<&Lately>) -> Markup {
    let people = open.for_people(&ask.engine).count();
    let running = open.running.rows.len();
    html! {
        div.stats.tiles data-part="tiles" {
            (tile(if running == 0 { "" } else { "run" }, Some("#now"), &parts::up_to(running), "running"))
            (tile(if people.found == 0 { "" } else { "wait" }, Some("#blocked"), &parts::at_least(people), "wait for people"))
            @if let Some(lately) = lately {
                @let total = &lately.window.total;
                (tile(total.tone(), None, &total.success().map_or("–".into(), charts::percent), "succeeded"))
                (tile("", None, &charts::per_minute(total.ended(), lately.minutes(ask.now)), "done per minute"))
                (tile("", None, &total.lasted.within(95).map_or("–".into(), parts::length), "95 of 100 within"))
                (tile("", None, &charts::short(total.tokens), "tokens"))
                (tile("", None, &parts::money(total.cost()), "cost"))
            }
        }
    }
}

fn tile(tone: &str, to: Option<&str>, value: &str, words: &str) -> Markup {
    let class = format!("stat {tone}");
    html! {
        @match to {
            Some(to) => a class=(class) href=(to) { b { (value) } span { (words) } },
            None => div class=(class) { b { (value) } span { (words) } },
        }
    }
}

fn since(ask: &Ask, lately: &Lately) -> Markup {
    let first = lately.window.columns.first().map(|(at, _)| *at);
    html! {
        p.soft.small data-part="since" {
            @match lately.since {
                Some(since) if first.is_some_and(|first| since > first) => { "Counted since " (parts::ago(since, ask.now)) ". " }
                Some(_) => { "Counted over the last " (lately.range.words()) ". " }
                None => "Nothing was counted yet. ",
            }
            "The last column is not over yet. Lengths of time are rounded: they may be off by a fifth."
        }
    }
}

/// A list that says how much more there is.
fn more(count: usize, href: &str) -> Markup {
    html! { @if count > OVERVIEW_ROWS { p.more { a href=(href) { "All " (parts::up_to(count)) } } } }
}

/// What fills a server, as far as it takes no agents that run.
const REGISTER: &str =
    "handover agents register --name me --kind human\nhandover agents register --name writer --kind human";
const HAND_OFF: &str = "handover hand-off --session first --new --from me --to writer --task \"Write a letter\"";

/// Commands that fill this very server.
pub(crate) fn begin(ask: &Ask) -> String {
    format!("{}\n{REGISTER}\n{HAND_OFF}", ask.settings())
}

fn first_visit(ask: &Ask) -> Markup {
    html! {
        section.empty {
            h2 { "Nothing was handed over yet" }
            p { "This page shows what your agents hand over to each other, as it happens. A few words in another terminal fill it:" }
            ol.steps {
                li {
                    "Say who takes part."
                    pre { code { (ask.settings()) "\n" (REGISTER) } }
                }
                li {
                    "Give the writer something to do."
                    pre { code { (HAND_OFF) } }
                }
            }
            p { "Then answer as the writer on the page " a href="/inbox?as=writer" { "Inbox" } ", or see a whole team work: " code { "handover demo" } " runs one in a file of its own." }
        }
    }
}

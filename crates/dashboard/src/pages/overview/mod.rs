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
    people::{self, Count, Found, Tasks, ToLook, Waits},
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
    tasks: Tasks,
    /// What failed, and a person is asked to look at.
    to_look: Found<ToLook>,
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
            to_look: people::to_look(ask).await?,
        })
    }

    fn is_empty(&self) -> bool {
        let nothing =
            [&self.running, &self.approvals, &self.offered, &self.put_off].iter().all(|all| all.rows.is_empty());
        nothing && self.to_look.rows.is_empty()
    }

    /// How much waits for people.
    fn for_people(&self, engine: &Engine) -> Count {
        let questions = people::questions(engine, &self.put_off, true).count();
        self.approvals.count() + questions + self.tasks.count() + self.to_look.count()
    }

    /// What stands in the menu.
    fn waiting(&self, engine: &Engine) -> Waiting {
        let waits = Waits { put_off: &self.put_off, tasks: &self.tasks, to_look: &self.to_look };
        Waiting::of(self.approvals.count(), waits.inbox(engine))
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
    let blocked = blocked::list(&ask, &open).await?;
    let happening = happening::activity(&ask).await?;
    let next = next::card(&ask, &open).await?;
    let body = html! {
        (parts::head(html! { "Overview" }, ranges(&ask, lately.as_ref())))
        (tiles(&ask, &open, lately.as_ref()))
        div.overview.first {
            div { (happening::running(&ask, &open.running)) (happening) }
            div { (blocked::card(&ask, &blocked, open.for_people(&ask.engine))) (next) }
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
    let waiting = open.waiting(&ask.engine);
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
    let (people, running) = (open.for_people(&ask.engine), open.running.count());
    html! {
        div.stats.tiles data-part="tiles" {
            (tile(if running.found == 0 { "" } else { "run" }, "#now", &parts::at_least(running), "running"))
            (tile(if people.found == 0 { "" } else { "wait" }, "#blocked", &parts::at_least(people), "wait for people"))
            @if let Some(lately) = lately {
                @let total = &lately.window.total;
                @let [success, done, latency, tokens, cost] = charts::sparks(lately);
                (drawn(total.tone(), &total.success().map_or("–".into(), charts::percent), "succeeded", success))
                (drawn("", &charts::per_minute(total.ended(), lately.minutes(ask.now)), "done per minute", done))
                (drawn("", &total.lasted.within(95).map_or("–".into(), parts::length), "95 % within", latency))
                (drawn("", &charts::short(total.tokens), "tokens", tokens))
                (drawn("", &parts::money(total.cost()), "cost", cost))
            }
        }
    }
}

fn tile(tone: &str, to: &str, value: &str, words: &str) -> Markup {
    html! { a class=(format!("stat {tone}")) href=(to) { b { (value) } span { (words) } } }
}

/// A figure with how it went, in the same time.
fn drawn(tone: &str, value: &str, words: &str, spark: Markup) -> Markup {
    html! { div class=(format!("stat {tone}")) { b { (value) } span { (words) } (spark) } }
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
fn more(count: Count, href: &str) -> Markup {
    html! { @if count.found > OVERVIEW_ROWS { p.more { a href=(href) { "All " (parts::at_least(count)) } } } }
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

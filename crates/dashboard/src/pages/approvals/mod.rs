//! What waits for a person's yes: what is asked, by whom, why, with which risk, at which cost, and what would cross.

mod decide;
mod item;
mod lately;
mod place;
mod read;

pub(crate) use decide::decide;

use place::Place;

use crate::{
    ask::{Answer, Ask},
    page::{Hears, Nav, Page},
    parts,
};
use handover_core::{access::Right, context::View, handoff::Handoff, ids::HandoffId, limits::PAGE_APPROVALS};
use handover_engine::PendingApproval;
use maud::{Markup, html};

/// How a rule is made, as the guide has it.
const RULE: &str = "\
# handover.yaml
policy:
  approvals:
    - name: dear
      when: {cost_above: 5, to: [buyer]}
      approvers:
        - {who: ann, within_ms: 3600000}
        - {who: bob}
      on_expiry: deny";

/// One of them, with what its receiver would be shown; nothing where that cannot be read.
struct Waiting {
    asked: PendingApproval,
    view: Option<View>,
}

pub(crate) async fn list(ask: Ask) -> Answer {
    let place = Place::of(&ask.query);
    let who = place.who.as_deref();
    let named = named(&ask, &place).await;
    let (mut found, next) = ask.engine.approvals_page(who, place.after, PAGE_APPROVALS).await?;
    if let Some(Named::Waits(first)) = &named {
        found.retain(|one| one.handoff.id != first.handoff.id);
        found.insert(0, (**first).clone());
    }
    let mut waiting = Vec::with_capacity(found.len());
    for asked in found {
        let view = ask.engine.view(asked.handoff.id, None).await.ok();
        waiting.push(Waiting { asked, view });
    }
    let decided = lately::decided(&ask).await;
    let body = html! {
        (parts::head(html! { "Approvals" }, html! { (filter(&ask, who)) }))
        @if !waiting.is_empty() { (keys(&ask)) }
        section data-part="approvals" aria-label="Waiting for a yes" {
            (over(named.as_ref()))
            @if waiting.is_empty() && next.is_some() { p.soft { "None among those that were looked at; there are younger ones." } }
            @else if waiting.is_empty() { (nothing(&ask, &place)) }
            (items(&ask, &place, &waiting))
            @if place.after > 0 || next.is_some() {
                nav.pager aria-label="More" {
                    @if place.before > 0 { a href=(place.back().url("")) rel="prev" { "← Older" } }
                    @else if place.after > 0 { a href=(place.back().url("")) { "← The oldest" } }
                    @if let Some(next) = next { a href=(place.on(next).url("")) rel="next" { "Younger →" } }
                }
            }
        }
        (parts::agent_list(&ask.engine))
        (lately::section(&ask, &decided))
    };
    Page::new("Approvals", Nav::Approvals, body).hears(Hears::All).answer(&ask).await
}

/// The one that a link led to.
enum Named {
    /// It stands first, wherever it is in the list.
    Waits(Box<PendingApproval>),
    /// Nobody has to decide it any more.
    Over(Box<Handoff>),
    /// There is none, for whoever asks.
    Unknown,
}

async fn named(ask: &Ask, place: &Place) -> Option<Named> {
    let id = place.at.as_ref()?.parse::<HandoffId>();
    let Some(handoff) = (match id {
        Ok(id) => ask.engine.handoff(id).await.ok(),
        Err(_) => None,
    }) else {
        return Some(Named::Unknown);
    };
    Some(match ask.engine.approval_asked(&handoff) {
        Some(asked) => Named::Waits(Box::new(asked)),
        None => Named::Over(Box::new(handoff)),
    })
}

/// What is said where the one that a link led to does not wait.
fn over(named: Option<&Named>) -> Markup {
    match named {
        None | Some(Named::Waits(_)) => html! {},
        Some(Named::Over(handoff)) => html! {
            div.warn {
                "The one that you looked for is decided already, or needs no decision any more: "
                a href=(parts::handoff_url(handoff.id)) { (parts::quoted(&handoff.request.task.description, 120)) }
                " (" (parts::status_words(handoff.status())) ")."
            }
        },
        Some(Named::Unknown) => html! { p.warn { "The one that you looked for is not here. These wait:" } },
    }
}

/// Whose decisions are shown. Whoever is bound to certain agents chooses among them.
fn filter(ask: &Ask, who: Option<&str>) -> Markup {
    let bound = ask.engine.caller().acts_as.as_deref();
    html! {
        form.filter.push method="get" action="/approvals" {
            label for="who" { "Only what this person may decide" }
            @match bound {
                Some(agents) => {
                    select id="who" name="who" {
                        option value="" { "everybody" }
                        @for agent in agents { option value=(agent) selected[who == Some(agent.as_str())] { (agent) } }
                    }
                }
                None => { input id="who" name="who" value=(who.unwrap_or_default()) placeholder="everybody" autocomplete="off"; }
            }
            button type="submit" { "Show" }
        }
    }
}

fn keys(ask: &Ask) -> Markup {
    html! {
        @if ask.may(Right::Act) {
            div.keys {
                kbd { "j" } " " kbd { "k" } " next and previous · " kbd { "a" } " approve · " kbd { "e" } " edit · " kbd { "r" }
                " reject · " kbd { "Esc" } " leaves a field · "
                (parts::keys_switch())
            }
        }
    }
}

fn items(ask: &Ask, place: &Place, waiting: &[Waiting]) -> Markup {
    // After a decision the next one is looked at.
    let at = ask.query.some("next").or(place.at.as_deref()).unwrap_or_default();
    let chosen = waiting.iter().position(|one| one.asked.handoff.id.to_string() == at).unwrap_or(0);
    let focus = ask.query.some("done").or(place.at.as_deref()).map(|_| chosen);
    html! {
        ol.asked {
            @for (at, one) in waiting.iter().enumerate() {
                @let next = waiting.get(at + 1).map(|next| next.asked.handoff.id);
                (item::item(ask, place, one, next, focus == Some(at)))
            }
        }
    }
}

fn nothing(ask: &Ask, place: &Place) -> Markup {
    let all = ask.query.with("who", "");
    html! {
        @match &place.who {
            Some(who) => {
                div.empty {
                    p { strong { "Nothing waits for " (who) } }
                    p { a href=(all) { "Look at what waits for everybody" } }
                }
            }
            None if place.after > 0 => { p.soft { "No more." } }
            None => {
                (parts::empty(
                    "All decided",
                    "Nothing waits for a yes. A request waits when it says needs_approval, when its risk is what the policy asks \
                     about, or when a rule fits:",
                    Some(RULE),
                ))
            }
        }
    }
}

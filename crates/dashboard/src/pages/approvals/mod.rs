//! What waits for a person's yes: what is asked, by whom, why, with which risk, at which cost, and what would cross.

mod decide;
mod item;
mod lately;
mod read;

pub(crate) use decide::decide;

use crate::{
    ask::{Answer, Ask},
    page::{Hears, Nav, Page},
    parts,
};
use handover_core::{access::Right, context::View, limits::PAGE_APPROVALS};
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
    let who = ask.query.some("who").map(str::to_owned);
    let after = ask.query.number("after").unwrap_or(0);
    let (found, next) = ask.engine.approvals_page(who.as_deref(), after, PAGE_APPROVALS).await?;
    let mut waiting = Vec::with_capacity(found.len());
    for asked in found {
        let view = ask.engine.view(asked.handoff.id, None).await.ok();
        waiting.push(Waiting { asked, view });
    }
    let decided = lately::decided(&ask).await;
    let body = html! {
        (parts::head(html! { "Approvals" }, html! { (filter(&ask, who.as_deref())) }))
        @if !waiting.is_empty() { (keys(&ask)) }
        section data-part="approvals" aria-label="Waiting for a yes" {
            @if waiting.is_empty() && next.is_some() { p.soft { "None among those that were looked at; there are younger ones." } }
            @else if waiting.is_empty() { (nothing(&ask, who.as_deref(), after)) }
            (items(&ask, who.as_deref(), &waiting))
            @if after > 0 || next.is_some() {
                nav.pager aria-label="More" {
                    @if after > 0 { a href=(ask.query.with("after", "")) { "← The oldest" } }
                    @if let Some(next) = next { a href=(ask.query.with("after", &next.to_string())) rel="next" { "Younger →" } }
                }
            }
        }
        (parts::agent_list(&ask.engine))
        (lately::section(&ask, &decided))
    };
    Page::new("Approvals", Nav::Approvals, body).hears(Hears::All).answer(&ask).await
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

fn items(ask: &Ask, who: Option<&str>, waiting: &[Waiting]) -> Markup {
    // After a decision the next one is looked at.
    let at = ask.query.get("at");
    let chosen = waiting.iter().position(|one| one.asked.handoff.id.to_string() == at).unwrap_or(0);
    let focus = ask.query.some("done").map(|_| chosen);
    html! {
        ol.asked {
            @for (place, one) in waiting.iter().enumerate() {
                @let next = waiting.get(place + 1).map(|next| next.asked.handoff.id);
                (item::item(ask, who, one, next, focus == Some(place)))
            }
        }
    }
}

fn nothing(ask: &Ask, who: Option<&str>, after: u64) -> Markup {
    let all = ask.query.with("who", "");
    html! {
        @match who {
            Some(who) => {
                div.empty {
                    p { strong { "Nothing waits for " (who) } }
                    p { a href=(all) { "Look at what waits for everybody" } }
                }
            }
            None if after > 0 => { p.soft { "No more." } }
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

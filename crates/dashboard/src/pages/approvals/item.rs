//! One handoff that waits for a yes, with all that a decision needs, and the ways to decide it.

use super::{Place, Waiting, read};
use crate::{ask::Ask, parts};
use handover_core::{
    access::Right,
    handoff::{Handoff, Priority, Request},
    ids::HandoffId,
    policy::{ApprovalRule, OnExpiry},
};
use handover_engine::PendingApproval;
use maud::{Markup, html};
use serde_json::Value;

const PRIORITIES: [Priority; 4] = [Priority::Urgent, Priority::High, Priority::Normal, Priority::Low];

pub(super) fn item(ask: &Ask, place: &Place, one: &Waiting, next: Option<HandoffId>, focus: bool) -> Markup {
    let handoff = &one.asked.handoff;
    let request = &handoff.request;
    let id = handoff.id;
    html! {
        li.card.item id=(id) data-item data-key=(id) tabindex="-1" autofocus[focus]
            aria-labelledby=(format!("task-{id}")) {
            header {
                (parts::between(handoff))
                (parts::risk(request.audit.risk_level))
                (parts::priority(request.task.priority))
                span.push { (parts::until(one.asked.until, ask.now)) }
            }
            h2 id=(format!("task-{id}")) { (parts::fold(&request.task.description)) }
            @if request.reason != request.task.description { div { span.soft { "Why: " } (parts::fold(&request.reason)) } }
            (why(ask, &one.asked))
            @for warning in &one.asked.warnings { p.warn { (warning) } }
            (facts(one))
            (folded(ask, one))
            (decision(ask, place, one, next))
        }
    }
}

/// Which rule asks, and what it looks at.
fn why(ask: &Ask, asked: &PendingApproval) -> Markup {
    let request = &asked.handoff.request;
    let rule = Some(&asked.rule).filter(|name| !name.is_empty());
    html! {
        div.because {
            span.soft { "Asks: " }
            @match rule {
                Some(name) => {
                    "the rule " b { (name) }
                    @if let Some(rule) = ask.engine.approval_rule(name) { ", " (conditions(&rule)) (read::values(&rule, request)) }
                    @else { ", which is no longer in the policy" }
                }
                None if request.needs_approval => { "the request itself says that a person decides first" }
                None => { "its risk is " (parts::risk_word(request.risk())) ", and the policy asks from there on" }
            }
            @if !request.audit.decision_rationale.is_empty() {
                div { span.soft { "Their judgement: " } (parts::fold(&request.audit.decision_rationale)) }
            }
        }
    }
}

fn conditions(rule: &ApprovalRule) -> String {
    let when = &rule.when;
    let names =
        |all: &[handover_core::ids::AgentId]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
    let mut parts = Vec::new();
    parts.extend(when.risk.map(|risk| format!("risk is {} or more", parts::risk_word(risk))));
    parts.extend((!when.to.is_empty()).then(|| format!("it goes to {}", names(&when.to))));
    parts.extend((!when.from.is_empty()).then(|| format!("it comes from {}", names(&when.from))));
    let kinds: Vec<&str> = when.kinds.iter().map(|kind| parts::kind_words(*kind)).collect();
    parts.extend((!kinds.is_empty()).then(|| format!("it is {}", kinds.join(" or "))));
    parts.extend(when.cost_above.map(|cost| format!("a cost of more than {} is set aside", parts::money(cost))));
    parts.extend(when.tokens_above.map(|tokens| format!("more than {} tokens are set aside", parts::number(tokens))));
    parts.extend(when.expression.as_ref().map(|condition| format!("this holds: {}", condition.source())));
    if parts.is_empty() {
        "which asks about everything".to_owned()
    } else {
        format!("because {}", parts.join(", and "))
    }
}

/// What a decision turns on besides what is asked.
fn facts(one: &Waiting) -> Markup {
    let (asked, handoff) = (&one.asked, &one.asked.handoff);
    let approval = handoff.approval.as_ref();
    let expiry = match approval.map(|approval| (approval.on_expiry, approval.rest.first())) {
        Some((_, Some(next))) => format!("{} is asked, too", next.who),
        Some((OnExpiry::Approve, None)) => "it is approved".to_owned(),
        Some((OnExpiry::Deny, None)) | None => "it is denied".to_owned(),
    };
    parts::facts(&[
        ("May risk", html! { "up to " (parts::risk_word(handoff.authority)) }),
        ("Set aside", set_aside(asked)),
        (
            "Who decides",
            html! { @if asked.deciders.is_empty() { "an operator" } @else { (asked.deciders.join(", ")) } },
        ),
        ("If nobody does", html! { (expiry) }),
    ])
}

/// Where it comes from.
fn origin(ask: &Ask, handoff: &Handoff) -> Markup {
    let source = &handoff.request.from_agent;
    // The last of a path is the target, which has nothing yet.
    let end = handoff.path.iter().rposition(|agent| agent == source).map_or(handoff.path.len(), |at| at + 1);
    let path: Vec<String> = handoff.path[..end].iter().map(ToString::to_string).collect();
    parts::facts(&[
        ("Path so far", html! { (path.join(" → ")) }),
        ("Session", parts::session(&handoff.session_id)),
        (
            "Handoff",
            html! { a href=(parts::handoff_url(handoff.id)) { (parts::short(handoff.id)) } ", " (parts::kind_words(handoff.request.kind)) },
        ),
        ("Asked", parts::ago(handoff.opened_at, ask.now)),
    ])
}

fn set_aside(asked: &PendingApproval) -> Markup {
    let held = asked.handoff.reservation.as_ref().map(|held| held.share);
    let wanted = asked.handoff.request.context.constraints.budget.map(|budget| budget.share());
    let share = held.into_iter().chain(wanted).find(|share| !parts::share(share).is_empty());
    match share {
        Some(share) => html! {
            (parts::share(&share))
            @if share.micros.is_some() { " " small.soft { "in the currency of your prices" } }
        },
        None => html! { "no limit" },
    }
}

/// What would cross, and all that is one look away: where it comes from, and the data to the letter.
fn folded(ask: &Ask, one: &Waiting) -> Markup {
    let (id, request) = (one.asked.handoff.id, &one.asked.handoff.request);
    let payload = &request.task.payload;
    html! {
        @if payload.is_object() { (read::top(payload)) } @else { (parts::body(payload)) }
        @if let Some(view) = &one.view {
            details id=(format!("crosses-{id}")) {
                summary { "What would cross: " (parts::crossing_line(view)) }
                (parts::crossing(request, view))
            }
        }
        details.more-of id=(format!("details-{id}")) {
            summary { "Details" }
            (origin(ask, &one.asked.handoff))
            @if payload.is_object() { div { span.small.soft { "Data" } (parts::body(payload)) } }
        }
    }
}

/// Under whose name whoever looks may decide.
struct Voice {
    names: Vec<String>,
    /// Whether these are names of others: that is never left unsaid.
    for_others: bool,
}

/// The names under which whoever looks may decide; else why they may not.
fn voice(ask: &Ask, who: Option<&str>, asked: &PendingApproval) -> Result<Voice, String> {
    let caller = ask.engine.caller();
    let (source, target) = (asked.handoff.request.from_agent.as_str(), asked.handoff.to_agent.as_str());
    if !ask.may(Right::Act) {
        return Err(format!("Your role is {}: you can read this, and somebody else decides it.", caller.role));
    }
    if asked.deciders.is_empty() && !ask.may(Right::Operate) {
        return Err("Nobody is named, so an operator decides it.".to_owned());
    }
    let own = match &caller.acts_as {
        Some(agents) => agents.iter().map(ToString::to_string).collect(),
        None => own_names(ask, asked),
    };
    let may = |name: &String| name != source && (!asked.deciders.is_empty() || name != target);
    let named = |name: &String| asked.deciders.is_empty() || asked.deciders.contains(name);
    let mut names: Vec<String> = own.into_iter().filter(|name| may(name) && named(name)).collect();
    let for_others = names.is_empty() && caller.acts_as.is_none();
    if for_others {
        names = asked.deciders.iter().filter(|name| may(name)).cloned().collect();
    }
    if let Some(who) = who.filter(|who| names.iter().any(|name| name == who)) {
        names = vec![who.to_owned()];
    }
    match names.is_empty() {
        false => Ok(Voice { names, for_others }),
        true if asked.deciders.is_empty() => {
            Err("You asked for this or would get it: somebody else decides it.".to_owned())
        }
        true => Err(format!("{} may decide it, and you do not speak for them.", asked.deciders.join(" or "))),
    }
}

/// A caller is called by the name of its key with its id. Whoever is asked by that name alone is asked in person.
fn own_names(ask: &Ask, asked: &PendingApproval) -> Vec<String> {
    let whole = ask.own_name();
    let plain = whole.rsplit_once(" (").map_or(whole, |(name, _)| name);
    let name = if asked.deciders.iter().any(|decider| decider == plain) { plain } else { whole };
    vec![name.to_owned()]
}

fn decision(ask: &Ask, place: &Place, one: &Waiting, next: Option<HandoffId>) -> Markup {
    let voice = match voice(ask, place.who.as_deref(), &one.asked) {
        Ok(voice) => voice,
        Err(why) => return html! { p.soft.undecided { (why) } },
    };
    let id = one.asked.handoff.id;
    let send = |way: &str, inside: Markup| {
        let always = html! {
            (parts::hidden("digest", &one.asked.digest.to_string()))
            (parts::hidden("next", &next.map(|next| next.to_string()).unwrap_or_default()))
            (place.fields())
            (by(way, id, &voice))
            (inside)
        };
        parts::form_of(ask, &format!("/approvals/{id}"), if way == "yes" { "wide" } else { "" }, always)
    };
    html! {
        div.decide {
            (send("yes", approve(id)))
            @if ask.query.get("edit") == id.to_string() {
                details id=(format!("edit-{id}")) open {
                    summary data-press="e" { "Edit…" }
                    (send("edit", edit(id, &one.asked.handoff.request, one.asked.handoff.to_agent.as_str())))
                }
            } @else {
                // The form has the whole data in it, so only the one that is edited has one.
                a.button href=(ask.query.with("edit", &id.to_string())) data-press="e" { "Edit…" }
            }
            details id=(format!("reject-{id}")) {
                summary.bad data-press="r" { "Reject…" }
                (send("no", reject(id)))
            }
        }
    }
}

/// Who decides: said where it is one's own name, chosen where there are several, or where it is the name of another.
fn by(way: &str, id: HandoffId, voice: &Voice) -> Markup {
    let field = format!("by-{way}-{id}");
    match voice.names.as_slice() {
        [name] if !voice.for_others => html! {
            (parts::hidden("by", name))
            p.small.soft { "You decide as " b { (name) } }
        },
        names => html! {
            div {
                label for=(field) { @if voice.for_others { "You decide in the name of" } @else { "You decide as" } }
                select id=(field) name="by" { @for name in names { option value=(name) { (name) } } }
            }
        },
    }
}

fn approve(id: HandoffId) -> Markup {
    html! {
        div.row {
            div.grow {
                label for=(format!("yes-{id}")) { "Comment" }
                input id=(format!("yes-{id}")) name="comment" maxlength="1000" autocomplete="off" placeholder="if you like";
            }
            button.main type="submit" name="decision" value="approve" data-press="a" { "Approve" }
        }
    }
}

fn edit(id: HandoffId, request: &Request, to: &str) -> Markup {
    let payload = match &request.task.payload {
        Value::Null => String::new(),
        payload => serde_json::to_string_pretty(payload).unwrap_or_default(),
    };
    html! {
        div.fields {
            div {
                label for=(format!("to-{id}")) { "To whom" }
                input id=(format!("to-{id}")) name="to_agent" value=(to) list="agents" autocomplete="off" required;
            }
            div {
                label for=(format!("priority-{id}")) { "Priority" }
                select id=(format!("priority-{id}")) name="priority" {
                    @for priority in PRIORITIES {
                        option value=(parts::priority_word(priority)) selected[priority == request.task.priority] { (parts::priority_word(priority)) }
                    }
                }
            }
        }
        div {
            label for=(format!("description-{id}")) { "Task" }
            // A line break directly after the tag is not part of the text.
            textarea id=(format!("description-{id}")) name="description" required data-first autofocus { "\n" (request.task.description) }
        }
        div {
            label for=(format!("data-{id}")) { "Data, as JSON" }
            textarea.code id=(format!("data-{id}")) name="payload" spellcheck="false" { "\n" (payload) }
        }
        div {
            label for=(format!("why-{id}")) { "Comment" }
            input id=(format!("why-{id}")) name="comment" maxlength="1000" autocomplete="off" placeholder="what was changed and why";
        }
        div.buttons {
            button.main type="submit" name="decision" value="edit" { "Approve with these changes" }
            button type="submit" name="decision" value="amend" { "Change only, decide later" }
        }
    }
}

fn reject(id: HandoffId) -> Markup {
    html! {
        div {
            label for=(format!("no-{id}")) { "Why not" }
            textarea id=(format!("no-{id}")) name="comment" required data-first maxlength="1000" placeholder="Whoever asked is told this." {}
        }
        div.buttons { button.bad type="submit" name="decision" value="reject" { "Reject" } }
    }
}

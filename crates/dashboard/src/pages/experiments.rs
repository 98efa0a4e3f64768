//! Experiments and routing: two strategies side by side, and how targets were found lately.

use crate::{
    ask::{Answer, Ask},
    page::{Hears, Nav, Page},
    pages::overview,
    parts,
    pulse::{NAMED, real},
};
use handover_core::{
    limits::EXPERIMENT_ENDED_MIN,
    policy::{Experiment, Strategy},
    route::{ArmReport, ExperimentReport, compare::Comparison},
};
use maud::{Markup, html};
use std::collections::BTreeMap;

const EXAMPLE: &str = "# handover.yaml\npolicy:\n  experiments:\n    - name: record\n      a: best_match\n      b: learned\n      share: 0.5";

/// Shares of success that are taken as the same.
const SAME_SUCCESS: f64 = 0.01;

pub(crate) async fn list(ask: Ask) -> Answer {
    let house = ask.engine.caller().house;
    let mut all = Vec::new();
    for experiment in ask.engine.experiments() {
        let report = ask.engine.experiment(&experiment.name)?;
        all.push((experiment, report));
    }
    let body = html! {
        (parts::head(html! { "Experiments" }, html! {}))
        @if !house {
            p.soft { "Experiments count the work of all tenants together; they are shown to those who run the house." }
        } @else if all.is_empty() {
            (parts::empty("No experiment runs", "An experiment splits sessions between two ways to find somebody for a piece of work, and compares how it ended: success, time and cost. Write one into the settings and start the server with them:", Some(EXAMPLE)))
        }
        @for (experiment, report) in &all { (card(experiment, report)) }
        (routing(&ask))
    };
    Page::new("Experiments", Nav::Experiments, body).hears(Hears::All).answer(&ask).await
}

fn card(experiment: &Experiment, report: &ExperimentReport) -> Markup {
    html! {
        section.card data-part=(format!("experiment-{}", experiment.name)) {
            header {
                h2 { (experiment.name) }
                span.soft {
                    @if experiment.shadow {
                        (words(experiment.a)) " decides; " (words(experiment.b)) " only says whom it would have chosen"
                    } @else {
                        (words(experiment.a)) " against " (words(experiment.b)) " with " (overview::percent(experiment.share)) " of the sessions"
                    }
                }
                span.push { (verdict(report)) }
            }
            div.arms { @for arm in &report.arms { (arm_card(arm, report)) } }
            (comparisons(report))
        }
    }
}

/// The words for a strategy, as people say them.
fn words(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::BestMatch => "best match",
        Strategy::LeastLoaded => "least loaded",
        Strategy::RoundRobin => "round robin",
        Strategy::Semantic => "by text",
        Strategy::Llm => "by a model",
        Strategy::Learned => "learned",
    }
}

fn verdict(report: &ExperimentReport) -> Markup {
    if !report.enough {
        return parts::badge("idle", &format!("too early: {EXPERIMENT_ENDED_MIN} ends in each arm are needed"));
    }
    let (tone, words) = judged(report);
    parts::badge(tone, &words)
}

/// What can be said: in what an arm is better where that is no chance. Whoever succeeds less often is not ahead, however quick
/// or cheap it is.
fn judged(report: &ExperimentReport) -> (&'static str, String) {
    let name = |second: bool| report.arms.get(usize::from(second)).map_or("", |arm| arm.arm.as_str());
    let better =
        |comparison: &Comparison, more: bool| comparison.significant.then_some((comparison.difference > 0.0) == more);
    if let Some(second) = better(&report.success, true) {
        return ("good", format!("{} succeeds more often", name(second)));
    }
    let found = [(&report.latency, "quicker"), (&report.cost, "cheaper")]
        .into_iter()
        .find_map(|(comparison, word)| Some((better(comparison, false)?, word)));
    match found {
        None => ("off", "no difference that counts".to_owned()),
        Some((second, word)) if succeeds_less(report, second) => {
            ("off", format!("no winner: {} is {word}, but succeeds less often so far", name(second)))
        }
        Some((second, word)) => ("good", format!("{} is {word}, and succeeds as often", name(second))),
    }
}

/// Whether this arm succeeds less often than the other one, by chance or not.
fn succeeds_less(report: &ExperimentReport, second: bool) -> bool {
    let more = if second { report.success.difference } else { -report.success.difference };
    more < -SAME_SUCCESS
}

fn arm_card(arm: &ArmReport, report: &ExperimentReport) -> Markup {
    let first = report.arms.first().is_some_and(|first| first.arm == arm.arm);
    let most = |value: fn(&ArmReport) -> f64| report.arms.iter().map(value).fold(0.0, f64::max);
    html! {
        div.arm {
            h3 { (arm.arm) @if let Some(strategy) = arm.strategy { " " span.soft { (words(strategy)) } } }
            p { b.value { (parts::number(arm.ended)) } " " span.soft.small { "ended" } }
            (bar("succeeded", if first { "idle" } else { "run" }, arm.success_rate, &overview::percent(arm.success_rate)))
            (bar("time on average", "off", share(arm.mean_ms, most(|arm| arm.mean_ms)), &overview::time(arm.mean_ms)))
            (bar("cost on average", "off", share(arm.mean_cost, most(|arm| arm.mean_cost)), &cost(arm.mean_cost)))
        }
    }
}

fn share(value: f64, most: f64) -> f64 {
    if most > 0.0 { value / most } else { 0.0 }
}

/// Money of one handoff: there is little of it, so that digits count.
fn cost(mean: f64) -> String {
    if mean == 0.0 { "0".to_owned() } else { format!("{mean:.4}") }
}

/// How likely it is by chance alone, from 0 to 1.
fn chance(share: f64) -> String {
    if share < 0.001 { "< 0.001".to_owned() } else { format!("{share:.3}") }
}

/// What lies between two shares: 92 % and 84 % are 8 points apart, and not 8 %.
fn points(difference: f64) -> String {
    let points = format!("{:.1}", difference * 100.0);
    let points = points.strip_suffix(".0").unwrap_or(&points);
    format!("{points} {}", if points == "1" { "point" } else { "points" })
}

/// A bar with its name and its value.
fn bar(name: &str, tone: &str, share: f64, value: &str) -> Markup {
    let width = format!("{:.1}", share.clamp(0.0, 1.0) * 100.0);
    html! {
        div.measure {
            span.soft { (name) }
            span class=(format!("bar {tone}")) aria-hidden="true" { svg viewBox="0 0 100 8" preserveAspectRatio="none" { rect width=(width) height="8" {} } }
            span.number { (value) }
        }
    }
}

fn comparisons(report: &ExperimentReport) -> Markup {
    let [first, second] = [0, 1].map(|at| report.arms.get(at).map_or("", |arm| arm.arm.as_str()));
    let sign = |difference: f64| if difference < 0.0 { "−" } else { "+" };
    let rows = [
        (
            "Success",
            &report.success,
            format!("{}{}", sign(report.success.difference), points(report.success.difference.abs())),
        ),
        (
            "Time",
            &report.latency,
            format!("{}{}", sign(report.latency.difference), overview::time(report.latency.difference.abs())),
        ),
        ("Cost", &report.cost, format!("{}{}", sign(report.cost.difference), cost(report.cost.difference.abs()))),
    ];
    html! {
        table.compare {
            caption.unseen { "How " (second) " differs from " (first) }
            thead { tr { th { "Measure" } th.number { (second) " compared with " (first) } th.number { "p-value" } th { "Significant" } } }
            tbody {
                @for (name, comparison, difference) in rows {
                    tr {
                        td { (name) }
                        td.number { (difference) }
                        td.number { (chance(comparison.p_value)) }
                        td { @if comparison.significant { (parts::badge("good", "yes")) } @else { span.soft { "no" } } }
                    }
                }
            }
        }
    }
}

/// How targets were found lately.
fn routing(ask: &Ask) -> Markup {
    let caller = ask.engine.caller();
    let (counts, since) = if caller.is_restricted() {
        (BTreeMap::new(), None)
    } else {
        ask.house.pulse.look(&caller.tenant, |tenant, since, _| (tenant.strategies.all(ask.now), since))
    };
    let named = (NAMED, "named in the request", counts.get(NAMED).copied().unwrap_or(0));
    let by = Strategy::ALL
        .map(|strategy| (strategy.word(), words(strategy), counts.get(strategy.word()).copied().unwrap_or(0)));
    let rows: Vec<_> = std::iter::once(named).chain(by).filter(|(.., count)| *count > 0).collect();
    let most = rows.iter().map(|(.., count)| *count).max().unwrap_or(0);
    html! {
        section.card data-part="routing" {
            header { h2 { "How targets were found" } @if let Some(since) = since { span.soft.small.push { "since " (parts::ago(since, ask.now)) ", for a day at most" } } }
            @if caller.is_restricted() {
                p.soft { "Figures of all sessions are for those who see all of them." }
            } @else if rows.is_empty() {
                p.soft { "Nothing was handed over lately. A request names its target, or says what is needed and somebody is found." }
            }
            @for (_, words, count) in &rows { (bar(words, "idle", share(real(*count), real(most)), &parts::number(*count))) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_differ_by_points() {
        let text = comparisons(&report((-0.08, false), (0.0, false))).into_string();
        for part in ["−8 points", "b compared with a", "p-value", "Significant", "0.010"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        for (difference, expected) in [(0.0, "0 points"), (0.01, "1 point"), (0.125, "12.5 points")] {
            assert_eq!(points(difference), expected);
        }
        assert_eq!((chance(0.000_2).as_str(), chance(0.5).as_str()), ("< 0.001", "0.500"));
    }

    fn report(success: (f64, bool), latency: (f64, bool)) -> ExperimentReport {
        let comparison = |(difference, significant)| Comparison { difference, p_value: 0.01, significant };
        let arm = |arm: &str| ArmReport {
            arm: arm.into(),
            strategy: None,
            ended: 50,
            success_rate: 0.5,
            mean_ms: 1.0,
            mean_cost: 0.0,
        };
        ExperimentReport {
            name: "x".into(),
            arms: vec![arm("a"), arm("b")],
            success: comparison(success),
            latency: comparison(latency),
            cost: comparison((0.0, false)),
            enough: true,
        }
    }

    #[test]
    fn an_arm_is_better_in_something_and_never_while_it_succeeds_less() {
        for (success, latency, expected) in [
            ((0.2, true), (0.0, false), ("good", "b succeeds more often")),
            ((-0.2, true), (-100.0, true), ("good", "a succeeds more often")),
            ((0.2, false), (-100.0, true), ("good", "b is quicker, and succeeds as often")),
            ((0.0, false), (100.0, true), ("good", "a is quicker, and succeeds as often")),
            ((0.08, false), (100.0, true), ("off", "no winner: a is quicker, but succeeds less often so far")),
            ((-0.08, false), (-100.0, true), ("off", "no winner: b is quicker, but succeeds less often so far")),
            ((0.2, false), (100.0, false), ("off", "no difference that counts")),
        ] {
            let (tone, words) = judged(&report(success, latency));
            assert_eq!((tone, words.as_str()), expected, "{success:?} {latency:?}");
        }
    }
}

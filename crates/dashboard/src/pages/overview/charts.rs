//! How it went lately, as charts.

use super::Lately;
use crate::{
    chart::{Chart, Series, Shape},
    parts,
    pulse::{Figures, real},
};
use maud::{Markup, html};

pub(super) fn cards(lately: &Lately) -> Markup {
    let charts = [throughput(lately), success(lately), latency(lately), tokens(lately), cost(lately)];
    html! { @for chart in charts { (chart.card()) } }
}

/// The same for the tiles, without words: success, what was done, latency, tokens, cost.
pub(super) fn sparks(lately: &Lately) -> [Markup; 5] {
    let mut done = throughput(lately);
    // One colour: how it ended is in the tile before.
    done.series = vec![series(lately, "done", "run", |figures| Some(real(figures.ended())))];
    let mut slowest = latency(lately);
    slowest.series.truncate(1);
    [success(lately), done, slowest, tokens(lately), cost(lately)].map(|chart| chart.spark())
}

fn chart(lately: &Lately, part: &'static str, title: &'static str, series: Vec<Series>) -> Chart {
    let step = if lately.window.step == 1 { "minute".to_owned() } else { format!("{} minutes", lately.window.step) };
    Chart {
        part,
        title,
        value: String::new(),
        about: String::new(),
        shape: Shape::Bars,
        series,
        times: lately.window.columns.iter().map(|(at, _)| *at).collect(),
        step,
        words: count,
        top: None,
    }
}

fn series(lately: &Lately, name: &'static str, tone: &'static str, value: impl Fn(&Figures) -> Option<f64>) -> Series {
    Series { name, tone, values: lately.window.columns.iter().map(|(_, figures)| value(figures)).collect() }
}

fn throughput(lately: &Lately) -> Chart {
    let total = &lately.window.total;
    let ended = vec![
        series(lately, "completed", "good", |figures| Some(real(figures.completed))),
        series(lately, "failed", "bad", |figures| Some(real(figures.failed))),
        series(lately, "other", "off", |figures| Some(real(figures.other))),
    ];
    let about = format!("done, {} begun", short(total.opened));
    Chart { value: short(total.ended()), about, ..chart(lately, "throughput", "Throughput", ended) }
}

fn success(lately: &Lately) -> Chart {
    let share = vec![series(lately, "succeeded", "good", Figures::success)];
    let total = &lately.window.total;
    Chart {
        value: total.success().map_or("–".into(), percent),
        about: format!("of {}", short(total.completed + total.failed)),
        shape: Shape::Steps,
        words: percent,
        top: Some(1.0),
        ..chart(lately, "success", "Success rate", share)
    }
}

fn latency(lately: &Lately) -> Chart {
    let within = |percent| move |figures: &Figures| figures.lasted.within(percent).map(real);
    let lines =
        vec![series(lately, "95 % within", "wait", within(95)), series(lately, "half within", "run", within(50))];
    let half = lately.window.total.lasted.within(50);
    Chart {
        value: half.map_or("–".into(), parts::length),
        about: "for half of them".into(),
        shape: Shape::Powers,
        words: time,
        ..chart(lately, "latency", "Latency", lines)
    }
}

fn tokens(lately: &Lately) -> Chart {
    let used = vec![series(lately, "tokens", "idle", |figures| Some(real(figures.tokens)))];
    Chart {
        value: short(lately.window.total.tokens),
        about: "in all".into(),
        ..chart(lately, "tokens", "Tokens", used)
    }
}

fn cost(lately: &Lately) -> Chart {
    let used = vec![series(lately, "cost", "idle", |figures| Some(figures.cost()))];
    let value = parts::money(lately.window.total.cost());
    Chart { value, about: "in all".into(), words: parts::money, ..chart(lately, "cost", "Cost", used) }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a value of a chart is never below 0")]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

/// A length of time that was reckoned.
pub(crate) fn time(ms: f64) -> String {
    parts::length(whole(ms))
}

fn count(value: f64) -> String {
    if value > 0.0 && value < 1.0 { format!("{value:.1}") } else { short(whole(value)) }
}

/// `97 %`, and `99.5 %` where the rest matters.
pub(crate) fn percent(share: f64) -> String {
    let hundred = share * 100.0;
    if hundred > 99.0 && hundred < 100.0 { format!("{:.1} %", hundred.min(99.9)) } else { format!("{hundred:.0} %") }
}

pub(super) fn per_minute(count: u64, minutes: usize) -> String {
    let rate = real(count) / real(u64::try_from(minutes).unwrap_or(1).max(1));
    if rate >= 10.0 { parts::number(whole(rate)) } else { format!("{rate:.1}") }
}

/// `950`, `12,345`, `1.2 M`: at most five digits.
pub(crate) fn short(count: u64) -> String {
    match count {
        0..100_000 => parts::number(count),
        100_000..1_000_000 => format!("{} k", count / 1_000),
        1_000_000..1_000_000_000 => format!("{:.1} M", real(count) / 1e6),
        _ => format!("{:.1} G", real(count) / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        for (value, expected) in
            [(0, "0"), (12_345, "12,345"), (123_456, "123 k"), (1_250_000, "1.2 M"), (3_000_000_000, "3.0 G")]
        {
            assert_eq!(short(value), expected);
        }
        for (share, expected) in
            [(0.0, "0 %"), (0.974, "97 %"), (0.9951, "99.5 %"), (0.99999, "99.9 %"), (1.0, "100 %")]
        {
            assert_eq!(percent(share), expected);
        }
        for (count, minutes, expected) in [(0, 60, "0.0"), (90, 60, "1.5"), (6_000, 60, "100"), (5, 0, "5.0")] {
            assert_eq!(per_minute(count, minutes), expected);
        }
    }
}

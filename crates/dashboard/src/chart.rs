//! Charts over time, drawn by hand as SVG (pure). The picture has no words of its own: it may be stretched to any width. Scales,
//! times and the legend stand around it as text.

use crate::parts;
use handover_core::time::Timestamp;
use maud::{Markup, html};

/// Height of the picture in its own units; a column is `COLUMN` wide.
const HEIGHT: f64 = 100.0;
const COLUMN: usize = 10;
/// Marks by powers, in milliseconds: of ten, and beyond ten seconds as people count.
const POWERS: [f64; 8] = [10.0, 100.0, 1_000.0, 10_000.0, 60_000.0, 600_000.0, 3_600_000.0, 36_000_000.0];

/// How values are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One upon the other.
    Bars,
    /// Each by itself, with gaps where nothing is known.
    Steps,
    /// The same by powers: what is small is seen beside what is large.
    Powers,
}

/// One row of values.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) name: &'static str,
    /// What its colour means: `run`, `wait`, `good`, `bad`, `idle` or `off`.
    pub(crate) tone: &'static str,
    /// One for each column; nothing where nothing is known.
    pub(crate) values: Vec<Option<f64>>,
}

/// A chart before it is drawn.
pub(crate) struct Chart {
    /// Its name among the parts of the page.
    pub(crate) part: &'static str,
    pub(crate) title: &'static str,
    /// What counts most, large.
    pub(crate) value: String,
    /// What that is.
    pub(crate) about: String,
    pub(crate) shape: Shape,
    pub(crate) series: Vec<Series>,
    /// When each column begins.
    pub(crate) times: Vec<Timestamp>,
    /// How long a column is, in words.
    pub(crate) step: String,
    /// A value in words.
    pub(crate) words: fn(f64) -> String,
    /// The top of the scale, where it is always the same.
    pub(crate) top: Option<f64>,
}

impl Chart {
    /// The chart in its card.
    pub(crate) fn card(&self) -> Markup {
        html! {
            section.card.chart data-part=(self.part) {
                header { h2 { (self.title) } b.value.push { (self.value) } }
                p.about.soft.small { (self.about) ", per " (self.step) @if self.shape == Shape::Powers { ", log scale" } }
                @if self.is_empty() {
                    p.nothing.soft { "Nothing in this time." }
                } @else {
                    div.plot {
                        (self.scale())
                        (self.picture())
                    }
                    div.times aria-hidden="true" {
                        @for at in self.marks() { (parts::hour(at)) }
                        span { "now" }
                    }
                }
                ul.legend {
                    @for series in self.series.iter().filter(|_| !self.is_empty()) {
                        li { i class=(series.tone) {} (series.name) }
                    }
                }
            }
        }
    }

    /// The picture alone, as wide as what it stands in. What it says stands beside it, and in the chart.
    pub(crate) fn spark(&self) -> Markup {
        let view = format!("0 0 {} {HEIGHT}", self.times.len() * COLUMN);
        html! {
            @if !self.is_empty() {
                svg.spark viewBox=(view) preserveAspectRatio="none" aria-hidden="true" {
                    @match self.shape {
                        Shape::Bars => { (self.bars()) }
                        Shape::Steps | Shape::Powers => { @for series in &self.series { path class=(format!("step {}", series.tone)) d=(self.steps(series)) {} } }
                    }
                }
            }
        }
    }

    /// Bars of nothing are nothing. A line at 0 says something: that everything failed.
    fn is_empty(&self) -> bool {
        !self.all().any(|value| self.says(value))
    }

    fn says(&self, value: f64) -> bool {
        self.shape != Shape::Bars || value > 0.0
    }

    fn all(&self) -> impl Iterator<Item = f64> {
        self.series.iter().flat_map(|series| series.values.iter().copied().flatten())
    }

    /// The top of the scale: a round number that holds everything.
    fn top(&self) -> f64 {
        let columns = 0..self.times.len();
        let highest = match self.shape {
            Shape::Bars => columns.map(|column| self.stack(column)).fold(0.0, f64::max),
            Shape::Steps | Shape::Powers => self.all().fold(0.0, f64::max),
        };
        self.top.unwrap_or_else(|| round_up(highest))
    }

    /// The words beside the picture: each where its value is.
    fn scale(&self) -> Markup {
        if self.shape == Shape::Powers {
            return html! {
                svg.powers aria-hidden="true" {
                    @for (level, words) in self.powers() {
                        text x="100%" y=(format!("{}%", number(HEIGHT - level))) dy="0.35em" text-anchor="end" { (words) }
                    }
                }
            };
        }
        let [top, middle, ground] = [self.top(), self.top() / 2.0, 0.0].map(self.words);
        // Half of one is no count: words that are those of another height would be wrong.
        let middle = if middle == top || middle == ground { String::new() } else { middle };
        html! { div.scale aria-hidden="true" { span { (top) } span { (middle) } span { (ground) } } }
    }

    /// The marks on the scale: how high each stands, and its words.
    fn powers(&self) -> Vec<(f64, String)> {
        let top = self.top() * 1.000_001;
        let words = |mark: f64| (self.words)(mark).replace(".0 ", " ");
        POWERS.into_iter().filter(|mark| *mark <= top).map(|mark| (self.level(mark), words(mark))).collect()
    }

    /// Where lines go across the picture.
    fn rules(&self) -> Vec<f64> {
        match self.shape {
            Shape::Bars | Shape::Steps => vec![0.5, 50.0, 99.5],
            Shape::Powers => self.powers().iter().map(|(level, _)| (HEIGHT - level).max(0.5)).chain([99.5]).collect(),
        }
    }

    /// How many columns are over: the last one is not, and what is in it says little yet.
    fn over(&self) -> usize {
        self.times.len().saturating_sub(1)
    }

    fn stack(&self, column: usize) -> f64 {
        self.series.iter().filter_map(|series| *series.values.get(column)?).sum()
    }

    /// Three points of time, evenly apart.
    fn marks(&self) -> Vec<Timestamp> {
        let count = self.times.len();
        [0, count / 3, count * 2 / 3].iter().filter_map(|at| self.times.get(*at).copied()).collect()
    }

    fn picture(&self) -> Markup {
        let width = self.times.len() * COLUMN;
        let view = format!("0 0 {width} {HEIGHT}");
        html! {
            svg viewBox=(view) preserveAspectRatio="none" role="img" aria-label=(self.summary()) {
                @for line in self.rules() { path.rule d=(format!("M0 {}h{width}", number(line))) {} }
                @match self.shape {
                    Shape::Bars => { (self.bars()) }
                    Shape::Steps | Shape::Powers => { @for series in &self.series { path class=(format!("step {}", series.tone)) d=(self.steps(series)) {} } }
                }
                @for (column, at) in self.times.iter().enumerate() {
                    @if let Some(words) = self.told(column) {
                        rect.over x=(column * COLUMN) y="0" width=(COLUMN) height=(HEIGHT) data-at=(at.to_string()) {
                            title { (parts::hour_words(*at)) " " (words) @if column == self.over() { ", so far" } }
                        }
                    }
                }
            }
        }
    }

    fn level(&self, value: f64) -> f64 {
        let top = self.top();
        let share = match self.shape {
            _ if top <= 0.0 => return 0.0,
            Shape::Bars | Shape::Steps => value / top,
            Shape::Powers => value.max(0.0).ln_1p() / top.ln_1p(),
        };
        HEIGHT * share.clamp(0.0, 1.0)
    }

    fn bars(&self) -> Markup {
        html! {
            @for column in 0..self.times.len() {
                @for (tone, top, height) in self.pile(column) {
                    @let class = if column == self.over() { format!("{tone} now") } else { tone.to_owned() };
                    rect class=(class) x=(column * COLUMN + 1) width=(COLUMN - 2) y=(number(top)) height=(number(height)) {}
                }
            }
        }
    }

    /// The pieces of a column from the ground up: colour, upper edge, height.
    fn pile(&self, column: usize) -> Vec<(&'static str, f64, f64)> {
        let mut ground = HEIGHT;
        let mut pieces = Vec::new();
        for series in &self.series {
            let value = series.values.get(column).copied().flatten().unwrap_or(0.0);
            let height = self.level(value);
            if height > 0.0 {
                ground -= height;
                pieces.push((series.tone, ground, height));
            }
        }
        pieces
    }

    fn steps(&self, series: &Series) -> String {
        let mut path = String::new();
        let mut drawing = false;
        // A line that fell at its end would look like trouble.
        let over = &series.values[..self.over().min(series.values.len())];
        let shown = if over.iter().any(Option::is_some) { over } else { &series.values };
        for (column, value) in shown.iter().enumerate() {
            let Some(value) = value else {
                drawing = false;
                continue;
            };
            let level = number(HEIGHT - self.level(*value));
            let x = column * COLUMN;
            path += &if drawing { format!("V{level}h{COLUMN}") } else { format!("M{x} {level}h{COLUMN}") };
            drawing = true;
        }
        path
    }

    /// A column in words; nothing where nothing is.
    fn told(&self, column: usize) -> Option<String> {
        let known = self.series.iter().filter_map(|series| Some((series, (*series.values.get(column)?)?)));
        let parts: Vec<String> = known
            .filter(|(_, value)| self.says(*value))
            .map(|(series, value)| format!("{} {}", (self.words)(value), series.name))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// The chart for whoever does not see it.
    fn summary(&self) -> String {
        let peak = |series: &Series| {
            let best = series.values.iter().enumerate().filter_map(|(column, value)| Some((column, (*value)?)));
            let (column, value) = best.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, value)| self.says(*value))?;
            Some(format!(
                "{} at most {}, at {}",
                series.name,
                (self.words)(value),
                parts::hour_words(*self.times.get(column)?)
            ))
        };
        let peaks: Vec<String> = self.series.iter().filter_map(peak).collect();
        format!("{}, per {}: {} {}. {}.", self.title, self.step, self.value, self.about, peaks.join("; "))
    }
}

/// Few digits: a picture needs no more.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The next of 1, 2, 4, 6, 8, 10, 20 and so on: the half of it is round, too.
fn round_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 0.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let fits = [1.0, 2.0, 4.0, 6.0, 8.0, 10.0].into_iter().find(|factor| factor * power >= value * 0.999_999);
    fits.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(shape: Shape, values: Vec<Vec<Option<f64>>>) -> Chart {
        let tones = ["good", "bad"];
        let times = (0..values[0].len()).map(|n| Timestamp(i64::try_from(n).unwrap() * 60_000)).collect();
        let series = values.into_iter().zip(tones);
        Chart {
            part: "chart",
            title: "Throughput",
            value: "3".into(),
            about: "in all".into(),
            shape,
            series: series.map(|(values, tone)| Series { name: tone, tone, values }).collect(),
            times,
            step: "minute".into(),
            words: |value| format!("{value}"),
            top: None,
        }
    }

    #[test]
    fn scales_are_round() {
        for (value, expected) in
            [(0.0, 0.0), (1.0, 1.0), (1.1, 2.0), (3.0, 4.0), (7.0, 8.0), (9.0, 10.0), (0.05, 0.06), (1_234.0, 2_000.0)]
        {
            assert!((round_up(value) - expected).abs() < expected.max(1.0) * 1e-9, "{value} to {}", round_up(value));
        }
        assert!((round_up(f64::INFINITY)).abs() < f64::EPSILON);
    }

    #[test]
    fn bars_stand_upon_each_other() {
        let drawn = chart(Shape::Bars, vec![vec![Some(1.0), None], vec![Some(1.0), Some(2.0)]]).card().into_string();
        for expected in [
            r#"<rect class="good" x="1" width="8" y="50" height="50"></rect>"#,
            r#"<rect class="bad" x="1" width="8" y="0" height="50"></rect>"#,
            r#"<rect class="bad now" x="11" width="8" y="0" height="100"></rect>"#,
            "00:01 UTC 2 bad, so far",
            "Throughput, per minute: 3 in all. good at most 1, at 00:00 UTC; bad at most 2, at 00:01 UTC.",
            r#"<time datetime="1970-01-01T00:00:00.000Z" data-hour>00:00 UTC</time>"#,
        ] {
            assert!(drawn.contains(expected), "{expected} is not in {drawn}");
        }
    }

    #[test]
    fn steps_have_gaps_where_nothing_is_known() {
        let drawn = chart(Shape::Steps, vec![vec![Some(1.0), Some(2.0), None, Some(2.0), None]]).card().into_string();
        assert!(drawn.contains(r#"d="M0 50h10V0h10M30 0h10""#), "{drawn}");
    }

    #[test]
    fn a_line_ends_before_what_is_not_over() {
        let drawn = chart(Shape::Steps, vec![vec![Some(1.0), Some(1.0), Some(0.0)]]).card().into_string();
        assert!(drawn.contains(r#"d="M0 0h10V0h10""#), "{drawn}");
    }

    #[test]
    fn what_is_small_is_seen_beside_what_is_large() {
        let lines = vec![vec![Some(30_000.0), None], vec![Some(700.0), None]];
        let drawn = chart(Shape::Powers, lines);
        assert!(drawn.level(700.0) > HEIGHT / 2.0 && drawn.level(30_000.0) < HEIGHT, "{}", drawn.level(700.0));
        let text = drawn.card().into_string();
        for expected in [
            "log scale",
            // 10, 100, 1,000 and 10,000 of 40,000, each at its height; and a line across the picture there.
            r#"<text x="100%" y="77.4%" dy="0.35em" text-anchor="end">10</text>"#,
            r#"<text x="100%" y="34.8%" dy="0.35em" text-anchor="end">1000</text>"#,
            r#"d="M0 34.8h20""#,
        ] {
            assert!(text.contains(expected), "{expected} is not in {text}");
        }
        assert!(!text.contains(">100000<"), "{text}");
    }

    #[test]
    fn words_stand_at_their_height() {
        let scale = |words: fn(f64) -> String, value: f64| {
            let drawn = Chart { words, ..chart(Shape::Bars, vec![vec![Some(value)]]) }.card().into_string();
            let (_, rest) = drawn.split_once("<div class=\"scale\" aria-hidden=\"true\">").unwrap();
            rest.split("</div>").next().unwrap().replace("</span>", " ").replace("<span>", "").trim_end().to_owned()
        };
        assert_eq!(scale(parts::money, 0.041), "0.06 0.03 0");
        assert_eq!(scale(parts::money, 0.009), "0.01 0.0050 0");
        assert_eq!(scale(|value| format!("{value:.0}"), 1.0), "1  0");
        assert_eq!(scale(|value| format!("{value:.0}"), 5.0), "6 3 0");
    }

    #[test]
    fn a_spark_is_a_picture_without_words() {
        let drawn = chart(Shape::Bars, vec![vec![Some(1.0), Some(2.0)]]).spark().into_string();
        assert!(drawn.starts_with("<svg class=\"spark\" viewBox=\"0 0 20 100\""), "{drawn}");
        for (word, there) in
            [("aria-hidden=\"true\"", true), ("rect class=\"good\"", true), ("title", false), ("UTC", false)]
        {
            assert_eq!(drawn.contains(word), there, "{word}: {drawn}");
        }
        assert_eq!(chart(Shape::Bars, vec![vec![None, Some(0.0)]]).spark().into_string(), "");
    }

    #[test]
    fn an_empty_chart_says_so() {
        for (shape, values) in [(Shape::Bars, vec![None, Some(0.0)]), (Shape::Steps, vec![None, None])] {
            let drawn = chart(shape, vec![values]).card().into_string();
            assert!(drawn.contains("Nothing in this time.") && !drawn.contains("<svg"), "{drawn}");
        }
    }

    #[test]
    fn a_line_at_nothing_is_drawn() {
        let drawn = Chart { top: Some(1.0), ..chart(Shape::Steps, vec![vec![None, Some(0.0)]]) }.card().into_string();
        for expected in [r#"d="M10 100h10""#, "00:01 UTC 0 good", "good at most 0, at 00:01 UTC"] {
            assert!(drawn.contains(expected), "{expected} is not in {drawn}");
        }
    }
}

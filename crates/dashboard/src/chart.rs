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
mod tests;

//! Metrics as Prometheus reads them: the text format, version 0.0.4.

use super::{
    registry::{Point, Snapshot},
    table::{BUCKETS, Metric, MetricKind},
};
use std::fmt::Write as _;

/// The type of the text, for whoever serves it.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// All metrics as text. One without a value is left out.
#[must_use]
pub fn text(metrics: &[Snapshot]) -> String {
    let mut out = String::new();
    for Snapshot { metric, series } in metrics.iter().filter(|metric| !metric.series.is_empty()) {
        let name = metric.name();
        let _ = writeln!(out, "# HELP {name} {}", escaped_help(metric.help()));
        let _ = writeln!(out, "# TYPE {name} {}", metric.kind().word());
        for point in series {
            match metric.kind() {
                MetricKind::Counter | MetricKind::Gauge => {
                    let _ = writeln!(out, "{name}{} {}", labels(*metric, point, None), number(point.value));
                }
                MetricKind::Histogram => histogram(&mut out, *metric, point),
            }
        }
    }
    out
}

fn histogram(out: &mut String, metric: Metric, point: &Point) {
    let name = metric.name();
    let mut count = 0;
    let bounds = BUCKETS.iter().copied().map(number).chain(["+Inf".to_owned()]);
    for (bound, met) in bounds.zip(&point.buckets) {
        count += met;
        let _ = writeln!(out, "{name}_bucket{} {count}", labels(metric, point, Some(&bound)));
    }
    let labels = labels(metric, point, None);
    let _ = writeln!(out, "{name}_sum{labels} {}", number(point.value));
    let _ = writeln!(out, "{name}_count{labels} {count}");
}

fn labels(metric: Metric, point: &Point, bound: Option<&str>) -> String {
    let own = metric.labels().iter().zip(&point.labels);
    let mut pairs: Vec<String> = own.map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    pairs.extend(bound.map(|bound| format!("le=\"{bound}\"")));
    if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn escaped_help(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n")
}

/// A number as both sides write it: `1`, `0.25`, `+Inf`.
fn number(value: f64) -> String {
    if value == f64::INFINITY {
        "+Inf".to_owned()
    } else if value == f64::NEG_INFINITY {
        "-Inf".to_owned()
    } else {
        value.to_string()
    }
}

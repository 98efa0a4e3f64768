//! The page of metrics, made from the table in the code.

use super::{MARK, Page};
use handover::telemetry::metrics::{Metric, table::BUCKETS};
use std::fmt::Write;

pub fn page() -> Page {
    let mut text = format!(
        "{MARK}\n# Metrics\n\nEvery metric of `/metrics` and of OTLP, as the table in \
         [table.rs](../../crates/telemetry/src/metrics/table.rs) has them. Counters begin\nanew with the process. Each \
         metric has at most `METRIC_SERIES_MAX` sets of labels ([limits](limits.md)); what is beyond counts as\n`other`. \
         [How to see them](../guides/telemetry.md).\n\n\
         | name | type | labels | what it says |\n|---|---|---|---|\n"
    );
    for metric in Metric::ALL {
        let labels: Vec<String> = metric.labels().iter().map(|label| format!("`{label}`")).collect();
        let (name, kind) = (metric.name(), metric.kind().word());
        let _ = writeln!(text, "| `{name}` | {kind} | {} | {} |", labels.join(", "), metric.help());
    }
    let bounds: Vec<String> = BUCKETS.iter().map(ToString::to_string).collect();
    let _ = writeln!(text, "\nThe buckets of every histogram, in seconds: {}.", bounds.join(", "));
    Page { path: "docs/reference/metrics.md".into(), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_metric_has_its_line() {
        let text = page().text;
        for metric in Metric::ALL {
            assert_eq!(text.matches(&format!("| `{}` |", metric.name())).count(), 1, "{}", metric.name());
        }
    }
}

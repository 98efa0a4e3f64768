//! Spans and metrics as OpenTelemetry writes them in JSON: the mapping of proto3, with ids in hexadecimal. Pure.

use crate::{
    metrics::{Metric, MetricKind, Point, Snapshot, table::BUCKETS},
    span::{Link, Span, SpanKind, Value as Attribute},
};
use handover_core::time::Timestamp;
use serde_json::{Value, json};

/// Who made the spans and metrics.
const SCOPE: &str = "handover";
/// Sums count from the start of the process.
const CUMULATIVE: u8 = 2;
/// The status of a span that went wrong.
const ERROR: u8 = 2;

/// The body of a message with spans.
#[must_use]
pub fn traces(service: &str, spans: &[Span]) -> Value {
    let spans: Vec<Value> = spans.iter().map(span).collect();
    json!({"resourceSpans": [{"resource": resource(service), "scopeSpans": [{"scope": scope(), "spans": spans}]}]})
}

/// The body of a message with metrics, counted since a time.
#[must_use]
pub fn metrics(service: &str, metrics: &[Snapshot], since: Timestamp, now: Timestamp) -> Value {
    let known = metrics.iter().filter(|metric| !metric.series.is_empty());
    let metrics: Vec<Value> = known.map(|snapshot| metric(snapshot, since, now)).collect();
    json!({
        "resourceMetrics": [{"resource": resource(service), "scopeMetrics": [{"scope": scope(), "metrics": metrics}]}]
    })
}

fn resource(service: &str) -> Value {
    json!({"attributes": [
        attribute("service.name", &service.into()),
        attribute("service.version", &env!("CARGO_PKG_VERSION").into()),
    ]})
}

fn scope() -> Value {
    json!({"name": SCOPE, "version": env!("CARGO_PKG_VERSION")})
}

fn span(span: &Span) -> Value {
    let attributes: Vec<Value> = span.attributes.0.iter().map(|(name, value)| attribute(name, value)).collect();
    let mut written = json!({
        "traceId": span.trace.to_string(),
        "spanId": span.id.to_string(),
        "name": span.name,
        "kind": kind(span.kind),
        "startTimeUnixNano": nanos(span.start),
        "endTimeUnixNano": nanos(span.end.max(span.start)),
        "attributes": attributes,
    });
    if let Some(parent) = span.parent {
        written["parentSpanId"] = parent.to_string().into();
    }
    if !span.links.is_empty() {
        written["links"] = span.links.iter().map(link).collect();
    }
    if let Some(error) = span.error {
        written["status"] = json!({"code": ERROR, "message": error});
    }
    written
}

fn link(link: &Link) -> Value {
    json!({
        "traceId": link.trace.to_string(),
        "spanId": link.span.to_string(),
        "attributes": [attribute("handover.relation", &link.relation.into())],
    })
}

fn kind(kind: SpanKind) -> u8 {
    match kind {
        SpanKind::Internal => 1,
        SpanKind::Client => 3,
        SpanKind::Producer => 4,
        SpanKind::Consumer => 5,
    }
}

fn attribute(name: &str, value: &Attribute) -> Value {
    let value = match value {
        Attribute::Text(text) => json!({"stringValue": text}),
        Attribute::Whole(n) => json!({"intValue": n.to_string()}),
        Attribute::Number(n) => json!({"doubleValue": n}),
        Attribute::Words(words) => {
            let words: Vec<Value> = words.iter().map(|word| json!({"stringValue": word})).collect();
            json!({"arrayValue": {"values": words}})
        }
    };
    json!({"key": name, "value": value})
}

fn metric(snapshot: &Snapshot, since: Timestamp, now: Timestamp) -> Value {
    let metric = snapshot.metric;
    let points: Vec<Value> = snapshot.series.iter().map(|series| point(metric, series, since, now)).collect();
    let mut written = json!({"name": metric.name(), "description": metric.help(), "unit": metric.unit()});
    match metric.kind() {
        MetricKind::Counter => {
            written["sum"] = json!({"dataPoints": points, "aggregationTemporality": CUMULATIVE, "isMonotonic": true});
        }
        MetricKind::Gauge => written["gauge"] = json!({"dataPoints": points}),
        MetricKind::Histogram => {
            written["histogram"] = json!({"dataPoints": points, "aggregationTemporality": CUMULATIVE});
        }
    }
    written
}

fn point(metric: Metric, point: &Point, since: Timestamp, now: Timestamp) -> Value {
    let labels = metric.labels().iter().zip(&point.labels);
    let attributes: Vec<Value> = labels.map(|(name, value)| attribute(name, &value.as_str().into())).collect();
    let mut written = json!({"attributes": attributes, "timeUnixNano": nanos(now)});
    if metric.kind() != MetricKind::Gauge {
        written["startTimeUnixNano"] = nanos(since);
    }
    if metric.kind() == MetricKind::Histogram {
        let counts: Vec<String> = point.buckets.iter().map(ToString::to_string).collect();
        written["count"] = point.buckets.iter().sum::<u64>().to_string().into();
        written["sum"] = point.value.into();
        written["bucketCounts"] = counts.into();
        written["explicitBounds"] = BUCKETS.to_vec().into();
    } else {
        written["asDouble"] = point.value.into();
    }
    written
}

/// A time in nanoseconds since 1970, as text: 64 bits do not fit a number of JSON.
fn nanos(time: Timestamp) -> Value {
    let ms = u64::try_from(time.0).unwrap_or(0);
    ms.saturating_mul(1_000_000).to_string().into()
}

"""Reads the traces and metrics of a folder with the packages of those for whom they are written."""

import base64
import json
import pathlib
import sys

from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from prometheus_client.parser import text_string_to_metric_families

IDS = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def with_bytes(value):
    """OTLP writes ids in hexadecimal, and the JSON of protobuf in base 64."""
    if isinstance(value, list):
        return [with_bytes(item) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {}
    for name, item in value.items():
        if name in IDS:
            raw = bytes.fromhex(item)
            assert len(raw) == IDS[name] and any(raw), (name, item)
            changed[name] = base64.b64encode(raw).decode()
        else:
            changed[name] = with_bytes(item)
    return changed


def read(path, message):
    text = json.dumps(with_bytes(json.loads(path.read_text())))
    return Parse(text, message, ignore_unknown_fields=False)


def traces(path):
    spans = read(path, ExportTraceServiceRequest()).resource_spans[0].scope_spans[0].spans
    names = {span.name.split(" ")[0] for span in spans}
    assert names == {"handoff", "invoke_agent", "chat", "execute_tool"}, names
    by_id = {span.span_id: span for span in spans}
    assert len(by_id) == len(spans)
    for span in spans:
        assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano, span
        assert span.kind != 0, span
        for link in span.links:
            linked = by_id[link.span_id]
            assert span.span_id in {back.span_id for back in linked.links}, "links go both ways"
        if not span.name.startswith("handoff"):
            assert by_id[span.parent_span_id].trace_id == span.trace_id
    return len(spans)


def metrics(path):
    found = read(path, ExportMetricsServiceRequest()).resource_metrics[0].scope_metrics[0].metrics
    for metric in found:
        assert metric.WhichOneof("data") in ("sum", "gauge", "histogram"), metric
        for point in metric.histogram.data_points:
            assert len(point.bucket_counts) == len(point.explicit_bounds) + 1, metric
            assert sum(point.bucket_counts) == point.count, metric
    return {metric.name for metric in found}


def families(path):
    found = list(text_string_to_metric_families(path.read_text()))
    for family in found:
        assert family.type in ("counter", "gauge", "histogram") and family.documentation, family
        assert family.samples, family
    # The package takes the ending off the name of a counter.
    return {family.name + ("_total" if family.type == "counter" else "") for family in found}


def main(folder):
    count = traces(folder / "traces.json")
    told, scraped = metrics(folder / "metrics.json"), families(folder / "metrics.txt")
    assert told == scraped, told ^ scraped
    wanted = int((folder / "families.txt").read_text())
    assert len(scraped) == wanted, (len(scraped), wanted)
    print(f"{count} spans and {len(scraped)} metrics are understood")


main(pathlib.Path(sys.argv[1]))

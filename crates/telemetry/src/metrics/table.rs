//! The table of metrics: every one of them, by name. The page `docs/reference/metrics.md` is made from it.

/// How a metric counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// Goes up, and begins anew with the process.
    Counter,
    /// Goes up and down.
    Gauge,
    /// How often a time was at most so long.
    Histogram,
}

impl MetricKind {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

macro_rules! metrics {
    ($($variant:ident = $name:literal, $kind:ident, [$($label:literal),*], $unit:literal, $help:literal;)*) => {
        /// A metric.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Metric {
            $(#[doc = $help] $variant,)*
        }

        impl Metric {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// How it counts.
            #[must_use]
            pub fn kind(self) -> MetricKind {
                match self { $(Self::$variant => MetricKind::$kind),* }
            }

            /// Its labels.
            #[must_use]
            pub fn labels(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($label),*]),* }
            }

            /// Its unit, as OpenTelemetry writes it.
            #[must_use]
            pub fn unit(self) -> &'static str {
                match self { $(Self::$variant => $unit),* }
            }

            /// What it says.
            #[must_use]
            pub fn help(self) -> &'static str {
                match self { $(Self::$variant => $help),* }
            }
        }
    };
}

metrics! {
    HandoffsStarted = "handover_handoffs_started_total", Counter, ["type"], "1",
        "Handoffs that were initiated.";
    Handoffs = "handover_handoffs_total", Counter, ["type", "status"], "1",
        "Handoffs that ended, by how.";
    HandoffsOpen = "handover_handoffs_open", Gauge, ["status"], "1",
        "Handoffs that go on, by where they stand.";
    AcceptSeconds = "handover_handoff_accept_seconds", Histogram, ["type"], "s",
        "Time from the initiation of a handoff to its first acceptance.";
    HandoffSeconds = "handover_handoff_duration_seconds", Histogram, ["type", "status"], "s",
        "Time from the initiation of a handoff to its end.";
    Refusals = "handover_refusals_total", Counter, ["code"], "1",
        "Commands that were refused, by code. One that is wrong in several ways counts for each.";
    Stops = "handover_stops_total", Counter, ["code"], "1",
        "Times that a guard or another refusal made a session fall back or kept a workflow from going on, by code.";
    ApprovalsWaiting = "handover_approvals_waiting", Gauge, [], "1",
        "Handoffs that wait for the word of a person.";
    Approvals = "handover_approvals_total", Counter, ["answer"], "1",
        "Answers of people to handoffs that waited for them.";
    LeasesLost = "handover_leases_lost_total", Counter, [], "1",
        "Leases that ran out or were taken back.";
    SessionsActive = "handover_sessions_active", Gauge, [], "1",
        "Sessions with a handoff that is not closed.";
    SessionsOpened = "handover_sessions_opened_total", Counter, [], "1",
        "Sessions that were opened.";
    SessionsEnded = "handover_sessions_ended_total", Counter, [], "1",
        "Sessions that ended.";
    Agents = "handover_agents", Gauge, ["standing"], "1",
        "Agents that are registered, by standing.";
    AgentLoad = "handover_agent_load", Gauge, ["agent"], "1",
        "Handoffs that an agent works on.";
    AgentQueue = "handover_agent_queue", Gauge, ["agent"], "1",
        "Handoffs on offer to an agent that it has not taken.";
    AgentTokens = "handover_agent_tokens_total", Counter, ["agent"], "1",
        "Tokens that were charged for the work of an agent.";
    AgentCost = "handover_agent_cost_total", Counter, ["agent"], "1",
        "Money that was charged for the work of an agent, in the currency of the price table.";
    Breaker = "handover_breaker_state", Gauge, ["agent", "state"], "1",
        "Breakers that remember a failure: 1 with the state that each is in.";
    FeedPosition = "handover_feed_position", Gauge, [], "1",
        "The last position of the feed that is on disk.";
    FeedLag = "handover_telemetry_lag", Gauge, [], "1",
        "Records of the feed that these metrics have not seen yet.";
    Commits = "handover_store_commits_total", Counter, [], "1",
        "Commits that are on disk.";
    Batches = "handover_store_batches_total", Counter, [], "1",
        "Batches in which commits were written, each with one sync.";
    Nodes = "handover_nodes", Gauge, [], "1",
        "Nodes that work on the store, as this one knows; 1 where it has the store for itself.";
    ClockApart = "handover_clock_apart_seconds", Gauge, [], "s",
        "How far the clock of this node is ahead of the database's; 0 where it has the store for itself.";
    BusLag = "handover_bus_lag", Gauge, [], "1",
        "Records of the feed that are not known to be on the bus yet. Nothing where there is no bus.";
    BusConnected = "handover_bus_connected", Gauge, [], "1",
        "1 when the server of the bus answers. Nothing where there is no bus.";
    Stopped = "handover_store_stopped", Gauge, [], "1",
        "1 when the store has stopped writing.";
    SpansSent = "handover_telemetry_spans_sent_total", Counter, [], "1",
        "Spans that a collector took.";
    SpansDropped = "handover_telemetry_spans_dropped_total", Counter, ["why"], "1",
        "Spans that were dropped: the queue was full, or the collector did not take them.";
    ExportFailures = "handover_telemetry_failures_total", Counter, ["signal"], "1",
        "Messages to a collector that came to nothing after all tries.";
    HttpRequests = "handover_http_requests_total", Counter, ["method", "route", "status"], "1",
        "Requests that the server answered.";
    HttpSeconds = "handover_http_request_duration_seconds", Histogram, ["method", "route"], "s",
        "Time from a request to the end of its answer.";
    HttpInFlight = "handover_http_requests_in_flight", Gauge, [], "1",
        "Requests that the server is answering.";
    Listeners = "handover_sse_listeners", Gauge, [], "1",
        "Listeners to live events.";
    RateLimited = "handover_rate_limited_total", Counter, [], "1",
        "Requests above a rate limit.";
    Denied = "handover_denied_total", Counter, [], "1",
        "Requests without a key that allows them.";
}

/// The bounds of the buckets of every histogram, in seconds: from a local answer to a day of waiting for a person.
pub const BUCKETS: [f64; 16] =
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0, 300.0, 3_600.0, 21_600.0, 86_400.0];

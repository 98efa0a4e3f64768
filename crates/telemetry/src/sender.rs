//! Sends messages to a collector: bounded in time and tries, again where that may go better.

use crate::{
    metrics::{Metric, Metrics, number},
    otlp,
    queue::Queue,
    settings::{BadSetting, TelemetrySettings},
    span::Span,
};
use handover_core::limits::{
    TELEMETRY_ANSWER_MS, TELEMETRY_BATCH_MAX, TELEMETRY_EXPORT_MS, TELEMETRY_TRIES_MAX, TELEMETRY_TURN_MS,
    TELEMETRY_WAIT_MS, TELEMETRY_WAIT_MS_MAX,
};
use handover_engine::Engine;
use reqwest::{
    Client, Url,
    header::{self, HeaderMap, HeaderName, HeaderValue},
    redirect,
};
use serde_json::Value;
use std::{
    sync::{Arc, Once},
    time::Duration,
};
use tokio::sync::watch;

/// The chore that one process has at a time.
const CHORE: &str = "telemetry";

/// Whoever sends to one collector.
pub(crate) struct Sender {
    http: Client,
    settings: TelemetrySettings,
    traces: Url,
    metrics_at: Url,
    engine: Engine,
    metrics: Metrics,
    queue: Arc<Queue>,
    /// Says when there is no more time.
    stop: watch::Receiver<bool>,
}

/// What may go better another time, and when; or what will not.
enum Trouble {
    Passing(Option<u64>),
    Lasting,
}

impl Sender {
    /// A sender; nothing where the settings name no collector.
    pub(crate) fn new(
        settings: &TelemetrySettings,
        engine: &Engine,
        metrics: &Metrics,
        (queue, stop): (&Arc<Queue>, watch::Receiver<bool>),
    ) -> Result<Option<Self>, BadSetting> {
        let (Some(traces), Some(metrics_at)) = (settings.address("traces"), settings.address("metrics")) else {
            return Ok(None);
        };
        install_crypto();
        let client = Client::builder()
            .redirect(redirect::Policy::none())
            .timeout(Duration::from_millis(TELEMETRY_ANSWER_MS))
            .default_headers(headers(settings))
            .build();
        let http = client.map_err(|error| BadSetting {
            name: "endpoint".to_owned(),
            why: format!("no connection can be made: {}", error.without_url()),
        })?;
        let (settings, engine, metrics, queue) = (settings.clone(), engine.clone(), metrics.clone(), queue.clone());
        Ok(Some(Self { http, settings, traces, metrics_at, engine, metrics, queue, stop }))
    }

    /// Sends what there is, now and then, until it is told to stop; then sends what is left.
    pub(crate) async fn run(self) {
        let clock = self.engine.clock();
        let mut metrics_due = clock.now() + self.settings.interval();
        while !self.is_stopped() {
            let next = (clock.now() + TELEMETRY_EXPORT_MS).min(metrics_due);
            tokio::select! {
                () = self.queue.full.notified() => {}
                () = clock.until(next) => {}
                () = self.stopped() => break,
            }
            let mine = self.is_my_turn().await;
            self.send_spans(mine).await;
            if clock.now() >= metrics_due {
                if mine {
                    self.send_metrics().await;
                }
                metrics_due = clock.now() + self.settings.interval();
            }
        }
        let mine = self.is_my_turn().await;
        self.send_spans(mine).await;
        if mine {
            self.send_metrics().await;
        }
    }

    /// Every process on one store sees all that happens; one of them sends it.
    async fn is_my_turn(&self) -> bool {
        self.engine.take_chore(CHORE, TELEMETRY_TURN_MS).await.unwrap_or(false)
    }

    fn is_stopped(&self) -> bool {
        *self.stop.borrow()
    }

    async fn stopped(&self) {
        // Whoever could stop it is gone: that is a stop, too.
        let _ = self.stop.clone().wait_for(|stop| *stop).await;
    }

    async fn send_spans(&self, mine: bool) {
        loop {
            let spans = self.queue.batch();
            if spans.is_empty() {
                return;
            }
            if mine {
                self.send_batch(&spans).await;
            }
            if spans.len() < TELEMETRY_BATCH_MAX {
                return;
            }
        }
    }

    async fn send_batch(&self, spans: &[Span]) {
        let body = otlp::traces(self.settings.service(), spans);
        let count = number(spans.len() as u64);
        if self.send(&self.traces, &body).await {
            self.metrics.registry().add(Metric::SpansSent, &[], count);
        } else {
            self.metrics.registry().add(Metric::SpansDropped, &["not_taken"], count);
            self.metrics.registry().count(Metric::ExportFailures, &["traces"]);
        }
    }

    async fn send_metrics(&self) {
        let snapshot = self.metrics.read(&self.engine).await;
        let body = otlp::metrics(self.settings.service(), &snapshot, self.metrics.since(), self.engine.now());
        if !self.send(&self.metrics_at, &body).await {
            self.metrics.registry().count(Metric::ExportFailures, &["metrics"]);
        }
    }

    /// Whether a collector took it.
    async fn send(&self, to: &Url, body: &Value) -> bool {
        let body = body.to_string();
        let mut wait_ms = TELEMETRY_WAIT_MS;
        for tries in 1..=TELEMETRY_TRIES_MAX {
            match self.once(to, body.clone()).await {
                Ok(()) => return true,
                // When all is closed there is one more try, at once.
                Err(Trouble::Passing(after)) if tries < TELEMETRY_TRIES_MAX && !self.is_stopped() => {
                    let wait = self.engine.wait(after.unwrap_or(wait_ms).min(TELEMETRY_WAIT_MS_MAX));
                    tokio::select! {
                        () = wait => {}
                        () = self.stopped() => {}
                    }
                    wait_ms = wait_ms.saturating_mul(2);
                }
                Err(Trouble::Passing(_) | Trouble::Lasting) => return false,
            }
        }
        false
    }

    async fn once(&self, to: &Url, body: String) -> Result<(), Trouble> {
        let request = self.http.post(to.clone()).header(header::CONTENT_TYPE, "application/json").body(body);
        let response = request.send().await.map_err(|_| Trouble::Passing(None))?;
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let after = response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        let after = after.and_then(|text| text.trim().parse::<u64>().ok()).map(|seconds| seconds.saturating_mul(1_000));
        Err(match status.as_u16() {
            429 | 502 | 503 | 504 => Trouble::Passing(after),
            _ => Trouble::Lasting,
        })
    }
}

fn headers(settings: &TelemetrySettings) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in &settings.headers {
        let (name, value) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value));
        if let (Ok(name), Ok(mut value)) = (name, value) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
    headers
}

/// Encrypted connections need a provider; one that another part of the process chose before counts.
fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
}

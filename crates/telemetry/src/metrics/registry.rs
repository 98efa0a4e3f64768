//! Where metrics are counted: one family for each line of the table, one series for each set of labels.

use super::table::{BUCKETS, Metric, MetricKind};
use handover_core::limits::METRIC_SERIES_MAX;
use parking_lot::RwLock;
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// Stands for the labels that are beyond the bound.
pub const OTHER: &str = "other";

/// A number that many add to at once.
#[derive(Debug, Default)]
struct Number(AtomicU64);

impl Number {
    fn add(&self, by: f64) {
        let add = |bits: u64| Some((f64::from_bits(bits) + by).to_bits());
        // It cannot fail: there is always a next value.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    fn set(&self, to: f64) {
        self.0.store(to.to_bits(), Ordering::Relaxed);
    }

    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }
}

/// One set of labels.
#[derive(Debug, Default)]
struct Series {
    /// The value; of a histogram, the sum.
    number: Number,
    /// How often each bucket was met, the last one without a bound; empty where it is no histogram.
    buckets: Vec<AtomicU64>,
}

/// The values of labels, in the order of the table.
type Labels = Vec<String>;

/// One metric with all its series.
#[derive(Debug, Default)]
struct Family(RwLock<BTreeMap<Labels, Arc<Series>>>);

/// All metrics of a process.
#[derive(Debug)]
pub struct Registry {
    families: BTreeMap<Metric, Family>,
}

impl Default for Registry {
    fn default() -> Self {
        Self { families: Metric::ALL.iter().map(|metric| (*metric, Family::default())).collect() }
    }
}

/// A metric at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Which.
    pub metric: Metric,
    /// Its series.
    pub series: Vec<Point>,
}

/// One series at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The values of its labels, in the order of the table.
    pub labels: Vec<String>,
    /// The value; of a histogram, the sum.
    pub value: f64,
    /// How often each bucket was met, the last one without a bound; empty where it is no histogram.
    pub buckets: Vec<u64>,
}

impl Registry {
    /// Counts up.
    pub fn add(&self, metric: Metric, labels: &[&str], by: f64) {
        self.with(metric, labels, |series| series.number.add(by));
    }

    /// Counts one up.
    pub fn count(&self, metric: Metric, labels: &[&str]) {
        self.add(metric, labels, 1.0);
    }

    /// Sets a value.
    pub fn set(&self, metric: Metric, labels: &[&str], to: f64) {
        self.with(metric, labels, |series| series.number.set(to));
    }

    /// Sets all series of a metric anew. What is beyond the bound is one sum.
    pub fn replace(&self, metric: Metric, values: impl IntoIterator<Item = (Vec<String>, f64)>) {
        let mut new: BTreeMap<Labels, Arc<Series>> = BTreeMap::new();
        for (labels, value) in values {
            let fits = new.len() < METRIC_SERIES_MAX || new.contains_key(&labels);
            let labels = if fits { labels } else { vec![OTHER.to_owned(); labels.len()] };
            new.entry(labels).or_default().number.add(value);
        }
        if let Some(family) = self.families.get(&metric) {
            *family.0.write() = new;
        }
    }

    /// Notes that something took so many seconds.
    pub fn observe(&self, metric: Metric, labels: &[&str], seconds: f64) {
        self.with(metric, labels, |series| {
            let at = BUCKETS.iter().position(|bound| seconds <= *bound).unwrap_or(BUCKETS.len());
            if let Some(bucket) = series.buckets.get(at) {
                bucket.fetch_add(1, Ordering::Relaxed);
            }
            series.number.add(seconds);
        });
    }

    /// All metrics, in the order of the table.
    #[must_use]
    pub fn snapshot(&self) -> Vec<Snapshot> {
        let point = |(labels, series): (&Labels, &Arc<Series>)| Point {
            labels: labels.clone(),
            value: series.number.get(),
            buckets: series.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect(),
        };
        let of = |(metric, family): (&Metric, &Family)| Snapshot {
            metric: *metric,
            series: family.0.read().iter().map(point).collect(),
        };
        self.families.iter().map(of).collect()
    }

    fn with(&self, metric: Metric, labels: &[&str], then: impl FnOnce(&Series)) {
        debug_assert_eq!(metric.labels().len(), labels.len(), "{}", metric.name());
        let Some(family) = self.families.get(&metric) else { return };
        let labels: Labels = labels.iter().map(|label| (*label).to_owned()).collect();
        if let Some(series) = family.0.read().get(&labels) {
            return then(series);
        }
        let mut all = family.0.write();
        let fits = all.len() < METRIC_SERIES_MAX || all.contains_key(&labels);
        let labels = if fits { labels } else { vec![OTHER.to_owned(); labels.len()] };
        then(all.entry(labels).or_insert_with(|| Arc::new(Series::of(metric))));
    }
}

impl Series {
    fn of(metric: Metric) -> Self {
        let buckets = if metric.kind() == MetricKind::Histogram { BUCKETS.len() + 1 } else { 0 };
        Self { number: Number::default(), buckets: std::iter::repeat_with(AtomicU64::default).take(buckets).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(registry: &Registry, metric: Metric) -> Vec<Point> {
        registry.snapshot().into_iter().find(|found| found.metric == metric).unwrap().series
    }

    #[test]
    fn labels_beyond_the_bound_are_one_series() {
        let registry = Registry::default();
        for n in 0..METRIC_SERIES_MAX + 50 {
            registry.count(Metric::Refusals, &[&format!("c{n}")]);
        }
        registry.count(Metric::Refusals, &["c0"]);
        let found = series(&registry, Metric::Refusals);
        assert_eq!(found.len(), METRIC_SERIES_MAX + 1);
        let value = |label: &str| found.iter().find(|point| point.labels == [label]).map(|point| point.value);
        assert_eq!((value("c0"), value(OTHER)), (Some(2.0), Some(50.0)));
        let loads = (0..METRIC_SERIES_MAX + 7).map(|n| (vec![format!("a{n}")], 2.0));
        registry.replace(Metric::AgentLoad, loads);
        let found = series(&registry, Metric::AgentLoad);
        assert_eq!(found.len(), METRIC_SERIES_MAX + 1);
        assert_eq!(found.iter().map(|point| point.value).sum::<f64>(), 2.0 * (METRIC_SERIES_MAX + 7) as f64);
    }

    #[test]
    fn a_time_is_in_the_first_bucket_that_holds_it() {
        let registry = Registry::default();
        for seconds in [0.005, 0.0051, 86_400.0, 86_401.0] {
            registry.observe(Metric::AcceptSeconds, &["delegation"], seconds);
        }
        let found = series(&registry, Metric::AcceptSeconds);
        let met: Vec<usize> = (0..=BUCKETS.len()).filter(|at| found[0].buckets[*at] > 0).collect();
        assert_eq!(met, [0, 1, BUCKETS.len() - 1, BUCKETS.len()]);
        assert_eq!(found[0].buckets.iter().sum::<u64>(), 4);
    }
}

//! Where traces and metrics are sent, by file and by the variables that every OpenTelemetry program reads.

use handover_core::limits::{
    TELEMETRY_HEADERS_MAX, TELEMETRY_INTERVAL_MS, TELEMETRY_INTERVAL_MS_MAX, TELEMETRY_INTERVAL_MS_MIN,
    TELEMETRY_TEXT_CHARS_MAX,
};
use reqwest::{
    Url,
    header::{HeaderName, HeaderValue},
};
use serde::Deserialize;
use std::{collections::BTreeMap, fmt};

/// The name of the service where nothing else is said.
pub const SERVICE: &str = "handover";

/// Where traces and metrics are sent. Everything may be left out; without an address nothing is sent.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetrySettings {
    /// The address of a collector that takes OTLP over HTTP, without `/v1/traces`.
    pub endpoint: Option<String>,
    /// Headers that are sent along, such as a key.
    pub headers: BTreeMap<String, String>,
    /// The name of this service in traces and metrics.
    pub service_name: Option<String>,
    /// How often metrics are sent, in milliseconds.
    pub interval_ms: Option<u64>,
    /// Whether nothing is sent, whatever else is said.
    pub disabled: Option<bool>,
}

/// The values of headers are often keys: they are shown to nobody.
impl fmt::Debug for TelemetrySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TelemetrySettings")
            .field("endpoint", &self.endpoint.as_deref().map(without_password))
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("service_name", &self.service_name)
            .field("interval_ms", &self.interval_ms)
            .field("disabled", &self.disabled)
            .finish()
    }
}

/// A setting that cannot be, by its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {why}")]
pub struct BadSetting {
    /// The field, or the variable.
    pub name: String,
    /// What is wrong with it, and how to mend it.
    pub why: String,
}

impl BadSetting {
    fn new(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self { name: name.into(), why: why.into() }
    }
}

impl TelemetrySettings {
    /// What the environment says, by the standard variables. A variable that is empty counts as not set.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn from_environment(env: &dyn Fn(&str) -> Option<String>) -> Result<Self, BadSetting> {
        let get = |name: &str| env(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let headers = get("OTEL_EXPORTER_OTLP_HEADERS").map(|text| headers(&text)).transpose()?;
        let interval_ms = match get("OTEL_METRIC_EXPORT_INTERVAL") {
            None => None,
            Some(text) => Some(text.parse().map_err(|_| {
                BadSetting::new("OTEL_METRIC_EXPORT_INTERVAL", "expected a whole number of milliseconds")
            })?),
        };
        Ok(Self {
            endpoint: get("OTEL_EXPORTER_OTLP_ENDPOINT"),
            headers: headers.unwrap_or_default(),
            service_name: get("OTEL_SERVICE_NAME"),
            interval_ms,
            // As the standard says: any other word means no.
            disabled: get("OTEL_SDK_DISABLED").map(|text| text.eq_ignore_ascii_case("true")),
        })
    }

    /// These settings, and where they say nothing, those. Headers are taken as a whole.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            endpoint: self.endpoint.or(other.endpoint),
            headers: if self.headers.is_empty() { other.headers } else { self.headers },
            service_name: self.service_name.or(other.service_name),
            interval_ms: self.interval_ms.or(other.interval_ms),
            disabled: self.disabled.or(other.disabled),
        }
    }

    /// Everything that cannot be.
    #[must_use]
    pub fn faults(&self) -> Vec<BadSetting> {
        let mut faults = Vec::new();
        if let Some(why) = self.endpoint.as_deref().and_then(bad_address) {
            faults.push(BadSetting::new("endpoint", why));
        }
        if self.headers.len() > TELEMETRY_HEADERS_MAX {
            let why = format!("at most {TELEMETRY_HEADERS_MAX} are allowed (TELEMETRY_HEADERS_MAX)");
            faults.push(BadSetting::new("headers", why));
        }
        for (name, value) in &self.headers {
            if let Some(why) = bad_header(name, value) {
                faults.push(BadSetting::new("headers", why));
            }
        }
        if self.service_name.as_ref().is_some_and(|name| name.trim().is_empty() || too_long(name)) {
            let why = format!("expected a name of at most {TELEMETRY_TEXT_CHARS_MAX} characters");
            faults.push(BadSetting::new("service_name", why));
        }
        let range = TELEMETRY_INTERVAL_MS_MIN..=TELEMETRY_INTERVAL_MS_MAX;
        if self.interval_ms.is_some_and(|ms| !range.contains(&ms)) {
            let why = format!(
                "expected {TELEMETRY_INTERVAL_MS_MIN} (TELEMETRY_INTERVAL_MS_MIN) to {TELEMETRY_INTERVAL_MS_MAX} \
                 (TELEMETRY_INTERVAL_MS_MAX) milliseconds"
            );
            faults.push(BadSetting::new("interval_ms", why));
        }
        faults
    }

    /// Where a signal is sent: `traces` or `metrics`. Nothing where nothing is sent.
    pub(crate) fn address(&self, signal: &str) -> Option<Url> {
        let endpoint = self.endpoint.as_deref().filter(|_| self.disabled != Some(true))?;
        Url::parse(&format!("{}/v1/{signal}", endpoint.trim_end_matches('/'))).ok()
    }

    pub(crate) fn service(&self) -> &str {
        self.service_name.as_deref().unwrap_or(SERVICE)
    }

    pub(crate) fn interval(&self) -> u64 {
        self.interval_ms.unwrap_or(TELEMETRY_INTERVAL_MS)
    }
}

fn too_long(text: &str) -> bool {
    text.chars().count() > TELEMETRY_TEXT_CHARS_MAX
}

fn bad_address(endpoint: &str) -> Option<String> {
    if too_long(endpoint) {
        return Some(format!("at most {TELEMETRY_TEXT_CHARS_MAX} characters are allowed (TELEMETRY_TEXT_CHARS_MAX)"));
    }
    let hint = "expected an address such as http://localhost:4318";
    match Url::parse(endpoint) {
        Err(error) => Some(format!("this is no address: {error}; {hint}")),
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            Some(format!("it begins with neither http:// nor https://; {hint}"))
        }
        Ok(url) if url.query().is_some() || url.fragment().is_some() => {
            Some("it must end with its path: /v1/traces and /v1/metrics are put behind it".to_owned())
        }
        Ok(_) => None,
    }
}

/// What is wrong with a header. Its value is not repeated: it is often a key.
fn bad_header(name: &str, value: &str) -> Option<String> {
    if HeaderName::from_bytes(name.as_bytes()).is_err() {
        return Some(format!("`{name}` cannot be the name of a header"));
    }
    let bad = too_long(value) || HeaderValue::from_str(value).is_err();
    bad.then(|| format!("the value of `{name}` is too long or has characters that a header cannot have"))
}

fn without_password(endpoint: &str) -> String {
    let Ok(mut url) = Url::parse(endpoint) else { return "…".to_owned() };
    if url.password().is_some() && url.set_password(Some("…")).is_err() {
        return "…".to_owned();
    }
    url.to_string()
}

/// `name=value,name=value`, with values in percent encoding.
fn headers(text: &str) -> Result<BTreeMap<String, String>, BadSetting> {
    let variable = "OTEL_EXPORTER_OTLP_HEADERS";
    let mut found = BTreeMap::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let wrong = |why: &str| BadSetting::new(variable, why);
        let (name, value) =
            pair.split_once('=').ok_or_else(|| wrong("expected `name=value`, with commas between them"))?;
        let value = decoded(value.trim()).ok_or_else(|| wrong("a value is not in percent encoding"))?;
        if let Some(why) = bad_header(name.trim(), &value) {
            return Err(BadSetting::new(variable, why));
        }
        found.insert(name.trim().to_ascii_lowercase(), value);
    }
    Ok(found)
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let (high, low) = (digit(rest.next())?, digit(rest.next())?);
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn read(variables: &[(&str, &str)]) -> Result<TelemetrySettings, BadSetting> {
        TelemetrySettings::from_environment(&|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_standard_variables_are_read_and_no_key_is_shown() {
        let settings = read(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://me:secret@collector:4318/"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "Api-Key=a%20b%2Cc, x-team = blue ,"),
            ("OTEL_SERVICE_NAME", "desk"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "5000"),
            ("OTEL_SDK_DISABLED", ""),
        ])
        .unwrap();
        assert_eq!(settings.headers["api-key"], "a b,c");
        assert_eq!(settings.address("traces").unwrap().path(), "/v1/traces");
        assert_eq!(settings.faults(), []);
        expect![[r#"TelemetrySettings { endpoint: Some("https://me:%E2%80%A6@collector:4318/"), headers: ["api-key", "x-team"], service_name: Some("desk"), interval_ms: Some(5000), disabled: None }"#]]
        .assert_eq(&format!("{settings:?}"));
        let file = TelemetrySettings { endpoint: Some("http://b".into()), disabled: Some(true), ..Default::default() };
        let both = settings.or(file);
        assert_eq!((both.service(), both.disabled, both.address("traces")), ("desk", Some(true), None));
        assert_eq!(TelemetrySettings::default().interval(), TELEMETRY_INTERVAL_MS);
    }

    #[test]
    fn what_cannot_be_is_told() {
        let variables = [
            ("OTEL_EXPORTER_OTLP_HEADERS", "key"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a b=c"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=%zz"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=x%0ay"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "soon"),
        ];
        let mut told: Vec<String> =
            variables.iter().map(|variable| read(&[*variable]).unwrap_err().to_string()).collect();
        let settings = TelemetrySettings {
            endpoint: Some("collector:4318".into()),
            headers: BTreeMap::from([("é".into(), "x".into())]),
            service_name: Some(" ".into()),
            interval_ms: Some(1),
            disabled: None,
        };
        told.extend(settings.faults().iter().map(ToString::to_string));
        let with = |endpoint: &str| TelemetrySettings { endpoint: Some(endpoint.into()), ..Default::default() };
        told.extend(["", "http://c?x=1"].iter().flat_map(|endpoint| with(endpoint).faults()).map(|f| f.to_string()));
        expect![[r#"
            OTEL_EXPORTER_OTLP_HEADERS: expected `name=value`, with commas between them
            OTEL_EXPORTER_OTLP_HEADERS: `a b` cannot be the name of a header
            OTEL_EXPORTER_OTLP_HEADERS: a value is not in percent encoding
            OTEL_EXPORTER_OTLP_HEADERS: the value of `a` is too long or has characters that a header cannot have
            OTEL_METRIC_EXPORT_INTERVAL: expected a whole number of milliseconds
            endpoint: it begins with neither http:// nor https://; expected an address such as http://localhost:4318
            headers: `é` cannot be the name of a header
            service_name: expected a name of at most 4096 characters
            interval_ms: expected 1000 (TELEMETRY_INTERVAL_MS_MIN) to 86400000 (TELEMETRY_INTERVAL_MS_MAX) milliseconds
            endpoint: this is no address: relative URL without a base; expected an address such as http://localhost:4318
            endpoint: it must end with its path: /v1/traces and /v1/metrics are put behind it"#]]
        .assert_eq(&told.join("\n"));
    }
}

//! Who provides models, as it is set, and what follows from that: the address, the key, the headers.

use super::{ModelError, Trouble, anthropic::VERSION};
use handover_core::limits::{MODEL_HEADERS_MAX, MODEL_IDLE_MS, MODEL_MS, MODEL_MS_MAX};
use reqwest::{
    Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use serde::Deserialize;
use std::{collections::BTreeMap, fmt, path::PathBuf};

/// The interface that a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Api {
    /// Chat completions: OpenAI, Ollama, vLLM, llama.cpp, LM Studio and many services.
    Openai,
    /// Messages: Anthropic.
    Anthropic,
}

impl Api {
    /// The address of the provider whose interface this is.
    #[must_use]
    pub fn official_url(self) -> &'static str {
        match self {
            Self::Openai => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
        }
    }

    /// The variable of the environment that holds another address.
    #[must_use]
    pub fn url_variable(self) -> &'static str {
        match self {
            Self::Openai => "OPENAI_BASE_URL",
            Self::Anthropic => "ANTHROPIC_BASE_URL",
        }
    }

    fn key_variable(self) -> &'static str {
        match self {
            Self::Openai => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
        }
    }
}

/// A provider of models, as people set it.
#[derive(Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// The interface: `openai` or `anthropic`.
    pub api: Api,
    /// The address. When left out: the variable `OPENAI_BASE_URL` or `ANTHROPIC_BASE_URL`, else the official one. Of
    /// `openai` it ends in `/v1` as a rule: `http://localhost:11434/v1` is Ollama on this machine.
    #[serde(default)]
    pub base_url: Option<String>,
    /// A file that answers where neither `base_url` nor the environment names a provider: for tests and demonstrations.
    #[serde(default)]
    pub script: Option<PathBuf>,
    /// The environment variable with the key. When left out: `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`. Without a key only
    /// an address that is not the official one is asked.
    #[serde(default)]
    pub key_env: Option<String>,
    /// Further headers of every request. Their values are never shown.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// How long one question may take with all its tries, in milliseconds.
    #[serde(default = "timeout_ms")]
    pub timeout_ms: u64,
    /// How long the provider may be silent within an answer that comes in pieces, in milliseconds.
    #[serde(default = "idle_ms")]
    pub idle_ms: u64,
    /// The longest answer in tokens, where the question does not say.
    #[serde(default)]
    pub max_output_tokens: Option<u64>,
    /// How free the answers are, where the question does not say.
    #[serde(default)]
    pub temperature: Option<f64>,
    /// Whether a model may ask for several tools at once; as the provider does it when left out.
    #[serde(default)]
    pub parallel_tool_calls: Option<bool>,
    /// Whether answers come in pieces.
    #[serde(default = "stream")]
    pub stream: bool,
}

fn timeout_ms() -> u64 {
    MODEL_MS
}

fn idle_ms() -> u64 {
    MODEL_IDLE_MS
}

fn stream() -> bool {
    true
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("api", &self.api)
            .field("base_url", &self.base_url)
            .field("script", &self.script)
            .field("key_env", &self.key_env)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("timeout_ms", &self.timeout_ms)
            .field("idle_ms", &self.idle_ms)
            .field("max_output_tokens", &self.max_output_tokens)
            .field("temperature", &self.temperature)
            .field("parallel_tool_calls", &self.parallel_tool_calls)
            .field("stream", &self.stream)
            .finish()
    }
}

/// Where and how to ask: what follows from a [`Provider`] and the environment.
pub(super) struct Address {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    /// What must never be shown.
    pub(super) secrets: Vec<String>,
    /// The variable that the key comes from.
    pub(super) key_env: String,
    /// Whether this is the provider whose interface it is.
    pub(super) official: bool,
}

impl Provider {
    /// A provider with this interface, all else as it is when left out.
    #[must_use]
    pub fn new(api: Api) -> Self {
        Self {
            api,
            base_url: None,
            script: None,
            key_env: None,
            headers: BTreeMap::new(),
            timeout_ms: MODEL_MS,
            idle_ms: MODEL_IDLE_MS,
            max_output_tokens: None,
            temperature: None,
            parallel_tool_calls: None,
            stream: true,
        }
    }

    /// The same at another address.
    #[must_use]
    pub fn at(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = Some(base_url.into());
        self
    }

    pub(super) fn address(&self, env: &dyn Fn(&str) -> Option<String>) -> Result<Address, ModelError> {
        self.check()?;
        let set = |name: &str| env(name).filter(|value| !value.trim().is_empty());
        let base = self.base_url.clone().or_else(|| set(self.api.url_variable()));
        let base = base.unwrap_or_else(|| self.api.official_url().to_owned());
        let url = self.url(&base)?;
        let official = is_official(self.api, &url);
        let key_env = self.key_env.clone().unwrap_or_else(|| self.api.key_variable().to_owned());
        let key = set(&key_env).map(|key| key.trim().to_owned());
        if key.is_none() && official {
            let message = format!("there is no key: set the environment variable {key_env}");
            return Err(ModelError::new(Trouble::Key, message));
        }
        let mut secrets: Vec<String> = key.iter().cloned().collect();
        secrets.extend(self.headers.values().filter(|value| value.len() >= SECRET_BYTES_MIN).cloned());
        let headers = self.all_headers(key.as_deref(), &key_env)?;
        Ok(Address { url, headers, secrets, key_env, official })
    }

    /// What is wrong with it as it is set, whatever the environment holds: fields, and why.
    #[must_use]
    pub fn mistakes(&self) -> Vec<(&'static str, String)> {
        let base = self.base_url.as_deref().unwrap_or_else(|| self.api.official_url());
        let numbers = ["timeout_ms", "idle_ms", "temperature", "max_output_tokens"];
        let checked = self.check().err().map(|error| {
            let text = error.to_string();
            let field = numbers.into_iter().find(|field| text.starts_with(field)).unwrap_or("headers");
            (field, text)
        });
        let address = self.url(base).err().map(|error| ("base_url", error.to_string()));
        let headers = self.all_headers(None, "").err().map(|error| ("headers", error.to_string()));
        [checked, address, headers].into_iter().flatten().collect()
    }

    fn check(&self) -> Result<(), ModelError> {
        for (name, value) in [("timeout_ms", self.timeout_ms), ("idle_ms", self.idle_ms)] {
            if !(1..=MODEL_MS_MAX).contains(&value) {
                return Err(wrong(format!(
                    "{name} is {value}; it must be between 1 and {MODEL_MS_MAX} (MODEL_MS_MAX)"
                )));
            }
        }
        if self.temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
            return Err(wrong("temperature must be between 0 and 2"));
        }
        if self.max_output_tokens == Some(0) {
            return Err(wrong("max_output_tokens must be at least 1"));
        }
        if self.headers.len() > MODEL_HEADERS_MAX {
            let count = self.headers.len();
            return Err(wrong(format!("there are {count} headers; at most {MODEL_HEADERS_MAX} (MODEL_HEADERS_MAX)")));
        }
        Ok(())
    }

    fn url(&self, base: &str) -> Result<Url, ModelError> {
        let base = base.trim().trim_end_matches('/');
        let path = match self.api {
            Api::Openai => "/chat/completions",
            Api::Anthropic if base.ends_with("/v1") => "/messages",
            Api::Anthropic => "/v1/messages",
        };
        let url: Url =
            format!("{base}{path}").parse().map_err(|error| wrong(format!("base_url is no address: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(wrong("base_url must begin with http:// or https:// and name a host"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("base_url must hold no name and no password; put the key into an environment variable"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("base_url must end with its path, without ? and #"));
        }
        Ok(url)
    }

    fn all_headers(&self, key: Option<&str>, key_env: &str) -> Result<HeaderMap, ModelError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.api == Api::Anthropic {
            headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
        }
        if let Some(key) = key {
            let (name, value) = match self.api {
                Api::Openai => ("authorization", format!("Bearer {key}")),
                Api::Anthropic => ("x-api-key", key.to_owned()),
            };
            let message = || wrong(format!("the key in {key_env} holds characters that no key has"));
            headers.insert(name, hidden(&value).ok_or_else(message)?);
        }
        for (name, value) in &self.headers {
            let wrong_name = || wrong(format!("\"{}\" is no name of a header", name.escape_debug()));
            let name: HeaderName = name.parse().map_err(|_| wrong_name())?;
            let value = hidden(value).ok_or_else(|| wrong(format!("the value of the header {name} cannot be sent")))?;
            headers.insert(name, value);
        }
        Ok(headers)
    }
}

/// Values of headers that are shorter than this are no secrets, and hiding them would only garble messages.
const SECRET_BYTES_MIN: usize = 8;

fn hidden(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Services of the provider itself; they take its newest fields.
fn is_official(api: Api, url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    match api {
        Api::Openai => host == "api.openai.com" || host.ends_with(".api.openai.com"),
        Api::Anthropic => host == "api.anthropic.com",
    }
}

fn wrong(message: impl Into<String>) -> ModelError {
    ModelError::new(Trouble::Question, message)
}

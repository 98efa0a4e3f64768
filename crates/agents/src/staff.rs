//! Puts agents to work by their profiles: models, programs and services, with what the settings say of providers, tools and
//! callbacks.

mod check;

pub use check::Mistake;

use crate::{
    a2a::{A2aAgent, A2aSettings},
    command::CommandAgent,
    llm::{Ear, LlmAgent, Manner},
    model::{Api, Client, Model, ModelPicker, ModelSummarizer, Provider},
    program::{Environment, Program},
    scripted::{self, Script},
    tool::{ToolSettings, Tools},
    webhook::{CallbackSettings, Callbacks, Secret, WebhookAgent},
};
use handover_core::{
    agent::{AgentKind, Profile},
    ids::AgentId,
    nearest::nearest,
    refusal::{Code, HandoffError, Refusal},
    schema::Fault,
};
use handover_engine::Engine;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
};

/// A model by its provider and its name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// The provider, as the settings name it; the only one when left out.
    #[serde(default)]
    pub provider: Option<String>,
    /// The model, as its provider names it.
    pub model: String,
}

/// What a file says of how agents work.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StaffSettings {
    /// Providers of models, by name. `openai` and `anthropic` are there without being named.
    pub providers: BTreeMap<String, Provider>,
    /// Programs that models can call, and MCP servers.
    pub outside: ToolSettings,
    /// Where services call back.
    pub callbacks: Option<CallbackSettings>,
    /// What remote agents may do.
    pub a2a: A2aSettings,
    /// The model that picks agents where the strategy is `llm`.
    pub picker: Option<ModelSettings>,
    /// The model that writes summaries; without one they are made of sentences that were said.
    pub summaries: Option<ModelSettings>,
}

/// Who was put to work.
#[derive(Debug, Default)]
pub struct Employed {
    /// Those who work now.
    pub at_work: Vec<AgentId>,
    /// Those who lack something, and what.
    pub lacking: Vec<(AgentId, HandoffError)>,
}

/// Everybody who works by settings. Servers that it started end with it.
#[derive(Default)]
pub struct Staff {
    models: BTreeMap<String, Result<Arc<dyn Model>, String>>,
    scripted: Vec<scripted::Server>,
    tools: Arc<Tools>,
    callbacks: Option<Arc<Callbacks>>,
    a2a: A2aSettings,
    remotes: Mutex<BTreeMap<AgentId, A2aAgent>>,
    picker: Option<ModelSettings>,
    summaries: Option<ModelSettings>,
    folder: PathBuf,
    ear: Option<Ear>,
    manner: Manner,
}

fn wrong(at: impl Into<String>, message: impl Into<String>) -> Fault {
    Fault { at: at.into(), message: message.into() }
}

impl Staff {
    /// Gets ready what the settings name. Files are looked for in this folder.
    ///
    /// # Errors
    /// Everything that is wrong with the settings, with its place.
    pub async fn new(settings: &StaffSettings, folder: &Path, engine: &Engine) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        let tools = Tools::new(&settings.outside, folder).unwrap_or_else(|mistakes| {
            faults.extend(mistakes);
            Tools::default()
        });
        let callbacks = match &settings.callbacks {
            Some(callbacks) => match Callbacks::listen(callbacks, engine.clock()).await {
                Ok(open) => Some(Arc::new(open)),
                Err(error) => {
                    let message = match callbacks.listen {
                        Some(listen) => format!("{listen} cannot be listened at: {error}"),
                        None => error.to_string(),
                    };
                    faults.push(wrong("callbacks.listen", message));
                    None
                }
            },
            None => None,
        };
        let mut staff = Self {
            models: BTreeMap::new(),
            scripted: Vec::new(),
            tools: Arc::new(tools),
            callbacks,
            a2a: settings.a2a,
            remotes: Mutex::default(),
            picker: settings.picker.clone(),
            summaries: settings.summaries.clone(),
            folder: folder.to_owned(),
            ear: None,
            manner: Manner::default(),
        };
        for (name, provider) in &settings.providers {
            staff.provide(name, provider, &mut faults).await;
        }
        if faults.is_empty() { Ok(staff) } else { Err(faults) }
    }

    /// Whether services are told to call back at an address that nobody listens at here: whoever serves mounts
    /// [`Staff::callbacks`] there.
    #[must_use]
    pub fn must_be_served(&self) -> bool {
        self.callbacks.as_ref().is_some_and(|callbacks| !callbacks.listens())
    }

    /// Where services call back, to be mounted by whoever serves.
    pub fn callbacks(&self) -> axum::Router {
        self.callbacks.as_ref().map(|callbacks| callbacks.router()).unwrap_or_default()
    }

    /// Who hears what agents say while they say it.
    pub fn heard_by(&mut self, ear: Ear) {
        self.ear = Some(ear);
    }

    /// How models are asked.
    pub fn manner(&mut self, manner: Manner) {
        self.manner = manner;
    }

    /// The scripted models that answer in the place of providers.
    #[must_use]
    pub fn scripted(&self) -> &[scripted::Server] {
        &self.scripted
    }

    async fn provide(&mut self, name: &str, settings: &Provider, faults: &mut Vec<Fault>) {
        let mut provider = settings.clone();
        let at = |field: &str| format!("providers.{name}.{field}");
        let named = provider.base_url.is_some() || std::env::var_os(provider.api.url_variable()).is_some();
        if let Some(file) = settings.script.as_ref().filter(|_| !named) {
            match self.answer_from(file).await {
                Ok(address) => provider.base_url = Some(url_of(provider.api, address)),
                Err(error) => return faults.push(wrong(at("script"), error)),
            }
        }
        // A key that is missing harms nobody who needs no model: it is told to those who do.
        let model = Client::new(provider).map(|client| Arc::new(client) as Arc<dyn Model>);
        self.models.insert(name.to_owned(), model.map_err(|error| error.to_string()));
    }

    /// Starts a scripted model.
    async fn answer_from(&mut self, file: &Path) -> Result<SocketAddr, String> {
        let script = Script::read(self.folder.join(file)).map_err(|error| error.to_string())?;
        let anywhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = scripted::serve(script, anywhere).await.map_err(|error| error.to_string())?;
        let address = server.address();
        self.scripted.push(server);
        Ok(address)
    }

    /// The model of a provider: the one that is named, the only one that there is, or one of those that everybody knows.
    fn model(&self, provider: Option<&str>) -> Result<Arc<dyn Model>, Refusal> {
        let only = || (self.models.len() == 1).then(|| self.models.keys().next().cloned()).flatten();
        let name = provider.map(str::to_owned).or_else(only).unwrap_or_else(|| "openai".to_owned());
        let found = match (self.models.get(&name), name.as_str()) {
            (Some(found), _) => found.clone(),
            (None, "openai") => official(Api::Openai),
            (None, "anthropic") => official(Api::Anthropic),
            (None, _) => {
                let known = self.models.keys().map(String::as_str).chain(["openai", "anthropic"]);
                let near = nearest(&name, known.clone().map(|known| (known, known)));
                let hint = near.map_or_else(
                    || format!("there are {}", known.clone().collect::<Vec<_>>().join(", ")),
                    |near| format!("did you mean \"{near}\"?"),
                );
                let message = format!("there is no provider \"{name}\"");
                return Err(Refusal::new(Code::UnknownValue, message).at("provider").hint(hint));
            }
        };
        found.map_err(|error| Refusal::new(Code::BadProfile, error).at("provider"))
    }

    /// Whether an agent with this profile is put to work here.
    #[must_use]
    pub fn runs(profile: &Profile) -> bool {
        matches!(profile.kind, AgentKind::Llm | AgentKind::Command | AgentKind::Http | AgentKind::A2a)
    }

    /// Registers an agent and puts it to work. One that works elsewhere is registered only.
    ///
    /// # Errors
    /// When its profile is refused, or lacks what it needs to work.
    pub async fn employ(&self, engine: &Engine, profile: Profile, with: Value) -> Result<(), HandoffError> {
        match profile.kind {
            AgentKind::Llm => {
                let model = self.model(profile.provider.as_deref())?;
                let agent = LlmAgent::new(profile.clone(), model, self.tools.clone());
                let agent = agent.heard_by(self.ear.clone()).manner(self.manner);
                engine.register(profile, agent).await
            }
            AgentKind::Command => {
                let agent = CommandAgent::new(self.program(&profile), with);
                engine.register(profile, agent).await
            }
            AgentKind::Http => {
                let agent = self.service(&profile, with)?;
                engine.register(profile, agent).await
            }
            AgentKind::A2a => self.remote(engine, profile).await,
            AgentKind::Local | AgentKind::Worker | AgentKind::Human => engine.register_profile(profile).await,
        }
    }

    /// Puts to work everybody who is registered and works by its profile. One that lacks something keeps no other from
    /// its work.
    pub async fn employ_registered(&self, engine: &Engine) -> Employed {
        let mut employed = Employed::default();
        for agent in engine.agents().into_iter().filter(|agent| Self::runs(&agent.profile)) {
            let profile = Profile::clone(&agent.profile);
            let id = profile.id.clone();
            match self.employ(engine, profile, Value::Null).await {
                Ok(()) => match self.lacks(&id) {
                    Some(error) => employed.lacking.push((id, error)),
                    None => employed.at_work.push(id),
                },
                Err(error) => employed.lacking.push((id, error)),
            }
        }
        employed
    }

    /// Lets a model pick agents and write summaries, where the settings name one.
    ///
    /// # Errors
    /// When there is no such provider, or its key is missing.
    pub fn lend_models(&self, engine: &Engine) -> Result<(), HandoffError> {
        if let Some(settings) = &self.picker {
            let model = self.model(settings.provider.as_deref())?;
            engine.set_picker(Some(Arc::new(ModelPicker::new(model, &settings.model))))?;
        }
        if let Some(settings) = &self.summaries {
            let model = self.model(settings.provider.as_deref())?;
            engine.set_summarizer(Some(Arc::new(ModelSummarizer::new(model, &settings.model))))?;
        }
        Ok(())
    }

    fn program(&self, profile: &Profile) -> Program {
        let folder = profile.folder.as_ref().map_or_else(|| self.folder.clone(), |folder| self.folder.join(folder));
        Program { words: profile.command.clone(), folder, environment: Environment::default() }
    }

    /// Why somebody who was put to work cannot work now, though it may by and by.
    #[must_use]
    pub fn lacks(&self, id: &AgentId) -> Option<HandoffError> {
        let why = self.remotes.lock().get(id)?.lacks()?;
        let refusal = Refusal::new(Code::BadProfile, why).at("url");
        Some(refusal.hint("it is asked for again, and the agent works as soon as it is there").into())
    }

    async fn remote(&self, engine: &Engine, profile: Profile) -> Result<(), HandoffError> {
        let key =
            profile.secret_env.as_deref().map(|name| variable(name, "the key of the remote agent")).transpose()?;
        let url = profile.url.as_deref().unwrap_or_default();
        let agent = A2aAgent::new(url, key.as_deref(), self.a2a, self.callbacks.clone());
        let agent = agent.map_err(|error| Refusal::new(Code::BadProfile, error).at("url"))?;
        self.remotes.lock().insert(profile.id.clone(), agent.clone());
        agent.employ(engine, profile).await
    }

    fn service(&self, profile: &Profile, with: Value) -> Result<WebhookAgent, Refusal> {
        let secret = match &profile.secret_env {
            None => None,
            Some(name) => {
                let secret = Secret::new(&variable(name, "at least 16 letters")?);
                let told = |error| Refusal::new(Code::BadProfile, format!("{name}: {error}")).at("secret_env");
                Some(secret.map_err(told)?)
            }
        };
        let url = profile.url.as_deref().unwrap_or_default();
        let agent = WebhookAgent::new(url, secret, self.callbacks.clone());
        agent.map(|agent| agent.with(with)).map_err(|error| Refusal::new(Code::BadProfile, error).at("url"))
    }

    /// Lets the servers that it started end by themselves.
    pub async fn close(self) {
        self.tools.close().await;
        for server in self.scripted {
            server.stop().await;
        }
    }
}

/// A secret in the environment.
fn variable(name: &str, what: &str) -> Result<String, Refusal> {
    std::env::var(name).map_err(|_| {
        let refusal = Refusal::new(Code::BadProfile, format!("the variable {name} is not set"));
        refusal.at("secret_env").hint(format!("export {name}=… with {what}"))
    })
}

fn official(api: Api) -> Result<Arc<dyn Model>, String> {
    let client = Client::new(Provider::new(api)).map_err(|error| error.to_string())?;
    Ok(Arc::new(client))
}

/// The address of a scripted model, as a provider has it.
fn url_of(api: Api, address: SocketAddr) -> String {
    match api {
        Api::Openai => format!("http://{address}/v1"),
        Api::Anthropic => format!("http://{address}"),
    }
}

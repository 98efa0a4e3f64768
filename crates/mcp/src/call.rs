//! A call: what a front asks of whoever has the engine. One piece of JSON each way, so that it can cross to another process.

use crate::{ask::Ask, changes, complete, elicit, prompts, resources, table};
use handover_core::{
    digest::Digest,
    ids::HandoffId,
    refusal::{Code, HandoffError},
};
use handover_engine::Engine;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What is asked, by whom.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Call {
    /// The agent that calls, where the key does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The person at the host, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Makes it once: the same call with the same key is carried out once, however often it arrives.
    pub key: String,
    /// What.
    pub what: What,
}

/// What can be asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The agent is there: at first sight it is registered.
    Hello,
    /// What a call is about where it does not say.
    Where {
        /// Whether a session is looked for, too.
        #[serde(default)]
        session: bool,
    },
    /// A tool.
    Tool {
        /// Its name.
        name: String,
        /// What it is called with.
        #[serde(default)]
        arguments: Map<String, Value>,
        /// What [`What::Where`] found.
        #[serde(default)]
        place: Value,
        /// Where the caller stands in a trace.
        #[serde(default)]
        traceparent: Option<String>,
    },
    /// A person at the host said yes or no.
    Decide {
        /// To which handoff.
        handoff: HandoffId,
        /// What they saw.
        digest: Digest,
        /// Yes or no.
        yes: bool,
        /// Why.
        comment: String,
    },
    /// The resources that there are.
    Resources,
    /// A resource.
    Read {
        /// Its address.
        uri: String,
    },
    /// A prompt.
    Prompt {
        /// Its name.
        name: String,
        /// What it is asked with.
        #[serde(default)]
        arguments: BTreeMap<String, String>,
    },
    /// What a name could be that somebody begins to type.
    Complete {
        /// Of which argument.
        argument: String,
        /// How it begins.
        value: String,
    },
    /// Which of these resources have changed.
    Changes {
        /// The resources.
        uris: Vec<String>,
        /// Since these positions of the feed, as they were told before; from now on when left out.
        #[serde(default)]
        after: Option<(u64, u64)>,
        /// How long to wait for a change, in milliseconds.
        wait_ms: u64,
    },
}

impl What {
    /// Whether an agent at work asks this. What a host asks by itself, even when its agent is gone, keeps no work.
    pub(crate) fn is_a_sign_of_life(&self) -> bool {
        match self {
            Self::Hello | Self::Changes { .. } | Self::Where { .. } => false,
            Self::Tool { .. }
            | Self::Decide { .. }
            | Self::Resources
            | Self::Read { .. }
            | Self::Prompt { .. }
            | Self::Complete { .. } => true,
        }
    }
}

/// Why a call came to nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// There is nothing of this name.
    #[error("{0}")]
    Unknown(String),
    /// It cannot be asked like this.
    #[error("{0}")]
    Wrong(String),
    /// The engine refused it.
    #[error("{0}")]
    Refused(HandoffError),
    /// Nobody could be asked.
    #[error("{0}")]
    Unreachable(String),
}

impl From<HandoffError> for Fault {
    fn from(error: HandoffError) -> Self {
        Self::Refused(error)
    }
}

/// Carries a call out on an engine, with the rights of its caller.
///
/// # Errors
/// When there is nothing of this name, or the engine refuses it.
pub async fn carry_out(engine: &Engine, call: Call) -> Result<Value, Fault> {
    match carry(engine, call).await {
        // Whoever has the engine closes it: the call is for whoever has it next.
        Err(Fault::Refused(error)) if error.has(Code::ShuttingDown) => Err(Fault::Unreachable(error.to_string())),
        carried => carried,
    }
}

async fn carry(engine: &Engine, call: Call) -> Result<Value, Fault> {
    let ask = Ask::of(engine, &call).await;
    match call.what {
        What::Hello => Ok(told(&ask.me().await?)),
        What::Where { session } => Ok(told(&ask.place(session).await?)),
        What::Tool { name, arguments, place, traceparent } => {
            let place = serde_json::from_value(place).unwrap_or_default();
            let ask = ask.within(place, traceparent);
            Ok(told(&table::call(&name, arguments, ask).await?))
        }
        What::Decide { handoff, digest, yes, comment } => {
            elicit::decide(&ask, handoff, digest, yes, &comment).await?;
            Ok(Value::Null)
        }
        What::Resources => Ok(told(&resources::list(&ask).await?)),
        What::Read { uri } => Ok(told(&resources::read(&ask, &uri).await?)),
        What::Prompt { name, arguments } => Ok(told(&prompts::get(&ask, &name, &arguments).await?)),
        What::Complete { argument, value } => Ok(told(&complete::suggest(&ask, &argument, &value).await?)),
        What::Changes { uris, after, wait_ms } => Ok(told(&changes::since(&ask, &uris, after, wait_ms).await?)),
    }
}

fn told(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// What came back, read.
pub(crate) fn read<T: DeserializeOwned>(value: Value) -> Result<T, Fault> {
    serde_json::from_value(value).map_err(|error| Fault::Wrong(format!("the answer cannot be read: {error}")))
}

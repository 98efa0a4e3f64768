//! The table of tools: for each its name, what it says, what it takes and gives, and who carries it out. What clients are
//! told, the page of the reference and the tests are made from it. Its order is the order in which tools are listed.

use crate::{ask::Ask, call::Fault, schema, views::Told};
use futures_util::future::BoxFuture;
use handover_core::{
    digest::Digest,
    ids::HandoffId,
    refusal::{Code, HandoffError, Refusal},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};

/// What a host may expect of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may undo or end what is there.
    pub destructive: bool,
    /// Twice is as good as once.
    pub idempotent: bool,
    /// It reaches others who act on their own.
    pub open_world: bool,
}

impl Hints {
    pub(crate) const LOOKS: Self = Self { read_only: true, destructive: false, idempotent: true, open_world: false };
    pub(crate) const ADDS: Self = Self { read_only: false, destructive: false, idempotent: false, open_world: false };
    pub(crate) const REACHES: Self = Self { open_world: true, ..Self::ADDS };
    pub(crate) const SETTLES: Self = Self { idempotent: true, ..Self::ADDS };
    pub(crate) const ENDS: Self = Self { destructive: true, ..Self::ADDS };
}

type Run = Arc<dyn Fn(Ask, Map<String, Value>) -> BoxFuture<'static, Result<Done, HandoffError>> + Send + Sync>;

/// One row of the table.
#[derive(Clone)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does and when to use it, for a model.
    pub says: &'static str,
    /// What a host may expect.
    pub hints: Hints,
    /// The shape of its arguments.
    pub input: Arc<Map<String, Value>>,
    /// The shape of its result.
    pub output: Arc<Map<String, Value>>,
    /// How long it waits for others when a call does not say, in milliseconds; nothing where it never waits.
    pub waits: Option<u64>,
    run: Run,
}

/// A person's word that a call has to wait for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) handoff: HandoffId,
    pub(crate) digest: Digest,
    pub(crate) text: String,
}

/// What a tool gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Done {
    pub(crate) data: Value,
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) failed: bool,
    /// Whether the same call may have more to say in a while.
    #[serde(default)]
    pub(crate) again: bool,
    /// What the person at the host could decide now.
    #[serde(default)]
    pub(crate) question: Option<Question>,
}

/// A result with what the front has to know of it.
pub(crate) struct Given<T> {
    pub(crate) told: T,
    pub(crate) again: bool,
    pub(crate) question: Option<Question>,
}

impl Tool {
    /// A tool that tells what it did.
    pub(crate) fn new<A, O, F, R>(name: &'static str, title: &'static str, says: &'static str, run: F) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema + Told,
        F: Fn(Ask, A) -> R + Copy + Send + Sync + 'static,
        R: Future<Output = Result<O, HandoffError>> + Send + 'static,
    {
        let run = move |ask, arguments: A| async move {
            let told = run(ask, arguments).await?;
            Ok(Given { told, again: false, question: None })
        };
        Self::waiting(name, title, says, None, run)
    }

    /// A tool that may have more to tell in a while: it waits so long when a call does not say.
    pub(crate) fn waiting<A, O, F, R>(
        name: &'static str,
        title: &'static str,
        says: &'static str,
        waits: Option<u64>,
        run: F,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema + Told,
        F: Fn(Ask, A) -> R + Copy + Send + Sync + 'static,
        R: Future<Output = Result<Given<O>, HandoffError>> + Send + 'static,
    {
        let run: Run = Arc::new(move |ask, arguments| {
            Box::pin(async move {
                let arguments = arguments_of(arguments)?;
                let given = run(ask, arguments).await?;
                let data = serde_json::to_value(&given.told).unwrap_or_default();
                let text = given.told.text();
                let (again, question) = (given.again, given.question);
                Ok(Done { data, text, failed: false, again, question })
            })
        });
        let (input, output) = (Arc::new(schema::taken::<A>()), Arc::new(schema::given::<O>()));
        Self { name, title, says, hints: Hints::ADDS, input, output, waits, run }
    }

    pub(crate) fn hints(mut self, hints: Hints) -> Self {
        self.hints = hints;
        self
    }

    /// What has to be found out before a call, because it does not say: nothing, or the work that is held, or (true) the
    /// session besides. Looking for a session takes long in a busy house.
    pub(crate) fn looks_for(&self, arguments: &Map<String, Value>) -> Option<bool> {
        let takes = |name: &str| self.input.get("properties").is_some_and(|fields| fields.get(name).is_some());
        let says = |name: &str| arguments.get(name).is_some_and(|value| !value.is_null());
        let lacks = |name: &str| takes(name) && !says(name);
        (lacks("session_id") || lacks("handoff_id")).then(|| lacks("session_id"))
    }
}

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(crate::tools::all);

/// All tools, in order.
#[must_use]
pub fn tools() -> &'static [Tool] {
    &TOOLS
}

pub(crate) fn tool(name: &str) -> Option<&'static Tool> {
    tools().iter().find(|tool| tool.name == name)
}

/// Calls a tool. What it refuses is its result: the model can act on it.
pub(crate) async fn call(name: &str, arguments: Map<String, Value>, ask: Ask) -> Result<Done, Fault> {
    let tool = tool(name).ok_or_else(|| Fault::Unknown(format!("there is no tool \"{name}\"")))?;
    match (tool.run)(ask, arguments).await {
        Ok(done) => Ok(done),
        // For whoever has the engine next.
        Err(error) if error.has(Code::ShuttingDown) => Err(error.into()),
        Err(error) => Ok(refused(&error)),
    }
}

/// A refusal as a model reads it: what is wrong, where, and what to do next.
pub(crate) fn refused(error: &HandoffError) -> Done {
    let told: Vec<Value> = error.refusals.iter().map(one).collect();
    let mut lines = vec!["This was refused, and nothing has changed:".to_owned()];
    for refusal in &error.refusals {
        let place = if refusal.field.is_empty() { String::new() } else { format!(" at `{}`", refusal.field) };
        lines.push(format!("- {}{place}: {}", refusal.code, refusal.message));
        lines.push(format!("  What to do: {}", mend(refusal)));
    }
    if let Some(cause) = &error.cause {
        lines.push(format!("Cause: {cause}"));
    }
    let data = json!({ "error": told });
    Done { data, text: lines.join("\n"), failed: true, again: false, question: None }
}

fn one(refusal: &Refusal) -> Value {
    let mut told = json!({ "code": refusal.code, "message": refusal.message, "what_to_do": mend(refusal) });
    if !refusal.field.is_empty() {
        told["field"] = json!(refusal.field);
    }
    if !refusal.details.is_null() {
        told["details"] = refusal.details.clone();
    }
    told
}

fn mend(refusal: &Refusal) -> &str {
    if refusal.hint.is_empty() { refusal.code.mend() } else { &refusal.hint }
}

/// Arguments, or what is wrong with them and where.
fn arguments_of<A: DeserializeOwned>(arguments: Map<String, Value>) -> Result<A, HandoffError> {
    // Models write null for what they leave out.
    let arguments: Map<String, Value> = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let place = error.path().to_string();
        let message = error.inner().to_string();
        let code = match message.split(' ').next().unwrap_or_default() {
            "missing" => Code::MissingField,
            "unknown" if message.starts_with("unknown variant") => Code::UnknownValue,
            "unknown" => Code::UnknownField,
            _ => Code::WrongType,
        };
        let refusal = Refusal::new(code, message);
        if place == "." { refusal.into() } else { refusal.at(place).into() }
    })
}

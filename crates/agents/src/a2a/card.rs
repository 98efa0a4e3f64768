//! What a remote agent says of itself: read with care, since anybody may have written it. The first interface of it that
//! we speak is taken, as the card orders them.

use super::address;
use crate::assignment::tame;
use handover_core::{
    a2a::LINEAGE,
    limits::{
        CAPABILITIES_MAX, QUOTE_CHARS_MAX, REMOTE_EXTENSIONS_MAX, REMOTE_ID_BYTES_MAX, REMOTE_INTERFACES_MAX,
        SPECIALIST_WORDS_CHARS_MAX,
    },
};
use reqwest::Url;
use serde_json::Value;

/// Where a card is, below the address of its agent.
const WELL_KNOWN: [&str; 2] = [".well-known", "agent-card.json"];

/// How an interface is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaks {
    /// JSON-RPC of version 1.0.
    JsonRpc,
    /// HTTP and JSON of version 1.0.
    HttpJson,
    /// JSON-RPC of version 0.3.
    Old,
}

impl Speaks {
    /// The version of the protocol, as it is said with every request.
    #[must_use]
    pub fn version(self) -> &'static str {
        match self {
            Self::JsonRpc | Self::HttpJson => a2a::VERSION,
            Self::Old => "0.3",
        }
    }
}

/// Where the agent is spoken to, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// The address.
    pub url: Url,
    /// The binding and its version.
    pub speaks: Speaks,
    /// Whom the agent serves there, where it serves several.
    pub tenant: Option<String>,
}

/// One thing that the agent can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Its name for programs.
    pub id: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Tasks for it.
    pub examples: Vec<String>,
}

/// What a remote agent says of itself, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Its name for people.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its own version.
    pub version: String,
    /// What it can do, as much as an agent may declare.
    pub skills: Vec<Skill>,
    /// Where it is spoken to.
    pub interface: Interface,
    /// Whether it tells by a stream what is new.
    pub streams: bool,
    /// Whether it tells by calls what is new.
    pub pushes: bool,
    /// Whether it understands what we say of where work comes from.
    pub knows_lineage: bool,
}

/// Where the card of an agent is: the address itself where that names a document, else the well-known place below it.
///
/// # Errors
/// When it cannot be an address.
pub fn place(text: &str) -> Result<Url, String> {
    // An address may hold a password, so what is said of it shows none of it.
    let mut url = Url::parse(text).map_err(|error| format!("this is no address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("it begins with neither http:// nor https://".to_owned());
    }
    if !url.path().ends_with(".json") {
        url.set_query(None);
        let mut path = url.path_segments_mut().map_err(|()| "this is no address of a server")?;
        path.pop_if_empty().extend(WELL_KNOWN);
    }
    url.set_fragment(None);
    Ok(url)
}

impl Card {
    /// Reads a card that came from `home`.
    ///
    /// # Errors
    /// When it is no card, needs something that we lack, or has no interface that we can and may speak to.
    pub fn read(text: &str, home: &Url, allow_private: bool) -> Result<Self, String> {
        let said: Value = serde_json::from_str(text).map_err(|error| format!("the card is no JSON: {error}"))?;
        if !said.is_object() {
            return Err("the card is no JSON object".to_owned());
        }
        let name = words(&said["name"]);
        if name.is_empty() {
            return Err("the card has no `name`".to_owned());
        }
        let capabilities = &said["capabilities"];
        let extensions = list(&capabilities["extensions"]);
        check_required(extensions)?;
        Ok(Self {
            name,
            description: words(&said["description"]),
            version: words(&said["version"]),
            skills: list(&said["skills"]).iter().filter_map(skill).take(CAPABILITIES_MAX).collect(),
            interface: chosen(&said, home, allow_private)?,
            streams: capabilities["streaming"] == true,
            pushes: capabilities["pushNotifications"] == true,
            knows_lineage: extensions.iter().any(|extension| extension["uri"] == LINEAGE),
        })
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Words of somebody else on one line, as long as may be told.
fn words(value: &Value) -> String {
    let text = tame(value.as_str().unwrap_or_default());
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(SPECIALIST_WORDS_CHARS_MAX).collect()
}

fn all_words(value: &Value) -> Vec<String> {
    list(value).iter().take(CAPABILITIES_MAX).map(words).filter(|words| !words.is_empty()).collect()
}

fn skill(said: &Value) -> Option<Skill> {
    let id = words(&said["id"]);
    let skill = Skill { id, tags: all_words(&said["tags"]), examples: all_words(&said["examples"]) };
    (!skill.id.is_empty()).then_some(skill)
}

/// An agent that insists on something that we do not speak would refuse every message.
fn check_required(extensions: &[Value]) -> Result<(), String> {
    if extensions.len() > REMOTE_EXTENSIONS_MAX {
        return Err(format!("the card has more than {REMOTE_EXTENSIONS_MAX} extensions (REMOTE_EXTENSIONS_MAX)"));
    }
    let unknown = extensions.iter().find(|said| said["required"] == true && said["uri"] != LINEAGE);
    match unknown {
        Some(said) => Err(format!("the agent asks for an extension that is not spoken here: {}", words(&said["uri"]))),
        None => Ok(()),
    }
}

/// The first interface that we can and may speak to.
fn chosen(card: &Value, home: &Url, allow_private: bool) -> Result<Interface, String> {
    let mut refused = Vec::new();
    for said in offered(card).iter().take(REMOTE_INTERFACES_MAX) {
        match interface(said, home, allow_private) {
            Ok(interface) => return Ok(interface),
            Err(why) => refused.push(why),
        }
    }
    if refused.is_empty() {
        return Err("the card has no `supportedInterfaces`".to_owned());
    }
    let why = refused.join("; ");
    Err(format!(
        "none of the interfaces of the card can be used (JSONRPC 1.0, HTTP+JSON 1.0 and JSONRPC 0.3 are): {why}"
    ))
}

struct Offered<'a> {
    url: &'a Value,
    binding: &'a str,
    version: &'a str,
    tenant: Option<&'a str>,
}

/// All interfaces of a card, in its order; those of an older card in the form of its time.
fn offered(card: &Value) -> Vec<Offered<'_>> {
    let new = list(&card["supportedInterfaces"]).iter().map(|said| Offered {
        url: &said["url"],
        binding: said["protocolBinding"].as_str().unwrap_or_default(),
        version: said["protocolVersion"].as_str().filter(|version| !version.is_empty()).unwrap_or(a2a::VERSION),
        tenant: said["tenant"].as_str().filter(|tenant| !tenant.is_empty()),
    });
    let version = card["protocolVersion"].as_str().unwrap_or("0.3");
    let main = card["url"].is_string().then(|| Offered {
        url: &card["url"],
        binding: card["preferredTransport"].as_str().unwrap_or("JSONRPC"),
        version,
        tenant: None,
    });
    let more = list(&card["additionalInterfaces"]).iter().map(|said| Offered {
        url: &said["url"],
        binding: said["transport"].as_str().unwrap_or_default(),
        version,
        tenant: None,
    });
    // A card of today may repeat itself in the older form for others.
    new.chain(main).chain(more).take(REMOTE_INTERFACES_MAX).collect()
}

fn interface(said: &Offered<'_>, home: &Url, allow_private: bool) -> Result<Interface, String> {
    let shown = |text: &str| tame(text).chars().take(QUOTE_CHARS_MAX).collect::<String>();
    let speaks = match (said.binding, minor(said.version).as_str()) {
        ("JSONRPC", "1.0") => Speaks::JsonRpc,
        ("HTTP+JSON", "1.0") => Speaks::HttpJson,
        ("JSONRPC", "0.3") => Speaks::Old,
        (binding, _) => return Err(format!("{} {} is not spoken here", shown(binding), shown(said.version))),
    };
    let text = said.url.as_str().unwrap_or_default();
    let url = Url::parse(text).map_err(|error| format!("`{}` is no address: {error}", shown(text)))?;
    if let Some(why) = address::trouble(&url, home, allow_private) {
        return Err(why);
    }
    let tenant = said.tenant.map(str::to_owned);
    if tenant.as_ref().is_some_and(|tenant| tenant.len() > REMOTE_ID_BYTES_MAX) {
        return Err(format!("a tenant has more than {REMOTE_ID_BYTES_MAX} bytes (REMOTE_ID_BYTES_MAX)"));
    }
    Ok(Interface { url, speaks, tenant })
}

/// A version without what does not matter between two who talk.
fn minor(version: &str) -> String {
    version.trim().splitn(3, '.').take(2).collect::<Vec<_>>().join(".")
}

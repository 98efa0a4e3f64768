//! Where a request goes: the house or one of its agents, for which tenant, and what is asked for.

/// What an address asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Door {
    /// JSON-RPC.
    Rpc,
    /// A message, answered at once or when its task rests.
    Send,
    /// A message, answered by a stream.
    Stream,
    /// The tasks.
    Tasks,
    /// One task.
    Task(String),
    /// Takes a task back.
    Cancel(String),
    /// A stream of what happens to a task.
    Subscribe(String),
    /// Who is told of a task.
    Pushes(String),
    /// One who is told of a task.
    Push(String, String),
    /// The card with all that the caller may see.
    Card,
}

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// One agent; the house when nobody is named.
    pub(crate) agent: Option<String>,
    /// The tenant that is named.
    pub(crate) tenant: Option<String>,
    /// What is asked for.
    pub(crate) door: Door,
}

/// The place of an address below the prefix; nothing where there is none.
pub(crate) fn place(path: &str) -> Option<Place> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let parts: Option<Vec<String>> = match path {
        "" => Some(Vec::new()),
        path => path.split('/').map(decoded).collect(),
    };
    let parts = parts?;
    let (agent, rest) = match parts.as_slice() {
        [first, agent, rest @ ..] if first == "agents" => (Some(agent.clone()), rest),
        all => (None, all),
    };
    let (tenant, door) = match (door(rest), rest) {
        (Some(door), _) => (None, door),
        (None, [tenant, rest @ ..]) => (Some(tenant.clone()), door(rest)?),
        (None, []) => return None,
    };
    let fits = |text: &Option<String>| text.as_ref().is_none_or(|text| !text.is_empty());
    (fits(&agent) && fits(&tenant)).then_some(Place { agent, tenant, door })
}

fn door(parts: &[String]) -> Option<Door> {
    let words: Vec<&str> = parts.iter().map(String::as_str).collect();
    Some(match words.as_slice() {
        [] => Door::Rpc,
        ["message:send"] => Door::Send,
        ["message:stream"] => Door::Stream,
        ["extendedAgentCard"] => Door::Card,
        ["tasks"] => Door::Tasks,
        ["tasks", id] => match id.rsplit_once(':') {
            Some((id, "cancel")) => Door::Cancel(id.to_owned()),
            Some((id, "subscribe")) => Door::Subscribe(id.to_owned()),
            Some(_) => return None,
            None => Door::Task((*id).to_owned()),
        },
        ["tasks", id, "pushNotificationConfigs"] => Door::Pushes((*id).to_owned()),
        ["tasks", id, "pushNotificationConfigs", config] => Door::Push((*id).to_owned(), (*config).to_owned()),
        _ => return None,
    })
}

/// A part of an address as it was meant: `%2F` is no separator.
fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let (digits, after) = after.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains(char::is_control))
}

#[cfg(test)]
mod tests {
    use super::*;
    use handover_core::net::encoded;

    #[test]
    fn each_address_has_one_meaning() {
        let id = || "7".to_owned();
        for (path, agent, tenant, door) in [
            ("", None, None, Door::Rpc),
            ("/", None, None, Door::Rpc),
            ("/message:send", None, None, Door::Send),
            ("/message:stream", None, None, Door::Stream),
            ("/tasks", None, None, Door::Tasks),
            ("/tasks/7", None, None, Door::Task(id())),
            ("/tasks/7:cancel", None, None, Door::Cancel(id())),
            ("/tasks/7%3Acancel", None, None, Door::Cancel(id())),
            ("/tasks/7:subscribe", None, None, Door::Subscribe(id())),
            ("/tasks/7/pushNotificationConfigs", None, None, Door::Pushes(id())),
            ("/tasks/7/pushNotificationConfigs/c", None, None, Door::Push(id(), "c".into())),
            ("/extendedAgentCard", None, None, Door::Card),
            ("/acme", None, Some("acme"), Door::Rpc),
            ("/acme/tasks/7", None, Some("acme"), Door::Task(id())),
            ("/agents/bob", Some("bob"), None, Door::Rpc),
            ("/agents/team%2Fbob/message:send", Some("team/bob"), None, Door::Send),
            ("/agents/bob/acme/tasks", Some("bob"), Some("acme"), Door::Tasks),
        ] {
            let expected = Place { agent: agent.map(str::to_owned), tenant: tenant.map(str::to_owned), door };
            assert_eq!(place(path), Some(expected), "{path}");
        }
        for nowhere in ["/acme/x/y", "//", "/tasks/7:explode", "/tasks/7/x", "/agents//tasks", "/a%2", "/a%00b", "/%ff"]
        {
            assert_eq!(place(nowhere), None, "{nowhere}");
        }
        assert_eq!(place(&format!("/agents/{}", encoded("a/b c:ä"))).unwrap().agent.as_deref(), Some("a/b c:ä"));
    }
}

//! The register of clients: a CSV file that people keep, read anew each time so that a change counts at once.

mod csv;
mod names;

use handover_core::limits::{CHARTER_FIELD_CHARS_MAX, FILE_BYTES_MAX, NAMES_SHOWN, REGISTER_CLIENTS_MAX};
use names::{Named, named};
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

/// The columns of the register. Their order does not matter.
pub const COLUMNS: [&str; 7] =
    ["name", "email", "preferred_aircraft", "budget_min", "budget_max", "vip", "special_requirements"];

/// A line of the register.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// The full name.
    pub name: String,
    /// The address for mail.
    pub email: String,
    /// Aircraft that the client likes best; in the file with `;` between them.
    pub preferred_aircraft: Vec<String>,
    /// What the client expects to pay at least, in euros.
    pub budget_min: Option<u64>,
    /// What the client wants to pay at most, in euros.
    pub budget_max: Option<u64>,
    /// Whether comfort counts for more.
    pub vip: bool,
    /// What else is needed on board; in the file with `;` between them.
    pub special_requirements: Vec<String>,
}

/// What a search in the register leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// One client, and by what.
    Client {
        /// The client.
        client: Client,
        /// `email`, `name` or `similar_name`.
        matched_by: String,
    },
    /// Nobody, and why.
    Nobody {
        /// A sentence for people.
        why: String,
    },
}

/// Why the register cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterError {
    /// What is wrong, in words.
    pub why: String,
    /// Whether another try may do better.
    pub retryable: bool,
}

/// The clients of a file.
///
/// # Errors
/// When the file cannot be read, is too large, or has a mistake; a mistake has its line.
pub fn load(path: &Path) -> Result<Vec<Client>, RegisterError> {
    let unread = |error: io::Error| RegisterError {
        why: format!("the register {} cannot be read: {error}", path.display()),
        // A file that is not there, or not for us, or not text, does not mend itself.
        retryable: !matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidData
        ),
    };
    let most = u64::try_from(FILE_BYTES_MAX).unwrap_or(u64::MAX);
    let mut text = String::new();
    File::open(path).and_then(|file| file.take(most + 1).read_to_string(&mut text)).map_err(unread)?;
    if text.len() > FILE_BYTES_MAX {
        let why = format!("the register {} is larger than {FILE_BYTES_MAX} bytes (FILE_BYTES_MAX)", path.display());
        return Err(RegisterError { why, retryable: false });
    }
    let wrong = |(line, why): (usize, String)| RegisterError {
        why: format!("the register {}, line {line}: {why}", path.display()),
        retryable: false,
    };
    read(&text).map_err(wrong)
}

/// The clients of a text.
fn read(text: &str) -> Result<Vec<Client>, (usize, String)> {
    let mut rows = csv::rows(text).map_err(|(line, why)| (line, why.to_owned()))?.into_iter();
    let head = rows.next().ok_or((1, format!("the first line names the columns: {}", COLUMNS.join(","))))?;
    let head_names: Vec<String> = head.fields.iter().map(|name| name.trim().to_lowercase()).collect();
    let mut places = [0; COLUMNS.len()];
    for (place, column) in places.iter_mut().zip(COLUMNS) {
        *place = head_names.iter().position(|name| name == column).ok_or((1, format!("no column is `{column}`")))?;
    }
    let mut clients = Vec::new();
    for row in rows {
        if row.fields.len() != head.fields.len() {
            return Err((row.line, format!("{} fields, but {} columns", row.fields.len(), head.fields.len())));
        }
        if clients.len() == REGISTER_CLIENTS_MAX {
            return Err((row.line, format!("{REGISTER_CLIENTS_MAX} clients are the most (REGISTER_CLIENTS_MAX)")));
        }
        let fields = places.map(|place| row.fields[place].trim());
        clients.push(client(fields).map_err(|why| (row.line, why))?);
    }
    Ok(clients)
}

fn client(fields: [&str; COLUMNS.len()]) -> Result<Client, String> {
    let [name, email, aircraft, min, max, vip, special] = fields;
    if name.is_empty() {
        return Err("a client has no name".to_owned());
    }
    if let Some(at) = fields.iter().position(|field| field.chars().count() > CHARTER_FIELD_CHARS_MAX) {
        let (column, most) = (COLUMNS[at], CHARTER_FIELD_CHARS_MAX);
        return Err(format!("`{column}` is longer than {most} characters (CHARTER_FIELD_CHARS_MAX)"));
    }
    let euros = |column: &str, text: &str| match text {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| format!("`{column}` is `{text}`; write whole euros, such as 12000")),
    };
    let list = |text: &str| -> Vec<String> {
        text.split(';').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
    };
    let (budget_min, budget_max) = (euros("budget_min", min)?, euros("budget_max", max)?);
    if budget_min.zip(budget_max).is_some_and(|(min, max)| min > max) {
        return Err("`budget_min` is more than `budget_max`".to_owned());
    }
    let vip = match vip.to_lowercase().as_str() {
        "yes" | "true" => true,
        "" | "no" | "false" => false,
        other => return Err(format!("`vip` is `{other}`; write yes or no")),
    };
    let (preferred_aircraft, special_requirements) = (list(aircraft), list(special));
    let (name, email) = (name.to_owned(), email.to_owned());
    Ok(Client { name, email, preferred_aircraft, budget_min, budget_max, vip, special_requirements })
}

/// Looks for a client: by the exact address, else by the exact name, else by a name that is near enough.
#[must_use]
pub fn find(clients: &[Client], name: Option<&str>, email: Option<&str>) -> Found {
    let same = |client: &&Client| email.is_some_and(|email| client.email.eq_ignore_ascii_case(email.trim()));
    let by_email: Vec<&Client> = clients.iter().filter(same).collect();
    match by_email[..] {
        [client] => return found(client, "email"),
        [] => {}
        _ => return several(&by_email, "address"),
    }
    let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else {
        return nobody("nobody in the register has this address");
    };
    match named(clients, name) {
        Named::Exact(client) => found(client, "name"),
        // Another address and a name that is only similar: that is more likely somebody else.
        Named::Near(client) if email.is_some() => {
            let name = &client.name;
            nobody(format!("the name is like {name}, but the address is another: taken as somebody else"))
        }
        Named::Near(client) => found(client, "similar_name"),
        Named::Several(clients) => several(&clients, "name"),
        Named::Nobody => nobody("nobody in the register has this name or one like it"),
    }
}

fn found(client: &Client, matched_by: &str) -> Found {
    Found::Client { client: client.clone(), matched_by: matched_by.to_owned() }
}

fn nobody(why: impl Into<String>) -> Found {
    Found::Nobody { why: why.into() }
}

fn several(clients: &[&Client], what: &str) -> Found {
    let names: Vec<&str> = clients.iter().take(NAMES_SHOWN).map(|client| client.name.as_str()).collect();
    nobody(format!("the {what} could be that of {}: nobody is chosen", names.join(" or ")))
}

#[cfg(test)]
mod tests;

//! Who may do what: roles and rights, callers and what exists for them, and the keys by which callers are known.

mod caller;
mod key;
mod token;

pub use caller::{Caller, Whose};
pub(crate) use key::check_tenant;
pub use key::{KeyInfo, NewKey};
pub use token::{Denial, KeyId, id_of, token};

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What a caller is. Each role may do what the one below it may, and more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CallerRole"))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads.
    Viewer,
    /// Works for its own agents, in the sessions in which they take part.
    Agent,
    /// Runs the work: decides about approvals, drains agents, sets limits, raises events.
    Operator,
    /// Runs the installation: agents, keys, the policy, the audit trail.
    Admin,
}

/// What something needs that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Right {
    /// To read.
    Look,
    /// To work: open, say, hand over, accept, return.
    Act,
    /// To run the work of others.
    Operate,
    /// To run the installation.
    Administer,
}

impl Role {
    /// All roles, from the one that may least.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Agent, Self::Operator, Self::Admin];

    /// Whether it has this right.
    #[must_use]
    pub fn may(self, right: Right) -> bool {
        let most = match self {
            Self::Viewer => Right::Look,
            Self::Agent => Right::Act,
            Self::Operator => Right::Operate,
            Self::Admin => Right::Administer,
        };
        right <= most
    }

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Agent => "agent",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}

impl Right {
    /// The least role that has it.
    #[must_use]
    pub fn least_role(self) -> Role {
        match self {
            Self::Look => Role::Viewer,
            Self::Act => Role::Agent,
            Self::Operate => Role::Operator,
            Self::Administer => Role::Admin,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Role {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|role| role.word() == text);
        found.ok_or_else(|| format!("there is no role \"{text}\"; there is: admin, operator, agent, viewer"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_may_what_the_table_says() {
        let rights = [Right::Look, Right::Act, Right::Operate, Right::Administer];
        for (role, may) in [
            (Role::Viewer, [true, false, false, false]),
            (Role::Agent, [true, true, false, false]),
            (Role::Operator, [true, true, true, false]),
            (Role::Admin, [true, true, true, true]),
        ] {
            assert_eq!(rights.map(|right| role.may(right)), may, "{role}");
            assert_eq!(role.word().parse::<Role>(), Ok(role));
            assert_eq!(serde_json::to_value(role).unwrap(), role.word());
        }
        for right in rights {
            assert!(right.least_role().may(right));
        }
        assert!("root".parse::<Role>().unwrap_err().contains("admin, operator, agent, viewer"));
    }
}

//! One rule: a kind of access, a pattern, an action, and who made it.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use super::pattern::{Pattern, Reach};
use super::subject::Names;
use toolcrib_tool::ToolError;

/// What is to be done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Its content is to be shown.
    Read,
    /// It is to be created, changed, moved or removed.
    Edit,
    /// It lies outside every root.
    ExternalDirectory,
}

impl Access {
    /// The word in rules and in refusals.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::ExternalDirectory => "external_directory",
        }
    }

    /// What counts where no rule matches.
    #[must_use]
    pub fn fallback(self) -> Action {
        match self {
            Self::Read | Self::Edit => Action::Allow,
            Self::ExternalDirectory => Action::Ask,
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a rule says. The order is the order of strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Go on.
    Allow,
    /// Ask the person.
    Ask,
    /// Refuse.
    Deny,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}

/// Who made a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// It protects the rules themselves and cannot be changed.
    Fixed,
    /// It comes with Toolcrib, and a rule of the user's with the same kind and pattern takes its place.
    Default,
    /// The user's configuration.
    User,
    /// The workspace's own `.toolcrib.toml`, which can only tighten.
    Workspace,
}

/// What the rules of a group have in common.
#[derive(Debug, PartialEq, Eq)]
pub struct Group {
    /// What they are about.
    pub label: &'static str,
    /// Why they are there.
    pub reason: &'static str,
    pub(super) reach: Reach,
}

/// One rule, as it stands in a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// What it is about.
    pub kind: Access,
    /// Which paths.
    pub pattern: Pattern,
    /// Which of them not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<Pattern>,
    /// What it says.
    pub action: Action,
    /// Who made it.
    pub origin: Origin,
    /// The group it belongs to, if it comes with Toolcrib.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "label")]
    pub group: Option<&'static Group>,
}

fn label<S: Serializer>(group: &Option<&'static Group>, serializer: S) -> Result<S::Ok, S::Error> {
    group.map(|group| group.label).serialize(serializer)
}

impl Rule {
    /// A rule.
    ///
    /// # Errors
    ///
    /// If the pattern is not a glob, or too long or too branched for one.
    pub fn new(kind: Access, pattern: &str, action: Action, origin: Origin) -> Result<Self, ToolError> {
        Ok(Self { kind, pattern: pattern.parse()?, except: Vec::new(), action, origin, group: None })
    }

    /// Leaves out what matches this.
    ///
    /// # Errors
    ///
    /// If the pattern is not a glob, or too long or too branched for one.
    pub fn except(mut self, pattern: &str) -> Result<Self, ToolError> {
        self.except.push(pattern.parse()?);
        Ok(self)
    }

    /// How far above a root it looks.
    pub(super) fn reach(&self) -> Reach {
        match (self.origin, self.group) {
            (_, Some(group)) => group.reach,
            (Origin::User, None) => Reach::Roots,
            (Origin::Workspace, None) => Reach::Inside,
            (Origin::Fixed | Origin::Default, None) => Reach::Everywhere,
        }
    }

    pub(super) fn covers(&self, names: &Names) -> bool {
        let reach = self.reach();
        let hit = match self.action {
            Action::Allow => self.pattern.matches(names, reach),
            Action::Ask | Action::Deny => {
                self.pattern.matches(names, reach)
                    || self.pattern.matches_folded(names, reach, self.covers_copies())
            }
        };
        // An exception is matched to the letter: `.env.example` is one, and nothing that merely looks like it. What lies
        // above the root is no reason for one.
        hit && !self.except.iter().any(|pattern| pattern.matches(names, Reach::Inside))
    }

    /// Whether it covers backups and editors' copies of what it names. A copy holds the same secret; but a copy of a script
    /// that some program would run is not run.
    fn covers_copies(&self) -> bool {
        self.action == Action::Deny || self.kind == Access::Read
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.action, self.kind, self.pattern)
    }
}

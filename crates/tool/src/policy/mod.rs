//! May this call do this? Rules of a kind, a pattern and an action, and nothing about how a file is opened.
//!
//! Containment is mechanism and lives in the workspace; this is judgement. Deny beats ask beats allow, whatever the
//! order of the rules. Where no rule matches, reading and editing inside the workspace is allowed, and anything
//! outside is asked for.
//!
//! A rule that refuses is matched against folded names (see `fold`), so that `.GIT/config` is no way around
//! `**/.git/**`; a rule that allows is matched to the letter.

mod approval;
mod defaults;
mod fold;
mod pattern;
mod wary;

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub(crate) use approval::Approvals;
pub use approval::{ApprovalRequest, Approver, Decision};
pub use pattern::Pattern;
use pattern::Place;
pub(crate) use wary::Wary;

use crate::ToolError;

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
}

impl Rule {
    /// A rule.
    ///
    /// # Errors
    ///
    /// If the pattern is not a glob.
    pub fn new(kind: Access, pattern: &str, action: Action, origin: Origin) -> Result<Self, ToolError> {
        Ok(Self { kind, pattern: pattern.parse()?, except: Vec::new(), action, origin })
    }

    /// Leaves out what matches this.
    ///
    /// # Errors
    ///
    /// If the pattern is not a glob.
    pub fn except(mut self, pattern: &str) -> Result<Self, ToolError> {
        self.except.push(pattern.parse()?);
        Ok(self)
    }

    fn covers(&self, names: &Names) -> bool {
        let hit = match self.action {
            Action::Allow => self.pattern.matches(&names.given),
            Action::Ask | Action::Deny => {
                self.pattern.matches(&names.given) || self.pattern.matches_folded(&names.folded)
            }
        };
        // An exception is matched to the letter: `.env.example` is one, and nothing that merely looks like it.
        hit && !self.except.iter().any(|pattern| pattern.matches(&names.given))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.action, self.kind, self.pattern)
    }
}

/// A path under all the names it is known by: what was asked for and what was reached.
#[derive(Clone, Debug)]
pub struct Subject(Vec<Names>);

#[derive(Clone, Debug)]
struct Names {
    given: Place,
    folded: Place,
}

impl Subject {
    /// The path `relative` to `root`.
    #[must_use]
    pub fn inside(root: &Path, relative: &Path) -> Self {
        Self(vec![Names::new(Place::new(root.join(relative), Some(relative)))])
    }

    /// A path outside every root.
    #[must_use]
    pub fn outside(absolute: &Path) -> Self {
        Self(vec![Names::new(Place::new(absolute.to_owned(), None))])
    }

    /// Whether a pattern covers every name.
    pub(crate) fn is_covered_by(&self, pattern: &Pattern) -> bool {
        self.0.iter().all(|names| pattern.matches(&names.given))
    }

    /// The same file is also known by another name.
    #[must_use]
    pub fn also(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

impl Names {
    fn new(given: Place) -> Self {
        Self { folded: given.folded(), given }
    }
}

/// What the policy says, and because of which rule; none means that no rule matched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict<'a> {
    /// What to do.
    pub action: Action,
    /// The rule that decided.
    pub rule: Option<&'a Rule>,
}

/// All the rules in force.
#[derive(Clone, Debug)]
pub struct Policy {
    rules: Vec<Rule>,
    ignored: Vec<Rule>,
}

impl Default for Policy {
    /// The rules that come with Toolcrib.
    fn default() -> Self {
        Self::new([])
    }
}

impl Policy {
    /// The rules that come with Toolcrib and these. One with the kind and pattern of a default rule takes its place; one
    /// of the workspace's that loosens is ignored.
    #[must_use]
    pub fn new(rules: impl IntoIterator<Item = Rule>) -> Self {
        let (ignored, mut given): (Vec<Rule>, Vec<Rule>) = rules
            .into_iter()
            .partition(|rule| rule.origin == Origin::Workspace && rule.action == Action::Allow);
        let replaced = |default: &Rule| {
            default.origin == Origin::Default
                && given.iter().any(|rule| {
                    rule.origin == Origin::User
                        && rule.kind == default.kind
                        && rule.pattern == default.pattern
                })
        };
        let mut all: Vec<Rule> = defaults::rules().into_iter().filter(|rule| !replaced(rule)).collect();
        all.append(&mut given);
        Self { rules: all, ignored }
    }

    /// A policy with no rule but the fixed ones: everything inside is allowed.
    #[must_use]
    pub fn permissive() -> Self {
        let rules = defaults::rules().into_iter().filter(|rule| rule.origin == Origin::Fixed).collect();
        Self { rules, ignored: Vec::new() }
    }

    /// The rules in force, the ones that come with Toolcrib first.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The workspace's own rules that would have loosened, and so do not count.
    #[must_use]
    pub fn ignored(&self) -> &[Rule] {
        &self.ignored
    }

    /// Whether this may be done with a path: the strictest that any of its names gets.
    ///
    /// So a rule that allows must cover every name: a link into an allowed directory is not the directory.
    #[must_use]
    pub fn judge(&self, access: Access, subject: &Subject) -> Verdict<'_> {
        let verdicts = subject.0.iter().map(|names| self.judge_name(access, names));
        let strictest =
            verdicts.reduce(|first, verdict| if verdict.action > first.action { verdict } else { first });
        strictest.unwrap_or(Verdict { action: access.fallback(), rule: None })
    }

    fn judge_name(&self, access: Access, names: &Names) -> Verdict<'_> {
        let matching = self.rules.iter().filter(|rule| rule.kind == access && rule.covers(names));
        let strictest = matching.reduce(|first, rule| if rule.action > first.action { rule } else { first });
        Verdict { action: strictest.map_or(access.fallback(), |rule| rule.action), rule: strictest }
    }
}

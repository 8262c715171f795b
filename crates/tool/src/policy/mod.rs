//! May this call do this? Rules of a kind, a pattern and an action, and nothing about how a file is opened.
//!
//! Containment is mechanism and lives in the workspace; this is judgement. Deny beats ask beats allow, whatever the
//! order of the rules. Where no rule matches, reading and editing inside the workspace is allowed, and anything
//! outside is asked for.
//!
//! A rule that refuses is matched against folded names (see `fold`), so that `.GIT/config` is no way around
//! `**/.git/**`, and against what a name may be a backup of (see `copies`); a rule that allows is matched to the letter.

mod approval;
mod copies;
mod defaults;
mod fold;
mod glob;
mod index;
mod pattern;
mod rule;
mod subject;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::sync::{Arc, OnceLock};

pub(crate) use approval::Approvals;
pub use approval::{ApprovalRequest, Approver, Decision};
use index::Index;
pub use pattern::Pattern;
pub use rule::{Access, Action, Group, Origin, Rule};
use subject::Names;
pub(crate) use subject::RootName;
pub use subject::Subject;

/// What the policy says, and because of which rule; none means that no rule matched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict<'a> {
    /// What to do.
    pub action: Action,
    /// The rule that decided.
    pub rule: Option<&'a Rule>,
}

/// All the rules in force. Cheap to clone; clones share everything.
#[derive(Clone, Debug)]
pub struct Policy(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    rules: Vec<Rule>,
    ignored: Vec<Rule>,
    /// For each kind of access the rules that refuse, and those that allow. Made when they are first asked.
    refusing: [OnceLock<Index>; 3],
    allowing: [OnceLock<Index>; 3],
}

impl Default for Policy {
    /// The rules that come with Toolcrib.
    fn default() -> Self {
        static DEFAULT: OnceLock<Policy> = OnceLock::new();
        DEFAULT.get_or_init(|| Self::new([])).clone()
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
        let of_user = given.iter().filter(|rule| rule.origin == Origin::User);
        let replaced: HashSet<_> = of_user.map(|rule| (rule.kind, rule.pattern.complete())).collect();
        let stays = |rule: &&Rule| {
            replaced.is_empty()
                || rule.origin != Origin::Default
                || !replaced.contains(&(rule.kind, rule.pattern.complete()))
        };
        let mut all: Vec<Rule> = defaults::rules().iter().filter(stays).cloned().collect();
        drop(replaced);
        all.append(&mut given);
        Self::of(all, ignored)
    }

    /// A policy with no rule but the fixed ones: everything inside is allowed.
    #[must_use]
    pub fn permissive() -> Self {
        let fixed = defaults::rules().iter().filter(|rule| rule.origin == Origin::Fixed);
        Self::of(fixed.cloned().collect(), Vec::new())
    }

    fn of(rules: Vec<Rule>, ignored: Vec<Rule>) -> Self {
        Self(Arc::new(Shared { rules, ignored, refusing: Default::default(), allowing: Default::default() }))
    }

    /// The rules in force, the ones that come with Toolcrib first.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.0.rules
    }

    /// The workspace's own rules that would have loosened, and so do not count.
    #[must_use]
    pub fn ignored(&self) -> &[Rule] {
        &self.0.ignored
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

    /// Whether a rule may refuse this access to an entry of this name, wherever it lies. Quick, and yes too often; where it
    /// says no, [`judge`](Self::judge) allows, unless [`may_refuse_all_in`](Self::may_refuse_all_in) says yes.
    pub(crate) fn may_refuse(&self, access: Access, name: &OsStr) -> bool {
        self.refusing(access).may_mean(name)
    }

    /// Whether a rule may refuse this access to any entry of this directory, whatever its name is.
    pub(crate) fn may_refuse_all_in(&self, access: Access, directory: &Subject) -> bool {
        directory.0.iter().any(|names| self.refusing(access).may_mean_all_in(names, self.rules()))
    }

    fn judge_name(&self, access: Access, names: &Names) -> Verdict<'_> {
        let rule = self
            .strictest(self.refusing(access), names)
            .or_else(|| self.strictest(self.allowing(access), names));
        Verdict { action: rule.map_or(access.fallback(), |rule| rule.action), rule }
    }

    /// The strictest of the rules that are about a path; of equally strict ones, the first.
    fn strictest(&self, index: &Index, names: &Names) -> Option<&Rule> {
        let mut found: Option<(u32, &Rule)> = None;
        index.candidates(names, |number| {
            let rule = &self.rules()[number as usize];
            let beats = found.is_none_or(|(first, best)| {
                rule.action > best.action || (rule.action == best.action && number < first)
            });
            if beats && rule.covers(names) {
                found = Some((number, rule));
            }
        });
        found.map(|(_, rule)| rule)
    }

    fn refusing(&self, access: Access) -> &Index {
        self.0.refusing[access as usize]
            .get_or_init(|| Index::new(self.rules(), access, |a| a != Action::Allow))
    }

    fn allowing(&self, access: Access) -> &Index {
        self.0.allowing[access as usize]
            .get_or_init(|| Index::new(self.rules(), access, |a| a == Action::Allow))
    }
}

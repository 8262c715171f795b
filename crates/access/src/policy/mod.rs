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
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

pub(crate) use approval::Approvals;
pub use approval::{ApprovalRequest, Approver, Decision};
use index::Index;
pub use pattern::Pattern;
pub use rule::{Access, Action, Group, Origin, Rule};
use subject::Names;
pub(crate) use subject::RootName;
pub use subject::Subject;
use toolcrib_workspace::Version;

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
    /// No other policy of this process has it.
    number: u64,
    defaults: Defaults,
    own: Vec<Rule>,
    ignored: Vec<Rule>,
    /// For each kind of access the own rules that refuse, and those that allow. Made when they are first asked.
    refusing: [OnceLock<Index>; 3],
    allowing: [OnceLock<Index>; 3],
    /// All rules in force, for programs that show them.
    all: OnceLock<Vec<Rule>>,
}

/// Which of the rules that come with Toolcrib are in force.
#[derive(Debug)]
enum Defaults {
    /// All but these, which rules of the user's take the place of.
    AllBut(HashSet<u32>),
    /// Those that cannot be changed.
    Fixed,
}

impl Defaults {
    fn hold(&self, number: u32, rule: &Rule) -> bool {
        match self {
            Self::AllBut(replaced) => replaced.is_empty() || !replaced.contains(&number),
            Self::Fixed => rule.origin == Origin::Fixed,
        }
    }
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
        let (ignored, own): (Vec<Rule>, Vec<Rule>) = rules
            .into_iter()
            .partition(|rule| rule.origin == Origin::Workspace && rule.action == Action::Allow);
        let of_user = own.iter().filter(|rule| rule.origin == Origin::User);
        let of_user: HashSet<_> = of_user.map(|rule| (rule.kind, rule.pattern.complete())).collect();
        let mut replaced = HashSet::new();
        if !of_user.is_empty() {
            replaced.extend((0..defaults::count()).filter(|number| {
                let rule = defaults::rule(*number);
                rule.origin == Origin::Default && of_user.contains(&(rule.kind, rule.pattern.complete()))
            }));
        }
        drop(of_user);
        Self::of(Defaults::AllBut(replaced), own, ignored)
    }

    /// A policy with no rule but the fixed ones: everything inside is allowed.
    #[must_use]
    pub fn permissive() -> Self {
        Self::of(Defaults::Fixed, Vec::new(), Vec::new())
    }

    /// The policy for a person, who may do anything but change what guards the workspace.
    pub(crate) fn of_person() -> Self {
        let outside = Rule::new(Access::ExternalDirectory, "/**", Action::Allow, Origin::User);
        Self::of(Defaults::Fixed, outside.into_iter().collect(), Vec::new())
    }

    fn of(defaults: Defaults, own: Vec<Rule>, ignored: Vec<Rule>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(Arc::new(Shared {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            defaults,
            own,
            ignored,
            refusing: Default::default(),
            allowing: Default::default(),
            all: OnceLock::new(),
        }))
    }

    /// The rules in force, the ones that come with Toolcrib first.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        self.0.all.get_or_init(|| {
            let defaults = (0..defaults::count()).map(|number| (number, defaults::rule(number)));
            let in_force = defaults.filter(|(number, rule)| self.0.defaults.hold(*number, rule));
            in_force.map(|(_, rule)| rule).chain(&self.0.own).cloned().collect()
        })
    }

    /// A number that no other policy of this process has.
    pub(crate) fn number(&self) -> u64 {
        self.0.number
    }

    /// A digest of the rules in force, which is the same in every process.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut hasher = Version::hasher();
        for rule in self.rules() {
            hasher.update(format!("{rule}\n").as_bytes());
        }
        *hasher.finish().as_bytes()
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
        self.judge_by(access, subject, |_| true)
    }

    /// The same for a directory. The rules that come with Toolcrib are about files, or about what is in a directory: a
    /// directory that is called as a file of secrets is (`pkg/kubeconfig`) is none.
    pub(crate) fn judge_directory(&self, access: Access, subject: &Subject) -> Verdict<'_> {
        self.judge_by(access, subject, |rule| rule.group.is_none() || rule.pattern.is_below())
    }

    fn judge_by(&self, access: Access, subject: &Subject, counts: impl Fn(&Rule) -> bool) -> Verdict<'_> {
        let verdicts = subject.0.iter().map(|names| self.judge_name(access, names, &counts));
        let strictest =
            verdicts.reduce(|first, verdict| if verdict.action > first.action { verdict } else { first });
        strictest.unwrap_or(Verdict { action: access.fallback(), rule: None })
    }

    /// Whether a rule may refuse this access to an entry of this name, wherever it lies. Quick, and yes too often; where it
    /// says no, [`judge`](Self::judge) allows, unless [`may_refuse_all_in`](Self::may_refuse_all_in) says yes.
    pub(crate) fn may_refuse(&self, access: Access, name: &OsStr) -> bool {
        defaults::index(access).may_mean(name)
            || (!self.0.own.is_empty() && self.refusing(access).may_mean(name))
    }

    /// Whether a rule may refuse this access to any entry of this directory, whatever its name is.
    pub(crate) fn may_refuse_all_in(&self, access: Access, directory: &Subject) -> bool {
        directory.0.iter().any(|names| {
            let own = |number: u32| self.0.own[number as usize].reach();
            defaults::index(access).may_mean_all_in(names, defaults::reach)
                || (!self.0.own.is_empty() && self.refusing(access).may_mean_all_in(names, own))
        })
    }

    /// Whether a rule may refuse this access to everything in a directory of this name, wherever it lies below a root.
    pub(crate) fn may_refuse_below(&self, access: Access, directory: &OsStr) -> bool {
        let own = || !self.0.own.is_empty() && self.refusing(access).may_mean_below(directory);
        defaults::index(access).may_mean_below(directory) || own()
    }

    /// Whether a rule that refuses this access spells out where below this directory it begins.
    pub(crate) fn may_refuse_deeper(&self, access: Access, directory: &Subject) -> bool {
        directory.0.iter().any(|names| {
            defaults::index(access).may_begin_below(names) || self.refusing(access).may_begin_below(names)
        })
    }

    fn judge_name(&self, access: Access, names: &Names, counts: impl Fn(&Rule) -> bool) -> Verdict<'_> {
        let in_force = |number: u32| {
            let rule = defaults::rule(number);
            (self.0.defaults.hold(number, rule) && counts(rule)).then_some(rule)
        };
        let own = |number: u32| self.0.own.get(number as usize);
        let refusing = [
            strictest(defaults::index(access), names, in_force),
            strictest(self.refusing(access), names, own),
        ];
        let refusing = refusing.into_iter().flatten();
        let rule = refusing
            .reduce(|first, rule| if rule.action > first.action { rule } else { first })
            .or_else(|| strictest(self.allowing(access), names, own));
        Verdict { action: rule.map_or(access.fallback(), |rule| rule.action), rule }
    }

    fn refusing(&self, access: Access) -> &Index {
        self.own_index(&self.0.refusing, access, |action| action != Action::Allow)
    }

    fn allowing(&self, access: Access) -> &Index {
        self.own_index(&self.0.allowing, access, |action| action == Action::Allow)
    }

    fn own_index<'s>(
        &'s self,
        indexes: &'s [OnceLock<Index>; 3],
        access: Access,
        wanted: fn(Action) -> bool,
    ) -> &'s Index {
        indexes[access as usize].get_or_init(|| {
            let mut index = Index::with_capacity(self.0.own.len());
            let rules = self.0.own.iter().zip(0..);
            for (rule, number) in rules.filter(|(rule, _)| rule.kind == access && wanted(rule.action)) {
                index.add(&rule.pattern, number);
            }
            index
        })
    }
}

/// The strictest of the rules in force that are about a path; of equally strict ones, the first.
fn strictest<'r>(
    index: &Index,
    names: &Names,
    in_force: impl Fn(u32) -> Option<&'r Rule>,
) -> Option<&'r Rule> {
    let mut found: Option<(u32, &Rule)> = None;
    index.candidates(names, |number| {
        let Some(rule) = in_force(number) else { return };
        let beats = found.is_none_or(|(first, best)| {
            rule.action > best.action || (rule.action == best.action && number < first)
        });
        if beats && rule.covers(names) {
            found = Some((number, rule));
        }
    });
    found.map(|(_, rule)| rule)
}

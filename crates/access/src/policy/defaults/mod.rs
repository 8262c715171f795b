//! The rules that come with Toolcrib. `toolcrib rules` shows them; a rule of the user's with the same kind and pattern
//! takes the place of one.
//!
//! Two tables: [`secrets`] are never shown to a model and never written by one; before [`programs`] are edited, a person is
//! asked, because other programs run or obey what is in them. Each row of both was decided with a reason, and the paths
//! that decided it are `tests/it/paths.tsv`. Files that people edit all day (`package.json`, `Makefile`, `.gitignore`)
//! are in neither: a user who is asked all day says yes without looking.

mod programs;
mod secrets;

use std::sync::{LazyLock, OnceLock};

use super::index::Index;
use super::pattern::{Pattern, Reach};
use super::{Access, Action, Group, Origin, Rule};

/// Rules about the same things, for the same reason.
struct Table {
    group: Group,
    read: Option<Action>,
    edit: Option<Action>,
    origin: Origin,
    rows: &'static [Row],
}

/// Patterns, with alternatives in braces, and what they do not mean. Each alternative becomes a rule of its own, so that a
/// user can lift it alone, and so that a refusal names no more than that.
struct Row {
    patterns: &'static str,
    except_read: &'static [&'static str],
    except_edit: &'static [&'static str],
}

const fn row(patterns: &'static str) -> Row {
    except(patterns, &[])
}

/// Leaves these out altogether.
const fn except(patterns: &'static str, except: &'static [&'static str]) -> Row {
    Row { patterns, except_read: except, except_edit: except }
}

/// Leaves these out when they are read; they are not to be written.
const fn readable(patterns: &'static str, except_read: &'static [&'static str]) -> Row {
    Row { patterns, except_read, except_edit: &[] }
}

/// What decides what agents may do is not theirs to write.
static OWN: Table = Table {
    group: Group {
        label: "Toolcrib's own rules",
        reason: "agents must not change the rules that govern them",
        reach: Reach::Everywhere,
    },
    read: None,
    edit: Some(Action::Deny),
    origin: Origin::Fixed,
    rows: &[row("**/.toolcrib.toml")],
};

/// A rule that was not made yet. Making all of them takes longer than reading a small file, and most calls need none.
struct Seed {
    table: &'static Table,
    row: &'static Row,
    kind: Access,
    action: Action,
    /// The text before, in and after the braces.
    text: [&'static str; 3],
    rule: OnceLock<Rule>,
}

/// How many rules there are.
pub(super) fn count() -> u32 {
    u32::try_from(seeds().len()).unwrap_or(u32::MAX)
}

/// The rule with this number.
pub(super) fn rule(number: u32) -> &'static Rule {
    let seed = &seeds()[number as usize];
    seed.rule.get_or_init(|| seed.grow())
}

pub(super) fn reach(number: u32) -> Reach {
    seeds()[number as usize].table.group.reach
}

/// The table that finds those about one kind of access.
pub(super) fn index(access: Access) -> &'static Index {
    static INDEXES: [OnceLock<Index>; 3] = [const { OnceLock::new() }; 3];
    INDEXES[access as usize].get_or_init(|| {
        let mut index = Index::with_capacity(seeds().len());
        let mut text = String::new();
        for (seed, number) in seeds().iter().zip(0..).filter(|(seed, _)| seed.kind == access) {
            text.clear();
            text.extend(seed.text);
            if !index.add_simple(&mut text, number) {
                index.add(&rule(number).pattern, number);
            }
        }
        index
    })
}

fn seeds() -> &'static [Seed] {
    static SEEDS: LazyLock<Vec<Seed>> = LazyLock::new(|| {
        let mut seeds = Vec::with_capacity(2048);
        for table in tables() {
            table.sow(&mut seeds);
        }
        seeds
    });
    &SEEDS
}

fn tables() -> impl Iterator<Item = &'static Table> {
    std::iter::once(&OWN).chain(secrets::TABLES).chain(programs::TABLES)
}

impl Table {
    fn sow(&'static self, seeds: &mut Vec<Seed>) {
        for row in self.rows {
            for text in alternatives(row.patterns) {
                for (kind, action) in [(Access::Read, self.read), (Access::Edit, self.edit)] {
                    let rule = OnceLock::new();
                    seeds.extend(action.map(|action| Seed { table: self, row, kind, action, text, rule }));
                }
            }
        }
    }
}

impl Seed {
    fn grow(&self) -> Rule {
        let except = match self.kind {
            Access::Read => self.row.except_read,
            Access::Edit | Access::ExternalDirectory => self.row.except_edit,
        };
        Rule {
            kind: self.kind,
            pattern: Pattern::built_in(self.text.concat()),
            except: except.iter().map(|text| Pattern::built_in((*text).to_owned())).collect(),
            action: self.action,
            origin: self.table.origin,
            group: Some(&self.table.group),
        }
    }
}

/// The text of each alternative, in three pieces.
fn alternatives(patterns: &'static str) -> impl Iterator<Item = [&'static str; 3]> {
    let (before, rest) = patterns.split_once('{').unwrap_or((patterns, ""));
    let (choices, after) = rest.split_once('}').unwrap_or((rest, ""));
    choices.split(',').map(move |choice| [before, choice, after])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_pattern_is_one_and_stands_once() {
        let mut seen = HashSet::new();
        for seed in seeds() {
            let text = seed.text.concat();
            assert!(seed.row.patterns.matches('{').count() <= 1, "{text}");
            assert!(text.parse::<Pattern>().is_ok_and(|pattern| pattern == seed.grow().pattern), "{text}");
            assert!(seen.insert((seed.kind, text.clone())), "{text} stands twice");
            for text in seed.row.except_read.iter().chain(seed.row.except_edit) {
                assert!(text.parse::<Pattern>().is_ok(), "{text}");
            }
        }
        assert_eq!(seen.len(), count() as usize);
        println!("{} rules", seen.len());
    }

    /// Nearly all are put into the table without being made; they must be found under the same key.
    #[test]
    fn a_rule_is_found_whether_it_was_made_or_not() {
        let mut simple = 0;
        for (seed, number) in seeds().iter().zip(0..) {
            let [mut quick, mut slow] = [Index::with_capacity(1), Index::with_capacity(1)];
            slow.add(&rule(number).pattern, number);
            if quick.add_simple(&mut seed.text.concat(), number) {
                simple += 1;
                assert!(quick.finds_as(&slow), "{:?}", seed.text);
            }
        }
        assert!(simple > count() * 9 / 10, "{simple} of {}", count());
    }

    #[test]
    fn every_group_has_a_name_and_a_reason_of_its_own() {
        let labels: HashSet<&str> = tables().map(|table| table.group.label).collect();
        assert_eq!(labels.len(), tables().count());
        assert!(tables().all(|table| table.group.reason.len() > 20));
    }
}

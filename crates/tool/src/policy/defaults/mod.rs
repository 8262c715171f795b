//! The rules that come with Toolcrib. `toolcrib rules` shows them; a rule of the user's with the same kind and pattern
//! takes the place of one.
//!
//! Two tables: [`secrets`] are never shown to a model and never written by one; before [`programs`] are edited, a person is
//! asked, because other programs run or obey what is in them. Files that people edit all day (`package.json`, `Makefile`, `.gitignore`)
//! are in neither: whoever is asked all day says yes without looking.

mod programs;
mod secrets;

use std::sync::LazyLock;

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

/// What decides what agents may do is not theirs to write.
static OWN: Table = Table {
    group: Group {
        label: "Toolcrib's own rules",
        reason: "what decides what agents may do is not theirs to write",
        reach: Reach::Everywhere,
    },
    read: None,
    edit: Some(Action::Deny),
    origin: Origin::Fixed,
    rows: &[row("**/.toolcrib.toml")],
};

pub(super) fn rules() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| tables().flat_map(Table::rules).collect());
    &RULES
}

fn tables() -> impl Iterator<Item = &'static Table> {
    std::iter::once(&OWN).chain(secrets::TABLES).chain(programs::TABLES)
}

impl Table {
    fn rules(&'static self) -> Vec<Rule> {
        let mut rules = Vec::new();
        for row in self.rows {
            let [except_read, except_edit] = [row.except_read, row.except_edit].map(patterns);
            for pattern in alternatives(row.patterns).into_iter().filter_map(Pattern::built_in) {
                for (kind, action, except) in
                    [(Access::Read, self.read, &except_read), (Access::Edit, self.edit, &except_edit)]
                {
                    rules.extend(action.map(|action| Rule {
                        kind,
                        pattern: pattern.clone(),
                        except: except.clone(),
                        action,
                        origin: self.origin,
                        group: Some(&self.group),
                    }));
                }
            }
        }
        rules
    }
}

// A pattern that does not parse would be left out; the test below sees that none is.

fn patterns(texts: &'static [&'static str]) -> Vec<Pattern> {
    texts.iter().filter_map(|text| Pattern::built_in((*text).into())).collect()
}

/// The text of each alternative.
fn alternatives(patterns: &'static str) -> Vec<std::borrow::Cow<'static, str>> {
    let Some((before, rest)) = patterns.split_once('{') else { return vec![patterns.into()] };
    let (choices, after) = rest.split_once('}').unwrap_or((rest, ""));
    choices.split(',').map(|choice| format!("{before}{choice}{after}").into()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_pattern_is_one_and_stands_once() {
        let mut seen = HashSet::new();
        for table in tables() {
            for row in table.rows {
                assert!(row.patterns.matches('{').count() <= 1, "{}", row.patterns);
                for text in alternatives(row.patterns) {
                    assert!(Pattern::built_in(text.clone()).is_some(), "{text}");
                    for access in [table.read.map(|_| Access::Read), table.edit.map(|_| Access::Edit)] {
                        let Some(access) = access else { continue };
                        assert!(seen.insert((access, text.clone())), "{text} stands twice");
                    }
                }
                for text in row.except_read.iter().chain(row.except_edit) {
                    assert!(Pattern::built_in((*text).into()).is_some(), "{text}");
                }
            }
        }
        assert_eq!(seen.len(), rules().len());
    }

    #[test]
    fn every_group_has_a_name_and_a_reason_of_its_own() {
        let labels: HashSet<&str> = tables().map(|table| table.group.label).collect();
        assert_eq!(labels.len(), tables().count());
        assert!(tables().all(|table| table.group.reason.len() > 20));
    }
}

//! A rule added to the user's configuration, changed or removed there. Everything else in the file stays as it is.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};
use toolcrib::{Access, Action, ConfigFile, Version};

use crate::answer::Refusal;
use crate::diff::{Sides, Window};

/// The configuration with the rule in it, not written yet.
pub(crate) struct RuleFile {
    pub(crate) path: PathBuf,
    file: ConfigFile,
    text: String,
}

impl RuleFile {
    /// The file with this rule; without an action, without it.
    pub(crate) fn with(
        path: &Path,
        kind: Access,
        pattern: &str,
        action: Option<Action>,
    ) -> Result<Self, Refusal> {
        let file = ConfigFile::open(path)?;
        let text = edited(file.text(), kind, pattern, action)?;
        Ok(Self { path: path.to_owned(), file, text })
    }

    pub(crate) fn is_change(&self) -> bool {
        self.text != self.file.text()
    }

    pub(crate) fn diff(&self) -> Value {
        let (before, after) = (self.file.text().as_bytes(), self.text.as_bytes());
        Sides { before: Some(before), after: Some(after) }.compared(Window::first())
    }

    /// Stands for what was read and what is to be written.
    pub(crate) fn digest(&self) -> String {
        let mut hasher = Version::hasher();
        for text in [self.file.text(), &self.text] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.finish().to_string()
    }

    pub(crate) fn write(&self) -> Result<(), Refusal> {
        Ok(self.file.replace(&self.text)?)
    }
}

fn edited(text: &str, kind: Access, pattern: &str, action: Option<Action>) -> Result<String, Refusal> {
    let by_hand = |why: &str| {
        Refusal::conflict(format!("The configuration stays as it is: {why}")).hint("correct the file by hand")
    };
    let mut document: DocumentMut =
        text.parse().map_err(|error| by_hand(&format!("it is no TOML: {error}")))?;
    let rules = document.entry("rules").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let Some(rules) = rules.as_array_of_tables_mut() else {
        return Err(by_hand("its rules are not written as [[rules]]"));
    };
    let is = |table: &Table, key: &str, wanted: &str| table.get(key).and_then(Item::as_str) == Some(wanted);
    let found = rules.iter().position(|rule| is(rule, "kind", kind.as_str()) && is(rule, "pattern", pattern));
    match (found, action) {
        (Some(at), None) => drop(rules.remove(at)),
        (Some(at), Some(action)) => {
            let there = rules.get_mut(at).and_then(|rule| rule.get_mut("action")?.as_value_mut());
            let Some(there) = there else { return Err(by_hand("the rule has no action")) };
            let decor = there.decor().clone();
            *there = action.to_string().into();
            *there.decor_mut() = decor;
        }
        (None, Some(action)) => {
            let mut rule = Table::new();
            rule.insert("kind", value(kind.as_str()));
            rule.insert("pattern", value(pattern));
            rule.insert("action", value(action.to_string()));
            rules.push(rule);
        }
        (None, None) => {
            return Err(Refusal::not_found(format!("Your configuration has no rule '{kind} {pattern}'")));
        }
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(text: &str, pattern: &str, action: Option<Action>) -> String {
        edited(text, Access::Read, pattern, action).unwrap()
    }

    const RULE: &str = "[[rules]]\nkind = \"read\"\npattern = \"a/**\"\naction = \"deny\"\n";

    #[test]
    fn a_rule_is_added_changed_and_removed_again() {
        let before = "# mine\nundo_tool  =  true # yes\n";
        let added = edit(before, "a/**", Some(Action::Deny));
        assert_eq!(added, format!("{before}\n{RULE}"));
        let changed = edit(&added, "a/**", Some(Action::Ask));
        assert_eq!(changed, added.replace("deny", "ask"));
        assert_eq!(edit(&changed, "a/**", None), before);
        assert_eq!(edit("", "a/**", Some(Action::Deny)), RULE);
    }

    #[test]
    fn comments_and_other_rules_stay() {
        let text =
            "[[rules]] # one\nkind = 'read'\npattern = 'b' # b\naction = 'ask' # why\nexcept = ['c']\n";
        assert_eq!(edit(text, "b", Some(Action::Allow)), text.replace("'ask'", "\"allow\""));
        assert!(edit(text, "a/**", Some(Action::Deny)).starts_with(text));
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        for text in ["rules = 3", "rules = [{kind = 'read', pattern = 'a', action = 'ask'}]", "x = "] {
            assert!(edited(text, Access::Read, "a", Some(Action::Deny)).is_err(), "{text}");
        }
        assert!(edited("", Access::Read, "a", None).is_err());
    }
}

//! The rules in force, why a path is denied, and rules that are added to the user's configuration.

use serde::Deserialize;
use serde_json::{Value, json};
use toolcrib::{Access, Action, Origin, Rule, names};

use crate::answer::Refusal;
use crate::app::App;
use crate::query::Query;
use crate::rule_file::RuleFile;

pub(super) fn list(app: &App) -> Value {
    let toolbox = app.toolbox();
    let policy = toolbox.policy();
    let rules: Vec<_> = policy.rules().iter().enumerate().map(|(n, rule)| told(n, rule)).collect();
    let ignored: Vec<_> = policy.ignored().iter().enumerate().map(|(n, rule)| told(n, rule)).collect();
    let file = app.configuration.as_deref().map(names::escape);
    json!({"rules": rules, "ignored": ignored, "file": file})
}

fn told(n: usize, rule: &Rule) -> Value {
    let source = match rule.origin {
        Origin::Fixed => "fixed",
        Origin::Default => "default",
        Origin::User => "user",
        Origin::Workspace => "workspace",
    };
    json!({
        "n": n,
        "kind": rule.kind,
        "pattern": rule.pattern,
        "except": rule.except,
        "action": rule.action,
        "source": source,
        "group": rule.group.map(|group| group.label),
        "reason": rule.group.map(|group| group.reason),
    })
}

/// What the rules say about a path, and because of which rule.
pub(super) fn why(app: &App, query: &Query) -> Result<Value, Refusal> {
    let toolbox = app.toolbox();
    let path = query.get("path").ok_or_else(|| Refusal::bad("'path' is missing"))?;
    let access = match query.get("access") {
        Some("edit") => Access::Edit,
        Some("read") | None => Access::Read,
        Some(other) => return Err(Refusal::bad(format!("'access' cannot be '{other}'"))),
    };
    let place = toolbox.from_shown(path);
    let is_inside = toolbox.workspace().path(&place, &toolbox.context().working_dir).is_ok();
    let access = if is_inside { access } else { Access::ExternalDirectory };
    let verdict = toolbox.verdict(access, &place);
    let n = verdict.rule.and_then(|rule| toolbox.policy().rules().iter().position(|other| other == rule));
    Ok(json!({
        "verdict": verdict.action,
        "access": access,
        "rules": n.into_iter().collect::<Vec<_>>(),
        "rule": verdict.rule.map(|rule| told(n.unwrap_or_default(), rule)),
        "text": sentence(path, access, verdict.action, verdict.rule),
    }))
}

fn sentence(path: &str, access: Access, action: Action, rule: Option<&Rule>) -> String {
    let to = match access {
        Access::Read => "read",
        Access::Edit => "change",
        Access::ExternalDirectory => "reach",
    };
    let may = match action {
        Action::Allow => format!("Agents may {to} {path}"),
        Action::Ask => format!("A person is asked before agents {to} {path}"),
        Action::Deny => format!("Agents may not {to} {path}"),
    };
    let because = match (rule, access) {
        (None, Access::ExternalDirectory) => {
            "it lies outside the workspace, and no rule is about it".to_owned()
        }
        (None, _) => "no rule is about it".to_owned(),
        (Some(rule), _) => {
            let whose = match rule.origin {
                Origin::Fixed => "the rule, which cannot be changed,",
                Origin::Default => "the default rule",
                Origin::User => "your rule",
                Origin::Workspace => "the workspace's rule (.toolcrib.toml)",
            };
            let reason = rule.group.map(|group| format!(": {}", group.reason)).unwrap_or_default();
            format!("{whose} '{rule}'{reason}")
        }
    };
    format!("{may}: {because}")
}

/// A rule that the user wants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    kind: Access,
    pattern: String,
    /// `default` takes the user's rule away.
    action: WantedAction,
    /// Of the preview that the user saw.
    digest: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WantedAction {
    Allow,
    Ask,
    Deny,
    Default,
}

/// The change of the configuration, as a diff.
pub(super) fn preview(app: &App, wanted: &Wanted) -> Result<Value, Refusal> {
    let draft = draft(app, wanted)?;
    Ok(
        json!({"diff": draft.diff(), "file": names::escape(&draft.path), "digest": draft.digest(), "changes": draft.is_change()}),
    )
}

/// Makes the change that was shown.
pub(super) fn change(app: &App, wanted: &Wanted) -> Result<Value, Refusal> {
    let draft = draft(app, wanted)?;
    let Some(shown) = &wanted.digest else {
        return Err(Refusal::bad("'digest' is missing: look at the preview first"));
    };
    if *shown != draft.digest() {
        return Err(Refusal::conflict("The configuration has changed since the preview was made")
            .hint("look at the new preview"));
    }
    draft.write()?;
    app.reopen()?;
    Ok(json!({
        "ok": true,
        "file": names::escape(&draft.path),
        "note": "It is in force for what is started from now on. A server that is running goes on with the rules it has.",
    }))
}

fn draft(app: &App, wanted: &Wanted) -> Result<RuleFile, Refusal> {
    let file = app.configuration.as_deref().ok_or_else(|| {
        Refusal::not_found("There is no configuration file")
            .hint("set HOME or XDG_CONFIG_HOME to an absolute path")
    })?;
    let action = match wanted.action {
        WantedAction::Allow => Some(Action::Allow),
        WantedAction::Ask => Some(Action::Ask),
        WantedAction::Deny => Some(Action::Deny),
        WantedAction::Default => None,
    };
    // Whatever is wrong with the pattern is said before the file is looked at.
    Rule::new(wanted.kind, &wanted.pattern, action.unwrap_or(Action::Ask), Origin::User)?;
    RuleFile::with(file, wanted.kind, &wanted.pattern, action)
}

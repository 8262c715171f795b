//! `toolcrib rules`: what may be read and changed, what is asked for, what is refused.

use std::process::ExitCode;

use serde_json::json;
use toolcrib::{Access, Origin, Policy, Rule};

use crate::args::{Common, RulesArgs};
use crate::commands::open;
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(common: &Common, args: &RulesArgs) -> Result<ExitCode, Failure> {
    let toolbox = open(common)?;
    let policy = toolbox.executor().policy();
    let text = if args.json {
        serde_json::to_string_pretty(&json!({"rules": policy.rules(), "ignored": policy.ignored()}))
            .map_err(Failure::failed)?
    } else {
        table(policy)
    };
    output::answer_as_it_is(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn table(policy: &Policy) -> String {
    let mut text = String::from("ACTION  KIND                PATTERN\n");
    for rule in policy.rules() {
        text.push_str(&line(rule, ""));
    }
    for access in [Access::Read, Access::Edit, Access::ExternalDirectory] {
        let (action, kind) = (access.fallback().to_string(), access.to_string());
        text.push_str(&format!("{action:<7} {kind:<19} anything else\n"));
    }
    for rule in policy.ignored() {
        text.push_str(&line(rule, ", ignored: a workspace can only tighten"));
    }
    text
}

fn line(rule: &Rule, remark: &str) -> String {
    let origin = match rule.origin {
        Origin::Fixed => "fixed",
        Origin::Default => "default",
        Origin::User => "user",
        Origin::Workspace => "workspace",
    };
    let except = match rule.except.len() {
        0 => String::new(),
        _ => format!(" except {}", rule.except.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")),
    };
    let (action, kind) = (rule.action.to_string(), rule.kind.to_string());
    format!("{action:<7} {kind:<19} {}{except}  ({origin}{remark})\n", rule.pattern)
}

//! `toolcrib rules`: what agents may read and edit, what needs approval, what is denied.
//!
//! Some thousand rules come with Toolcrib, so those of a group that say the same stand in one paragraph, under the reason
//! for which they are there.

use std::process::ExitCode;

use serde_json::json;
use toolcrib::{Access, Origin, Policy, Rule};

use crate::args::Common;
use crate::commands::open;
use crate::failure::Failure;
use crate::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib rules
  toolcrib rules --json --root ~/project

To override a default rule, repeat its kind and pattern with another action in toolcrib/config.toml:
  [[rules]]
  kind = \"read\"
  pattern = \"**/.env\"
  action = \"ask\"")]
pub(crate) struct RulesArgs {
    /// Print the rules as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &RulesArgs) -> Result<ExitCode, Failure> {
    let toolbox = open(common)?;
    let policy = toolbox.policy();
    let text = if args.json {
        serde_json::to_string_pretty(&json!({"rules": policy.rules(), "ignored": policy.ignored()}))
            .map_err(Failure::failed)?
    } else {
        overview(policy)
    };
    output::answer_as_it_is(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn overview(policy: &Policy) -> String {
    let mut text = String::new();
    for rules in policy.rules().chunk_by(|one, next| heading(one) == heading(next)) {
        text.push_str(&format!("{}\n", heading(&rules[0])));
        text.extend(paragraph(rules));
        text.push('\n');
    }
    if !policy.ignored().is_empty() {
        text.push_str("Ignored: a workspace can only tighten the rules\n");
        policy.ignored().iter().for_each(|rule| text.push_str(&format!("  {}\n", single(rule))));
        text.push('\n');
    }
    text.push_str("Anything else\n");
    for access in [Access::Read, Access::Edit, Access::ExternalDirectory] {
        text.push_str(&format!("  {} {access}\n", access.fallback()));
    }
    text
}

/// What rules stand under.
fn heading(rule: &Rule) -> String {
    match (rule.group, rule.origin) {
        (Some(group), Origin::Fixed) => format!("{}: {} (fixed)", group.label, group.reason),
        (Some(group), _) => format!("{}: {}", group.label, group.reason),
        (None, Origin::Workspace) => "The workspace's own rules, in .toolcrib.toml".to_owned(),
        (None, _) => "Your rules".to_owned(),
    }
}

/// The rules of a group: patterns that the same is said about stand together.
fn paragraph(rules: &[Rule]) -> Vec<String> {
    if rules[0].group.is_none() {
        return rules.iter().map(|rule| format!("  {}\n", single(rule))).collect();
    }
    let mut said: Vec<(String, Vec<String>)> = Vec::new();
    // Rules about the same pattern follow each other.
    for same in rules.chunk_by(|one, next| one.pattern == next.pattern && one.except == next.except) {
        let says =
            same.iter().map(|rule| format!("{} {}", rule.action, rule.kind)).collect::<Vec<_>>().join(", ");
        let (says, pattern) = (says + &exceptions(&same[0]), same[0].pattern.to_string());
        match said.iter_mut().find(|(other, _)| *other == says) {
            Some((_, patterns)) => patterns.push(pattern),
            None => said.push((says, vec![pattern])),
        }
    }
    said.iter().map(|(says, patterns)| format!("  {says}\n{}", wrapped(patterns))).collect()
}

fn single(rule: &Rule) -> String {
    format!("{} {} {}{}", rule.action, rule.kind, rule.pattern, exceptions(rule))
}

fn exceptions(rule: &Rule) -> String {
    match rule.except.len() {
        0 => String::new(),
        _ => format!(" except {}", rule.except.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")),
    }
}

/// As many patterns a line as fit.
fn wrapped(patterns: &[String]) -> String {
    const WIDTH: usize = 100;
    let mut text = String::new();
    let mut line = String::new();
    for pattern in patterns {
        if !line.is_empty() && line.chars().count() + 2 + pattern.chars().count() > WIDTH {
            text.push_str(&format!("    {line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push_str("  ");
        }
        line.push_str(pattern);
    }
    text + &format!("    {line}\n")
}

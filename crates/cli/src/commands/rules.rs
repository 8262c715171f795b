//! `toolcrib rules`: what agents may read and edit, what needs approval, what is denied.
//!
//! Some thousand rules come with Toolcrib, so those of a group that say the same stand in one paragraph, under the reason
//! for which they are there.

use std::process::ExitCode;

use serde_json::json;
use toolcrib::{Access, Action, Origin, Policy, Rule};

use crate::args::Common;
use crate::commands::open;
use crate::failure::Failure;
use crate::layout::wrapped;
use crate::paint::{Paint, Part, plain};
use crate::{json, output};

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
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &RulesArgs) -> Result<ExitCode, Failure> {
    let toolbox = open(common)?;
    let policy = toolbox.policy();
    if args.json {
        let facts = json!({"rules": policy.rules(), "ignored": policy.ignored()});
        return json::print(&overview(policy, Paint::none()), &facts);
    }
    output::answer(&overview(policy, Paint::new(common.color)))?;
    Ok(ExitCode::SUCCESS)
}

fn overview(policy: &Policy, paint: Paint) -> String {
    let mut text = String::new();
    for rules in policy.rules().chunk_by(|one, next| heading(one) == heading(next)) {
        let (title, reason) = heading(&rules[0]);
        text.push_str(&title_line(&title, &reason, paint));
        text.extend(paragraph(rules, paint));
        text.push('\n');
    }
    if !policy.ignored().is_empty() {
        text.push_str(&title_line("Ignored", "a workspace can only tighten the rules", paint));
        policy.ignored().iter().for_each(|rule| text.push_str(&single(rule, paint)));
        text.push('\n');
    }
    text.push_str(&title_line("Everything else", "", paint));
    for access in [Access::Read, Access::Edit, Access::ExternalDirectory] {
        text.push_str(&format!("  {}\n", says(access.fallback(), &access.to_string(), paint)));
    }
    text
}

fn title_line(title: &str, reason: &str, paint: Paint) -> String {
    let full = if reason.is_empty() { title.to_owned() } else { format!("{title}: {reason}") };
    let lines = wrapped(full.split(' '), " ", 0);
    match lines.strip_prefix(title) {
        Some(rest) => format!("{}{rest}\n", paint.show(Part::Heading, title)),
        None => format!("{}\n", paint.show(Part::Heading, lines)),
    }
}

/// What rules stand under, and why they are there.
fn heading(rule: &Rule) -> (String, String) {
    match (rule.group, rule.origin) {
        (Some(group), Origin::Fixed) => {
            (group.label.to_owned(), format!("{} (cannot be changed)", group.reason))
        }
        (Some(group), _) => (group.label.to_owned(), group.reason.to_owned()),
        (None, Origin::Workspace) => ("The workspace's own rules".to_owned(), "in .toolcrib.toml".to_owned()),
        (None, _) => ("Your rules".to_owned(), String::new()),
    }
}

/// The rules of a group: patterns that the same is said about stand together.
fn paragraph(rules: &[Rule], paint: Paint) -> Vec<String> {
    if rules[0].group.is_none() {
        return rules.iter().map(|rule| single(rule, paint)).collect();
    }
    let mut said: Vec<(String, Vec<String>, Vec<String>)> = Vec::new();
    // Rules about the same pattern follow each other.
    for same in rules.chunk_by(|one, next| one.pattern == next.pattern && one.except == next.except) {
        let all = same.iter().map(|rule| says(rule.action, &rule.kind.to_string(), paint));
        let says = all.collect::<Vec<_>>().join(", ");
        let except: Vec<String> = same[0].except.iter().map(ToString::to_string).collect();
        let pattern = same[0].pattern.to_string();
        match said.iter_mut().find(|(other, _, others)| *other == says && *others == except) {
            Some((_, patterns, _)) => patterns.push(pattern),
            None => said.push((says, vec![pattern], except)),
        }
    }
    let of = |(says, patterns, except): &(String, Vec<String>, Vec<String>)| {
        let except = if except.is_empty() {
            String::new()
        } else {
            let words = std::iter::once("except").chain(except.iter().map(String::as_str));
            format!("{}\n", plain_lines(&wrapped(words, " ", 6)))
        };
        let patterns = wrapped(patterns.iter().map(String::as_str), "  ", 4);
        format!("  {says}\n{}\n{except}", plain_lines(&patterns))
    };
    said.iter().map(of).collect()
}

/// Lines that were laid out, with nothing raw in them.
fn plain_lines(text: &str) -> String {
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}

fn single(rule: &Rule, paint: Paint) -> String {
    let what = says(rule.action, &rule.kind.to_string(), paint);
    format!("  {what} {}{}\n", plain(&rule.pattern.to_string()), exceptions(rule))
}

/// Such as `deny read`.
fn says(action: Action, kind: &str, paint: Paint) -> String {
    let part = match action {
        Action::Allow => Part::Good,
        Action::Ask => Part::Note,
        Action::Deny => Part::Problem,
    };
    paint.show(part, format_args!("{action} {kind}"))
}

fn exceptions(rule: &Rule) -> String {
    match rule.except.len() {
        0 => String::new(),
        _ => {
            let all = rule.except.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            format!(" except {}", plain(&all))
        }
    }
}

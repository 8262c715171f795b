//! `toolcrib log`: the recorded changes, with agent, session and diff.

use std::process::ExitCode;

use toolcrib::{Damage, FilePast, LogQuery, Past, RecordId, disk_error};

use crate::args::{Common, at_least, change_number};
use crate::commands::open;
use crate::failure::Failure;
use crate::output;
use crate::paint::{Paint, Part, plain};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib log
  toolcrib log --brief --limit 100
  toolcrib log 12")]
pub(crate) struct LogArgs {
    /// Show only the change with this number
    #[arg(value_name = "ID", value_parser = change_number)]
    change: Option<RecordId>,
    /// Show at most this many changes, newest first
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = at_least::<usize>(0))]
    limit: usize,
    /// Show which files changed, without diffs
    #[arg(long)]
    brief: bool,
    /// Print the changes as a JSON array
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &LogArgs) -> Result<ExitCode, Failure> {
    let toolbox = open(common)?;
    let query = LogQuery { limit: args.limit, session: common.session.as_deref(), diffs: !args.brief };
    let changes = match args.change {
        Some(id) => toolbox.past(id).map(|change| vec![change]),
        None => toolbox.changes(&query),
    };
    // Also where nothing was found: that may be why.
    if let Ok(journal) = toolbox.journal() {
        tell_damage(&journal.damage().map_err(disk_error)?);
    }
    let changes = changes?;
    if args.json {
        output::answer_json(&serde_json::to_string(&changes).map_err(Failure::failed)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if changes.is_empty() {
        output::say("No changes are recorded for this directory");
        return Ok(ExitCode::SUCCESS);
    }
    let paint = Paint::new(common.color);
    let shown: Vec<String> = changes.iter().map(|change| show(change, args.brief, paint)).collect();
    output::answer(&shown.join(if args.brief { "" } else { "\n" }))?;
    Ok(ExitCode::SUCCESS)
}

/// Says on standard error what of the journal cannot be read.
fn tell_damage(damage: &[Damage]) {
    let lost: Vec<&Damage> = damage.iter().filter(|damage| damage.loses_records()).collect();
    let Some(first) = lost.first() else { return };
    let places = match lost.len() {
        1 => "1 place".to_owned(),
        more => format!("{more} places"),
    };
    let more = if lost.len() > 1 { ", …" } else { "" };
    output::say(&format!(
        "warning: The journal is damaged, so changes are missing from this list: {places} ({first}{more})\n\
         hint: `toolcrib doctor --journal` verifies the whole journal and reports what is lost"
    ));
}

fn show(change: &Past, brief: bool, paint: Paint) -> String {
    let mut text = paint.show(Part::Heading, format_args!("{:>5}", change.id));
    text.push_str(&format!("  {}  {}", humantime::format_rfc3339_seconds(change.at()), plain(&change.tool)));
    let named = [("by", &change.agent), ("session", &change.session)];
    for (what, name) in named.iter().filter_map(|(what, name)| Some((what, name.as_ref()?))) {
        text.push_str(&format!("  {what} {}", plain(name)));
    }
    if let Some(other) = change.takes_back {
        text.push_str(&format!("  reverts {other}"));
    }
    match change.undone_by {
        Some(by) => text.push_str(&format!("  [undone by {by}]")),
        None if change.state != "done" => text.push_str(&format!("  [{}]", state(change.state))),
        None => {}
    }
    text.push('\n');
    change.files.iter().for_each(|file| text.push_str(&show_file(file, brief, paint)));
    text
}

/// The state in the words of the documentation. The JSON output keeps its own, which programs rely on.
fn state(recorded: &str) -> &str {
    match recorded {
        "undone" => "rolled back",
        "under way" => "in progress",
        other => other,
    }
}

fn show_file(file: &FilePast, brief: bool, paint: Paint) -> String {
    let from = file.from.as_ref().map(|from| format!("{} -> ", plain(from))).unwrap_or_default();
    let mut text = format!("       {:<6} {from}{}\n", file.action, plain(&file.path));
    match &file.diff {
        _ if brief => {}
        Some(diff) if diff.is_empty() => {}
        None if file.damaged => text.push_str("         the contents are damaged\n"),
        None => text.push_str("         the contents were not stored\n"),
        Some(diff) => {
            paint.diff(diff).lines().for_each(|line| text.push_str(&format!("         {line}\n")));
        }
    }
    text
}

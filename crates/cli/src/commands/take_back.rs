//! `toolcrib undo` and `toolcrib redo`.

use std::process::ExitCode;

use serde_json::json;
use toolcrib::Way;

use crate::args::{Common, TakeBackArgs};
use crate::commands::{call, open};
use crate::failure::Failure;
use crate::output;
use crate::paint::{Paint, plain};

pub(crate) fn run(common: &Common, way: Way, args: &TakeBackArgs) -> Result<ExitCode, Failure> {
    match take_back(common, way, args) {
        Err(error) if args.json => call::print(&error.into(), true),
        Err(error) => Err(error.into()),
        Ok(said) => {
            output::answer(&said)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn take_back(common: &Common, way: Way, args: &TakeBackArgs) -> Result<String, toolcrib::ToolError> {
    let toolbox = open(common)?;
    let session = common.session.as_deref();
    if common.dry_run {
        let (id, diff) = toolbox.preview(way, args.change, session)?;
        return Ok(match args.json {
            true => {
                json!({"success": true, "dry_run": true, "taken_back": id.number(), "diff": diff}).to_string()
            }
            false => {
                let paint = Paint::new(common.color);
                format!("[Dry Run] Would {} change {id}\n{}", word(way), paint.diff(&diff))
            }
        });
    }
    let (id, undone) = toolbox.take_back(way, args.change, session, "cli")?;
    let shown = |path| toolbox.workspace().show_relative(path);
    let files: Vec<String> = undone.committed.changes().iter().map(|file| shown(&file.reached)).collect();
    let merged: Vec<String> = undone.merged.iter().map(shown).collect();
    if args.json {
        let done = json!({
            "success": true, "taken_back": id.number(), "change": undone.id.number(), "files": files, "merged": merged,
        });
        return Ok(done.to_string());
    }
    let mut text = match way {
        Way::Undo => format!("Took back change {id}:\n"),
        Way::Redo => format!("Made change {id} again:\n"),
    };
    files.iter().for_each(|file| text.push_str(&format!("  {}\n", plain(file))));
    for file in &merged {
        text.push_str(&format!("Kept what somebody else has changed since in {}\n", plain(file)));
    }
    Ok(text)
}

fn word(way: Way) -> &'static str {
    match way {
        Way::Undo => "take back",
        Way::Redo => "again make",
    }
}

//! `toolcrib ui`: the page in the browser.

use std::ffi::OsStr;
use std::process::{Command, ExitCode, Stdio};

use toolcrib::Config;
use toolcrib_ui::UiServer;

use crate::args::Common;
use crate::commands::{prepare, tell_half_done};
use crate::failure::Failure;
use crate::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib ui                         # opens the browser
  toolcrib ui --root ~/project --no-open
  toolcrib ui --port 7070 --print-url

Shows what agents change in the workspace, live: approve, review, undo. Only this machine can connect, and the link works once: \
whoever opens it first has the page. On another machine, forward the port: ssh -L 7070:127.0.0.1:7070 HOST.")]
pub(crate) struct UiArgs {
    /// Listen on this port of the loopback interface [default: one that is free]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true, value_parser = port)]
    port: u16,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
    /// Print only the link, on standard output, and do not open the browser
    #[arg(long)]
    print_url: bool,
}

pub(crate) fn run(common: &Common, args: &UiArgs) -> Result<ExitCode, Failure> {
    let toolbox = tell_half_done(prepare(common, common.dialect)?.open()?);
    let listening = UiServer::bind(args.port)
        .map_err(|error| Failure::failed(format!("Cannot listen on port {}: {error}", args.port)))?;
    // Where the file was named, it is the one that rules go into.
    let file = match &common.config {
        Some(file) => Some(super::from_here(file)?),
        None => Config::default_file(),
    };
    let listening = listening.configuration(file).state(toolcrib::state_folder());
    let link = listening.link();
    let roots: Vec<String> =
        toolbox.workspace().roots().iter().map(|root| root.path().display().to_string()).collect();
    let reopen = {
        let common = common.clone();
        Box::new(move || prepare(&common, common.dialect)?.open())
    };
    let ready = || {
        if args.print_url {
            // A reader that is gone does not need the link.
            _ = output::answer(&link);
            return;
        }
        let opened = !args.no_open && open_browser(&link);
        let how = if opened { "Opening the page in the browser" } else { "Open this link in a browser" };
        output::say(&format!("{how}: {link}\nWorkspace: {}\nPress Ctrl-C to stop.", roots.join(", ")));
    };
    listening.serve(toolbox, reopen, ready)?;
    Ok(ExitCode::SUCCESS)
}

fn port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| "must be a number from 0 to 65535".to_owned())
}

/// Opens the link, if there is a display to show it on.
fn open_browser(link: &str) -> bool {
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).as_deref().is_some_and(|value| value != OsStr::new("")));
    if !has_display {
        return false;
    }
    let mut opener = Command::new("xdg-open");
    opener.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = opener.spawn() else { return false };
    // It is waited for on a thread of its own, so that no dead process is left behind.
    std::thread::spawn(move || child.wait());
    true
}

//! `toolcrib doctor`: shows the effective configuration and diagnoses problems.

mod agents;
mod probe;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use toolcrib::{
    Builder, Config, Damage, Dir, DiskError, ErrorKind, ExecutionContext, FileKind, HalfDone, IndexStatus,
    Lockdown, Origin, Resolver, Scrub, StateFolder, ToolError, Toolbox, Unrecorded, Workspace, disk_error,
    names,
};

use self::agents::Agent;
use super::{NARROWER, UNRECORDED, configuration, exposed, is_file, on_the_roots, state_folder};
use crate::args::Common;
use crate::failure::Failure;
use crate::flags::hint_for_person;
use crate::layout::{self, counted, size, wrapped};
use crate::paint::{Paint, Part, plain};
use crate::{json, output};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib doctor
  toolcrib doctor --root ~/project --json
  toolcrib doctor --journal

Exit status: 0 no problems, 1 problems found, 2 usage error")]
pub(crate) struct DoctorArgs {
    /// Verify every journal record and all stored contents, and repair what can be repaired
    #[arg(long)]
    journal: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let checkup = Checkup::of(common, args)?;
    let healthy = checkup.problems.is_empty();
    if args.json {
        json::print(&checkup.show(Paint::none()), &checkup)?;
    } else {
        output::answer(&checkup.show(Paint::new(common.color)))?;
    }
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Default, Serialize)]
struct Checkup {
    /// In the order in which they are shown: a name, and one or more sentences.
    facts: Vec<Fact>,
    /// The agents that have the server.
    agents: Vec<Agent>,
    problems: Vec<Finding>,
    /// Possible improvements.
    notes: Vec<Finding>,
}

#[derive(Serialize)]
struct Fact {
    about: &'static str,
    lines: Vec<String>,
}

#[derive(Serialize)]
struct Finding {
    what: String,
    hint: String,
}

impl Checkup {
    fn of(common: &Common, args: &DoctorArgs) -> Result<Self, ToolError> {
        let mut checkup = Self::default();
        checkup.fact("version", [env!("CARGO_PKG_VERSION").to_owned()]);
        let config = configuration(common).unwrap_or_else(|error| {
            checkup.problem(&error, "fix the file; until then every command fails");
            Config::default()
        });
        let mut builder = on_the_roots(Toolbox::builder().dialect(common.dialect).config(config), common)?;
        if let Some(state) = toolcrib::state_folder() {
            builder = builder.journal_in(state);
        }
        let toolbox = match checkup.open(builder) {
            Some(toolbox) => toolbox,
            None => return Ok(checkup),
        };
        checkup.roots(&toolbox);
        checkup.files(common, &toolbox);
        checkup.rules(&toolbox);
        checkup.containment(&toolbox);
        checkup.index(&toolbox);
        checkup.what_is_kept();
        checkup.journal(&toolbox, args.journal);
        checkup.limits();
        checkup.agents(&toolbox);
        // Last, since it is for good, if only for a thread of its own.
        checkup.landlock(toolbox);
        Ok(checkup)
    }

    fn open(&mut self, builder: Builder) -> Option<Toolbox> {
        builder
            .open()
            .map_err(|error| self.problem(&error, "pass an existing, readable directory with --root"))
            .ok()
    }

    fn roots(&mut self, toolbox: &Toolbox) {
        let roots = toolbox.workspace().roots();
        self.fact("roots", roots.iter().map(|root| names::escape(root.path()).into_owned()));
        let home = std::env::var_os("HOME");
        for root in roots {
            let whole = if root.real() == Path::new("/") {
                "the entire file system"
            } else if home.as_deref().is_some_and(|home| root.real() == Path::new(home)) {
                "your entire home directory"
            } else {
                continue;
            };
            let what = format!("The root {} is {whole}", names::escape(root.path()));
            self.notes
                .push(Finding { what, hint: "pass the directory of the project with --root".to_owned() });
        }
        let exposed = exposed(toolbox).into_iter();
        self.notes.extend(exposed.map(|what| Finding { what, hint: NARROWER.to_owned() }));
    }

    fn files(&mut self, common: &Common, toolbox: &Toolbox) {
        let user = common.config.clone().or_else(Config::default_file);
        let own = toolbox.workspace().roots().iter().map(|root| root.path().join(Config::WORKSPACE_FILE));
        let shown = user.into_iter().chain(own).map(|file| {
            let there = if is_file(&file) { "" } else { " (does not exist)" };
            format!("{}{there}", names::escape(&file))
        });
        self.fact("configuration", shown.collect::<Vec<_>>());
    }

    fn rules(&mut self, toolbox: &Toolbox) {
        let policy = toolbox.policy();
        let count = |origin| policy.rules().iter().filter(|rule| rule.origin == origin).count();
        let summary = format!(
            "{}: {} fixed, {} default, {} from the user, {} from the workspace (`toolcrib rules` lists them)",
            policy.rules().len(),
            count(Origin::Fixed),
            count(Origin::Default),
            count(Origin::User),
            count(Origin::Workspace),
        );
        self.fact("rules", [summary]);
        for rule in policy.ignored() {
            self.notes.push(Finding {
                what: format!("A rule of the workspace is ignored: {rule}"),
                hint: "a workspace can only tighten the rules; put this one into your own configuration"
                    .to_owned(),
            });
        }
    }

    fn containment(&mut self, toolbox: &Toolbox) {
        let (line, weaker) = match toolbox.workspace().resolver() {
            Resolver::Openat2 => ("openat2: the kernel keeps every open inside the roots", false),
            _ => ("walk: every path is opened component by component, inside the roots", true),
        };
        self.fact("containment", [line.to_owned()]);
        if weaker {
            self.notes.push(Finding {
                what: "openat2 is not available, so paths are opened component by component, which is slower"
                    .to_owned(),
                hint: "openat2 needs Linux 5.6 or later and must not be blocked by a surrounding sandbox"
                    .to_owned(),
            });
        }
    }

    /// Tries Landlock on a thread of its own, since it cannot be lifted again.
    fn landlock(&mut self, toolbox: Toolbox) {
        let lockdown = std::thread::spawn(move || toolbox.lock_down()).join();
        let lockdown =
            lockdown.unwrap_or_else(|_| Lockdown::Unavailable("the test thread failed".to_owned()));
        let line = match &lockdown {
            Lockdown::InForce => "available: `toolcrib mcp` restricts itself to its roots".to_owned(),
            Lockdown::Partial => "partly available: this kernel supports only some access rights".to_owned(),
            Lockdown::Unavailable(why) => format!("not available ({why})"),
        };
        self.fact("landlock", [line]);
        if let Lockdown::Unavailable(_) = lockdown {
            self.notes.push(Finding {
                what: "The server cannot restrict itself with Landlock".to_owned(),
                hint: "Landlock needs Linux 5.13 or later and must be enabled; containment works without it"
                    .to_owned(),
            });
        }
    }

    /// What a server on these roots would use. This process builds no index.
    fn index(&mut self, toolbox: &Toolbox) {
        let roots = toolbox.workspace().roots().iter().zip(toolbox.index_status());
        let lines = roots.map(|(root, status)| {
            let line = match status {
                None => "off in the configuration".to_owned(),
                Some(IndexStatus::Off(why)) => format!("off: {why}"),
                Some(_) => "built in the background after the first search that takes 20 ms".to_owned(),
            };
            format!("{}: {line}", names::escape(root.path()))
        });
        self.fact("search index", lines.collect::<Vec<_>>());
    }

    fn what_is_kept(&mut self) {
        let folder = match state_folder() {
            Ok(folder) => folder,
            Err(error) => return self.problem(&error, "set HOME or XDG_STATE_HOME"),
        };
        let shown = names::escape(&folder).into_owned();
        match kept(&folder).map_err(disk_error) {
            Ok((files, bytes)) => {
                self.fact("state", [format!("{shown} ({}, {})", counted(files, "file"), size(bytes))])
            }
            Err(error) => {
                self.fact("state", [shown]);
                self.problem(&error, "make the folder writable, or set XDG_STATE_HOME to another one");
            }
        }
    }

    /// Opening it repairs what a crash has left, as the next change would. With `whole`, everything in it is checked.
    fn journal(&mut self, toolbox: &Toolbox, whole: bool) {
        let found = toolbox.journal().and_then(|journal| {
            let scrub = if whole { journal.scrub() } else { journal.check() };
            let last = journal.log(1).map(|log| log.into_iter().next());
            Ok((last.map_err(disk_error)?, scrub.map_err(disk_error)?))
        });
        match found {
            Ok((last, scrub)) => {
                let line = match last {
                    Some(last) => {
                        format!("enabled; the last change is {} (`toolcrib log` lists the changes)", last.id)
                    }
                    None => "enabled; no changes yet".to_owned(),
                };
                self.scrubbed(line, &scrub, whole);
            }
            Err(error) => {
                self.fact("journal", ["disabled".to_owned()]);
                self.without_journal(&error);
            }
        }
        self.unrecorded(toolbox);
        for HalfDone { what, hint } in toolbox.half_done() {
            if !self.problems.iter().any(|problem| problem.what == what) {
                self.problems.push(Finding { what, hint });
            }
        }
    }

    /// What other programs have changed and the journal does not know.
    fn unrecorded(&mut self, toolbox: &Toolbox) {
        let notes =
            toolbox.journal().and_then(|journal| journal.unrecorded(UNRECORDED_SHOWN).map_err(disk_error));
        let told = notes.unwrap_or_default().into_iter().map(|Unrecorded { time, what }| {
            format!("{} {}", humantime::format_rfc3339_seconds(time), plain(&what))
        });
        let told: Vec<String> = told.collect();
        if !told.is_empty() {
            self.fact("not recorded", told);
        }
    }

    fn without_journal(&mut self, error: &ToolError) {
        if error.kind() == ErrorKind::NotFound {
            let hint = error.next_step().unwrap_or("enable the journal in the configuration").to_owned();
            self.notes.push(Finding { what: UNRECORDED.to_owned(), hint });
        } else {
            self.problem(error, "no file can be changed until the journal is writable again");
        }
    }

    /// What a check of the journal has found and done.
    fn scrubbed(&mut self, line: String, scrub: &Scrub, whole: bool) {
        let mut lines = vec![line];
        if scrub.records > 0 {
            let contents = if whole { format!(", {} contents", scrub.contents) } else { String::new() };
            let (changes, records) = (counted(scrub.changes, "change"), counted(scrub.records, "record"));
            lines.push(format!("verified: {changes}, {records}{contents}"));
        }
        lines.extend(scrub.repaired.iter().map(|done| format!("repaired: {done}")));
        self.fact("journal", lines);
        for unrepaired in &scrub.unrepaired {
            let files = unrepaired.files().iter().map(|file| names::escape(file));
            self.problems.push(Finding { what: unrepaired.to_string(), hint: unrepaired.hint() });
            self.fact("half done", files.map(|file| file.into_owned()));
        }
        for damage in &scrub.damage {
            self.damaged(damage, whole);
        }
        for (path, size) in &scrub.aside {
            self.notes.push(Finding {
                what: format!(
                    "{} is damaged and was set aside ({})",
                    names::escape(path),
                    layout::size(*size)
                ),
                hint: "delete it when you no longer need it; Toolcrib never will".to_owned(),
            });
        }
    }

    fn damaged(&mut self, damage: &Damage, whole: bool) {
        let what = format!("The journal is damaged: {damage}");
        let hint = match (damage.loses_records(), whole) {
            (true, true) => {
                "the changes recorded there cannot be shown or undone; all others can. This damage is now acknowledged"
            }
            (true, false) => {
                "`toolcrib doctor --journal` verifies everything and repairs what can be repaired"
            }
            (false, _) => "no record is lost; if it happens again, check the disk",
        };
        let finding = Finding { what, hint: hint.to_owned() };
        let is_problem = damage.is_problem() && !damage.is_acknowledged();
        if is_problem { self.problems.push(finding) } else { self.notes.push(finding) }
    }

    fn limits(&mut self) {
        let seconds = ExecutionContext::DEFAULT_TIMEOUT.as_secs();
        let kilobytes = ExecutionContext::DEFAULT_MAX_OUTPUT_SIZE / 1024;
        self.fact("limits", [format!("{seconds} s per call, {kilobytes} KiB per answer")]);
    }

    fn agents(&mut self, toolbox: &Toolbox) {
        self.agents = agents::all(toolbox);
        let lines: Vec<String> = self.agents.iter().map(Agent::sentence).collect();
        if lines.is_empty() {
            self.fact("agents", ["none has the server (`toolcrib init` adds it)".to_owned()]);
        } else {
            self.fact("agents", lines);
        }
        for agent in self.agents.iter().filter(|agent| agent.fails()) {
            let hint = format!("`toolcrib init {}` writes its entry again", agent.typed);
            self.problems.push(Finding { what: agent.failure(), hint });
        }
    }

    fn fact(&mut self, about: &'static str, lines: impl IntoIterator<Item = String>) {
        self.facts.push(Fact { about, lines: lines.into_iter().collect() });
    }

    fn problem(&mut self, error: &ToolError, otherwise: &str) {
        let hint = error.next_step().unwrap_or(otherwise).to_owned();
        self.problems.push(Finding { what: error.message().to_owned(), hint });
    }

    fn show(&self, paint: Paint) -> String {
        let mut text = String::new();
        for fact in &self.facts {
            for (at, line) in fact.lines.iter().enumerate() {
                let about = if at == 0 { fact.about } else { "" };
                let lines = wrapped(plain(line).split(' '), " ", INDENT);
                let about = paint.show(Part::Heading, format_args!("{about:<INDENT$}"));
                text.push_str(&format!("{about}{}\n", lines.trim_start()));
            }
        }
        text.push('\n');
        for (part, kind, findings) in
            [(Part::Problem, "problem", &self.problems), (Part::Note, "note", &self.notes)]
        {
            for Finding { what, hint } in findings {
                text.push_str(&sentence(&paint.show(part, format_args!("{kind}: ")), kind.len() + 2, what));
                text.push_str(&sentence("  hint: ", 8, &hint_for_person(hint)));
            }
        }
        if self.problems.is_empty() {
            text.push_str(&format!("{}\n", paint.show(Part::Good, "No problems found")));
        }
        text
    }
}

/// How far the facts are indented.
const INDENT: usize = 14;

/// A sentence behind a label of this width.
fn sentence(label: &str, width: usize, text: &str) -> String {
    let lines = wrapped(plain(text).split(' '), " ", width);
    format!("{label}{}\n", lines.trim_start())
}

/// How many files are kept in a folder, and how many bytes. It is made if it is missing, and one more file is tried.
fn kept(folder: &Path) -> Result<(u64, u64), DiskError> {
    let state = StateFolder::open(folder)?;
    let trial = OsString::from(format!("trial-{}", std::process::id()));
    state.create_new(&trial)?;
    state.remove(&trial)?;
    let workspace = Workspace::open(folder)?;
    let top = workspace.open_dir(&workspace.path(folder, folder)?)?;
    let mut total = (0, 0);
    add(&top, &mut total)?;
    Ok(total)
}

fn add(dir: &Dir, total: &mut (u64, u64)) -> Result<(), DiskError> {
    for entry in dir.entries()? {
        let entry = entry?;
        if entry.kind == FileKind::Directory {
            add(&dir.open_dir(&entry.name)?, total)?;
        } else if let Ok(stat) = dir.look(&entry.name) {
            // What goes away meanwhile is not counted.
            *total = (total.0 + 1, total.1 + stat.size);
        }
    }
    Ok(())
}

/// The latest of what could not be recorded.
const UNRECORDED_SHOWN: usize = 5;

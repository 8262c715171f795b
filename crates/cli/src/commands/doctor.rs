//! `toolcrib doctor`: what is in force here, and what is wrong with it.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use toolcrib::{
    Builder, Config, Damage, Dir, ErrorKind, ExecutionContext, FileKind, HalfDone, Lockdown, Origin,
    Resolver, Scrub, StateFolder, ToolError, Toolbox, Workspace, names,
};

use super::{NARROWER, UNRECORDED, configuration, exposed, is_file, on_the_roots, state_folder};
use crate::args::{Common, DoctorArgs};
use crate::failure::Failure;
use crate::output;
use crate::paint::{Paint, Part, plain};

pub(crate) fn run(common: &Common, args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let checkup = Checkup::of(common, args)?;
    if args.json {
        output::answer_json(&serde_json::to_string_pretty(&checkup).map_err(Failure::failed)?)?;
    } else {
        output::answer(&checkup.show(Paint::new(common.color)))?;
    }
    Ok(if checkup.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Default, Serialize)]
struct Checkup {
    /// In the order in which they are shown: a name, and one or more sentences.
    facts: Vec<Fact>,
    problems: Vec<Finding>,
    /// What is not wrong, but could be better.
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
            checkup.problem(&error, "mend the file; until then nothing is served");
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
        checkup.what_is_kept();
        checkup.journal(&toolbox, args.journal);
        checkup.limits();
        // Last, since it is for good, if only for a thread of its own.
        checkup.landlock(toolbox);
        Ok(checkup)
    }

    fn open(&mut self, builder: Builder) -> Option<Toolbox> {
        builder
            .open()
            .map_err(|error| {
                self.problem(&error, "give a directory that exists and can be opened with --root")
            })
            .ok()
    }

    fn roots(&mut self, toolbox: &Toolbox) {
        let roots = toolbox.workspace().roots();
        self.fact("roots", roots.iter().map(|root| names::show(root.path()).into_owned()));
        let home = std::env::var_os("HOME");
        for root in roots {
            let whole = if root.real() == Path::new("/") {
                "the whole file system"
            } else if home.as_deref().is_some_and(|home| root.real() == Path::new(home)) {
                "your whole home"
            } else {
                continue;
            };
            let what = format!("The root {} is {whole}", names::show(root.path()));
            self.notes.push(Finding { what, hint: "give the project's directory with --root".to_owned() });
        }
        let exposed = exposed(toolbox).into_iter();
        self.notes.extend(exposed.map(|what| Finding { what, hint: NARROWER.to_owned() }));
    }

    fn files(&mut self, common: &Common, toolbox: &Toolbox) {
        let user = common.config.clone().or_else(Config::default_file);
        let own = toolbox.workspace().roots().iter().map(|root| root.path().join(Config::WORKSPACE_FILE));
        let shown = user.into_iter().chain(own).map(|file| {
            let there = if is_file(&file) { "" } else { " (not there)" };
            format!("{}{there}", names::show(&file))
        });
        self.fact("configuration", shown.collect::<Vec<_>>());
    }

    fn rules(&mut self, toolbox: &Toolbox) {
        let policy = toolbox.executor().policy();
        let count = |origin| policy.rules().iter().filter(|rule| rule.origin == origin).count();
        let summary = format!(
            "{}: {} fixed, {} default, {} the user's, {} the workspace's (`toolcrib rules` shows them)",
            policy.rules().len(),
            count(Origin::Fixed),
            count(Origin::Default),
            count(Origin::User),
            count(Origin::Workspace),
        );
        self.fact("rules", [summary]);
        for rule in policy.ignored() {
            self.notes.push(Finding {
                what: format!("A rule of the workspace does not count: {rule}"),
                hint: "a workspace can only tighten; put it into your own configuration".to_owned(),
            });
        }
    }

    fn containment(&mut self, toolbox: &Toolbox) {
        let (line, weaker) = match toolbox.workspace().resolver() {
            Resolver::Openat2 => ("openat2: the kernel keeps every open below the roots", false),
            _ => ("walk: each part of a path is opened by itself, below the roots", true),
        };
        self.fact("containment", [line.to_owned()]);
        if weaker {
            self.notes.push(Finding {
                what: "openat2 is not there, so paths are walked part by part, which is slower".to_owned(),
                hint: "it needs Linux 5.6 or later, and no sandbox around it that forbids it".to_owned(),
            });
        }
    }

    /// Tries the lock on a thread that ends with it.
    fn landlock(&mut self, toolbox: Toolbox) {
        let lockdown = std::thread::spawn(move || toolbox.lock_down()).join();
        let lockdown = lockdown.unwrap_or_else(|_| Lockdown::Unavailable("the trial ended early".to_owned()));
        let line = match &lockdown {
            Lockdown::InForce => "available: `toolcrib mcp` locks itself in".to_owned(),
            Lockdown::Partial => "available for the rights that this kernel knows".to_owned(),
            Lockdown::Unavailable(why) => format!("not available ({why})"),
        };
        self.fact("landlock", [line]);
        if let Lockdown::Unavailable(_) = lockdown {
            self.notes.push(Finding {
                what: "The server has no second lock".to_owned(),
                hint:
                    "Landlock needs Linux 5.13 or later, with it switched on; the first lock holds without it"
                        .to_owned(),
            });
        }
    }

    fn what_is_kept(&mut self) {
        let folder = match state_folder() {
            Ok(folder) => folder,
            Err(error) => return self.problem(&error, "set HOME or XDG_STATE_HOME"),
        };
        let shown = names::show(&folder).into_owned();
        match kept(&folder) {
            Ok((files, bytes)) => self.fact("state", [format!("{shown} ({files} files, {bytes} bytes)")]),
            Err(error) => {
                self.fact("state", [shown]);
                self.problem(&error, "make the folder yours, or name another with XDG_STATE_HOME");
            }
        }
    }

    /// Opening it repairs what a crash has left, as the next change would. With `whole`, everything in it is checked.
    fn journal(&mut self, toolbox: &Toolbox, whole: bool) {
        let found = toolbox.journal().and_then(|journal| {
            let scrub = if whole { journal.scrub()? } else { journal.check()? };
            Ok((journal.log(1)?.into_iter().next(), scrub))
        });
        match found {
            Ok((last, scrub)) => {
                let line = match last {
                    Some(last) => {
                        format!("in force; the last change is {} (`toolcrib log` shows them)", last.id)
                    }
                    None => "in force; nothing was changed yet".to_owned(),
                };
                self.scrubbed(line, &scrub, whole);
            }
            Err(error) => {
                self.fact("journal", ["not in force".to_owned()]);
                self.without_journal(&error);
            }
        }
        for HalfDone { what, hint } in toolbox.half_done() {
            if !self.problems.iter().any(|problem| problem.what == what) {
                self.problems.push(Finding { what, hint });
            }
        }
    }

    fn without_journal(&mut self, error: &ToolError) {
        if error.kind() == ErrorKind::NotFound {
            let hint = error.next_step().unwrap_or("enable the journal in the configuration").to_owned();
            self.notes.push(Finding { what: UNRECORDED.to_owned(), hint });
        } else {
            self.problem(error, "nothing can be changed until the journal can be written");
        }
    }

    /// What a check of the journal has found and done.
    fn scrubbed(&mut self, line: String, scrub: &Scrub, whole: bool) {
        let mut lines = vec![line];
        if scrub.records > 0 {
            let contents = if whole { format!(", {} contents", scrub.contents) } else { String::new() };
            lines.push(format!("checked: {} changes, {} records{contents}", scrub.changes, scrub.records));
        }
        lines.extend(scrub.repaired.iter().map(|done| format!("repaired: {done}")));
        self.fact("journal", lines);
        for unrepaired in &scrub.unrepaired {
            let files = unrepaired.files().iter().map(|file| names::show(file));
            self.problems.push(Finding { what: unrepaired.to_string(), hint: unrepaired.hint() });
            self.fact("half done", files.map(|file| file.into_owned()));
        }
        for damage in &scrub.damage {
            self.damaged(damage, whole);
        }
        for (path, size) in &scrub.aside {
            self.notes.push(Finding {
                what: format!("{} was set aside ({size} bytes): it is damaged", names::show(path)),
                hint: "remove it when it is of no use to you; nothing else will".to_owned(),
            });
        }
    }

    fn damaged(&mut self, damage: &Damage, whole: bool) {
        let what = format!("The journal is damaged: {damage}");
        let hint = match (damage.loses_records(), whole) {
            (true, true) => {
                "what stood there cannot be shown or undone; everything else can. From now on it counts as known"
            }
            (true, false) => "`toolcrib doctor --journal` checks everything and repairs what can be repaired",
            (false, _) => "no record is lost by it; if it happens again, check the disk",
        };
        let finding = Finding { what, hint: hint.to_owned() };
        let is_problem = damage.is_problem() && !damage.is_acknowledged();
        if is_problem { self.problems.push(finding) } else { self.notes.push(finding) }
    }

    fn limits(&mut self) {
        let seconds = ExecutionContext::DEFAULT_TIMEOUT.as_secs();
        let kilobytes = ExecutionContext::DEFAULT_MAX_OUTPUT_SIZE / 1024;
        self.fact("limits", [format!("{seconds} s for a call, {kilobytes} KiB for an answer")]);
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
                text.push_str(&paint.show(Part::Heading, format_args!("{about:<14}")));
                text.push_str(&format!("{}\n", plain(line)));
            }
        }
        text.push('\n');
        for (part, kind, findings) in
            [(Part::Removed, "problem", &self.problems), (Part::Number, "note", &self.notes)]
        {
            for Finding { what, hint } in findings {
                let kind = paint.show(part, kind);
                text.push_str(&format!("{kind}: {}\n  hint: {}\n", plain(what), plain(hint)));
            }
        }
        if self.problems.is_empty() {
            text.push_str("No problems found\n");
        }
        text
    }
}

/// How many files are kept in a folder, and how many bytes. It is made if it is missing, and one more file is tried.
fn kept(folder: &Path) -> Result<(u64, u64), ToolError> {
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

fn add(dir: &Dir, total: &mut (u64, u64)) -> Result<(), ToolError> {
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

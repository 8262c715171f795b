//! Asks the user for approval: on the terminal, and in `toolcrib ui` at the same time. The first answer counts.
//!
//! The question goes to standard error, so that it is seen although the output of the command goes into a pipe. The answer
//! comes from standard input, or from the terminal itself if that is a pipe. Without a terminal, the answer is no, unless the
//! configuration says how long to wait for `toolcrib ui`.

use std::fs::File;
use std::io::{self, IsTerminal, PipeReader, Read, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use clap::ColorChoice;
use tokio_util::sync::CancellationToken;
use toolcrib::desk::{AtDesk, Desk, Listening, Patience};
use toolcrib::{Access, ApprovalRequest, Approver, Decision, Page, PageSize, reveal};

use crate::args::Common;
use crate::paint::{Paint, Part, plain};
use crate::{output, progress};

/// What a terminal shows at once; more is easily scrolled past.
const PAGE: PageSize = PageSize { rows: 400, characters: 40_000 };

/// Answers where a rule says ask: the person, or `--yes`. `wait` is what the configuration says.
pub(crate) fn approver(common: &Common, wait: Option<Duration>) -> Option<Arc<dyn Approver>> {
    if common.yes {
        return Some(Arc::new(|_: &ApprovalRequest| Decision::Once));
    }
    let prompt = io::stderr().is_terminal().then(|| Arc::new(Prompt::new(common.color)) as Arc<dyn Approver>);
    if prompt.is_none() && wait.is_none_or(|wait| wait.is_zero()) {
        return None;
    }
    // Who opens the page after the question was put on the terminal does so because of it: a terminal waits for ever.
    let patience = Patience { configured: wait, watched: Duration::ZERO };
    Some(Arc::new(Everywhere { prompt, patience, dialect: common.dialect.to_string() }))
}

/// Asks on the terminal and puts the question to the user's other processes, for which this one listens as long as it asks.
struct Everywhere {
    prompt: Option<Arc<dyn Approver>>,
    patience: Patience,
    dialect: String,
}

impl Approver for Everywhere {
    fn ask(&self, request: &ApprovalRequest, cancelled: &CancellationToken) -> Decision {
        // For those who show a workspace, a file of it is as good as its root.
        let desk = Desk::new("cli", &self.dialect, request.paths.clone());
        let listening = toolcrib::state_folder().and_then(|state| Listening::open(&state, &desk).ok());
        let _accepting = listening.map(Listening::accept_on_a_thread);
        AtDesk::new(&desk, self.patience).and(self.prompt.clone()).ask(request, cancelled)
    }
}

/// Whether there is a person to ask.
pub(crate) fn can_ask() -> bool {
    io::stderr().is_terminal()
}

/// Shows what would be changed and asks whether to do it in this file. Without a terminal it is no.
pub(crate) fn confirm(diff: &str, file: &str, choice: ColorChoice) -> bool {
    if !can_ask() {
        return false;
    }
    let prompt = Prompt::new(choice);
    output::say_painted(prompt.paint.diff(diff).trim_end());
    let nobody_else = CancellationToken::new();
    let answer = prompt.answer(&format!("Write this to {}? [y]es / [N]o: ", plain(file)), &nobody_else);
    matches!(answer, Typed::Line(line) if matches!(understood(&line), Decision::Once | Decision::Always))
}

/// Asks for a line; none without a terminal, or at the end of the input.
pub(crate) fn ask(question: &str, choice: ColorChoice) -> Option<String> {
    let nobody_else = CancellationToken::new();
    let typed = io::stderr().is_terminal().then(|| Prompt::new(choice).answer(question, &nobody_else));
    if let Some(Typed::Line(line)) = typed { Some(line) } else { None }
}

struct Prompt {
    paint: Paint,
}

impl Prompt {
    fn new(choice: ColorChoice) -> Self {
        Self { paint: Paint::beside(choice) }
    }

    fn ask_page_by_page(&self, request: &ApprovalRequest, cancelled: &CancellationToken) -> Decision {
        let _line = progress::quiet();
        let mut number = 1;
        let decision = loop {
            let page = request.page(number, PAGE);
            output::say_painted(&self.question(request, &page));
            let more = page.number < page.of;
            match self.answer(&choices(&page), cancelled) {
                Typed::Line(line) if more && is_more(&line) => number += 1,
                Typed::Line(line) => break understood(&line),
                Typed::End => break Decision::Dismissed,
                Typed::Nothing => {
                    output::say("\n(answered elsewhere)");
                    break Decision::Dismissed;
                }
            }
        };
        if decision == Decision::Always {
            output::say(
                "(until this command ends; to allow it permanently, repeat the rule with action = \"allow\" in toolcrib/config.toml)",
            );
        }
        decision
    }

    fn question(&self, request: &ApprovalRequest, page: &Page) -> String {
        let mut question = String::new();
        if !page.is_whole() {
            let size =
                format!("This change does not fit on one page: page {} of {}.\n", page.number, page.of);
            question.push_str(&self.paint.show(Part::Files, size));
        }
        let verb = match request.access {
            Access::Read => "read",
            Access::Edit => "edit",
            Access::ExternalDirectory => "access, outside the workspace,",
        };
        let paths = request.paths.iter().map(|path| plain(&reveal(path)).into_owned()).collect::<Vec<_>>();
        question.push_str(&format!("{} wants to {verb} {}", plain(&request.tool), paths.join(", ")));
        if let Some(rule) = &request.rule {
            let rule = format!("\nRule: {}", plain(rule));
            question.push_str(&self.paint.show(Part::Faint, rule));
        }
        if !page.text.is_empty() {
            question.push('\n');
            question.push_str(self.paint.diff(&page.text).trim_end());
        }
        question
    }

    /// What the person types, as long as it is wanted.
    fn answer(&self, choices: &str, cancelled: &CancellationToken) -> Typed {
        let mut terminal = io::stderr().lock();
        // If it cannot be shown it will hardly be answered, and then it is no.
        _ = write!(terminal, "{}", self.paint.show(Part::Files, choices)).and_then(|()| terminal.flush());
        drop(terminal);
        let typed = line(cancelled).unwrap_or(Typed::End);
        if typed == Typed::End {
            output::say("");
        }
        typed
    }
}

impl Approver for Prompt {
    fn ask(&self, request: &ApprovalRequest, cancelled: &CancellationToken) -> Decision {
        self.ask_page_by_page(request, cancelled)
    }
}

/// What came of waiting for a line.
#[derive(Debug, PartialEq, Eq)]
enum Typed {
    Line(String),
    /// The input is at its end.
    End,
    /// It is not wanted any more.
    Nothing,
}

fn choices(page: &Page) -> String {
    match page.of.saturating_sub(page.number) {
        0 => "Allow? [y]es / [a]lways / [N]o, or type a reason: ".to_owned(),
        unseen => {
            format!("Allow? [m]ore ({unseen} to go) / [y]es, unseen / [a]lways / [N]o, or type a reason: ")
        }
    }
}

fn is_more(line: &str) -> bool {
    matches!(line.to_lowercase().as_str(), "m" | "more")
}

fn understood(line: &str) -> Decision {
    match line.to_lowercase().as_str() {
        "y" | "yes" => Decision::Once,
        "a" | "always" => Decision::Always,
        "" | "n" | "no" => Decision::No(None),
        _ => Decision::No(Some(line.to_owned())),
    }
}

/// What the person types. It is read without a buffer: what is typed ahead is for whoever asks next.
fn line(cancelled: &CancellationToken) -> io::Result<Typed> {
    let stdin = io::stdin();
    let terminal = if stdin.is_terminal() {
        File::from(stdin.as_fd().try_clone_to_owned()?)
    } else {
        #[expect(clippy::disallowed_methods, reason = "the terminal is no file of a workspace")]
        File::open("/dev/tty")?
    };
    // Ends the thread behind the pipe too.
    let over = cancelled.child_token();
    let _over = over.clone().drop_guard();
    read_line(&terminal, &fires(over)?)
}

/// A line, unless something can be read from `cancelled` before.
fn read_line(mut terminal: &File, cancelled: &PipeReader) -> io::Result<Typed> {
    /// Nobody types more, and a terminal takes no longer lines.
    const MOST: usize = 4096;
    let mut line = Vec::new();
    while line.len() < MOST {
        let ready = toolcrib::wait_for_any_input(&[terminal.as_fd(), cancelled.as_fd()])?;
        if ready.get(1) == Some(&true) {
            return Ok(Typed::Nothing);
        }
        let mut byte = [0];
        if terminal.read(&mut byte)? == 0 {
            break;
        }
        line.extend(byte);
        if byte == *b"\n" {
            break;
        }
    }
    let text = String::from_utf8_lossy(&line).trim().to_owned();
    Ok(if line.is_empty() { Typed::End } else { Typed::Line(text) })
}

/// A pipe that can be read once the token has fired.
fn fires(token: CancellationToken) -> io::Result<PipeReader> {
    let (reader, mut writer) = io::pipe()?;
    std::thread::Builder::new().spawn(move || {
        toolcrib::desk::wait(&token, Duration::MAX);
        // Nobody reads it any more if the line was typed.
        writer.write_all(b"!")
    })?;
    Ok(reader)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_yes() {
        for (line, decision) in [
            ("y", Decision::Once),
            ("YES", Decision::Once),
            ("a", Decision::Always),
            ("", Decision::No(None)),
            ("no", Decision::No(None)),
            ("yes but", Decision::No(Some("yes but".to_owned()))),
        ] {
            assert_eq!(understood(line), decision, "{line}");
        }
    }
}

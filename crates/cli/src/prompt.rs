//! Asks the user for approval on the terminal.
//!
//! The question goes to standard error, so that it is seen although the output of the command goes into a pipe. The answer
//! comes from standard input, or from the terminal itself if that is a pipe. Without a terminal, the answer is no.

use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::sync::Arc;

use clap::ColorChoice;
use toolcrib::{Access, ApprovalRequest, Approver, Decision, Page, PageSize, reveal};

use crate::args::Common;
use crate::paint::{Paint, Part, plain};
use crate::{output, progress};

/// What a terminal shows at once; more is easily scrolled past.
const PAGE: PageSize = PageSize { rows: 400, characters: 40_000 };

/// Answers where a rule says ask: the person at the terminal, or `--yes`.
pub(crate) fn approver(common: &Common) -> Option<Arc<dyn Approver>> {
    if common.yes {
        return Some(Arc::new(|_: &ApprovalRequest| Decision::Once));
    }
    let prompt = io::stderr().is_terminal().then(|| Prompt::new(common.color))?;
    Some(Arc::new(move |request: &ApprovalRequest| prompt.ask(request)))
}

/// Shows what would be changed and asks whether to do it in this file. Without a terminal it is no.
pub(crate) fn confirm(diff: &str, file: &str, choice: ColorChoice) -> bool {
    if !io::stderr().is_terminal() {
        return false;
    }
    let prompt = Prompt::new(choice);
    output::say_painted(prompt.paint.diff(diff).trim_end());
    let answer = prompt.answer(&format!("Write this to {}? [y]es or [n]o: ", plain(file)));
    answer.is_some_and(|line| matches!(understood(&line), Decision::Once | Decision::Always))
}

/// Asks for a line; none without a terminal, or at the end of the input.
pub(crate) fn ask(question: &str, choice: ColorChoice) -> Option<String> {
    io::stderr().is_terminal().then(|| Prompt::new(choice).answer(question)).flatten()
}

struct Prompt {
    paint: Paint,
}

impl Prompt {
    fn new(choice: ColorChoice) -> Self {
        Self { paint: Paint::beside(choice) }
    }

    fn ask(&self, request: &ApprovalRequest) -> Decision {
        let _line = progress::quiet();
        let mut number = 1;
        let decision = loop {
            let page = request.page(number, PAGE);
            output::say_painted(&self.question(request, &page));
            let more = page.number < page.of;
            match self.answer(&choices(&page)) {
                Some(line) if more && is_more(&line) => number += 1,
                Some(line) => break understood(&line),
                None => break Decision::Dismissed,
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

    /// What the person types; none at the end of the input.
    fn answer(&self, choices: &str) -> Option<String> {
        let mut terminal = io::stderr().lock();
        // If it cannot be shown it will hardly be answered, and then it is no.
        _ = write!(terminal, "{}", self.paint.show(Part::Files, choices)).and_then(|()| terminal.flush());
        drop(terminal);
        match line() {
            Ok(Some(line)) => Some(line.trim().to_owned()),
            Ok(None) | Err(_) => {
                output::say("");
                None
            }
        }
    }
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

/// What the person types, or nothing at the end.
fn line() -> io::Result<Option<String>> {
    let mut line = String::new();
    let stdin = io::stdin();
    let read = if stdin.is_terminal() {
        stdin.lock().read_line(&mut line)?
    } else {
        #[expect(clippy::disallowed_methods, reason = "the terminal is no file of a workspace")]
        let terminal = std::fs::File::open("/dev/tty")?;
        BufReader::new(terminal).read_line(&mut line)?
    };
    Ok((read > 0).then_some(line))
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

//! Asking a person on the terminal.
//!
//! The question stands on standard error, so that it is seen although the answer of the command goes into a pipe. The
//! answer comes from standard input, or from the terminal itself where that is a pipe. Without a terminal, ask is no.

use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::sync::Arc;

use clap::ColorChoice;
use toolcrib::{Access, ApprovalRequest, Approver, Decision};

use crate::args::Common;
use crate::paint::{Paint, Part, plain};
use crate::{output, progress};

/// Who is asked where a rule says ask: a person at the terminal, or nobody because of `--yes`.
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
    matches!(
        prompt.answer(&format!("Write this to {}? [y]es or [n]o: ", plain(file))),
        Decision::Once | Decision::Always
    )
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
        output::say_painted(&self.question(request));
        let decision = self.answer("[y]es, [a]lways, [n]o, or why not: ");
        if decision == Decision::Always {
            output::say(
                "(until this command ends; for good: repeat the rule with action = \"allow\" in toolcrib/config.toml)",
            );
        }
        decision
    }

    fn question(&self, request: &ApprovalRequest) -> String {
        let verb = match request.access {
            Access::Read => "read",
            Access::Edit => "change",
            Access::ExternalDirectory => "leave the workspace for",
        };
        let paths = request.paths.iter().map(|path| plain(path)).collect::<Vec<_>>().join(", ");
        let mut question = format!("{} wants to {verb} {paths}", plain(&request.tool));
        if let Some(rule) = &request.rule {
            let because = format!("\nbecause of the rule: {}", plain(rule));
            question.push_str(&self.paint.show(Part::Faint, because));
        }
        if let Some(diff) = &request.diff {
            question.push('\n');
            question.push_str(self.paint.diff(diff).trim_end());
        }
        question
    }

    fn answer(&self, choices: &str) -> Decision {
        let mut terminal = io::stderr().lock();
        // If it cannot be shown it will hardly be answered, and then it is no.
        _ = write!(terminal, "{}", self.paint.show(Part::Files, choices)).and_then(|()| terminal.flush());
        drop(terminal);
        match line() {
            Ok(Some(line)) => understood(line.trim()),
            Ok(None) | Err(_) => {
                output::say("");
                Decision::No(None)
            }
        }
    }
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

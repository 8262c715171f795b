//! The terminal sessions in the documentation: found in Markdown, run, and compared with what is printed there.
//!
//! A session is a fenced block of the language `console`. A line that begins with `$ ` is a command, which a shell runs, and
//! the lines below it are what it prints, on standard output and standard error. In the expected output, `…` stands for any
//! text within a line, and a line that is `…` alone for any number of lines. The sessions of a page share one folder and run in
//! the order of the page. A comment before a block says what the reader need not see:
//!
//! ```text
//! <!-- console: setup
//! mkdir src                       run first, by a shell; its output is not shown
//! -->
//! <!-- console: not run, because it needs two machines -->
//! ```

/// What is before the commands of a page: the names that the documentation uses.
pub(crate) const HOME: &str = "/home/ada";
/// Where the commands run.
pub(crate) const PROJECT: &str = "/home/ada/project";

/// Something to do on a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A script that prepares what follows.
    Setup { line: usize, script: String },
    /// A command, and what the page says that it prints.
    Command { line: usize, command: String, expected: Vec<String> },
    /// A block that cannot be run, and why.
    NotRun { line: usize, reason: String },
}

/// The steps of a page, in order. The error says what cannot be understood.
pub(crate) fn steps(page: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut lines = (1..).zip(page.lines());
    let mut not_run: Option<(usize, String)> = None;
    while let Some((number, line)) = lines.next() {
        if let Some(comment) = line.strip_prefix("<!-- console: ") {
            if comment == "setup" {
                let script = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "-->");
                steps.push(Step::Setup { line: number, script: script.collect::<Vec<_>>().join("\n") });
            } else if let Some(reason) =
                comment.strip_prefix("not run, because ").and_then(|rest| rest.strip_suffix(" -->"))
            {
                not_run = Some((number, reason.to_owned()));
            } else {
                return Err(format!("line {number}: neither `setup` nor `not run, because …`"));
            }
        } else if line.trim() == "```console" {
            let block: Vec<_> = lines.by_ref().take_while(|(_, line)| line.trim() != "```").collect();
            match not_run.take() {
                Some((line, reason)) => steps.push(Step::NotRun { line, reason }),
                None => steps.extend(commands(&block)?),
            }
        }
    }
    match not_run {
        Some((line, _)) => Err(format!("line {line}: no block follows that is not run")),
        None => Ok(steps),
    }
}

fn commands(block: &[(usize, &str)]) -> Result<Vec<Step>, String> {
    let mut found = Vec::<Step>::new();
    for (number, line) in block {
        if let Some(command) = line.strip_prefix("$ ") {
            let command = command.split("    #").next().unwrap_or(command).trim_end().to_owned();
            found.push(Step::Command { line: *number, command, expected: Vec::new() });
        } else {
            match found.last_mut() {
                Some(Step::Command { expected, .. }) => expected.push((*line).to_owned()),
                _ => return Err(format!("line {number}: a session begins with a command, after `$ `")),
            }
        }
    }
    Ok(found)
}

/// Whether the output is what the page says. Blank lines at the end do not count.
pub(crate) fn agrees(expected: &[String], printed: &str) -> bool {
    let trimmed = |mut lines: Vec<String>| {
        while lines.last().is_some_and(|line| line.trim().is_empty()) {
            lines.pop();
        }
        lines
    };
    let expected = trimmed(expected.iter().map(|line| line.trim_end().to_owned()).collect());
    let printed = trimmed(printed.lines().map(|line| line.trim_end().to_owned()).collect());
    lines_agree(&expected, &printed)
}

fn lines_agree(expected: &[String], printed: &[String]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=printed.len()).any(|skipped| lines_agree(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, more)| line_agrees(first, line) && lines_agree(rest, more)),
    }
}

fn line_agrees(expected: &str, printed: &str) -> bool {
    let mut parts = expected.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: usize, command: &str, expected: &[&str]) -> Step {
        let expected = expected.iter().map(|line| (*line).to_owned()).collect();
        Step::Command { line, command: command.to_owned(), expected }
    }

    #[test]
    fn the_commands_of_a_page_are_found_with_what_they_print() {
        let page = "# A\n<!-- console: setup\nmkdir a\ncd a\n-->\n\n```console\n$ ls    # nothing\n$ cat b\none\n\ntwo\n```\n\n```sh\n$ no\n```\n";
        let setup = Step::Setup { line: 2, script: "mkdir a\ncd a".to_owned() };
        assert_eq!(
            steps(page).unwrap(),
            [setup, command(8, "ls", &[]), command(9, "cat b", &["one", "", "two"])]
        );
        assert!(steps("```console\nls\n```").is_err(), "without a `$`, nothing would be run");
    }

    #[test]
    fn a_block_that_is_not_run_says_why_and_is_one_block() {
        let page = "<!-- console: not run, because it waits -->\n```console\n$ a\n```\n```console\n$ b\n```";
        let not_run = Step::NotRun { line: 1, reason: "it waits".to_owned() };
        assert_eq!(steps(page).unwrap(), [not_run, command(6, "b", &[])]);
        assert!(steps("<!-- console: not run, because it waits -->\ntext").is_err());
        assert!(steps("<!-- console: skip -->\n```console\n$ a\n```").is_err());
    }

    #[test]
    fn what_is_printed_agrees_line_by_line_and_dots_stand_for_anything() {
        let check = |expected: &str, printed: &str| {
            agrees(&expected.lines().map(str::to_owned).collect::<Vec<_>>(), printed)
        };
        assert!(check("a\nb\n", "a\nb\n\n"));
        assert!(!check("a", "a\nb") && !check("a\nb", "a") && !check("a", "") && !check("", "a"));
        assert!(check("a … c", "a b c") && !check("a … c", "a b d") && !check("a … c", "x a b c"));
        assert!(check("a\n…\nd", "a\nb\nc\nd") && check("…\nd", "d") && !check("…\nd", "d\ne"));
        assert!(check("… ago  x…", "3 minutes ago  xyz"));
    }
}

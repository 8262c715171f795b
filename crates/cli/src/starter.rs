//! The program that started this one.

use std::path::{Path, PathBuf};

/// Whether it can ask a person on its terminal. Where nothing is known of it, whether there is a terminal at all.
pub(crate) fn can_ask() -> bool {
    starter().map_or_else(has_controlling_terminal, |starter| {
        is_terminal(&starter.input) && !runs_once(&starter.command)
    })
}

/// A process, as `/proc` shows it.
struct Process {
    /// What it reads from.
    input: PathBuf,
    /// What was typed, each word with a NUL behind it.
    command: String,
}

/// Programs between the starter and this one, such as a shell, have the same input as this one.
fn starter() -> Option<Process> {
    /// How many programs may be between.
    const MOST: usize = 8;
    let own = input_of("self")?;
    let mut process = std::os::unix::process::parent_id();
    for _ in 0..MOST {
        let input = input_of(&process.to_string())?;
        if input != own {
            return Some(Process { input, command: text(&format!("/proc/{process}/cmdline"))? });
        }
        process = parent(&text(&format!("/proc/{process}/stat"))?)?;
    }
    None
}

/// Whether this is `goose run`, which does not ask on a terminal either, unless it goes on as a conversation.
fn runs_once(command: &str) -> bool {
    let words: Vec<&str> = command.split('\0').skip(1).collect();
    let is_run = words.iter().find(|word| !word.starts_with('-')) == Some(&"run");
    is_run && !words.iter().any(|word| ["-s", "--interactive"].contains(word))
}

#[expect(clippy::disallowed_methods, reason = "about a process, not about a file of the user's")]
fn input_of(process: &str) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{process}/fd/0")).ok()
}

#[expect(clippy::disallowed_methods, reason = "about a process, not about a file of the user's")]
fn text(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// The second field after the program's name, which stands in parentheses and may have anything in it: proc_pid_stat(5).
fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn is_terminal(input: &Path) -> bool {
    input.starts_with("/dev/pts") || input.to_str().is_some_and(|name| name.starts_with("/dev/tty"))
}

#[expect(clippy::disallowed_methods, reason = "a device, not a file of the user's")]
fn has_controlling_terminal() -> bool {
    std::fs::File::open("/dev/tty").is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_anything_in_it() {
        assert_eq!(parent("12 (a) S 9 (b) R 34 12 1"), Some(34));
        assert_eq!((parent("12 (a"), parent("12 (a) S"), parent("")), (None, None, None));
    }

    #[test]
    fn a_run_asks_nobody_unless_it_goes_on() {
        assert!(runs_once("goose\0run\0-t\0do it\0") && runs_once("goose\0--debug\0run\0"));
        assert!(
            !runs_once("goose\0run\0-s\0-t\0do it\0")
                && !runs_once("goose\0session\0")
                && !runs_once("goose\0")
        );
    }

    #[test]
    fn what_a_terminal_is_called() {
        assert!(is_terminal(Path::new("/dev/pts/3")) && is_terminal(Path::new("/dev/tty1")));
        assert!(!is_terminal(Path::new("/dev/null")) && !is_terminal(Path::new("pipe:[1]")));
    }
}

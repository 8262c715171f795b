//! The names of files in the headers of a diff.

use crate::path::unquoted;

/// The pairs of prefixes that git puts before the names of old and new side.
const PREFIXES: [(&str, &str); 8] = [
    ("a/", "b/"),
    ("b/", "a/"),
    ("i/", "w/"),
    ("w/", "i/"),
    ("c/", "w/"),
    ("c/", "i/"),
    ("o/", "w/"),
    ("1/", "2/"),
];

/// A name after `---` or `+++`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    /// The date that follows it is that of a file which does not exist.
    pub(super) epoch: bool,
}

impl Name {
    pub(super) fn is_null(&self) -> bool {
        self.text == "/dev/null"
    }

    /// Reads a name with what may follow it: a tab and a date, or the date alone.
    pub(super) fn read(text: &str) -> Self {
        if let Some((name, rest)) = unquoted(text) {
            return Self { text: name, epoch: is_epoch(rest) };
        }
        let (name, date) = text.split_once('\t').unwrap_or_else(|| split_date(text));
        Self { text: name.trim_end().to_owned(), epoch: is_epoch(date) }
    }
}

/// A name and the date after it, `2002-02-21 23:30:39`, if there is one.
fn split_date(text: &str) -> (&str, &str) {
    let is_date = |at: usize| {
        let digits = text.as_bytes().get(at + 1..at + 20).unwrap_or_default();
        let shape = b"dddd-dd-dd dd:dd:dd";
        digits.len() == shape.len()
            && digits
                .iter()
                .zip(shape)
                .all(|(byte, kind)| if *kind == b'd' { byte.is_ascii_digit() } else { byte == kind })
    };
    let at = text.match_indices(' ').map(|(at, _)| at).find(|at| is_date(*at));
    at.map_or((text, ""), |at| text.split_at(at))
}

/// The date by which `diff -N` says that a file does not exist, in any zone of time.
fn is_epoch(date: &str) -> bool {
    let date = date.trim();
    date.starts_with("1970-01-01 00:00:00") || date.starts_with("1969-12-31 ") && date.contains(":00:00")
}

/// The names of both sides without the prefixes that git adds. They are taken away from both or from none.
pub(super) fn without_prefixes<'n>(old: &'n str, new: &'n str) -> (&'n str, &'n str) {
    let null = |name: &str| name == "/dev/null";
    for (before, after) in PREFIXES {
        match (old.strip_prefix(before), new.strip_prefix(after)) {
            (Some(old), Some(new)) => return (old, new),
            (Some(stripped), None) if null(new) || stripped == new => return (stripped, new),
            (None, Some(stripped)) if null(old) || stripped == old => return (old, stripped),
            _ => {}
        }
    }
    (old, new)
}

/// The names of `diff --git`, if it tells them: both in quotes, or the same on both sides but for the prefix.
pub(super) fn of_git_line(names: &str) -> Option<(String, String)> {
    if let Some((old, rest)) = unquoted(names) {
        let rest = rest.strip_prefix(' ')?;
        let new = unquoted(rest).map_or_else(|| rest.to_owned(), |(new, _)| new);
        return Some((old, new));
    }
    if let Some((old, quoted)) = names.split_once(" \"") {
        let (new, _) = unquoted(&names[names.len() - quoted.len() - 1..])?;
        return Some((old.to_owned(), new));
    }
    let halves = names.match_indices(' ').map(|(at, _)| (&names[..at], &names[at + 1..]));
    let same = |(old, new): &(&str, &str)| {
        let (old, new) = without_prefixes(old, new);
        old == new
    };
    halves
        .clone()
        .find(same)
        .or_else(|| halves.clone().next().filter(|_| halves.count() == 1))
        .map(|(old, new)| (old.to_owned(), new.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_before_a_date() {
        for (text, name, epoch) in [
            ("a/x", "a/x", false),
            ("a/x y\t2002-02-21 23:30:39.942229878 -0800", "a/x y", false),
            ("x y 2002-02-21 23:30:39.942229878 -0800", "x y", false),
            ("x\t1970-01-01 00:00:00.000000000 +0000", "x", true),
            ("x\t1969-12-31 16:00:00.000000000 -0800", "x", true),
            ("/dev/null\t1970-01-01", "/dev/null", false),
            ("\"a/t\\303\\251\"\t", "a/té", false),
            ("2002-02-21", "2002-02-21", false),
            ("a/x   ", "a/x", false),
        ] {
            assert_eq!(Name::read(text), Name { text: name.to_owned(), epoch }, "{text}");
        }
    }

    #[test]
    fn prefixes_go_from_both_sides_or_none() {
        for (names, expected) in [
            (("a/x", "b/x"), ("x", "x")),
            (("a/x", "b/y"), ("x", "y")),
            (("i/x", "w/x"), ("x", "x")),
            (("/dev/null", "b/x"), ("/dev/null", "x")),
            (("a/x", "/dev/null"), ("x", "/dev/null")),
            (("a/x", "x"), ("x", "x")),
            (("x", "b/x"), ("x", "x")),
            (("a/x", "a/x"), ("a/x", "a/x")),
            (("src/x", "src/x"), ("src/x", "src/x")),
            (("b/x", "b/x"), ("b/x", "b/x")),
            (("a/x", "y"), ("a/x", "y")),
        ] {
            assert_eq!(without_prefixes(names.0, names.1), expected);
        }
    }

    #[test]
    fn the_line_of_git_names_both_sides() {
        for (line, expected) in [
            ("a/x b/x", Some(("a/x", "b/x"))),
            ("a/x y b/x y", Some(("a/x y", "b/x y"))),
            ("x y x y", Some(("x y", "x y"))),
            ("\"a/\\303\\251\" \"b/\\303\\251\"", Some(("a/é", "b/é"))),
            ("a/x \"b/\\303\\251\"", Some(("a/x", "b/é"))),
            ("\"a/\\303\\251\" b/x", Some(("a/é", "b/x"))),
            ("a/x b/y", Some(("a/x", "b/y"))),
            // Where the first name ends is anyone's guess; other lines will tell.
            ("a/x y b/z", None),
        ] {
            let expected = expected.map(|(old, new)| (old.to_owned(), new.to_owned()));
            assert_eq!(of_git_line(line), expected, "{line}");
        }
    }
}

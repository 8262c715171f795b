//! How entries are printed.

use toolcrib::files::{EntryKind, Listed};

use super::LsArgs;
use crate::clock;
use crate::layout::size;
use crate::paint::{Paint, Part, plain};

pub(super) struct Format {
    paint: Paint,
    layout: Layout,
    /// Sizes with units.
    human: bool,
    /// Whether something was printed.
    pub(super) begun: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Tree,
    Lines,
    Details,
}

impl Format {
    pub(super) fn new(args: &LsArgs, paint: Paint) -> Self {
        let layout = match () {
            () if args.long => Layout::Details,
            // A tree has an order of its own.
            () if paint.for_people && !args.one && !(args.recursive && args.sorts()) => Layout::Tree,
            () => Layout::Lines,
        };
        Self { paint, layout, human: args.human, begun: false }
    }

    pub(super) fn is_new(&self) -> bool {
        !self.begun
    }

    /// What stands above a directory's entries: among several, the path as it was typed.
    pub(super) fn heading(&self, absolute: &str, typed: Option<&str>) -> String {
        match (self.layout, typed) {
            (Layout::Tree, _) => {
                let path = absolute.trim_end_matches('/');
                format!("{}\n", self.paint.show(Part::Heading, format_args!("{}/", plain(path))))
            }
            (_, Some(typed)) => format!("{}:\n", plain(typed)),
            (_, None) => String::new(),
        }
    }

    /// An entry of a directory.
    pub(super) fn entry(&self, entry: &Listed) -> String {
        if self.layout == Layout::Tree {
            return self.in_tree(entry);
        }
        // How deep it lies tells how much of its path is below the directory.
        let below = entry.path.absolute.rsplitn(entry.depth + 2, '/');
        let below: Vec<&str> = below.take(entry.depth + 1).collect();
        let below: Vec<&str> = below.into_iter().rev().collect();
        self.in_list(&below.join("/"), entry)
    }

    /// An entry on a line of its own, under this name.
    pub(super) fn in_list(&self, name: &str, entry: &Listed) -> String {
        let name = self.named(name, entry);
        if self.layout != Layout::Details {
            return format!("{name}\n");
        }
        let bytes = match entry.size {
            Some(bytes) if self.human => size(bytes),
            Some(bytes) => bytes.to_string(),
            None => "-".to_owned(),
        };
        let target = entry.target.as_ref().map(|target| format!(" -> {}", plain(target))).unwrap_or_default();
        let mode = permissions(entry);
        format!(
            "{mode} {bytes:>10} {} {name}{}\n",
            clock::minute(entry.modified),
            self.paint.show(Part::Faint, target)
        )
    }

    fn in_tree(&self, entry: &Listed) -> String {
        let indent = "  ".repeat(entry.depth + 1);
        let rest = match (&entry.target, entry.size) {
            (Some(target), _) => format!(" -> {}", plain(target)),
            (None, Some(bytes)) => format!("  {}", size(bytes)),
            (None, None) => String::new(),
        };
        format!("{indent}{}{}\n", self.named(&entry.name, entry), self.paint.show(Part::Faint, rest))
    }

    fn named(&self, name: &str, entry: &Listed) -> String {
        let name = plain(name);
        match entry.kind {
            EntryKind::Directory => {
                self.paint.show(Part::Directory, format_args!("{}/", name.trim_end_matches('/')))
            }
            _ => name.into_owned(),
        }
    }
}

/// As `ls -l` has them, such as `-rw-r--r--`.
fn permissions(entry: &Listed) -> String {
    let kind = match entry.kind {
        EntryKind::File => '-',
        EntryKind::Directory => 'd',
        EntryKind::Link => 'l',
        EntryKind::Other => '?',
    };
    let Some(mode) = entry.mode else { return format!("{kind}?????????") };
    let bit = |at: u32, letter: char| if mode & (1 << at) == 0 { '-' } else { letter };
    let execute =
        |at: u32, special: u32, letter: char| match (mode & (1 << at) != 0, mode & (1 << special) != 0) {
            (true, true) => letter,
            (false, true) => letter.to_ascii_uppercase(),
            (true, false) => 'x',
            (false, false) => '-',
        };
    [
        kind,
        bit(8, 'r'),
        bit(7, 'w'),
        execute(6, 11, 's'),
        bit(5, 'r'),
        bit(4, 'w'),
        execute(3, 10, 's'),
        bit(2, 'r'),
        bit(1, 'w'),
        execute(0, 9, 't'),
    ]
    .into_iter()
    .collect()
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    fn entry(mode: u32) -> Listed {
        Listed {
            name: "a".to_owned(),
            path: toolcrib::FilePath { absolute: "/a".to_owned(), relative: "a".to_owned() },
            kind: EntryKind::Directory,
            size: None,
            modified: UNIX_EPOCH,
            mode: Some(mode),
            target: None,
            depth: 0,
        }
    }

    #[test]
    fn permissions_are_as_ls_shows_them() {
        for (mode, shown) in [
            (0o755, "drwxr-xr-x"),
            (0o1777, "drwxrwxrwt"),
            (0o4644, "drwSr--r--"),
            (0o2711, "drwx--s--x"),
            (0, "d---------"),
        ] {
            assert_eq!(permissions(&entry(mode)), shown, "{mode:o}");
        }
        assert_eq!(permissions(&Listed { mode: None, ..entry(0) }), "d?????????");
    }
}

//! What stands above the hunks of a file, as git writes it: a rename, a copy, a mode, an empty file.

use std::fmt;

use toolcrib_edit::Names;

/// What happens to a file beside its text. It says nothing where there is nothing to say.
pub(crate) struct Heading<'n> {
    pub(crate) names: Names<'n>,
    /// The old name is given up.
    pub(crate) moved: bool,
    /// The permission bits before and after, where there is a file.
    pub(crate) modes: [Option<u32>; 2],
}

/// What a file's mode says of a symbolic link, see inode(7).
pub(crate) const LINK: u32 = 0o120_000;

impl<'n> Heading<'n> {
    /// Above the deletion of a symbolic link.
    pub(crate) fn of_deleted_link(name: &'n str) -> Self {
        Self { names: Names { old: Some(name), new: None }, moved: false, modes: [Some(LINK), None] }
    }
}

impl fmt::Display for Heading<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Names { old, new } = self.names;
        let renamed = old.is_some() && new.is_some() && old != new;
        let [before, after] = self.modes.map(|mode| mode.map(git_mode));
        let other_mode = before.is_some() && after.is_some() && before != after;
        if !renamed && !other_mode && old.is_some() && new.is_some() {
            return Ok(());
        }
        let (a, b) = (old.or(new).unwrap_or_default(), new.or(old).unwrap_or_default());
        writeln!(f, "diff --git {} {}", Names::quoted("a/", a), Names::quoted("b/", b))?;
        match (before, after) {
            (Some(before), Some(after)) if other_mode => {
                writeln!(f, "old mode {before}\nnew mode {after}")?;
            }
            (None, Some(after)) => writeln!(f, "new file mode {after}")?,
            (Some(before), None) => writeln!(f, "deleted file mode {before}")?,
            _ => {}
        }
        if renamed {
            let verb = if self.moved { "rename" } else { "copy" };
            writeln!(f, "{verb} from {}\n{verb} to {}", Names::quoted("", a), Names::quoted("", b))?;
        }
        Ok(())
    }
}

/// Git knows two modes of a file with text, and one of a link.
fn git_mode(mode: u32) -> &'static str {
    if mode == LINK {
        return "120000";
    }
    if mode & 0o100 == 0 { "100644" } else { "100755" }
}

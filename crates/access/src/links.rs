//! Hard links: a file that has a second name in the same directory is judged by that name too.
//!
//! A path says nothing about other names of a file, and the kernel does not tell them. But a copy of `.env` that was made
//! with `ln` mostly stands beside it, and a look at the directory finds it. Links in other directories are not looked for:
//! no tool makes links, and git keeps none.

use std::ops::ControlFlow;
use std::path::Path;

use toolcrib_tool::ToolError;
use toolcrib_workspace::{FileKind, ScanBuffer, Stat, WorkspacePath};

use crate::error::disk_error;
use crate::policy::{Access, Action, Subject};
use crate::sandbox::{Location, Sandbox};

/// How many names are looked at between two looks at the clock.
const BETWEEN_CHECKPOINTS: usize = 1024;

impl Sandbox<'_> {
    /// The subject, and every other name of the file in its directory for which this access is not simply allowed.
    ///
    /// # Errors
    ///
    /// If the call ends meanwhile.
    pub(crate) fn with_links(
        &self,
        access: Access,
        subject: Subject,
        location: &Location,
        reached: &WorkspacePath,
        stat: &Stat,
    ) -> Result<Subject, ToolError> {
        if stat.nlink < 2 || stat.kind != FileKind::File {
            return Ok(subject);
        }
        let root = &location.workspace.roots()[reached.root().index()];
        let directory = root.path_to(reached.relative().parent().unwrap_or(Path::new("")));
        // A directory that cannot be listed keeps its other names to itself.
        let Ok(dir) = location.workspace.open_dir(&directory) else { return Ok(subject) };
        let everything = self.policy().may_refuse_all_in(access, &location.subject(&directory));
        let (mut others, mut looked_at, mut ended) = (Vec::new(), 0, Ok(()));
        let scanned = dir.scan(&mut ScanBuffer::default(), |name, kind| {
            looked_at += 1;
            if looked_at % BETWEEN_CHECKPOINTS == 0 {
                ended = self.checkpoint();
            }
            if ended.is_err() {
                return ControlFlow::Break(());
            }
            if kind != FileKind::File || !(everything || self.policy().may_refuse(access, name)) {
                return ControlFlow::Continue(());
            }
            let other = location.subject(&directory.join(name));
            let same = |other: Stat| (other.dev, other.ino) == (stat.dev, stat.ino);
            if self.policy().judge(access, &other).action != Action::Allow && dir.look(name).is_ok_and(same) {
                others.push(other);
            }
            ControlFlow::Continue(())
        });
        ended?;
        scanned.map_err(disk_error)?;
        Ok(others.into_iter().fold(subject, Subject::also))
    }
}

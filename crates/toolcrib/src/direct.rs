//! Files as they are, for doors that show them without a tool.

use std::io::Read;
use std::path::Path;

use toolcrib_access::{Location, Opened, Sandbox};
use toolcrib_files::{FilePath, FileStat, GlobRequest, Matches, StatRequest, glob, stat};
use toolcrib_tool::{ErrorKind, ExecutionContext, ToolError};
use toolcrib_workspace::Fingerprint;

use crate::Toolbox;

impl Toolbox {
    /// All of a file's bytes, if there are at most `most`. What may be read is what the Read tool may.
    ///
    /// # Errors
    ///
    /// As for the Read tool; and if it is larger.
    pub fn read_file(
        &self,
        path: &Path,
        most: u64,
        context: &ExecutionContext,
    ) -> Result<Vec<u8>, ToolError> {
        self.executor().look(context, |call| {
            let Opened { file, location } = Sandbox::new(call)?.open_file(path)?;
            let mut bytes = Vec::new();
            let read = file.into_file().take(most.saturating_add(1)).read_to_end(&mut bytes);
            let fail =
                |kind, why: String| ToolError::new(kind, format!("Cannot read {}: {why}", location.show()));
            read.map_err(|error| fail(ErrorKind::Io, error.to_string()))?;
            if bytes.len() as u64 > most {
                let error = fail(ErrorKind::TooLarge, format!("it has more than {most} bytes"));
                return Err(error.hint("read a part of it with the Read tool"));
            }
            Ok(bytes)
        })
    }

    /// The facts about a file or directory, without reading it.
    ///
    /// # Errors
    ///
    /// As for the Stat tool.
    pub fn stat(&self, path: &Path, context: &ExecutionContext) -> Result<FileStat, ToolError> {
        self.executor()
            .look(context, |call| stat(&Sandbox::new(call)?, &StatRequest { path: path.to_owned() }))
    }

    /// The files that searches would look into, the newest first.
    ///
    /// # Errors
    ///
    /// If the directory where calls start cannot be read.
    pub fn list_files(
        &self,
        offset: usize,
        limit: usize,
        context: &ExecutionContext,
    ) -> Result<Matches, ToolError> {
        let request = GlobRequest {
            pattern: "**/*".to_owned(),
            path: context.working_dir.clone(),
            ignore_case: false,
            hidden: false,
            ignored: false,
            directories: false,
            exclude: Vec::new(),
            offset,
            limit,
        };
        self.executor().look(context, |call| glob(&Sandbox::new(call)?, &request))
    }

    /// Remembers a file as it is now, to see later whether it changed.
    ///
    /// # Errors
    ///
    /// As for the Read tool.
    pub fn watch(&self, path: &Path, context: &ExecutionContext) -> Result<Watched, ToolError> {
        self.executor().look(context, |call| {
            let Opened { file, location } = Sandbox::new(call)?.open_file(path)?;
            Ok(Watched { seen: Some(file.fingerprint()), path: FilePath::new(&location).absolute, location })
        })
    }
}

/// A file that is watched.
pub struct Watched {
    location: Location,
    path: String,
    /// Nothing where there was no file.
    seen: Option<Fingerprint>,
}

impl Watched {
    /// Its absolute path, as text.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether it is another than at the last look: saved, replaced, removed or there again.
    pub fn changed(&mut self) -> bool {
        let now = self.location.workspace.fingerprint(&self.location.path).ok();
        let same = match (&self.seen, &now) {
            (Some(seen), Some(now)) => seen.looks_like(now),
            (None, None) => true,
            _ => false,
        };
        self.seen = now;
        !same
    }
}

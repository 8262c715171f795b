//! Operations for programs that have a request as a value, such as the command line: no parameters are named, and the outcome
//! can be had as a value too.

use toolcrib_access::Proposed;
use toolcrib_dialects::DialectTool;
use toolcrib_dialects::operations::{Caller, Operation};
use toolcrib_files::Refused;
use toolcrib_tool::{ErrorKind, ExecutionContext, Performed, ToolError, ToolResult};

use crate::Toolbox;

impl Toolbox {
    /// Runs an operation as a call of the tool that offers it: under its name in the log, with the same rules, approval and
    /// dry run. A refusal is in the words of the dialect.
    ///
    /// ```
    /// # let dir = std::env::temp_dir().join(format!("toolcrib-perform-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir)?;
    /// # std::fs::write(dir.join("notes.txt"), "one\ntwo\n")?;
    /// use toolcrib::Toolbox;
    /// use toolcrib::dialects::operations;
    /// use toolcrib::files::ReadRequest;
    ///
    /// let toolbox = Toolbox::open(&dir)?;
    /// let read = toolbox.perform::<operations::Read>(&toolbox.context(), |caller| {
    ///     operations::Read::perform(ReadRequest::new("notes.txt"), caller)
    /// })?;
    /// assert_eq!(read.facts.text().unwrap().lines[1].text, "two");
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Why it is refused, or why what it proposes is not done; and if no tool of the toolbox offers it.
    pub fn perform<O: Operation>(
        &self,
        context: &ExecutionContext,
        mut run: impl FnMut(&Caller<'_>) -> Result<Proposed<O::Outcome>, Refused>,
    ) -> Result<Performed<O::Outcome>, ToolError> {
        self.as_tool::<O, _>(|tool, name| {
            self.executor().perform(name, O::EFFECT, context, |call| tool.run(call, &mut run))
        })?
    }

    /// The same, answered as the tool would answer a call.
    pub fn answer<O: Operation>(
        &self,
        context: &ExecutionContext,
        mut run: impl FnMut(&Caller<'_>) -> Result<Proposed<O::Outcome>, Refused>,
    ) -> ToolResult {
        let answered = self.as_tool::<O, _>(|tool, name| {
            self.executor().answer(name, O::EFFECT, context, |call| {
                tool.run(call, &mut run)?.try_map(|outcome| Ok(tool.reply(&outcome)))
            })
        });
        answered.unwrap_or_else(ToolResult::from)
    }

    fn as_tool<O: Operation, T>(&self, run: impl FnOnce(&DialectTool<O>, &str) -> T) -> Result<T, ToolError> {
        let tools = self.executor().registry().list_all();
        let (tool, name) = DialectTool::among(&tools).ok_or_else(|| {
            ToolError::new(ErrorKind::UnknownTool, format!("No tool offers the operation '{}'", O::NAME))
        })?;
        Ok(run(tool, name))
    }
}

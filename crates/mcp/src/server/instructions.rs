//! What a client is told about the server when it connects.

use toolcrib::Toolbox;

/// What the model should know before it chooses a tool.
pub(super) fn instructions(toolbox: &Toolbox, notice: Option<&str>) -> String {
    let roots = toolbox.workspace().roots().iter().map(|root| root.path().display().to_string());
    let mut text = format!("File tools for {}.", roots.collect::<Vec<_>>().join(", "));
    let tools = toolbox.executor().registry().list_all();
    let changes = tools.iter().any(|tool| tool.descriptor().effect.changes());
    text.push_str(if changes {
        " Prefer them to shell commands and to built-in file tools: edits are exact or refused with the closest place, \
         keep encodings and line endings, are all or nothing over many files, and are recorded, so that the user can \
         undo each with `toolcrib undo`."
    } else {
        " Prefer them to shell commands and to built-in file tools for reading and searching. They change nothing."
    });
    text.push_str(
        " Paths are inside these directories. Long answers are cut and say how to go on. An error says what to do next.",
    );
    text.extend(notice.map(|notice| format!(" {notice}.")));
    text
}

//! What is known of clients: how much of an answer each passes on to its model.
//!
//! A client that gets more cuts the end off, where the way to go on stands. So answers are made to fit.

use rmcp::model::Implementation;

/// How many characters an answer to a client may have that nobody knows.
const UNKNOWN: usize = 30_000;

/// A client by the name with which it introduces itself.
struct Known {
    /// The name, or what it begins with before a `-`.
    name: &'static str,
    /// How many characters an answer may have. It is a tenth less than what the client was seen to take, since some count
    /// what they put around it.
    characters: usize,
}

/// What the clients were seen to take, in characters, with the version that was looked at.
///
/// | client | takes | what it does with more |
/// | --- | ---: | --- |
/// | Claude Code 2.1 | 50,000 | writes it into a file, and shows the first 2 KB |
/// | Codex 0.166 | 48,000; 40,000 in its code mode | cuts the middle out |
/// | Gemini CLI 0.61 | 40,000 | cuts the middle out |
/// | opencode 1.18 | 50 KB | cuts the end off |
/// | qwen-code | 25,000 | cuts the end off |
/// | Cline | 8,000 | cuts the end off |
const CLIENTS: &[Known] = &[
    Known { name: "claude-code", characters: 45_000 },
    Known { name: "codex-mcp-client", characters: 36_000 },
    Known { name: "gemini-cli-mcp-client", characters: 36_000 },
    Known { name: "opencode", characters: 45_000 },
    Known { name: "qwen-cli-mcp-client", characters: 22_000 },
    Known { name: "cline", characters: 7_500 },
];

/// How many characters an answer to this client may have.
pub(crate) fn characters(client: Option<&Implementation>) -> usize {
    let name = client.map(|client| client.name.to_lowercase()).unwrap_or_default();
    let is_meant = |known: &&Known| {
        name.strip_prefix(known.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    CLIENTS.iter().find(is_meant).map_or(UNKNOWN, |known| known.characters)
}

/// The client as the log names it: `claude-code 2.1.325`.
pub(crate) fn title(client: Option<&Implementation>) -> String {
    /// How long a name may be that a client gives itself.
    const LONGEST: usize = 60;
    let Some(client) = client else { return "mcp".to_owned() };
    let plain = |text: &str| text.chars().filter(|c| !c.is_control()).take(LONGEST).collect::<String>();
    match (plain(&client.name), plain(&client.version)) {
        (name, _) if name.trim().is_empty() => "mcp".to_owned(),
        (name, version) if version.is_empty() => name,
        (name, version) => format!("{name} {version}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_known_by_the_beginning_of_its_name() {
        let characters = |name: &str| characters(Some(&Implementation::new(name, "1")));
        assert_eq!(characters("claude-code"), 45_000);
        assert_eq!(characters("Cline"), 7_500);
        assert_eq!(characters("qwen-cli-mcp-client-toolcrib"), 22_000);
        assert_eq!((characters("clinefelter"), characters("")), (UNKNOWN, UNKNOWN));
        assert_eq!(super::characters(None), UNKNOWN);
    }

    #[test]
    fn a_client_is_named_with_its_version() {
        let named = |name: &str, version: &str| title(Some(&Implementation::new(name, version)));
        assert_eq!(named("claude-code", "2.1.325"), "claude-code 2.1.325");
        assert_eq!(
            (named("x\u{1b}[1m", ""), named(" ", "1"), title(None)),
            ("x[1m".into(), "mcp".into(), "mcp".into())
        );
        assert_eq!(named(&"x".repeat(1000), "").len(), 60);
    }
}

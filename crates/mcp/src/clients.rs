//! What is known of clients: how much of an answer each passes on to its model, and in which form.
//!
//! A client that gets more cuts the end off, where the way to go on stands. So answers are made to fit.

use rmcp::model::Implementation;

/// A client by the name with which it introduces itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// The name, or what it begins with before a `-`.
    name: &'static str,
    /// How many characters an answer may have. It is a tenth less than what the client was seen to take, since some count
    /// what they put around it.
    pub(crate) characters: usize,
    /// Whether the model gets to see images. Where it does not, an image is so much base64 among the text.
    pub(crate) shows_images: bool,
    /// Whether its run ends when it is to ask and has no user to ask: `goose run` says "Elicitation requested but no
    /// interactive terminal is available" and is gone.
    pub(crate) ends_if_nobody_is_there: bool,
}

impl Known {
    const fn new(name: &'static str, characters: usize) -> Self {
        Self { name, characters, shows_images: true, ends_if_nobody_is_there: false }
    }
}

/// An unknown client.
const UNKNOWN: Known = Known::new("", 30_000);

/// What the clients were seen to take, in characters, with the version that was looked at. tests/agents looks again.
///
/// | client | takes | what it does with more |
/// | --- | ---: | --- |
/// | Claude Code 2.1 | 50,000 | writes it into a file, and shows the first 2 KB |
/// | Codex 0.166 | 48,000; 40,000 in its code mode | cuts the middle out |
/// | Gemini CLI 0.61 | 40,000 | cuts the middle out |
/// | opencode 1.18 | 50 KB | cuts the end off |
/// | qwen-code | 25,000 | cuts the end off |
/// | Cline 3.0 | 8,000 | cuts the middle out |
///
/// Cline and Continue give the model the protocol's own form as JSON. Cline counts that, in which every quote and line end takes
/// two characters, so that its limit is far above what is given to it.
const CLIENTS: &[Known] = &[
    Known::new("claude-code", 45_000),
    Known::new("codex-mcp-client", 36_000),
    Known::new("gemini-cli-mcp-client", 36_000),
    Known::new("opencode", 45_000),
    Known::new("qwen-cli-mcp-client", 22_000),
    Known { shows_images: false, ..Known::new("cline", CLINE) },
    Known { shows_images: false, ..Known::new("@cline/core", CLINE) },
    Known { shows_images: false, ..Known::new("continue-cli-client", UNKNOWN.characters) },
    Known { ends_if_nobody_is_there: true, ..Known::new("goose-cli", UNKNOWN.characters) },
];

const CLINE: usize = 5_000;

/// What is known of this client.
pub(crate) fn known(client: Option<&Implementation>) -> Known {
    let name = client.map(|client| client.name.to_lowercase()).unwrap_or_default();
    let is_meant = |known: &&Known| {
        name.strip_prefix(known.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    CLIENTS.iter().find(is_meant).copied().unwrap_or(UNKNOWN)
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
        let known = |name: &str| known(Some(&Implementation::new(name, "1")));
        assert_eq!(known("claude-code").characters, 45_000);
        assert_eq!((known("Cline").characters, known("@cline/core").characters), (CLINE, CLINE));
        assert_eq!(known("qwen-cli-mcp-client-toolcrib").characters, 22_000);
        assert_eq!((known("clinefelter"), known("")), (UNKNOWN, UNKNOWN));
        assert_eq!(super::known(None), UNKNOWN);
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

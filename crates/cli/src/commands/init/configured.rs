//! Which of an agent's servers are Toolcrib, as its configuration has them.

use std::path::Path;

use serde_json::{Map, Value};
use toml_edit::{DocumentMut, Item, TableLike};

use super::client::Client;
use super::{jsonc, yaml};

/// A server that an agent starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Configured {
    pub(crate) name: String,
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    /// The user has switched it off.
    pub(crate) off: bool,
}

impl Configured {
    /// The servers in a configuration that are Toolcrib; none where it cannot be read.
    pub(crate) fn in_text(client: Client, text: &str) -> Vec<Self> {
        let all = match client {
            Client::Codex => toml(text),
            Client::Goose | Client::Continue => yaml::servers(text),
            _ => json(client, text),
        };
        all.into_iter().filter(Self::is_toolcrib).collect()
    }

    /// Whatever it is called: the program, or what runs the package.
    fn is_toolcrib(&self) -> bool {
        let program = Path::new(&self.command).file_stem().and_then(|name| name.to_str());
        let named = |word: &str| word == "toolcrib" || word.starts_with("toolcrib@");
        program.is_some_and(|name| name == "toolcrib" || name == "mcp-server-filesystem")
            || self.args.iter().any(|arg| named(arg))
    }

    /// What follows an option, each time it is there.
    pub(crate) fn values<'c>(&'c self, option: &'c str) -> impl Iterator<Item = &'c str> {
        let pairs = self.args.windows(2).filter(move |pair| pair[0] == option).map(|pair| pair[1].as_str());
        let joined = self.args.iter().filter_map(move |arg| arg.strip_prefix(option)?.strip_prefix('='));
        pairs.chain(joined)
    }
}

fn json(client: Client, text: &str) -> Vec<Configured> {
    let Some(config) = jsonc::value(text) else { return Vec::new() };
    let servers = client
        .places()
        .iter()
        .find_map(|at| at.iter().try_fold(&config, |value, name| value.get(name)).and_then(Value::as_object));
    servers.into_iter().flatten().filter_map(|(name, entry)| from_json(name, entry.as_object()?)).collect()
}

fn from_json(name: &str, entry: &Map<String, Value>) -> Option<Configured> {
    let strings = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|word| Some(word.as_str()?.to_owned())).collect()
    };
    // opencode has the command and its arguments in one list.
    let mut words = match entry.get("command")? {
        Value::String(command) => vec![command.clone()],
        list => strings(list),
    };
    words.extend(entry.get("args").map(strings).unwrap_or_default());
    let env = entry.get("env").or_else(|| entry.get("environment")).and_then(Value::as_object);
    let env =
        env.into_iter().flatten().filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
    let says = |key: &str, what: bool| entry.get(key).and_then(Value::as_bool) == Some(what);
    let mut words = words.into_iter();
    Some(Configured {
        name: name.to_owned(),
        command: words.next()?,
        args: words.collect(),
        env: env.collect(),
        off: says("enabled", false) || says("disabled", true),
    })
}

fn toml(text: &str) -> Vec<Configured> {
    let Ok(document) = text.parse::<DocumentMut>() else { return Vec::new() };
    let servers = document.get("mcp_servers").and_then(Item::as_table_like);
    let servers = servers.into_iter().flat_map(TableLike::iter);
    servers.filter_map(|(name, entry)| from_toml(name, entry.as_table_like()?)).collect()
}

fn from_toml(name: &str, entry: &dyn TableLike) -> Option<Configured> {
    let args = entry.get("args").and_then(Item::as_array);
    let args = args.into_iter().flatten().filter_map(|word| Some(word.as_str()?.to_owned()));
    let env = entry.get("env").and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
    let env = env.filter_map(|(key, value)| Some((key.to_owned(), value.as_str()?.to_owned())));
    Some(Configured {
        name: name.to_owned(),
        command: entry.get("command")?.as_str()?.to_owned(),
        args: args.collect(),
        env: env.collect(),
        off: entry.get("enabled").and_then(Item::as_bool) == Some(false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(client: Client, text: &str, name: &str, args: &[&str]) {
        let found = Configured::in_text(client, text);
        let shown: Vec<_> = found.iter().map(|server| (server.name.as_str(), server.args.clone())).collect();
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        assert_eq!(shown, [(name, args)], "{text}");
    }

    #[test]
    fn servers_are_found_in_every_form() {
        check(
            Client::ClaudeCode,
            r#"{"mcpServers": {"a": {"command": "/x/toolcrib", "args": ["mcp"]}, "b": {"command": "npx"}}}"#,
            "a",
            &["mcp"],
        );
        check(
            Client::Cursor,
            r#"{"mcpServers": {"files": {"command": "npx", "args": ["-y", "toolcrib@0.1", "mcp"]}}} // c"#,
            "files",
            &["-y", "toolcrib@0.1", "mcp"],
        );
        check(Client::Opencode, r#"{"mcp": {"t": {"command": ["toolcrib", "mcp"]}}}"#, "t", &["mcp"]);
        check(Client::Opencode, r#"{"mcp": {"servers": {"t": {"command": ["toolcrib"]}}}}"#, "t", &[]);
        check(Client::Codex, "[mcp_servers.t]\ncommand = '/b/toolcrib'\nargs = ['mcp']\n", "t", &["mcp"]);
        check(
            Client::Goose,
            "extensions:\n  x:\n    cmd: npx\n  t:\n    name: t\n    cmd: \"/b/toolcrib\"\n    args: [\"mcp\", \"--root\", \"/p\"]\n",
            "t",
            &["mcp", "--root", "/p"],
        );
        check(
            Client::Continue,
            "mcpServers:\n  - name: t\n    command: \"/b/toolcrib\"\n    args: [\"mcp\"]\n",
            "t",
            &["mcp"],
        );
        for text in ["", "{", "[]", r#"{"mcpServers": {"toolcrib": {"command": "other"}}}"#] {
            assert_eq!(Configured::in_text(Client::Cursor, text), [], "{text}");
        }
    }

    #[test]
    fn options_are_found_apart_or_joined() {
        let args = ["mcp", "--root", "/a", "--root=/b"].map(str::to_owned).to_vec();
        let server = Configured { args, ..Configured::default() };
        assert_eq!(server.values("--root").collect::<Vec<_>>(), ["/a", "/b"]);
    }
}

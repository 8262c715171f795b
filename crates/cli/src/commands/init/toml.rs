//! A server in TOML.

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value, value};

use crate::commands::server::Server;

/// The text with the server as a table below `section`, the variables that are passed on to it, and how its calls are
/// approved. What the table has beside it stays.
pub(super) fn with(
    text: &str,
    section: &str,
    server: &Server,
    forwarded: &[String],
    approval: Option<&str>,
) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("it is not valid TOML: {error}"))?;
    let servers = table(document.as_table_mut(), section, true)?;
    let entry = table(servers, &server.name, false)?;
    put(entry, "command", Value::from(&server.command));
    put(entry, "args", Value::from(server.args.iter().collect::<Array>()));
    if !forwarded.is_empty() {
        put(entry, "env_vars", Value::from(forwarded.iter().collect::<Array>()));
    }
    if let Some(approval) = approval {
        put(entry, "default_tools_approval_mode", Value::from(approval));
    }
    Ok(document.to_string())
}

/// The text without that server's table below `section`; nothing, if there is none.
pub(super) fn without(text: &str, section: &str, name: &str) -> Result<Option<String>, String> {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("it is not valid TOML: {error}"))?;
    let servers = document.get_mut(section).and_then(Item::as_table_like_mut);
    let removed = servers.and_then(|servers| servers.remove(name));
    Ok(removed.map(|_| document.to_string()))
}

/// The table of that name; one that only holds others gets no line of its own.
fn table<'t>(
    outer: &'t mut dyn TableLike,
    name: &str,
    holds_others: bool,
) -> Result<&'t mut dyn TableLike, String> {
    let item = outer.entry(name).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(holds_others);
        Item::Table(table)
    });
    item.as_table_like_mut().ok_or_else(|| format!("{name} in it is not a table"))
}

fn put(table: &mut dyn TableLike, key: &str, new: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(there) if same(there, &new) => {}
        Some(there) => {
            let decor = there.decor().clone();
            *there = new;
            *there.decor_mut() = decor;
        }
        None => _ = table.insert(key, value(new)),
    }
}

/// Whether both mean the same, however they are written.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => one.value() == other.value(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Server {
        Server {
            name: "toolcrib".to_owned(),
            command: "/bin/toolcrib".to_owned(),
            args: vec!["mcp".to_owned(), "--root".to_owned(), "/p \"q\"".to_owned()],
            root: String::new(),
        }
    }

    fn check(before: &str, after: &str) {
        let text = with(before, "mcp_servers", &server(), &[], None).unwrap();
        assert_eq!(text, after);
        assert_eq!(with(&text, "mcp_servers", &server(), &[], None).unwrap(), text, "the second time");
    }

    const ENTRY: &str =
        "[mcp_servers.toolcrib]\ncommand = \"/bin/toolcrib\"\nargs = [\"mcp\", \"--root\", '/p \"q\"']\n";

    #[test]
    fn a_file_that_is_not_there_is_made() {
        check("", ENTRY);
    }

    #[test]
    fn everything_else_stays() {
        let (before, after) =
            ("# mine\nmodel  =  'x' # a\n\n[mcp_servers.other]\ncommand='o'\n", "\n[z]\ny = 1\n");
        check(&format!("{before}{after}"), &format!("{before}\n{ENTRY}{after}"));
        check(after, &format!("{after}\n{ENTRY}"));
        check(
            "[mcp_servers.toolcrib] # a\ncommand = 'old' # b\nargs = [ 'mcp', \"--root\", '/p \"q\"' ]\nenv = {A = '1'}\n",
            "[mcp_servers.toolcrib] # a\ncommand = \"/bin/toolcrib\" # b\nargs = [ 'mcp', \"--root\", '/p \"q\"' ]\nenv = {A = '1'}\n",
        );
    }

    #[test]
    fn a_table_is_removed_and_everything_else_stays() {
        let (before, after) =
            ("# mine\nmodel  =  'x' # a\n\n[mcp_servers.other]\ncommand='o'\n", "\n[z]\ny = 1\n");
        let with = format!("{before}\n{ENTRY}{after}");
        let without = |text: &str| without(text, "mcp_servers", "toolcrib").unwrap();
        assert_eq!(without(&with).unwrap(), format!("{before}{after}"));
        assert_eq!(without(ENTRY).unwrap(), "");
        assert_eq!((without(before), without("")), (None, None));
    }

    #[test]
    fn what_is_no_table_is_left_alone() {
        for text in ["mcp_servers = 3", "[mcp_servers]\ntoolcrib = 1", "x = "] {
            assert!(with(text, "mcp_servers", &server(), &[], None).is_err(), "{text}");
        }
    }
}

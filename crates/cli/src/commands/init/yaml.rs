//! A server in YAML, put in as lines.
//!
//! There is no parser of YAML here. What is not plainly a block of lines is left alone, and the person is shown what to
//! put in by hand.

use std::ops::Range;

use super::configured::Configured;
use crate::commands::server::Server;

/// The text with the server below `section`.
pub(super) fn with(text: &str, section: &str, server: &Server) -> Result<String, String> {
    let (lines, head) = section_of(text, section)?;
    let Some(head) = head else {
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        return Ok(format!("{text}{end}{section}:\n{}", entry(server, "  ")));
    };
    let first = lines[head + 1..].iter().find(|line| has_content(line));
    if first.is_some_and(|line| is_item(line)) {
        return Err(format!("{section} in it is a list"));
    }
    let end = head + 1 + lines[head + 1..].iter().take_while(|line| is_below(line, 0)).count();
    let indent = lines[head + 1..end].iter().find(|line| has_content(line)).map_or("  ", |line| indent(line));
    let Some(old) = entry_of(&lines, head + 1..end, indent, &server.name) else {
        let before = lines[..=head].concat();
        let line_end = if before.ends_with('\n') { "" } else { "\n" };
        return Ok(format!("{before}{line_end}{}{}", entry(server, indent), lines[head + 1..].concat()));
    };
    let new = entry(server, indent);
    if lines[old.clone()].concat().trim_end() == new.trim_end() {
        return Ok(text.to_owned());
    }
    Ok(format!("{}{new}{}", lines[..old.start].concat(), lines[old.end..].concat()))
}

/// The lines of the entry of that name.
fn entry_of(lines: &[&str], section: Range<usize>, indent: &str, name: &str) -> Option<Range<usize>> {
    let end = section.end;
    let start = section.into_iter().find(|at| is_key(lines[*at], indent, name))?;
    let below = lines[start + 1..end].iter().take_while(|line| is_below(line, indent.len())).count();
    Some(start..without_rest(lines, start, start + 1 + below))
}

/// Empty lines and comments after an entry belong to what follows.
fn without_rest(lines: &[&str], start: usize, mut end: usize) -> usize {
    while end > start + 1 && !has_content(lines[end - 1]) {
        end -= 1;
    }
    end
}

/// The text without the server of that name, which is a key below `section` or an item of its list; nothing, if there is none.
pub(super) fn without(text: &str, section: &str, name: &str) -> Result<Option<String>, String> {
    let (lines, Some(head)) = section_of(text, section)? else { return Ok(None) };
    let end =
        head + 1 + lines[head + 1..].iter().take_while(|line| is_below(line, 0) || is_item(line)).count();
    let Some(first) = lines[head + 1..end].iter().find(|line| has_content(line)) else { return Ok(None) };
    let indent = indent(first);
    let old = if is_item(first) {
        item_of(&lines, head + 1..end, indent, name)
    } else {
        entry_of(&lines, head + 1..end, indent, name)
    };
    let Some(old) = old else { return Ok(None) };
    let others = lines[head + 1..old.start].iter().chain(&lines[old.end..end]).any(|line| has_content(line));
    let start = if others { old.start } else { head };
    Ok(Some(format!("{}{}", lines[..start].concat(), lines[old.end..].concat())))
}

/// The lines of the item of a list that has that name.
fn item_of(lines: &[&str], section: Range<usize>, indent: &str, name: &str) -> Option<Range<usize>> {
    let end = section.end;
    let starts = |at: &usize| is_item(lines[*at]) && self::indent(lines[*at]) == indent;
    let items: Vec<usize> = section.filter(starts).collect();
    let ends = |at: usize| items.iter().copied().find(|item| *item > at).unwrap_or(end);
    let named = |at: &usize| {
        lines[*at..ends(*at)].iter().any(|line| {
            let line = line.trim().trim_start_matches("- ");
            line.strip_prefix("name:").is_some_and(|named| named.trim().trim_matches(['"', '\'']) == name)
        })
    };
    let start = items.iter().copied().find(|at| named(at))?;
    Some(start..without_rest(lines, start, ends(start)))
}

/// The servers of a configuration, as far as they are written like those that are put in: a command on one line, and a list of
/// arguments on one or several.
pub(super) fn servers(text: &str) -> Vec<Configured> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<Configured> = Vec::new();
    let mut name = String::new();
    for (at, line) in lines.iter().enumerate() {
        let item = line.trim().trim_start_matches("- ");
        let Some((key, rest)) = item.split_once(':') else { continue };
        let rest = unquoted(rest.trim());
        match key.trim() {
            "name" => name = rest,
            "cmd" | "command" => {
                let name = std::mem::take(&mut name);
                found.push(Configured { name, command: rest, ..Configured::default() });
            }
            "args" => {
                let listed = lines[at + 1..].iter().take_while(|line| is_item(line));
                let listed = listed.map(|line| unquoted(line.trim().trim_start_matches("- ")));
                let args = serde_json::from_str(&rest).unwrap_or_else(|_| listed.collect());
                found.last_mut().into_iter().for_each(|server| server.args.clone_from(&args));
            }
            "enabled" if rest == "false" => found.last_mut().into_iter().for_each(|server| server.off = true),
            _ => {}
        }
    }
    found
}

fn unquoted(text: &str) -> String {
    serde_json::from_str::<String>(text).unwrap_or_else(|_| text.trim_matches('\'').to_owned())
}

/// The text with the server as an item of the list below `section`.
pub(super) fn with_item(text: &str, section: &str, server: &Server) -> Result<String, String> {
    let (lines, head) = section_of(text, section)?;
    let Some(head) = head else {
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        return Ok(format!("{text}{end}{section}:\n{}", item(server, "  ")));
    };
    let first = lines[head + 1..].iter().find(|line| has_content(line));
    // Items may stand as far to the left as the key that they belong to.
    let indent = match first.filter(|line| is_item(line)) {
        Some(line) => indent(line),
        None if first.is_none_or(|line| indent(line).is_empty()) => "  ",
        None => return Err(format!("{section} in it is not a list")),
    };
    let belongs = |line: &&&str| {
        !has_content(line) || self::indent(line).len() > indent.len() || {
            self::indent(line) == indent && is_item(line)
        }
    };
    let end = head + 1 + lines[head + 1..].iter().take_while(belongs).count();
    let new = item(server, indent);
    let Some(old) = item_of(&lines, head + 1..end, indent, &server.name) else {
        let before = lines[..=head].concat();
        let line_end = if before.ends_with('\n') { "" } else { "\n" };
        return Ok(format!("{before}{line_end}{new}{}", lines[head + 1..].concat()));
    };
    if lines[old.clone()].concat().trim_end() == new.trim_end() {
        return Ok(text.to_owned());
    }
    Ok(format!("{}{new}{}", lines[..old.start].concat(), lines[old.end..].concat()))
}

/// The lines, and where the section begins, if there is one that is a block of lines.
fn section_of<'t>(text: &'t str, section: &str) -> Result<(Vec<&'t str>, Option<usize>), String> {
    if text.lines().any(|line| line.starts_with("---") || line.starts_with("...") || line.starts_with('\t')) {
        return Err("it has several documents or tabs in it".to_owned());
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let heads: Vec<usize> = (0..lines.len()).filter(|at| is_key(lines[*at], "", section)).collect();
    match heads[..] {
        [] => Ok((lines, None)),
        [head] if value(lines[head]).is_empty() => Ok((lines, Some(head))),
        [_] => Err(format!("{section} in it is not a block of lines")),
        _ => Err(format!("it has {section} twice")),
    }
}

fn is_item(line: &str) -> bool {
    line.trim() == "-" || line.trim_start().starts_with("- ")
}

/// The server as an item of a list.
pub(super) fn item(server: &Server, indent: &str) -> String {
    let Server { name, command, args, .. } = server;
    let args = args.iter().map(|arg| quoted(arg)).collect::<Vec<_>>().join(", ");
    format!("{indent}- name: {name}\n{indent}  command: {}\n{indent}  args: [{args}]\n", quoted(command))
}

/// A string of JSON is one of YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn entry(server: &Server, indent: &str) -> String {
    let args = server.args.iter().map(|arg| quoted(arg)).collect::<Vec<_>>().join(", ");
    let inner = indent.repeat(2);
    let Server { name, command, .. } = server;
    format!(
        "{indent}{name}:\n{inner}enabled: true\n{inner}type: stdio\n{inner}name: {name}\n{inner}cmd: {}\n\
         {inner}args: [{args}]\n{inner}envs: {{}}\n{inner}timeout: 300\n",
        quoted(command),
    )
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

fn has_content(line: &str) -> bool {
    let text = line.trim();
    !text.is_empty() && !text.starts_with('#')
}

/// Whether the line belongs to a key that stands this far to the right.
fn is_below(line: &str, depth: usize) -> bool {
    !has_content(line) || indent(line).len() > depth
}

fn is_key(line: &str, expected: &str, key: &str) -> bool {
    let Some((name, rest)) = line.trim().split_once(':') else { return false };
    let name = name.trim_end().trim_matches(['"', '\'']);
    indent(line) == expected && name == key && (rest.is_empty() || rest.starts_with(' '))
}

/// What stands behind the key of a line, without a comment.
fn value(line: &str) -> &str {
    let value = line.split_once(':').map_or("", |(_, value)| value).trim();
    if value.starts_with('#') { "" } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(root: &str) -> Server {
        Server {
            name: "toolcrib".to_owned(),
            command: "/bin/toolcrib".to_owned(),
            args: vec!["mcp".to_owned(), "--root".to_owned(), root.to_owned()],
            root: String::new(),
        }
    }

    fn entry_for(root: &str, indent: &str) -> String {
        let lines = format!(
            "toolcrib:\n  enabled: true\n  type: stdio\n  name: toolcrib\n  cmd: \"/bin/toolcrib\"\n  \
             args: [\"mcp\", \"--root\", \"{root}\"]\n  envs: {{}}\n  timeout: 300\n"
        );
        lines.lines().map(|line| format!("{indent}{}\n", line.replacen("  ", indent, 1))).collect()
    }

    #[track_caller]
    fn check(before: &str, after: &str) {
        let text = with(before, "extensions", &server("/p")).unwrap();
        assert_eq!(text, after);
        assert_eq!(with(&text, "extensions", &server("/p")).unwrap(), text, "the second time");
    }

    #[test]
    fn lines_are_put_in_and_the_others_stay() {
        let entry = entry_for("/p", "  ");
        check("", &format!("extensions:\n{entry}"));
        check("# mine\nA: 1", &format!("# mine\nA: 1\nextensions:\n{entry}"));
        let (before, after) =
            ("A: 1\nextensions: # these\n", "  # first\n  other:\n    enabled: true\n\nB: 2\n");
        check(&format!("{before}{after}"), &format!("{before}{entry}{after}"));
        let wide = entry_for("/p", "    ");
        check("extensions:\n    x:\n        y: 1\n", &format!("extensions:\n{wide}    x:\n        y: 1\n"));
        check("extensions:", &format!("extensions:\n{entry}"));
    }

    #[test]
    fn an_entry_is_removed_and_the_other_lines_stay() {
        for before in
            ["# mine\nA: 1\n", "A: 1\nextensions: # these\n  # first\n  other:\n    enabled: true\n\nB: 2\n"]
        {
            let with = with(before, "extensions", &server("/p")).unwrap();
            assert_eq!(without(&with, "extensions", "toolcrib").unwrap().as_deref(), Some(before));
            assert_eq!(without(before, "extensions", "toolcrib").unwrap(), None);
        }
        for before in ["name: mine\n", "mcpServers: # these\n- name: other\n  command: o\nrules:\n  - a\n"] {
            let with = with_item(before, "mcpServers", &server("/p")).unwrap();
            assert_eq!(without(&with, "mcpServers", "toolcrib").unwrap().as_deref(), Some(before));
        }
    }

    const LINES: &[&str] = &[
        "extensions:",
        "  a:",
        "    b: 1",
        "  # c",
        "# d",
        "",
        "X: 1",
        "  toolcrib:",
        "    enabled: false",
        "Y:",
        "  - z",
        "text: |",
        "    extensions:",
        "    toolcrib:",
    ];

    proptest::proptest! {
        /// Whatever stands there: run twice it is the same, no other line goes, and none changes its place.
        #[test]
        fn no_other_line_is_touched(picked in proptest::collection::vec(0..LINES.len(), 0..14)) {
            let before: String = picked.iter().map(|at| format!("{}\n", LINES[*at])).collect();
            if let Ok(after) = with(&before, "extensions", &server("/p")) {
                proptest::prop_assert_eq!(&with(&after, "extensions", &server("/p")).unwrap(), &after);
                let entry = entry_for("/p", if after.contains("\n    toolcrib:\n        enabled") { "    " } else { "  " });
                let (head, tail) = after.split_once(&entry).unwrap();
                let others = format!("{head}{tail}");
                let has_section = before.lines().any(|line| line == "extensions:");
                if !has_section {
                    proptest::prop_assert_eq!(others, format!("{before}extensions:\n"));
                } else if !before.contains("  toolcrib:") {
                    proptest::prop_assert_eq!(others, before);
                }
            }
        }
    }

    #[test]
    fn an_entry_that_is_there_is_replaced() {
        let around =
            |entry: &str| format!("extensions:\n  a:\n    b: 1\n{entry}\n  # next\n  c:\n    d: 1\nE: 2\n");
        check(&around(&entry_for("/old", "  ")), &around(&entry_for("/p", "  ")));
    }

    #[track_caller]
    fn check_item(before: &str, after: &str) {
        let text = with_item(before, "mcpServers", &server("/p")).unwrap();
        assert_eq!(text, after);
        assert_eq!(with_item(&text, "mcpServers", &server("/p")).unwrap(), text, "the second time");
    }

    #[test]
    fn an_item_is_put_into_a_list_and_the_others_stay() {
        let at = |indent: &str, root: &str| item(&server(root), indent);
        let other = "- name: other\n  command: o\n  args:\n  - x\n";
        let deep = "  - name: other\n    command: o\n    args:\n      - x\n";
        check_item("name: mine\n", &format!("name: mine\nmcpServers:\n{}", at("  ", "/p")));
        check_item(
            "mcpServers:\nrules:\n  - a\n",
            &format!("mcpServers:\n{}rules:\n  - a\n", at("  ", "/p")),
        );
        check_item(
            &format!("mcpServers: # these\n{deep}rules:\n  - a\n"),
            &format!("mcpServers: # these\n{}{deep}rules:\n  - a\n", at("  ", "/p")),
        );
        check_item(
            &format!("mcpServers:\n{other}a: 1\n"),
            &format!("mcpServers:\n{}{other}a: 1\n", at("", "/p")),
        );
        let around = |entry: &str| {
            format!("mcpServers:\n{deep}{entry}\n  # next\n  - name: last\n    command: l\nE: 2\n")
        };
        check_item(&around(&at("  ", "/old")), &around(&at("  ", "/p")));
        check_item(&around("  - command: x\n    name: \"toolcrib\"\n"), &around(&at("  ", "/p")));
        for text in ["mcpServers: []\n", "mcpServers:\n  a:\n    b: 1\n", "mcpServers:\nmcpServers:\n"] {
            assert!(with_item(text, "mcpServers", &server("/p")).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_plainly_a_block_is_left_alone() {
        for text in [
            "extensions: {}\n",
            "extensions: {a: 1}\n",
            "---\nextensions:\n",
            "extensions:\nextensions:\n",
            "extensions:\n- a\n",
            "extensions:\n  - a\n",
        ] {
            assert!(with(text, "extensions", &server("/p")).is_err(), "{text}");
        }
    }
}

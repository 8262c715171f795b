//! The MCP server: a process that is sent many calls at once.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::Result;
use crate::place::{Place, lines, make_absolute};
use crate::row::{Ground, Row, Sizes};

/// Calls that are sent before the first is answered.
pub(crate) const CALLS: Ground = Ground {
    what: "calls in flight",
    sizes: Sizes::new(64, 8 << 10),
    grow: |place, from, size| {
        if from == 0 {
            place.write("text.txt", lines(20))?;
        }
        (from..size).try_for_each(|n| place.write(&format!("d{}/name{n}", n / 100), "one line\n"))?;
        requests(place, "read", size, |_| ("Read", json!({"file_path": "text.txt"})))?;
        requests(place, "unknown", size, |n| ("Raed", json!({"n": n})))?;
        requests(place, "edit", size, |n| {
            let file = format!("d{}/name{n}", n / 100);
            ("Write", json!({"file_path": file, "content": format!("line {size}\n")}))
        })?;
        requests(place, "queue", size, |n| {
            ("Write", json!({"file_path": "one.txt", "content": format!("line {n}\n")}))
        })
    },
    rows: &[
        Row::new("toolcrib mcp, Read", |place, _| place.command(&["mcp"])).sent("read"),
        Row::new("toolcrib mcp, unknown tools", |place, _| place.command(&["mcp"])).sent("unknown"),
        Row::new("toolcrib mcp, Write, a file each", |place, _| place.command(&["mcp"])).sent("edit"),
        Row::new("toolcrib mcp, Write, all the same file", |place, _| place.command(&["mcp"]))
            .sent("queue")
            .up_to(1 << 10),
    ],
};

/// Writes the messages of a client that makes these calls down.
fn requests(
    place: &Place,
    name: &str,
    count: usize,
    call: impl Fn(usize) -> (&'static str, Value),
) -> Result<()> {
    let client = json!({"name": "bench", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let mut text = String::new();
    _ = writeln!(text, "{}", json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}));
    _ = writeln!(text, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    for n in 0..count {
        let (tool, mut arguments) = call(n);
        make_absolute(&place.root(), &mut arguments);
        let call = json!({"name": tool, "arguments": arguments});
        _ = writeln!(
            text,
            "{}",
            json!({"jsonrpc": "2.0", "id": n + 2, "method": "tools/call", "params": call})
        );
    }
    Ok(fs::write(place.beside(name), text)?)
}

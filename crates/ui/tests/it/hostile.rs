//! Names and contents that would be markup, control characters or something else, if anything took them for more than text.

use crate::served::Served;

/// What files are called and what is in them. None has a slash or a NUL in it.
fn hostile() -> Vec<String> {
    let mut all: Vec<String> = [
        "<script>alert(1)<",
        "<img src=x onerror=alert(1)>",
        "\"><svg onload=alert(1)>",
        "' onmouseover='alert(1)",
        "javascript:alert(1)",
        "{{constructor.constructor('alert(1)')()}}",
        "${alert(1)}",
        "`alert(1)`",
        "<!--",
        "]]>",
        "&lt;b&gt;",
        "&#x3c;script&#x3e;",
        "<style>*{display:none}",
        "<base href=evil>",
        "<iframe srcdoc=x>",
        "\u{1b}[31mred\u{1b}[0m",
        "\u{1b}]0;title\u{7}",
        "\r\nSet-Cookie: a=b\r\n\r\n<html>",
        "data: x\n\nevent: answered\ndata: {}",
        "id: 99\nevent: reset",
        "\u{202e}txt.exe",
        "\u{2066}isolate\u{2069}",
        "\u{200b}\u{feff}zero",
        "\u{2028}line\u{2029}",
        "..%2f..%2fetc",
        "%3Cscript%3E",
        "a\\u003cb",
        "con\u{8}\u{8}\u{8}del",
        "e\u{301}\u{301}\u{301}\u{301}zalgo",
        "\u{fffd}\u{fffe}\u{10ffff}",
        "__proto__",
    ]
    .map(str::to_owned)
    .into();
    all.push("n".repeat(255));
    all
}

#[test]
fn names_and_contents_stay_text() {
    let served = Served::start();
    let page = served.page();
    let mut events = page.events(None, None);
    events.named("state");
    let made: Vec<(u64, String)> =
        hostile().into_iter().map(|text| (served.write(&text, &text), text)).collect();
    assert!(made.len() > 30);
    for (id, text) in &made {
        let shown = toolcrib::names::escape(text);
        let mut replies = Vec::new();
        for path in [
            format!("/api/changes/{id}"),
            format!("/api/changes/{id}/files/0/diff"),
            format!("/api/changes?before={}", id + 1),
        ] {
            replies.push(page.get(&path));
        }
        for reply in &replies {
            assert_eq!(
                (reply.status, reply.header("content-type")),
                (200, "application/json; charset=utf-8")
            );
            assert_eq!(reply.header("set-cookie"), "");
        }
        assert_eq!(replies[0].json()["files"][0]["path"], *shown, "{text:?}");
        assert_eq!(replies[2].json()["changes"][0]["files"][0]["path"], *shown);
        let diff = replies[1].json();
        let rows = diff["hunks"][0]["rows"].as_array().unwrap();
        let mut back = String::new();
        for row in rows {
            back.push_str(row["s"].as_str().unwrap());
            back.push_str(match row["eol"].as_str() {
                Some("none") => "",
                Some("crlf") => "\r\n",
                _ => "\n",
            });
        }
        assert_eq!(back, *text, "to the character");
        // The name comes back from the page as it was shown, and means the same file.
        let path: String = shown.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let history = page.load(&format!("/api/files/history?path={path}"));
        assert_eq!(history["versions"][0]["change"].as_u64(), Some(*id), "{text:?}");
        // An error repeats it as text too.
        let error = page.get(&format!("/api/files/diff?path={path}&a={path}&b=current"));
        assert_eq!((error.status, error.header("content-type")), (400, "application/json; charset=utf-8"));
        // No name can end an event and begin another.
        let event = loop {
            let event = events.next();
            assert!(["change", "changed", "ping"].contains(&event.name.as_str()), "{event:?}");
            if event.data["id"].as_u64() == Some(*id) {
                break event;
            }
        };
        assert_eq!(event.data["files"][0]["path"], *shown);
        // Nothing is served under such a name.
        let page = page.get(&format!("/{path}"));
        assert_eq!((page.status, page.header("content-type")), (404, "text/plain; charset=utf-8"));
    }
    assert_eq!(page.get("/api/state").status, 200);
}

#[test]
fn a_line_of_a_megabyte_is_cut_and_measured() {
    let served = Served::start();
    let page = served.page();
    let line = "<b>".repeat(350_000);
    served.write("long.txt", &line);
    let id = served.write("long.txt", &format!("{}MARK{}", &line[..600_000], &line[600_000..]));
    let reply = page.get(&format!("/api/changes/{id}/files/0/diff"));
    assert!(reply.body.len() < 20_000, "{}", reply.body.len());
    let row = &reply.json()["hunks"][0]["rows"][0];
    assert_eq!(row["s"].as_str().unwrap().len() + row["cut"].as_u64().unwrap() as usize, line.len());
}

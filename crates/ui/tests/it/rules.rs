//! Rules: shown with their reasons, changed as a diff that was seen.

use serde_json::{Value, json};

use crate::served::Served;

#[test]
fn a_rule_says_why_it_is_there() {
    let served = Served::start();
    let page = served.page();
    let rules = page.load("/api/rules");
    assert!(rules["rules"].as_array().unwrap().len() > 500);
    let why = |path: &str, access: &str| page.load(&format!("/api/rules/why?path={path}&access={access}"));
    let denied = why(".env", "read");
    assert_eq!(denied["verdict"], "deny");
    let text = denied["text"].as_str().unwrap();
    assert!(text.starts_with("Agents may not read .env: the default rule 'deny read"), "{text}");
    let n = denied["rules"][0].as_u64().unwrap() as usize;
    assert_eq!(rules["rules"][n]["pattern"], denied["rule"]["pattern"]);
    assert!(denied["rule"]["reason"].as_str().unwrap().len() > 10);
    assert_eq!(why("src/a.rs", "edit")["verdict"], "allow");
    assert_eq!(why("src/a.rs", "edit")["rules"], json!([]));
    assert_eq!(why("/etc/passwd", "read")["access"], "external_directory");
    assert_eq!(page.get("/api/rules/why?path=a&access=fly").status, 400);
    assert_eq!(page.get("/api/rules/why").status, 400);
}

#[test]
fn a_rule_is_written_as_it_was_shown() {
    let served = Served::start();
    let page = served.page();
    let before = std::fs::read_to_string(&served.configuration).unwrap();
    let wanted = |action: &str, digest: &Value| json!({"kind": "edit", "pattern": "gen/**", "action": action, "digest": digest});
    let preview = |action: &str| page.post("/api/rules/preview", &wanted(action, &json!(null))).json();
    let shown = preview("ask");
    assert_eq!(shown["diff"]["added"], 5, "{shown}");
    assert_eq!(std::fs::read_to_string(&served.configuration).unwrap(), before, "a preview changes nothing");

    assert_eq!(page.post("/api/rules", &wanted("ask", &json!(null))).status, 400, "what was not shown");
    assert_eq!(
        page.post("/api/rules", &wanted("deny", &shown["digest"])).status,
        409,
        "what was not shown so"
    );
    std::fs::write(&served.configuration, format!("# mine\n{before}")).unwrap();
    assert_eq!(page.post("/api/rules", &wanted("ask", &shown["digest"])).status, 409, "the file is another");
    let shown = preview("ask");
    assert_eq!(page.post("/api/rules", &wanted("ask", &shown["digest"])).status, 200);
    let text = std::fs::read_to_string(&served.configuration).unwrap();
    let rule = "\n[[rules]]\nkind = \"edit\"\npattern = \"gen/**\"\naction = \"ask\"\n";
    assert_eq!(text, format!("# mine\n{before}{rule}"));
    let why = page.load("/api/rules/why?path=gen/a.rs&access=edit");
    assert_eq!((&why["verdict"], &why["rule"]["source"]), (&json!("ask"), &json!("user")), "it is in force");

    let shown = preview("default");
    assert_eq!(page.post("/api/rules", &wanted("default", &shown["digest"])).status, 200);
    assert_eq!(std::fs::read_to_string(&served.configuration).unwrap(), format!("# mine\n{before}"));
    for wrong in [
        json!({"kind": "edit", "pattern": "[", "action": "ask"}),
        json!({"kind": "fly", "pattern": "a", "action": "ask"}),
        json!({"kind": "edit", "pattern": "a", "action": "maybe"}),
        json!({"kind": "edit", "pattern": "a", "action": "ask", "more": 1}),
        json!({"kind": "edit", "pattern": "never/**", "action": "default"}),
        json!([]),
    ] {
        let reply = page.post("/api/rules/preview", &wrong);
        assert!(matches!(reply.status, 400 | 404), "{wrong}: {}", reply.status);
        assert!(reply.json()["error"]["message"].as_str().unwrap().len() > 10);
    }
}

//! Undoing several changes and parts of them through the toolbox: the preview is what is done, conflicts have their three texts,
//! and the log answers what is asked.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::json;
use tempfile::TempDir;
use toolcrib::{
    ErrorKind, Hunks, Kept, LogQuery, Toolbox, UndoKind, UndoOnly, UndoReport, UndoRequest, UndoSelection,
    UndoWhich, files,
};

struct Home {
    base: TempDir,
    toolbox: Toolbox,
}

impl Home {
    fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        fs::create_dir(base.path().join("ws")).unwrap();
        let builder = Toolbox::builder().root(base.path().join("ws")).more_tools(true);
        let toolbox = builder.journal_in(base.path().join("state")).open().unwrap();
        Self { base, toolbox }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.path().join("ws").join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn call(&self, tool: &str, session: &str, arguments: serde_json::Value) {
        let context = self.toolbox.context().agent("tester").session(session);
        let result = self.toolbox.call_blocking(tool, arguments, &context);
        assert!(result.success, "{result:?}");
    }

    fn write(&self, name: &str, session: &str, content: &str) {
        if self.path(name).exists() {
            self.call("Read", session, json!({"file_path": self.path(name)}));
        }
        self.call("Write", session, json!({"file_path": self.path(name), "content": content}));
    }

    fn undo(&self, request: &UndoRequest, dry_run: bool) -> Result<UndoReport, toolcrib::ToolError> {
        self.toolbox.undo(request, &self.toolbox.context().dry_run(dry_run))
    }
}

fn undo(which: UndoWhich) -> UndoRequest {
    UndoRequest::new(UndoKind::Undo, which)
}

#[test]
fn what_was_previewed_is_done_or_nothing() {
    let home = Home::new();
    home.write("a", "s1", "one\n");
    home.write("b", "s1", "two\n");
    let mut request = undo(UndoWhich::Session("s1".into()));
    let preview = home.undo(&request, true).unwrap();
    assert_eq!((&preview.changes[..], preview.recorded, preview.files.len()), (&[2, 1][..], None, 2));
    assert_eq!(preview.files[0].before.as_deref(), Some(&b"one\n"[..]));
    assert_eq!(
        (preview.files[0].after.as_ref(), preview.files[0].action),
        (None, files::RestoreAction::Removed)
    );
    assert_eq!(home.read("a"), "one\n");
    request.digest = Some(preview.digest);
    home.write("b", "s1", "three\n");
    let error = home.undo(&request, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(error.message(), "The files have changed since this was shown");
    request.digest = None;
    request.digest = Some(home.undo(&request, true).unwrap().digest);
    let report = home.undo(&request, false).unwrap();
    assert_eq!((&report.changes[..], report.recorded), (&[3, 2, 1][..], Some(4)));
    assert!(!home.path("a").exists() && !home.path("b").exists());
}

#[test]
fn a_conflict_has_its_three_texts_and_names_who_is_in_the_way() {
    let home = Home::new();
    home.write("a", "s1", "one\n");
    home.write("a", "s1", "two\n");
    home.write("a", "s2", "three\n");
    let request = undo(UndoWhich::Changes(vec![2]));
    let error = home.undo(&request, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.message().ends_with("/ws/a: change 3 touched the same lines as change 2"), "{error}");
    assert_eq!(error.next_step(), Some("undo 3 first, or `toolcrib undo 2 3`"));
    let conflicts = home.toolbox.undo_conflicts(&request, &home.toolbox.context()).unwrap();
    let [only] = &conflicts[..] else { panic!("{conflicts:?}") };
    assert_eq!((only.change, &only.later[..]), (2, &[3][..]));
    let text = |text: &Option<Vec<u8>>| String::from_utf8(text.clone().unwrap()).unwrap();
    let texts = (text(&only.texts.base), text(&only.texts.ours), text(&only.texts.theirs));
    assert_eq!(texts, ("two\n".into(), "three\n".into(), "one\n".into()));
    let both = undo(UndoWhich::Changes(vec![2, 3]));
    assert_eq!(home.toolbox.undo_conflicts(&both, &home.toolbox.context()).unwrap(), []);
}

#[test]
fn a_hunk_is_undone_and_the_log_says_so() {
    let home = Home::new();
    let lines = |one: &str, two: &str| {
        let between: String = (0..9).map(|n| format!("line {n}\n")).collect();
        format!("{one}\n{between}{two}\n")
    };
    home.write("a", "s1", &lines("1", "2"));
    home.write("a", "s1", &lines("one", "two"));
    let Kept::Whole(kept) = home.toolbox.contents(2, 0).unwrap() else { panic!("it is kept") };
    let (before, after) = (kept.before.unwrap(), kept.after.unwrap());
    let hunks = Hunks::between(&before, &after);
    let first = hunks.as_slice()[0].id.clone();
    let hunk = vec![toolcrib::FileHunks { file: 0, hunks: vec![first.clone()] }];
    let selection = UndoSelection { which: UndoWhich::Changes(vec![2]), only: UndoOnly::Hunks(hunk) };
    home.undo(&UndoRequest::new(UndoKind::Undo, selection), false).unwrap();
    assert_eq!(home.read("a"), lines("1", "two"));
    let log = home.toolbox.changes(&LogQuery { diffs: false, counts: true, ..LogQuery::default() }).unwrap();
    assert_eq!((log[1].state, log[1].undone_by, log[1].undone_parts.len()), ("done", None, 1));
    assert_eq!(log[1].undone_parts[0].part.hunks.as_deref(), Some(&[first][..]));
    assert_eq!((log[0].is_undo, log[0].takes_back, log[0].reverts[0].change), (true, Some(2), 2));
    assert_eq!((log[1].files[0].added, log[1].files[0].removed), (Some(2), Some(2)));
    assert_eq!((log[0].files[0].added, log[0].files[0].removed), (Some(1), Some(1)));
}

#[test]
fn the_log_answers_by_session_agent_file_time_and_text() {
    let home = Home::new();
    home.write("src/a", "s1", "one\n");
    home.write("b", "s2", "b\n");
    home.call("Move", "s1", json!({"from": home.path("src/a"), "to": home.path("c")}));
    home.write("c", "s1", "two\n");
    let numbers = |query: LogQuery<'_>| -> Vec<u64> {
        let query = LogQuery { diffs: false, ..query };
        home.toolbox.changes(&query).unwrap().iter().map(|change| change.id).collect()
    };
    let all = LogQuery::default();
    assert_eq!(numbers(all), [4, 3, 2, 1]);
    assert_eq!(numbers(LogQuery { session: Some("s2"), ..all }), [2]);
    assert!(numbers(LogQuery { agent: Some("nobody"), ..all }).is_empty());
    assert_eq!(numbers(LogQuery { tool: Some("Move"), ..all }), [3]);
    assert_eq!(
        numbers(LogQuery { file: Some("c".as_ref()), ..all }),
        [4, 3, 1],
        "under each name that it had"
    );
    assert_eq!(numbers(LogQuery { file: Some("src".as_ref()), ..all }), [3, 1]);
    assert_eq!(numbers(LogQuery { text: Some("SRC/A"), ..all }), [3, 1]);
    assert_eq!(numbers(LogQuery { before: Some(4), after: Some(1), ..all }), [3, 2]);
    assert_eq!(numbers(LogQuery { limit: 1, before: Some(3), ..all }), [2]);
    let later = SystemTime::now() + Duration::from_secs(60);
    assert!(numbers(LogQuery { since: Some(later), ..all }).is_empty());
    assert_eq!(numbers(LogQuery { until: Some(later), limit: 2, ..all }), [4, 3]);

    let versions = home.toolbox.file_history("c".as_ref()).unwrap();
    let told: Vec<_> =
        versions.iter().map(|version| (version.change, version.action, version.path.as_str())).collect();
    assert_eq!(told, [(4, "update", "c"), (3, "move", "c"), (1, "add", "src/a")]);
    assert_eq!(versions[0].before, versions[1].after);

    let net = home.toolbox.net_changes(&LogQuery { session: Some("s1"), ..all }).unwrap();
    let [only] = &net[..] else { panic!("{net:?}") };
    assert_eq!((only.path.as_str(), only.from.as_deref(), only.before.as_ref()), ("c", Some("src/a"), None));
    assert_eq!(only.after.as_deref(), Some(&b"two\n"[..]));
    home.undo(&undo(UndoWhich::Changes(vec![4])), false).unwrap();
    let net = home.toolbox.net_changes(&LogQuery { file: Some("c".as_ref()), ..all }).unwrap();
    assert_eq!(net[0].after.as_deref(), Some(&b"one\n"[..]), "what was undone is left out");
}

//! No agent reads half a patch without being told: what a killed process has left half done is repaired before a call
//! is answered, or the answer says so.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib::{Config, ToolResult, Toolbox};
use toolcrib_testkit::as_ordinary_user;

#[test]
fn a_call_repairs_what_was_left_half_done_after_the_toolbox_was_opened() {
    for opened in ["w", "w/sub", "."] {
        let scene = Scene::new();
        let toolbox = scene.open(opened);
        scene.kill_a_patch();
        assert_eq!(scene.contents(), ["new\n", "old\n"], "it was not killed between");
        let read = scene.read(&toolbox, "w/sub/a");
        assert_eq!(read.output, "     1\told", "{opened}");
        assert_eq!(read.metadata.get("half_done"), None);
        assert_eq!(scene.contents(), ["old\n", "old\n"], "{opened}");
    }
}

#[test]
fn a_directory_outside_is_repaired_when_a_rule_lets_it_in() {
    let scene = Scene::new();
    let rule = format!(
        "[[rules]]\nkind = \"external_directory\"\npattern = \"{}/w/**\"\naction = \"allow\"",
        scene.0.path().display()
    );
    let builder = Toolbox::builder().root(scene.path("beside")).config(Config::parse(&rule).unwrap());
    let toolbox = builder.journal_in(scene.path("state")).open().unwrap();
    scene.kill_a_patch();
    let read = scene.read(&toolbox, "w/sub/a");
    assert_eq!(read.output, "     1\told", "{read:?}");
    assert_eq!(scene.contents(), ["old\n", "old\n"]);
}

/// The repair fails, since nothing can be renamed there. Who reads is told with every answer, who changes is refused.
#[test]
fn what_cannot_be_repaired_is_in_every_answer() {
    let scene = as_ordinary_user(|| {
        let scene = Scene::new();
        scene.kill_a_patch();
        scene
    });
    as_ordinary_user(|| {
        let sub = scene.path("w/sub");
        fs::set_permissions(&sub, PermissionsExt::from_mode(0o555)).unwrap();
        for opened in ["w", "w/sub", "."] {
            let toolbox = scene.open(opened);
            let told = toolbox.half_done();
            assert_eq!(told.len(), 1, "{told:?}");
            assert!(
                told[0].what.contains(" change 1 was interrupted")
                    && told[0].hint.contains("toolcrib doctor")
            );
            let expected = json!([told[0].to_string()]);
            let read = scene.read(&toolbox, "w/sub/a");
            assert_eq!((&read.output, &read.metadata["half_done"]), (&json!("     1\tnew"), &expected));
            let grep = toolbox.call_blocking("Grep", json!({"pattern": "new"}), &toolbox.context());
            assert_eq!(grep.metadata["half_done"], expected);

            let edit = scene.edit(&toolbox, "w/sub/a");
            assert!(
                edit.error.as_ref().unwrap().contains("change 1 was interrupted and cannot be repaired"),
                "{edit:?}"
            );
            assert_eq!(edit.metadata["half_done"], expected);
            assert!(edit.metadata["hint"].as_str().unwrap().contains("toolcrib doctor"), "{edit:?}");
        }
        let other = scene.edit(&scene.open("w"), "w/other");
        assert!(other.success && other.metadata.contains_key("half_done"), "other files are free: {other:?}");
        fs::set_permissions(&sub, PermissionsExt::from_mode(0o755)).unwrap();
        let toolbox = scene.open("w/sub");
        assert_eq!(toolbox.half_done(), []);
        assert_eq!(scene.contents(), ["old\n", "old\n"]);
        assert_eq!(scene.read(&toolbox, "w/sub/a").metadata.get("half_done"), None);
    });
}

/// Not even whether something is half done can be found out: that is told too.
#[test]
fn a_journal_that_cannot_be_used_is_told_to_who_reads() {
    let scene = Scene::new();
    drop(scene.open("w"));
    fs::write(scene.path("state"), "no folder").unwrap();
    let toolbox = scene.open("w");
    let read = scene.read(&toolbox, "w/sub/a");
    let told = read.metadata["half_done"][0].as_str().unwrap();
    assert!(
        read.success && told.starts_with("Whether a change was interrupted here cannot be found out ("),
        "{told}"
    );
}

struct Scene(TempDir);

impl Scene {
    fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        fs::set_permissions(base.path(), PermissionsExt::from_mode(0o755)).unwrap();
        fs::create_dir_all(base.path().join("w/sub")).unwrap();
        fs::create_dir(base.path().join("beside")).unwrap();
        for file in ["w/sub/a", "w/b", "w/other"] {
            fs::write(base.path().join(file), "old\n").unwrap();
        }
        Self(base)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn open(&self, root: &str) -> Toolbox {
        let builder = Toolbox::builder().root(self.path(root));
        builder.journal_in(self.path("state")).open().unwrap()
    }

    fn contents(&self) -> [String; 2] {
        ["w/sub/a", "w/b"].map(|file| fs::read_to_string(self.path(file)).unwrap())
    }

    fn read(&self, toolbox: &Toolbox, file: &str) -> ToolResult {
        toolbox.call_blocking("Read", json!({"file_path": self.path(file)}), &toolbox.context())
    }

    fn edit(&self, toolbox: &Toolbox, file: &str) -> ToolResult {
        let old = fs::read_to_string(self.path(file)).unwrap();
        let arguments: Value =
            json!({"file_path": self.path(file), "old_string": old, "new_string": "edited\n"});
        toolbox.call_blocking("Edit", arguments, &toolbox.context())
    }

    /// A process that patches two files under the root `w` is killed after the first of them.
    fn kill_a_patch(&self) {
        let copy = self.path("child");
        fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "--inject=renameat2:signal=KILL:when=2"]).arg(copy);
        command
            .args(["--ignored", "--exact", "half_done::child", "--nocapture"])
            .env(CHILD, self.0.path())
            .current_dir("/");
        let killed = command.output().unwrap();
        assert_eq!(killed.status.signal(), Some(9), "{killed:?}");
    }
}

const CHILD: &str = "TOOLCRIB_HALF_DONE";

/// Not a test: the process that is killed.
#[test]
#[ignore = "a process that other tests start"]
fn child() {
    let Some(base) = std::env::var_os(CHILD) else { return };
    let builder = Toolbox::builder().root(Path::new(&base).join("w"));
    let toolbox = builder.journal_in(Path::new(&base).join("state")).open().unwrap();
    let patch = "*** Begin Patch\n*** Update File: sub/a\n@@\n-old\n+new\n*** Update File: b\n@@\n-old\n+new\n*** End Patch\n";
    toolbox.call_blocking("ApplyPatch", json!({"patch_text": patch}), &toolbox.context());
}

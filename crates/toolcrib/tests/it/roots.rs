//! A root is judged by its whole name: what it is, what it lies in, and which other root it lies in.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib::{Config, Toolbox};

const SECRET: &str = "do-not-tell";

struct Home(TempDir);

impl Home {
    fn new(files: &[&str]) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        for file in files {
            let file = home.0.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, SECRET).unwrap();
        }
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn open(&self, roots: &[&str]) -> Toolbox {
        let builder = roots.iter().fold(Toolbox::builder(), |builder, root| builder.root(self.path(root)));
        builder.config(Config::default()).open().unwrap()
    }

    /// What a call leads to: `done`, or the kind of the failure.
    fn call(&self, toolbox: &Toolbox, tool: &str, arguments: Value) -> String {
        let result = toolbox.call_blocking(tool, arguments, &toolbox.context());
        result.metadata.get("error_kind").map_or("done", |kind| kind.as_str().unwrap()).to_owned()
    }

    fn read(&self, root: &str, file: &str) -> String {
        self.call(&self.open(&[root]), "Read", json!({"file_path": self.path(root).join(file)}))
    }

    fn write(&self, root: &str, file: &str) -> String {
        self.call(
            &self.open(&[root]),
            "Write",
            json!({"file_path": self.path(root).join(file), "content": "x"}),
        )
    }

    /// Everything that finding tools say about a root.
    fn found(&self, root: &str) -> String {
        let toolbox = self.open(&[root]);
        let ask = |tool: &str, arguments: Value| {
            toolbox.call_blocking(tool, arguments, &toolbox.context()).to_display()
        };
        let path = self.path(root);
        [
            ask(
                "Grep",
                json!({"pattern": ".*", "path": path, "output_mode": "content", "include_hidden": true}),
            ),
            ask("Glob", json!({"pattern": "**/*", "path": path, "include_hidden": true})),
            ask("LS", json!({"path": path, "recursive": true})),
        ]
        .join("\n")
    }
}

#[test]
fn a_root_that_holds_secrets_holds_them_still() {
    let home = Home::new(&[
        ".ssh/hidden",
        ".aws/credentials",
        ".aws/sso/cache/hidden",
        ".gnupg/hidden",
        ".config/gcloud/hidden",
        ".password-store/mail/hidden",
        "notes/hidden",
    ]);
    for (root, file) in [
        (".ssh", "hidden"),
        (".aws", "credentials"),
        (".aws/sso", "cache/hidden"),
        (".aws/sso/cache", "hidden"),
        (".gnupg", "hidden"),
        (".config/gcloud", "hidden"),
        (".password-store", "mail/hidden"),
        (".password-store/mail", "hidden"),
    ] {
        assert_eq!(home.read(root, file), "permission_denied", "{file} in {root}");
        assert_eq!(home.write(root, file), "permission_denied", "{file} in {root}");
        assert_eq!(home.write(root, "anew"), "permission_denied", "anew in {root}");
        let found = home.found(root);
        assert!(!found.contains("hidden") && !found.contains(SECRET), "{root}: {found}");
    }
    // The control: the same name in a root that is nothing special.
    assert_eq!((home.read("notes", "hidden"), home.write("notes", "anew")), ("done".into(), "done".into()));
    let found = home.found("notes");
    assert!(found.contains("hidden") && found.contains(SECRET), "{found}");
}

#[test]
fn what_may_be_read_of_a_root_of_secrets_may_not_be_written() {
    let home = Home::new(&[".ssh/config", ".ssh/known_hosts", ".ssh/work.pub"]);
    for file in ["config", "known_hosts", "work.pub"] {
        for (root, file) in [(".ssh", file.to_owned()), (".", format!(".ssh/{file}"))] {
            assert_eq!(home.read(root, &file), "done", "{file} in {root}");
            assert_eq!(home.write(root, &file), "permission_denied", "{file} in {root}");
        }
    }
    assert!(home.found(".ssh").contains("known_hosts"));
}

#[test]
fn a_link_to_a_folder_of_secrets_is_that_folder() {
    let home = Home::new(&[".ssh/work"]);
    std::os::unix::fs::symlink(home.path(".ssh"), home.path("innocent")).unwrap();
    assert_eq!(home.read("innocent", "work"), "permission_denied");
    assert!(!home.found("innocent").contains("work"));
}

#[test]
fn the_internals_of_git_are_not_written_whatever_the_root() {
    let home = Home::new(&[
        "p/.git/config",
        "p/.git/HEAD",
        "p/.git/hooks/x",
        "p/.git/worktrees/w/HEAD",
        "p/main.rs",
    ]);
    for (root, file) in [
        ("p/.git", "config"),
        ("p/.git", "hooks/pre-commit"),
        ("p/.git/hooks", "pre-commit"),
        ("p/.git/worktrees/w", "HEAD"),
    ] {
        assert_eq!(home.write(root, file), "permission_denied", "{file} in {root}");
    }
    assert_eq!(home.read("p/.git", "config"), "permission_denied");
    assert_eq!(home.read("p/.git", "HEAD"), "done");
    assert_eq!(home.write("p", "main.rs"), "done");
}

/// A checkout may lie in a folder whose name means something else. It is a project like others.
#[test]
fn a_checkout_is_no_part_of_what_it_lies_in() {
    let home = Home::new(&[
        ".claude/worktrees/w/.git",
        ".claude/worktrees/w/src/main.rs",
        ".cursor/worktrees/r/w/.git",
        "p/.git/HEAD",
        "p/.git/worktrees/w/.git",
        ".claude/skills/x/SKILL.md",
        ".claude/plain/a.txt",
        ".config/x/a.txt",
        ".vscode-test/x/a.txt",
    ]);
    for root in
        [".claude/worktrees/w", ".cursor/worktrees/r/w", "p/.git/worktrees/w", ".config/x", ".vscode-test/x"]
    {
        assert_eq!(home.write(root, "src/lib.rs"), "done", "{root}");
        assert_eq!(home.write(root, "README.md"), "done", "{root}");
        // What is in it counts as ever.
        for file in [".claude/settings.json", ".git/hooks/x", ".vscode/tasks.json", ".env", "CLAUDE.md"] {
            assert_eq!(home.write(root, file), "permission_denied", "{file} in {root}");
        }
    }
    // Without a checkout, or as the folder itself, it is what it lies in: the user would have to be asked.
    for (root, file) in [
        (".claude", "settings.json"),
        (".claude/skills", "x/run.sh"),
        (".claude/plain", "a.txt"),
        (".claude/worktrees", "w/src/main.rs"),
    ] {
        assert_eq!(home.write(root, file), "permission_denied", "{file} in {root}");
    }
    // A checkout among secrets is still among secrets.
    let home = Home::new(&[".ssh/repo/.git", ".ssh/repo/a.txt"]);
    assert_eq!(home.read(".ssh/repo", "a.txt"), "permission_denied");
}

#[test]
fn a_root_inside_a_root_is_judged_under_both() {
    let home = Home::new(&["w/sub/private/a.txt", "w/sub/b.txt", "w/sub/c.lock", "w/other/private/a.txt"]);
    let own = "[[rules]]\nkind = 'read'\npattern = 'sub/private/**'\naction = 'deny'\n\
               [[rules]]\nkind = 'edit'\npattern = 'sub/*.lock'\naction = 'deny'\n";
    fs::write(home.path("w/.toolcrib.toml"), own).unwrap();
    for roots in [&["w", "w/sub"][..], &["w/sub", "w"], &["w"]] {
        let toolbox = home.open(roots);
        let at = |file: &str| json!({"file_path": home.path(file)});
        assert_eq!(home.call(&toolbox, "Read", at("w/sub/private/a.txt")), "permission_denied", "{roots:?}");
        let lock = json!({"file_path": home.path("w/sub/c.lock"), "content": "x"});
        assert_eq!(home.call(&toolbox, "Write", lock), "permission_denied", "{roots:?}");
        assert_eq!(home.call(&toolbox, "Read", at("w/sub/b.txt")), "done", "{roots:?}");
        assert_eq!(home.call(&toolbox, "Read", at("w/other/private/a.txt")), "done", "{roots:?}");
        for directory in ["w/sub", "w/sub/private"] {
            let arguments = json!({"pattern": SECRET, "path": home.path(directory)});
            let found = toolbox.call_blocking("Grep", arguments, &toolbox.context()).to_display();
            assert!(!found.contains("private/a.txt"), "{roots:?}: {found}");
        }
    }
    // Opened alone, the inner root knows nothing of the outer one's rules.
    assert_eq!(home.read("w/sub", "private/a.txt"), "done");
}

/// A rule of the user's is about names in the roots, not about where the user keeps them.
#[test]
fn a_rule_of_the_users_does_not_shut_a_root_for_what_it_lies_in() {
    let home = Home::new(&["private/p/a.txt", "private/p/private/b.txt"]);
    let config =
        || Config::parse("[[rules]]\nkind = 'read'\npattern = '**/private/**'\naction = 'deny'\n").unwrap();
    let read = |root: &str, file: &str| {
        let toolbox = Toolbox::builder().root(home.path(root)).config(config()).open().unwrap();
        home.call(&toolbox, "Read", json!({"file_path": Path::new(&home.path(root)).join(file)}))
    };
    assert_eq!(read("private/p", "a.txt"), "done");
    assert_eq!(read("private/p", "private/b.txt"), "permission_denied");
    assert_eq!(
        read("private", "p/a.txt"),
        "permission_denied",
        "the root itself is the folder that is meant"
    );
    assert_eq!(read(".", "private/p/a.txt"), "permission_denied");
}

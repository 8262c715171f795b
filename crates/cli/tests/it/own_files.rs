//! Toolcrib's own configuration, state and program: out of reach of every tool, from whichever root, under every name.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib_testkit::Tree;

use crate::{stderr, stdout, unwrapped};

/// What no answer may hold, and a name that no listing may show.
const SECRET: &str = "do-not-tell";

/// A home with a configuration, a state folder, and the program itself.
struct Home {
    base: TempDir,
    variables: Vec<(&'static str, PathBuf)>,
    config: PathBuf,
    state: PathBuf,
    program: PathBuf,
    options: Vec<String>,
}

impl Home {
    /// Where the folders are by default.
    fn usual() -> Self {
        Self::new(".config/toolcrib/config.toml", ".local/state/toolcrib", &[])
    }

    fn new(config: &str, state: &str, variables: &[(&'static str, &str)]) -> Self {
        let base = tempfile::tempdir().unwrap();
        let at = |path: &str| base.path().canonicalize().unwrap().join(path);
        let variables = variables.iter().map(|(name, path)| (*name, at(path)));
        let home = Self {
            variables: [("HOME", at("home"))].into_iter().chain(variables).collect(),
            config: at("home").join(config),
            state: at("home").join(state),
            program: at("home/bin/toolcrib"),
            options: Vec::new(),
            base,
        };
        for (file, content) in [
            (home.config.clone(), format!("# {SECRET}\nundo_tool = true\n")),
            (home.state.join("kept").join(SECRET), SECRET.to_owned()),
            (home.base.path().join("home/project/notes"), "free\n".to_owned()),
        ] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, content).unwrap();
        }
        fs::create_dir(home.program.parent().unwrap()).unwrap();
        let built = env!("CARGO_BIN_EXE_toolcrib");
        fs::hard_link(built, &home.program).or_else(|_| fs::copy(built, &home.program).map(drop)).unwrap();
        home
    }

    fn call(&self, root: &Path, dialect: &str, tool: &str, arguments: &Value) -> Output {
        let mut command = self.command(root);
        command.args(["--dialect", dialect, "call", tool, "--json", &arguments.to_string()]);
        command.output().unwrap()
    }

    fn command(&self, root: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
        // A person who said yes to everything could not let it through either.
        command.arg("--root").arg(root).arg("--yes").args(&self.options).current_dir("/");
        command
    }

    /// The files and directories that must not be reached, and names that must not come into being.
    fn targets(&self) -> Vec<PathBuf> {
        let folder = self.config.parent().unwrap();
        let mut targets = vec![
            self.config.clone(),
            folder.join("new"),
            self.state.join("kept").join(SECRET),
            self.state.join("new"),
            self.program.clone(),
        ];
        targets.retain(|path| path.starts_with(self.base.path().canonicalize().unwrap()));
        targets
    }

    /// Everything that must stay as it is.
    fn guarded(&self) -> (Tree, Tree, bool) {
        let program = fs::metadata(&self.program).unwrap().len();
        let built = fs::metadata(env!("CARGO_BIN_EXE_toolcrib")).unwrap().len();
        (Tree::read(self.config.parent().unwrap()), Tree::read(&self.state.join("kept")), program == built)
    }

    fn tools(&self) -> Vec<(&'static str, String)> {
        let tools = ["standard", "ekacode"].into_iter().flat_map(|dialect| {
            let mut command = self.command(&self.base.path().join("home/project"));
            let listed = command.args(["--dialect", dialect, "schemas", "--format", "anthropic"]).output();
            let listed: Vec<Value> = serde_json::from_str(stdout(&listed.unwrap())).unwrap();
            listed.into_iter().map(move |tool| (dialect, tool["name"].as_str().unwrap().to_owned()))
        });
        tools.collect()
    }
}

/// Calls of a tool that would read, list, find, change, move or remove the target.
fn aimed(tool: &str, root: &Path, target: &Path) -> Vec<Value> {
    let directory = target.parent().unwrap();
    let patches = || {
        // A patch names its files from the root.
        let path = target.strip_prefix(root).unwrap_or(target).display();
        [
            format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"),
            format!("*** Begin Patch\n*** Update File: {path}\n@@\n+x\n*** End of File\n*** End Patch\n"),
            format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n"),
            format!("*** Begin Patch\n*** Update File: {path}\n*** Move to: moved\n*** End Patch\n"),
        ]
    };
    match tool {
        "Read" => vec![json!({"file_path": target})],
        "read" => vec![json!({"filePath": target})],
        "Write" => vec![json!({"file_path": target, "content": "x"})],
        "write" => vec![json!({"filePath": target, "content": "x"})],
        "Edit" => vec![
            json!({"file_path": target, "old_string": SECRET, "new_string": "x"}),
            json!({"file_path": target, "old_string": "", "new_string": "x"}),
        ],
        "edit" => vec![
            json!({"filePath": target, "oldString": SECRET, "newString": "x"}),
            json!({"filePath": target, "oldString": "", "newString": "x"}),
        ],
        "MultiEdit" => vec![
            json!({"file_path": target, "edits": [{"old_string": SECRET, "new_string": "x"}]}),
            json!({"file_path": target, "edits": [{"old_string": "", "new_string": "x"}]}),
        ],
        "multiedit" => vec![
            json!({"filePath": target, "edits": [{"oldString": SECRET, "newString": "x"}]}),
            json!({"filePath": target, "edits": [{"oldString": "", "newString": "x"}]}),
        ],
        "ApplyPatch" => patches().map(|patch| json!({"patch_text": patch, "overwrite": true})).to_vec(),
        "apply_patch" => patches().map(|patch| json!({"patchText": patch, "overwrite": true})).to_vec(),
        "LS" => vec![json!({"path": directory}), json!({"path": directory, "recursive": true})],
        "ls" => vec![json!({"dirPath": directory}), json!({"dirPath": directory, "recursive": true})],
        "Glob" | "glob" => {
            let key = if tool == "Glob" { ["include_hidden", "no_ignore"] } else { ["includeHidden", "noIgnore"] };
            vec![json!({"pattern": "**/*", "path": directory, key[0]: true, key[1]: true})]
        }
        "Grep" => [target, directory]
            .map(|path| json!({"pattern": "not-tel", "path": path, "output_mode": "content", "include_hidden": true, "no_ignore": true}))
            .to_vec(),
        "grep" => [target, directory]
            .map(|path| json!({"pattern": "not-tel", "path": path, "outputMode": "content", "includeHidden": true, "noIgnore": true}))
            .to_vec(),
        // It undoes what was changed before, and nothing was.
        "Undo" | "undo" => vec![json!({})],
        unknown => panic!("say here how {unknown} is aimed at a file"),
    }
}

/// Makes every call, from this root, and checks that none got through. Says how many there were.
fn attack(home: &Home, root: &Path, targets: &[PathBuf]) -> usize {
    let before = home.guarded();
    let mut calls = 0;
    for (dialect, tool) in home.tools() {
        for target in targets {
            for arguments in aimed(&tool, root, target) {
                let output = home.call(root, dialect, &tool, &arguments);
                let told = format!("{}{}", stdout(&output), stderr(&output));
                // What was asked for may be repeated; anything else that tells of it is a leak.
                let told = told.replace(&target.display().to_string(), "");
                assert!(!told.contains(SECRET), "{root:?} {dialect} {tool} {arguments}: {told}");
                assert!(!told.contains("undo_tool"), "{root:?} {dialect} {tool} {arguments}: {told}");
                assert!(!told.contains("bin/toolcrib"), "{root:?} {dialect} {tool} {arguments}: {told}");
                calls += 1;
            }
        }
    }
    assert!(home.guarded() == before, "{root:?}: something was changed");
    calls
}

#[test]
fn no_tool_reaches_them_from_any_root() {
    let home = Home::usual();
    let at = |path: &str| home.base.path().canonicalize().unwrap().join(path);
    let roots = ["home", "home/.config", "home/.config/toolcrib", "home/.local/state", "home/bin"].map(at);
    let mut calls = 0;
    for root in roots.iter().chain([&PathBuf::from("/"), &home.state.join("kept")]) {
        calls += attack(&home, root, &home.targets());
    }
    println!("{calls} calls, 0 ways to the configuration, the state or the program");
}

#[test]
fn no_other_name_is_a_way_around() {
    let home = Home::usual();
    let at = |path: &str| home.base.path().canonicalize().unwrap().join(path);
    let root = at("home/project");
    symlink(home.config.parent().unwrap(), root.join("linked")).unwrap();
    symlink(&home.state, root.join("linked-state")).unwrap();
    fs::hard_link(&home.config, root.join("hard")).unwrap();
    fs::hard_link(&home.program, root.join("hard-program")).unwrap();
    let targets = ["linked/config.toml", "linked/new", "linked-state/kept/new", "hard", "hard-program"]
        .map(|path| root.join(path));
    for root in [root, at("home")] {
        attack(&home, &root, &targets);
    }
}

#[test]
fn no_tool_reaches_them_as_an_external_directory() {
    let mut home = Home::usual();
    let everything = "[[rules]]\nkind = \"external_directory\"\npattern = \"/**\"\naction = \"allow\"\n";
    let config = format!("# {SECRET}\nundo_tool = true\n{everything}");
    fs::write(&home.config, config).unwrap();
    let root = home.base.path().join("home/project");
    attack(&home, &root, &home.targets());
    // The same where the rules come from a file that is named.
    let named = home.base.path().canonicalize().unwrap().join("home/named.toml");
    fs::rename(&home.config, &named).unwrap();
    fs::write(&home.config, "").unwrap();
    home.options = vec!["--config".to_owned(), named.display().to_string()];
    let targets = [named.clone(), home.config.clone(), home.state.join("new")];
    let text = fs::read(&named).unwrap();
    for root in [root, home.base.path().join("home")] {
        attack(&home, &root, &targets);
    }
    assert_eq!(fs::read(&named).unwrap(), text);
}

#[test]
fn it_does_not_matter_where_the_user_keeps_them() {
    let home = Home::new(
        "settings/toolcrib/config.toml",
        "remembered/toolcrib",
        &[("XDG_CONFIG_HOME", "home/settings"), ("XDG_STATE_HOME", "home/remembered")],
    );
    let root = home.base.path().join("home");
    attack(&home, &root, &home.targets());
}

/// What the attacks are worth: without protection each of these calls gets through.
#[test]
fn elsewhere_the_same_calls_get_through() {
    let home = Home::usual();
    let root = home.base.path().canonicalize().unwrap().join("home/project");
    let target = root.join("config.toml");
    let mut through = 0;
    for (dialect, tool) in home.tools() {
        for arguments in aimed(&tool, &root, &target) {
            fs::write(&target, format!("{SECRET}\n")).unwrap();
            let output = home.call(&root, dialect, &tool, &arguments);
            let told = stdout(&output).contains(SECRET) || stdout(&output).contains("config.toml");
            let changed = fs::read_to_string(&target).ok().as_deref() != Some(&format!("{SECRET}\n"));
            through += usize::from(told || changed);
            let _ = fs::remove_file(root.join("moved"));
        }
    }
    assert!(through >= 20, "{through}");
}

#[test]
fn a_root_that_holds_them_is_warned_about() {
    let home = Home::usual();
    let root = home.base.path().join("home");
    let doctor = home.command(&root).arg("doctor").output().unwrap();
    let shown = unwrapped(&doctor);
    for own in [home.config.parent().unwrap(), &home.state, &home.program] {
        assert!(shown.contains(&format!("overlaps with Toolcrib's own {}", own.display())), "{shown}");
    }
    let served = home.command(&root).arg("mcp").output().unwrap();
    assert!(stderr(&served).contains("warning: The root"), "{}", stderr(&served));
    let project = home.base.path().join("home/project");
    let served = home.command(&project).arg("mcp").output().unwrap();
    assert_eq!(stderr(&served), "");
}

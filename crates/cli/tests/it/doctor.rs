//! `toolcrib doctor`, and what is made of the commands themselves.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::{stderr, stdout, toolcrib};

struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("ws")).unwrap();
        fs::create_dir_all(dir.path().join("config/toolcrib")).unwrap();
        Self(dir)
    }

    fn doctor(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_toolcrib"))
            .arg("doctor")
            .args(args)
            .current_dir(self.0.path().join("ws"))
            .env("HOME", self.0.path())
            .env("XDG_CONFIG_HOME", self.0.path().join("config"))
            .env("XDG_STATE_HOME", self.0.path().join("state"))
            .output()
            .unwrap()
    }

    fn json(&self) -> Value {
        let result: Value = serde_json::from_str(stdout(&self.doctor(&["--json"]))).unwrap();
        result["metadata"].clone()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }
}

fn lines<'v>(checkup: &'v Value, about: &str) -> Vec<&'v str> {
    let facts = checkup["facts"].as_array().unwrap();
    let fact =
        facts.iter().find(|fact| fact["about"] == about).unwrap_or_else(|| panic!("{about}: {checkup}"));
    fact["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect()
}

#[test]
fn it_says_what_is_in_force() {
    let home = Home::new();
    home.write(
        "config/toolcrib/config.toml",
        "[[rules]]\nkind = \"read\"\npattern = \"x/**\"\naction = \"deny\"\n",
    );
    home.write(
        "ws/.toolcrib.toml",
        "[[rules]]\nkind = \"read\"\npattern = \"**/.env\"\naction = \"allow\"\n",
    );
    fs::create_dir_all(home.0.path().join("state/toolcrib/a")).unwrap();
    home.write("state/toolcrib/a/b", "12345");
    let checkup = home.json();
    let root = home.0.path().join("ws").canonicalize().unwrap().display().to_string();
    assert_eq!(lines(&checkup, "roots"), [root.as_str()]);
    let files = lines(&checkup, "configuration");
    assert!(files.len() == 2 && files.iter().all(|file| file.ends_with(".toml")), "{files:?}");
    let rules = lines(&checkup, "rules")[0];
    assert!(rules.contains(", 1 from the user, 0 from the workspace"), "{rules}");
    assert!(["openat2", "walk"].iter().any(|name| lines(&checkup, "containment")[0].starts_with(name)));
    assert!(lines(&checkup, "landlock")[0].contains("available"));
    assert!(lines(&checkup, "limits")[0].contains("120 s"));
    assert!(lines(&checkup, "state")[0].ends_with("(1 file, 5 B)"), "{checkup}");
    let left = fs::read_dir(home.0.path().join("state/toolcrib")).unwrap();
    assert!(
        left.map(|entry| entry.unwrap().file_name()).all(|name| !name.to_string_lossy().contains("trial"))
    );
    assert_eq!(lines(&checkup, "journal"), ["enabled; no changes yet"]);
    assert_eq!(checkup["problems"], serde_json::json!([]));
    assert!(checkup["notes"][0]["what"].as_str().unwrap().contains("allow read **/.env"), "{checkup}");
    let shown = home.doctor(&[]);
    assert_eq!((stderr(&shown), shown.status.code()), ("", Some(0)));
    assert!(stdout(&shown).ends_with("No problems found\n") && stdout(&shown).contains("  hint: "));
}

#[test]
fn what_is_wrong_is_said_with_what_to_do() {
    let home = Home::new();
    home.write("config/toolcrib/config.toml", "matching = 5\n");
    let output = home.doctor(&[]);
    assert!(stdout(&output).contains("problem: Invalid configuration: "), "{}", stdout(&output));
    assert!(stdout(&output).contains("roots ") && stdout(&output).contains("  hint: "));
    assert_eq!(output.status.code(), Some(1));

    home.write("config/toolcrib/config.toml", "");
    let output = home.doctor(&["--root", "absent", "--json"]);
    let checkup: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert!(checkup["metadata"]["problems"][0]["what"].as_str().unwrap().starts_with("Directory not found"));
    assert_eq!(output.status.code(), Some(1));

    let home = Home::new();
    home.write("state", "a file in the way");
    let output = home.doctor(&[]);
    assert!(stdout(&output).contains("problem: ") && stdout(&output).contains("state/toolcrib"));
    assert_eq!(output.status.code(), Some(1));

    // Where not even root can make a folder.
    let output = Command::new(env!("CARGO_BIN_EXE_toolcrib"))
        .args(["doctor", "--color", "never"])
        .current_dir(home.0.path().join("ws"))
        .env("XDG_STATE_HOME", "/proc")
        .output()
        .unwrap();
    assert!(stdout(&output).contains("problem: "), "{}", stdout(&output));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_journal_that_was_switched_off_is_noted() {
    let home = Home::new();
    home.write("config/toolcrib/config.toml", "[journal]\nenabled = false\n");
    let checkup = home.json();
    assert_eq!(lines(&checkup, "journal"), ["disabled"]);
    assert!(checkup["notes"].to_string().contains("cannot be undone"), "{checkup}");
    assert_eq!(checkup["problems"], serde_json::json!([]));
}

#[test]
fn a_root_that_is_all_of_a_home_is_noted() {
    let home = Home::new();
    let output = home.doctor(&["--root", ".."]);
    assert!(stdout(&output).contains("is your entire home directory"), "{}", stdout(&output));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn completions_are_scripts_that_their_shells_take() {
    let dir = tempfile::tempdir().unwrap();
    for (shell, sign) in
        [("bash", "complete -F _toolcrib"), ("zsh", "#compdef toolcrib"), ("fish", "complete -c toolcrib")]
    {
        let output = toolcrib(dir.path(), &["completions", shell]);
        let script = stdout(&output);
        assert!(script.contains(sign) && script.contains("multiedit"), "{shell}");
        let file = dir.path().join(shell);
        fs::write(&file, script).unwrap();
        // Those that are here are asked; bash always is.
        match Command::new(shell).arg("-n").arg(&file).output() {
            Ok(checked) => assert!(checked.status.success(), "{shell}: {}", stderr(&checked)),
            Err(error) => assert_ne!(shell, "bash", "{error}"),
        }
    }
}

#[test]
fn every_command_has_a_page_and_help_with_examples() {
    let dir = tempfile::tempdir().unwrap();
    let page = toolcrib(dir.path(), &["man"]);
    assert!(stdout(&page).contains(".TH toolcrib 1"), "{}", stdout(&page));
    let help = toolcrib(dir.path(), &["--help"]);
    // A name stands two columns in; what is said of it may go on in the lines below, further in.
    let listed = stdout(&help).lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  "));
    let commands: Vec<(&str, &str)> =
        listed.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split_once(' ')).collect();
    assert!(commands.len() >= 14, "{commands:?}");
    for (command, about) in commands.into_iter().filter(|(command, _)| *command != "help") {
        let help = toolcrib(dir.path(), &[command, "--help"]);
        assert!(stdout(&help).starts_with(about.trim()), "{command}: {}", stdout(&help));
        assert!(stdout(&help).contains("Examples:\n  "), "{command}");
        let page = toolcrib(dir.path(), &["man", command]);
        assert!(stdout(&page).contains(&format!(".TH toolcrib-{command} 1")), "{command}: {}", stdout(&page));
    }
    let output = toolcrib(dir.path(), &["man", "gerp"]);
    assert_eq!(stderr(&output), "error: Unknown command 'gerp'\nhint: did you mean 'grep'?\n");
    assert_eq!(output.status.code(), Some(2));
}

/// A home in which agents have the server.
fn with_agents() -> Home {
    let home = Home::new();
    let program = env!("CARGO_BIN_EXE_toolcrib");
    for folder in [".cursor", ".codex", "ws/.vscode"] {
        fs::create_dir_all(home.0.path().join(folder)).unwrap();
    }
    let entry = |args: &str| format!(r#"{{"command": "{program}", "args": {args}}}"#);
    let cursor = entry(r#"["mcp", "--root", "${workspaceFolder}", "--dialect", "ekacode"]"#);
    home.write(".cursor/mcp.json", &format!(r#"{{"mcpServers": {{"toolcrib": {cursor}}}}}"#));
    home.write(
        ".codex/config.toml",
        "[mcp_servers.files]\ncommand = \"/absent/toolcrib\"\nargs = [\"mcp\"]\n",
    );
    // A project may name anything; it leaves a trace if it is started.
    let trap = format!("touch {}/started", home.0.path().display());
    let trap =
        serde_json::json!({"servers": {"toolcrib": {"command": "sh", "args": ["-c", trap, "toolcrib"]}}});
    home.write("ws/.vscode/mcp.json", &trap.to_string());
    home
}

#[test]
fn it_says_which_agents_have_the_server_and_whether_it_answers() {
    let none = Home::new().json();
    assert_eq!(lines(&none, "agents"), ["none has the server (`toolcrib init` adds it)"]);
    let home = with_agents();
    let output = home.doctor(&["--json"]);
    assert_eq!(output.status.code(), Some(1), "one does not answer");
    let checkup = home.json();
    let agents = checkup["agents"].as_array().unwrap();
    let facts = |client: &str| {
        let agent = agents.iter().find(|agent| agent["client"] == client).unwrap();
        (
            agent["name"].as_str().unwrap(),
            agent["state"].as_str().unwrap(),
            agent["dialect"].as_str().unwrap(),
        )
    };
    assert_eq!(facts("Cursor"), ("toolcrib", "answers", "ekacode"), "{checkup}");
    assert_eq!(facts("Codex"), ("files", "fails", "standard"), "{checkup}");
    assert_eq!(facts("VS Code"), ("toolcrib", "not_started", "standard"), "{checkup}");
    assert!(!home.0.path().join("started").exists(), "what a project names is not started");
    let problem = &checkup["problems"][0];
    assert!(
        problem["what"].as_str().unwrap().starts_with("The server that Codex starts cannot be started: ")
    );
    assert_eq!(problem["hint"], "`toolcrib init codex` writes its entry again");
    let shown = home.doctor(&[]);
    assert!(
        stdout(&shown).contains("agents        Codex (as files): does not answer; root the project it is")
    );
    assert!(stdout(&shown).contains("\nproblem: The server that Codex starts"), "{}", stdout(&shown));
}

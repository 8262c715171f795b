//! `toolcrib init`: what becomes of an agent's configuration.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{on_a_terminal, stderr, stdout};

const CLIENTS: &[(&str, &str)] = &[
    ("claude-code", ".claude.json"),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json"),
    ("opencode", ".config/opencode/opencode.json"),
    ("codex", ".codex/config.toml"),
    ("cursor", ".cursor/mcp.json"),
    ("vscode", ".config/Code/User/mcp.json"),
    ("zed", ".config/zed/settings.json"),
    ("gemini", ".gemini/settings.json"),
    ("qwen", ".qwen/settings.json"),
    ("cline", ".cline/data/settings/cline_mcp_settings.json"),
    ("goose", ".config/goose/config.yaml"),
];

/// A home with a project in it.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("project")).unwrap();
        Self(dir)
    }

    fn init(&self, args: &[&str]) -> Output {
        self.init_with(args, &[])
    }

    fn init_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_toolcrib"))
            .arg("init")
            .args(args)
            .current_dir(self.0.path().join("project"))
            .env_clear()
            .env("HOME", self.0.path())
            .envs(variables.iter().copied())
            .output()
            .unwrap()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap()
    }
}

#[test]
#[cfg(target_os = "linux")]
fn every_agent_gets_the_server_once() {
    let home = Home::new();
    let root = home.file("project").canonicalize().unwrap().display().to_string();
    for (client, file) in CLIENTS {
        let refused = home.init(&[client]);
        assert_eq!(refused.status.code(), Some(1), "{client}: nobody said yes");
        assert!(!home.file(file).exists(), "{client}");
        let dry = home.init(&[client, "--dry-run"]);
        assert!(stdout(&dry).contains("mcp") && !home.file(file).exists(), "{client}: {}", stdout(&dry));
        let first = home.init(&[client, "--yes"]);
        assert_eq!(first.status.code(), Some(0), "{client}: {}", stderr(&first));
        let text = home.text(file);
        assert!(text.contains(env!("CARGO_BIN_EXE_toolcrib")), "{client}: {text}");
        // A path in a configuration that holds for every project would shut all others.
        let named = ["claude-desktop", "cline", "zed"].contains(client);
        assert_eq!(text.contains(&root), named, "{client}: {text}");
        let variable = ["cursor", "vscode"].contains(client);
        assert_eq!(text.contains("${workspaceFolder}"), variable, "{client}: {text}");
        let second = home.init(&[client, "--yes"]);
        assert!(stderr(&second).contains("already has Toolcrib"), "{client}: {}", stderr(&second));
        assert_eq!((home.text(file), stdout(&second)), (text, ""), "{client}");
    }
    let config: Value = serde_json::from_str(&home.text(".config/opencode/opencode.json")).unwrap();
    let command = &config["mcp"]["toolcrib"]["command"];
    assert_eq!(command, &json!([env!("CARGO_BIN_EXE_toolcrib"), "mcp"]));
    let config: Value = serde_json::from_str(&home.text(".config/Code/User/mcp.json")).unwrap();
    assert_eq!(config["servers"]["toolcrib"]["args"], json!(["mcp", "--root", "${workspaceFolder}"]));
    let output = home.init(&["gemini", "--yes", "--root", "."]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let config: Value = serde_json::from_str(&home.text(".gemini/settings.json")).unwrap();
    assert_eq!(config["mcpServers"]["toolcrib"]["args"], json!(["mcp", "--root", root]), "as it was given");
}

#[test]
fn the_agents_own_variables_say_where_its_configuration_is() {
    let home = Home::new();
    let elsewhere = home.file("elsewhere").display().to_string();
    for (client, variable, file) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("qwen", "QWEN_HOME", "settings.json"),
        ("cline", "CLINE_DIR", "data/settings/cline_mcp_settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
    ] {
        let output = home.init_with(&[client, "--yes"], &[(variable, &elsewhere)]);
        assert_eq!(output.status.code(), Some(0), "{client}: {}", stderr(&output));
        assert!(home.text(&format!("elsewhere/{file}")).contains("toolcrib"), "{client}");
    }
}

#[test]
fn the_reference_server_can_be_replaced() {
    let home = Home::new();
    let reference =
        json!({"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/ada"]});
    fs::write(home.file(".claude.json"), json!({"mcpServers": {"files": reference}}).to_string()).unwrap();
    let told = home.init(&["claude-code", "--dry-run"]);
    assert!(stderr(&told).contains("--name files replaces it with Toolcrib"), "{}", stderr(&told));
    let output = home.init(&["claude-code", "--name", "files", "--yes"]);
    assert!(!stderr(&output).contains("note: "), "{}", stderr(&output));
    let config: Value = serde_json::from_str(&home.text(".claude.json")).unwrap();
    let servers = config["mcpServers"].as_object().unwrap();
    assert_eq!((servers.len(), &servers["files"]["args"]), (1, &json!(["mcp"])));
}

/// Codex passes no variables on that it was not told of.
#[test]
fn codex_is_told_which_variables_say_where_the_rules_are() {
    let home = Home::new();
    home.init(&["codex", "--yes", "--trust"]);
    let text = home.text(".codex/config.toml");
    assert!(text.contains("env_vars = [\"XDG_CONFIG_HOME\", \"XDG_STATE_HOME\"]"), "{text}");
    assert!(text.contains("default_tools_approval_mode = \"approve\""), "{text}");
}

#[test]
fn an_agent_can_be_told_to_trust_the_tools_and_to_use_no_others() {
    let home = Home::new();
    fs::create_dir(home.file(".claude")).unwrap();
    fs::write(home.file(".claude/settings.json"), "{\"permissions\": {\"allow\": [\"WebFetch\"]}}\n")
        .unwrap();
    let wishes = ["--trust", "--replace-built-ins", "--yes"];
    let output = home.init(&[&["claude-code"][..], &wishes].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    // The model knows these tools, and they are the only ones now.
    let servers: Value = serde_json::from_str(&home.text(".claude.json")).unwrap();
    let args = &servers["mcpServers"]["toolcrib"]["args"];
    assert_eq!(*args, json!(["mcp", "--dialect", "claude-code"]));
    let settings: Value = serde_json::from_str(&home.text(".claude/settings.json")).unwrap();
    assert_eq!(settings["permissions"]["allow"], json!(["WebFetch", "mcp__toolcrib"]));
    assert!(settings["permissions"]["deny"].as_array().unwrap().contains(&json!("Edit")), "{settings}");
    let again = home.init(&[&["claude-code"][..], &wishes].concat());
    assert!(stderr(&again).contains("already has Toolcrib"), "{}", stderr(&again));
    home.init(&[&["gemini"][..], &wishes].concat());
    let settings: Value = serde_json::from_str(&home.text(".gemini/settings.json")).unwrap();
    assert_eq!(settings["mcpServers"]["toolcrib"]["trust"], true);
    assert!(settings["tools"]["exclude"].as_array().unwrap().contains(&json!("replace")), "{settings}");
    home.init(&["opencode", "--replace-built-ins", "--yes"]);
    let config: Value = serde_json::from_str(&home.text(".config/opencode/opencode.json")).unwrap();
    assert_eq!(config["tools"]["edit"], false, "{config}");
    // The settings of every project would be changed for a server in another file.
    let elsewhere = home.init(&["claude-code", "--file", "other.json", "--replace-built-ins", "--yes"]);
    assert!(stderr(&elsewhere).contains("hint: omit --file"), "{}", stderr(&elsewhere));
    for refused in [["zed", "--trust"], ["codex", "--replace-built-ins"]] {
        let output = home.init(&[&refused[..], &["--yes"]].concat());
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    }
}

#[test]
fn comments_and_everything_else_stay() {
    let home = Home::new();
    fs::create_dir_all(home.file(".config/zed")).unwrap();
    let before = "// Zed settings\n{\n  \"theme\": \"One Dark\", // mine\n  /* none yet */\n}\n";
    fs::write(home.file(".config/zed/settings.json"), before).unwrap();
    let output = home.init(&["zed", "--yes"]);
    let removed = stdout(&output).lines().filter(|line| line.starts_with('-') && !line.starts_with("---"));
    assert_eq!(removed.count(), 0, "{}", stdout(&output));
    let after = home.text(".config/zed/settings.json");
    let kept: Vec<&str> = after.lines().filter(|line| before.lines().any(|old| old == *line)).collect();
    assert!(before.lines().all(|line| kept.contains(&line)), "{after}");
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    let home = Home::new();
    fs::write(home.file(".claude.json"), "{ this is none").unwrap();
    let output = home.init(&["claude-code", "--yes"]);
    assert!(stderr(&output).contains("was not changed: it is not valid JSON"), "{}", stderr(&output));
    assert!(stderr(&output).contains("toolcrib init claude-code --print"));
    assert_eq!((output.status.code(), home.text(".claude.json").as_str()), (Some(1), "{ this is none"));
}

/// Those who keep such files in one place have links to them.
#[test]
fn a_link_in_the_home_is_followed() {
    let home = Home::new();
    fs::create_dir(home.file("dotfiles")).unwrap();
    fs::write(home.file("dotfiles/claude.json"), "{}\n").unwrap();
    std::os::unix::fs::symlink("dotfiles/claude.json", home.file(".claude.json")).unwrap();
    let output = home.init(&["claude-code", "--yes"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        home.file(".claude.json").is_symlink() && home.text("dotfiles/claude.json").contains("mcpServers")
    );
}

#[test]
fn a_project_has_its_own_configuration() {
    let home = Home::new();
    let output = home.init(&["cursor", "--project", "--yes", "--json", "--name", "files"]);
    let done: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(done["metadata"]["changed"], true);
    let config: Value = serde_json::from_str(&home.text("project/.cursor/mcp.json")).unwrap();
    assert_eq!(config["mcpServers"]["files"]["command"], "toolcrib");
    let arguments = json!(["mcp", "--root", "${workspaceFolder}"]);
    assert_eq!(config["mcpServers"]["files"]["args"], arguments, "nothing personal");
    home.init(&["zed", "--project", "--yes"]);
    let config: Value = serde_json::from_str(&home.text("project/.zed/settings.json")).unwrap();
    assert_eq!(config["context_servers"]["toolcrib"]["args"], json!(["mcp", "--root", "."]));
    let output = home.init(&["goose", "--project", "--yes"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn it_can_be_printed_for_any_agent() {
    let home = Home::new();
    let printed: Value = serde_json::from_str(stdout(&home.init(&["--print"]))).unwrap();
    assert_eq!(printed["mcpServers"]["toolcrib"]["args"][0], "mcp");
    let printed = home.init(&["codex", "--print"]);
    assert!(stdout(&printed).starts_with("[mcp_servers.toolcrib]\ncommand = "), "{}", stdout(&printed));
    assert_eq!(fs::read_dir(home.0.path()).unwrap().count(), 1, "nothing is written");
}

#[test]
fn on_a_terminal_somebody_is_asked() {
    for (typed, written) in [("n\n", false), ("y\n", true)] {
        let home = Home::new();
        let path = home.0.path().display().to_string();
        let (_, shown) = on_a_terminal(&home.file("project"), "init cursor", &[("HOME", &path)], typed);
        assert!(
            shown.contains("\u{1b}[32m+") && shown.contains(".cursor/mcp.json? [y]es / [N]o: "),
            "{shown}"
        );
        assert_eq!(home.file(".cursor/mcp.json").exists(), written, "{shown}");
    }
}

/// What `init` writes starts a program, so an agent that works in the same home may not write it unasked.
#[test]
#[cfg(target_os = "linux")]
fn an_agent_cannot_write_what_init_writes() {
    let home = Home::new();
    let write = |file: &PathBuf| {
        Command::new(env!("CARGO_BIN_EXE_toolcrib"))
            .args(["call", "Write", "--root", home.0.path().to_str().unwrap()])
            .arg(json!({"file_path": file, "content": "{}"}).to_string())
            .env("HOME", home.0.path())
            .output()
            .unwrap()
    };
    let plain = home.file("project/notes.json");
    assert_eq!(write(&plain).status.code(), Some(0), "what nobody is asked about is written");
    let mut tried = 0;
    for (client, file) in CLIENTS {
        assert_eq!(home.init(&[client, "--yes"]).status.code(), Some(0), "{client}");
        let mut files = vec![home.file(file)];
        let project = home.init(&[client, "--yes", "--project", "--json"]);
        if project.status.success() {
            let told: Value = serde_json::from_str(stdout(&project)).unwrap();
            files.push(told["metadata"]["file"].as_str().unwrap().into());
        }
        for file in files {
            let before = fs::read(&file).unwrap();
            let refused = write(&file);
            assert!(stderr(&refused).contains("Permission denied"), "{client}: {}", stderr(&refused));
            fs::remove_file(&file).unwrap();
            assert!(
                stderr(&write(&file)).contains("Permission denied"),
                "{client}, anew: {}",
                file.display()
            );
            fs::write(&file, before).unwrap();
            tried += 1;
        }
    }
    assert_eq!(tried, CLIENTS.len() + 8);
}

/// Claude Code keeps an account in the file, which is a secret to agents and not to the person.
#[test]
fn a_file_that_agents_may_not_read_gets_the_server_too() {
    let home = Home::new();
    fs::write(home.file(".claude.json"), "{\"oauthAccount\": {\"emailAddress\": \"ada@example.com\"}}\n")
        .unwrap();
    let output = home.init(&["claude-code", "--yes"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = home.text(".claude.json");
    assert!(text.contains("ada@example.com") && text.contains("mcpServers"), "{text}");
}

/// Continue puts nothing before the names of tools, and calls its own where they are the same.
#[test]
fn continue_gets_names_that_are_not_its_own() {
    let home = Home::new();
    let refused = home.init(&["continue", "--yes"]);
    assert_eq!(refused.status.code(), Some(1), "one without models would leave it without any");
    assert!(stderr(&refused).contains("toolcrib init continue --print"), "{}", stderr(&refused));
    let printed = home.init(&["continue", "--print"]);
    assert!(stdout(&printed).starts_with("mcpServers:\n  - name: toolcrib\n"), "{}", stdout(&printed));
    fs::create_dir(home.file(".continue")).unwrap();
    let before = "name: mine\nversion: 1.0.0\nschema: v1\nmodels: []\n";
    fs::write(home.file(".continue/config.yaml"), before).unwrap();
    let output = home.init(&["continue", "--yes"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = home.text(".continue/config.yaml");
    assert!(text.starts_with(before) && text.contains("[\"mcp\", \"--prefix\", \"toolcrib_\"]"), "{text}");
    let again = home.init(&["continue", "--yes"]);
    assert!(stderr(&again).contains("already has Toolcrib"), "{}", stderr(&again));
    fs::create_dir(home.file("elsewhere")).unwrap();
    fs::write(home.file("elsewhere/config.yaml"), before).unwrap();
    let elsewhere = home.file("elsewhere").display().to_string();
    home.init_with(&["continue", "--yes"], &[("CONTINUE_GLOBAL_DIR", &elsewhere)]);
    assert!(home.text("elsewhere/config.yaml").contains("toolcrib"));
}

/// An agent's program of this name that says this.
fn pretend(home: &Home, program: &str, says: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let folder = home.file("bin");
    fs::create_dir_all(&folder).unwrap();
    let script = format!("#!/bin/sh\necho \"$PWD $*\" >> '{}/asked'\necho '{says}'\n", folder.display());
    fs::write(folder.join(program), script).unwrap();
    fs::set_permissions(folder.join(program), fs::Permissions::from_mode(0o755)).unwrap();
    folder.display().to_string()
}

#[test]
fn the_agent_is_asked_whether_it_can_start_the_server() {
    for (said, told, warns) in [
        (
            "toolcrib: /t mcp - ✔ Connected",
            "Claude Code can start the server (`claude mcp list`: toolcrib: /t mcp - ✔ Connected)",
            false,
        ),
        ("toolcrib: /t mcp - ✘ Failed to connect", "warning: Claude Code cannot start the server", true),
        ("toolcrib: /t mcp - Pending approval", "warning: Claude Code does not use the server yet", true),
        ("No MCP servers configured", "warning: Claude Code does not list the server", true),
    ] {
        let home = Home::new();
        let path = pretend(&home, "claude", said);
        let output = home.init_with(&["claude-code", "--yes"], &[("PATH", &path)]);
        assert_eq!(output.status.code(), Some(0), "what the agent says is no failure: {}", stderr(&output));
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
        assert_eq!(stderr(&output).contains("hint: "), warns, "{}", stderr(&output));
        let project = home.file("project").canonicalize().unwrap();
        assert_eq!(home.text("bin/asked"), format!("{} mcp list\n", project.display()));
    }
}

#[test]
fn an_agent_is_asked_only_about_what_it_reads_and_what_is_there() {
    let home = Home::new();
    let path = pretend(&home, "claude", "toolcrib - Connected");
    let elsewhere = home.file("elsewhere.json").display().to_string();
    for args in [
        &["claude-code", "--yes", "--no-check"][..],
        &["claude-code", "--dry-run"],
        &["claude-code", "--yes", "--file", &elsewhere],
        &["cursor", "--yes"],
        &["codex", "--yes"],
    ] {
        let output = home.init_with(args, &[("PATH", &path)]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(!home.file("bin/asked").exists(), "{args:?}: {}", stderr(&output));
    }
    let output = home.init_with(&["claude-code", "--yes", "--json"], &[("PATH", &path)]);
    let told: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(
        (&told["metadata"]["changed"], &told["metadata"]["check"]["verdict"]),
        (&json!(false), &json!("connected")),
        "{told}"
    );
}

/// Runs `toolcrib uninit` in the home.
fn uninit(home: &Home, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_toolcrib"))
        .arg("uninit")
        .args(args)
        .current_dir(home.file("project"))
        .env_clear()
        .env("HOME", home.0.path())
        .output()
        .unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn what_init_has_added_uninit_removes_and_nothing_else() {
    for (client, file) in CLIENTS {
        let home = Home::new();
        // What the user had before, also where there was nothing.
        let own = match file.rsplit_once('.') {
            Some((_, "toml")) => "model = \"x\" # mine\n\n[mcp_servers.other]\ncommand = \"o\"\n",
            Some((_, "yaml")) => "# mine\nA: 1\nextensions:\n  other:\n    cmd: o\nB: 2\n",
            _ => "{\n  // mine\n  \"x\": 1.0\n}\n",
        };
        fs::create_dir_all(home.file(file).parent().unwrap()).unwrap();
        fs::write(home.file(file), own).unwrap();
        assert_eq!(home.init(&[client, "--yes"]).status.code(), Some(0), "{client}");
        let with = home.text(file);
        assert!(with.contains("toolcrib") && with != own, "{client}");
        let listed = uninit(&home, &[]);
        assert_eq!(stdout(&listed), format!("toolcrib uninit {client}\n"));
        let refused = uninit(&home, &[client]);
        assert_eq!((refused.status.code(), home.text(file)), (Some(1), with.clone()), "{client}");
        let dry = uninit(&home, &[client, "--dry-run"]);
        assert!(stdout(&dry).contains("\n-") && home.text(file) == with, "{client}: {}", stdout(&dry));
        let removed = uninit(&home, &[client, "--yes"]);
        assert!(stderr(&removed).starts_with("Removed Toolcrib from "), "{client}: {}", stderr(&removed));
        assert_eq!(home.text(file), own, "{client}");
        let again = uninit(&home, &[client, "--yes"]);
        assert!(stderr(&again).contains("does not have Toolcrib"), "{client}: {}", stderr(&again));
        assert_eq!((stdout(&again), home.text(file).as_str()), ("", own), "{client}");
    }
}

#[test]
fn what_was_wished_beside_the_server_goes_with_it() {
    let home = Home::new();
    let wishes = ["--trust", "--replace-built-ins", "--yes"];
    fs::create_dir(home.file(".claude")).unwrap();
    let settings = "{\n  \"permissions\": {\n    \"allow\": [\"WebFetch\"]\n  }\n}\n";
    fs::write(home.file(".claude/settings.json"), settings).unwrap();
    for (client, file) in [("claude-code", ".claude.json"), ("gemini", ".gemini/settings.json")] {
        assert_eq!(home.init(&[&[client][..], &wishes].concat()).status.code(), Some(0), "{client}");
        assert!(uninit(&home, &[client, "--yes"]).status.success(), "{client}");
        let left: Value = serde_json::from_str(&home.text(file)).unwrap();
        assert_eq!(left, json!({}), "{client}");
    }
    let left: Value = serde_json::from_str(&home.text(".claude/settings.json")).unwrap();
    assert_eq!(left, serde_json::from_str::<Value>(settings).unwrap());
    // Tools that the user has disabled otherwise stay disabled.
    let own = "{\"permissions\": {\"deny\": [\"Read\"]}}\n";
    fs::write(home.file(".claude/settings.json"), own).unwrap();
    home.init(&["claude-code", "--yes"]);
    uninit(&home, &["claude-code", "--yes"]);
    assert_eq!(home.text(".claude/settings.json"), own);
}

#[test]
#[cfg(target_os = "linux")]
fn without_a_name_the_installed_agents_are_offered() {
    let home = Home::new();
    let none = home.init(&[]);
    assert!(stderr(&none).starts_with("error: No known agent is installed\nhint: name one: claude-code, "));
    assert_eq!(none.status.code(), Some(1));
    fs::create_dir(home.file(".cursor")).unwrap();
    fs::create_dir_all(home.file("bin")).unwrap();
    fs::write(home.file("bin/codex"), "").unwrap();
    let path = home.file("bin").display().to_string();
    let on_path = [("PATH", path.as_str())];
    let listed = home.init_with(&[], &on_path);
    assert_eq!(stdout(&listed), "Codex   toolcrib init codex\nCursor  toolcrib init cursor\n");
    assert!(!home.file(".cursor/mcp.json").exists(), "in a pipe nothing is written");
    let (top, with_system) = (home.0.path().display().to_string(), format!("{path}:/usr/bin:/bin"));
    let variables = [("HOME", top.as_str()), ("PATH", &with_system), ("XDG_CONFIG_HOME", "")];
    let (_, screen) = on_a_terminal(&home.file("project"), "init", &variables, "n\ny\n");
    assert!(screen.contains("Codex was not changed."), "{screen}");
    assert!(screen.contains("Added Toolcrib to Cursor. Restart it to load the server."), "{screen}");
    assert!(home.file(".cursor/mcp.json").exists() && !home.file(".codex/config.toml").exists());
    let listed = home.init_with(&[], &on_path);
    assert!(stdout(&listed).contains("Cursor  has Toolcrib; `toolcrib uninit cursor` removes it\n"));
    let told: Value = serde_json::from_str(stdout(&home.init_with(&["--json"], &on_path))).unwrap();
    assert_eq!(told["metadata"]["agents"][1]["configured"], true, "{told}");
    assert!(home.init_with(&["--yes"], &on_path).status.success());
    assert!(home.text(".codex/config.toml").contains("mcp_servers.toolcrib"));
}

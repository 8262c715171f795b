//! What the rules say: protected names in every spelling, ordinary names left alone, who may change what.

use std::path::Path;

use toolcrib_access::{Access, Action, Origin, Policy, Rule, Subject};
use toolcrib_testkit::{ordinary_names, spellings};

fn judge(policy: &Policy, access: Access, relative: &str) -> Action {
    policy.judge(access, &Subject::inside(Path::new("/ws"), Path::new(relative))).action
}

fn rule(kind: Access, pattern: &str, action: Action, origin: Origin) -> Rule {
    Rule::new(kind, pattern, action, origin).unwrap()
}

#[test]
fn deny_beats_ask_beats_allow_whatever_the_order() {
    let (allow, ask, deny) = (Action::Allow, Action::Ask, Action::Deny);
    for order in [[allow, ask, deny], [deny, ask, allow], [ask, deny, allow]] {
        let rules = order.map(|action| rule(Access::Read, "notes/**", action, Origin::User));
        assert_eq!(judge(&Policy::new(rules), Access::Read, "notes/a"), deny);
    }
    let rules = [ask, allow].map(|action| rule(Access::Read, "notes/**", action, Origin::User));
    assert_eq!(judge(&Policy::new(rules), Access::Read, "notes/a"), ask);
}

#[test]
fn without_a_rule_inside_is_allowed_and_outside_is_asked_for() {
    let policy = Policy::default();
    assert_eq!(judge(&policy, Access::Read, "src/main.rs"), Action::Allow);
    assert_eq!(judge(&policy, Access::Edit, "src/main.rs"), Action::Allow);
    let outside = policy.judge(Access::ExternalDirectory, &Subject::outside(Path::new("/opt/x")));
    assert_eq!((outside.action, outside.rule), (Action::Ask, None));
}

#[test]
fn a_permissive_policy_has_the_fixed_rules_alone() {
    let (permissive, ordinary) = (Policy::permissive(), Policy::default());
    assert_eq!(judge(&ordinary, Access::Read, ".env"), Action::Deny);
    assert_eq!(judge(&permissive, Access::Read, ".env"), Action::Allow);
    let fixed = |policy: &Policy| {
        policy.rules().iter().filter(|rule| rule.origin == Origin::Fixed).cloned().collect::<Vec<_>>()
    };
    assert_eq!(permissive.rules(), fixed(&ordinary));
    assert!(!permissive.rules().is_empty());
}

#[test]
fn a_rule_of_the_users_lets_a_directory_in() {
    let policy =
        Policy::new([rule(Access::ExternalDirectory, "/opt/reference/**", Action::Allow, Origin::User)]);
    let outside =
        |path: &str| policy.judge(Access::ExternalDirectory, &Subject::outside(Path::new(path))).action;
    assert_eq!(outside("/opt/reference/a/b"), Action::Allow);
    assert_eq!(outside("/opt/reference-evil/a"), Action::Ask);
}

#[test]
fn the_verdict_names_the_rule() {
    let policy = Policy::default();
    let verdict = policy.judge(Access::Read, &Subject::inside(Path::new("/ws"), Path::new("a/.env")));
    assert_eq!(verdict.rule.unwrap().to_string(), "deny read **/.env");
    assert_eq!(verdict.rule.unwrap().origin, Origin::Default);
}

#[test]
fn a_user_changes_a_default_rule_by_naming_it() {
    let lifted = Policy::new([rule(Access::Read, "**/.env", Action::Allow, Origin::User)]);
    assert_eq!(judge(&lifted, Access::Read, ".env"), Action::Allow);
    assert_eq!(judge(&lifted, Access::Edit, ".env"), Action::Deny, "only reading was allowed");
    assert_eq!(judge(&lifted, Access::Read, ".env.local"), Action::Deny);
    let wide = Policy::new([rule(Access::Read, "**", Action::Allow, Origin::User)]);
    assert_eq!(judge(&wide, Access::Read, ".env"), Action::Deny, "a wider rule does not lift it by accident");
}

#[test]
fn a_workspace_can_only_tighten() {
    let policy = Policy::new([
        rule(Access::Read, "**/.env", Action::Allow, Origin::Workspace),
        rule(Access::Edit, "generated/**", Action::Deny, Origin::Workspace),
    ]);
    assert_eq!(judge(&policy, Access::Read, ".env"), Action::Deny);
    assert_eq!(judge(&policy, Access::Edit, "generated/a.rs"), Action::Deny);
    assert_eq!(policy.ignored().len(), 1);
}

#[test]
fn nobody_lets_agents_write_the_workspaces_own_rules() {
    for origin in [Origin::User, Origin::Workspace] {
        let policy = Policy::new([rule(Access::Edit, "**/.toolcrib.toml", Action::Allow, origin)]);
        assert_eq!(judge(&policy, Access::Edit, ".toolcrib.toml"), Action::Deny);
        assert_eq!(judge(&policy, Access::Edit, ".TOOLCRIB.toml"), Action::Deny);
        assert_eq!(judge(&policy, Access::Read, ".toolcrib.toml"), Action::Allow);
    }
}

#[test]
fn a_file_is_judged_by_every_name_it_has() {
    let policy = Policy::default();
    let named = Subject::inside(Path::new("/ws"), Path::new("harmless.txt"));
    let reached = Subject::inside(Path::new("/ws"), Path::new("secrets/.env"));
    assert_eq!(policy.judge(Access::Read, &named).action, Action::Allow);
    assert_eq!(policy.judge(Access::Read, &named.also(reached)).action, Action::Deny);
}

#[test]
fn protected_names_are_protected_in_every_spelling() {
    let policy = Policy::default();
    let mut tried = 0;
    for name in [
        ".env",
        "config/.env.production",
        "id_ed25519",
        ".ssh/id_rsa",
        "server.pem",
        ".netrc",
        ".aws/credentials",
    ] {
        let spellings = spellings(name);
        assert!(spellings.len() >= 40, "{}", spellings.len());
        for spelling in spellings {
            assert_eq!(judge(&policy, Access::Read, &spelling), Action::Deny, "{spelling:?}");
            assert_eq!(
                judge(&policy, Access::Edit, &format!("deep/er/{spelling}")),
                Action::Deny,
                "{spelling:?}"
            );
            tried += 2;
        }
    }
    for name in [
        ".git/config",
        ".git/hooks/pre-commit",
        ".git",
        "sub/.git/objects/ab/cd",
        ".toolcrib.toml",
        "git~1/config",
    ] {
        for spelling in spellings(name) {
            assert_eq!(judge(&policy, Access::Edit, &spelling), Action::Deny, "{spelling:?}");
            tried += 1;
        }
    }
    for name in [".vscode/tasks.json", ".mcp.json", ".claude/settings.json", ".cursor/mcp.json", ".zshrc"] {
        for spelling in spellings(name) {
            assert_eq!(judge(&policy, Access::Edit, &spelling), Action::Ask, "{spelling:?}");
            tried += 1;
        }
    }
    println!("{tried} spellings of protected names, 0 ways around");
}

#[test]
fn ordinary_names_are_left_alone() {
    let policy = Policy::default();
    let names = ordinary_names();
    assert!(names.len() >= 500, "{}", names.len());
    for name in &names {
        assert_eq!(judge(&policy, Access::Read, name), Action::Allow, "{name}");
        assert_eq!(judge(&policy, Access::Edit, name), Action::Allow, "{name}");
    }
    println!("{} ordinary names, 0 refusals", names.len());
}

#[test]
fn a_copy_of_a_secret_is_one() {
    let policy = Policy::default();
    for copy in [
        ".env~",
        "#.env#",
        ".#id_rsa",
        ".id_rsa.swp",
        "id_rsa.bak",
        "server.pem.2024-01-31",
        "Copy of .netrc",
        ".netrc (1)",
        ".ssh.bak/work",
        ".SSH-backup/work",
    ] {
        assert_eq!(judge(&policy, Access::Read, copy), Action::Deny, "{copy}");
        assert_eq!(judge(&policy, Access::Edit, copy), Action::Deny, "{copy}");
    }
    for other in ["main.rs~", "#notes#", "id_rsa.bak.rs", "bak", "a (1)", "env.bak"] {
        assert_eq!(judge(&policy, Access::Read, other), Action::Allow, "{other}");
    }
    // A copy of a script is not run.
    assert_eq!(judge(&policy, Access::Edit, ".bashrc"), Action::Ask);
    assert_eq!(judge(&policy, Access::Edit, ".bashrc.bak"), Action::Allow);
    let asked = Policy::new([rule(Access::Read, "notes.txt", Action::Ask, Origin::User)]);
    assert_eq!(judge(&asked, Access::Read, "notes.txt~"), Action::Ask, "the user's rules cover copies too");
}

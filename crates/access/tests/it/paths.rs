//! The two tables, path by path: secrets, places that make other programs run things, and everyday files.
//!
//! `paths.tsv` holds a decision with a reason for each path; it was written by hand and not made from the rules.

use std::path::{Path, PathBuf};

use toolcrib_access::{Access, Action, Policy, Subject};

struct Row {
    path: &'static str,
    read: Action,
    edit: Action,
    reason: &'static str,
}

fn rows() -> Vec<Row> {
    let lines = include_str!("paths.tsv").lines().filter(|line| !line.starts_with("# "));
    let action = |word: &str| match word {
        "allow" => Action::Allow,
        "ask" => Action::Ask,
        "deny" => Action::Deny,
        _ => panic!("no such action: {word}"),
    };
    lines
        .map(|line| {
            let [path, read, edit, reason] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("not four columns: {line}")
            };
            Row { path, read: action(read), edit: action(edit), reason }
        })
        .collect()
}

/// The root that a path is judged under, and the path in it.
fn root_of(path: &str) -> (PathBuf, &str) {
    match (path.strip_prefix("~/"), path.strip_prefix('/')) {
        (Some(rest), _) => (std::env::home_dir().unwrap(), rest),
        (None, Some(rest)) => ("/".into(), rest),
        (None, None) => ("/work/project".into(), path),
    }
}

fn judge(policy: &Policy, access: Access, root: &Path, path: &str) -> Action {
    policy.judge(access, &Subject::inside(root, Path::new(path))).action
}

#[test]
fn every_path_is_judged_as_it_was_decided() {
    let policy = Policy::default();
    let mut wrong = Vec::new();
    for row in rows() {
        let (root, path) = root_of(row.path);
        let verdict = [Access::Read, Access::Edit].map(|access| judge(&policy, access, &root, path));
        if verdict != [row.read, row.edit] {
            wrong.push(format!(
                "{}: {verdict:?} instead of {:?} ({})",
                row.path,
                [row.read, row.edit],
                row.reason
            ));
        }
        assert!(row.reason.len() > 3, "{} has no reason", row.path);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Wherever a project lies, a relative path in it is judged alike: also deeper, and below a second root.
#[test]
fn it_makes_no_difference_where_a_project_lies() {
    let policy = Policy::default();
    for row in rows().into_iter().filter(|row| !row.path.starts_with(['/', '~'])) {
        let deep = format!("packages/app/{}", row.path);
        for (root, path) in
            [("/work/project", deep.as_str()), ("/home/ada/.config/x", row.path), ("/", &deep)]
        {
            for (access, decided) in [(Access::Read, row.read), (Access::Edit, row.edit)] {
                assert_eq!(
                    judge(&policy, access, Path::new(root), path),
                    decided,
                    "{access} {path} in {root}"
                );
            }
        }
    }
}

/// `docs/security.md` says how many paths were decided.
#[test]
fn the_counts_are_those_of_the_document() {
    let rows = rows();
    let secrets = rows.iter().filter(|row| row.read != Action::Allow).count();
    let asked = rows.iter().filter(|row| row.read == Action::Allow && row.edit != Action::Allow).count();
    let everyday = rows.iter().filter(|row| row.edit == Action::Allow && row.read == Action::Allow).count();
    assert!(secrets >= 250 && asked >= 150 && everyday >= 150, "{secrets} {asked} {everyday}");
    assert_eq!(secrets + asked + everyday, rows.len());
    assert_eq!(rows.iter().filter(|row| row.reason.starts_with("everyday")).count(), everyday);

    let document = include_str!("../../../../docs/security.md");
    let total = rows.len();
    for line in [
        format!(
            "| secrets, and settings that may hold one | {secrets} | 0 can be read without a person's yes |"
        ),
        format!(
            "| places that make other programs run things | {asked} | 0 can be edited without a person's yes |"
        ),
        format!("| everyday files | {everyday} | 0 are asked about or denied |"),
        format!("**{total} paths**"),
    ] {
        assert!(document.contains(&line), "docs/security.md does not say: {line}");
    }
}

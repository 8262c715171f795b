//! The table that finds rules quickly never misses one.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use toolcrib_testkit::Random;

use super::pattern::Reach;
use super::*;

fn deny(pattern: &str) -> Rule {
    Rule::new(Access::Read, pattern, Action::Deny, Origin::User).unwrap()
}

fn only(rules: Vec<Rule>) -> Policy {
    Policy::of(Defaults::Fixed, rules, Vec::new())
}

/// The strictest rule, found by asking every one.
fn judged_by_all<'p>(policy: &'p Policy, access: Access, subject: &Subject) -> Option<&'p Rule> {
    let mut strictest: Option<&Rule> = None;
    for names in &subject.0 {
        let matching = policy.rules().iter().filter(|rule| rule.kind == access && rule.covers(names));
        for rule in matching {
            if strictest.is_none_or(|best| rule.action > best.action) {
                strictest = Some(rule);
            }
        }
    }
    strictest
}

const PATTERNS: &[&str] = &[
    "*.pem",
    "key",
    "private/**",
    "private/",
    "/ws/a/b/*.x",
    "**/a/b*/**",
    "a?c",
    "*.tar.gz",
    "*.Ä",
    "x. ",
    "[ab]c",
    "src/*/secret",
    "**",
    "*",
    "*.x.",
    "b*",
    "**/b/**",
    "a/**/b",
    "{a,b}/c",
    "ﬁ*",
    "FI",
    "/ws/**",
    "**/ws/**",
    "/**",
    "*/key",
    "**/a/**/key",
    "**/a/**/*y",
    "ke?",
    "*.txt?",
    "ß",
    "?",
    "[!a]",
    "**/[!a]/**",
    "**/*a/**",
    "src/**",
    "/*/a/**",
];

const NAMES: &[&str] = &[
    "a",
    "b",
    "c",
    "x",
    "abc",
    "key",
    "KEY",
    "private",
    "b.pem",
    "x.PEM. ",
    "ﬁ",
    "fi",
    "a.x",
    "secret",
    "src",
    "key~",
    "b.pem.bak",
    "key (1)",
    "#key#",
    "a.txt.",
    "ß",
    "ss",
    "aßc",
    "x.",
    "a.old",
    ".key.swp",
    "x.ä",
    "q.tar.gz",
    "A",
];

#[test]
fn no_rule_is_missed() {
    let mut refused = 0;
    for pattern in PATTERNS {
        for reach in [Origin::User, Origin::Workspace] {
            let policy = only(vec![Rule { origin: reach, ..deny(pattern) }]);
            for (one, two, three) in triples() {
                let (root, directory) = (Path::new("/ws"), Path::new(one).join(two));
                let subject = Subject::inside(root, &directory.join(three));
                let verdict = policy.judge(Access::Read, &subject);
                assert_eq!(
                    verdict.rule.is_some(),
                    judged_by_all(&policy, Access::Read, &subject).is_some(),
                    "{pattern} {one}/{two}/{three}"
                );
                if verdict.action == Action::Allow {
                    continue;
                }
                refused += 1;
                let within = policy.may_refuse_all_in(Access::Read, &Subject::inside(root, &directory));
                assert!(
                    within || policy.may_refuse(Access::Read, OsStr::new(three)),
                    "{pattern} {one}/{two}/{three}"
                );
            }
        }
    }
    assert!(refused > 10_000, "{refused}");
}

fn triples() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let pairs = NAMES.iter().step_by(3).flat_map(|one| NAMES.iter().step_by(5).map(move |two| (*one, *two)));
    pairs.flat_map(|(one, two)| NAMES.iter().map(move |three| (one, two, *three)))
}

/// Random policies of many rules over random paths: the same verdict, because of the same rule.
#[test]
fn the_strictest_rule_decides_however_it_is_found() {
    let mut random = Random(3);
    let mut decided = 0;
    for _ in 0..200 {
        let rules = (0..30).map(|_| {
            let action = random.pick(&[Action::Allow, Action::Ask, Action::Deny]);
            let origin = random.pick(&[Origin::User, Origin::Workspace]);
            let rule = Rule::new(Access::Read, random.pick(PATTERNS), action, origin).unwrap();
            if random.once_in(3) { rule.except(random.pick(PATTERNS)).unwrap() } else { rule }
        });
        let policy = only(rules.collect());
        for _ in 0..50 {
            let path: PathBuf = (0..=random.below(4)).map(|_| random.pick(NAMES)).collect();
            let roots = [Path::new("/ws"), Path::new("/"), Path::new("/ws/a")];
            let project = random.once_in(2);
            let named = roots.map(|path| RootName { path, project });
            let subject = Subject::under(named, &Path::new("/ws").join(&path));
            let (found, all) =
                (policy.judge(Access::Read, &subject).rule, judged_by_all(&policy, Access::Read, &subject));
            assert_eq!(found, all, "{path:?}");
            decided += u32::from(found.is_some());
        }
    }
    assert!(decided > 5_000, "{decided}");
}

/// The rules that come with Toolcrib over the paths that were decided: every rule asked, and the table.
#[test]
fn no_default_rule_is_missed() {
    let policy = Policy::default();
    let mut refused = 0;
    for line in include_str!("../../tests/it/paths.tsv").lines().filter(|line| !line.starts_with("# ")) {
        let path = Path::new(line.split('\t').next().unwrap().trim_start_matches(['/', '~']));
        for (root, access) in
            [("/", Access::Read), ("/", Access::Edit), ("/ws", Access::Read), ("/ws", Access::Edit)]
        {
            let subject = Subject::inside(Path::new(root), path);
            let rule = policy.judge(access, &subject).rule;
            assert_eq!(rule, judged_by_all(&policy, access, &subject), "{path:?} in {root}");
            refused += u32::from(rule.is_some());
        }
    }
    assert!(refused > 1_000, "{refused}");
}

#[test]
fn names_that_no_rule_means_need_no_long_look() {
    let policy = Policy::default();
    let may = |name: &str| policy.may_refuse(Access::Read, OsStr::new(name));
    let plain = [
        "main.rs",
        "Makefile",
        "README.md",
        "index.html",
        ".gitignore",
        "x.pub",
        "env",
        "a.environment",
        "package.json",
        "data-2024.csv",
        "photo (1).jpg",
        "lib.so.6",
        "notes.bak",
        "Straße.txt",
        "データ.json",
        "tokenizer.py",
    ];
    assert_eq!(plain.iter().filter(|name| may(name)).collect::<Vec<_>>(), Vec::<&&str>::new());
    let suspicious = [
        ".env",
        ".ENV",
        ".env. ",
        ".env.local",
        "prod.env",
        "x.PEM",
        "id_rsa",
        ".Netrc",
        "．env",
        "id_rsa.bak",
        ".env~",
        "Copy of id_rsa",
        "credentials (1).json",
        ".id_ed25519.swp",
    ];
    assert_eq!(suspicious.iter().filter(|name| !may(name)).collect::<Vec<_>>(), Vec::<&&str>::new());
    let within = |root: &str, path: &str| {
        policy.may_refuse_all_in(Access::Read, &Subject::inside(Path::new(root), Path::new(path)))
    };
    assert!(!within("/ws", "") && !within("/ws", "src/deep"));
    assert!(within("/ws", ".ssh") && within("/ws", "home/.SSH/deep") && within("/ws", ".ssh.bak"));
    assert!(within("/home/ada/.ssh", "") && within("/home/ada/.aws/sso", "cache"));
}

/// What is above a root counts for a rule as far as the rule reaches.
#[test]
fn how_far_a_rule_looks_above_a_root() {
    let judge = |reach: Reach, project: bool, path: &str| {
        let group: &'static Group = Box::leak(Box::new(Group { label: "", reason: "", reach }));
        let rule = Rule { group: Some(group), ..deny("**/.x/**") };
        let subject = Subject::under([RootName { path: Path::new("/h/.x/r"), project }], Path::new(path));
        only(vec![rule]).judge(Access::Read, &subject).action == Action::Deny
    };
    assert!(judge(Reach::Everywhere, true, "/h/.x/r/a"));
    assert!(judge(Reach::Projects, false, "/h/.x/r/a") && !judge(Reach::Projects, true, "/h/.x/r/a"));
    assert!(!judge(Reach::Roots, false, "/h/.x/r/a") && !judge(Reach::Inside, false, "/h/.x/r/a"));
    for reach in [Reach::Everywhere, Reach::Projects, Reach::Roots, Reach::Inside] {
        assert!(judge(reach, true, "/h/.x/r/.x/a"), "{reach:?}");
    }
}

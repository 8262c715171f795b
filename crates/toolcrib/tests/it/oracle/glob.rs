//! Glob beside fd.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;
use toolcrib_testkit::Random;

use super::{CALLS, EXCLUDED, TREES, Tree, ask, is_hidden, with_global_excludes};

#[test]
fn glob_finds_what_fd_finds() {
    with_global_excludes("oracle::glob::glob_finds_what_fd_finds", || {
        let mut found = 0;
        for seed in 0..TREES {
            let tree = Tree::new(seed + 100);
            let mut random = Random(seed as u64 * 104_729 + 5);
            for _ in 0..CALLS / TREES {
                found += Search::new(&tree, &mut random).check(&tree);
            }
        }
        println!("{CALLS} calls of Glob over {TREES} trees: {found} paths as fd has them");
        assert!(found > CALLS, "most calls should find something: {found}");
    });
}

/// Parts of patterns. What stands for directories may be repeated.
const INNER: &[&str] = &[
    "**",
    "**",
    "**",
    "*",
    "src",
    "lib",
    "{src,docs}",
    "[a-l]*",
    "deep",
    "*e*",
    "a b",
    "weird\\[1\\]",
    "build",
    "t*s",
];
const LAST: &[&str] = &[
    "*",
    "**",
    "*.rs",
    "*.{c,py}",
    "main.*",
    "?ata*",
    "[!a-m]*",
    "*.md",
    "README*",
    "*.min.js",
    "é*",
    "x-y.??",
    "[m]ain*",
    "link*",
    "\\[id\\]*",
    "*.{ts,tsx}",
    "*",
];

struct Search {
    directory: String,
    pattern: String,
    hidden: bool,
    ignored: bool,
    directories: bool,
}

impl Search {
    fn new(tree: &Tree, random: &mut Random) -> Self {
        let mut parts: Vec<&str> = (0..random.below(3)).map(|_| random.pick(INNER)).collect();
        parts.push(random.pick(LAST));
        let below = random.once_in(4) && !tree.directories.is_empty();
        Self {
            directory: if below { random.pick(&tree.directories) } else { String::new() },
            pattern: parts.join("/"),
            hidden: random.once_in(3),
            ignored: random.once_in(3),
            directories: random.once_in(3),
        }
    }

    fn check(&self, tree: &Tree) -> usize {
        let (ours, theirs) = (self.ours(tree), self.theirs(tree));
        let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            one.difference(other).take(8).cloned().collect::<Vec<_>>()
        };
        assert!(
            ours == theirs,
            "'{}' in '{}' of {}, hidden {}, ignored {}, directories {}\nonly ours: {:?}\nonly theirs: {:?}",
            self.pattern,
            self.directory,
            tree.twin.display(),
            self.hidden,
            self.ignored,
            self.directories,
            only(&ours, &theirs),
            only(&theirs, &ours)
        );
        ours.len()
    }

    fn ours(&self, tree: &Tree) -> BTreeSet<String> {
        let parameters = json!({
            "pattern": self.pattern,
            "path": if self.directory.is_empty() { "." } else { &self.directory },
            "includeHidden": self.hidden,
            "noIgnore": self.ignored,
            "includeDirectories": self.directories,
            "limit": 1000,
        });
        let result = tree.toolbox.call_blocking("glob", parameters, &tree.context);
        assert!(result.success, "{}: {:?}", self.pattern, result.error);
        assert_eq!(result.output["truncated"], false);
        let paths = result.output["files"].as_array().unwrap().iter();
        let paths: Vec<String> = paths.map(|path| path.as_str().unwrap().to_owned()).collect();
        newest_first(&tree.root, &paths);
        // Files that the twin lacks: other data, whose content does not matter here.
        paths.into_iter().filter(|path| tree.twin.join(path).symlink_metadata().is_ok()).collect()
    }

    fn theirs(&self, tree: &Tree) -> BTreeSet<String> {
        let top = match self.directory.as_str() {
            "" => tree.twin.clone(),
            directory => tree.twin.join(directory),
        };
        let mut arguments: Vec<String> =
            ["--threads=1", "--glob", "--full-path", "--case-sensitive", "--print0", "--type=f", "--type=l"]
                .map(str::to_owned)
                .into();
        arguments.extend(self.directories.then(|| "--type=d".to_owned()));
        arguments.extend(self.hidden.then(|| "--hidden".to_owned()));
        if self.ignored {
            arguments.push("--no-ignore".to_owned());
        } else {
            arguments.extend(EXCLUDED.iter().flat_map(|name| ["--exclude".to_owned(), (*name).to_owned()]));
        }
        let escaped = top.to_str().unwrap().replace('[', "\\[").replace(']', "\\]");
        arguments.push(format!("{escaped}/{}", self.pattern));
        let printed = String::from_utf8(ask("fdfind", &arguments, &top)).unwrap();
        let paths =
            printed.split_terminator('\0').map(|path| path.trim_start_matches("./").trim_end_matches('/'));
        // A link to a directory is shown where directories are; what a link outside leads to is not looked at.
        let shown = |path: &&str| {
            let path = top.join(path);
            let target = path.canonicalize().unwrap_or_default();
            self.directories || !(path.is_symlink() && target.is_dir() && target.starts_with(&tree.twin))
        };
        let visible = |path: &&str| self.hidden || !is_hidden(path);
        let at = |path: &str| match self.directory.as_str() {
            "" => path.to_owned(),
            directory => format!("{directory}/{path}"),
        };
        paths.filter(shown).filter(visible).map(at).collect()
    }
}

/// Ties by path, so that pages do not overlap.
fn newest_first(root: &Path, paths: &[String]) {
    let time = |path: &String| root.join(path).symlink_metadata().unwrap().modified().unwrap();
    for pair in paths.windows(2) {
        let ordered =
            time(&pair[0]) > time(&pair[1]) || (time(&pair[0]) == time(&pair[1]) && pair[0] < pair[1]);
        assert!(ordered, "{pair:?}");
    }
}

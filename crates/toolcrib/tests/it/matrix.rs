//! Every tool on every kind of file, under every form of path, through every form of link: the plain operating system says
//! what is there, and the tool may show it if and only if it lies inside.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use toolcrib::{ToolResult, Toolbox};
use toolcrib_testkit::limits::Work;
use toolcrib_testkit::{CANARY, Tree, quick_dir};

use crate::probes::{Does, Probe, every_tool};

/// What is there.
const KINDS: [&str; 10] = [
    "text",
    "empty",
    "directory",
    "fifo",
    "socket",
    "missing",
    "hard-link",
    "nested",
    "spaced name",
    "-dashed",
];

/// How the path is written; `{}` is the name.
const FORMS: [&str; 14] = [
    "{}",
    "./{}",
    "sub/../{}",
    "sub/deep/../../{}",
    ".//{}",
    "{}/",
    "{}/.",
    "{}/../{}",
    "../ws/{}",
    "missing/../{}",
    "../outside/{}",
    "../../{}",
    "sub/./../{}",
    "text/../{}",
];

/// Through what it is reached; `{}` is the path so far.
const LINKS: [&str; 13] = [
    "none",
    "relative",
    "absolute",
    "chain",
    "through a directory",
    "through an absolute directory",
    "dangling",
    "loop",
    "outside",
    "outside relative",
    "outside directory",
    "outside by dots",
    "proc",
];

struct World {
    base: TempDir,
    _socket: UnixListener,
}

/// A file with two names. A change gives the one a file of its own, and the other keeps the old content.
fn link_hard(ws: &Path) {
    let [source, link] = ["hard-link-source", "hard-link"].map(|name| ws.join(name));
    if source.exists() {
        assert_eq!(fs::read_to_string(&source).unwrap(), "inside\n", "another name of a changed file");
        _ = fs::remove_file(&link);
    }
    fs::write(&source, "inside\n").unwrap();
    fs::hard_link(source, link).unwrap();
}

impl World {
    fn new() -> Self {
        let base = quick_dir();
        let ws = base.path().join("ws");
        fs::create_dir_all(base.path().join("outside")).unwrap();
        lay_out(&ws);
        link_hard(&ws);
        for kind in KINDS {
            fs::write(base.path().join("outside").join(kind), format!("{CANARY}\n")).unwrap();
        }
        assert!(std::process::Command::new("mkfifo").arg(ws.join("fifo")).status().unwrap().success());
        let socket = UnixListener::bind(ws.join("socket")).unwrap();
        Self { base, _socket: socket }
    }

    fn root(&self) -> PathBuf {
        self.base.path().join("ws")
    }

    fn outside(&self) -> Tree {
        Tree::read(&self.base.path().join("outside"))
    }

    /// Puts back what a call may have changed.
    fn restore(&self) {
        _ = fs::remove_file(self.root().join("moved-here"));
        _ = fs::remove_dir_all(self.root().join("moved-here"));
        lay_out(&self.root());
        link_hard(&self.root());
        _ = fs::remove_file(self.root().join("missing"));
        _ = fs::remove_dir_all(self.root().join("missing"));
    }

    /// Makes the link and gives the path that goes through it.
    fn path(&self, kind: &str, form: &str, link: &str) -> PathBuf {
        let (root, outside) = (self.root(), self.base.path().join("outside"));
        let target = form.replace("{}", kind);
        let links = root.join("links");
        _ = fs::remove_dir_all(&links);
        fs::create_dir(&links).unwrap();
        let make = |target: PathBuf, name: &str| symlink(target, links.join(name)).unwrap();
        match link {
            "none" => return root.join(target),
            "relative" => make(Path::new("..").join(target), "l"),
            "absolute" => make(root.join(target), "l"),
            "chain" => {
                make("b".into(), "l");
                make("c".into(), "b");
                make(Path::new("..").join(target), "c");
            }
            "through a directory" => {
                make("..".into(), "up");
                return links.join("up").join(target);
            }
            "through an absolute directory" => {
                make(root.clone(), "up");
                return links.join("up").join(target);
            }
            "dangling" => make("nowhere".into(), "l"),
            "loop" => {
                make("b".into(), "l");
                make("l".into(), "b");
            }
            "outside" => make(outside.join(kind), "l"),
            "outside relative" => make(Path::new("../../outside").join(kind), "l"),
            "outside directory" => {
                make(outside, "up");
                return links.join("up").join(kind);
            }
            "outside by dots" => make(
                Path::new("../../../../../../../../../../../..")
                    .join(outside.strip_prefix("/").unwrap())
                    .join(kind),
                "l",
            ),
            _ => make(
                PathBuf::from("/proc/self/root").join(outside.strip_prefix("/").unwrap()).join(kind),
                "l",
            ),
        }
        links.join("l")
    }
}

fn lay_out(ws: &Path) {
    for name in ["sub/deep", "directory", "nested"] {
        fs::create_dir_all(ws.join(name)).unwrap();
    }
    for name in ["text", "spaced name", "-dashed", "nested/file"] {
        fs::write(ws.join(name), "inside\n").unwrap();
    }
    fs::write(ws.join("empty"), "").unwrap();
}

/// What the operating system finds at a path, and whether it lies inside.
#[derive(Debug, PartialEq)]
enum Found {
    Text(String),
    Directory,
    Other,
    Outside,
    Nothing,
}

fn oracle(root: &Path, path: &Path) -> Found {
    let Ok(real) = fs::canonicalize(path) else { return Found::Nothing };
    if !real.starts_with(root) {
        return Found::Outside;
    }
    match fs::metadata(&real) {
        // A slash after the name of a file is an error to the system, which the metadata of the real path hides.
        Ok(meta) if meta.is_file() && fs::metadata(path).is_ok() => {
            Found::Text(fs::read_to_string(&real).unwrap())
        }
        Ok(meta) if fs::metadata(path).is_ok() => {
            if meta.is_dir() {
                Found::Directory
            } else {
                Found::Other
            }
        }
        _ => Found::Nothing,
    }
}

/// Whether the path names a symbolic link that lies inside, wherever it leads. Only the link is deleted.
fn is_link_inside(root: &Path, path: &Path) -> bool {
    let lies_inside = path
        .parent()
        .is_some_and(|parent| fs::canonicalize(parent).is_ok_and(|parent| parent.starts_with(root)));
    lies_inside && fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink())
}

fn shown(result: &ToolResult) -> String {
    serde_json::to_string(result).unwrap()
}

#[test]
fn every_tool_shows_what_the_system_has_inside_and_nothing_else() {
    let world = World::new();
    let root = fs::canonicalize(world.root()).unwrap();
    let mut cases = 0_usize;
    let mut slowest = Duration::ZERO;
    let outside = world.outside();
    // Both dialects stand on the same operations, so each case is tried in one of them, in turns.
    for probe in every_tool() {
        let Probe { dialect, tool, does, .. } = probe;
        let toolbox = Toolbox::builder().root(world.root()).dialect(dialect).more_tools(true).open().unwrap();
        for kind in KINDS {
            for form in FORMS {
                for link in probe.in_turns(LINKS) {
                    let mut path = world.path(kind, form, link);
                    let call = probe.aim_exactly(&world.root(), &path);
                    let mut climbs = false;
                    if probe.is_patch() {
                        // It is named from the root, so a slash at the end has no meaning, and `..` cancels a name.
                        let below = without_dots(path.strip_prefix(world.root()).unwrap());
                        climbs = below.is_none();
                        path = world.root().join(below.unwrap_or_default());
                    }
                    let found = oracle(&root, &path);
                    let is_link = is_link_inside(&root, &path);
                    let began = Work::begin();
                    let result = toolbox.call_blocking(tool, call, &toolbox.context());
                    slowest = slowest.max(began.so_far());
                    let case = format!("{dialect} {tool} {kind:?} {form:?} {link:?}");
                    // The error for a link that leaves names where it leads; the canary is in the content only.
                    assert!(!(result.success && shown(&result).contains(CANARY)), "{case}: escaped");
                    // A search takes files and directories alike.
                    let searched =
                        matches!(does, Does::Search | Does::ReadOrList) && found == Found::Directory;
                    if climbs {
                        assert_eq!(kind_of(&result), "invalid_parameter", "{case}");
                        assert_eq!(world.outside(), outside, "{case}: changed what is outside");
                    } else if does == Does::List || searched {
                        judge_directory(&found, &result, &case);
                    } else if does == Does::Stat {
                        judge_looking(&found, &result, &case);
                    } else if does == Does::Media {
                        let holds = matches!(found, Found::Text(_));
                        assert_eq!(result.success, holds, "{case}: {:?}", result.error);
                    } else if does == Does::ReadMany {
                        judge_reading_many(&found, &result, &case);
                    } else if matches!(does, Does::Read | Does::Search | Does::ReadOrList) {
                        judge_reading(&found, &result, &case);
                    } else if is_link && matches!(does, Does::Delete | Does::DeleteAll) {
                        assert!(result.success, "{case}: {:?}", result.error);
                        assert!(fs::symlink_metadata(&path).is_err(), "{case}: still there");
                        assert_eq!(world.outside(), outside, "{case}: changed what is outside");
                        world.restore();
                    } else if does == Does::MakeDirectory {
                        judge_making(&found, &result, &case);
                        assert_eq!(world.outside(), outside, "{case}: changed what is outside");
                        world.restore();
                    } else {
                        judge_change(&found, &result, &case, &probe);
                        assert_eq!(world.outside(), outside, "{case}: changed what is outside");
                        world.restore();
                    }
                    cases += 1;
                }
            }
        }
    }
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
    println!("{cases} cases, 0 escapes, 0 differences; the slowest took {slowest:?}");
}

/// A path with `..` worked out as patches have it; none if it leads higher than it starts.
fn without_dots(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => plain.pop().then_some(())?,
            part => plain.push(part),
        }
    }
    Some(plain)
}

fn kind_of(result: &ToolResult) -> &str {
    result.metadata.get("error_kind").and_then(|kind| kind.as_str()).unwrap_or("ok")
}

/// A change is made where the system has a text inside, or nothing; and nowhere else.
fn judge_change(found: &Found, result: &ToolResult, case: &str, probe: &Probe) {
    let kind = kind_of(result);
    let replaces = matches!(probe.does, Does::Replace | Does::Create);
    // Of an empty file there is nothing to replace, but it can be added to or taken away.
    let any = probe.is_patch() || probe.takes_away() || probe.does == Does::Insert;
    match found {
        Found::Outside => assert_eq!(kind, "outside_workspace", "{case}"),
        Found::Text(_) if probe.does == Does::NotebookEdit => assert_eq!(kind, "unsupported", "{case}"),
        Found::Text(_) if probe.does == Does::Create => assert_eq!(kind, "already_exists", "{case}"),
        // What is taken away is meant by its own name, not by a link to it.
        Found::Directory if probe.takes_away() && kind == "unsupported" => {
            assert!(!case.ends_with("\"none\""), "{case}")
        }
        Found::Directory if matches!(probe.does, Does::Move | Does::DeleteAll) => {
            assert!(result.success || kind == "invalid_parameter", "{case}: {:?}", result.error)
        }
        Found::Directory => assert_eq!(kind, "is_directory", "{case}"),
        Found::Other => assert_eq!(kind, "not_regular", "{case}"),
        Found::Text(_) if probe.takes_away() && kind == "unsupported" => {
            assert!(!case.ends_with("\"none\""), "{case}")
        }
        Found::Text(text) if replaces || any || !text.is_empty() => {
            assert!(result.success, "{case}: {:?}", result.error)
        }
        Found::Text(_) => assert_eq!(kind, "not_found", "{case}"),
        Found::Nothing => assert!(replaces || !result.success, "{case}"),
    }
}

/// A directory is made where nothing is, inside; one that exists is no error.
fn judge_making(found: &Found, result: &ToolResult, case: &str) {
    match found {
        Found::Outside => assert_eq!(kind_of(result), "outside_workspace", "{case}"),
        Found::Directory => assert!(result.success, "{case}: {:?}", result.error),
        Found::Text(_) | Found::Other => assert!(!result.success, "{case}"),
        Found::Nothing => {}
    }
}

/// What is looked at is there, and inside.
fn judge_looking(found: &Found, result: &ToolResult, case: &str) {
    match found {
        Found::Text(_) | Found::Directory => assert!(result.success, "{case}: {:?}", result.error),
        other => judge_reading(other, result, case),
    }
}

/// A file that cannot be read is told among the others.
fn judge_reading_many(found: &Found, result: &ToolResult, case: &str) {
    assert!(result.success, "{case}: {:?}", result.error);
    if let Found::Text(text) = found {
        assert!(shown(result).contains(text.trim_end()), "{case}");
    }
}

/// What is read is what the system has.
fn judge_reading(found: &Found, result: &ToolResult, case: &str) {
    let kind = kind_of(result);
    match found {
        Found::Text(text) if text.is_empty() => assert!(result.success, "{case}: {kind}"),
        Found::Text(text) => {
            assert!(result.success && shown(result).contains(text.trim_end()), "{case}: {kind}")
        }
        Found::Directory => assert_eq!(kind, "is_directory", "{case}"),
        Found::Other => assert_eq!(kind, "not_regular", "{case}"),
        Found::Outside => assert_eq!(kind, "outside_workspace", "{case}"),
        Found::Nothing => assert!(
            matches!(kind, "not_found" | "not_directory" | "outside_workspace" | "invalid_parameter"),
            "{case}: {kind}"
        ),
    }
}

/// The same for a tool that looks into a directory.
fn judge_directory(found: &Found, result: &ToolResult, case: &str) {
    let kind = kind_of(result);
    match found {
        Found::Directory => assert_eq!(kind, "ok", "{case}"),
        Found::Text(_) | Found::Other => assert_eq!(kind, "not_directory", "{case}"),
        Found::Outside => assert_eq!(kind, "outside_workspace", "{case}"),
        // In one dialect a directory that does not exist has nothing in it.
        Found::Nothing if kind == "ok" => assert_eq!(result.output["count"], 0, "{case}"),
        Found::Nothing => assert!(
            matches!(kind, "not_found" | "not_directory" | "outside_workspace" | "invalid_parameter"),
            "{case}: {kind}"
        ),
    }
}

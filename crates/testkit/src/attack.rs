//! Swap races: a thread exchanges a part of a path for a link that leads outside, again and again, while a tool uses it.
//!
//! Inside, `ws/d/e/file` holds [`INSIDE`]; outside, `outside/d/e/file` holds [`CANARY`]. A tool that ever shows the canary,
//! or changes anything outside, has lost. Each attack can be tried on a plain open as well: if it never wins there, it is
//! no attack.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use tempfile::TempDir;

use crate::{Tree, quick_dir};

/// What the file inside holds.
pub const INSIDE: &str = "inside the workspace\n";
/// What no tool may ever show: the content of the file outside, and a name beside it.
pub const CANARY: &str = "canary";

/// A workspace, and something outside it to be kept from.
pub struct Arena {
    base: TempDir,
}

impl Default for Arena {
    fn default() -> Self {
        let base = quick_dir();
        for (root, text) in [("ws", INSIDE), ("outside", "canary: outside\n")] {
            fs::create_dir_all(base.path().join(root).join("d/e")).unwrap();
            fs::write(base.path().join(root).join("d/e/file"), text).unwrap();
        }
        fs::write(base.path().join("outside/d/e/canary-name"), "canary: outside\n").unwrap();
        fs::write(base.path().join("outside/d/canary-name"), "canary: outside\n").unwrap();
        Self { base }
    }
}

impl Arena {
    /// The workspace's root.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.base.path().join("ws")
    }

    /// Everything outside, to be compared.
    #[must_use]
    pub fn outside(&self) -> Tree {
        Tree::read(&self.base.path().join("outside"))
    }
}

/// One way to attack: what is swapped, how, and how the victim spells the path.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    target: Target,
    link: Link,
    method: Method,
    spelling: Spelling,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    File,
    Parent,
    Grandparent,
}

#[derive(Clone, Copy, Debug)]
enum Link {
    Absolute,
    Relative,
}

#[derive(Clone, Copy, Debug)]
enum Method {
    /// Both change places in one step.
    Exchange,
    /// One is moved away, then the other takes its place.
    TwoSteps,
}

#[derive(Clone, Copy, Debug)]
enum Spelling {
    Plain,
    /// With `.` and `..` on the way.
    Detour,
}

impl Attack {
    /// Every combination: 24.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for target in [Target::File, Target::Parent, Target::Grandparent] {
            for link in [Link::Absolute, Link::Relative] {
                for method in [Method::Exchange, Method::TwoSteps] {
                    for spelling in [Spelling::Plain, Spelling::Detour] {
                        all.push(Self { target, link, method, spelling });
                    }
                }
            }
        }
        all
    }

    /// The file that the victim asks for.
    #[must_use]
    pub fn file(&self, arena: &Arena) -> PathBuf {
        arena.root().join(match self.spelling {
            Spelling::Plain => "d/e/file",
            Spelling::Detour => "./d/e/../e/./file",
        })
    }

    /// Lets the victim work while its path is swapped, and puts everything back afterwards.
    pub fn run<R>(&self, arena: &Arena, victim: impl FnOnce() -> R) -> R {
        let pair = self.lay_out(arena);
        let over = AtomicBool::new(false);
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    self.swap(&pair);
                }
            });
            let result = victim();
            over.store(true, Ordering::Relaxed);
            result
        });
        pair.clear_up();
        result
    }

    /// How often, in so many tries, a plain open is led outside.
    #[must_use]
    pub fn wins_against_a_plain_open(&self, arena: &Arena, tries: usize) -> usize {
        let file = self.file(arena);
        self.run(arena, || {
            let reads = (0..tries).filter_map(|_| fs::read_to_string(&file).ok());
            reads.filter(|text| text.contains(CANARY)).count()
        })
    }

    fn lay_out(&self, arena: &Arena) -> Pair {
        let (name, up) = match self.target {
            Target::File => ("d/e/file", "../../.."),
            Target::Parent => ("d/e", "../.."),
            Target::Grandparent => ("d", ".."),
        };
        let real = arena.root().join(name);
        let other = real.with_extension("other");
        let outside = match self.link {
            Link::Absolute => arena.base.path().join("outside").join(name),
            Link::Relative => Path::new(up).join("outside").join(name),
        };
        symlink(outside, &other).unwrap();
        Pair { real, other }
    }

    fn swap(&self, pair: &Pair) {
        // A victim that changes files may be in the way for a moment; the next swap comes soon enough.
        match self.method {
            Method::Exchange => _ = renameat_with(CWD, &pair.real, CWD, &pair.other, RenameFlags::EXCHANGE),
            Method::TwoSteps => {
                let away = pair.real.with_extension("away");
                if fs::rename(&pair.real, &away).is_ok() {
                    _ = fs::rename(&pair.other, &pair.real);
                    _ = fs::rename(&away, &pair.other);
                }
            }
        }
    }
}

/// The real thing and the link, one under each name.
struct Pair {
    real: PathBuf,
    other: PathBuf,
}

impl Pair {
    /// Puts both back. A victim that makes files may have made one where the attacker had left a gap; then it stays.
    fn clear_up(&self) {
        if self.real.is_symlink() {
            _ = renameat_with(CWD, &self.real, CWD, &self.other, RenameFlags::EXCHANGE);
        }
        if self.other.is_symlink() {
            _ = fs::remove_file(&self.other);
        }
    }
}

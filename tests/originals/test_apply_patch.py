"""`apply_patch` beside Codex's: the same patches on equal files, written by hand and generated from a seed.

What is on the disk afterwards must be equal wherever both apply a patch, and a patch that Codex applies must not be refused, but
for the reasons that are named here. Toolcrib may apply what Codex refuses.
"""

import os
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from support import MODULES, TOOLCRIB, environment, on_disk, place

PATCHES = 330
SEED = 7

# Why a patch that Codex applies is refused. The sentence of the refusal has to say so.
REASONS = {
    "more than one place": "Codex changes the first of several places that fit",
    "exists": "Codex overwrites a file that is added or moved onto",
}


def codex() -> Path:
    vendor = MODULES / "@openai"
    (binary,) = [path for path in vendor.rglob("codex") if path.is_file() and os.access(path, os.X_OK) and "vendor" in path.parts]
    return binary


def named(program: Path, folder: Path) -> Path:
    """The program under the name by which models call it."""
    folder.mkdir()
    link = folder / "apply_patch"
    link.symlink_to(program.resolve())
    return link


@dataclass
class Run:
    """What a program made of a patch."""

    before: dict
    after: dict
    status: int
    stdout: str
    stderr: str

    @property
    def applied(self) -> bool:
        return self.status == 0

    @property
    def unchanged(self) -> bool:
        return self.after == self.before

    @property
    def rows(self) -> set:
        """The files that the answer names."""
        return {line for line in self.stdout.splitlines() if line[:2] in ("A ", "M ", "D ")}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Applies a patch with Codex and with Toolcrib, each to a copy of the files."""
    folder = tmp_path_factory.mktemp("apply_patch")
    programs = {"codex": named(codex(), folder / "a"), "toolcrib": named(TOOLCRIB, folder / "b")}
    env = environment(folder / "state")

    def apply(files: dict, patch: str) -> list:
        runs = []
        for name, program in programs.items():
            root = folder / name
            place(root, files)
            before = on_disk(root)
            done = subprocess.run([program, patch], cwd=root, env=env, capture_output=True, text=True, timeout=60)
            runs.append(Run(before, on_disk(root), done.returncode, done.stdout, done.stderr))
            shutil.rmtree(root)
        return runs

    return apply


WORDS = ["alpha", "beta", "gamma", "delta", "return x", "if done:", "    pass", "}", "", "  let y = 1;", "# end"]


def some_file(rng: random.Random) -> list:
    # Numbers make most lines differ; some files repeat themselves.
    plain = rng.random() < 0.25
    return [rng.choice(WORDS) if plain else f"{rng.choice(WORDS)} {n}" for n in range(rng.randint(1, 30))]


def hunk(rng: random.Random, lines: list) -> list:
    """A change of some lines with context, as the patch writes it."""
    at = rng.randrange(len(lines))
    before, after = rng.randint(0, 3), rng.randint(0, 3)
    gone = rng.randint(0, 2) if before or after else 1
    start, end = max(0, at - before), min(len(lines), at + gone + after)
    rows = [" " + line for line in lines[start:at]]
    rows += ["-" + line for line in lines[at:min(at + gone, len(lines))]]
    rows += ["+" + f"new {rng.randrange(1000)}" for _ in range(rng.randint(0 if gone else 1, 3))]
    rows += [" " + line for line in lines[min(at + gone, len(lines)):end]]
    head = "@@"
    if rng.random() < 0.2 and start > 0:
        head = f"@@ {lines[rng.randrange(start)]}".rstrip()
    return [head, *rows, *(["*** End of File"] if end == len(lines) and rng.random() < 0.3 else [])]


def generated(rng: random.Random) -> tuple:
    """Files, and a patch of them."""
    files = {f"{rng.choice(['', 'sub/', 'sub/deep/'])}f{n}.txt": some_file(rng) for n in range(rng.randint(1, 4))}
    sections = []
    for path, lines in files.items():
        kind = rng.random()
        if kind < 0.55:
            sections += [f"*** Update File: {path}"]
            if rng.random() < 0.15:
                sections += [f"*** Move to: moved/{Path(path).name}"]
            sections += hunk(rng, lines)
        elif kind < 0.65:
            sections += [f"*** Update File: {path}", *(f"+at the end {n}" for n in range(rng.randint(1, 2)))]
        elif kind < 0.75:
            sections += [f"*** Delete File: {path}"]
        elif kind < 0.8:
            sections += [f"*** Update File: {path}", "@@", *(" " + line for line in lines[:2])]
        elif kind < 0.85:
            sections += [f"*** Update File: {path}", "@@", "-nothing like this", "+x"]
        elif kind < 0.9:
            sections += [f"*** Add File: {path}", "+over it"]
        else:
            sections += [f"*** Add File: new/{Path(path).name}", *(f"+{line}" for line in some_file(rng))]
    blank = " " if rng.random() < 0.1 else ""
    patch = "\n".join([f"{blank}*** Begin Patch{blank}", *sections, f"{blank}*** End Patch{blank}"])
    return {path: "\n".join(lines) + "\n" for path, lines in files.items()}, patch


def test_patches_do_what_they_do_in_codex(both):
    rng = random.Random(SEED)
    counts = dict.fromkeys(["both", "neither", "only toolcrib", "half", *REASONS], 0)
    for number in range(PATCHES):
        files, patch = generated(rng)
        theirs, ours = both(files, patch)
        case = f"patch {number}\n{patch}\n{files}\ncodex: {theirs}\ntoolcrib: {ours}"
        assert ours.applied or ours.unchanged, f"half a patch: {case}"
        if theirs.applied and ours.applied:
            counts["both"] += 1
            assert theirs.after == ours.after, case
            # Codex also names files in which it changed nothing.
            unchanged = {f"M {path}" for path, content in theirs.before.items() if theirs.after.get(path) == content}
            assert theirs.rows - unchanged == ours.rows, case
        elif theirs.applied:
            why = [reason for reason in REASONS if reason in ours.stderr]
            assert why, case
            counts[why[0]] += 1
        elif ours.applied:
            counts["only toolcrib"] += 1
        else:
            counts["neither" if theirs.unchanged else "half"] += 1
    print(f"\n{PATCHES} patches generated for Codex: {counts}, {len(REASONS)} reasons to refuse")
    assert counts["both"] > PATCHES // 2


def update(path: str, *lines: str) -> str:
    return enveloped(f"*** Update File: {path}", *lines)


def enveloped(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


# What Codex' own portable scenarios show, one by one, in other words: name, files, patch, and whether Codex applies it.
APPLIED, REFUSED = True, False
PLAN = {"plan.txt": "walls\nroof\n"}
SCENARIOS = [
    ("a file is added", {}, enveloped("*** Add File: hello.md", "+Hello there"), APPLIED),
    (
        "several files in one patch",
        {"plan.txt": "walls\nroof\n", "old.txt": "dust\n"},
        enveloped(
            *("*** Add File: deep/er/new.txt", "+made"),
            *("*** Delete File: old.txt",),
            *("*** Update File: plan.txt", "@@", "-roof", "+dome"),
        ),
        APPLIED,
    ),
    (
        "several hunks in one file",
        {"f.txt": "a\nb\nc\nd\ne\n"},
        update("f.txt", "@@", "-b", "+B", "@@", "-d", "+D"),
        APPLIED,
    ),
    (
        "a move into a new directory",
        {"from/a.txt": "draft\n", "from/b.txt": "stays\n"},
        update("from/a.txt", "*** Move to: to/there/a.txt", "@@", "-draft", "+final"),
        APPLIED,
    ),
    ("a patch without sections", PLAN, enveloped(), REFUSED),
    ("lines that are not there", PLAN, update("plan.txt", "@@", "-cellar", "+attic"), REFUSED),
    ("deleting what is not there", PLAN, enveloped("*** Delete File: none.txt"), REFUSED),
    ("an update without hunks", PLAN, update("plan.txt"), REFUSED),
    ("an update of what is not there", PLAN, update("none.txt", "@@", "-a", "+b"), REFUSED),
    (
        "a move onto a file",
        {"from/a.txt": "draft\n", "from/b.txt": "stays\n", "to/a.txt": "in the way\n"},
        update("from/a.txt", "*** Move to: to/a.txt", "@@", "-draft", "+final"),
        APPLIED,
    ),
    ("an addition onto a file", PLAN, enveloped("*** Add File: plan.txt", "+tents"), APPLIED),
    ("deleting a directory", {"dir/a.txt": "a\n"}, enveloped("*** Delete File: dir"), REFUSED),
    ("a section of an unknown kind", PLAN, enveloped("*** Rename File: plan.txt"), REFUSED),
    ("one line becomes two", {"f.txt": "alone\n"}, update("f.txt", "@@", "-alone", "+one", "+two"), APPLIED),
    (
        "a second section that fails",
        PLAN,
        enveloped("*** Add File: new.txt", "+made", "*** Update File: none.txt", "@@", "-a", "+b"),
        REFUSED,
    ),
    ("lines without a place", PLAN, update("plan.txt", "@@", "+paint", "+keys"), APPLIED),
    ("blanks before a section", PLAN, enveloped("   *** Update File: plan.txt", "@@", "-roof", "+dome"), APPLIED),
    (
        "blanks before the first marker and after the last",
        PLAN,
        "  *** Begin Patch\n*** Update File: plan.txt\n@@\n-roof\n+dome\n*** End Patch  ",
        APPLIED,
    ),
    (
        "text beyond ASCII",
        {"menu.txt": "soup\ncrème brûlée\ntea\n"},
        update("menu.txt", "@@", " soup", "-crème brûlée", "+crème brûlée → 5 €"),
        APPLIED,
    ),
    ("a file is deleted", {"a.txt": "a\n", "b.txt": "b\n"}, enveloped("*** Delete File: b.txt"), APPLIED),
    (
        "blanks after the first marker and before the last",
        PLAN,
        "*** Begin Patch  \n*** Update File: plan.txt\n@@\n-roof\n+dome\n  *** End Patch",
        APPLIED,
    ),
    ("a line is removed", {"f.txt": "a\nb\nc\n"}, update("f.txt", "@@", " a", "-b", " c"), APPLIED),
    (
        "the end of the file is marked",
        {"f.txt": "x\ny\nx\nz\n"},
        update("f.txt", "@@", " x", "-z", "+Z", "*** End of File"),
        APPLIED,
    ),
    (
        "CRLF stays",
        {"f.txt": b"a\r\nb\r\nc\r\n"},
        update("f.txt", "@@", "-a", "+A", " b", "+between", " c"),
        APPLIED,
    ),
    (
        "line endings of three kinds",
        {"f.txt": b"a\r\nb\rc\r\nd\n"},
        update("f.txt", "@@", " a", " b", "-c", "+C", " d"),
        APPLIED,
    ),
]

# Those that Toolcrib refuses, with nothing changed, and why.
SCENARIOS_REFUSED = {
    "a move onto a file": "Codex overwrites a file that is moved onto",
    "an addition onto a file": "Codex overwrites a file that is added",
    "a second section that fails": "Codex leaves the first section applied",
}


# Beyond those: what becomes of links.
LINKS = [
    ("a link to a file", {"a.txt": "a\n", "link": Path("a.txt")}, enveloped("*** Delete File: link"), APPLIED),
    ("a link that leads nowhere", {"link": Path("none.txt")}, enveloped("*** Delete File: link"), REFUSED),
    (
        "a link and the file that it leads to",
        {"a.txt": "a\n", "link": Path("a.txt")},
        enveloped("*** Delete File: link", "*** Update File: a.txt", "@@", "-a", "+b"),
        APPLIED,
    ),
    ("a link to a directory", {"dir/a.txt": "a\n", "link": Path("dir")}, enveloped("*** Delete File: link"), REFUSED),
]


def test_links_are_deleted_as_in_codex(both):
    for name, files, patch, applied in LINKS:
        theirs, ours = both(files, patch)
        case = f"{name}\n{patch}\ncodex: {theirs}\ntoolcrib: {ours}"
        assert theirs.applied == applied, case
        # Toolcrib may apply what Codex refuses: here it deletes the link, and what it leads to stays.
        assert ours.applied, case
        if theirs.applied:
            assert (theirs.after, theirs.rows) == (ours.after, ours.rows), case
        else:
            assert ours.after == {path: content for path, content in ours.before.items() if path != "link"}, case


def test_scenarios_end_as_in_codex(both):
    assert len(SCENARIOS) == 25
    for name, files, patch, applied in SCENARIOS:
        theirs, ours = both(files, patch)
        case = f"{name}\n{patch}\ncodex: {theirs}\ntoolcrib: {ours}"
        assert theirs.applied == applied, case
        if name in SCENARIOS_REFUSED:
            assert not theirs.unchanged and not ours.applied and ours.unchanged, case
        else:
            assert (theirs.applied, theirs.after, theirs.rows) == (ours.applied, ours.after, ours.rows), case
    print(f"\n{len(SCENARIOS)} scenarios of Codex: {len(SCENARIOS_REFUSED)} refused on purpose, all others equal")

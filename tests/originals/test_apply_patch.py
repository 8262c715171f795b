"""`apply_patch` beside Codex's: the same patches on equal files, generated from a seed.

What is on the disk afterwards must be equal wherever both apply a patch, and a patch that Codex applies must not be refused, but
for the reasons that are named here. Toolcrib may apply what Codex refuses.
"""

import os
import random
import shutil
import subprocess
from pathlib import Path

PATCHES = 330
SEED = 7

# Why a patch that Codex applies is refused. The sentence of the refusal has to say so.
REASONS = {
    "more than one place": "Codex changes the first of several places that fit",
    "exists": "Codex overwrites a file that is added or moved onto",
}


def codex() -> Path:
    vendor = Path(os.environ["ORIGINALS_MODULES"]) / "@openai"
    (binary,) = [path for path in vendor.rglob("codex") if path.is_file() and os.access(path, os.X_OK) and "vendor" in path.parts]
    return binary


def named(program: Path, folder: Path) -> Path:
    """The program under the name by which models call it."""
    folder.mkdir()
    link = folder / "apply_patch"
    link.symlink_to(program.resolve())
    return link


def run(program: Path, root: Path, patch: str, state: Path) -> subprocess.CompletedProcess:
    env = dict(os.environ, XDG_STATE_HOME=str(state), CODEX_HOME=str(state), HOME=str(state))
    return subprocess.run([program, patch], cwd=root, env=env, capture_output=True, text=True, timeout=60)


def on_disk(root: Path) -> dict:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


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


def test_patches_do_what_they_do_in_codex(tmp_path):
    rng = random.Random(SEED)
    theirs, ours = named(codex(), tmp_path / "a"), named(Path(os.environ["TOOLCRIB_BIN"]), tmp_path / "b")
    counts = dict.fromkeys(["both", "neither", "only toolcrib", "half", *REASONS], 0)
    for number in range(PATCHES):
        files, patch = generated(rng)
        disks, results = [], []
        for name, program in (("theirs", theirs), ("ours", ours)):
            root = tmp_path / name
            for path, content in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(content)
            results.append(run(program, root, patch, tmp_path / "state"))
            disks.append(on_disk(root))
            shutil.rmtree(root)
        before = {path: content.encode() for path, content in files.items()}
        case = f"patch {number}\n{patch}\n{files}\ncodex: {results[0]}\ntoolcrib: {results[1]}"
        applied = [result.returncode == 0 for result in results]
        assert applied[1] or disks[1] == before, f"half a patch: {case}"
        if all(applied):
            counts["both"] += 1
            assert disks[0] == disks[1], case
            # Codex also names files in which it changed nothing.
            unchanged = {f"M {path}" for path, content in before.items() if disks[0].get(path) == content}
            assert set(rows(results[0])) - unchanged == set(rows(results[1])), case
        elif applied[0]:
            why = [reason for reason in REASONS if reason in results[1].stderr]
            assert why, case
            counts[why[0]] += 1
        elif applied[1]:
            counts["only toolcrib"] += 1
        else:
            counts["half" if disks[0] != before else "neither"] += 1
    print(f"\n{PATCHES} patches: {counts}")
    assert counts["both"] > PATCHES // 2


def rows(result) -> list:
    """The files that an answer names."""
    return sorted(line for line in result.stdout.splitlines() if line[:2] in ("A ", "M ", "D "))

"""Toolcrib's search index beside others, on speed and on staleness, in one run.

usage: main.py --toolcrib PROGRAM --peers FOLDER... --modules NODE_MODULES --linux TREE --django TREE
       [--rounds N] [--only NAME,...] [--tgrep PROGRAM] [--patience SECONDS]
       (`cargo xtask bench indexes` builds and installs what is needed)

One index at a time is built and asked, and `rg` after it in each round, so each ratio is one of two programs that ran in turn. Then
files change, and each is asked at once for what changed, and again two seconds later.
"""

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import peers
from peers import Question

#: The column of the question that comes right after rg has read the whole tree.
AFTER = "no match, right after `rg`"
TRIES = 20
PAUSE = 2

PEERS = {
    "toolcrib": peers.Toolcrib,
    "ripgrepx": peers.RipgrepX,
    "fff": peers.Fff,
    "codesearch": peers.Codesearch,
    "moeix": peers.Ix,
    "tgrep": peers.Tgrep,
}

QUESTIONS = {
    "linux": [
        Question("rare literal", "PM_RESUME"),
        Question("regex with a literal", r"dpm_resume_\w+", regex=True),
        Question("case-insensitive", "pm_resume", ignore_case=True),
        Question("no match", "zzq_nothing_like_this"),
        Question("in hundreds of files", "debugfs_create_file"),
        Question("regex without a literal", r"[A-Za-z]{14}\s+[0-9]{9}", regex=True),
    ],
    "django": [
        Question("rare literal", "ModelFormMetaclass"),
        Question("regex with a literal", r"\w+FormMetaclass", regex=True),
        Question("case-insensitive", "modelformmetaclass", ignore_case=True),
        Question("no match", "zzq_nothing_like_this"),
        Question("in hundreds of files", "get_queryset"),
        Question("regex without a literal", r"[A-Za-z]{14}\s+[0-9]{9}", regex=True),
    ],
}


class Tools:
    """Where the programs are."""

    def __init__(self, options):
        self.folders = [os.path.abspath(folder) for folder in options.peers]
        self.toolcrib, self.modules = os.path.abspath(options.toolcrib), os.path.abspath(options.modules)
        self.tgrep = options.tgrep and os.path.abspath(options.tgrep)
        self.fff = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fff.mjs")

    def program(self, name):
        return next(path for folder in self.folders if os.path.exists(path := os.path.join(folder, name)))


class Changes:
    """The changes whose sight is tested, in a folder of the tree that is there only as long as this is measured."""

    def __init__(self, tree):
        self.folder = os.path.join(tree, "zzq-toolcrib-bench")
        self.outside = f"{tree}.zzq-toolcrib-bench"
        # What an earlier run left that was killed.
        self.end()
        self.mark = f"{os.getpid():x}{int(time.time()):x}"
        os.mkdir(self.folder)
        for number in range(TRIES):
            for kind in ("append", "overwrite", "delete"):
                self.write(self.path(kind, number), self.word(f"old{kind}", number))
            self.write(os.path.join(self.outside, f"d{number}/a.txt"), self.word("rename", number))
            self.write(os.path.join(self.outside, f"d{number}/below/b.txt"), self.word("rename", number))

    def word(self, kind, number):
        return f"zzq{kind}{number:02}x{self.mark}"

    def path(self, kind, number):
        return os.path.join(self.folder, f"{kind}{number:02}.txt")

    def write(self, path, word):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x") as file:
            file.write(f"first line\n{word}\nlast line\n")

    def new(self, number):
        self.write(self.path("new", number), self.word("new", number))
        return {self.word("new", number): {self.path("new", number)}}

    def append(self, number):
        with open(self.path("append", number), "a") as file:
            file.write(self.word("append", number) + "\n")
        return {self.word("append", number): {self.path("append", number)}}

    def overwrite(self, number):
        """With a text of the same length, in the same file."""
        old, new = self.word("oldoverwrite", number), self.word("newoverwrite", number)
        with open(self.path("overwrite", number), "r+") as file:
            file.write(f"first line\n{new}\nlast line\n")
        return {new: {self.path("overwrite", number)}, old: set()}

    def rename(self, number):
        target = os.path.join(self.folder, f"d{number}")
        os.rename(os.path.join(self.outside, f"d{number}"), target)
        found = {os.path.join(target, "a.txt"), os.path.join(target, "below/b.txt")}
        return {self.word("rename", number): found}

    def delete(self, number):
        os.unlink(self.path("delete", number))
        return {self.word("olddelete", number): set()}

    def end(self):
        for folder in (self.folder, self.outside):
            shutil.rmtree(folder, ignore_errors=True)


def size_of(path):
    if path is None:
        return None
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(path) for name in names)


def text_of(base):
    listed = subprocess.run(
        [base.tools.program("rg"), "--files", "-0"], cwd=base.tree, stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    return sum(os.lstat(os.path.join(os.fsencode(base.tree), name)).st_size for name in listed.stdout.split(b"\0") if name)


def timed(peer, question):
    began = time.perf_counter()
    raw = peer.ask(question)
    return time.perf_counter() - began, raw


def speed(peer, base, questions, rounds):
    """For each question the ratio to rg, and how many lines are missing and too many."""
    found = {}
    after = []
    for question in questions:
        times = {peer: [], base: []}
        # The first round warms up.
        for number in range(rounds + 1):
            theirs, right = timed(base, question)
            settled = peer.settle()
            ours, mine = timed(peer, question)
            if number:
                times[base].append(theirs)
                times[peer].append(ours)
                after.append(settled / theirs)
        mine, right = peer.lines(mine), base.lines(right)
        ratio = statistics.median(times[peer]) / statistics.median(times[base])
        found[question.name] = (ratio, len(right - mine), len(mine - right))
    found[AFTER] = (statistics.median(after), 0, 0)
    return found


def wrong(peer, expected):
    """Whether something is missed, and whether something is found that is not there."""
    missed = phantom = False
    for word, files in expected.items():
        found = {os.path.join(peer.tree, path) for path, _ in peer.lines(peer.ask(Question("", word)))}
        missed |= bool(files - found)
        phantom |= bool(found - files)
    return missed or phantom


def staleness(peer, changes):
    """For each kind of change, how many of the tries were answered wrongly: at once, and after the pause."""
    found = {}
    for kind in ("new", "append", "overwrite", "rename", "delete"):
        expected = []
        at_once = 0
        for number in range(TRIES):
            expected.append(getattr(changes, kind)(number))
            at_once += wrong(peer, expected[-1])
        time.sleep(PAUSE)
        found[kind] = (at_once, sum(wrong(peer, one) for one in expected))
    return found


def measure(name, tools, tree, questions, options):
    changes = Changes(tree)
    folder = tempfile.mkdtemp(prefix="tcx", dir="/tmp")
    peer = base = None
    row = {"name": name}
    try:
        for part in ("base", "own"):
            os.mkdir(os.path.join(folder, part))
        base = peers.Ripgrep(tools, tree, os.path.join(folder, "base"), 0)
        row["text"] = text_of(base)
        peer = PEERS[name](tools, tree, os.path.join(folder, "own"), options.patience)
        began = time.monotonic()
        peer.build()
        row["built"], row["processor"] = time.monotonic() - began, peer.processor
        row["speed"] = speed(peer, base, questions, options.rounds)
        row["memory"] = peer.memory()
        row["size"] = size_of(peer.index_folder())
        row["stale"] = staleness(peer, changes)
        row["scans"], row["after_scans"] = peer.scans, peer.after_scans
    except (peers.TooSlow, subprocess.TimeoutExpired):
        late = f"an answer took more than {peers.LONGEST_ANSWER} s"
        row["failed"] = late if "built" in row else f"not built within {options.patience} s"
    except (peers.NoIndex, subprocess.CalledProcessError) as error:
        row["failed"] = str(error)
    finally:
        if peer:
            peer.stop()
            if peer.litter:
                shutil.rmtree(os.path.join(tree, peer.litter), ignore_errors=True)
        changes.end()
        shutil.rmtree(folder, ignore_errors=True)
    row["process"], row["by_hand"] = PEERS[name].process, PEERS[name].by_hand
    print("measured:", row, flush=True)
    return row


def shown(value, missing, extra):
    ratio = f"{value:.4f}" if value < 0.01 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"
    return f"{ratio} (−{missing} +{extra})" if missing or extra else ratio


def table(title, questions, rows):
    print(f"\n### {title}\n")
    heads = [question.name for question in questions] + [AFTER]
    print(f"| | asked through | {' | '.join(heads)} | index, % of the text | CPU to build |")
    print("| --- | --- |" + " ---: |" * (len(heads) + 2))
    for row in rows:
        label = f"| {row['name']} | {'a process' if row['process'] else 'a running server'} "
        if "speed" not in row:
            print(f"{label}| {row['failed']} |" + " |" * (len(heads) + 1))
            continue
        memory = "" if row["memory"] is None else f"{row['memory'] / 1e6:.0f} MB of memory"
        size = "" if row.get("size") is None else f"{row['size'] / row['text'] * 100:.1f} on disk"
        cells = [shown(*row["speed"][head]) for head in heads]
        both = ", ".join(part for part in (size, memory) if part)
        print(f"{label}| {' | '.join(cells)} | {both} | {row['processor']:.1f} s |")
    print(f"\nWrong answers in {TRIES} tries, at once and {PAUSE} seconds later:\n")
    print("| | new file | append | overwrite | directory moved in | deleted file |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        if "stale" in row:
            cells = [f"{first}, {later}" for first, later in row["stale"].values()]
            note = f" (until `{row['by_hand']}` is run)" if row["by_hand"] else ""
            print(f"| {row['name']}{note} | {' | '.join(cells)} |")
    for row in rows:
        if row.get("scans"):
            print(f"\n{row['name']} answered {row['scans']} questions without its index; {row['after_scans']} more after rg.")


def versions(tools, names):
    commands = {
        "rg": ["rg", "--version"],
        "ripgrepx": ["rgx", "--version"],
        "moeix": ["ix", "--version"],
    }
    for name, (program, *arguments) in commands.items():
        if name == "rg" or name in names:
            done = subprocess.run([tools.program(program), *arguments], capture_output=True, text=True, check=False)
            print(f"{name}: {done.stdout.splitlines()[:1]}")


def stopped(_signal, _frame):
    """So that what is under way ends its daemon and leaves the trees as they were."""
    sys.exit(1)


def main():
    signal.signal(signal.SIGTERM, stopped)
    parser = argparse.ArgumentParser()
    parser.add_argument("--toolcrib", required=True)
    parser.add_argument("--peers", required=True, nargs="+")
    parser.add_argument("--modules", required=True)
    parser.add_argument("--linux")
    parser.add_argument("--django")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only")
    parser.add_argument("--tgrep", help="Microsoft's program of that name, which is in no registry")
    parser.add_argument("--patience", type=int, default=120, help="seconds that an index may take to build")
    options = parser.parse_args()
    tools = Tools(options)
    names = options.only.split(",") if options.only else [name for name in PEERS if name != "tgrep" or options.tgrep]
    versions(tools, names)
    tables = []
    for title, tree in (("linux", options.linux), ("django", options.django)):
        if tree:
            rows = [measure(name, tools, os.path.realpath(tree), QUESTIONS[title], options) for name in names]
            tables.append((title, QUESTIONS[title], rows))
    for one in tables:
        table(*one)


if __name__ == "__main__":
    main()

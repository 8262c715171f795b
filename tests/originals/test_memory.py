"""`memory` beside the two helpers that Anthropic publishes, in Python and in JavaScript: the same calls on equal files.

Answers and what is on the disk afterwards must be equal, but for the HABITS, which show in many answers, and the EXCEPTIONS, each of
which has its reason. A habit or an exception that no longer differs fails too.
"""

import json
import os
import re
import stat
import subprocess
from pathlib import Path

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from support import TOOLCRIB, environment, on_disk, place

TREE = {
    "notes.md": "one\ntwo\nthree\nfour\n",
    "people/ada.md": "Ada likes tea.\n",
    "people/club/list.md": "nobody\n",
    "empty.txt": "",
    ".hidden": "h\n",
}


def one(text):
    return {"f.txt": text}


def call(command, path="/memories/f.txt", **more):
    return {"command": command, "path": path, **more}


def replace(old, new, **more):
    return call("str_replace", old_str=old, new_str=new, **more)


def insert(line, text, **more):
    return call("insert", insert_line=line, insert_text=text, **more)


def rename(old, new):
    return {"command": "rename", "old_path": old, "new_path": new}


# Name, files, input.
CASES = [
    # Files.
    ("view", TREE, call("view", "/memories/notes.md")),
    ("view without a final newline", one("a\nb"), call("view")),
    ("view in a directory", TREE, call("view", "/memories/people/ada.md")),
    ("view beyond ascii", one("Grüße → 🦀\n"), call("view")),
    ("view tabs", one("\ta\tb\n"), call("view")),
    ("view empty lines", one("a\n\n\nb\n"), call("view")),
    ("view a hidden file", TREE, call("view", "/memories/.hidden")),
    ("view with blanks in the name", {"a b.md": "x\n"}, call("view", "/memories/a b.md")),
    ("view an empty file", TREE, call("view", "/memories/empty.txt")),
    ("view crlf", one(b"a\r\nb\r\n"), call("view")),
    ("view latin-1", one(b"caf\xe9\n"), call("view")),
    ("view a byte order mark", one(b"\xef\xbb\xbfa\n"), call("view")),
    ("view nothing but bytes", one(bytes(range(256))), call("view")),
    ("view a range", TREE, call("view", "/memories/notes.md", view_range=[2, 3])),
    ("view a range of one", TREE, call("view", "/memories/notes.md", view_range=[1, 1])),
    ("view a range to the end", one("a\nb\nc"), call("view", view_range=[2, -1])),
    ("view a range past the end", one("a\nb\nc"), call("view", view_range=[2, 99])),
    ("view a range behind the end", one("a\nb\nc"), call("view", view_range=[9, 12])),
    ("view what is not there", TREE, call("view", "/memories/none.md")),
    ("view another place", TREE, call("view", "/etc/hostname")),
    ("view a place that only begins so", TREE, call("view", "/memories2/notes.md")),
    ("view by dots that leave", TREE, call("view", "/memories/../../etc/hostname")),
    ("view by dots that stay", TREE, call("view", "/memories/people/../notes.md")),
    # Directories.
    ("view everything", TREE, call("view", "/memories")),
    ("view everything with a slash", TREE, call("view", "/memories/")),
    ("view a directory", TREE, call("view", "/memories/people")),
    ("view nothing", {}, call("view", "/memories")),
    ("view an empty directory", {"d/": None}, call("view", "/memories/d")),
    ("view three levels", {"a/b/c/d.md": "x\n"}, call("view", "/memories")),
    ("view sizes", {"b.md": "x" * 1219, "c.md": "x" * 4096, "d.md": "x" * 1500000}, call("view", "/memories")),
    ("view packages", {"node_modules/a.js": "x\n", "b.md": "b\n"}, call("view", "/memories")),
    # Creating.
    ("create", TREE, call("create", "/memories/new.md", file_text="new\n")),
    ("create without a final newline", {}, call("create", file_text="new")),
    ("create nothing", {}, call("create", file_text="")),
    ("create beyond ascii", {}, call("create", file_text="→ 🦀\n")),
    ("create crlf", {}, call("create", file_text="a\r\nb\r\n")),
    ("create in new directories", {}, call("create", "/memories/a/b/new.md", file_text="new\n")),
    ("create over a file", TREE, call("create", "/memories/notes.md", file_text="new\n")),
    ("create over a directory", TREE, call("create", "/memories/people", file_text="new\n")),
    ("create everything", TREE, call("create", "/memories", file_text="new\n")),
    ("create elsewhere", TREE, call("create", "/tmp/new.md", file_text="new\n")),
    ("create below a file", TREE, call("create", "/memories/notes.md/new.md", file_text="new\n")),
    # Replacing.
    ("replace", TREE, replace("two", "TWO", path="/memories/notes.md")),
    ("replace by more lines", one("a\nb\nc\nd\ne\nf\ng\n"), replace("d", "d1\nd2\nd3")),
    ("replace in the middle of a long file", one("".join(f"line {n}.\n" for n in range(40))), replace("line 20.", "x")),
    ("replace the first line", one("a\nb\nc\nd\n"), replace("a", "A")),
    ("replace by nothing", one("a\nb\nc\n"), replace("b\n", "")),
    ("replace part of a line", one("a b c\nd\n"), replace("b", "B")),
    ("replace with a dollar sign", one("price\nx\n"), replace("price", "$& $1")),
    ("replace the last line", one("a\nb"), replace("b", "c")),
    ("replace lines", one("a\nb\nc\nd\n"), replace("b\nc", "B\nC")),
    ("replace without a new text", one("a\nb\n"), call("str_replace", old_str="b")),
    ("replace what is not there", one("a\nb\n"), replace("x", "y")),
    ("replace what is there in two lines", one("a\nb\na\n"), replace("a", "y")),
    ("replace what is there twice in a line", one("a a\nb\n"), replace("a", "y")),
    ("replace an empty text", one("a\nb\n"), replace("", "y")),
    ("replace in crlf", one(b"a\r\nb\r\nc\r\n"), replace("b", "B")),
    ("replace lines in crlf", one(b"a\r\nb\r\nc\r\n"), replace("a\nb", "A\nB")),
    ("replace in latin-1", one(b"caf\xe9\nb\n"), replace("b", "B")),
    ("replace in what is not there", TREE, replace("a", "b", path="/memories/none.md")),
    ("replace in a directory", TREE, replace("a", "b", path="/memories/people")),
    # Inserting.
    ("insert", one("a\nb\nc\n"), insert(1, "new\n")),
    ("insert without a newline", one("a\nb\nc\n"), insert(1, "new")),
    ("insert at the top", one("a\nb\n"), insert(0, "new\n")),
    ("insert lines", one("a\nb\n"), insert(1, "x\ny\n")),
    ("insert at the end", one("a\nb\n"), insert(2, "new\n")),
    ("insert at an end without a newline", one("a\nb"), insert(2, "new")),
    ("insert into an empty file", one(""), insert(0, "new\n")),
    ("insert behind the end", one("a\nb\n"), insert(4, "new\n")),
    ("insert before the beginning", one("a\nb\n"), insert(-1, "new\n")),
    ("insert into crlf", one(b"a\r\nb\r\n"), insert(1, "new\n")),
    ("insert into what is not there", TREE, insert(0, "x\n", path="/memories/none.md")),
    ("insert into a directory", TREE, insert(0, "x\n", path="/memories/people")),
    # Deleting.
    ("delete", TREE, call("delete", "/memories/notes.md")),
    ("delete a directory", TREE, call("delete", "/memories/people")),
    ("delete an empty directory", {"d/": None}, call("delete", "/memories/d")),
    ("delete what is not there", TREE, call("delete", "/memories/none.md")),
    ("delete everything", TREE, call("delete", "/memories")),
    ("delete everything with a slash", TREE, call("delete", "/memories/")),
    ("delete by dots that leave", TREE, call("delete", "/memories/../memories.bak")),
    # Renaming.
    ("rename", TREE, rename("/memories/notes.md", "/memories/kept.md")),
    ("rename into a new directory", TREE, rename("/memories/notes.md", "/memories/a/b/notes.md")),
    ("rename a directory", TREE, rename("/memories/people", "/memories/folk")),
    ("rename onto a file", TREE, rename("/memories/notes.md", "/memories/empty.txt")),
    ("rename onto a directory", TREE, rename("/memories/notes.md", "/memories/people")),
    ("rename onto itself", TREE, rename("/memories/notes.md", "/memories/notes.md")),
    ("rename what is not there", TREE, rename("/memories/none.md", "/memories/kept.md")),
    ("rename what is not there into a new directory", TREE, rename("/memories/none.md", "/memories/new/kept.md")),
    ("rename everything", TREE, rename("/memories", "/memories/kept")),
    ("rename to elsewhere", TREE, rename("/memories/notes.md", "/tmp/kept.md")),
    ("rename a directory into itself", TREE, rename("/memories/people", "/memories/people/club/people")),
    # Slips.
    ("no such command", TREE, call("append", "/memories/notes.md")),
    ("create without a text", TREE, call("create", "/memories/new.md")),
    ("insert without a line", one("a\n"), call("insert", insert_text="x\n")),
]

# What shows in many answers: of whom, what it looks like, what to take it for, and why.
HABITS = [
    ("python", r"excluding hidden items:", "excluding hidden items and node_modules:", "the documented sentence names both"),
    ("python", r"\n +\d+\t\Z", "", "nothing follows the last newline; the helper numbers it"),
    ("javascript", r"\n +\d+\t\Z", "", "nothing follows the last newline; the helper numbers it"),
    ("toolcrib", r"\AError: ", "", "documented for these sentences; the helpers leave it out"),
]

BOTH = {
    "view an empty file": "says that it is empty",
    "view crlf": "the carriage return is part of the line ending, not of the line",
    "replace in crlf": "the carriage return is part of the line ending, not of the line",
    "replace lines in crlf": "lines are found whatever they end with, and keep it; the helpers find nothing",
    "insert into crlf": "the new line ends as the others do; the helpers write LF",
    "view a byte order mark": "the mark is no part of the text",
    "view nothing but bytes": "refused, with what it is",
    "view a range behind the end": "refused with the range of lines; the helpers show nothing",
    "view a place that only begins so": "/memories2 is another place; the helpers take it for /memories/2",
    "view everything with a slash": "paths are shown without a double slash",
    "create below a file": "says what is in the way; the helpers show an error of the system",
    "replace by more lines": "the snippet shows two lines below the whole change; the helpers count from its first line",
    "replace an empty text": "refused as a slip, in other words",
    "insert before the beginning": "refused as a slip, in other words",
    "rename onto itself": "refused, in other words",
    "rename what is not there into a new directory": "nothing is left behind; the helpers leave the directory",
    "rename a directory into itself": "says what is wrong; the helpers show an error of the system",
    "no such command": "the commands are named",
    "create without a text": "the parameter is named; the helpers leave an empty file",
}

EXCEPTIONS = {
    "python": {
        **BOTH,
        "view latin-1": "the text is shown; the helper fails",
        "view packages": "node_modules are left out, as documented",
        "replace without a new text": "the text is removed; the helper fails",
        "replace what is there twice in a line": "a line is named once",
        "replace in latin-1": "the bytes stay; the helper fails",
        "insert at an end without a newline": "no newline is added",
        "insert behind the end": "the documented sentence; the helper has another",
        "insert without a line": "the parameter is named; the helper fails",
    },
    "javascript": {
        **BOTH,
        "view latin-1": "the text is shown; the helper shows U+FFFD",
        "replace by nothing": "lines are found; the helper only finds what stands within a line",
        "replace lines": "lines are found; the helper only finds what stands within a line",
        "replace without a new text": "the text is removed; the helper writes `undefined`",
        "replace what is there twice in a line": "refused; the helper changes the first of them",
        "replace in latin-1": "the bytes stay; the helper writes U+FFFD",
        "insert behind the end": "nothing follows the last newline; the helper counts it as a line",
        "insert without a line": "the parameter is named; the helper inserts at the top",
    },
}


def in_python(folder: Path, input: dict) -> dict:
    try:
        return {"error": False, "text": BetaLocalFilesystemMemoryTool(str(folder)).call(input)}
    except ToolError as error:
        return {"error": True, "text": str(error)}
    except Exception as error:  # Of the helper itself: a type that it does not expect, a file that it cannot read.
        return {"error": True, "text": repr(error)}


def in_javascript(calls: list) -> list:
    driver = Path(__file__).with_name("memory.mjs")
    asked = json.dumps([{"folder": str(folder), "input": input} for folder, input in calls])
    return json.loads(subprocess.run(["node", driver], input=asked, capture_output=True, text=True, timeout=120, check=True).stdout)


def in_toolcrib(folder: Path, input: dict, env: dict) -> dict:
    command = [TOOLCRIB, "call", "memory", json.dumps(input), "--json", "--dialect", "memory", "--root", folder / "memories"]
    answer = json.loads(subprocess.run(command, env=env, capture_output=True, text=True, timeout=60).stdout)
    return {"error": not answer["success"], "text": answer["output"] if answer["success"] else answer["error"]}


def answered(top: Path, cases: list) -> dict:
    """The answers of each of the three, and what is on the disk after them; every call finds the files of its own case."""
    env = environment(top / "state")
    ways = {
        "python": lambda calls: [in_python(*call) for call in calls],
        "javascript": in_javascript,
        "toolcrib": lambda calls: [in_toolcrib(*call, env) for call in calls],
    }
    answers = {}
    for who, ask in ways.items():
        calls = [(top / who / str(number), input) for number, (_, _, input) in enumerate(cases)]
        for (folder, _), (_, files, _) in zip(calls, cases):
            place(folder / "memories", files)
        answers[who] = [dict(answer, disk=on_disk(folder)) for answer, (folder, _) in zip(ask(calls), calls)]
    return answers


def usual(who: str, answer: dict, used: set) -> dict:
    """An answer without what is a habit of its program, nor the sizes of directories, which the file system decides."""
    text = re.sub(r"(?m)(?<=:\n)[\d.]+[BKMG](?=\t/)|^[\d.]+[BKMG](?=\t/.*/$)", "4K", answer["text"])
    for number, (whose, pattern, replacement, _) in enumerate(HABITS):
        if whose == who and re.search(pattern, text):
            used.add(number)
            text = re.sub(pattern, replacement, text)
    return dict(answer, text=text)


def test_calls_are_answered_as_the_helpers_answer_them(tmp_path):
    assert len(CASES) >= 40 and len({name for name, *_ in CASES}) == len(CASES)
    answers = answered(tmp_path, CASES)
    used, surprising, ordinary = set(), [], []
    for who, exceptions in EXCEPTIONS.items():
        different = set()
        for (name, _, input), theirs, ours in zip(CASES, answers[who], answers["toolcrib"]):
            theirs, ours = usual(who, theirs, used), usual("toolcrib", ours, used)
            if theirs != ours:
                different.add(name)
                if name not in exceptions:
                    surprising.append(f"{name}: {input}\n  {who}: {theirs}\n  toolcrib: {ours}")
        ordinary += [f"{who}: {name}" for name in exceptions if name not in different]
        print(f"\n{len(CASES)} calls of the memory helper in {who}: {len(CASES) - len(different)} equal, {len(exceptions)} exceptions")
    assert not surprising, "\n".join(surprising)
    assert ordinary == [], "no longer different"
    assert used == set(range(len(HABITS))), "habits that no answer shows"


def test_the_helpers_make_a_file_private_and_toolcrib_keeps_its_mode(tmp_path):
    before = os.umask(0o022)
    try:
        answers = answered(tmp_path, [("replace", one("a\n"), replace("a", "b"))])
    finally:
        os.umask(before)
    assert not any(answer["error"] for (answer,) in answers.values())
    modes = {who: stat.S_IMODE((tmp_path / who / "0/memories/f.txt").stat().st_mode) for who in answers}
    assert modes == {"python": 0o600, "javascript": 0o600, "toolcrib": 0o644}

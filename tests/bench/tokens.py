"""What typical calls cost in tokens: what the model is given by `toolcrib mcp` in each dialect, and by other servers of file tools.

usage: tokens.py TOOLCRIB NODE_MODULES DJANGO RUST_MCP_FILESYSTEM [--show CALL]   (`cargo xtask bench tokens` has all four)

Every server gets the same tree at the same path: the package of Django's sources, without translations. A call has the same
meaning for all; where a server has no tool for it there is a dash. The answer to `tools/list` counts as name, description and input
schema of each tool, in JSON without blanks; other answers as the text of their blocks. Tokens are those of o200k. Answers are not
cut (`--max-characters`), so that nothing is cheap because it is missing.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# The same path in every run, since paths are much of what an answer consists of.
ROOT = Path(tempfile.gettempdir()) / "toolcrib-tokens" / "django"
FILE = str(ROOT / "db/models/query.py")
SMALL = str(ROOT / "apps/__init__.py")
FOLDER = str(ROOT / "db/models")
FORMS = str(ROOT / "forms/forms.py")
OTHER = str(ROOT / "forms/utils.py")
UNREAD = str(ROOT / "forms/renderers.py")
NEW = str(ROOT / "forms/new.py")
GONE = str(ROOT / "db/models/querys.py")
FIVE, FIFTY, MANY = "nonlocal", "lru_cache", "raise (ValueError|FieldError)"

OLD, INSTEAD = "def get_context(self):", "def context(self):"
BOTH = [("def is_valid(self):", "def valid(self):"), ("def add_error(self, field, error):", "def add(self, field, error):")]
MISTAKEN = "def is_valid(self, strict):\n        return self.is_bound"
TWICE = "    def "

UNIFIED = """\
--- a/forms/forms.py
+++ b/forms/forms.py
@@ -1,4 +1,4 @@
 \"""
-Form classes
+Forms
 \"""
 
--- a/forms/utils.py
+++ b/forms/utils.py
@@ -1,3 +1,4 @@
+import abc
 import json
 from collections import UserList
 
"""
ENVELOPE = """\
*** Begin Patch
*** Update File: forms/forms.py
@@
 \"""
-Form classes
+Forms
 \"""
*** Update File: forms/utils.py
@@
+import abc
 import json
 from collections import UserList
*** End Patch
"""
HUNK = '@@\n """\n-Form classes\n+Forms\n """\n'

LIST = "tool list"
CALLS = [
    LIST,
    "read 200 lines",
    "read a small file",
    "read two files",
    "grep, 5 hits",
    "grep, 50 hits",
    "grep, 500 hits",
    "grep, 50 hits, 2 lines of context",
    "grep, files",
    "grep, counts",
    "glob, 20 files",
    "glob, 200 files",
    "list a directory",
    "list a tree",
    "write a new file",
    "write over a file",
    "edit one place",
    "edit every place",
    "two edits of a file",
    "patch of two files",
    "error: no such file",
    "error: a directory is read",
    "error: old text not found",
    "error: old text not unique",
    "error: nothing would change",
    "error: not read before",
    "error: outside",
    "error: parameter missing",
    "error: wrong type",
    "error: not a pattern",
]
EDITS = ("write over a file", "edit", "two edits", "patch", "error: old", "error: nothing")

# How the dialects call the parameters of an edit: tool, file, old text, new text, everywhere.
EDITORS = {
    "standard": ("Edit", "file_path", "old_string", "new_string", "replace_all"),
    "ekacode": ("edit", "filePath", "oldString", "newString", "replaceAll"),
    "claude-code": ("Edit", "file_path", "old_string", "new_string", "replace_all"),
    "opencode": ("edit", "filePath", "oldString", "newString", "replaceAll"),
    "gemini": ("replace", "file_path", "old_string", "new_string", "allow_multiple"),
}
# Tools whose parameter is a path, and what each calls it.
READERS = {
    "standard": ("Read", "file_path"),
    "ekacode": ("read", "filePath"),
    "claude-code": ("Read", "file_path"),
    "opencode": ("read", "filePath"),
    "gemini": ("read_file", "file_path"),
    "filesystem": ("read_text_file", "path"),
}


def reads(dialect):
    tool, path = READERS[dialect]
    part = {"limit": 200} if dialect != "gemini" else {"start_line": 1, "end_line": 200}
    part = {"head": 200} if dialect == "filesystem" else part
    calls = {
        "read 200 lines": (tool, {path: FILE, **part}),
        "read a small file": (tool, {path: SMALL}),
        "error: no such file": (tool, {path: GONE}),
        "error: a directory is read": (tool, {path: FOLDER}),
        "error: outside": (tool, {path: "/etc/hostname"}),
        "error: parameter missing": (tool, {}),
        "error: wrong type": (tool, {path: FILE, next(iter(part)): "many"}),
    }
    if dialect == "opencode":
        # It lists it.
        calls["list a directory"] = calls.pop("error: a directory is read")
    return calls


def edits(dialect):
    tool, path, old, new, everywhere = EDITORS[dialect]
    write = {"standard": "Write", "claude-code": "Write", "gemini": "write_file"}.get(dialect, "write")
    one = lambda was, now, **more: (tool, {path: FORMS, old: was, new: now, **more})  # noqa: E731
    # The other dialects let a file be changed unread, as long as that is recorded.
    unread = {"error: not read before": (tool, {path: UNREAD, old: "import functools", new: "import abc"})}
    return (unread if dialect in ("standard", "ekacode", "claude-code") else {}) | {
        "write a new file": (write, {path: NEW, "content": "import json\n"}),
        "write over a file": (write, {path: SMALL, "content": "from .registry import apps\n"}),
        "edit one place": one(OLD, INSTEAD),
        "edit every place": one("self.fields", "self.all", **{everywhere: True}),
        "error: old text not found": one(MISTAKEN, "x"),
        "error: old text not unique": one(TWICE, "x"),
        "error: nothing would change": one(OLD, OLD),
    }


def standard():
    grep = lambda pattern, **more: ("Grep", {"pattern": pattern, "glob": "*.py", "output_mode": "content", "-C": 0, **more})  # noqa: E731
    pairs = [{"old_string": was, "new_string": now} for was, now in BOTH]
    return reads("standard") | edits("standard") | {
        "grep, 5 hits": grep(FIVE),
        "grep, 50 hits": grep(FIFTY),
        "grep, 500 hits": grep(MANY, head_limit=500),
        "grep, 50 hits, 2 lines of context": grep(FIFTY, **{"-C": 2, "head_limit": 1000}),
        "grep, files": ("Grep", {"pattern": FIFTY}),
        "grep, counts": ("Grep", {"pattern": FIFTY, "output_mode": "count"}),
        "glob, 20 files": ("Glob", {"pattern": "**/forms/**/*.py"}),
        "glob, 200 files": ("Glob", {"pattern": "**/*.py", "limit": 200}),
        "list a directory": ("LS", {"path": FOLDER}),
        "list a tree": ("LS", {"path": str(ROOT / "contrib/auth"), "recursive": True}),
        "two edits of a file": ("MultiEdit", {"file_path": FORMS, "edits": pairs}),
        "patch of two files": ("ApplyPatch", {"patch_text": UNIFIED}),
        "error: not a pattern": ("Grep", {"pattern": "raise (ValueError"}),
    }


def ekacode():
    grep = lambda pattern, **more: ("grep", {"pattern": pattern, "glob": "*.py", "outputMode": "content", "context": 0, **more})  # noqa: E731
    pairs = [{"oldString": was, "newString": now} for was, now in BOTH]
    return reads("ekacode") | edits("ekacode") | {
        "grep, 5 hits": grep(FIVE),
        "grep, 50 hits": grep(FIFTY),
        "grep, 500 hits": grep(MANY, limit=500),
        "grep, 50 hits, 2 lines of context": grep(FIFTY, context=2, limit=1000),
        "grep, files": ("grep", {"pattern": FIFTY}),
        "grep, counts": ("grep", {"pattern": FIFTY, "outputMode": "count"}),
        "glob, 20 files": ("glob", {"pattern": "**/forms/**/*.py"}),
        "glob, 200 files": ("glob", {"pattern": "**/*.py", "limit": 200}),
        "list a directory": ("ls", {"dirPath": FOLDER}),
        "list a tree": ("ls", {"dirPath": str(ROOT / "contrib/auth"), "recursive": True}),
        "two edits of a file": ("multiedit", {"filePath": FORMS, "edits": pairs}),
        "patch of two files": ("apply_patch", {"patchText": UNIFIED}),
        "error: not a pattern": ("grep", {"pattern": "raise (ValueError"}),
    }


def claude_code():
    grep = lambda pattern, **more: ("Grep", {"pattern": pattern, "glob": "*.py", "output_mode": "content", "-C": 0, **more})  # noqa: E731
    return reads("claude-code") | edits("claude-code") | {
        "grep, 5 hits": grep(FIVE),
        "grep, 50 hits": grep(FIFTY),
        "grep, 500 hits": grep(MANY, head_limit=500),
        "grep, 50 hits, 2 lines of context": grep(FIFTY, **{"-C": 2, "head_limit": 1000}),
        "grep, files": ("Grep", {"pattern": FIFTY}),
        "grep, counts": ("Grep", {"pattern": FIFTY, "output_mode": "count"}),
        "glob, 20 files": ("Glob", {"pattern": "**/forms/**/*.py"}),
        "error: not a pattern": ("Grep", {"pattern": "raise (ValueError"}),
    }


def opencode():
    grep = lambda pattern: ("grep", {"pattern": pattern, "include": "*.py"})  # noqa: E731
    return reads("opencode") | edits("opencode") | {
        "grep, 5 hits": grep(FIVE),
        "grep, 50 hits": grep(FIFTY),
        "glob, 20 files": ("glob", {"pattern": "**/forms/**/*.py"}),
        "patch of two files": ("apply_patch", {"patchText": ENVELOPE}),
        "error: not a pattern": ("grep", {"pattern": "raise (ValueError"}),
    }


def gemini():
    grep = lambda pattern, **more: ("grep_search", {"pattern": pattern, "include_pattern": "*.py", "context": 0, **more})  # noqa: E731
    return reads("gemini") | edits("gemini") | {
        "read two files": ("read_many_files", {"include": ["apps/__init__.py", "__main__.py"]}),
        "grep, 5 hits": grep(FIVE),
        "grep, 50 hits": grep(FIFTY),
        "grep, 500 hits": grep(MANY, total_max_matches=500),
        "grep, 50 hits, 2 lines of context": grep(FIFTY, context=2, total_max_matches=1000),
        "grep, files": ("grep_search", {"pattern": FIFTY, "names_only": True}),
        "glob, 20 files": ("glob", {"pattern": "**/forms/**/*.py"}),
        "list a directory": ("list_directory", {"dir_path": FOLDER}),
        "error: not a pattern": ("grep_search", {"pattern": "raise (ValueError"}),
    }


def filesystem():
    one = lambda *pairs: ("edit_file", {"path": FORMS, "edits": [{"oldText": was, "newText": now} for was, now in pairs]})  # noqa: E731
    return reads("filesystem") | {
        "read two files": ("read_multiple_files", {"paths": [SMALL, str(ROOT / "__main__.py")]}),
        "glob, 20 files": ("search_files", {"path": str(ROOT), "pattern": "**/forms/**/*.py"}),
        "list a directory": ("list_directory", {"path": FOLDER}),
        "list a tree": ("directory_tree", {"path": str(ROOT / "contrib/auth")}),
        "write a new file": ("write_file", {"path": NEW, "content": "import json\n"}),
        "write over a file": ("write_file", {"path": SMALL, "content": "from .registry import apps\n"}),
        "edit one place": one((OLD, INSTEAD)),
        "two edits of a file": one(*BOTH),
        "error: old text not found": one((MISTAKEN, "x")),
    }


def rust_mcp_filesystem():
    calls = filesystem()
    calls["read 200 lines"] = ("read_file_lines", {"path": FILE, "offset": 0, "limit": 200})
    calls["error: wrong type"] = ("read_file_lines", {"path": FILE, "offset": 0, "limit": "many"})
    calls["read two files"] = ("read_multiple_text_files", calls["read two files"][1])
    calls["list a tree"] = ("directory_tree", {"path": str(ROOT / "contrib/auth"), "max_depth": 20})
    found = lambda query: (  # noqa: E731
        "search_files_content",
        {"path": str(ROOT), "pattern": "**/*.py", "query": query, "is_regex": True},
    )
    return calls | {
        "grep, 5 hits": found(FIVE),
        "grep, 50 hits": found(FIFTY),
        "grep, 500 hits": found(MANY),
        "error: not a pattern": found("raise (ValueError"),
    }


def text_editor(tool):
    call = lambda command, path, **more: (tool, {"command": command, "path": path, **more})  # noqa: E731
    return {
        "read 200 lines": call("view", FILE, view_range=[1, 200]),
        "read a small file": call("view", SMALL),
        "list a directory": call("view", FOLDER),
        "write a new file": call("create", NEW, file_text="import json\n"),
        "edit one place": call("str_replace", FORMS, old_str=OLD, new_str=INSTEAD),
        "error: no such file": call("view", GONE),
        "error: old text not found": call("str_replace", FORMS, old_str=MISTAKEN, new_str="x"),
        "error: old text not unique": call("str_replace", FORMS, old_str=TWICE, new_str="x"),
        "error: nothing would change": call("str_replace", FORMS, old_str=OLD, new_str=OLD),
        "error: outside": call("view", "/etc/hostname"),
        "error: parameter missing": (tool, {"command": "view"}),
        "error: wrong type": call("view", FILE, view_range="many"),
    }


def memory():
    inside = lambda path: path.replace(str(ROOT), "/memories")  # noqa: E731
    calls = text_editor("memory")
    del calls["error: outside"]
    return {name: (tool, {key: inside(value) if key == "path" else value for key, value in given.items()}) for name, (tool, given) in calls.items()}


def apply_patch():
    return {
        "patch of two files": ("apply_patch", {"input": ENVELOPE}),
        "write a new file": ("apply_patch", {"input": "*** Begin Patch\n*** Add File: forms/new.py\n+import json\n*** End Patch\n"}),
        "edit one place": (
            "apply_patch",
            {"input": ENVELOPE.split("*** Update File: forms/utils.py")[0] + "*** End Patch\n"},
        ),
        "error: no such file": ("apply_patch", {"input": ENVELOPE.replace("forms/utils.py", "forms/util.py")}),
        "error: old text not found": ("apply_patch", {"input": ENVELOPE.replace("Form classes", "Form class")}),
        "error: parameter missing": ("apply_patch", {}),
    }


def apply_patch_v4a():
    return {
        "write a new file": ("create_file", {"path": "forms/new.py", "diff": "+import json\n"}),
        "edit one place": ("update_file", {"path": "forms/forms.py", "diff": HUNK}),
        "error: no such file": ("update_file", {"path": "forms/form.py", "diff": HUNK}),
        "error: old text not found": ("update_file", {"path": "forms/forms.py", "diff": HUNK.replace("classes", "class")}),
        "error: parameter missing": ("update_file", {"path": "forms/forms.py"}),
    }


def named(name):
    """The tools that a server gives to the model before any of its others: those of Toolcrib's other dialects are as they are."""
    return ["mcp", "--dialect", name, "--max-characters", "1000000", "--root", str(ROOT)]


DIALECTS = {
    "standard": standard,
    "ekacode": ekacode,
    "claude-code": claude_code,
    "opencode": opencode,
    "gemini": gemini,
    "filesystem": filesystem,
    "apply-patch": apply_patch,
    "apply-patch-v4a": apply_patch_v4a,
    "text-editor": lambda: text_editor("str_replace_based_edit_tool"),
    "text-editor-20250124": lambda: text_editor("str_replace_editor"),
    "memory": memory,
}
# What it was before answers and tool lists were made shorter, and what is aimed at, as a part of it.
BEFORE = {(LIST, "standard"): (3_080, 0.6), ("grep, 500 hits", "standard"): (13_865, 0.7)}


class Server:
    def __init__(self, command, home):
        environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=ROOT, env=environment)
        self.id = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}
        self.ask("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.id += 1
        self.send({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.id and "method" not in message:
                return message

    def list(self):
        tools = self.ask("tools/list", {})["result"]["tools"]
        given = [{key: tool.get(key) for key in ("name", "description", "inputSchema")} for tool in tools]
        return json.dumps(given, separators=(",", ":"), ensure_ascii=False)

    def call(self, name, arguments):
        """The text that the model is given, and whether it is an error."""
        message = self.ask("tools/call", {"name": name, "arguments": arguments})
        if "error" in message:
            return message["error"]["message"], True
        result = message["result"]
        text = "\n".join(block.get("text", "") for block in result["content"])
        return text, bool(result.get("isError"))

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


def tokens(modules, texts):
    program = (
        f"const {{ countTokens }} = require({json.dumps(modules + '/gpt-tokenizer/cjs/encoding/o200k_base.js')});"
        "const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(texts.map((text) => countTokens(text))));"
    )
    counted = subprocess.run(["node", "-e", program], input=json.dumps(texts), capture_output=True, text=True, check=True)
    return json.loads(counted.stdout)


def answers(name, command, calls, django, home):
    """What one server answers, by call. A file is read before it is changed, except where that is the point."""
    restored(django)
    server = Server(command, home)
    readable = name in READERS or name == "rust-mcp-filesystem"
    tool, path = READERS.get(name, READERS["filesystem"])
    given = {}
    for title in CALLS:
        if title == LIST:
            given[title] = server.list()
        elif title in calls:
            if title.startswith(EDITS):
                server.close()
                restored(django)
                server = Server(command, home)
                for file in (FORMS, OTHER, SMALL):
                    if readable:
                        server.call(tool, {path: file})
            text, failed = server.call(*calls[title])
            if failed != title.startswith("error:"):
                print(f"{name}, {title}: {'failed' if failed else 'succeeded'}: {text[:200]!r}", file=sys.stderr)
            given[title] = text
    server.close()
    return given


def restored(django):
    """The tree as it is fetched, whatever the calls before did to it: they change no other files."""
    for file in (FORMS, OTHER, SMALL):
        shutil.copy2(Path(django) / "django" / Path(file).relative_to(ROOT), file)
    Path(NEW).unlink(missing_ok=True)


def table(columns, counts):
    columns = [column for column in columns if column in counts]
    print(f"| tokens | {' | '.join(columns)} |\n| --- |{' ---: |' * len(columns)}")
    for title in CALLS:
        cells = [counts[column].get(title) for column in columns]
        if any(cell is not None for cell in cells):
            print(f"| {title} | {' | '.join('–' if cell is None else f'{cell:,}' for cell in cells)} |")
    print()


def main():
    toolcrib, modules, django, rust = sys.argv[1:5]
    home = Path(tempfile.mkdtemp())
    shutil.rmtree(ROOT, ignore_errors=True)
    shutil.copytree(Path(django) / "django", ROOT, ignore=shutil.ignore_patterns("locale", "*.mo"))
    servers = {name: ([toolcrib, *named(name)], calls()) for name, calls in DIALECTS.items()}
    reference = os.path.join(modules, "@modelcontextprotocol/server-filesystem/dist/index.js")
    servers["server-filesystem"] = (["node", reference, str(ROOT)], filesystem())
    servers["rust-mcp-filesystem"] = ([rust, "--allow-write", str(ROOT)], rust_mcp_filesystem())
    given = {}
    for name, (command, calls) in servers.items():
        if shutil.which(command[0]):
            given[name] = answers(name, command, calls, django, home)
    shutil.rmtree(ROOT.parent)
    shutil.rmtree(home)
    if "--show" in sys.argv:
        wanted = sys.argv[sys.argv.index("--show") + 1]
        for name, texts in given.items():
            if wanted in texts:
                print(f"===== {name}\n{texts[wanted]}")
        return
    counts = {name: dict(zip(texts, tokens(modules, list(texts.values())))) for name, texts in given.items()}
    table(["standard", "ekacode", "claude-code", "opencode", "gemini", "filesystem", "server-filesystem", "rust-mcp-filesystem"], counts)
    table(["apply-patch", "apply-patch-v4a", "text-editor", "text-editor-20250124", "memory"], counts)
    for (title, name), (before, aim) in BEFORE.items():
        ratio = counts[name][title] / before
        met = "met" if ratio <= aim else "NOT MET"
        print(f"{title}, {name}: {counts[name][title]:,}, {ratio:.2f} of the {before:,} before (target: at most {aim}; {met})")


if __name__ == "__main__":
    main()

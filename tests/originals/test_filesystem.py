"""`toolcrib filesystem` beside the MCP reference server: the same calls through the same client on equal files.

Answers, structured content and what is on the disk afterwards must be equal, but for the EXCEPTIONS, each of which has its
reason. An exception that no longer differs fails too.
"""

import json
import re
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp import MCPError
from support import MODULES, TOOLCRIB, environment, on_disk, place, session

pytestmark = pytest.mark.anyio

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452") + b"not a whole image"
TEN = "".join(f"line {n}\n" for n in range(1, 11))
TREE = {"a.txt": "a\n", "b.md": "b\n", "sub/c.md": "c\n", "sub/deep/d.md": "d\n", ".hidden": "h\n"}
CODE = "def total(xs):\n    return sum(xs)\n\n\ndef mean(xs):\n    return total(xs) / len(xs)\n"


def edit(*pairs, **more):
    return {"path": "$/f.txt", "edits": [{"oldText": old, "newText": new} for old, new in pairs], **more}


def one(text):
    return {"f.txt": text}


# Name, files, tool, arguments. `$` stands for the directory of the case.
CASES = [
    # Reading text.
    ("read", one("one\ntwo\n"), "read_text_file", {"path": "$/f.txt"}),
    ("read by its old name", one("one\ntwo\n"), "read_file", {"path": "$/f.txt"}),
    ("read without a final newline", one("one\ntwo"), "read_text_file", {"path": "$/f.txt"}),
    ("read an empty file", one(""), "read_text_file", {"path": "$/f.txt"}),
    ("read crlf", one(b"one\r\ntwo\r\n"), "read_text_file", {"path": "$/f.txt"}),
    ("read mixed line endings", one(b"one\r\ntwo\nthree\rfour"), "read_text_file", {"path": "$/f.txt"}),
    ("read beyond ascii", one("Grüße → 🦀 e\u0301\n"), "read_text_file", {"path": "$/f.txt"}),
    ("read a long line", one("x" * 5000 + "\nend\n"), "read_text_file", {"path": "$/f.txt"}),
    ("read control characters", one("\x1b[31mred\x07\n"), "read_text_file", {"path": "$/f.txt"}),
    ("read with a name beyond ascii", {"Grüße.txt": "x\n"}, "read_text_file", {"path": "$/Grüße.txt"}),
    ("read with blanks in the name", {"a b.txt": "x\n"}, "read_text_file", {"path": "$/a b.txt"}),
    ("head 1", one(TEN), "read_text_file", {"path": "$/f.txt", "head": 1}),
    ("head 3", one(TEN), "read_text_file", {"path": "$/f.txt", "head": 3}),
    ("head of more than there is", one(TEN), "read_text_file", {"path": "$/f.txt", "head": 99}),
    ("head without a final newline", one("a\nb"), "read_text_file", {"path": "$/f.txt", "head": 2}),
    ("head of an empty file", one(""), "read_text_file", {"path": "$/f.txt", "head": 2}),
    ("tail 1", one(TEN), "read_text_file", {"path": "$/f.txt", "tail": 1}),
    ("tail 2", one(TEN), "read_text_file", {"path": "$/f.txt", "tail": 2}),
    ("tail 5", one(TEN), "read_text_file", {"path": "$/f.txt", "tail": 5}),
    ("tail of more than there is", one(TEN), "read_text_file", {"path": "$/f.txt", "tail": 99}),
    ("tail without a final newline", one("a\nb\nc"), "read_text_file", {"path": "$/f.txt", "tail": 2}),
    ("tail of crlf", one(b"a\r\nb\r\nc\r\n"), "read_text_file", {"path": "$/f.txt", "tail": 2}),
    ("head and tail", one(TEN), "read_text_file", {"path": "$/f.txt", "head": 1, "tail": 1}),
    ("read what is not there", {}, "read_text_file", {"path": "$/none.txt"}),
    ("read in a directory that is not there", {}, "read_text_file", {"path": "$/no/none.txt"}),
    ("read a directory", TREE, "read_text_file", {"path": "$/sub"}),
    ("read outside", {}, "read_text_file", {"path": "/etc/hostname"}),
    ("read outside by dots", {}, "read_text_file", {"path": "$/../../../../etc/hostname"}),
    ("read with dots that stay inside", TREE, "read_text_file", {"path": "$/sub/../a.txt"}),
    ("read with an unknown parameter", one("x\n"), "read_text_file", {"path": "$/f.txt", "colour": "red"}),
    ("read without a path", {}, "read_text_file", {}),
    ("read with a number for a path", {}, "read_text_file", {"path": 3}),
    ("read latin-1", one(b"caf\xe9\n"), "read_text_file", {"path": "$/f.txt"}),
    ("read a byte order mark", one(b"\xef\xbb\xbfone\n"), "read_text_file", {"path": "$/f.txt"}),
    ("read nothing but bytes", one(bytes(range(256))), "read_text_file", {"path": "$/f.txt"}),
    # Media.
    ("media png", {"i.png": PNG}, "read_media_file", {"path": "$/i.png"}),
    ("media in capitals", {"i.PNG": PNG}, "read_media_file", {"path": "$/i.PNG"}),
    ("media jpg", {"i.jpg": PNG}, "read_media_file", {"path": "$/i.jpg"}),
    ("media svg", {"i.svg": "<svg/>"}, "read_media_file", {"path": "$/i.svg"}),
    ("media mp3", {"s.mp3": b"ID3"}, "read_media_file", {"path": "$/s.mp3"}),
    ("media flac", {"s.flac": b"fLaC"}, "read_media_file", {"path": "$/s.flac"}),
    ("media of another kind", {"f.bin": bytes(range(256))}, "read_media_file", {"path": "$/f.bin"}),
    ("media that is not there", {}, "read_media_file", {"path": "$/none.png"}),
    # Several files.
    ("several", TREE, "read_multiple_files", {"paths": ["$/a.txt", "$/b.md"]}),
    ("several, one of them missing", TREE, "read_multiple_files", {"paths": ["$/a.txt", "$/none", "$/b.md"]}),
    ("several, only one", TREE, "read_multiple_files", {"paths": ["$/a.txt"]}),
    ("several, none", TREE, "read_multiple_files", {"paths": []}),
    # Writing.
    ("write anew", {}, "write_file", {"path": "$/f.txt", "content": "new\n"}),
    ("write over", one("old\n"), "write_file", {"path": "$/f.txt", "content": "new\n"}),
    ("write nothing", one("old\n"), "write_file", {"path": "$/f.txt", "content": ""}),
    ("write without a newline", {}, "write_file", {"path": "$/f.txt", "content": "new"}),
    ("write beyond ascii", {}, "write_file", {"path": "$/f.txt", "content": "→ 🦀\n"}),
    ("write crlf", {}, "write_file", {"path": "$/f.txt", "content": "a\r\nb\r\n"}),
    ("write into a new directory", {}, "write_file", {"path": "$/new/f.txt", "content": "new\n"}),
    ("write lf over crlf", one(b"a\r\nb\r\n"), "write_file", {"path": "$/f.txt", "content": "a\nc\n"}),
    ("write over a directory", TREE, "write_file", {"path": "$/sub", "content": "x"}),
    ("write outside", {}, "write_file", {"path": "/etc/none.txt", "content": "x"}),
    ("write without content", {}, "write_file", {"path": "$/f.txt"}),
    # Editing.
    ("edit", one(TEN), "edit_file", edit(("line 5\n", "LINE 5\n"))),
    ("edit a word", one(CODE), "edit_file", edit(("sum(xs)", "0"))),
    ("edit several", one(TEN), "edit_file", edit(("line 2\n", "two\n"), ("line 9\n", "nine\n"))),
    ("edit what an edit made", one(TEN), "edit_file", edit(("line 2\n", "two\n"), ("two\n", "deux\n"))),
    ("edit by deleting", one(TEN), "edit_file", edit(("line 3\n", ""))),
    ("edit the last line", one("a\nb"), "edit_file", edit(("b", "c"))),
    ("edit, dry run", one(TEN), "edit_file", edit(("line 5\n", "LINE 5\n"), dryRun=True)),
    ("edit with backticks", one("```\ncode\n```\n"), "edit_file", edit(("code", "more"))),
    ("edit nothing", one(TEN), "edit_file", edit()),
    ("edit to the same", one(TEN), "edit_file", edit(("line 5\n", "line 5\n"))),
    ("edit what is not there", one(TEN), "edit_file", edit(("line 77\n", "x\n"))),
    ("edit the second of two that is not there", one(TEN), "edit_file", edit(("line 2\n", "two\n"), ("none", "x"))),
    ("edit what is there twice", one("x x x\n"), "edit_file", edit(("x", "y"))),
    ("edit crlf", one(b"one\r\ntwo\r\n"), "edit_file", edit(("two", "2"))),
    ("edit latin-1", one(b"caf\xe9\nx\n"), "edit_file", edit(("x", "y"))),
    ("edit with other indentation", one("def f():\n    if x:\n        return 1\n"), "edit_file",
     edit(("if x:\n    return 1", "if x:\n    return 2"))),
    ("edit what does not exist", {}, "edit_file", edit(("a", "b"))),
    ("edit with an empty text", one(TEN), "edit_file", edit(("", "top\n"))),
    # Directories.
    ("create directory", {}, "create_directory", {"path": "$/d"}),
    ("create directories", {}, "create_directory", {"path": "$/d/e/f"}),
    ("create what is there", TREE, "create_directory", {"path": "$/sub"}),
    ("create where a file is", TREE, "create_directory", {"path": "$/a.txt"}),
    ("list", TREE, "list_directory", {"path": "$"}),
    ("list an empty directory", {}, "list_directory", {"path": "$"}),
    ("list what is not there", {}, "list_directory", {"path": "$/none"}),
    ("list a file", TREE, "list_directory", {"path": "$/a.txt"}),
    ("sizes", TREE | {"big.txt": "x" * 1219}, "list_directory_with_sizes", {"path": "$"}),
    ("sizes by size", TREE | {"big.txt": "x" * 1219}, "list_directory_with_sizes", {"path": "$", "sortBy": "size"}),
    ("sizes of nothing", {}, "list_directory_with_sizes", {"path": "$"}),
    ("tree", TREE, "directory_tree", {"path": "$"}),
    ("tree of nothing", {}, "directory_tree", {"path": "$"}),
    ("tree without a name", TREE, "directory_tree", {"path": "$", "excludePatterns": ["deep"]}),
    ("tree of what is not there", {}, "directory_tree", {"path": "$/none"}),
    # Moving.
    ("move", TREE, "move_file", {"source": "$/a.txt", "destination": "$/moved.txt"}),
    ("move into a directory", TREE, "move_file", {"source": "$/a.txt", "destination": "$/sub/a.txt"}),
    ("move a directory", TREE, "move_file", {"source": "$/sub", "destination": "$/other"}),
    ("move over a file", TREE, "move_file", {"source": "$/a.txt", "destination": "$/b.md"}),
    ("move what is not there", TREE, "move_file", {"source": "$/none", "destination": "$/x"}),
    ("move into a new directory", TREE, "move_file", {"source": "$/a.txt", "destination": "$/new/a.txt"}),
    # Searching.
    ("search here", TREE, "search_files", {"path": "$", "pattern": "*.md"}),
    ("search everywhere", TREE, "search_files", {"path": "$", "pattern": "**/*.md"}),
    ("search for a name", TREE, "search_files", {"path": "$", "pattern": "b.md"}),
    ("search hidden", TREE, "search_files", {"path": "$", "pattern": "*"}),
    ("search directories", TREE, "search_files", {"path": "$", "pattern": "**/deep"}),
    ("search without some", TREE, "search_files", {"path": "$", "pattern": "**/*.md", "excludePatterns": ["**/deep"]}),
    ("search for nothing", TREE, "search_files", {"path": "$", "pattern": "*.rs"}),
    ("search what git ignores", TREE | {".gitignore": "*.md\n"}, "search_files", {"path": "$", "pattern": "**/*.md"}),
    # Facts.
    ("info of a file", one("fourteen bytes"), "get_file_info", {"path": "$/f.txt"}),
    ("info of a directory", TREE, "get_file_info", {"path": "$/sub"}),
    ("info of what is not there", {}, "get_file_info", {"path": "$/none"}),
    ("allowed directories", {}, "list_allowed_directories", {}),
    ("no such tool", {}, "delete_everything", {}),
]

EXCEPTIONS = {
    "read latin-1": "the original replaces what is not UTF-8 by U+FFFD; the text is given",
    "read a byte order mark": "the mark is no part of the text",
    "read nothing but bytes": "refused, with what it is; the original gives U+FFFD",
    "read outside": "the path is named, and not every allowed directory with it",
    "read outside by dots": "the path is named, and not every allowed directory with it",
    "write outside": "the path is named, and not every allowed directory with it",
    "read without a path": "the parameter is named, and not the type that the library expected",
    "read with a number for a path": "the parameter is named, and not the type that the library expected",
    "write without content": "the parameter is named, and not the type that the library expected",
    "several, none": "the parameter is named, and not the type that the library expected",
    "write into a new directory": "directories are created; the original fails",
    "move into a new directory": "directories are created; the original fails",
    "write lf over crlf": "a file whose lines all end with CRLF keeps that",
    "write over a directory": "says that it is a directory, in other words",
    "edit": "three lines of context and not four",
    "edit a word": "three lines of context and not four",
    "edit what an edit made": "three lines of context and not four",
    "edit by deleting": "three lines of context and not four",
    "edit, dry run": "three lines of context and not four",
    "edit nothing": "refused: a list without edits is a slip",
    "edit to the same": "refused: an edit that changes nothing is a slip",
    "edit what is there twice": "refused with the lines; the original changes the first of them",
    "edit crlf": "the line endings stay; the original writes LF",
    "edit latin-1": "the bytes stay; the original ruins them",
    "edit with other indentation": "shifted as a whole; the original loses a level",
    "edit with an empty text": "refused; the original inserts it at the top",
    "create where a file is": "says that it is a file, in other words",
    "no such tool": "the nearest name is given",
}


@asynccontextmanager
async def both(tmp_path):
    """The original and Toolcrib, each on a directory of its own."""
    roots = [tmp_path.resolve() / "original", tmp_path.resolve() / "toolcrib"]
    for root in roots:
        root.mkdir()
    original = MODULES / "@modelcontextprotocol/server-filesystem/dist/index.js"
    env = environment(tmp_path / "state")
    with anyio.fail_after(300):
        async with session("node", [original, roots[0]], env) as theirs:
            async with session(TOOLCRIB, ["filesystem", roots[1]], env) as ours:
                yield [(theirs, roots[0]), (ours, roots[1])]


async def called(client, root: Path, number: int, files: dict, tool: str, arguments: dict):
    """The answer and what is on the disk after it, without what only says where the test ran."""
    case = root / f"case{number}"
    place(case, files)
    arguments = json.loads(json.dumps(arguments).replace("$", str(case)))
    try:
        answer = await client.call_tool(tool, arguments)
    except MCPError as error:
        return {"error": str(error), "disk": on_disk(case)}
    content = [block.model_dump(exclude_none=True) for block in answer.content]
    text = json.dumps([content, answer.structured_content], ensure_ascii=False)
    text = text.replace(str(root), "ROOT")
    text = re.sub(r"(created|modified|accessed): \w{3} \w{3} \d\d \d{4} [\d:]{8} GMT", r"\1: DATE", text)
    content, structured = json.loads(text)
    if answer.is_error:
        # What to do next is Toolcrib's own, on the lines below.
        content[0]["text"] = content[0]["text"].split("\n")[0]
    return {"error": answer.is_error, "content": content, "structured": structured, "disk": on_disk(case)}


def in_order(tool: str, answer: dict):
    """The order of entries is the system's in the original, and by name or age in Toolcrib."""
    if answer["error"] or tool not in ("list_directory", "search_files", "directory_tree"):
        return answer
    text = answer["content"][0]["text"]
    if tool == "directory_tree":
        def sort(tree):
            return sorted((dict(entry, children=sort(entry["children"])) if "children" in entry else entry
                           for entry in tree), key=lambda entry: entry["name"])
        return dict(answer, content=sort(json.loads(text)), structured=None)
    return dict(answer, content=sorted(text.split("\n")), structured=None)


async def test_calls_are_answered_as_the_original_answers_them(tmp_path):
    assert len(CASES) >= 80 and len({name for name, *_ in CASES}) == len(CASES)
    different = {}
    async with both(tmp_path) as servers:
        for number, (name, files, tool, arguments) in enumerate(CASES):
            answers = [in_order(tool, await called(client, root, number, files, tool, arguments))
                       for client, root in servers]
            if answers[0] != answers[1]:
                different[name] = answers
    print(f"\n{len(CASES)} calls of the reference server: {len(CASES) - len(different)} equal, {len(EXCEPTIONS)} exceptions")
    surprising = {name: answers for name, answers in different.items() if name not in EXCEPTIONS}
    for name, (theirs, ours) in surprising.items():
        print(f"\n{name}\n  original: {theirs}\n  toolcrib: {ours}")
    assert sorted(surprising) == []
    equal = sorted(set(EXCEPTIONS) - set(different))
    assert equal == [], f"no longer different: {equal}"


async def test_the_tools_are_those_of_the_original(tmp_path):
    async with both(tmp_path) as servers:
        theirs, ours = [{tool.name: tool for tool in (await client.list_tools()).tools} for client, _ in servers]
    assert set(ours) == set(theirs)
    for name, tool in theirs.items():
        mine = ours[name]
        assert mine.title == tool.title
        assert mine.annotations == tool.annotations, name
        assert mine.output_schema["required"] == tool.output_schema["required"]
        wanted, offered = tool.input_schema["properties"], mine.input_schema["properties"]
        assert set(wanted) - set(offered) == set(), name
        # One that no client of the original sends, to read on in a long file.
        assert set(offered) - set(wanted) <= {"offset"}, name
        assert set(mine.input_schema.get("required", [])) == set(tool.input_schema.get("required", [])), name

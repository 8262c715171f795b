"""A toolbox from Python: calls, results, errors, records, undo."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import SLOW

import toolcrib
from toolcrib import (
    InvalidParameterError,
    NotFoundError,
    NotUniqueError,
    Rule,
    Toolbox,
    ToolError,
    ToolResult,
    _toolcrib,
)

# For every tool of both dialects: a call on `a.txt`, and what the file holds afterwards.
CALLS: list[tuple[str, str, dict[str, Any], str]] = [
    ("standard", "Read", {"file_path": "$ROOT/a.txt"}, "one\ntwo\n"),
    ("standard", "Write", {"file_path": "$ROOT/a.txt", "content": "new\n"}, "new\n"),
    ("standard", "Edit", {"file_path": "$ROOT/a.txt", "old_string": "one", "new_string": "1"}, "1\ntwo\n"),
    (
        "standard",
        "MultiEdit",
        {"file_path": "$ROOT/a.txt", "edits": [{"old_string": "one", "new_string": "1"}]},
        "1\ntwo\n",
    ),
    ("standard", "ApplyPatch", {"patch_text": "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n"}, "1\ntwo\n"),
    ("standard", "LS", {"path": "$ROOT"}, "one\ntwo\n"),
    ("standard", "Glob", {"pattern": "*.txt"}, "one\ntwo\n"),
    ("standard", "Grep", {"pattern": "tw.", "-i": True}, "one\ntwo\n"),
    ("ekacode", "read", {"filePath": "a.txt"}, "one\ntwo\n"),
    ("ekacode", "write", {"filePath": "a.txt", "content": "new\n"}, "new\n"),
    ("ekacode", "edit", {"filePath": "a.txt", "oldString": "one", "newString": "1"}, "1\ntwo\n"),
    ("ekacode", "multiedit", {"filePath": "a.txt", "edits": [{"oldString": "one", "newString": "1"}]}, "1\ntwo\n"),
    ("ekacode", "apply_patch", {"patchText": "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n"}, "1\ntwo\n"),
    ("ekacode", "ls", {"dirPath": "."}, "one\ntwo\n"),
    ("ekacode", "glob", {"pattern": "*.txt"}, "one\ntwo\n"),
    ("ekacode", "grep", {"pattern": "tw."}, "one\ntwo\n"),
]


@pytest.mark.parametrize("dialect, tool, arguments, after", CALLS, ids=[case[1] for case in CALLS])
def test_every_tool_of_both_dialects(open_box: Any, workspace: Path, dialect: str, tool: str, arguments: dict[str, Any], after: str) -> None:
    (workspace / "a.txt").write_text("one\ntwo\n")
    box = open_box(dialect=dialect)
    result = box.call(tool, json.loads(json.dumps(arguments).replace("$ROOT", str(workspace))))
    assert result.success, result
    assert "a.txt" in json.dumps([result.output, result.metadata])
    assert isinstance(result.output, str if dialect == "standard" else dict)
    assert (workspace / "a.txt").read_text() == after


def test_the_calls_above_are_of_every_tool(open_box: Any) -> None:
    for dialect in ("standard", "ekacode"):
        called = [tool for of, tool, *_ in CALLS if of == dialect]
        assert sorted(called) == sorted(tool.name for tool in open_box(dialect=dialect).tools())


def test_arguments_by_name_as_a_mapping_or_both(box: Toolbox, workspace: Path) -> None:
    (workspace / "a.txt").write_text("one\ntwo\n")
    for result in (
        box.call("Read", file_path=workspace / "a.txt", limit=1),
        box.call("Read", {"file_path": str(workspace / "a.txt"), "limit": 1}),
        box.call("Read", {"file_path": "/elsewhere", "limit": 1}, file_path=str(workspace / "a.txt")),
        box["Read"](file_path=workspace / "a.txt", limit=1),
    ):
        assert result.output.startswith("     1\tone")
        assert result.metadata["lines_read"] == 1


NO_JSON: list[tuple[Any, str]] = [
    ({"file_path": b"/a"}, "a value is of the type bytes, which JSON has not"),
    ({"file_path": "/a", "limit": float("nan")}, "a number is not finite"),
    ({"file_path": "/a", "limit": 2**70}, "a whole number has more than 64 bits"),
    ({"file_path": "\ud800"}, "a text has half of a surrogate pair in it, which is no character"),
    ({1: 2}, "a key is not a text"),
    ({"file_path": {1, 2}}, "a value is of the type set, which JSON has not"),
]


@pytest.mark.parametrize("arguments, reason", NO_JSON, ids=[case[1] for case in NO_JSON])
def test_what_is_no_json_is_a_wrong_parameter(box: Toolbox, arguments: Any, reason: str) -> None:
    result = box.call("Read", arguments)
    assert (result.error, result.error_kind) == (f"The parameters are not JSON: {reason}", "invalid_parameter")


def test_what_holds_itself_is_refused(box: Toolbox) -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert "nested more than 128 levels deep" in str(box.call("Read", file_path=endless))


@pytest.mark.parametrize("arguments", [[], "x", 5])
def test_arguments_that_are_no_object_are_told_so(box: Toolbox, arguments: Any) -> None:
    assert str(box.call("Read", arguments).error).startswith("Parameters must be a JSON object")


def test_values_go_there_and_back_unchanged(box: Toolbox) -> None:
    @toolcrib.tool(effect="reads")
    def echo(value: Any) -> Any:
        """Gives back what it gets."""
        return {"value": value}

    box.register(echo)
    for value in (True, False, 0, -1, 2**63, -(2**63), 2**64 - 1, 1.5, "ä\0𝄞", [1, [2, {"a": None}]], {"b": [], "a": {}}):
        answer = box.call("echo", value=value).output["value"]
        assert answer == value and type(answer) is type(value)
    assert list(box.call("echo", value={"b": 1, "a": 2}).output["value"]) == ["b", "a"]


def test_a_result_is_a_value(box: Toolbox, workspace: Path) -> None:
    (workspace / "a.txt").write_text("one\n")
    result = box.call("Read", file_path=workspace / "a.txt")
    assert pickle.loads(pickle.dumps(result)) == result == copy.deepcopy(result)
    assert result != box.call("Read", file_path=workspace / "b.txt")
    assert repr(result).startswith("ToolResult(success=True, output='     1\\tone', error=None, duration_ms=")
    assert eval(repr(result)) == result
    assert result.duration_ms is not None and 0 < result.duration_ms < 10_000


def test_a_failure_is_a_result_or_is_raised(box: Toolbox, workspace: Path) -> None:
    missing = box.call("Read", file_path=workspace / "b.txt")
    assert (missing.success, missing.output, missing.error_kind) == (False, None, "not_found")
    assert missing.metadata["error_kind"] == "not_found"
    assert str(missing) == f"Error: {missing.error}\nHint: {missing.hint}"
    with pytest.raises(NotFoundError, match="File not found") as raised:
        box.call("Read", file_path=workspace / "b.txt", check=True)
    assert (raised.value.hint, raised.value.kind) == (missing.hint, "not_found")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), str(again), again.hint, again.metadata) == (
        NotFoundError,
        str(raised.value),
        raised.value.hint,
        raised.value.metadata,
    )
    (workspace / "a.txt").write_text("x x")
    with pytest.raises(NotUniqueError):
        box.call("Edit", file_path=workspace / "a.txt", old_string="x", new_string="y", check=True)
    assert box.call("Read", file_path=workspace / "a.txt", check=True).success


def test_every_kind_of_failure_has_a_class() -> None:
    classes = [each for each in vars(toolcrib).values() if isinstance(each, type) and issubclass(each, ToolError)]
    assert sorted(each.kind for each in classes if each is not ToolError) == sorted(_toolcrib.error_kinds())
    for kind in _toolcrib.error_kinds():
        assert ToolError.of("", {"error_kind": kind}).kind == kind


def test_a_box_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        Toolbox(tmp_path / "nowhere")
    with pytest.raises(InvalidParameterError, match="at least one root"):
        Toolbox()
    with pytest.raises(InvalidParameterError, match="did you mean 'ekacode'"):
        Toolbox(tmp_path, dialect="ekakode")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match="No such rule: maybe edit x"):
        Toolbox(tmp_path, rules=[Rule("edit", "x", "maybe")])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="timeout is -1"):
        Toolbox(tmp_path, timeout=-1)
    with pytest.raises(NotFoundError, match="Configuration not found"):
        Toolbox(tmp_path, config=tmp_path / "config.toml")


def test_a_root_may_be_given_from_here(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)
    (workspace / "a.txt").write_text("one\n")
    box = Toolbox(".", journal=False)
    assert [str(root) for root in box.roots] == [str(workspace)]
    assert box.call("Read", file_path=workspace / "a.txt").success


def test_rules_refuse(open_box: Any, workspace: Path) -> None:
    (workspace / "private").mkdir()
    for name in ("a.txt", "README.md"):
        (workspace / "private" / name).write_text("x")
    box = open_box(rules=[Rule("read", "private/**", "deny", except_=("private/README.md",))])
    denied = box.call("Read", file_path=workspace / "private/a.txt")
    assert denied.error_kind == "permission_denied"
    assert box.call("Read", file_path=workspace / "private/README.md").success


def test_a_configuration_counts(open_box: Any, workspace: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[[rules]]\nkind = "edit"\npattern = "**"\naction = "deny"\n')
    result = open_box(config=config).call("Write", file_path=workspace / "a.txt", content="x")
    assert result.error_kind == "permission_denied" and not (workspace / "a.txt").exists()


def test_dry_run_session_and_other_circumstances(open_box: Any, workspace: Path) -> None:
    file = workspace / "a.txt"
    file.write_text("one\n")
    box = open_box(session="s1")
    edit = {"file_path": str(file), "old_string": "one", "new_string": "1"}
    assert box.call("Edit", edit).error_kind == "not_read"
    assert box.call("Read", file_path=file).success
    dry = box.using(dry_run=True)
    assert dry.session == "s1"
    shown = dry.call("Edit", edit)
    assert shown.output.startswith("[Dry Run]") and shown.metadata["dry_run"] is True
    assert file.read_text() == "one\n"
    assert box.using(session="s2").call("Edit", edit).error_kind == "not_read"
    assert box.call("Edit", edit).success
    assert box.using(max_output_size=10).call("Read", file_path=file).metadata.get("output_bytes_left_out") is None
    assert box.using(max_output_size=3).call("Read", file_path=file).metadata["output_bytes_left_out"] > 0


def test_a_call_that_takes_too_long_is_ended(slow_to_search: Path) -> None:
    box = Toolbox(slow_to_search, timeout=0.3, journal=False)
    began = time.process_time()
    result = box.call("Grep", pattern=SLOW)
    assert time.process_time() - began < 5
    assert result.error_kind == "timed_out" or result.metadata.get("partial"), result


def test_schemas_of_every_format(box: Toolbox) -> None:
    assert [each["function"]["name"] for each in box.schemas("openai")] == [tool.name for tool in box]
    assert box.schemas("anthropic")[0]["input_schema"]["required"] == ["file_path"]
    assert all(each["function"]["strict"] for each in box.schemas("openai-strict"))
    assert box.schemas("mcp")[0]["inputSchema"] == box["Read"].parameters == box["Read"].schema("mcp")["inputSchema"]
    assert box["Grep"].schema("langchain")["title"] == "Grep"
    with pytest.raises(InvalidParameterError, match="did you mean 'anthropic'"):
        box.schemas("antropic")  # type: ignore[arg-type]


def test_tools_tell_what_they_are(box: Toolbox) -> None:
    read = box["Read"]
    assert (read.name, read.category, read.effect) == ("Read", "FILE", "reads")
    assert box["Write"].effect == "proposes"
    assert read.description and read.parameters["properties"]["file_path"]["type"] == "string"
    assert "Read" in box and "Raed" not in box
    with pytest.raises(KeyError):
        box["Raed"]


def test_calls_are_recorded(box: Toolbox, workspace: Path) -> None:
    box.using(session="s", agent="a").call("Read", file_path=workspace / "b.txt")
    box.call("Nope")
    first, second = box.executions()
    assert (first.tool_name, first.parameters) == ("Read", {"file_path": str(workspace / "b.txt")})
    assert (first.context["session_id"], first.context["agent_id"]) == ("s", "a")
    assert first.states == ["received", "validating", "validated", "executing", "failed"]
    assert first.result.error_kind == "not_found" and second.result.error_kind == "unknown_tool"
    assert first.state == "failed" and first.started_at <= first.completed_at and first.started_at.tzinfo
    box.clear_executions()
    assert box.executions() == []


def test_changes_can_be_taken_back(open_box: Any, workspace: Path) -> None:
    file = workspace / "a.txt"
    file.write_text("one\n")
    box = open_box(agent="tester")
    box.call("Edit", file_path=file, old_string="one", new_string="1", check=True)
    box.using(session="other").call("Write", file_path=workspace / "b.txt", content="b", check=True)
    latest, edit = box.changes()
    assert (edit.tool, edit.agent, edit.state) == ("Edit", "tester", "done")
    assert edit.files[0].action == "update" and "-one\n+1\n" in (edit.files[0].diff or "")
    assert (latest.session, latest.files[0].action) == ("other", "add")
    undone = box.undo(edit.id)
    assert undone.takes_back == edit.id and file.read_text() == "one\n"
    assert box.changes(limit=1)[0].id == undone.id
    box.redo(edit.id)
    assert file.read_text() == "1\n"
    box.using(session="other").undo()
    assert not (workspace / "b.txt").exists() and file.read_text() == "1\n"
    with pytest.raises(NotFoundError):
        box.undo(999)


def test_without_a_journal_nothing_is_taken_back(open_box: Any, workspace: Path) -> None:
    box = open_box(journal=False)
    box.call("Write", file_path=workspace / "a.txt", content="x", check=True)
    with pytest.raises(NotFoundError, match="no journal"):
        box.undo()


def test_bytes_of_a_file(box: Toolbox, workspace: Path, tmp_path: Path) -> None:
    (workspace / "a.bin").write_bytes(b"\x00\xff")
    (tmp_path / "outside").write_bytes(b"x")
    assert box.read_bytes(workspace / "a.bin") == b"\x00\xff"
    with pytest.raises(toolcrib.TooLargeError):
        box.read_bytes(workspace / "a.bin", limit=1)
    with pytest.raises(toolcrib.OutsideWorkspaceError):
        box.read_bytes(tmp_path / "outside")


def test_64_threads_at_once(box: Toolbox, workspace: Path) -> None:
    """Each changes its own file many times, and all of them one file together; no change is lost."""
    counter = workspace / "counter.txt"
    counter.write_text("".join(f"slot {number}: 0\n" for number in range(64)))
    start = threading.Barrier(64)

    def work(number: int) -> None:
        start.wait()
        own = workspace / f"{number}.txt"
        for turn in range(3):
            box.call("Write", file_path=own, content=f"{turn}", check=True)
            assert str(box.call("Read", file_path=own)).endswith(f"\t{turn}")
        old, new = f"slot {number}: 0\n", f"slot {number}: 1\n"
        box.call("Edit", file_path=counter, old_string=old, new_string=new, check=True)

    with ThreadPoolExecutor(64) as pool:
        list(pool.map(work, range(64)))
    assert counter.read_text() == "".join(f"slot {number}: 1\n" for number in range(64))


def test_the_lock_of_the_interpreter_is_given_away(slow_to_search: Path) -> None:
    """While a search runs, another thread of Python goes on."""
    box = Toolbox(slow_to_search, timeout=1, journal=False)
    turns = 0
    done = threading.Event()

    def search() -> None:
        box.call("Grep", pattern=SLOW)
        done.set()

    thread = threading.Thread(target=search)
    thread.start()
    while not done.wait(0.001):
        turns += 1
    thread.join()
    assert turns > 5


INTERRUPTED = """
import os, signal, sys, threading, time
from toolcrib import Toolbox
# A process that a shell starts in the background ignores the signal, and so do those that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
box = Toolbox(sys.argv[1], journal=False)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    box.call("Grep", pattern=sys.argv[2])
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - began, box.executions()[-1].state)
"""


def test_keyboard_interrupt_ends_a_long_grep(slow_to_search: Path) -> None:
    arguments = [sys.executable, "-c", INTERRUPTED, str(slow_to_search), SLOW]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    said = done.stdout.split()
    assert said[:1] == ["interrupted"], done
    assert 0.4 < float(said[1]) < 30 and said[2] == "cancelled"


def test_a_forked_process_goes_on(box: Toolbox, workspace: Path) -> None:
    (workspace / "a.txt").write_text("one\n")
    box.call("Read", file_path=workspace / "a.txt", check=True)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        answer = pool.apply_async(_read, (workspace / "a.txt",)).get(30)
    assert answer.output == "     1\tone"


def _read(file: Path) -> ToolResult:
    return Toolbox(file.parent, journal=False).call("Read", file_path=file)


def test_a_signal_handler_of_ones_own_is_called(slow_to_search: Path) -> None:
    """What a handler raises ends the call, whatever it is."""

    def handler(*_: object) -> None:
        raise RuntimeError("from the handler")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(RuntimeError, match="from the handler"):
            Toolbox(slow_to_search, journal=False).call("Grep", pattern=SLOW)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_help_is_there() -> None:
    for name in toolcrib.__all__:
        each = getattr(toolcrib, name)
        assert name == "Answer" or name == "Approver" or each.__doc__, name
        for method, value in vars(each).items() if isinstance(each, type) else ():
            if not method.startswith("_") and callable(value):
                assert value.__doc__, f"{name}.{method}"
    assert os.path.exists(os.path.join(os.path.dirname(toolcrib.__file__), "py.typed"))


def test_the_package_itself_is_out_of_reach() -> None:
    """Whoever could change it could take the rules away."""
    package = Path(toolcrib.__file__).parent
    box = Toolbox(package.parent, journal=False)
    read = box.call("Read", file_path=str(package / "__init__.py"))
    assert not read.success and "Toolcrib's own" in (read.error or ""), read
    assert not box.call("Write", file_path=str(package / "new.py"), content="").success
    assert "toolcrib/" not in str(box.call("LS", path=str(package.parent)).output).split()


def test_the_script_is_out_of_reach_of_the_command_that_it_starts() -> None:
    script = Path(sys.executable).parent / "toolcrib"
    call = [script, "--root", script.parent, "call", "Read", json.dumps({"file_path": str(script)})]
    done = subprocess.run([str(each) for each in call], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "Toolcrib's own" in done.stderr, done

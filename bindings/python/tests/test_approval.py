"""Being asked: functions and coroutines of Python as approvers."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from toolcrib import ApprovalRequest, Deny, Edited, Hunk, Rule

ASK = [Rule("edit", "**", "ask")]


def test_the_request_has_the_diff(open_box: Any, workspace: Path) -> None:
    file = workspace / "a.txt"
    file.write_text("one\n")
    asked: list[ApprovalRequest] = []

    def approver(request: ApprovalRequest) -> bool:
        asked.append(request)
        assert file.read_text() == "one\n", "nothing is changed before"
        return True

    box = open_box(rules=ASK, approver=approver, session="s", agent="a")
    box.call("Read", file_path=file, check=True)
    box.call("Edit", file_path=file, old_string="one", new_string="1", check=True)
    assert file.read_text() == "1\n"
    (request,) = asked
    assert (request.access, request.paths, request.tool) == ("edit", [str(file)], "Edit")
    assert (request.session_id, request.agent_id) == ("s", "a")
    assert request.diff is not None and "-one\n+1\n" in request.diff
    assert request.rule and request.patterns and len(request.digest) == 64
    (change,) = request.changes
    assert (change.path, change.from_, change.before, change.after) == (str(file), None, b"one\n", b"1\n")
    (page,) = request.pages()
    assert page.startswith(f"Change {file}:\n") and page.endswith("-one\n+1\n")


def test_a_person_is_shown_all_of_it(open_box: Any, workspace: Path) -> None:
    """Nothing is cut, and nothing is out of sight."""
    asked: list[ApprovalRequest] = []
    box = open_box(rules=ASK, approver=lambda request: asked.append(request) or False)
    content = "".join(f"line {line}\n" for line in range(5000)) + "a" * 10_000 + "\u202eevil" + " " * 3000 + "end"
    box.call("Write", file_path=workspace / "a.txt", content=content)
    (request,) = asked
    pages = list(request.pages())
    assert len(pages) > 20 and pages[0].startswith(f"This change does not fit on one page: page 1 of {len(pages)}.\n")
    shown = "".join(pages)
    assert all(f"+line {line}\n" in shown for line in range(5000))
    assert shown.count("a" * 199) >= 50 and "⟨U+202E⟩evil" in shown
    assert shown.count("⟨200 spaces⟩") == 14 and " end\n" in shown
    assert request.diff is not None and request.diff.count("\n+") == 5002


@pytest.mark.parametrize(
    "answer, allowed, said",
    [
        (True, True, ""),
        ("once", True, ""),
        ("always", True, ""),
        (False, False, "Cannot edit"),
        (Deny("not today"), False, "not today"),
        (None, False, "an approver answers with True"),
        ("yes", False, "and not with 'yes'"),
        (1, False, "and not with 1"),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_an_approver_can_answer(open_box: Any, workspace: Path, answer: Any, allowed: bool, said: str) -> None:
    box = open_box(rules=ASK, approver=lambda request: answer)
    result = box.call("Write", file_path=workspace / "a.txt", content="x")
    assert result.success is allowed and (workspace / "a.txt").exists() is allowed
    assert said in str(result)
    assert allowed or result.error_kind == "permission_denied"


def test_the_change_is_edited_before_it_is_made(open_box: Any, workspace: Path) -> None:
    three = "".join(f"line {number}\n" for number in range(60))
    file, other = workspace / "a.txt", workspace / "b.txt"
    file.write_text(three)
    shown: list[list[Hunk]] = []

    def keeps_the_second(request: ApprovalRequest) -> Edited:
        assert request.editable
        hunks = request.hunks(str(file))
        shown.append(hunks)
        return Edited(keep={str(file): [hunks[1].id]})

    box = open_box(rules=ASK, approver=keeps_the_second)
    edits = [{"old_string": f"line {n}\n", "new_string": f"LINE {n}\n"} for n in (5, 30, 55)]
    result = box.call("MultiEdit", file_path=file, edits=edits, check=True)
    assert file.read_text() == three.replace("line 30\n", "LINE 30\n")
    assert "1 of 3 hunks were made; the user refused the others" in str(result)
    (hunks,) = shown
    assert hunks[1].text == " line 27\n line 28\n line 29\n-line 30\n+LINE 30\n line 31\n line 32\n line 33\n"

    rewrites = box.using(approver=lambda request: Edited(text={str(other): "as edited\n"}))
    result = rewrites.call("Write", file_path=other, content="as proposed\n", check=True)
    assert other.read_text() == "as edited\n" and "the user wrote another text" in str(result)
    none = box.using(approver=lambda request: Edited(keep={str(other): []}))
    refused = none.call("Write", file_path=other, content="once more\n")
    assert refused.error_kind == "permission_denied" and other.read_text() == "as edited\n"


@pytest.mark.parametrize(
    "answer, said",
    [
        (Edited(text={"/elsewhere": "x"}), "the change has no file /elsewhere"),
        (Edited(keep={"a.txt": ["0123"]}), "no hunk '0123'"),
        (Edited(keep={"a.txt": []}, text={"a.txt": "x"}), "give one of them"),
        (Edited(text={"a.txt": 1}), "int"),  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_edited_answer_that_does_not_fit_is_no(open_box: Any, workspace: Path, answer: Edited, said: str) -> None:
    file = workspace / "a.txt"

    def inside(named: Any) -> Any:
        return {str(file) if path == "a.txt" else path: what for path, what in named.items()}

    box = open_box(rules=ASK, approver=lambda request: Edited(inside(answer.text), inside(answer.keep)))
    result = box.call("Write", file_path=file, content="x")
    assert result.error_kind == "permission_denied" and not file.exists()
    assert said in str(result)


def test_always_is_for_the_session(open_box: Any, workspace: Path) -> None:
    asked: list[str | None] = []

    def approver(request: ApprovalRequest) -> str:
        asked.append(request.session_id)
        return "always"

    box = open_box(rules=ASK, approver=approver, session="s1")
    for content in "ab":
        box.call("Write", file_path=workspace / "a.txt", content=content, check=True)
    box.using(session="s2").call("Read", file_path=workspace / "a.txt", check=True)
    box.using(session="s2").call("Write", file_path=workspace / "a.txt", content="c", check=True)
    assert asked == ["s1", "s2"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_approver_that_fails_says_no(open_box: Any, workspace: Path) -> None:
    def approver(request: ApprovalRequest) -> bool:
        raise LookupError("nobody there")

    result = open_box(rules=ASK, approver=approver).call("Write", file_path=workspace / "a.txt", content="x")
    assert not (workspace / "a.txt").exists()
    assert "the approver failed: LookupError: nobody there" in str(result)


def test_without_an_approver_ask_is_no(open_box: Any, workspace: Path) -> None:
    box = open_box(rules=ASK)
    assert box.call("Write", file_path=workspace / "a.txt", content="x").error_kind == "permission_denied"
    allowed = box.using(approver=lambda request: True)
    assert allowed.call("Write", file_path=workspace / "a.txt", content="x").success


async def slowly(request: ApprovalRequest) -> bool:
    await asyncio.sleep(0.01)
    return True


def test_a_coroutine_is_asked_with_and_without_a_loop(open_box: Any, workspace: Path) -> None:
    box = open_box(rules=ASK, approver=slowly)
    assert box.call("Write", file_path=workspace / "a.txt", content="x").success
    assert asyncio.run(box.acall("Write", file_path=workspace / "b.txt", content="x")).success


def test_a_coroutine_is_asked_where_a_loop_is_held_up(open_box: Any, workspace: Path) -> None:
    """Not a good idea, but no reason to fail."""
    box = open_box(rules=ASK, approver=slowly)

    async def main() -> bool:
        return bool(box.call("Write", file_path=workspace / "a.txt", content="x").success)

    assert asyncio.run(main())


INTERRUPTED = """
import sys, threading
from toolcrib import Rule, Toolbox
def approver(request):
    raise KeyboardInterrupt("while asked")
box = Toolbox(sys.argv[1], journal=False, rules=[Rule("edit", "**", "ask")], approver=approver)
try:
    box.call("Write", file_path=sys.argv[1] + "/a.txt", content="x")
except KeyboardInterrupt as error:
    print("interrupted", error, box.executions()[-1].state)
"""


def test_keyboard_interrupt_while_somebody_is_asked(workspace: Path) -> None:
    arguments = [sys.executable, "-c", INTERRUPTED, str(workspace)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("interrupted while asked"), done
    assert not (workspace / "a.txt").exists()


def test_a_coroutine_runs_in_the_callers_loop(open_box: Any, workspace: Path) -> None:
    async def main() -> None:
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        asked = asyncio.Event()

        async def approver(request: ApprovalRequest) -> bool:
            asked.set()
            return await answer

        box = open_box(rules=ASK, approver=approver, timeout=0.2)
        task = asyncio.create_task(box.acall("Write", file_path=workspace / "a.txt", content="x"))
        await asked.wait()
        await asyncio.sleep(0.4)  # while a person is asked, the clock stands still
        answer.set_result(True)
        assert (await task).success

    asyncio.run(main())


def test_cancelling_while_somebody_is_asked(open_box: Any, workspace: Path) -> None:
    async def main() -> float:
        asked = asyncio.Event()

        async def approver(request: ApprovalRequest) -> bool:
            asked.set()
            await asyncio.sleep(60)
            return True

        box = open_box(rules=ASK, approver=approver)
        task = asyncio.create_task(box.acall("Write", file_path=workspace / "a.txt", content="x"))
        await asked.wait()
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - began

    assert asyncio.run(main()) < 2
    assert not (workspace / "a.txt").exists()


@pytest.mark.parametrize("answer, times", [("always", 1), ("once", 4)])
def test_yes_is_for_one_call_and_always_for_all(open_box: Any, workspace: Path, answer: str, times: int) -> None:
    asked: list[ApprovalRequest] = []

    def approver(request: ApprovalRequest) -> str:
        asked.append(request)
        time.sleep(0.05)
        return answer

    box = open_box(rules=[Rule("read", "**", "ask")], approver=approver, session="s")
    (workspace / "a.txt").write_text("one\n")
    read = {"file_path": str(workspace / "a.txt")}
    threads = [threading.Thread(target=box.call, args=("Read", read)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asked) == times

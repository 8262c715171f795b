"""Calls from asyncio, and cancelling them."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import SLOW

from toolcrib import Call, NotFoundError, Toolbox, tool


def test_a_call_is_awaited(box: Toolbox, workspace: Path) -> None:
    (workspace / "a.txt").write_text("one\n")
    result = asyncio.run(box.acall("Read", file_path=workspace / "a.txt"))
    assert result.output == "     1\tone"
    assert asyncio.run(box["Read"].acall(file_path=workspace / "a.txt")).output == result.output
    with pytest.raises(NotFoundError):
        asyncio.run(box.acall("Read", file_path=workspace / "b.txt", check=True))
    assert asyncio.run(box.acall("Read", {1: 2})).error_kind == "invalid_parameter"


def test_many_calls_at_once(box: Toolbox, workspace: Path) -> None:
    async def main() -> list[str]:
        for number in range(100):
            (workspace / f"{number}.txt").write_text(f"{number}")
        calls = [box.acall("Read", file_path=workspace / f"{number}.txt") for number in range(100)]
        return [str(result) for result in await asyncio.gather(*calls)]

    assert asyncio.run(main()) == [f"     1\t{number}" for number in range(100)]


def test_cancelling_the_task_ends_the_work(slow_to_search: Path) -> None:
    box = Toolbox(slow_to_search, journal=False)

    async def main() -> float:
        task = asyncio.create_task(box.acall("Grep", pattern=SLOW))
        await asyncio.sleep(0.3)
        assert not task.done()
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - began

    assert asyncio.run(main()) < 2
    (execution,) = box.executions()
    assert execution.state == "cancelled"
    assert "still_running" not in execution.result.metadata, "the search itself has stopped"


def test_a_timeout_of_asyncio_ends_the_work(slow_to_search: Path) -> None:
    box = Toolbox(slow_to_search, journal=False)

    async def main() -> None:
        await asyncio.wait_for(box.acall("Grep", pattern=SLOW), timeout=0.2)

    with pytest.raises((asyncio.TimeoutError, TimeoutError)):
        asyncio.run(main())
    assert box.executions()[0].state == "cancelled"


def test_the_loop_goes_on_while_a_tool_works(slow_to_search: Path) -> None:
    box = Toolbox(slow_to_search, timeout=0.5, journal=False)

    async def main() -> int:
        turns = 0
        task = asyncio.create_task(box.acall("Grep", pattern=SLOW))
        while not task.done():
            await asyncio.sleep(0.005)
            turns += 1
        return turns

    assert asyncio.run(main()) > 20


def test_a_tool_that_awaits_runs_in_the_callers_loop(box: Toolbox) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()

        @tool(effect="reads")
        async def where() -> str:
            """Tells where it runs."""
            await asyncio.sleep(0)
            return "here" if asyncio.get_running_loop() is loop else "elsewhere"

        box.register(where)
        assert (await box.acall("where")).output == "here"
        assert (await asyncio.to_thread(box.call, "where")).output == "elsewhere"

    asyncio.run(main())


def test_cancelling_ends_a_tool_that_awaits(box: Toolbox) -> None:
    events: list[str] = []

    @tool(effect="reads")
    async def wait() -> str:
        """Waits for ever."""
        try:
            events.append("began")
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            events.append("ended")
            raise
        return ""

    box.register(wait)

    async def main() -> None:
        task = asyncio.create_task(box.acall("wait"))
        while not events:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert events == ["began", "ended"]

    asyncio.run(main())
    assert box.executions()[0].state == "cancelled"


def test_cancelling_reaches_a_tool_at_its_checkpoint(box: Toolbox) -> None:
    ended: list[Any] = []

    @tool(effect="reads")
    def spin(call: Call) -> str:
        """Works until it is told to stop."""
        try:
            while True:
                call.checkpoint()
                time.sleep(0.001)
        finally:
            ended.append(call.cancelled)

    box.register(spin)

    async def main() -> None:
        with pytest.raises((asyncio.TimeoutError, TimeoutError)):
            await asyncio.wait_for(box.acall("spin"), timeout=0.2)
        assert ended == [True]

    asyncio.run(main())

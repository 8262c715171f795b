"""Where a call comes from: functions of Python that it needs run as if they were called there."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from ._toolcrib import Running

__all__ = ["Caller"]

_LOOK_UP = 0.05
"""How many seconds a coroutine runs on at most after no caller waits for it any more."""


class Caller:
    """The context variables and the event loop, if there is one, of the caller.

    Tools and approvers of Python run where the engine works: on the caller's thread, or on one of the engine's own. A
    coroutine runs in the caller's event loop if it awaits the call, and in one of its own otherwise.
    """

    __slots__ = ("_context", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._context = contextvars.copy_context()
        self._loop = loop

    def run(self, running: Running, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What the function gives back, or what it gives back in the end if it is a coroutine.

        Raises:
            asyncio.CancelledError: The coroutine ended because no caller waits for it any more.
        """
        # A context can be entered only once at a time, and tools can call tools.
        context = self._context.copy()
        answer = context.run(function, *args, **kwargs)
        if not inspect.isawaitable(answer):
            return answer
        coroutine = _until_nobody_waits(answer, running)
        if self._loop is None:
            return _run_apart(context, coroutine)
        try:
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()
        except concurrent.futures.CancelledError:
            raise asyncio.CancelledError from None


def _run_apart(context: contextvars.Context, coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Runs a coroutine in an event loop of its own, and on a thread of its own if this one is in a loop already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return context.run(asyncio.run, coroutine)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(context.run, asyncio.run, coroutine).result()


async def _until_nobody_waits(answer: Awaitable[Any], running: Running) -> Any:
    task = asyncio.ensure_future(answer)
    while not task.done():
        if running.cancelled or running.remaining == 0:
            task.cancel()
        await asyncio.wait({task}, timeout=_LOOK_UP)
    return task.result()

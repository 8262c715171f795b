"""Where a call comes from: functions of Python that it needs run as if they were called there."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from ._toolcrib import Running

__all__ = ["Caller"]

_LOOK_UP = 0.05
"""How many seconds a coroutine runs on at most after nobody waits for it any more."""


class Caller:
    """The context variables and the event loop, if there is one, of whoever made a call.

    Tools and approvers of Python run on threads of the engine. A function runs there; a coroutine runs in the caller's
    event loop, and in one of its own if the caller has none.
    """

    __slots__ = ("_context", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._context = contextvars.copy_context()
        self._loop = loop

    def run(self, running: Running, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What the function gives back, or what it gives back in the end if it is a coroutine.

        Raises:
            asyncio.CancelledError: The coroutine ended because nobody waits for it any more.
        """
        # A context can be entered only once at a time, and tools can call tools.
        context = self._context.copy()
        answer = context.run(function, *args, **kwargs)
        if not inspect.isawaitable(answer):
            return answer
        coroutine = _until_nobody_waits(answer, running)
        if self._loop is None:
            return context.run(asyncio.run, coroutine)
        try:
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()
        except concurrent.futures.CancelledError:
            raise asyncio.CancelledError from None


async def _until_nobody_waits(answer: Awaitable[Any], running: Running) -> Any:
    task = asyncio.ensure_future(answer)
    while not task.done():
        if running.cancelled or running.remaining == 0:
            task.cancel()
        await asyncio.wait({task}, timeout=_LOOK_UP)
    return task.result()

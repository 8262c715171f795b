"""What each framework's program here is told to do, and how it says what came back.

A framework with an agent of its own runs it against the scripted model, which sees the results itself. One without runs the steps
through its own interface for calling tools and prints what its user would hand to a model.
"""

from __future__ import annotations

import json
import sys
from typing import Any

TOLD: dict[str, Any] = json.loads(sys.argv[1])
COMMAND: str = TOLD["command"]
ARGS: list[str] = TOLD["args"]
STEPS: list[dict[str, Any]] = TOLD["steps"]
MODEL: str = TOLD["model"]
PROMPT = "do it"


def report(tools: list[str], results: list[tuple[str, int]]) -> None:
    """The tools that were listed, and each result as its text and the number of images in it."""
    shown = [{"text": text, "images": images} for text, images in results]
    print(json.dumps({"tools": tools, "results": shown}))


def blocks(content: list[Any]) -> tuple[str, int]:
    """The blocks of the protocol, or of a framework that keeps them."""
    text = "".join(block.text for block in content if getattr(block, "text", None) is not None)
    return text, sum(getattr(block, "type", None) == "image" for block in content)

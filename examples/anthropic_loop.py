"""The tool loop with Anthropic's client, written out. Without a key a stand-in answers, so that it runs anywhere:

    python examples/anthropic_loop.py
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from toolcrib import Toolbox


def run(client: Any, box: Toolbox, question: str) -> str:
    """Asks the model, carries out the calls it makes, and goes on until it has an answer."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
    while True:
        reply = client.messages.create(
            model="claude-sonnet-4-5", max_tokens=4096, tools=box.schemas("anthropic"), messages=messages
        )
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in reply.content if block.type == "text")
        answers = []
        for call in calls:
            result = box.call(call.name, call.input)
            print(f"{call.name} {call.input}\n{result}\n")
            answers.append({
                "type": "tool_result", "tool_use_id": call.id, "content": content(result), "is_error": not result.success,
            })
        messages.append({"role": "user", "content": answers})


def content(result: Any) -> list[dict[str, Any]]:
    """The answer as blocks: its text, and its images if it has any."""
    images = [
        {"type": "image", "source": {"type": "base64", "media_type": image.mime_type, "data": image.base64_data}}
        for image in result.images
    ]
    return [{"type": "text", "text": str(result) or "(empty)"}, *images]


class StandIn:
    """In the place of `anthropic.Anthropic()`: reads a file, edits it, and says so."""

    def __init__(self, file: Path) -> None:
        self.messages = self
        self.file = str(file)

    def create(self, *, messages: list[dict[str, Any]], tools: list[dict[str, Any]], **_: Any) -> Any:
        assert {"Read", "Edit"} <= {tool["name"] for tool in tools}
        turn = sum(message["role"] == "assistant" for message in messages)
        script = [
            self.call("Read", {"file_path": self.file}),
            self.call("Edit", {"file_path": self.file, "old_string": "teh", "new_string": "the"}),
            SimpleNamespace(type="text", text="I corrected one word."),
        ]
        return SimpleNamespace(content=[script[turn]])

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        return SimpleNamespace(type="tool_use", id=f"toolu_{name}", name=name, input=arguments)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "notes.txt"
        file.write_text("This is teh end.\n")
        if "ANTHROPIC_API_KEY" in os.environ:
            import anthropic

            client: Any = anthropic.Anthropic()
        else:
            client = StandIn(file)
        print(run(client, Toolbox(folder, session="example", journal=False), f"Correct the spelling in {file}."))
        print(file.read_text(), end="")

"""Anthropic's text editor tool under the tool runner of its client. Without a key a stand-in answers, so that it runs anywhere:

    python examples/anthropic_editor.py
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import anthropic
import httpx2

from toolcrib.anthropic import TextEditor


def run(client: anthropic.Anthropic, editor: TextEditor, question: str) -> str:
    """Asks the model; the runner carries out the calls it makes, and goes on until it has an answer."""
    runner = client.beta.messages.tool_runner(
        model="claude-sonnet-5-5",
        max_tokens=4096,
        tools=[editor],
        messages=[{"role": "user", "content": question}],
    )
    for message in runner:
        for block in message.content:
            if block.type == "tool_use":
                print(f"{block.name} {block.input}")
    return "".join(block.text for block in message.content if block.type == "text")


def stand_in() -> anthropic.Anthropic:
    """A client whose model views a file, edits it, and says so."""

    def call(**input: str) -> dict[str, Any]:
        block = {"type": "tool_use", "id": f"toolu_{input['command']}", "name": "str_replace_based_edit_tool", "input": input}
        return {"content": [block], "stop_reason": "tool_use"}

    script = iter([
        call(command="view", path="notes.txt"),
        call(command="str_replace", path="notes.txt", old_str="teh", new_str="the"),
        {"content": [{"type": "text", "text": "I corrected one word."}], "stop_reason": "end_turn"},
    ])

    def reply(_: httpx2.Request) -> httpx2.Response:
        usage = {"input_tokens": 0, "output_tokens": 0}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "none", "usage": usage}
        return httpx2.Response(200, json={**message, **next(script)})

    return anthropic.Anthropic(api_key="none", http_client=httpx2.Client(transport=httpx2.MockTransport(reply)))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "notes.txt"
        file.write_text("This is teh end.\n")
        client = anthropic.Anthropic() if "ANTHROPIC_API_KEY" in os.environ else stand_in()
        print(run(client, TextEditor(folder, journal=False), "Correct the spelling in notes.txt."))
        print(file.read_text(), end="")

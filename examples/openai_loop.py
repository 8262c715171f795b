"""The tool loop with OpenAI's client, written out. Without a key a stand-in answers, so that it runs anywhere:

    python examples/openai_loop.py
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from toolcrib import Toolbox


def run(client: Any, box: Toolbox, question: str) -> str:
    """Asks the model, carries out the calls it makes, and goes on until it has an answer."""
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        reply = client.chat.completions.create(model="gpt-5", tools=box.schemas("openai"), messages=messages)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return str(message.content)
        for call in message.tool_calls:
            result = box.call(call.function.name, json.loads(call.function.arguments))
            print(f"{call.function.name} {call.function.arguments}\n{result}\n")
            messages.append({"role": "tool", "tool_call_id": call.id, "content": str(result)})


class StandIn:
    """In the place of `openai.OpenAI()`: looks for a word, edits the file it is in, and says so."""

    def __init__(self) -> None:
        self.chat = SimpleNamespace(completions=self)

    def create(self, *, messages: list[Any], tools: list[dict[str, Any]], **_: Any) -> Any:
        assert {"Grep", "Edit"} <= {tool["function"]["name"] for tool in tools}
        answers = [message["content"] for message in messages if isinstance(message, dict) and message["role"] == "tool"]
        if not answers:
            message = self.call("Grep", {"pattern": "teh"})
        elif len(answers) == 1:
            message = self.call("Read", {"file_path": answers[0]})
        elif len(answers) == 2:
            message = self.call("Edit", {"file_path": answers[0], "old_string": "teh", "new_string": "the"})
        else:
            message = SimpleNamespace(content="I corrected one word.", tool_calls=None)
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        function = SimpleNamespace(name=name, arguments=json.dumps(arguments))
        return SimpleNamespace(content=None, tool_calls=[SimpleNamespace(id=f"call_{name}", function=function)])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "notes.txt"
        file.write_text("This is teh end.\n")
        if "OPENAI_API_KEY" in os.environ:
            import openai

            client: Any = openai.OpenAI()
        else:
            client = StandIn()
        print(run(client, Toolbox(folder, session="example", journal=False), f"Correct the spelling in {folder}."))
        print(file.read_text(), end="")

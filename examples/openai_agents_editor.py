"""The patch tool of OpenAI's Agents SDK. Without a key a scripted model answers, so that it runs anywhere:

    python examples/openai_agents_editor.py
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from agents import Agent, ApplyPatchTool, Model, Runner, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message
from openai.types.responses import ResponseApplyPatchToolCall
from openai.types.responses.response_apply_patch_tool_call import OperationUpdateFile

from toolcrib.openai_agents import Editor


def run(model: str | Model, editor: Editor, question: str) -> str:
    """Asks the model; the SDK carries out the patches it makes, and goes on until it has an answer."""
    agent = Agent(name="coder", model=model, tools=[ApplyPatchTool(editor=editor)])
    result = Runner.run_sync(agent, question)
    for item in result.new_items:
        if item.type == "tool_call_output_item":
            print(item.output)
    return str(result.final_output)


def stand_in() -> Model:
    """In the place of a model: patches a file, and says so."""
    operation = OperationUpdateFile(type="update_file", path="notes.txt", diff="@@\n-This is teh end.\n+This is the end.\n")
    call = ResponseApplyPatchToolCall(
        type="apply_patch_call", id="apc_1", call_id="call_1", status="completed", operation=operation
    )
    return ScriptedModel([[call], [assistant_message("I corrected one word.")]])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "notes.txt"
        file.write_text("This is teh end.\n")
        model: str | Model = "gpt-5.1"
        if "OPENAI_API_KEY" not in os.environ:
            set_tracing_disabled(True)
            model = stand_in()
        question = f"Correct the spelling in notes.txt, which says: {file.read_text()}"
        print(run(model, Editor(folder, journal=False), question))
        print(file.read_text(), end="")

"""An editor for the patch tool of OpenAI's Agents SDK. Needs `toolcrib[openai-agents]`.

>>> from agents import Agent, ApplyPatchTool
>>> from toolcrib.openai_agents import Editor
>>> agent = Agent(name="coder", tools=[ApplyPatchTool(editor=Editor("/path/to/project"))])
"""

from __future__ import annotations

from agents.editor import ApplyPatchOperation, ApplyPatchResult

from .openai import ApplyPatch

__all__ = ["Editor"]


class Editor(ApplyPatch):
    """The files of a workspace, as the patch tool changes them.

    Containment, rules, approval, dry run, the journal and undo are those of the toolbox. `answer` is for a loop without
    the SDK's runner.
    """

    async def create_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Creates a file with the lines of the diff. One that exists is not replaced."""
        return await self._carried_out("create_file", operation)

    async def update_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Changes a file as the diff says, and moves it if the operation says so."""
        return await self._carried_out("update_file", operation)

    async def delete_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Deletes a file."""
        return await self._carried_out("delete_file", operation)

    async def _carried_out(self, tool: str, operation: ApplyPatchOperation) -> ApplyPatchResult:
        result = await self.box.acall(tool, self._parameters(operation))
        return ApplyPatchResult(status="completed" if result.success else "failed", output=str(result))

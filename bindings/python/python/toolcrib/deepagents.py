"""A backend for deepagents: its file tools run on this engine. Needs `toolcrib[deepagents]`.

>>> from deepagents import create_deep_agent
>>> from toolcrib.deepagents import Backend
>>> agent = create_deep_agent(model=..., backend=Backend("/path/to/project"))
"""

from __future__ import annotations

import base64
import os
import re
from pathlib import PurePosixPath
from typing import Any

from deepagents.backends.protocol import (
    FILE_NOT_FOUND,
    INVALID_PATH,
    IS_DIRECTORY,
    PERMISSION_DENIED,
    BackendProtocol,
    DeleteResult,
    EditResult,
    FileDownloadResponse,
    FileInfo,
    FileOperationError,
    FileUploadResponse,
    GlobResult,
    GrepMatch,
    GrepResult,
    LsResult,
    ReadResult,
    WriteResult,
)

from .errors import ToolError
from .results import ToolResult
from .toolbox import Toolbox

__all__ = ["Backend"]

_MOST_LINES = 10_000
_LONGEST_LINE = 2000
_PAGE = 1000
_ROOM = 16 * 1024 * 1024
"""The limit of an answer in bytes; deepagents itself limits what the model reads."""
_CODES: dict[str, FileOperationError] = {
    "not_found": FILE_NOT_FOUND,
    "permission_denied": PERMISSION_DENIED,
    "outside_workspace": PERMISSION_DENIED,
    "is_directory": IS_DIRECTORY,
    "invalid_parameter": INVALID_PATH,
}


class Backend(BackendProtocol):
    """The files of a workspace, as deepagents' file tools see them: `/` is the root.

    Containment, rules, approval, dry run, the journal and undo are those of the toolbox. Searches respect `.gitignore`, and
    do not find what a rule hides.
    """

    def __init__(self, root: str | os.PathLike[str] | Toolbox, **options: Any) -> None:
        """Opens a directory with the options of `Toolbox`, or uses a toolbox of the ekacode dialect."""
        box = root if isinstance(root, Toolbox) else Toolbox(root, dialect="ekacode", **options)
        if box.dialect != "ekacode":
            raise ValueError("the backend needs a box that answers in objects: open it with dialect='ekacode'")
        self.box = box
        """The toolbox of the backend, for its log, its changes and `undo`."""
        self._box = box.using(max_output_size=_ROOM)
        self._root = str(box.roots[0])

    def ls(self, path: str) -> LsResult:
        """Lists a directory."""
        entries: list[FileInfo] = []
        offset: int | None = 0
        while offset is not None:
            result = self._box.call("ls", dirPath=self._real(path), limit=_PAGE, offset=offset)
            if not result.success:
                return LsResult(error=self._said(result))
            if (note := result.output.get("note")) is not None:
                return LsResult(error=self._hidden(note))
            entries += [self._info(entry) for entry in result.output["entries"]]
            offset = result.output.get("nextOffset")
        return LsResult(entries=entries)

    def _info(self, entry: dict[str, Any]) -> FileInfo:
        is_directory: bool = entry["type"] == "directory"
        path = self._virtual(entry["path"]) + ("/" if is_directory else "")
        return {"path": path, "is_dir": is_directory, "size": entry.get("size", 0), "modified_at": entry["modified"]}

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        """Reads lines of a text in any encoding; an image, a PDF or other data unchanged."""
        if limit <= 0:
            return ReadResult(file_data={"content": "", "encoding": "utf-8"}, no_lines_requested=True)
        first = max(offset, 0)
        result = self._box.call("read", filePath=self._real(file_path), offset=first, limit=min(limit, _MOST_LINES))
        if result.error_kind == "unsupported" or (result.success and "encoding" not in result.output["metadata"]):
            return self._read_data(file_path)
        if not result.success:
            return ReadResult(error=self._said(result))
        facts = result.output["metadata"]
        count = facts["lineCount"]
        if count == 0:
            return ReadResult(file_data={"content": "", "encoding": "utf-8"})
        lines = [line.partition("\u2192")[2] for line in result.output["content"].split("\n")[:count]]
        if any(len(line) >= _LONGEST_LINE for line in lines):
            # A line was cut for a model's eyes, and deepagents wants all of it.
            whole = self.box.read_bytes(self._real(file_path)).decode(facts["encoding"], errors="replace")
            lines = re.split("\r\n|\r|\n", whole.removeprefix("\ufeff"))[first : first + count]
        following = facts.get("nextOffset")
        end = "" if following is None and facts.get("finalNewline") is False else "\n"
        return ReadResult(
            file_data={"content": "\n".join(lines) + end, "encoding": "utf-8"},
            total_lines=facts.get("totalLines"),
            start_line=first + 1,
            end_line=first + count,
            next_offset=following,
        )

    def _read_data(self, file_path: str) -> ReadResult:
        try:
            data = self.box.read_bytes(self._real(file_path))
        except ToolError as error:
            return ReadResult(error=self._hidden(str(error)))
        return ReadResult(file_data={"content": base64.b64encode(data).decode(), "encoding": "base64"})

    def write(self, file_path: str, content: str) -> WriteResult:
        """Creates a file, or replaces all it holds."""
        result = self._box.call("write", filePath=self._real(file_path), content=content)
        return WriteResult(path=file_path) if result.success else WriteResult(error=self._said(result))

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> EditResult:
        """Replaces a text in a file."""
        edit = {"oldString": old_string, "newString": new_string, "replaceAll": replace_all}
        result = self._box.call("edit", edit, filePath=self._real(file_path))
        if not result.success:
            return EditResult(error=self._said(result))
        return EditResult(path=file_path, occurrences=result.output["replacements"])

    def delete(self, file_path: str) -> DeleteResult:
        """Removes a file. A directory is not removed with all that is in it."""
        if "\n" in file_path or "\r" in file_path:
            return DeleteResult(error="A path with a line break in it cannot be deleted")
        patch = f"*** Begin Patch\n*** Delete File: {file_path.lstrip('/')}\n*** End Patch"
        result = self._box.call("apply_patch", patchText=patch)
        return DeleteResult(path=file_path) if result.success else DeleteResult(error=self._said(result))

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        """Finds files: a pattern without `/` matches names at any depth, one with `/` paths below the directory."""
        if ".." in PurePosixPath(pattern).parts:
            return GlobResult(error=f"'..' is not allowed in a pattern: {pattern}")
        by_name = "/" not in pattern
        wanted = f"**/{pattern}" if by_name else pattern.lstrip("/")
        arguments = {"pattern": wanted, "path": self._real(path or "/"), "limit": _PAGE, "includeHidden": by_name}
        files: list[str] = []
        partial = False
        offset: int | None = 0
        while offset is not None:
            result = self._box.call("glob", arguments, offset=offset)
            if result.error_kind in ("not_found", "not_directory"):
                return GlobResult(matches=[])
            if not result.success:
                return GlobResult(error=self._said(result))
            files += result.output["files"]
            partial = bool(result.output.get("partial"))
            offset = None if partial else result.output.get("nextOffset")
        if by_name and not pattern.startswith("."):
            # A name that begins with a dot is found only if the pattern spells that.
            files = [file for file in files if not PurePosixPath(file).name.startswith(".")]
        matches: list[FileInfo] = [{"path": self._virtual(file), "is_dir": False} for file in sorted(files)]
        return GlobResult(matches=matches, truncated=partial, truncation_reason="budget" if partial else None)

    def grep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> GrepResult:
        """Finds the lines that hold a text."""
        arguments: dict[str, Any] = {
            "pattern": pattern,
            "path": self._real(path or "/"),
            "literal": True,
            "outputMode": "content",
            "context": 0,
            "sort": "path",
            "limit": _PAGE,
        }
        if glob is not None:
            arguments["glob"] = glob
        matches: list[GrepMatch] = []
        partial = False
        offset: int | None = 0
        while offset is not None:
            result = self._box.call("grep", arguments, offset=offset)
            if not result.success:
                return GrepResult(error=self._said(result))
            for file in result.output["files"]:
                shown = self._virtual(file["path"])
                matches += [GrepMatch(path=shown, line=line["line"], text=line["text"]) for line in file["lines"]]
            if max_count is not None and len(matches) > max_count:
                return GrepResult(matches=matches[:max_count], truncated=True)
            partial = bool(result.output.get("partial"))
            offset = None if partial else result.output.get("nextOffset")
        return GrepResult(matches=matches, truncated=partial)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Writes files of text in UTF-8; other data is refused."""
        return [self._upload(path, content) for path, content in files]

    def _upload(self, path: str, content: bytes) -> FileUploadResponse:
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return FileUploadResponse(path=path, error="only text in UTF-8 can be written")
        result = self._box.call("write", filePath=self._real(path), content=text)
        if result.success:
            return FileUploadResponse(path=path)
        return FileUploadResponse(path=path, error=_CODES.get(result.error_kind or "") or self._said(result))

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """The bytes of files."""
        return [self._download(path) for path in paths]

    def _download(self, path: str) -> FileDownloadResponse:
        try:
            return FileDownloadResponse(path=path, content=self.box.read_bytes(self._real(path)))
        except ToolError as error:
            return FileDownloadResponse(path=path, error=_CODES.get(error.kind) or self._hidden(str(error)))

    def _real(self, path: str) -> str:
        """Where a path of deepagents lies. Whether that may be reached is not decided here."""
        return f"{self._root.rstrip('/')}/{path.lstrip('/')}".rstrip("/") or "/"

    def _virtual(self, path: str) -> str:
        return "/" + path

    def _said(self, result: ToolResult) -> str:
        return self._hidden(str(result))

    def _hidden(self, sentence: str) -> str:
        """A sentence with the paths that the agent knows."""
        return sentence.replace(self._root + "/", "/").replace(self._root, "/")

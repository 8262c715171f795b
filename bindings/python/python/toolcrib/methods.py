"""The file tools as methods with a signature. They call the tools of the toolbox's dialect; `Toolbox` inherits them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from .calls import Calls
from .errors import UnsupportedError
from .results import ToolResult

if TYPE_CHECKING:
    from .toolbox import Tool

__all__ = ["FileMethods"]

OutputMode = Literal["content", "files_with_matches", "count"]
Sort = Literal["relevance", "path", "modified"]
PathLike = str | os.PathLike[str]

# Under which names, in lower case and without underscores, a dialect may have a parameter.
_NAMES: dict[str, tuple[str, ...]] = {
    "path": ("filepath", "path", "dirpath"),
    "old": ("oldstring",),
    "new": ("newstring",),
    "patch": ("patchtext",),
    "limit": ("limit", "headlimit"),
    "ignore_case": ("ignorecase", "-i"),
    "line_numbers": ("linenumbers", "-n"),
    "after": ("after", "-a"),
    "before": ("before", "-b"),
    "context": ("context", "-c"),
}


class FileMethods(Calls):
    """The file tools as methods: `box.read("README.md")`.

    Relative paths start at the first root. Each method returns the result of the tool, in the words of the dialect; with
    `check=True` a failure is raised as a `ToolError`. They work in the dialects whose tools have these names (`standard`,
    `ekacode`, `claude-code`, `opencode`) and raise `UnsupportedError` where a dialect has no such tool or parameter. A value means
    what it means in the dialect: `offset` of `read` is the first line, counted from 1, but in `ekacode` from 0.
    """

    def read(
        self,
        path: PathLike,
        *,
        offset: int | None = None,
        limit: int | None = None,
        tail: int | None = None,
        column: int | None = None,
        encoding: str | None = None,
        pages: str | None = None,
        cells: str | None = None,
        check: bool = False,
    ) -> ToolResult:
        """Shows numbered lines of a file: `limit` of them from line `offset` on, or the `tail`.

        `pages` chooses the pages of a PDF document, `cells` those of a notebook.
        """
        return self._operate(
            "Read",
            check,
            path=path,
            offset=offset,
            limit=limit,
            tail=tail,
            column=column,
            encoding=encoding,
            pages=pages,
            cells=cells,
        )

    def write(
        self, path: PathLike, content: str, *, expected_version: str | None = None, check: bool = False
    ) -> ToolResult:
        """Creates a file, or replaces its whole content."""
        return self._operate("Write", check, path=path, content=content, expected_version=expected_version)

    def edit(
        self,
        path: PathLike,
        old: str,
        new: str,
        *,
        replace_all: bool = False,
        expected_version: str | None = None,
        check: bool = False,
    ) -> ToolResult:
        """Replaces text that occurs exactly once; with `replace_all`, every occurrence."""
        return self._operate(
            "Edit",
            check,
            path=path,
            old=old,
            new=new,
            replace_all=replace_all or None,
            expected_version=expected_version,
        )

    def multi_edit(
        self,
        path: PathLike,
        edits: Iterable[tuple[str, str]],
        *,
        replace_all: bool = False,
        expected_version: str | None = None,
        check: bool = False,
    ) -> ToolResult:
        """Applies several edits to one file, all or none: `[(old, new), ...]`, each on what those before it left."""
        return self._operate(
            "MultiEdit",
            check,
            path=path,
            edits=[{"old": old, "new": new, **({"replace_all": True} if replace_all else {})} for old, new in edits],
            expected_version=expected_version,
        )

    def apply_patch(
        self, patch: str, *, overwrite: bool = False, fuzz: int | None = None, check: bool = False
    ) -> ToolResult:
        """Applies a patch over one or more files, all or nothing."""
        return self._operate("ApplyPatch", check, patch=patch, overwrite=overwrite or None, fuzz=fuzz)

    def ls(
        self,
        path: PathLike = ".",
        *,
        recursive: bool = False,
        depth: int | None = None,
        ignore: Iterable[str] = (),
        no_ignore: bool = False,
        limit: int | None = None,
        offset: int | None = None,
        check: bool = False,
    ) -> ToolResult:
        """Lists a directory; with `recursive`, the directories in it too."""
        return self._operate(
            "LS",
            check,
            path=path,
            recursive=recursive or None,
            depth=depth,
            ignore=list(ignore) or None,
            no_ignore=no_ignore or None,
            limit=limit,
            offset=offset,
        )

    def glob(
        self,
        pattern: str,
        path: PathLike | None = None,
        *,
        limit: int | None = None,
        offset: int | None = None,
        include_hidden: bool = False,
        include_directories: bool = False,
        no_ignore: bool = False,
        check: bool = False,
    ) -> ToolResult:
        """Finds files whose path matches a glob, newest first."""
        return self._operate(
            "Glob",
            check,
            pattern=pattern,
            path=path,
            limit=limit,
            offset=offset,
            include_hidden=include_hidden or None,
            include_directories=include_directories or None,
            no_ignore=no_ignore or None,
        )

    def grep(
        self,
        pattern: str,
        path: PathLike | None = None,
        *,
        glob: str | None = None,
        type: str | None = None,
        output_mode: OutputMode | None = None,
        ignore_case: bool = False,
        smart_case: bool = False,
        line_numbers: bool | None = None,
        after: int | None = None,
        before: int | None = None,
        context: int | None = None,
        multiline: bool = False,
        literal: bool = False,
        word: bool = False,
        invert: bool = False,
        exclude: Iterable[str] = (),
        sort: Sort | None = None,
        max_count: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        include_hidden: bool = False,
        no_ignore: bool = False,
        max_file_size: int | None = None,
        check: bool = False,
    ) -> ToolResult:
        """Finds what matches a regular expression: the files, or with `output_mode` the lines or counts."""
        return self._operate(
            "Grep",
            check,
            pattern=pattern,
            path=path,
            glob=glob,
            type=type,
            output_mode=output_mode,
            ignore_case=ignore_case or None,
            smart_case=smart_case or None,
            line_numbers=line_numbers,
            after=after,
            before=before,
            context=context,
            multiline=multiline or None,
            literal=literal or None,
            word=word or None,
            invert=invert or None,
            exclude=list(exclude) or None,
            sort=sort,
            max_count=max_count,
            limit=limit,
            offset=offset,
            include_hidden=include_hidden or None,
            no_ignore=no_ignore or None,
            max_file_size=max_file_size,
        )

    def _operate(self, operation: str, check: bool, **values: Any) -> ToolResult:
        """Calls the tool for an operation with those values that are given."""
        tool = self._tool_for(operation)
        given = {name: value for name, value in values.items() if value is not None}
        if "path" in given:
            given["path"] = os.path.join(self.roots[0], cast("PathLike", given["path"]))
        return self._call(tool.name, self._named(operation, tool.parameters, given), check, {})

    def _tool_for(self, operation: str) -> Tool:
        found = self._tools_by_operation().get(_plain(operation))
        if found is None:
            raise UnsupportedError(
                f"The dialect '{self.dialect}' has no tool for {operation}",
                hint="call its tools by name, or open the toolbox with dialect='standard'",
            )
        return found

    def _named(self, operation: str, schema: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """The values under the names that the dialect has for them."""
        properties = cast("dict[str, dict[str, Any]]", schema["properties"])
        own = {_plain(name): name for name in properties}
        named: dict[str, Any] = {}
        for name, value in given.items():
            known = (own[each] for each in _NAMES.get(name, (_plain(name),)) if each in own)
            parameter = next(known, None)
            if parameter is None:
                raise UnsupportedError(
                    f"{operation} in the dialect '{self.dialect}' has no parameter for {name}",
                    hint=f"its parameters are {', '.join(properties)}",
                )
            about = properties[parameter]
            if "enum" in about:
                value = next((each for each in about["enum"] if _plain(each) == _plain(value)), value)
            elif isinstance(value, list) and "properties" in about.get("items", {}):
                parts = cast("list[dict[str, Any]]", value)
                value = [self._named(operation, about["items"], each) for each in parts]
            named[parameter] = value
        return named

    # What the toolbox has.

    def _tools_by_operation(self) -> dict[str, Tool]:
        raise NotImplementedError

    @property
    def roots(self) -> list[Path]:
        """The directories that the tools may access."""
        raise NotImplementedError

    @property
    def dialect(self) -> str:
        """The dialect of the tools."""
        raise NotImplementedError


def _plain(name: str) -> str:
    return name.replace("_", "").lower()

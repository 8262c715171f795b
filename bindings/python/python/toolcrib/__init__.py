"""File tools for AI agents: they never lose a byte, never leave the workspace, and answer before you notice.

>>> from toolcrib import Toolbox
>>> box = Toolbox("/path/to/project", session="s1")
>>> box.read("README.md").output
>>> box.call("Read", file_path="/path/to/project/README.md").output
>>> tools = box.langchain_tools()            # for any LangChain or LangGraph agent
>>> box.schemas("openai"); box.schemas("anthropic")
"""

from .approval import Answer, ApprovalRequest, Approver, Deny, Edited, Hunk, ProposedChange, Rule
from .errors import (
    AlreadyExistsError,
    CancelledError,
    ConflictError,
    InternalError,
    InvalidParameterError,
    IoError,
    IsDirectoryError,
    NoSpaceError,
    NotDirectoryError,
    NotFoundError,
    NotReadError,
    NotRegularError,
    NotUniqueError,
    OutsideWorkspaceError,
    PermissionDeniedError,
    TimedOutError,
    ToolError,
    TooLargeError,
    UnknownToolError,
    UnsupportedError,
)
from .hints import Param
from .own import Call, OwnTool, tool
from .records import Change, Execution, FileChange
from .results import Image, ToolResult
from .toolbox import Tool, Toolbox
from .version import __version__

__all__ = [
    "AlreadyExistsError",
    "Answer",
    "ApprovalRequest",
    "Approver",
    "Call",
    "CancelledError",
    "Change",
    "ConflictError",
    "Deny",
    "Edited",
    "Execution",
    "FileChange",
    "Hunk",
    "Image",
    "InternalError",
    "InvalidParameterError",
    "IoError",
    "IsDirectoryError",
    "NoSpaceError",
    "NotDirectoryError",
    "NotFoundError",
    "NotReadError",
    "NotRegularError",
    "NotUniqueError",
    "OutsideWorkspaceError",
    "OwnTool",
    "Param",
    "PermissionDeniedError",
    "ProposedChange",
    "Rule",
    "TimedOutError",
    "Tool",
    "ToolError",
    "ToolResult",
    "TooLargeError",
    "Toolbox",
    "UnknownToolError",
    "UnsupportedError",
    "__version__",
    "tool",
]

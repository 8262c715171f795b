/** File tools for AI agents: they never lose a byte, never leave the workspace, and answer before you notice. */

export type {
  Access,
  Answer,
  ApprovalRequest,
  Approver,
  EditedChange,
  EditedFile,
  Hunk,
  ProposedChange,
  Rule,
} from "./approval.js";
export type * from "./dialects.js";
export { ToolcribError, type ErrorKind, type ToolcribErrorOptions } from "./errors.js";
export type { Json, JsonObject } from "./json.js";
export type { CallingOptions, CallOptions, Configuration, Dialect, Format, ToolboxOptions } from "./options.js";
export type { ArgumentsOf, Call, JsonSchema, OwnTool, ParametersOf, StandardSchema } from "./own-tool.js";
export type { Change, Execution, FileChange } from "./records.js";
export type { Failure, Image, Success, ToolResult } from "./result.js";
export {
  Toolbox,
  type AnyToolbox,
  type FileStat,
  type Parameters,
  type RegisteredTool,
  type Result,
  type Root,
  type ToolboxEvents,
  type ToolDescription,
  type ToolName,
  type WriteBytesOptions,
} from "./toolbox.js";
export { version } from "./version.js";

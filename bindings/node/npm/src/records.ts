/** The records of calls and changes. */

import { resultOf, type ToolResult } from "./result.js";
import type { Json, JsonObject } from "./json.js";

/** The record of one call. */
export interface Execution {
  /** The called name, whether such a tool exists or not. */
  readonly tool: string;
  /** The parameters as given. */
  readonly parameters: Json;
  /** The context of the call. */
  readonly context: JsonObject;
  readonly result: ToolResult;
  /** The states of the call, in order; the last one is final. */
  readonly states: readonly string[];
  readonly startedAt: Date;
  readonly completedAt: Date;
  readonly durationMs: number;
}

/** What a change did to a file. */
export interface FileChange {
  readonly action: "add" | "update" | "delete" | "move";
  readonly path: string;
  /** For a move, the path before. */
  readonly from: string | null;
  /** The version before. */
  readonly before: string | null;
  /** The version after. */
  readonly after: string | null;
  /** The diff, limited in size; null if the contents were not stored. */
  readonly diff: string | null;
}

/** A recorded change. */
export interface Change {
  /** Its number. */
  readonly id: number;
  readonly time: Date;
  /** The tool that made it. */
  readonly tool: string;
  readonly agent: string | null;
  readonly session: string | null;
  /** Whether the change is in effect. */
  readonly state: "done" | "undone" | "rolled back" | "under way" | "unknown";
  /** The change that undid it. */
  readonly undoneBy: number | null;
  /** The change that this one reverted. */
  readonly undoes: number | null;
  readonly files: readonly FileChange[];
}

interface PlainChange {
  id: number;
  time_ms: number;
  tool: string;
  agent: string | null;
  session: string | null;
  state: Change["state"];
  undone_by: number | null;
  takes_back: number | null;
  files: FileChange[];
}

interface PlainExecution {
  tool_name: string;
  parameters: Json;
  context: JsonObject;
  result: JsonObject;
  states: string[];
  started_at: string;
  completed_at: string;
  duration_ms: number;
}

/** The change that the native half describes. */
export function changeOf(plain: unknown): Change {
  const { id, time_ms: time, tool, agent, session, state, undone_by: undoneBy, takes_back: undoes, files } = plain as PlainChange;
  return { id, time: new Date(time), tool, agent, session, state, undoneBy, undoes, files };
}

/** The execution that the native half describes. */
export function executionOf(plain: unknown): Execution {
  const it = plain as PlainExecution;
  return {
    tool: it.tool_name,
    parameters: it.parameters,
    context: it.context,
    result: resultOf(JSON.stringify({ ...it.result, text: null, images: [] }), []),
    states: it.states,
    startedAt: new Date(it.started_at),
    completedAt: new Date(it.completed_at),
    durationMs: it.duration_ms,
  };
}

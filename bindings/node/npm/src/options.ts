/** What a program decides when it opens a toolbox or makes a call. */

import type { Approver, Rule } from "./approval.js";
import type { DialectTools } from "./dialects.js";

/** The names and formats of a family of agents. */
export type Dialect = keyof DialectTools;

/** A model provider's format of a tool description. */
export type Format = "openai" | "openai-strict" | "anthropic" | "mcp" | "langchain";

/** The configuration, with the keys and values of the configuration file. */
export interface Configuration {
  /** Whether edits overlook what is certain to be a slip; by default `tolerant`. */
  readonly matching?: "tolerant" | "exact";
  /** Give agents the Undo tool; by default false. */
  readonly undo_tool?: boolean;
  /** Give agents Stat, Insert, ReadMany, Delete, Move and MakeDirectory too; by default false. */
  readonly more_tools?: boolean;
  /** Whether a session must read a file before it changes it; by default true. */
  readonly read_before_write?: boolean;
  /** Whether what is mounted below a root belongs to it; by default `refuse`. */
  readonly mounts?: "refuse" | "follow";
  readonly read?: {
    /** Bytes of text in one answer. */
    readonly budget?: number;
    /** Pages of a PDF in one answer. */
    readonly pages?: number;
    /** Pixels of an image's longest side; what is larger is scaled down. */
    readonly image_side?: number;
    /** Bytes of an image, or of all images of a notebook together. */
    readonly image_bytes?: number;
  };
  readonly search?: {
    readonly index?: "auto" | "off";
    /** A workspace whose index would be larger has none. */
    readonly limit_mb?: number;
  };
  readonly rules?: readonly Rule[];
  readonly journal?: {
    readonly enabled?: boolean;
    /** The oldest changes go first. */
    readonly limit_mb?: number;
    /** `if_possible`: also make a change whose old content does not fit. */
    readonly contents?: "required" | "if_possible";
    /** `fast`: do not wait for the disk; a power cut may then damage what was changed. */
    readonly durability?: "safe" | "fast";
    /** Workspaces that are fast anyway. */
    readonly fast_in?: readonly string[];
  };
}

/** What the caller decides, and the model does not. It holds for every call of a toolbox. */
export interface CallingOptions {
  /** The session of the calls. In a session, a file must be read before it is changed. */
  readonly session?: string | undefined;
  /** The name of the caller, for the log. */
  readonly agent?: string | undefined;
  /** Show what would change, without changing anything. */
  readonly dryRun?: boolean | undefined;
  /** The time limit of a call in milliseconds; by default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** The limit of an output in bytes; by default 262,144. */
  readonly maxOutputSize?: number | undefined;
  /** Decides where a rule says ask. Without one, the answer is no. */
  readonly approver?: Approver | undefined;
}

/** The options of a toolbox. */
export interface ToolboxOptions<D extends Dialect = Dialect> extends CallingOptions {
  /**
   * The names and formats of the tools: `standard` (the default: `Read`, `file_path`, absolute paths, answers as text), `ekacode` (`read`,
   * `filePath`, relative paths, answers as objects), or those of another agent.
   */
  readonly dialect?: D;
  /** Rules in addition to the default ones. */
  readonly rules?: readonly Rule[];
  /** The configuration as an object, or its file. Without one, the defaults apply, not the user's own configuration. */
  readonly config?: Configuration | string | URL;
  /** Whether changes are recorded, so that they can be undone; or the folder to record them in, instead of the user's state folder. */
  readonly journal?: boolean | string | URL;
}

/** The options of one call. */
export interface CallOptions {
  /** Cancels the call. Its promise rejects with the reason of the signal, when nothing runs any more. */
  readonly signal?: AbortSignal | undefined;
}

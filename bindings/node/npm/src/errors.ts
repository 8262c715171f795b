/** Failures as exceptions. */

import type { JsonObject } from "./json.js";

/** Why a call failed, as a stable name. */
export type ErrorKind =
  | "unknown_tool"
  | "invalid_parameter"
  | "not_found"
  | "already_exists"
  | "not_unique"
  | "not_read"
  | "outside_workspace"
  | "permission_denied"
  | "is_directory"
  | "not_directory"
  | "not_regular"
  | "unsupported"
  | "too_large"
  | "conflict"
  | "no_space"
  | "io"
  | "timed_out"
  | "cancelled"
  | "internal";

/** What else there is to say of a failure. */
export interface ToolcribErrorOptions {
  /** What to do next. */
  hint?: string | null;
  /** Facts for programs. */
  metadata?: JsonObject;
  /** The text that a model reads, if it is not the message and the hint. */
  text?: string;
  cause?: unknown;
}

/** A failure that helps the next step. A tool of your own throws one to fail with that kind. */
export class ToolcribError extends Error {
  override readonly name = "ToolcribError";
  /** The reason, as a stable name. */
  readonly kind: ErrorKind;
  /** What to do next. */
  readonly hint: string | null;
  /** Facts for programs. */
  readonly metadata: JsonObject;
  readonly #text: string | undefined;

  constructor(kind: ErrorKind, message: string, options: ToolcribErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.kind = kind;
    this.hint = options.hint ?? null;
    this.metadata = options.metadata ?? {};
    this.#text = options.text;
  }

  /** The text for a model: what went wrong, and what to do next. */
  get text(): string {
    return this.#text ?? `Error: ${this.message}${this.hint === null ? "" : `\nHint: ${this.hint}`}`;
  }
}

/** The error of a failure that the native half describes. */
export function failure(message: string, metadata: JsonObject, text?: string): ToolcribError {
  const { error_kind: kind, hint, ...facts } = metadata;
  return new ToolcribError(kind as ErrorKind, message, {
    hint: typeof hint === "string" ? hint : null,
    metadata: facts,
    ...(text === undefined ? {} : { text }),
  });
}

/** Runs a function of the native half, whose exceptions describe a failure in JSON. */
export function translated<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    const described = error instanceof Error ? describedIn(error.message) : undefined;
    throw described === undefined ? error : failure(described.error, described.metadata);
  }
}

function describedIn(message: string): { error: string; metadata: JsonObject } | undefined {
  if (!message.startsWith("{")) return undefined;
  return JSON.parse(message) as { error: string; metadata: JsonObject };
}

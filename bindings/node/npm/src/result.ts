/** The result of a call. */

import { failure, type ErrorKind, type ToolcribError } from "./errors.js";
import type { Json, JsonObject } from "./json.js";

/** An image that belongs to an answer: an image that was read, a plot of a notebook. */
export interface Image {
  /** Such as `image/png`. */
  readonly mimeType: string;
  readonly data: Uint8Array;
}

interface Answered {
  /** How long the call took, in milliseconds. */
  readonly durationMs: number | null;
  /** The images of the answer. */
  readonly images: readonly Image[];
  /** The text for a model: the output, or the error and what to do next, in the words of the dialect. */
  toString(): string;
}

/** A call that did what was asked. */
export interface Success<Output = Json, Metadata = JsonObject> extends Answered {
  readonly success: true;
  /** What the model reads: a text, or an object in the ekacode dialect. */
  readonly output: Output;
  readonly error: null;
  readonly errorKind: null;
  readonly hint: null;
  /** Facts for programs. */
  readonly metadata: Metadata;
  /** Returns itself. */
  check(): Success<Output, Metadata>;
}

/** A call that failed. */
export interface Failure extends Answered {
  readonly success: false;
  readonly output: null;
  /** What went wrong, in one sentence. */
  readonly error: string;
  /** Why, as a stable name. */
  readonly errorKind: ErrorKind;
  /** What to do next. */
  readonly hint: string | null;
  /** Facts for programs. */
  readonly metadata: JsonObject;
  /** Throws the error. */
  check(): never;
  /** The error, without throwing it. */
  toError(): ToolcribError;
}

/** The result of a call, successful or not. Only a bug and an aborted signal make the promise of a call reject. */
export type ToolResult<Output = Json, Metadata = JsonObject> = Success<Output, Metadata> | Failure;

/** The fields that the native half gives. */
export interface Fields {
  success: boolean;
  output: Json;
  error: string | null;
  duration_ms: number | null;
  metadata: JsonObject;
  text: string | null;
  images: string[];
}

/** Both kinds of results. The types above say which fields go together. */
class Result {
  readonly success: boolean;
  readonly output: Json;
  readonly error: string | null;
  readonly durationMs: number | null;
  readonly metadata: JsonObject;
  readonly images: readonly Image[];
  readonly #text: string | null;

  constructor(fields: Fields, images: readonly Image[]) {
    this.success = fields.success;
    this.output = fields.output;
    this.error = fields.error;
    this.durationMs = fields.duration_ms;
    this.metadata = fields.metadata;
    this.images = images;
    this.#text = fields.text;
  }

  get errorKind(): ErrorKind | null {
    return (this.metadata["error_kind"] as ErrorKind | undefined) ?? null;
  }

  get hint(): string | null {
    return (this.metadata["hint"] as string | undefined) ?? null;
  }

  check(): this {
    if (!this.success) throw this.toError();
    return this;
  }

  toError(): ToolcribError {
    return failure(this.error ?? "", this.metadata, this.#text ?? undefined);
  }

  toString(): string {
    if (this.#text !== null) return this.#text;
    if (!this.success) return this.toError().text;
    if (this.output === null) return "";
    return typeof this.output === "string" ? this.output : JSON.stringify(this.output, null, 2);
  }
}

/** The result that the native half gives as text, with the bytes of its images. */
export function resultOf(text: string, bytes: readonly Uint8Array[]): ToolResult {
  const fields = JSON.parse(text) as Fields;
  const images = bytes.map((data, index) => ({ mimeType: fields.images[index] ?? "", data }));
  return new Result(fields, images) as ToolResult;
}

/** A failure that did not come from the engine. */
export function failed(kind: ErrorKind, error: string): ToolResult {
  const fields = { success: false, output: null, error, duration_ms: null, metadata: { error_kind: kind } };
  return new Result({ ...fields, text: `Error: ${error}`, images: [] }, []) as ToolResult;
}

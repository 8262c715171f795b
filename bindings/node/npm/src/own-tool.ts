/** Tools that are written in TypeScript. */

import { ToolcribError, type ErrorKind } from "./errors.js";
import type { Json, JsonObject } from "./json.js";

/** A JSON schema of an object. */
export type JsonSchema = JsonObject;

/** A schema of any library that follows the Standard Schema specification: zod, valibot, arktype. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** The schema in JSON, where the library follows Standard JSON Schema too, as zod does from 4.2. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" | "draft-07" }) => Record<string, unknown>;
    };
  };
}

interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** The arguments that a tool gets: what its schema makes of them. */
export type ArgumentsOf<Schema> = Schema extends StandardSchema<infer _Input, infer Output> ? Output : JsonObject;
/** The parameters that a call gives. */
export type ParametersOf<Schema> = Schema extends StandardSchema<infer Input, infer _Output> ? Input : JsonObject;

/** The current call, as a tool of your own sees it. */
export interface Call {
  /** Aborted when the call is cancelled or its time is up. */
  readonly signal: AbortSignal;
  /** The name of the called tool. */
  readonly tool: string;
  /** The directory that relative paths are relative to. */
  readonly workingDir: string;
  readonly session: string | null;
  readonly agent: string | null;
  /** Whether this is a dry run; only a tool that reads runs in one. */
  readonly dryRun: boolean;
  /** The milliseconds until the deadline when the call began; null if there is none. */
  readonly remainingMs: number | null;
  /** Adds a fact to the metadata of the answer, even if the call fails later. */
  note(key: string, value: Json): void;
}

/** A tool of your own. As for every tool, the engine validates a call, limits its time and output, and records it. */
export interface OwnTool<Schema extends StandardSchema | JsonSchema, Output extends Json | void> {
  /** The name for the model. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** The name for people; by default the name. */
  readonly title?: string;
  /** By default OTHER. */
  readonly category?: "FILE" | "EXECUTION" | "WEB" | "TASK" | "NOTEBOOK" | "MCP" | "OTHER";
  /** Whether it only `reads`, or `acts` (the default); a dry run does not execute a tool that acts. */
  readonly effect?: "reads" | "acts";
  /** The parameters: a JSON schema of an object, or a schema of zod or another library of Standard Schema. */
  readonly parameters: Schema;
  /** The JSON schema, where the library of `parameters` cannot give it. */
  readonly jsonSchema?: JsonSchema;
  /** Does the work. It fails by throwing a `ToolcribError`; any other exception is a bug in the tool. */
  run(arguments_: ArgumentsOf<Schema>, call: Call): Output | Promise<Output>;
}

/** A tool, with its types erased. */
export interface Runner {
  (text: string, signal: AbortSignal): Promise<string>;
}

/** The description of a tool for the native half. */
export function aboutOf(tool: OwnTool<StandardSchema | JsonSchema, Json | void>): JsonObject {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(tool.name)) {
    throw new TypeError(`Providers take only names of letters, digits, _ and -, and not ${JSON.stringify(tool.name)}`);
  }
  if (tool.description.trim() === "") {
    throw new TypeError(`${tool.name} has no description: say when a model should use it`);
  }
  return {
    name: tool.name,
    title: tool.title ?? tool.name,
    description: tool.description,
    category: tool.category ?? "OTHER",
    effect: tool.effect ?? "acts",
    parameters: schemaOf(tool),
  };
}

function schemaOf(tool: OwnTool<StandardSchema | JsonSchema, Json | void>): JsonSchema {
  const { parameters } = tool;
  if (!isStandard(parameters)) return parameters;
  if (tool.jsonSchema !== undefined) return tool.jsonSchema;
  const { jsonSchema, vendor } = parameters["~standard"];
  if (jsonSchema === undefined) {
    throw new TypeError(
      `The schema of ${tool.name} is one of ${vendor}, which does not give its JSON schema. Pass that as jsonSchema too.`,
    );
  }
  return jsonSchema.input({ target: "draft-2020-12" }) as JsonSchema;
}

function isStandard(schema: StandardSchema | JsonSchema): schema is StandardSchema {
  return "~standard" in schema;
}

/** What the native half says of a call. */
interface PlainCall {
  tool: string;
  arguments: JsonObject;
  workingDir: string;
  session: string | null;
  agent: string | null;
  dryRun: boolean;
  remainingMs: number | null;
}

/** The function that runs a tool for the native half. It never rejects. */
export function runnerOf(tool: OwnTool<StandardSchema | JsonSchema, Json | void>): Runner {
  return async (text, signal) => {
    const { arguments: given, ...about } = JSON.parse(text) as PlainCall;
    const notes: Record<string, Json> = {};
    const call: Call = { ...about, signal, note: (key, value) => void (notes[key] = value) };
    try {
      const output = (await tool.run(await parsed(tool, given), call)) ?? null;
      return JSON.stringify({ ...EMPTY, success: true, output, metadata: notes });
    } catch (error) {
      const { kind, message, hint, metadata } = explained(tool.name, error, signal);
      const facts = { ...metadata, ...notes, ...(hint === null ? {} : { hint }), error_kind: kind };
      return JSON.stringify({ ...EMPTY, success: false, error: message, metadata: facts });
    }
  };
}

const EMPTY = { output: null, error: null, duration_ms: null };

async function parsed(
  tool: OwnTool<StandardSchema | JsonSchema, Json | void>,
  given: JsonObject,
): Promise<JsonObject> {
  if (!isStandard(tool.parameters)) return given;
  const result = await tool.parameters["~standard"].validate(given);
  if (result.issues === undefined) return result.value as JsonObject;
  const said = result.issues.map(({ path, message }) => {
    const keys = (path ?? []).map((part) => String(typeof part === "object" ? part.key : part));
    return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
  });
  throw new ToolcribError("invalid_parameter", `Invalid parameters of ${tool.name}: ${said.join("; ")}`);
}

function explained(
  tool: string,
  error: unknown,
  signal: AbortSignal,
): { kind: ErrorKind; message: string; hint: string | null; metadata: JsonObject } {
  if (error instanceof ToolcribError) return error;
  if (signal.aborted) return new ToolcribError("cancelled", "The call was cancelled");
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new ToolcribError("internal", `${tool} failed unexpectedly: ${said}`, {
    hint: "this is a bug in the tool, not in the call; other calls are not affected",
  });
}

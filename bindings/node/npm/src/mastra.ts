/**
 * Tools and a filesystem for Mastra. Needs the package `@mastra/core`.
 *
 * ```ts
 * import { Agent } from "@mastra/core/agent";
 * import { mastraTools } from "toolcrib/mastra";
 *
 * const agent = new Agent({ id: "coder", name: "Coder", instructions, model, tools: mastraTools(box) });
 * ```
 *
 * `ToolcribFilesystem` puts the engine below the tools of Mastra's own `Workspace`.
 */

import { createTool, type Tool } from "@mastra/core/tools";

import { approvalOf, approved } from "./approvals.js";
import { ToolcribError, type AnyToolbox, type Dialect, type Json, type JsonObject, type JsonSchema, type Parameters, type Result, type Success, type Toolbox, type ToolDescription, type ToolName, type ToolResult } from "./index.js";

export { ToolcribFilesystem, type ToolcribFilesystemOptions } from "./mastra-filesystem.js";

/** What a tool returns: the object of the answer, or the facts beside the text, which is the `output`. */
export type ToolOutput<Output = Json, Metadata = JsonObject> = Output extends string
  ? { readonly output: string; readonly images?: readonly ToolImage[] } & Metadata
  : Output & { readonly images?: readonly ToolImage[] };

/** An image of an answer, in base64. */
export interface ToolImage {
  readonly mediaType: string;
  readonly data: string;
}

type OutputOf<R> = R extends Success<infer O, infer M> ? ToolOutput<O, M> : never;

/** The tools of a toolbox under their names. */
export type MastraTools<D extends Dialect> = {
  [N in ToolName<D>]: Tool<Parameters<D, N>, OutputOf<Result<D, N>>>;
};

/**
 * The tools of a toolbox, made with `createTool`, with the schemas of their input and output. A failure is thrown with the text for the
 * model. Where a rule says ask and the toolbox has no approver, the agent asks for approval of exactly that change.
 */
export function mastraTools<D extends Dialect>(box: Toolbox<D>): MastraTools<D> {
  return Object.fromEntries(box.tools().map((tool) => [tool.name, mastraTool(box, tool)])) as MastraTools<D>;
}

function mastraTool(box: AnyToolbox, about: ToolDescription): Tool {
  const { name, title, description, parameters, facts } = about;
  const inObjects = box.dialect === "ekacode" && facts !== null;
  const made = createTool({
    id: name,
    title,
    description,
    inputSchema: parameters as Record<string, never>,
    outputSchema: outputSchema(facts, inObjects) as Record<string, never>,
    // The agent asks before it makes the call, which has no number yet; so the change is its own name.
    requireApproval: async (input: unknown) =>
      box.options.approver === undefined && (await approvalOf(box, name, input, callKey(name, input))) !== undefined,
    execute: async (input: unknown, context) => {
      const caller = box.options.approver === undefined ? approved(box, callKey(name, input)) : box;
      const result = await caller.run(name, input, { signal: context?.abortSignal });
      return outputOf(result, inObjects) as never;
    },
    toModelOutput: (output: unknown) => modelOutput(output as JsonObject, inObjects),
  });
  return made as unknown as Tool;
}

function callKey(name: string, input: unknown): string {
  return `${name} ${JSON.stringify(input)}`;
}

function outputSchema(facts: JsonSchema | null, inObjects: boolean): JsonObject {
  const properties = facts?.["properties"] as JsonObject | undefined;
  const required = (facts?.["required"] as string[] | undefined) ?? [];
  return inObjects
    ? { type: "object", properties: properties ?? {}, required, additionalProperties: true }
    : {
        type: "object",
        properties: { output: { type: "string", description: "The answer as text" }, ...properties },
        required: ["output"],
        additionalProperties: true,
      };
}

function outputOf(result: ToolResult, inObjects: boolean): JsonObject {
  if (!result.success) {
    // The agent shows the model the message alone.
    throw new ToolcribError(result.errorKind, result.toString(), { hint: result.hint, metadata: result.metadata });
  }
  const images = result.images.map(({ mimeType, data }) => ({
    mediaType: mimeType,
    data: Buffer.from(data).toString("base64"),
  }));
  const more = images.length === 0 ? {} : { images };
  return inObjects
    ? { ...(result.output as JsonObject), ...more }
    : { ...result.metadata, output: result.toString(), ...more };
}

function modelOutput(output: JsonObject, inObjects: boolean): JsonObject {
  const { images: given = [], ...rest } = output;
  const images = given as unknown as readonly ToolImage[];
  const text = inObjects ? JSON.stringify(rest) : String(rest["output"]);
  if (images.length === 0) return inObjects ? { type: "json", value: rest } : { type: "text", value: text };
  const media = images.map(({ mediaType, data }) => ({ type: "media", mediaType, data }));
  return { type: "content", value: [{ type: "text", text }, ...media] };
}

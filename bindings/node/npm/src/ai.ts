/**
 * Tools for the AI SDK. Needs the package `ai`.
 *
 * ```ts
 * import { generateText, isStepCount } from "ai";
 * import { toolApproval, tools } from "toolcrib/ai";
 *
 * await generateText({ model, tools: tools(box), toolApproval: toolApproval(box), stopWhen: isStepCount(20), prompt });
 * ```
 */

import { jsonSchema, tool, type JSONValue, type Tool } from "ai";

import { approvalOf, approved } from "./approvals.js";
import { ToolcribError, type AnyToolbox, type Dialect, type Parameters, type Result, type Success, type Toolbox, type ToolName, type ToolResult } from "./index.js";

/** What a tool returns, as JSON: it stands in the messages of a chat. */
export interface ToolOutput<Output = JSONValue, Metadata = unknown> {
  /** What the model reads. */
  readonly output: Output;
  /** Facts for programs. */
  readonly metadata: Metadata;
  /** The images of the answer, in base64. */
  readonly images?: readonly { readonly mediaType: string; readonly data: string }[];
}

type Input = Record<string, unknown>;
type OutputOf<R> = R extends Success<infer O, infer M> ? ToolOutput<O, M> : never;

/** The tools of a toolbox under their names. */
export type Tools<D extends Dialect> = {
  [N in ToolName<D>]: Tool<Parameters<D, N>, OutputOf<Result<D, N>>>;
};

/**
 * The tools of a toolbox, for `generateText`, `streamText` and agents. A failure is a tool error, which the model reads with the way on.
 * Aborting the generation cancels the call.
 */
export function tools<D extends Dialect>(box: Toolbox<D>): Tools<D> {
  const made = box.tools().map(({ name, title, description, parameters }) => [
    name,
    tool<Input, ToolOutput, Record<string, never>>({
      title,
      description,
      inputSchema: jsonSchema<Input>(parameters as Record<string, unknown>),
      execute: async (input, { abortSignal, toolCallId }) => {
        const caller = approved(box, toolCallId);
        return outputOf(await caller.run(name, input, { signal: abortSignal }));
      },
      toModelOutput: ({ output }) => modelOutput(output),
    }),
  ]);
  return Object.fromEntries(made) as Tools<D>;
}

/** The status of a call, as the SDK has it. */
export type ToolApproval = { type: "user-approval"; reason: string } | undefined;

/**
 * Has the SDK ask the user wherever a rule of the toolbox says ask; the reason is the diff. What the user approves is what is committed:
 * if the file changes meanwhile, the call is denied. The answer must come back to the same process.
 */
export function toolApproval(
  box: AnyToolbox,
): (call: { toolCall: { toolName: string; toolCallId: string; input: unknown } }) => Promise<ToolApproval> {
  return async ({ toolCall: { toolName, toolCallId, input } }) => {
    const reason = await approvalOf(box, toolName, input, toolCallId);
    return reason === undefined ? undefined : { type: "user-approval", reason };
  };
}

function outputOf(result: ToolResult): ToolOutput {
  if (!result.success) {
    // The SDK shows the model the message alone.
    throw new ToolcribError(result.errorKind, result.toString(), { hint: result.hint, metadata: result.metadata });
  }
  const images = result.images.map(({ mimeType, data }) => ({
    mediaType: mimeType,
    data: Buffer.from(data).toString("base64"),
  }));
  const { output, metadata } = result;
  return { output: output as JSONValue, metadata, ...(images.length === 0 ? {} : { images }) };
}

type ModelOutput =
  | { type: "text"; value: string }
  | { type: "json"; value: JSONValue }
  | {
      type: "content";
      value: (
        | { type: "text"; text: string }
        | { type: "file"; mediaType: string; data: { type: "data"; data: string } }
      )[];
    };

function modelOutput({ output, images = [] }: ToolOutput): ModelOutput {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  if (images.length > 0) {
    const files = images.map(({ mediaType, data }) => ({
      type: "file" as const,
      mediaType,
      data: { type: "data" as const, data },
    }));
    return { type: "content", value: [{ type: "text", text }, ...files] };
  }
  return typeof output === "string" ? { type: "text", value: output } : { type: "json", value: output };
}

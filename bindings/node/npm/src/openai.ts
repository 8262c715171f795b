/**
 * The tools of a loop on OpenAI's API, with its client or without. Works with chat completions and with the Responses API.
 *
 * ```ts
 * import { runTool, tools } from "toolcrib/openai";
 *
 * const response = await client.responses.create({ model, tools: tools(box, { api: "responses" }), input });
 * for (const item of response.output) {
 *   if (item.type === "function_call" || item.type === "apply_patch_call") input.push(await runTool(box, item));
 * }
 * ```
 */

import type OpenAI from "openai";

import type { AnyToolbox, CallOptions, JsonSchema, ToolResult } from "./index.js";

type ChatTool = OpenAI.Chat.ChatCompletionFunctionTool;
type ResponsesTool = OpenAI.Responses.FunctionTool | OpenAI.Responses.ApplyPatchTool;
type ChatCall = OpenAI.Chat.ChatCompletionMessageFunctionToolCall;
type FunctionCall = OpenAI.Responses.ResponseFunctionToolCall;
type PatchCall = OpenAI.Responses.ResponseApplyPatchToolCall;

/** Which API the tools are for, and whether the model cannot leave the schema. */
export interface ToolsOptions<Api extends "chat" | "responses" = "chat" | "responses"> {
  /** By default `chat`. */
  readonly api?: Api;
  /** By default false. */
  readonly strict?: boolean;
}

/**
 * The `tools` of a request. A toolbox of the dialect `apply-patch-v4a` is the built-in `apply_patch` of the Responses API.
 */
export function tools(box: AnyToolbox, options?: ToolsOptions<"chat">): ChatTool[];
export function tools(box: AnyToolbox, options: ToolsOptions<"responses">): ResponsesTool[];
export function tools(box: AnyToolbox, options: ToolsOptions = {}): ChatTool[] | ResponsesTool[] {
  const { api = "chat", strict = false } = options;
  const chat = box.schemas(strict ? "openai-strict" : "openai") as unknown as ChatTool[];
  if (api === "chat") return chat;
  const own = chat.filter(({ function: { name } }) => !isPatching(box, name));
  const plain = own.map(({ function: { name, description, parameters, strict = false } }) => ({
    type: "function" as const,
    name,
    description: description ?? null,
    parameters: (parameters ?? null) as JsonSchema | null,
    strict: strict ?? false,
  }));
  return own.length === chat.length ? plain : [{ type: "apply_patch" }, ...plain];
}

/** A call of a model: a tool call of chat completions, or an item of the Responses API. */
export type Call = ChatCall | FunctionCall | PatchCall;

/** The answer to a call, to send back. */
export type AnswerTo<C extends Call> = C extends ChatCall
  ? OpenAI.Chat.ChatCompletionToolMessageParam
  : C extends FunctionCall
    ? OpenAI.Responses.ResponseInputItem.FunctionCallOutput
    : OpenAI.Responses.ResponseInputItem.ApplyPatchCallOutput;

/**
 * Carries a call out and returns the message or item to send back. A failure is an answer too, which the model reads.
 *
 * @throws {TypeError} It is no call of a function or a patch.
 */
export async function runTool<C extends Call>(
  box: AnyToolbox,
  call: C,
  options?: CallOptions,
): Promise<AnswerTo<C>> {
  return (await answer(box, call, options)) as AnswerTo<C>;
}

async function answer(box: AnyToolbox, call: Call, options?: CallOptions): Promise<AnswerTo<Call>> {
  if (call.type === "function") {
    const result = await box.run(call.function.name, parsed(call.function.arguments), options);
    return { role: "tool", tool_call_id: call.id, content: result.toString() };
  }
  if (call.type === "function_call") {
    const result = await box.run(call.name, parsed(call.arguments), options);
    return { type: "function_call_output", call_id: call.call_id, output: outputOf(result) };
  }
  if (call.type === "apply_patch_call") {
    const { type, ...parameters } = call.operation;
    if (!isPatching(box, type)) {
      throw new TypeError(`The toolbox speaks ${box.dialect}: open it with dialect "apply-patch-v4a" for ${type}`);
    }
    const result = await box.run(type, parameters, options);
    const status = result.success ? "completed" : "failed";
    return { type: "apply_patch_call_output", call_id: call.call_id, status, output: result.toString() };
  }
  throw new TypeError(`A function call or an apply_patch_call is needed, not ${(call as { type: string }).type}`);
}

/** Whether a tool is a part of the built-in `apply_patch`. */
function isPatching(box: AnyToolbox, tool: string): boolean {
  return box.dialect === "apply-patch-v4a" && ["create_file", "update_file", "delete_file"].includes(tool);
}

/** Arguments that are not JSON are passed on as a text, which the engine answers with what is wrong. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text) as unknown;
  } catch {
    return text;
  }
}

function outputOf(result: ToolResult): OpenAI.Responses.ResponseInputItem.FunctionCallOutput["output"] {
  const text = result.toString();
  if (result.images.length === 0) return text;
  const images = result.images.map(({ mimeType, data }) => ({
    type: "input_image" as const,
    image_url: `data:${mimeType};base64,${Buffer.from(data).toString("base64")}`,
    detail: "auto" as const,
  }));
  return [{ type: "input_text", text }, ...images];
}

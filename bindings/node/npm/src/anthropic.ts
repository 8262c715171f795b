/**
 * The tools of a loop on Anthropic's API, with its client or without.
 *
 * ```ts
 * import { runTool, tools } from "toolcrib/anthropic";
 *
 * const message = await client.messages.create({ model, max_tokens, tools: tools(box), messages });
 * const calls = message.content.filter((block) => block.type === "tool_use");
 * const results = await Promise.all(calls.map((block) => runTool(box, block)));
 * messages.push({ role: "assistant", content: message.content }, { role: "user", content: results });
 * ```
 *
 * A toolbox of the dialect `text-editor` or `memory` is the tool that the models know by its type.
 */

import type Anthropic from "@anthropic-ai/sdk";

import type { AnyToolbox, CallOptions } from "./index.js";

/** The `tools` of a request. */
export function tools(box: AnyToolbox): Anthropic.Messages.ToolUnion[] {
  return box.schemas("anthropic") as unknown as Anthropic.Messages.ToolUnion[];
}

/** A call of a model. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

type ImageType = Anthropic.Messages.Base64ImageSource["media_type"];

/** Carries out a `tool_use` block and returns the `tool_result` to send back. A failure is a result with `is_error`. */
export async function runTool(
  box: AnyToolbox,
  call: Call,
  options?: CallOptions,
): Promise<Anthropic.Messages.ToolResultBlockParam> {
  const result = await box.run(call.name, call.input, options);
  const answer = { type: "tool_result" as const, tool_use_id: call.id };
  const text = result.toString();
  if (!result.success) return { ...answer, content: text, is_error: true };
  if (result.images.length === 0) return { ...answer, content: text };
  const images = result.images.map(({ mimeType, data }) => ({
    type: "image" as const,
    source: {
      type: "base64" as const,
      media_type: mimeType as ImageType,
      data: Buffer.from(data).toString("base64"),
    },
  }));
  return { ...answer, content: [{ type: "text", text }, ...images] };
}

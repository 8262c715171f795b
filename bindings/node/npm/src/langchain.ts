/**
 * Tools for LangChain.js and LangGraph.js agents. Needs the package `@langchain/core`.
 *
 * ```ts
 * import { createAgent } from "langchain";
 * import { langchainTools } from "toolcrib/langchain";
 *
 * const agent = createAgent({ model, tools: langchainTools(box) });
 * ```
 */

import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool } from "@langchain/core/tools";

import type { AnyToolbox, JsonSchema, ToolResult } from "./index.js";

type Content = string | ({ type: "text"; text: string } | { type: "image"; mimeType: string; data: string })[];

/**
 * Every tool as a LangChain tool. Its answer is the text for the model, with images as content blocks, and the `ToolResult` is the
 * message's artifact. A failure is a message with the status `error`; without a tool call to answer, it is thrown.
 */
export function langchainTools(box: AnyToolbox): DynamicStructuredTool<JsonSchema>[] {
  return box.tools().map(
    ({ name, description, parameters, effect, category }) =>
      new DynamicStructuredTool<JsonSchema>({
        name,
        description,
        schema: parameters,
        responseFormat: "content_and_artifact",
        metadata: { effect, category },
        // The framework checks parameters before the engine does, and should say what is wrong with them.
        verboseParsingErrors: true,
        func: async (input, _manager, config): Promise<[Content | ToolMessage, ToolResult]> => {
          const result = await box.run(name, input, { signal: config?.signal });
          if (result.success) return [contentOf(result), result];
          const callId = (config as { toolCall?: { id?: string } } | undefined)?.toolCall?.id;
          if (callId === undefined) result.check();
          const content = result.toString();
          const id = callId ?? "";
          return [new ToolMessage({ status: "error", content, tool_call_id: id, name, artifact: result }), result];
        },
      }),
  );
}

function contentOf(result: ToolResult): Content {
  const text = result.toString();
  if (result.images.length === 0) return text;
  const images = result.images.map(({ mimeType, data }) => ({
    type: "image" as const,
    mimeType,
    data: Buffer.from(data).toString("base64"),
  }));
  return [{ type: "text", text }, ...images];
}

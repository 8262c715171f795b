/**
 * A Mastra agent with the tools of Toolcrib, and another whose workspace stands on Toolcrib. A scripted model stands in for a real one, so that
 * it runs without a key (Node 22.18 or newer):
 *
 *     npm install toolcrib @mastra/core && node mastra_agent.ts
 */

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Agent } from "@mastra/core/agent";
import { MastraLanguageModelV2Mock } from "@mastra/core/test-utils/llm-mock";
import { Workspace } from "@mastra/core/workspace";
import { Toolbox } from "toolcrib";
import { mastraTools, ToolcribFilesystem } from "toolcrib/mastra";

const root = mkdtempSync(join(tmpdir(), "example-"));
const journal = mkdtempSync(join(tmpdir(), "journal-"));
writeFileSync(join(root, "notes.txt"), "This is teh end.\n");
const shown = () => readFileSync(join(root, "notes.txt"), "utf8").trim();

const box = new Toolbox(root, { dialect: "ekacode", session: "example", journal });
const coder = new Agent({
  id: "coder",
  name: "Coder",
  instructions: "Correct what you are told to correct.",
  model: scripted([
    ["grep", { pattern: "teh" }],
    ["read", { filePath: "notes.txt" }],
    ["edit", { filePath: "notes.txt", oldString: "teh", newString: "the" }],
  ]),
  tools: mastraTools(box),
});
console.log((await coder.generate("Correct the spelling.", { maxSteps: 10 })).text, shown());
await box.undo();
console.log("After undo:", shown());

const filesystem = new ToolcribFilesystem({ basePath: root, journal });
const writer = new Agent({
  id: "writer",
  name: "Writer",
  instructions: "Correct what you are told to correct.",
  model: scripted([
    ["mastra_workspace_read_file", { path: "notes.txt" }],
    ["mastra_workspace_edit_file", { path: "notes.txt", old_string: "teh", new_string: "the" }],
  ]),
  workspace: new Workspace({ filesystem }),
});
console.log((await writer.generate("Correct the spelling.", { maxSteps: 10 })).text, shown());
console.log(`${(await filesystem.box.log()).length} changes are in the journal.`);

/** In the place of a model: makes these calls, one after the other. */
function scripted(calls: [tool: string, input: Record<string, string>][]): MastraLanguageModelV2Mock {
  let step = 0;
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  return new MastraLanguageModelV2Mock({
    doGenerate: async () => {
      const call = calls[step++];
      if (call === undefined) {
        const content = [{ type: "text" as const, text: "I corrected one word." }];
        return { content, finishReason: "stop" as const, usage, warnings: [] };
      }
      const [toolName, input] = call;
      const content = [
        { type: "tool-call" as const, toolCallId: `${step}`, toolName, input: JSON.stringify(input) },
      ];
      return { content, finishReason: "tool-calls" as const, usage, warnings: [] };
    },
  });
}

/**
 * An agent on the AI SDK. A change of anything under `careful/` needs the user's approval, which the SDK asks for. A scripted model stands in
 * for a real one, so that it runs without a key (Node 22.18 or newer):
 *
 *     npm install toolcrib ai && node ai_agent.ts
 */

import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { generateText, isStepCount, type ModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { Toolbox } from "toolcrib";
import { toolApproval, tools } from "toolcrib/ai";

const root = mkdtempSync(join(tmpdir(), "example-"));
mkdirSync(join(root, "careful"));
const file = join(root, "careful/notes.txt");
writeFileSync(file, "This is teh end.\n");

const box = new Toolbox(root, {
  session: "example",
  rules: [{ kind: "edit", pattern: "careful/**", action: "ask" }],
  journal: join(mkdtempSync(join(tmpdir(), "journal-"))),
});
const agent = { model: scripted(), tools: tools(box), toolApproval: toolApproval(box), stopWhen: isStepCount(10) };

const messages: ModelMessage[] = [{ role: "user", content: `Correct the spelling in ${root}.` }];
let reply = await generateText({ ...agent, messages });
for (const part of reply.content) {
  if (part.type !== "tool-approval-request") continue;
  console.log(`${part.toolCall.toolName} wants to change a file; approved.`);
  messages.push(...reply.responseMessages, {
    role: "tool",
    content: [{ type: "tool-approval-response", approvalId: part.approvalId, approved: true }],
  });
  reply = await generateText({ ...agent, messages });
}
console.log(reply.text);
console.log(readFileSync(file, "utf8").trim());

await box.undo();
console.log(`After undo: ${readFileSync(file, "utf8").trim()}`);

/** In the place of a model: looks for a word, reads the file, and corrects it. */
function scripted(): MockLanguageModelV4 {
  const calls = [
    { toolName: "Grep", input: { pattern: "teh", path: root } },
    { toolName: "Read", input: { file_path: file } },
    { toolName: "Edit", input: { file_path: file, old_string: "teh", new_string: "the" } },
  ];
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return new MockLanguageModelV4({
    doGenerate: [
      ...calls.map(({ toolName, input }, number) => ({
        content: [
          { type: "tool-call" as const, toolCallId: `${number}`, toolName, input: JSON.stringify(input) },
        ],
        finishReason: { unified: "tool-calls" as const, raw: undefined },
        usage,
        warnings: [],
      })),
      {
        content: [{ type: "text" as const, text: "I corrected one word." }],
        finishReason: { unified: "stop" as const, raw: undefined },
        usage,
        warnings: [],
      },
    ],
  });
}

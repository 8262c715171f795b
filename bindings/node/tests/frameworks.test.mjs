// A whole task under each framework, with a model that says what it was told to say: search, read, edit, a refused edit, an edit
// that needs approval, undo.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Agent } from "@mastra/core/agent";
import { MastraLanguageModelV2Mock } from "@mastra/core/test-utils/llm-mock";
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { createAgent } from "langchain";
import { Toolbox } from "toolcrib";
import { toolApproval, tools as aiTools } from "toolcrib/ai";
import * as anthropic from "toolcrib/anthropic";
import { langchainTools } from "toolcrib/langchain";
import { mastraTools } from "toolcrib/mastra";
import * as openai from "toolcrib/openai";

import { PIXEL, journal, workspace } from "./support.mjs";

const files = { "src/a.js": "let answer = 41;\n", "locked.txt": "keep\n", "careful/b.txt": "old\n", "a.png": PIXEL };
const rules = [
  { kind: "edit", pattern: "locked.txt", action: "deny" },
  { kind: "edit", pattern: "careful/**", action: "ask" },
];

function opened(options = {}) {
  const root = workspace(files);
  return { root, box: new Toolbox(root, { rules, journal: journal(), session: "s1", ...options }) };
}

/** What the model does, one call after the other. The last one needs approval. */
const task = (root) => [
  ["Grep", { pattern: "answer", path: root }],
  ["Read", { file_path: join(root, "src/a.js") }],
  ["Edit", { file_path: join(root, "src/a.js"), old_string: "41", new_string: "42" }],
  ["Read", { file_path: join(root, "locked.txt") }],
  ["Edit", { file_path: join(root, "locked.txt"), old_string: "keep", new_string: "lost" }],
  ["Read", { file_path: join(root, "a.png") }],
  ["Read", { file_path: join(root, "careful/b.txt") }],
  ["Edit", { file_path: join(root, "careful/b.txt"), old_string: "old", new_string: "new" }],
];

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const text = (text) => ({ content: [{ type: "text", text }], finishReason: { unified: "stop" }, usage, warnings: [] });
const call = ([toolName, input], number) => ({
  content: [{ type: "tool-call", toolCallId: `call-${number}`, toolName, input: JSON.stringify(input) }],
  finishReason: { unified: "tool-calls" },
  usage,
  warnings: [],
});

async function undone(box, root) {
  const read = (name) => readFileSync(join(root, name), "utf8");
  assert.deepEqual([read("src/a.js"), read("locked.txt"), read("careful/b.txt")], ["let answer = 42;\n", "keep\n", "new\n"]);
  await box.undo();
  assert.equal(read("careful/b.txt"), "old\n");
  await box.undo();
  assert.equal(read("src/a.js"), "let answer = 41;\n");
}

test("the AI SDK does a whole task, with its own approval of exactly the change", async () => {
  const { root, box } = opened();
  const steps = task(root);
  const model = new MockLanguageModelV4({ doGenerate: [...steps.map(call), text("done")] });
  const settings = { model, tools: aiTools(box), toolApproval: toolApproval(box), stopWhen: isStepCount(20) };
  const first = await generateText({ ...settings, prompt: "Fix the answer" });
  const results = first.steps.flatMap(({ content }) => content).filter(({ type }) => /^tool-(result|error)$/.test(type));
  assert.deepEqual(results.map(({ type }) => type.slice(5)), ["result", "result", "result", "result", "error", "result", "result"]);
  assert.equal(results[1].output.output, "     1\tlet answer = 41;");
  assert.match(results[4].error.message, /^Error: Permission denied: Cannot edit .*locked\.txt/);
  // The prompt of the last step has the image as a part.
  const prompt = JSON.stringify(model.doGenerateCalls.at(-1).prompt);
  assert.ok(prompt.includes(PIXEL.toString("base64")), prompt);
  assert.ok(prompt.includes("image/png"), prompt);
  const [request] = first.content.filter(({ type }) => type === "tool-approval-request");
  assert.equal(request.toolCall.toolName, "Edit");
  assert.equal(readFileSync(join(root, "careful/b.txt"), "utf8"), "old\n");

  const answer = { type: "tool-approval-response", approvalId: request.approvalId, approved: true };
  const messages = [
    { role: "user", content: "Fix the answer" },
    ...first.steps.flatMap(({ response }) => response.messages).slice(-steps.length * 2),
    { role: "tool", content: [answer] },
  ];
  const second = await generateText({ ...settings, messages: deduplicated(messages) });
  assert.equal(second.text, "done");
  await undone(box, root);
});

/** Each step repeats the messages of the steps before. */
function deduplicated(messages) {
  const seen = new Set();
  return messages.filter((message) => {
    const key = JSON.stringify(message);
    return !seen.has(key) && seen.add(key);
  });
}

test("what was not approved is not made, and neither is what has changed since", async () => {
  const { root, box } = opened();
  const path = join(root, "careful/b.txt");
  await box.call("Read", { file_path: path });
  const { Edit } = aiTools(box);
  const input = { file_path: path, old_string: "old", new_string: "new" };
  const approve = (toolCallId) => toolApproval(box)({ toolCall: { toolName: "Edit", toolCallId, input } });
  const options = (toolCallId) => ({ toolCallId, messages: [], context: undefined });
  await assert.rejects(Edit.execute(input, options("1")), /Permission denied/);
  const { type, reason } = await approve("2");
  assert.equal(type, "user-approval");
  assert.match(reason, /-old\n\+new/);
  // The model wants something else under the number of the approved call.
  await assert.rejects(Edit.execute({ ...input, new_string: "other" }, options("2")), /changed since the change was approved/);
  await approve("3");
  await Edit.execute(input, options("3"));
  assert.equal(readFileSync(path, "utf8"), "new\n");
  const read = { toolName: "Read", toolCallId: "4", input: { file_path: path } };
  assert.equal(await toolApproval(box)({ toolCall: read }), undefined);
});

test("aborting the generation cancels the call", async () => {
  const { box } = opened();
  const controller = new AbortController();
  let aborted = false;
  box.register({
    name: "slow",
    description: "Waits",
    parameters: { type: "object", properties: {} },
    run: (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(String((aborted = true))));
        controller.abort();
      }),
  });
  const model = new MockLanguageModelV4({ doGenerate: call(["slow", {}], 1) });
  // The SDK gives back what there is.
  await generateText({ model, tools: aiTools(box), prompt: "wait", abortSignal: controller.signal });
  assert.equal(aborted, true);
  assert.equal(box.executions().at(-1).states.at(-1), "cancelled");
});

test("Mastra's agent does a whole task, with its own approval", async () => {
  const { root, box } = opened();
  const steps = task(root);
  let step = 0;
  const model = new MastraLanguageModelV2Mock({
    doGenerate: async () => v2(step < steps.length ? call(steps[step], step++) : text("done")),
    doStream: async () => ({ stream: streamed(v2(step < steps.length ? call(steps[step], step++) : text("done"))) }),
  });
  const agent = new Agent({ id: "coder", name: "Coder", instructions: "Fix it", model, tools: mastraTools(box) });
  const { Mastra } = await import("@mastra/core");
  const { InMemoryStore } = await import("@mastra/core/storage");
  const mastra = new Mastra({ agents: { coder: agent }, storage: new InMemoryStore(), logger: false });
  const first = await mastra.getAgent("coder").generate("Fix the answer", { maxSteps: 20 });
  assert.equal(first.finishReason, "suspended");
  const results = first.steps.flatMap(({ toolResults }) => toolResults).map(({ payload }) => payload);
  const read = results.find(({ toolName }) => toolName === "Read");
  assert.equal(read.result.output, "     1\tlet answer = 41;");
  assert.equal(read.result.lines_read, 1);
  assert.equal(readFileSync(join(root, "careful/b.txt"), "utf8"), "old\n");
  assert.match(JSON.stringify(first.steps), /Permission denied: Cannot edit/);
  const second = await mastra.getAgent("coder").approveToolCallGenerate({
    runId: first.runId,
    toolCallId: first.suspendPayload.toolCallId,
  });
  assert.equal(second.text, "done");
  await undone(box, root);
});

/** The result of a model of the second version of the specification. */
function v2({ content, finishReason }) {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  return { content, finishReason: finishReason.unified, usage, warnings: [] };
}

function streamed({ content, finishReason, usage }) {
  const parts = content.flatMap((part, index) => {
    const id = `${index}`;
    if (part.type === "tool-call") return [part];
    const { text: delta } = part;
    return [{ type: "text-start", id }, { type: "text-delta", id, delta }, { type: "text-end", id }];
  });
  return ReadableStream.from([{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }]);
}

test("Mastra's tools have schemas in both dialects, and answer with what their schema says", async () => {
  const root = workspace(files);
  for (const [dialect, name, input, wanted] of [
    ["standard", "Read", { file_path: join(root, "src/a.js") }, { output: "     1\tlet answer = 41;", total_lines: 1 }],
    ["ekacode", "read", { filePath: "src/a.js" }, { content: "     1→let answer = 41;" }],
  ]) {
    const tools = mastraTools(new Toolbox(root, { dialect, journal: false }));
    const { inputSchema, outputSchema, execute, id } = tools[name];
    assert.equal(id, name);
    const answer = await execute(input, {});
    for (const [key, value] of Object.entries(wanted)) assert.deepEqual(answer[key], value, key);
    assert.equal((await inputSchema["~standard"].validate(input)).issues, undefined);
    assert.notEqual((await inputSchema["~standard"].validate({})).issues, undefined);
    assert.equal((await outputSchema["~standard"].validate(answer)).issues, undefined);
    assert.notEqual((await outputSchema["~standard"].validate({ output: 1 })).issues, undefined);
  }
});

test("LangChain's agent does a whole task", async () => {
  const { root, box } = opened({ approver: () => true });
  const steps = task(root);
  class Scripted extends FakeListChatModel {
    heard = [];
    bindTools() {
      return this;
    }
    async _generate(messages) {
      this.heard.push(messages);
      const number = this.heard.length - 1;
      const step = steps[number];
      const message = new AIMessage({
        content: step ? "" : "done",
        tool_calls: step ? [{ id: `call-${number}`, name: step[0], args: step[1] }] : [],
      });
      return { generations: [{ text: "", message }] };
    }
  }
  const model = new Scripted({ responses: [""] });
  const agent = createAgent({ model, tools: langchainTools(box) });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("Fix the answer")] }, { recursionLimit: 50 });
  const answers = messages.filter((message) => ToolMessage.isInstance(message));
  assert.deepEqual(answers.map(({ status }) => status ?? "success").indexOf("error"), 4);
  assert.equal(answers[1].content, "     1\tlet answer = 41;");
  assert.equal(answers[1].artifact.metadata.lines_read, 1);
  assert.match(answers[4].content, /^Error: Permission denied/);
  assert.equal(answers[5].content[1].data, PIXEL.toString("base64"));
  assert.equal(messages.at(-1).content, "done");
  await undone(box, root);
});

test("a loop on OpenAI's chat completions does a whole task", async () => {
  const { root, box } = opened({ approver: () => true });
  const names = openai.tools(box, { strict: true }).map((tool) => tool.function.name);
  assert.ok(names.includes("Edit"));
  const answers = [];
  for (const [number, [name, input]] of task(root).entries()) {
    const call = { id: `${number}`, type: "function", function: { name, arguments: JSON.stringify(input) } };
    answers.push(await openai.runTool(box, call));
  }
  assert.deepEqual(answers[1], { role: "tool", tool_call_id: "1", content: "     1\tlet answer = 41;" });
  assert.match(answers[4].content, /^Error: Permission denied/);
  const broken = { id: "x", type: "function", function: { name: "Read", arguments: '{"file_path": ' } };
  assert.match((await openai.runTool(box, broken)).content, /^Error: /);
  await undone(box, root);
});

test("a loop on the Responses API runs functions and patches", async () => {
  const { root, box } = opened();
  const item = { type: "function_call", call_id: "1", name: "Read", arguments: JSON.stringify({ file_path: join(root, "a.png") }) };
  const { type, output } = await openai.runTool(box, item);
  assert.equal(type, "function_call_output");
  assert.equal(output[1].image_url, `data:image/png;base64,${PIXEL.toString("base64")}`);
  assert.equal(openai.tools(box, { api: "responses" })[0].type, "function");
  const patches = new Toolbox(root, { dialect: "apply-patch-v4a", journal: false });
  assert.deepEqual(openai.tools(patches, { api: "responses" }), [{ type: "apply_patch" }]);
  const operation = { type: "create_file", path: "new.txt", diff: "+one" };
  const answer = await openai.runTool(patches, { type: "apply_patch_call", call_id: "2", operation });
  assert.deepEqual([answer.type, answer.call_id, answer.status], ["apply_patch_call_output", "2", "completed"]);
  assert.equal(readFileSync(join(root, "new.txt"), "utf8"), "one");
  await assert.rejects(openai.runTool(box, { type: "apply_patch_call", call_id: "2", operation }), TypeError);
});

test("a loop on Anthropic's API does a whole task", async () => {
  const { root, box } = opened({ approver: () => true });
  const answers = [];
  for (const [number, [name, input]] of task(root).entries()) {
    answers.push(await anthropic.runTool(box, { type: "tool_use", id: `${number}`, name, input }));
  }
  assert.deepEqual(answers[1], { type: "tool_result", tool_use_id: "1", content: "     1\tlet answer = 41;" });
  assert.equal(answers[4].is_error, true);
  assert.equal(answers[5].content[1].source.data, PIXEL.toString("base64"));
  await undone(box, root);
  const editor = new Toolbox(root, { dialect: "text-editor", journal: false });
  assert.deepEqual(anthropic.tools(editor), [{ type: "text_editor_20250728", name: "str_replace_based_edit_tool" }]);
});

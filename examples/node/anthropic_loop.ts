/**
 * The tool loop on Anthropic's API, written out. Without a key a stand-in answers, so that it runs anywhere (Node 22.18 or newer):
 *
 *     npm install toolcrib @anthropic-ai/sdk && node anthropic_loop.ts
 */

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import Anthropic from "@anthropic-ai/sdk";
import { Toolbox } from "toolcrib";
import { runTool, tools, type Call } from "toolcrib/anthropic";

type Message = Anthropic.Messages.MessageParam;
type Block = { type: "text"; text: string } | ({ type: "tool_use" } & Call);
type Ask = (messages: Message[]) => Promise<Block[]>;

const root = mkdtempSync(join(tmpdir(), "example-"));
writeFileSync(join(root, "notes.txt"), "This is teh end.\n");
const box = new Toolbox(root, { session: "example", journal: false });

console.log(await run(process.env["ANTHROPIC_API_KEY"] === undefined ? standIn : model, `Correct the spelling in ${root}.`));
console.log(readFileSync(join(root, "notes.txt"), "utf8").trim());

/** Asks the model, carries out the calls that it makes, and goes on until it has an answer. */
async function run(ask: Ask, question: string): Promise<string> {
  const messages: Message[] = [{ role: "user", content: question }];
  for (;;) {
    const content = await ask(messages);
    const calls = content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    // The calls of one message are independent of one another.
    const results = await Promise.all(calls.map((call) => runTool(box, call)));
    for (const [index, call] of calls.entries()) {
      console.log(`${call.name} ${JSON.stringify(call.input)}\n${String(results[index]?.content)}\n`);
    }
    messages.push({ role: "assistant", content }, { role: "user", content: results });
  }
}

async function model(messages: Message[]): Promise<Block[]> {
  const request = { model: "claude-sonnet-5-5", max_tokens: 4096, tools: tools(box), messages };
  const { content } = await new Anthropic().messages.create(request);
  return content.filter((block) => block.type === "text" || block.type === "tool_use");
}

/** In the place of a model: looks for a word, reads the file that it is in, and corrects it. */
async function standIn(messages: Message[]): Promise<Block[]> {
  const [found, ...more] = messages
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .flatMap((block) => (block.type === "tool_result" ? [String(block.content)] : []));
  const call = (name: string, input: Record<string, string>): Block[] => [{ type: "tool_use", id: name, name, input }];
  if (found === undefined) return call("Grep", { pattern: "teh", path: root });
  if (more.length === 0) return call("Read", { file_path: found });
  if (more.length === 1) return call("Edit", { file_path: found, old_string: "teh", new_string: "the" });
  return [{ type: "text", text: "I corrected one word." }];
}

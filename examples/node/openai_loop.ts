/**
 * The tool loop on OpenAI's chat completions, written out. Without a key a stand-in answers, so that it runs anywhere (Node 22.18 or newer):
 *
 *     npm install toolcrib openai && node openai_loop.ts
 */

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import OpenAI from "openai";
import { Toolbox } from "toolcrib";
import { runTool, tools } from "toolcrib/openai";

type Message = OpenAI.Chat.ChatCompletionMessageParam;
type Answer = OpenAI.Chat.ChatCompletionMessage;
type Ask = (messages: Message[]) => Promise<Answer>;

const root = mkdtempSync(join(tmpdir(), "example-"));
writeFileSync(join(root, "notes.txt"), "This is teh end.\n");
const box = new Toolbox(root, { session: "example", journal: false });

console.log(await run(process.env["OPENAI_API_KEY"] === undefined ? standIn : model, `Correct the spelling in ${root}.`));
console.log(readFileSync(join(root, "notes.txt"), "utf8").trim());

/** Asks the model, carries out the calls that it makes, and goes on until it has an answer. */
async function run(ask: Ask, question: string): Promise<string | null> {
  const messages: Message[] = [{ role: "user", content: question }];
  for (;;) {
    const message = await ask(messages);
    messages.push(message);
    if (message.tool_calls === undefined) return message.content;
    for (const call of message.tool_calls) {
      if (call.type !== "function") continue;
      const answer = await runTool(box, call);
      console.log(`${call.function.name} ${call.function.arguments}\n${String(answer.content)}\n`);
      messages.push(answer);
    }
  }
}

async function model(messages: Message[]): Promise<Answer> {
  const completion = await new OpenAI().chat.completions.create({ model: "gpt-5", tools: tools(box), messages });
  const message = completion.choices[0]?.message;
  if (message === undefined) throw new Error("the model gave no answer");
  return message;
}

/** In the place of a model: looks for a word, reads the file that it is in, and corrects it. */
async function standIn(messages: Message[]): Promise<Answer> {
  const [found, ...more] = messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));
  if (found === undefined) return call("Grep", { pattern: "teh", path: root });
  if (more.length === 0) return call("Read", { file_path: found });
  if (more.length === 1) return call("Edit", { file_path: found, old_string: "teh", new_string: "the" });
  return { role: "assistant", content: "I corrected one word.", refusal: null };
}

function call(name: string, parameters: Record<string, string>): Answer {
  const called = { name, arguments: JSON.stringify(parameters) };
  const tool_calls = [{ id: `call_${name}`, type: "function" as const, function: called }];
  return { role: "assistant", content: null, refusal: null, tool_calls };
}

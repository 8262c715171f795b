// Makes calls to the memory tool of Anthropic's SDK. Standard input is a list of {folder, input}; the answers are printed as a list.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const tool = join(process.env.ORIGINALS_MODULES, "@anthropic-ai/sdk/tools/memory/node.mjs");
const { BetaLocalFilesystemMemoryTool, betaMemoryTool } = await import(pathToFileURL(tool));

const answers = [];
for (const { folder, input } of JSON.parse(readFileSync(0, "utf8"))) {
  const memory = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(folder));
  try {
    answers.push({ error: false, text: await memory.run(input) });
  } catch (error) {
    answers.push({ error: true, text: error.message });
  }
}
console.log(JSON.stringify(answers));

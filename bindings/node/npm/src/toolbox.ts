/** The toolbox: all tools on one or more directories. */

import { EventEmitter } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { cancelWith, forget } from "./aborts.js";
import { asked } from "./approval.js";
import type { DialectTools } from "./dialects.js";
import { failure, translated } from "./errors.js";
import type { Json, JsonObject } from "./json.js";
import { openNative, start, type CallContext, type NativeToolbox, type Work } from "./native.js";
import type { CallingOptions, CallOptions, Dialect, Format, ToolboxOptions } from "./options.js";
import { ownFolders } from "./platform.js";
import {
  aboutOf,
  runnerOf,
  type JsonSchema,
  type OwnTool,
  type ParametersOf,
  type Runner,
  type StandardSchema,
} from "./own-tool.js";
import { changeOf, executionOf, type Change, type Execution } from "./records.js";
import { failed, resultOf, type ToolResult } from "./result.js";

/** The names of the tools of a dialect. */
export type ToolName<D extends Dialect> = keyof DialectTools[D] & string;

/** The parameters of a tool. */
export type Parameters<D extends Dialect, N extends ToolName<D>> = DialectTools[D][N] extends { parameters: infer P }
  ? P
  : never;

/** The result of a tool. */
export type Result<D extends Dialect, N extends ToolName<D>> = DialectTools[D][N] extends {
  output: infer O;
  metadata: infer M;
}
  ? ToolResult<O, M>
  : never;

/** The description of a tool. */
export interface ToolDescription {
  /** The name for the model. */
  readonly name: string;
  /** The name for people. */
  readonly title: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  readonly category: string;
  /** Whether a call only `reads`, `proposes` changes to files, or `acts` by itself. */
  readonly effect: "reads" | "proposes" | "acts";
  /** The JSON schema of its parameters. */
  readonly parameters: JsonSchema;
  /** The JSON schema of the facts in its answer, if there is one. */
  readonly facts: JsonSchema | null;
}

/** A tool of your own that was registered. */
export interface RegisteredTool<Schema, Output> {
  readonly name: string;
  /** Calls it. */
  call(parameters: ParametersOf<Schema>, options?: CallOptions): Promise<ToolResult<Output>>;
  /** Removes it; returns whether it was there. */
  deregister(): boolean;
}

/** The facts about a file or directory. */
export interface FileStat {
  /** The absolute path. */
  readonly path: string;
  readonly type: "file" | "directory";
  readonly size: number;
  /** The permission bits. */
  readonly mode: number;
  readonly modified: Date;
  /** Null where the file system does not know it. */
  readonly created: Date | null;
}

interface PlainStat extends Omit<FileStat, "modified" | "created"> {
  modified: number;
  created: number | null;
}

/** How bytes are written. */
export interface WriteBytesOptions {
  /** Put them behind those that the file holds. */
  readonly append?: boolean;
  /** Whether a file that is there may be changed; by default true. */
  readonly overwrite?: boolean;
  /** When the file must have been changed last, to the millisecond; otherwise it is a `conflict`. */
  readonly expectedModified?: Date | undefined;
}

/** The events of a toolbox. */
export interface ToolboxEvents {
  /** A change was made and recorded: by a tool, an undo or a redo of this toolbox. Changes come in their order. */
  change: [change: Change];
}

/** What toolboxes share that are made with `using`. */
interface Shared {
  readonly native: NativeToolbox;
  readonly tools: Map<string, Runner>;
  readonly events: EventEmitter;
  /** The last event that was announced. */
  announced: Promise<void>;
}

/** A toolbox of any dialect. */
export interface AnyToolbox {
  readonly dialect: Dialect;
  readonly options: CallingOptions;
  using(options: CallingOptions): AnyToolbox;
  run(tool: string, parameters: unknown, options?: CallOptions): Promise<ToolResult>;
  tools(): ToolDescription[];
  schemas(format?: Format): JsonObject[];
}

/** A directory, as a path or a URL. */
export type Root = string | URL;

/**
 * File tools for an agent: they never lose a byte, never leave the workspace, and answer before you notice.
 *
 * ```ts
 * const box = new Toolbox("/path/to/project", { session: "s1" });
 * const result = await box.call("Read", { file_path: "/path/to/project/README.md" });
 * console.log(result.check().output);
 * ```
 */
export class Toolbox<D extends Dialect = "standard"> implements AnyToolbox {
  /** The dialect of the tools. */
  readonly dialect: D;
  readonly #options: CallingOptions;
  readonly #shared: Shared;
  readonly #context: CallContext;

  /**
   * Opens the directories. Relative paths start at the first.
   *
   * @throws {ToolcribError} A root is not a readable directory, or a rule or the configuration is invalid.
   */
  constructor(roots: Root | readonly Root[], options?: ToolboxOptions<D>);
  /** @internal */
  constructor(roots: Shared, options: CallingOptions, dialect: D);
  constructor(roots: Root | readonly Root[] | Shared, options: ToolboxOptions<D> = {}, dialect?: D) {
    this.dialect = dialect ?? options.dialect ?? ("standard" as D);
    this.#shared = isShared(roots) ? roots : opened(roots, options, this.dialect);
    const { session, agent, dryRun, timeoutMs, maxOutputSize, approver } = options;
    this.#options = { session, agent, dryRun, timeoutMs, maxOutputSize, approver };
    this.#context = translated(() => this.#shared.native.context(JSON.stringify(this.#options)));
  }

  /**
   * The same tools with other options: `box.using({ session: "s2", dryRun: true })`. Both toolboxes share everything else: the log, the
   * rules, what sessions have read, tools that are registered later, listeners.
   */
  using(options: CallingOptions): Toolbox<D> {
    return new Toolbox(this.#shared, { ...this.#options, ...options }, this.dialect);
  }

  /** The directories that the tools may access. */
  get roots(): string[] {
    return this.#shared.native.roots;
  }

  /** The options of the calls. */
  get options(): CallingOptions {
    return this.#options;
  }

  /** Calls a tool. A failure is a result too; `(await box.call(...)).check()` throws it instead. */
  call<N extends ToolName<D>>(tool: N, parameters: Parameters<D, N>, options?: CallOptions): Promise<Result<D, N>> {
    return this.run(tool, parameters, options) as Promise<Result<D, N>>;
  }

  /** The same for a name and parameters that are known only at run time, such as those of a model's call. The engine validates them. */
  run(tool: string, parameters: unknown, { signal }: CallOptions = {}): Promise<ToolResult> {
    let text: string | undefined;
    try {
      text = JSON.stringify(parameters ?? {});
    } catch (error) {
      // It may well come from a model, which reads the answer.
      const said = error instanceof Error ? error.message.split("\n")[0] : String(error);
      return Promise.resolve(failed("invalid_parameter", `The parameters are not JSON: ${said}`));
    }
    if (text === undefined) return Promise.resolve(failed("invalid_parameter", "The parameters are not JSON"));
    const { native, tools } = this.#shared;
    // A tool of one's own runs on this very thread.
    const begin = (work: number, waits: boolean) =>
      native.call(work, tool, text, this.#context, this.#asks, waits && !tools.has(tool));
    return this.#start(begin, signal, (answer, bytes) => {
      const result = this.#result(answer, bytes);
      if (result.errorKind === "cancelled" && signal?.aborted === true) throw signal.reason;
      return result;
    });
  }

  /** The result that the native half gives. */
  #result(text: string, bytes: readonly Uint8Array[]): ToolResult {
    const result = resultOf(text, bytes);
    const change = result.metadata["change"];
    if (typeof change === "number") this.#announce(change);
    return result;
  }

  get #asks(): boolean {
    return this.#options.approver !== undefined;
  }

  /** Starts some work, and settles a promise with what is made of its answer. */
  #start<T>(
    begin: (work: number, waits: boolean) => string | null | void,
    signal: AbortSignal | undefined,
    finish: (text: string, bytes: Uint8Array[]) => T,
  ): Promise<T> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const { tools } = this.#shared;
    const { approver } = this.#options;
    return new Promise<T>((resolve, reject) => {
      let number: number | undefined;
      const work: Work = {
        done: (text, bytes) => {
          if (signal !== undefined && number !== undefined) forget(signal, number);
          try {
            resolve(finish(text, bytes));
          } catch (error) {
            reject(error);
          }
        },
        ask: (text, review, asking) =>
          approver === undefined ? Promise.resolve('{"no":null}') : asked(approver, text, review, asking),
        run: (text, running) => {
          const { tool } = JSON.parse(text) as { tool: string };
          const run = tools.get(tool);
          return run === undefined ? Promise.resolve(JSON.stringify(removed(tool))) : run(text, running);
        },
      };
      number = start(work, begin);
      if (signal !== undefined && number !== undefined) cancelWith(signal, number);
    });
  }

  /** Starts work that gives a value, or fails by throwing. */
  #value<T>(
    begin: (work: number, waits: boolean) => string | null | void,
    read: (value: unknown, bytes: Uint8Array[]) => T,
  ): Promise<T> {
    return this.#start(begin, undefined, (text, bytes) => {
      const { value, error, metadata } = JSON.parse(text) as { value?: unknown; error?: string; metadata: JsonObject };
      if (error !== undefined) throw failure(error, metadata);
      return read(value, bytes);
    });
  }

  /** Every tool. */
  tools(): ToolDescription[] {
    return JSON.parse(this.#shared.native.tools()) as ToolDescription[];
  }

  /** Every tool in the format of a model provider. */
  schemas(format: Format = "openai"): JsonObject[] {
    return JSON.parse(translated(() => this.#shared.native.schemas(format))) as JsonObject[];
  }

  /**
   * Adds a tool of your own.
   *
   * @throws {ToolcribError} A tool with that name exists already.
   */
  register<Schema extends StandardSchema | JsonSchema, Output extends Json | void>(
    tool: OwnTool<Schema, Output>,
  ): RegisteredTool<Schema, Output> {
    const { native, tools } = this.#shared;
    const erased = tool as unknown as OwnTool<StandardSchema | JsonSchema, Json | void>;
    const about = JSON.stringify(aboutOf(erased));
    translated(() => native.register(about));
    const { name } = tool;
    tools.set(name, runnerOf(erased));
    return {
      name,
      call: (parameters, options) => this.run(name, parameters, options) as Promise<ToolResult<Output>>,
      deregister: () => this.deregister(name),
    };
  }

  /** Removes a tool; returns whether it was there. */
  deregister(name: string): boolean {
    this.#shared.tools.delete(name);
    return this.#shared.native.deregister(name);
  }

  /** The latest calls, oldest first. */
  executions(): Execution[] {
    return (JSON.parse(this.#shared.native.executions()) as unknown[]).map(executionOf);
  }

  /** Clears the list of calls. */
  clearExecutions(): void {
    this.#shared.native.clearExecutions();
  }

  /** The latest recorded changes of the workspace, by any agent, newest first. */
  log({ limit = 20 }: { readonly limit?: number } = {}): Promise<Change[]> {
    const begin = (work: number) => this.#shared.native.log(work, limit, this.#context);
    return this.#value(begin, (changes) => (changes as unknown[]).map(changeOf));
  }

  /**
   * Undoes a change exactly: the one with this number, or the latest of the session, or without a session the latest of all. Resolves to
   * the change that reverted it.
   *
   * Rejects with a `ToolcribError` if there is no such change, or the same lines have been changed since. Then nothing is undone.
   */
  undo(id?: number): Promise<Change> {
    return this.#reverse(false, id);
  }

  /** Redoes a change that was undone. */
  redo(id?: number): Promise<Change> {
    return this.#reverse(true, id);
  }

  #reverse(redo: boolean, id: number | undefined): Promise<Change> {
    const begin = (work: number) => this.#shared.native.reverse(work, redo, id, this.#context, this.#asks);
    return this.#value(begin, (value) => {
      const change = changeOf(value);
      if (this.#options.dryRun !== true) this.#announce(change.id);
      return change;
    });
  }

  /** The bytes of a file of at most `limit` bytes (64 MiB). The rules of the Read tool apply. */
  readBytes(path: string, { limit = 64 * 1024 * 1024 }: { readonly limit?: number } = {}): Promise<Uint8Array> {
    const begin = (work: number) => this.#shared.native.readBytes(work, path, limit, this.#context, this.#asks);
    return this.#value(begin, (_, [bytes]) => bytes ?? new Uint8Array());
  }

  /**
   * Writes a file byte for byte: unlike the Write tool, nothing of the old encoding and line endings is kept. Rules, approval, dry run and
   * the journal apply as to every change. Rejects with a `ToolcribError`.
   */
  async writeBytes(path: string, bytes: Uint8Array, options: WriteBytesOptions = {}): Promise<void> {
    const { append = false, overwrite = true, expectedModified } = options;
    const written = JSON.stringify({ append, overwrite, expectedModifiedMs: expectedModified?.getTime() });
    const begin = (work: number) =>
      this.#shared.native.writeBytes(work, path, bytes, written, this.#context, this.#asks);
    const result = await this.#start(begin, undefined, (text, bytes) => this.#result(text, bytes));
    result.check();
  }

  /** The facts about a file or directory. Rejects with a `ToolcribError`. */
  stat(path: string): Promise<FileStat> {
    const begin = (work: number, waits: boolean) =>
      this.#shared.native.stat(work, path, this.#context, this.#asks, waits);
    return this.#value(begin, (value) => {
      const { modified, created, ...same } = value as PlainStat;
      return { ...same, modified: new Date(modified), created: created === null ? null : new Date(created) };
    });
  }

  /** Calls a listener for each event. A listener that throws ends the process, as with any `EventEmitter`. */
  on<E extends keyof ToolboxEvents>(event: E, listener: (...args: ToolboxEvents[E]) => void): this {
    this.#shared.events.on(event, listener as (...args: unknown[]) => void);
    return this;
  }

  /** Removes a listener. */
  off<E extends keyof ToolboxEvents>(event: E, listener: (...args: ToolboxEvents[E]) => void): this {
    this.#shared.events.off(event, listener as (...args: unknown[]) => void);
    return this;
  }

  /** Tells the listeners of a change, after those of the changes before. */
  #announce(id: number): void {
    const { events, native } = this.#shared;
    if (events.listenerCount("change") === 0) return;
    const change = this.#value((work) => native.change(work, id, this.#context), changeOf);
    // A record that cannot be read any more has no news in it.
    const told = change.catch(() => undefined);
    this.#shared.announced = this.#shared.announced.then(async () => {
      const change = await told;
      if (change !== undefined) process.nextTick(() => events.emit("change", change));
    });
  }
}

function isShared(roots: Root | readonly Root[] | Shared): roots is Shared {
  return typeof roots === "object" && "native" in roots;
}

function opened(roots: Root | readonly Root[], options: ToolboxOptions, dialect: Dialect): Shared {
  const { config, rules = [], journal = true } = options;
  const given = typeof roots === "string" || roots instanceof URL ? [roots] : roots;
  const isFile = typeof config === "string" || config instanceof URL;
  const opening = {
    roots: given.map(pathOf),
    dialect,
    config: isFile ? pathOf(config) : (config ?? null),
    rules,
    journal: typeof journal === "boolean" ? journal : pathOf(journal),
    protect: ownFolders,
  };
  const native = translated(() => openNative(JSON.stringify(opening)));
  return { native, tools: new Map(), events: new EventEmitter(), announced: Promise.resolve() };
}

function pathOf(path: string | URL): string {
  return resolve(path instanceof URL ? fileURLToPath(path) : path);
}

function removed(tool: string): JsonObject {
  const metadata = { error_kind: "unknown_tool" };
  return { success: false, output: null, error: `${tool} was removed`, duration_ms: null, metadata };
}

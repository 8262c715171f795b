/** The engine below the tools of Mastra's own `Workspace`: containment, rules, approval, the journal and undo. */

import { extname, posix, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import {
  DirectoryNotEmptyError,
  DirectoryNotFoundError,
  FileExistsError,
  FileNotFoundError,
  IsDirectoryError,
  MastraFilesystem,
  NotDirectoryError,
  PermissionError,
  StaleFileError,
  UnsupportedGrepPatternError,
  WorkspaceReadOnlyError,
  type CopyOptions,
  type FileContent,
  type FileEntry,
  type FileStat,
  type FilesystemGrepMatch,
  type FilesystemGrepOptions,
  type FilesystemGrepResult,
  type FilesystemInfo,
  type ListOptions,
  type MastraFilesystemOptions,
  type ProviderStatus,
  type ReadOptions,
  type RemoveOptions,
  type WriteOptions,
} from "@mastra/core/workspace";

import { Toolbox, ToolcribError, type Root, type ToolboxOptions } from "./index.js";

/** The options of a `ToolcribFilesystem`: those of a toolbox, and Mastra's. */
export interface ToolcribFilesystemOptions extends MastraFilesystemOptions, Omit<ToolboxOptions, "dialect"> {
  /** The directory that is the workspace. */
  readonly basePath: Root;
  /** Identifies the filesystem; by default its path. */
  readonly id?: string;
  /** Refuse every change. */
  readonly readOnly?: boolean;
}

/** The most entries on a page of a listing. */
const PAGE = 10_000;
/** The most bytes of an answer. */
const ROOM = 64 * 1024 * 1024;

/**
 * A `WorkspaceFilesystem` on Toolcrib's engine. Paths are relative to the workspace, or absolute within it.
 *
 * ```ts
 * const filesystem = new ToolcribFilesystem({ basePath: "/path/to/project" });
 * const workspace = new Workspace({ filesystem });
 * await filesystem.box.undo();
 * ```
 */
export class ToolcribFilesystem extends MastraFilesystem {
  readonly id: string;
  readonly name = "ToolcribFilesystem";
  readonly provider = "toolcrib";
  readonly readOnly: boolean;
  readonly basePath: string;
  status: ProviderStatus = "pending";
  /** The toolbox of the filesystem, for its log, its events and `undo`. */
  readonly box: Toolbox<"ekacode">;
  /** The same for answers that no model reads, with room for all of a page. */
  readonly #wide: Toolbox<"ekacode">;

  /** @throws {ToolcribError} The directory cannot be opened, or an option is wrong. */
  constructor(options: ToolcribFilesystemOptions) {
    const { basePath, id, readOnly, onInit, onDestroy, textExtensions, config, ...toolbox } = options;
    super({
      name: "ToolcribFilesystem",
      ...(onInit === undefined ? {} : { onInit }),
      ...(onDestroy === undefined ? {} : { onDestroy }),
      ...(textExtensions === undefined ? {} : { textExtensions }),
    });
    if (typeof config === "string" || config instanceof URL) {
      throw new TypeError("The configuration of a ToolcribFilesystem is an object, to which it adds more_tools");
    }
    this.basePath = resolve(basePath instanceof URL ? fileURLToPath(basePath) : basePath);
    this.id = id ?? `toolcrib-${this.basePath}`;
    this.readOnly = readOnly ?? false;
    this.box = new Toolbox(this.basePath, { ...toolbox, dialect: "ekacode", config: { ...config, more_tools: true } });
    this.#wide = this.box.using({ maxOutputSize: ROOM });
  }

  async readFile(path: string, options?: ReadOptions): Promise<string | Buffer> {
    const bytes = await this.#try(path, "read", () => this.box.readBytes(this.#real(path)));
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return options?.encoding === undefined ? buffer : buffer.toString(options.encoding);
  }

  async writeFile(path: string, content: FileContent, options: WriteOptions = {}): Promise<void> {
    this.#writable("writeFile");
    if (options.recursive === false) await this.#directory(posix.dirname(path));
    const { overwrite = true, expectedMtime: expectedModified } = options;
    const write = () => this.box.writeBytes(this.#real(path), bytesOf(content), { overwrite, expectedModified });
    await this.#try(path, "write", write, expectedModified);
  }

  async appendFile(path: string, content: FileContent): Promise<void> {
    this.#writable("appendFile");
    const append = () => this.box.writeBytes(this.#real(path), bytesOf(content), { append: true });
    await this.#try(path, "write", append);
  }

  async deleteFile(path: string, options?: RemoveOptions): Promise<void> {
    this.#writable("deleteFile");
    const remove = async () => (await this.box.call("delete", { filePath: this.#real(path) })).check();
    await unlessMissing(options?.force, this.#try(path, "delete", remove));
  }

  async copyFile(from: string, to: string, options: CopyOptions = {}): Promise<void> {
    this.#writable("copyFile");
    const { type } = await this.stat(from);
    if (type === "file") {
      const bytes = await this.readFile(from);
      return this.writeFile(to, bytes, { overwrite: options.overwrite ?? true });
    }
    if (options.recursive !== true) throw new IsDirectoryError(from);
    await this.mkdir(to);
    for (const entry of await this.readdir(from)) {
      const copied = this.copyFile(posix.join(from, entry.name), posix.join(to, entry.name), options);
      // In a directory, what is there already stays.
      await copied.catch((error: unknown) => {
        if (!(error instanceof FileExistsError)) throw error;
      });
    }
  }

  async moveFile(from: string, to: string, options: CopyOptions = {}): Promise<void> {
    this.#writable("moveFile");
    const { overwrite = true } = options;
    const move = async () => {
      const moved = await this.box.call("move", { from: this.#real(from), to: this.#real(to), overwrite });
      if (moved.errorKind === "already_exists") throw new FileExistsError(to);
      return moved.check();
    };
    await this.#try(from, "move", move);
  }

  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    this.#writable("mkdir");
    if (options?.recursive === false) await this.#directory(posix.dirname(path));
    const make = async () => (await this.box.call("makeDirectory", { path: this.#real(path) })).check();
    await this.#try(path, "mkdir", make);
  }

  async rmdir(path: string, options: RemoveOptions = {}): Promise<void> {
    this.#writable("rmdir");
    const remove = async () => {
      const isEmpty = (await this.readdir(path)).length === 0;
      if (!isEmpty && options.recursive !== true) throw new DirectoryNotEmptyError(path);
      return (await this.box.call("delete", { filePath: this.#real(path), recursive: true })).check();
    };
    await unlessMissing(options.force, this.#try(path, "delete", remove));
  }

  async readdir(path: string, options: ListOptions = {}): Promise<FileEntry[]> {
    const { type } = await this.#try(path, "read", () => this.box.stat(this.#real(path)), undefined, true);
    if (type !== "directory") throw new NotDirectoryError(path);
    const { recursive = false, maxDepth = 100 } = options;
    const more = recursive ? { recursive, noIgnore: true, depth: maxDepth + 1 } : {};
    const found: FileEntry[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page = { dirPath: this.#real(path), limit: PAGE, offset, ...more };
      const list = async () => (await this.#wide.call("ls", page)).check().output;
      const listed: Listed = await this.#try(path, "read", list, undefined, true);
      const wanted = (listed.entries ?? []).filter((entry) => isWanted(entry, options));
      found.push(...(await Promise.all(wanted.map((entry) => this.#entry(path, entry, recursive)))));
      offset = listed.nextOffset;
    }
    return found;
  }

  /** An entry as Mastra has it. */
  async #entry(path: string, entry: Entry, recursive: boolean): Promise<FileEntry> {
    const name = recursive ? posix.relative(this.#real(path), this.#real(entry.path)) : entry.name;
    if (entry.target !== undefined) {
      const type = await this.#typeBehind(posix.join(path, name));
      return { name, type, isSymlink: true, symlinkTarget: entry.target };
    }
    return entry.type === "directory" ? { name, type: "directory" } : { name, type: "file", size: entry.size ?? 0 };
  }

  /** A search by the engine, with its index. Ignored files are left out, as the tool for searches does anyway. */
  async grep(options: FilesystemGrepOptions): Promise<FilesystemGrepResult[]> {
    const { pattern, path, caseSensitive, includeHidden, contextLines = 0, maxTotalMatches = 1000 } = options;
    const search = async () => {
      const found = await this.#wide.call("grep", {
        pattern,
        path: this.#real(path),
        outputMode: "content",
        ignoreCase: !caseSensitive,
        includeHidden,
        context: contextLines,
        limit: maxTotalMatches,
        sort: "path",
        ...(options.maxCountPerFile === undefined ? {} : { maxCount: options.maxCountPerFile }),
      });
      if (found.errorKind === "invalid_parameter") throw new UnsupportedGrepPatternError(pattern, found.error);
      return found.check().output.files;
    };
    const files = await this.#try(path, "read", search);
    const regex = new RegExp(pattern, caseSensitive ? "" : "i");
    return files.map((file) => ({
      path: posix.relative(this.#real(path), this.#real(file.path)),
      matches: matchesOf(file.lines ?? [], regex, contextLines),
    }));
  }

  async #typeBehind(path: string): Promise<"file" | "directory"> {
    return this.box.stat(this.#real(path)).then(
      ({ type }) => type,
      () => "file",
    );
  }

  async exists(path: string): Promise<boolean> {
    return this.stat(path).then(
      () => true,
      (error: unknown) => {
        if (error instanceof FileNotFoundError) return false;
        throw error;
      },
    );
  }

  async stat(path: string): Promise<FileStat> {
    const found = await this.#try(path, "read", () => this.box.stat(this.#real(path)));
    const relative = posix.relative(this.basePath, found.path);
    return {
      name: posix.basename(found.path),
      path: relative,
      type: found.type,
      size: found.type === "file" ? found.size : 0,
      createdAt: found.created ?? found.modified,
      modifiedAt: found.modified,
    };
  }

  resolveAbsolutePath(path: string): string | undefined {
    const real = this.#real(path);
    const relative = posix.relative(this.basePath, real);
    return relative.startsWith("..") ? undefined : real;
  }

  getInfo(): FilesystemInfo {
    const { id, name, provider, readOnly, status, basePath } = this;
    return { id, name, provider, readOnly, status, metadata: { basePath } };
  }

  getInstructions(): string {
    return (
      `Files at "${this.basePath}". Relative paths resolve from this directory, and nothing outside it can be reached. ` +
      "Every change is recorded and can be undone."
    );
  }

  /** Where a path lies. Whether it may be reached is for the engine to decide. */
  #real(path: string): string {
    return resolve(this.basePath, path);
  }

  #writable(operation: string): void {
    if (this.readOnly) throw new WorkspaceReadOnlyError(operation);
  }

  async #directory(path: string): Promise<void> {
    const { type } = await this.#try(path, "read", () => this.box.stat(this.#real(path)), undefined, true);
    if (type !== "directory") throw new NotDirectoryError(path);
  }

  /** Does something, and fails as Mastra expects it. */
  async #try<T>(
    path: string,
    operation: string,
    run: () => Promise<T>,
    expected?: Date,
    isDirectory = false,
  ): Promise<T> {
    await this.ensureReady();
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ToolcribError)) throw error;
      throw translated(error, path, operation, expected, isDirectory);
    }
  }
}

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly size?: number | undefined;
  readonly target?: string | undefined;
}

interface Listed {
  readonly entries?: readonly Entry[] | undefined;
  readonly nextOffset?: number | undefined;
}

interface Line {
  readonly line: number;
  readonly text: string;
  readonly match: boolean;
}

function isWanted(entry: Entry, { extension = [] }: ListOptions): boolean {
  const extensions = [extension].flat();
  const given = extname(entry.name);
  return entry.type !== "file" || extensions.length === 0 || extensions.some((each) => [given, given.slice(1)].includes(each));
}

function matchesOf(lines: readonly Line[], regex: RegExp, context: number): FilesystemGrepMatch[] {
  const texts = new Map(lines.map(({ line, text }) => [line, text]));
  const around = (from: number, to: number) => {
    const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
    return numbers.flatMap((number) => texts.get(number) ?? []);
  };
  return lines
    .filter(({ match }) => match)
    .map(({ line, text }) => ({
      line,
      column: Math.max(0, text.search(regex)),
      text,
      ...(context === 0 ? {} : { before: around(line - context, line - 1), after: around(line + 1, line + context) }),
    }));
}

function translated(
  error: ToolcribError,
  path: string,
  operation: string,
  expected: Date | undefined,
  isDirectory: boolean,
): Error {
  switch (error.kind) {
    case "not_found":
      return caused(isDirectory ? new DirectoryNotFoundError(path) : new FileNotFoundError(path), error);
    case "already_exists":
      return caused(new FileExistsError(path), error);
    case "is_directory":
      return caused(new IsDirectoryError(path), error);
    case "not_directory":
      return caused(new NotDirectoryError(path), error);
    case "permission_denied":
    case "outside_workspace":
      return caused(new PermissionError(path, `${operation} (${error.message})`), error);
    case "conflict": {
      const actual = error.metadata["modified_ms"];
      const at = typeof actual === "number" ? new Date(actual) : new Date();
      return expected === undefined ? error : caused(new StaleFileError(path, expected, at), error);
    }
    default:
      return error;
  }
}

function caused(error: Error, cause: unknown): Error {
  error.cause = cause;
  return error;
}

async function unlessMissing(force: boolean | undefined, removed: Promise<unknown>): Promise<void> {
  await removed.catch((error: unknown) => {
    const isMissing = error instanceof FileNotFoundError || error instanceof DirectoryNotFoundError;
    if (force !== true || !isMissing) throw error;
  });
}

function bytesOf(content: FileContent): Uint8Array {
  return typeof content === "string" ? Buffer.from(content, "utf8") : content;
}

/** Rules and approvals. */

import type { JsonObject } from "./json.js";
import type { NativeReview } from "./native.js";

/** What an access is for: showing the content; creating, changing, moving or deleting; anything outside every root. */
export type Access = "read" | "edit" | "external_directory";

/** Allows, asks or denies access to paths. The strictest rule that matches wins. */
export interface Rule {
  readonly kind: Access;
  /** The paths, as a glob. */
  readonly pattern: string;
  /** The verdict. */
  readonly action: "allow" | "ask" | "deny";
  /** Globs of paths that the rule does not cover. */
  readonly except?: readonly string[];
}

/** The change of one file. */
export interface ProposedChange {
  /** The file; for a move, its target. */
  readonly path: string;
  /** For a move, its source. */
  readonly from: string | null;
  /** The content now; null if the file is created. */
  readonly before: Uint8Array | null;
  /** The content afterwards; null if the file is deleted. */
  readonly after: Uint8Array | null;
  /** Whether the file can get another text, or some of the hunks. If not, it is changed as proposed or left as it is. */
  readonly editable: boolean;
  /** The parts of the change that can be made or left out, in the order of the file. */
  readonly hunks: readonly Hunk[];
}

/** A part of the change of one file. */
export interface Hunk {
  /** Identifies it in this change. */
  readonly id: string;
  /** The first of the lines that it replaces, counted from 1. */
  readonly oldStart: number;
  readonly oldLines: number;
  /** The first of the lines that replace them. */
  readonly newStart: number;
  readonly newLines: number;
  /** The lines as in a unified diff, with up to three lines of context. They may contain invisible characters. */
  readonly diff: string;
}

/** A request for approval, with the exact change. */
export interface ApprovalRequest {
  /** Identifies the request within the process. */
  readonly id: string;
  /** The access to approve. */
  readonly access: Access;
  /** The files, as absolute paths. */
  readonly paths: readonly string[];
  /** The tool. */
  readonly tool: string;
  readonly session: string | null;
  readonly agent: string | null;
  /** The patterns that `"always"` would cover. */
  readonly patterns: readonly string[];
  /** The rule that asks, or another reason. */
  readonly rule: string | null;
  /** The hash of what is approved: the access, the paths, the versions before and every byte written. */
  readonly digest: string;
  /**
   * The whole change as a unified diff, for programs; null if nothing is changed. Show people `pages()` instead: a diff may contain
   * invisible characters.
   */
  readonly diff: string | null;
  /** Whether the answer may be another change, `{ edit: … }`. An undo, for example, is done as a whole or not at all. */
  readonly editable: boolean;
  /** The bytes of each file before and after. */
  readonly changes: readonly ProposedChange[];
  /**
   * The whole change, for people to read. Long lines are shown around the difference, and invisible or lookalike characters are made
   * visible. If there is more than one page, each page starts by saying so.
   */
  pages(): Generator<string, void, undefined>;
}

/**
 * What is made instead of the proposed change of a file: those of its hunks whose ids are kept (with none, the file stays as it is), or
 * another text. The text is the whole content of the file, and is written in the encoding and with the line endings that the proposed
 * content has.
 */
export type EditedFile =
  | { readonly keep: readonly string[]; readonly text?: never }
  | { readonly text: string; readonly keep?: never };

/** Approves another change than the proposed one, for this call. Files that are not named are changed as proposed. */
export interface EditedChange {
  /** By the `path` of the file's {@link ProposedChange}. */
  readonly edit: Readonly<Record<string, EditedFile>>;
}

/**
 * Approves this call (`true` or `"once"`), approves for the session (`"always"`), approves another change (`{ edit }`), or denies, with a
 * reason for the agent.
 */
export type Answer = boolean | "once" | "always" | EditedChange | { readonly deny: string };

/**
 * Decides where a rule says ask. It may take its time: the call's deadline is paused meanwhile. The signal is aborted when the answer is
 * no longer needed. If it throws, or answers anything else, the answer is no.
 */
export type Approver = (request: ApprovalRequest, signal: AbortSignal) => Answer | Promise<Answer>;

class Request implements ApprovalRequest {
  readonly id!: string;
  readonly access!: Access;
  readonly paths!: readonly string[];
  readonly tool!: string;
  readonly session: string | null;
  readonly agent: string | null;
  readonly patterns!: readonly string[];
  readonly rule!: string | null;
  readonly digest!: string;
  readonly editable!: boolean;
  readonly #review: NativeReview;

  constructor(fields: JsonObject, review: NativeReview) {
    const { session_id: session, agent_id: agent, ...same } = fields;
    Object.assign(this, same);
    this.session = session as string | null;
    this.agent = agent as string | null;
    this.#review = review;
  }

  get diff(): string | null {
    return this.#review.diff();
  }

  get changes(): readonly ProposedChange[] {
    const review = this.#review;
    return review.changes().map(({ path, from, before, after, editable }, number) => ({
      path,
      from: from ?? null,
      before: before ?? null,
      after: after ?? null,
      editable,
      get hunks() {
        return review.hunks(number);
      },
    }));
  }

  *pages(): Generator<string, void, undefined> {
    for (let number = 1, of = 1; number <= of; number += 1) {
      const page = this.#review.page(number);
      of = page.of;
      yield of === 1 ? page.text : `This change does not fit on one page: page ${number} of ${of}.\n${page.text}`;
    }
  }
}

/** Asks an approver, and writes its answer down for the native half. It never rejects. */
export async function asked(
  approver: Approver,
  text: string,
  review: NativeReview,
  signal: AbortSignal,
): Promise<string> {
  let answer: unknown;
  try {
    answer = await approver(new Request(JSON.parse(text) as JsonObject, review), signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return JSON.stringify({ unavailable: `the approver failed: ${reason}` });
  }
  if (answer === true || answer === "once") return '"once"';
  if (answer === "always") return '"always"';
  if (answer === false) return '{"no":null}';
  if (typeof answer === "object" && answer !== null && "deny" in answer && typeof answer.deny === "string") {
    return JSON.stringify({ no: answer.deny });
  }
  const edited = editsOf(answer);
  if (edited !== undefined) return JSON.stringify({ edited });
  // Whatever was meant, it was not a yes.
  const reason = 'the approver answered with something else than a boolean, "once", "always", { edit: files } or { deny: reason }';
  return JSON.stringify({ unavailable: reason });
}

/** The edits of an answer by kind; undefined if it is something else. */
function editsOf(answer: unknown): { keep: Record<string, string[]>; text: Record<string, string> } | undefined {
  if (!isObject(answer) || !isObject(answer["edit"])) return undefined;
  const [keep, text]: [[string, string[]][], [string, string][]] = [[], []];
  for (const [path, file] of Object.entries(answer["edit"])) {
    if (!isObject(file)) return undefined;
    // With both, the native half refuses it with that reason.
    const { keep: kept, text: written } = file;
    if (kept === undefined && written === undefined) return undefined;
    if (kept !== undefined) {
      if (!Array.isArray(kept) || !kept.every((id) => typeof id === "string")) return undefined;
      keep.push([path, kept]);
    }
    if (written !== undefined) {
      if (typeof written !== "string") return undefined;
      text.push([path, written]);
    }
  }
  return { keep: Object.fromEntries(keep), text: Object.fromEntries(text) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

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
  /** The bytes of each file before and after. */
  readonly changes: readonly ProposedChange[];
  /**
   * The whole change, for people to read. Long lines are shown around the difference, and invisible or lookalike characters are made
   * visible. If there is more than one page, each page starts by saying so.
   */
  pages(): Generator<string, void, undefined>;
}

/** Approves this call (`true` or `"once"`), approves for the session (`"always"`), or denies, with a reason for the agent. */
export type Answer = boolean | "once" | "always" | { readonly deny: string };

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
    return this.#review.changes().map(({ path, from, before, after }) => ({
      path,
      from: from ?? null,
      before: before ?? null,
      after: after ?? null,
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
  // Whatever was meant, it was not a yes.
  const reason = 'the approver answered with something else than a boolean, "once", "always" or { deny: reason }';
  return JSON.stringify({ unavailable: reason });
}

/**
 * Approval by a framework of its own: the framework asks a person before it calls a tool, and Toolcrib tells it when.
 *
 * A dry run finds out what a call would change and whether a rule says ask. What is committed later is exactly what was shown then: the
 * digest of the change is remembered under the number of the call, and anything else is denied.
 */

import type { Approver } from "./approval.js";
import type { Json, JsonObject } from "./json.js";
import type { AnyToolbox } from "./toolbox.js";

/** How many calls wait for an approval at once; of more, the oldest are forgotten, and so denied. */
const MOST = 1000;

const asked = new WeakMap<object, Map<string, string>>();

/** Why a call needs approval, for the person: the diff, or the reason. Undefined if it needs none. */
export async function approvalOf(
  box: AnyToolbox,
  tool: string,
  parameters: unknown,
  callId: string,
): Promise<string | undefined> {
  let question: { digest: string; reason: string } | undefined;
  const approver: Approver = (request) => {
    question ??= { digest: request.digest, reason: request.rule ?? `${request.access} ${request.paths.join(", ")}` };
    return { deny: "it waits for approval" };
  };
  const trial = await box.using({ dryRun: true, approver }).run(tool, parameters);
  const approval = trial.metadata["approval"];
  if (isObject(approval)) {
    const reason = trial.metadata["diff"] ?? approval["rule"] ?? tool;
    question = { digest: String(approval["digest"]), reason: String(reason) };
  }
  if (question === undefined) return undefined;
  const digests = digestsOf(box);
  digests.set(callId, question.digest);
  for (const oldest of digests.keys()) {
    if (digests.size <= MOST) break;
    digests.delete(oldest);
  }
  return question.reason;
}

/** The same tools, for a call that the framework makes: what a person has approved is not asked again. */
export function approved(box: AnyToolbox, callId: string | undefined): AnyToolbox {
  const digest = callId === undefined ? undefined : digestsOf(box).get(callId);
  if (callId === undefined || digest === undefined) return box;
  digestsOf(box).delete(callId);
  const approver: Approver = (request) =>
    request.digest === digest || { deny: "the file has changed since the change was approved" };
  return box.using({ approver });
}

function digestsOf(box: object): Map<string, string> {
  let digests = asked.get(box);
  if (digests === undefined) {
    digests = new Map();
    asked.set(box, digests);
  }
  return digests;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

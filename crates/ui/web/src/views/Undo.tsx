// Undo and redo: first what would happen, then the button. A conflict is shown with its three texts and never resolved here.

import { signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { post, Problem } from "../api";
import { Diff, LayoutSwitch, type Section } from "../parts/Diff";
import { Dialog } from "../parts/Dialog";
import { Loading, Path, Seen, Trouble } from "../parts/text";
import { timeline } from "../timeline";
import type { Action, Conflict, Preview, UndoAction, UndoRequest } from "../types";
import { plain } from "../visible";
import { count } from "../words";
import { say } from "../parts/Notices";

type Asked = { request: UndoRequest; title: string };
const asked = signal<Asked | null>(null);

/** Opens the dialog with the preview. */
export function ask(request: UndoRequest, title: string): void {
  asked.value = { request, title };
}

export function UndoDialog() {
  const now = asked.value;
  return now ? <Shown key={JSON.stringify(now.request)} {...now} /> : null;
}

/** How often something was undone or redone here: what is shown of the file may be another since. */
export const undoings = signal(0);

const BECOMES: Record<UndoAction, Action> = { restored: "update", recreated: "add", removed: "delete" };

const close = () => {
  asked.value = null;
};

function Shown({ request, title }: Asked) {
  const preview = useSignal<Preview | null>(null);
  const problem = useSignal<Problem | null>(null);
  const busy = useSignal(false);

  const look = async (reveal = false) => {
    problem.value = null;
    try {
      preview.value = await post<Preview>("/api/undo/preview", { ...request, ...(reveal ? { reveal } : {}) });
    } catch (error) {
      take(error as Problem);
    }
  };
  const take = (error: Problem) => {
    const answer = error.answer as Preview | undefined;
    if (Array.isArray(answer?.conflicts) && answer.conflicts.length > 0) {
      preview.value = answer;
    } else problem.value = error;
  };
  useEffect(() => void look(), []);

  const carryOut = async () => {
    busy.value = true;
    try {
      const done = await post<Preview>("/api/undo", { ...request, digest: preview.value?.digest });
      say(`${request.kind === "undo" ? "Undone" : "Redone"}: ${count(done.files.length, "file")}`, done.recorded ?? undefined);
      undoings.value += 1;
      close();
      void timeline.refresh();
    } catch (error) {
      take(error as Problem);
      busy.value = false;
    }
  };

  const shown = preview.value;
  const sections = useMemo<Section[]>(
    () => (shown?.files ?? []).map((file, at) => ({ key: String(at), path: file.path, from: file.from ?? null, action: BECOMES[file.action] ?? "other", diff: file.diff })),
    [shown],
  );
  const conflicts = shown?.conflicts ?? [];
  const nothing = shown !== null && sections.length === 0 && conflicts.length === 0;
  return (
    <Dialog title={title} close={close} wide>
      {problem.value ? <Trouble problem={problem.value} retry={() => void look()} /> : null}
      {!shown && !problem.value ? <Loading what="the preview" /> : null}
      {conflicts.length > 0 ? <Conflicts conflicts={conflicts} kind={request.kind} /> : null}
      {nothing ? <p class="pad">There is nothing to {request.kind}: the files are already as they would be.</p> : null}
      {sections.length > 0 && conflicts.length === 0 ? (
        <>
          <p class="pad preview-line">
            <span>
              This will change {count(sections.length, "file")}
              {shown && shown.changes.length > 1 ? ` and ${request.kind} ${count(shown.changes.length, "change")}` : ""}. It is recorded, so it can be undone too.
              {shown && shown.merged.length > 0 ? ` Later edits in ${count(shown.merged.length, "file")} are kept.` : ""}
              {shown?.files_left_out ? ` ${count(shown.files_left_out, "more file")} not shown.` : ""}
            </span>
            <LayoutSwitch />
          </p>
          <Diff sections={sections} label="What will change" reveal={() => void look(true)} fit />
        </>
      ) : null}
      <footer class="dialog-foot">
        <button type="button" onClick={close}>
          Cancel
        </button>
        {sections.length > 0 && conflicts.length === 0 ? (
          <button type="button" class="main" disabled={busy.value} onClick={() => void carryOut()}>
            {request.kind === "undo" ? "Undo" : "Redo"} in {count(sections.length, "file")}
          </button>
        ) : null}
      </footer>
    </Dialog>
  );
}

const TEXTS = [
  ["base", "After the change", "what the change had left"],
  ["ours", "Now", "what the file holds"],
  ["theirs", "After the undo", "what would be made of it"],
] as const;

function Conflicts({ conflicts, kind }: { conflicts: Conflict[]; kind: "undo" | "redo" }) {
  return (
    <div class="conflicts">
      <p class="pad">
        <strong>{count(conflicts.length, "conflict")}: nothing was changed.</strong> Something else changed the same lines later. Undo that first,
        or edit the file by hand; then {kind} again.
      </p>
      {conflicts.map((conflict, at) => (
        <section key={at} class="conflict" aria-label={`Conflict ${at + 1}`}>
          <h3>
            <Path path={conflict.path} />
          </h3>
          <p>
            <Seen text={conflict.reason} />
            {conflict.hint ? (
              <span class="quiet">
                {" "}
                <Seen text={conflict.hint} />
              </span>
            ) : null}
          </p>
          {conflict.cut ? <p class="quiet">Only the beginning of each text is shown.</p> : null}
          <div class="three">
            {TEXTS.map(([side, title, about]) => (
              <figure key={side}>
                <figcaption>
                  {title} <span class="quiet">{about}</span>
                </figcaption>
                <pre tabIndex={0} role="region" aria-label={`${title}: ${plain(conflict.path)}`}>
                  {conflict[side] == null ? <span class="quiet">{conflict.denied ? "(a rule denies reading it)" : conflict.binary ? "(not text)" : "(no file)"}</span> : <Lines text={conflict[side] ?? ""} />}
                </pre>
              </figure>
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

const MOST = 400;

function Lines({ text }: { text: string }) {
  const lines = text.split("\n");
  const shown = lines.slice(0, MOST).map((line) => (line.length > 2000 ? `${line.slice(0, 2000)} …` : line));
  return (
    <>
      <Seen text={shown.join("\n")} line={false} />
      {lines.length > MOST ? <span class="quiet">{`\n… ${count(lines.length - MOST, "more line")}`}</span> : null}
    </>
  );
}

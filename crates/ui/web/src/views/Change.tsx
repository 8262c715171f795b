// One change: who made it, its diffs, and taking back all of it, one file, or chosen hunks.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { get, Problem, query } from "../api";
import { useKeys } from "../keys";
import { Diff, LayoutSwitch, type Section } from "../parts/Diff";
import { Loading, Seen, Trouble } from "../parts/text";
import { link } from "../route";
import { joined } from "../rows";
import { now } from "../state";
import { timeline } from "../timeline";
import type { Change, FileDiff, FileOfChange, Hunk } from "../types";
import { count, moment, short, STATE } from "../words";
import { ask, undoings } from "./Undo";

type Of = Section & { file: FileOfChange };

export function ChangeView({ id, known }: { id: number; known: Change | undefined }) {
  const fetched = useSignal<Change | undefined>(undefined);
  const problem = useSignal<Problem | null>(null);
  useEffect(() => {
    if (known) return;
    get<Change>(`/api/changes/${id}`)
      .then((change) => {
        fetched.value = change;
      })
      .catch((error: Problem) => {
        problem.value = error;
      });
  }, [id, known]);
  const change = known ?? fetched.value;
  if (problem.value && !change) return <Trouble problem={problem.value} />;
  if (!change) return <Loading what={`change ${id}`} />;
  return <Shown change={change} />;
}

function Shown({ change: listed }: { change: Change }) {
  // The files beyond the first, once they were asked for.
  const others = useSignal<Change | null>(null);
  const change = useMemo(
    () => (others.value ? { ...listed, files: [...listed.files, ...others.value.files], more_files: others.value.more_files ?? 0 } : listed),
    [listed, others.value],
  );
  const moreFiles = async () => {
    const next = await get<Change>(`/api/changes/${change.id}${query({ from_file: change.files.length })}`);
    others.value = others.value ? { ...next, files: [...others.value.files, ...next.files] } : next;
  };
  const diffs = useSignal<Record<number, FileDiff>>({});
  const notes = useSignal<Record<number, string>>({});
  const closed = useSignal<ReadonlySet<number>>(new Set());
  const hunks = useSignal<ReadonlyMap<string, { file: number; hunk: string }>>(new Map());

  const load = (file: FileOfChange, from?: number, reveal?: boolean) => {
    get<FileDiff>(`/api/changes/${change.id}/files/${file.n}/diff${query({ context: 3, from_row: from, reveal: reveal ? 1 : "" })}`)
      .then((diff) => {
        const before = diffs.value[file.n];
        diffs.value = { ...diffs.value, [file.n]: from && before ? joined(before, diff) : diff };
      })
      .catch((error: Problem) => {
        notes.value = { ...notes.value, [file.n]: `${error.message}${error.hint ? `: ${error.hint}` : ""}` };
      });
  };
  const counts = timeline.counts.value[change.id];
  useEffect(() => timeline.wantCounts(change.id), [change.id]);
  const sections = useMemo<Of[]>(
    () =>
      change.files.map((file, at) => ({
        key: String(file.n),
        file,
        path: file.path,
        from: file.from ?? null,
        action: file.action,
        added: file.added ?? counts?.[at]?.[0] ?? null,
        removed: file.removed ?? counts?.[at]?.[1] ?? null,
        diff: diffs.value[file.n],
        closed: closed.value.has(file.n),
        ...noteOf(file, notes.value[file.n]),
      })),
    [change, diffs.value, notes.value, closed.value, counts],
  );

  const undone = change.state === "undone";
  const kind = undone ? "redo" : "undo";
  const able = change.state === "done" || undone;
  const whole = () => ask({ kind, what: { changes: [change.id] } }, `${undone ? "Redo" : "Undo"} change ${change.id}`);
  const selected = [...hunks.value.values()];
  const act = () => {
    // As they are when the key is pressed, which may be before the choice is drawn.
    const chosen = [...hunks.value.values()];
    if (chosen.length === 0) return whole();
    ask({ kind, what: { change: change.id, hunks: chosen } }, `Undo ${count(chosen.length, "hunk")} of change ${change.id}`);
  };
  useKeys(able ? [{ key: "u", about: `${kind} the change, or the chosen hunks`, act }] : []);
  // A change of which some hunks were undone is done still. At first there is nothing to forget, but perhaps a choice already.
  const shownFor = `${change.state} ${undoings.value}`;
  const before = useRef(shownFor);
  useEffect(() => {
    if (before.current === shownFor) return;
    before.current = shownFor;
    hunks.value = new Map();
    diffs.value = {};
  }, [shownFor]);

  const toggle = (file: FileOfChange, hunk: Hunk) => {
    const key = `${file.n} ${hunk.id}`;
    const next = new Map(hunks.value);
    if (!next.delete(key)) next.set(key, { file: file.n, hunk: hunk.id });
    hunks.value = next;
  };

  return (
    <div class="change-view">
      <header class="detail-head">
        <a class="back" href={link("timeline")}>
          ← Timeline
        </a>
        <h2>
          <Seen text={change.tool} /> <span class="quiet">change {change.id}</span>
          {STATE[change.state] ? <span class={`state ${change.state}`}>{STATE[change.state]}</span> : null}
        </h2>
        <p class="facts">
          <span>
            <Seen text={change.agent ?? "unknown agent"} />
          </span>
          {change.door ? (
            <span>
              over <Seen text={change.door} />
            </span>
          ) : null}
          {change.session ? (
            <button type="button" class="link" title="Show this session only" onClick={() => timeline.choose({ session: change.session ?? "" })}>
              session <Seen text={short(change.session)} />
            </button>
          ) : null}
          <time dateTime={new Date(change.time).toISOString()}>{moment(change.time, now.value)}</time>
          {change.undone_by ? <a href={link("timeline", change.undone_by)}>undone by {change.undone_by}</a> : null}
          {(change.reverts ?? (change.undoes ? [change.undoes] : [])).slice(0, 5).map((id) => (
            <a key={id} href={link("timeline", id)}>
              undoes {id}
            </a>
          ))}
        </p>
        <div class="tools">
          {able ? (
            <button type="button" class="main" onClick={act}>
              {undone ? "Redo" : selected.length > 0 ? `Undo ${count(selected.length, "hunk")}` : "Undo"} <kbd>u</kbd>
            </button>
          ) : null}
          {change.session ? (
            <button
              type="button"
              onClick={() => ask({ kind: "undo", what: { session: change.session ?? "" } }, `Undo all of session ${short(change.session ?? "")}`)}
            >
              Undo session
            </button>
          ) : null}
          <button type="button" onClick={() => ask({ kind: "undo", what: { since: change.time } }, `Go back to before change ${change.id}`)}>
            Back to before this
          </button>
          <LayoutSwitch />
        </div>
      </header>
      <Diff
        sections={sections}
        label={`Diff of change ${change.id}`}
        load={(section, from) => load((section as Of).file, from)}
        reveal={(section) => load((section as Of).file, undefined, true)}
        toggle={(section) => {
          const { n } = (section as Of).file;
          const next = new Set(closed.value);
          if (!next.delete(n)) next.add(n);
          closed.value = next;
        }}
        fileTools={(section) => {
          const { file } = section as Of;
          return (
            <>
              <a class="button" href={link("file", "", { path: file.path })}>
                History
              </a>
              {able && change.files.length > 1 ? (
                <button
                  type="button"
                  onClick={() => ask({ kind, what: { change: change.id, file: file.path } }, `${undone ? "Redo" : "Undo"} one file of change ${change.id}`)}
                >
                  {undone ? "Redo file" : "Undo file"}
                </button>
              ) : null}
            </>
          );
        }}
        hunkTools={(section, hunk) => {
          const { file } = section as Of;
          if (change.state !== "done") return null;
          if (hunk.undoable === "gone") return <span class="quiet">no longer in the file</span>;
          if (hunk.undoable === "no") return <span class="quiet">only with the whole file</span>;
          return (
            <label class="pick">
              <input type="checkbox" checked={hunks.value.has(`${file.n} ${hunk.id}`)} onChange={() => toggle(file, hunk)} />
              undo this hunk
            </label>
          );
        }}
      />
      {change.more_files ? (
        <p class="pad">
          <button type="button" onClick={() => void moreFiles()}>
            Show more files
          </button>{" "}
          <span class="quiet">{count(change.more_files, "file")} not listed yet</span>
        </p>
      ) : null}
    </div>
  );
}

function noteOf(file: FileOfChange, failed: string | undefined): { note?: string } {
  if (failed) return { note: failed };
  if (file.damaged) return { note: "The journal's record of this file is damaged; its content cannot be shown." };
  if (file.kind === "directory") return { note: "A directory." };
  if (file.kept === false) return { note: "The old content was too large to be kept, so it can be neither shown nor restored." };
  return {};
}

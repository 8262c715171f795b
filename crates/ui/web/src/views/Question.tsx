// One question: the whole change, hunk by hunk, and the answer. What is committed is what is shown here.

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { get, post, Problem, query } from "../api";
import { endings, plainLines, restored } from "../endings";
import { useKeys } from "../keys";
import { Diff, LayoutSwitch, type Section } from "../parts/Diff";
import { say } from "../parts/Notices";
import { Loading, Path, Seen, Trouble } from "../parts/text";
import { joined } from "../rows";
import { local, now, settle } from "../state";
import type { Answer, FileDiff, Hunk, Question, QuestionFile } from "../types";
import { count, countdown, ENDED, short, span, WANTS } from "../words";

type Of = Section & { file: QuestionFile };

/** A question that has just moved into place is not answered by the key that was meant for the one before. */
const SETTLE_MS = 400;

export function QuestionView({ question }: { question: Question }) {
  const whole = useSignal<Question | null>(null);
  const problem = useSignal<Problem | null>(null);
  const dropped = useSignal<ReadonlySet<string>>(new Set());
  const edits = useSignal<Record<string, string>>({});
  const refusing = useSignal(false);
  const busy = useSignal(false);
  const since = useRef(Date.now());

  const address = `/api/questions/${encodeURIComponent(question.id)}`;
  const load = async (reveal?: boolean) => {
    try {
      whole.value = await get<Question>(`${address}${query({ reveal: reveal ? 1 : "" })}`);
      if (!reveal) since.current = Date.now();
    } catch (error) {
      problem.value = error as Problem;
    }
  };
  useEffect(() => void load(), []);

  /** The next rows of a file; also of a large one, all are known before some of them are refused. */
  const rest = async (n: number): Promise<boolean> => {
    const file = whole.value?.files.find((one) => one.n === n);
    if (!file?.more) return false;
    const next = await get<FileDiff>(`${address}/files/${n}/diff${query({ from_row: file.more.next, reveal: file.denied ? 1 : "" })}`);
    const longer = joined({ hunks: file.hunks ?? [] }, next);
    if (whole.value) whole.value = { ...whole.value, files: whole.value.files.map((one) => (one.n === n ? { ...one, hunks: longer.hunks, more: next.more ?? null } : one)) };
    return true;
  };

  const answer = async (verdict: Answer["verdict"], reason?: string) => {
    if (busy.value || !whole.value || Date.now() - since.current < SETTLE_MS) return;
    busy.value = true;
    problem.value = null;
    try {
      const altered = new Set([...dropped.value].map((key) => Number(key.split(" ")[0])));
      if (verdict !== "no") for (const n of altered) while (await rest(n));
      const said: Answer = { digest: whole.value.digest, verdict, ...(reason ? { reason } : {}), ...(verdict === "no" ? {} : changes(whole.value)) };
      await post(`${address}/answer`, said);
      settle({ id: question.id, by: "here", verdict });
      say(verdict === "no" ? "Refused" : verdict === "always" ? "Approved, and the same patterns for this session" : "Approved");
    } catch (error) {
      const refused = error as Problem;
      if (refused.status === 409) {
        const by = (refused.answer as { by?: string } | undefined)?.by;
        say(by ? `Nothing is left to answer: ${ENDED[by] ?? by}` : refused.message);
        if (by || refused.kind === "answered" || refused.kind === "gone") settle({ id: question.id, by: by ?? "elsewhere" });
        else problem.value = refused;
      } else problem.value = refused;
      busy.value = false;
    }
  };
  /** Only what the person altered is sent. */
  const changes = (shown: Question): Pick<Answer, "keep" | "edited"> => {
    const keep: Record<string, string[]> = {};
    const edited: Record<string, string> = {};
    for (const file of shown.files) {
      const own = edits.value[file.n];
      if (own !== undefined) {
        const original = file.after_text ?? "";
        if (own !== plainLines(original)) edited[file.n] = restored(own, original);
        continue;
      }
      const ids = (file.hunks ?? []).map((hunk) => hunk.id);
      const kept = ids.filter((id) => !dropped.value.has(`${file.n} ${id}`));
      if (kept.length < ids.length) keep[file.n] = kept;
    }
    return { ...(Object.keys(keep).length ? { keep } : {}), ...(Object.keys(edited).length ? { edited } : {}) };
  };

  const shown = whole.value;
  const hunks = (shown?.files ?? []).filter((file) => edits.value[file.n] === undefined).flatMap((file) => (file.hunks ?? []).map((hunk) => `${file.n} ${hunk.id}`));
  const kept = hunks.filter((key) => !dropped.value.has(key)).length;
  const edited = Object.keys(edits.value).length > 0;
  const none = hunks.length > 0 && kept === 0 && !edited;
  const partly = kept < hunks.length || edited;
  const yes = edited ? "Yes, as edited" : kept < hunks.length ? `Yes, ${kept} of ${hunks.length} hunks` : "Yes, once";

  useKeys([
    { key: "y", about: "yes, once", act: () => (none ? undefined : void answer("once")) },
    { key: "n", about: "no, with a reason", act: () => (refusing.value = true) },
    { key: "Escape", about: "close the reason", act: () => (refusing.value = false) },
  ]);

  const toggle = (file: QuestionFile, hunk: Hunk) => {
    const key = `${file.n} ${hunk.id}`;
    const next = new Set(dropped.value);
    if (!next.delete(key)) next.add(key);
    dropped.value = next;
  };
  const edit = (file: QuestionFile, text: string | undefined) => {
    const { [String(file.n)]: _, ...others } = edits.value;
    edits.value = text === undefined ? others : { ...others, [file.n]: text };
  };

  const editing = Object.keys(edits.value).join();
  const sections = useMemo<Of[]>(
    () =>
      (shown?.files ?? []).map((file) => {
        const own = edits.peek()[file.n];
        return {
          key: String(file.n),
          file,
          path: file.path,
          from: file.from ?? null,
          action: file.action,
          diff: {
            hunks: file.hunks ?? [],
            binary: file.binary ?? false,
            more: file.more ?? null,
            lossy: file.lossy ?? false,
            too_large: file.left_out ? "The content is too large to be shown here." : (file.too_large ?? false),
            denied: Boolean(file.denied) && !file.hunks?.length,
          },
          ...(own === undefined ? {} : { editor: <Editor path={file.path} text={own} change={(text) => edit(file, text)} /> }),
          ...(file.sentence && !file.hunks?.length ? { note: [file.sentence, ...(file.inside ?? [])].join(", ") } : {}),
        };
      }),
    [shown, editing],
  );

  return (
    <div class="question-view">
      <header class="detail-head">
        <h2>
          <Seen text={question.agent ?? "An agent"} /> {WANTS[question.access]}{" "}
          {question.paths.length === 1 ? <Path path={question.paths[0] ?? ""} /> : `${question.paths.length} files`}
        </h2>
        <p class="facts">
          <span>
            with <Seen text={question.tool} />
          </span>
          {question.session ? (
            <span>
              session <Seen text={short(question.session)} />
            </span>
          ) : null}
          <span>asked {span(now.value - question.asked)} ago</span>
          {question.deadline ? <Countdown deadline={question.deadline} /> : null}
          {question.rule ? (
            <span class="rule">
              because of{" "}
              <code>
                <Seen text={question.rule} />
              </code>
            </span>
          ) : null}
        </p>
        <div class="tools">
          <LayoutSwitch />
        </div>
      </header>
      {problem.value ? <Trouble problem={problem.value} /> : null}
      {!shown && !problem.value ? <Loading what="the change" /> : null}
      {shown && shown.files.length === 0 ? (
        <ul class="paths">
          {shown.paths.map((path) => (
            <li key={path}>
              <Path path={path} />
            </li>
          ))}
        </ul>
      ) : null}
      {shown?.left_out ? <p class="pad quiet">{count(shown.left_out, "more path or file", "more paths and files")} not listed here.</p> : null}
      {sections.length > 0 ? (
        <Diff
          sections={sections}
          label="The whole change"
          load={(section) => void rest((section as Of).file.n).catch((error: Problem) => (problem.value = error))}
          reveal={() => void load(true)}
          dropped={(section, hunk) => dropped.value.has(`${(section as Of).file.n} ${hunk.id}`)}
          fileTools={(section) => {
            const { file } = section as Of;
            if (!shown?.editable || file.editable === false || file.after_text == null) return null;
            if (endings(file.after_text) === "mixed") return <span class="quiet">mixed line endings</span>;
            const own = edits.value[file.n];
            return own === undefined ? (
              <button type="button" onClick={() => edit(file, plainLines(file.after_text ?? ""))}>
                Edit
              </button>
            ) : (
              <button type="button" onClick={() => edit(file, undefined)}>
                Back to the proposal
              </button>
            );
          }}
          hunkTools={(section, hunk) => {
            const { file } = section as Of;
            if (!shown?.editable || file.editable === false) return null;
            return (
              <label class="pick">
                <input type="checkbox" checked={!dropped.value.has(`${file.n} ${hunk.id}`)} onChange={() => toggle(file, hunk)} />
                keep
              </label>
            );
          }}
        />
      ) : null}
      <footer class="answer">
        {refusing.value ? (
          <Refuse close={() => (refusing.value = false)} refuse={(reason) => void answer("no", reason)} />
        ) : (
          <>
            <button type="button" class="yes" disabled={!shown || busy.value || none} onClick={() => void answer("once")}>
              {yes} <kbd>y</kbd>
            </button>
            {question.patterns.length > 0 ? (
              <button
                type="button"
                disabled={!shown || busy.value || none || partly}
                title="Until the session ends, this is not asked again"
                onClick={() => void answer("always")}
              >
                Always for{" "}
                <code>
                  <Seen text={question.patterns.slice(0, 2).map(local).join(", ")} />
                </code>{" "}
                {question.patterns.length > 2 ? `and ${question.patterns.length - 2} more ` : ""}in this session
              </button>
            ) : null}
            <button type="button" class="no" disabled={busy.value} onClick={() => (refusing.value = true)}>
              No … <kbd>n</kbd>
            </button>
            {none ? <span class="quiet">No hunk is kept: answer no.</span> : null}
          </>
        )}
      </footer>
    </div>
  );
}

function Countdown({ deadline }: { deadline: number }) {
  const left = deadline - now.value;
  return <span class={`left ${left < 30_000 ? "soon" : ""}`}>{left > 0 ? `refused in ${countdown(left)}` : "too late"}</span>;
}

function Editor({ path, text, change }: { path: string; text: string; change: (text: string) => void }) {
  return (
    <textarea
      class="editor"
      aria-label={`The text of ${path} as it will be written`}
      spellcheck={false}
      defaultValue={text}
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}

function Refuse({ close, refuse }: { close: () => void; refuse: (reason: string) => void }) {
  const box = useRef<HTMLInputElement>(null);
  // Before the next key is pressed: what is typed after `n` is the reason, and no answer.
  useLayoutEffect(() => box.current?.focus(), []);
  return (
    <form
      class="refuse"
      onSubmit={(event) => {
        event.preventDefault();
        refuse(box.current?.value.trim() ?? "");
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <input ref={box} type="text" maxLength={1000} aria-label="Reason, which the agent reads" placeholder="Reason, which the agent reads (may be empty)" />
      <button type="submit" class="no">
        Refuse
      </button>
      <button type="button" onClick={close}>
        Back
      </button>
    </form>
  );
}

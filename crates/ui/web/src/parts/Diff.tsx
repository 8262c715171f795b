// The diffs of some files, one below the other in one list, inline or side by side.
// It draws and asks to load; what may be chosen or done with a file or a hunk is handed in by the view.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useSignal, useSignalEffect } from "@preact/signals";
import { tokens } from "../highlight";
import { columns, FILE, hunkItems, LONGEST, NOTE, segments, type Item } from "../rows";
import { layout } from "../settings";
import type { Action, DiffRow, FileDiff, Hunk } from "../types";
import { ACTION, ACTION_LETTER, count } from "../words";
import { Counts, Path, Seen } from "./text";
import { VirtualList } from "./VirtualList";

/** A file as the list shows it. Without a diff, it is loaded when it comes into sight. */
export type Section = {
  key: string;
  path: string;
  from?: string | null;
  action: Action;
  added?: number | null;
  removed?: number | null;
  diff?: FileDiff | undefined;
  closed?: boolean;
  /** What to say instead of a diff. */
  note?: string;
  /** An editor instead of the diff. */
  editor?: ComponentChildren;
};

type Properties = {
  sections: Section[];
  label: string;
  load?: (section: Section, from?: number) => void;
  reveal?: (section: Section) => void;
  toggle?: (section: Section) => void;
  fileTools?: (section: Section) => ComponentChildren;
  hunkTools?: (section: Section, hunk: Hunk) => ComponentChildren;
  /** Hunks that will not be kept are shown as such. */
  dropped?: (section: Section, hunk: Hunk) => boolean;
  /** No higher than what it holds. */
  fit?: boolean;
};

const EDITOR = 420;
const GUTTER = 14;

export function Diff(diff: Properties) {
  const narrow = useNarrow();
  const split = layout.value === "split" && !narrow.value;
  const items = useMemo(() => diff.sections.flatMap((section) => itemsOf(section, split)), [diff.sections, split]);
  const widest = useMemo(
    () => Math.max(0, ...diff.sections.map((section) => (section.diff && !section.closed ? columns(section.diff) : 0))),
    [diff.sections],
  );
  const box = useRef<HTMLDivElement>(null);
  const across = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!split) box.current?.style.removeProperty("--across");
  }, [split]);

  const draw = (item: Item<Section>) => {
    switch (item.kind) {
      case "file":
        return <FileHead key={item.key} section={item.file} {...diff} />;
      case "note":
        return (
          <div key={item.key} class="diff-note">
            <Seen text={item.text} />{" "}
            {item.reveal && diff.reveal ? (
              <button type="button" class="link" onClick={() => diff.reveal?.(item.file)}>
                Show it
              </button>
            ) : null}
          </div>
        );
      case "pending":
        return <Wanted key={item.key} act={() => diff.load?.(item.file)} />;
      case "more":
        if (!diff.load) {
          return (
            <div key={item.key} class="diff-note">
              The rest of this difference is not shown here.
            </div>
          );
        }
        return <Wanted key={item.key} act={() => diff.load?.(item.file, item.next)} />;
      case "edit":
        return <div key={item.key}>{item.file.editor}</div>;
      case "hunk":
        return <HunkHead key={item.key} section={item.file} hunk={item.hunk} {...diff} />;
      case "row":
        return <Row key={item.key} section={item.file} hunk={item.hunk} at={item.row} dropped={diff.dropped} />;
      case "pair":
        return (
          <div key={item.key} class={`diff-pair ${diff.dropped?.(item.file, item.hunk) ? "dropped" : ""}`}>
            <Half section={item.file} hunk={item.hunk} at={item.pair.old} side="old" />
            <Half section={item.file} hunk={item.hunk} at={item.pair.new} side="new" />
          </div>
        );
    }
  };

  return (
    <div class={`diff ${split ? "split" : "inline"} ${diff.fit ? "fit" : ""}`}>
      <VirtualList
        items={items}
        draw={draw}
        label={diff.label}
        class="diff-scroll"
        columns={split ? 0 : widest + GUTTER}
        box={box}
        fit={diff.fit ?? false}
        onWheel={(event) => {
          if (split && across.current && event.deltaX !== 0) across.current.scrollLeft += event.deltaX;
        }}
      />
      {split && widest > 40 ? (
        <div
          ref={across}
          class="diff-across"
          role="region"
          aria-label="Move long lines sideways"
          tabIndex={0}
          onScroll={(event) => box.current?.style.setProperty("--across", `${-event.currentTarget.scrollLeft}px`)}
        >
          <div style={{ width: `calc(50% + ${widest + GUTTER}ch)` }} />
        </div>
      ) : null}
    </div>
  );
}

function itemsOf(section: Section, split: boolean): Item<Section>[] {
  const { key, diff } = section;
  const result: Item<Section>[] = [{ kind: "file", height: FILE, key, file: section }];
  const note = (text: string, reveal = false) => {
    result.push({ kind: "note", height: NOTE, key: `${key}/note${result.length}`, file: section, text, reveal });
    return result;
  };
  if (section.closed) return result;
  if (section.editor) {
    result.push({ kind: "edit", height: EDITOR, key: `${key}/edit`, file: section });
    return result;
  }
  if (section.note) return note(section.note);
  if (!diff) {
    result.push({ kind: "pending", height: 120, key: `${key}/pending`, file: section });
    return result;
  }
  if (diff.denied) return note("A rule denies reading this file, so its content is not shown.", true);
  if (diff.too_large) return note(typeof diff.too_large === "string" ? diff.too_large : "This file is too large to compare here.");
  if (diff.binary) return note("The content is not text.");
  if (diff.hunks.length === 0) return note(section.action === "move" ? "Moved; the content is the same." : "No line differs.");
  for (const hunk of diff.hunks) {
    for (const item of hunkItems(section, key, hunk, split)) result.push(item.file === section ? item : { ...item, file: section });
  }
  if (diff.lossy) note("Bytes that are not text are shown as \uFFFD.");
  if (diff.left_out) note(`${count(diff.left_out, "line")} of this difference were not compared.`);
  if (diff.more) result.push({ kind: "more", height: NOTE, key: `${key}/more${diff.more.next}`, file: section, next: diff.more.next });
  return result;
}

function FileHead({ section, toggle, fileTools }: Properties & { section: Section }) {
  const letter = ACTION_LETTER[section.action];
  return (
    <div class="diff-file">
      <div class="diff-file-inner">
        {toggle ? (
          <button
            type="button"
            class="twist"
            aria-expanded={!section.closed}
            aria-label={section.closed ? "Show this file's diff" : "Hide this file's diff"}
            onClick={() => toggle(section)}
          >
            {section.closed ? "▸" : "▾"}
          </button>
        ) : null}
        <span class={`letter ${section.action}`} title={ACTION[section.action]}>
          {letter}
        </span>
        <Path path={section.path} from={section.from} />
        <Counts added={section.added} removed={section.removed} />
        <span class="tools">{fileTools?.(section)}</span>
      </div>
    </div>
  );
}

function HunkHead({ section, hunk, hunkTools, dropped }: Properties & { section: Section; hunk: Hunk }) {
  return (
    <div class={`diff-hunk ${dropped?.(section, hunk) ? "dropped" : ""}`}>
      <div class="diff-hunk-inner">
        {hunkTools?.(section, hunk)}
        <span class="where">
          @@ −{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@
        </span>
        {hunk.header ? (
          <span class="context">
            <Seen text={hunk.header} />
          </span>
        ) : null}
      </div>
    </div>
  );
}

const CLASS = { " ": "same", "-": "removed", "+": "added" } as const;
const SIGN = { " ": " ", "-": "−", "+": "+" } as const;

function Row({ section, hunk, at, dropped }: { section: Section; hunk: Hunk; at: number; dropped: Properties["dropped"] }) {
  const row = hunk.rows[at];
  if (!row) return null;
  return (
    <div class={`diff-row ${CLASS[row.t]} ${dropped?.(section, hunk) ? "dropped" : ""}`}>
      <span class="number">{row.t === "+" ? "" : (row.o ?? "")}</span>
      <span class="number">{row.t === "-" ? "" : (row.n ?? "")}</span>
      <span class="sign">{SIGN[row.t]}</span>
      <Code section={section} hunk={hunk} at={at} row={row} />
    </div>
  );
}

function Half({ section, hunk, at, side }: { section: Section; hunk: Hunk; at: number | null; side: "old" | "new" }) {
  const row = at === null ? undefined : hunk.rows[at];
  if (!row || at === null) return <div class="diff-half nothing" />;
  return (
    <div class={`diff-half ${CLASS[row.t]}`}>
      <span class="number">{side === "old" ? row.o : row.n}</span>
      <span class="sign">{SIGN[row.t]}</span>
      <span class="clip">
        <Code section={section} hunk={hunk} at={at} row={row} />
      </span>
    </div>
  );
}

const ENDS = { none: "no line break at the end", crlf: "CRLF", cr: "CR" } as const;

function Code({ section, hunk, at, row }: { section: Section; hunk: Hunk; at: number; row: DiffRow }) {
  const left = Math.max(0, row.s.length - LONGEST);
  return (
    <bdo dir="ltr" class="code">
      {segments(row, tokens(hunk, at, section.path)).map((segment, index) =>
        segment.kind || segment.marked ? (
          <span key={index} class={`${segment.kind ? `t-${segment.kind}` : ""} ${segment.marked ? "marked" : ""}`}>
            <Seen text={segment.text} line={false} />
          </span>
        ) : (
          <Seen key={index} text={segment.text} line={false} />
        ),
      )}
      {row.cut || left ? <span class="cut">… {((row.cut ?? 0) + left).toLocaleString("en")} more characters</span> : null}
      {row.eol ? <span class="eol">{ENDS[row.eol]}</span> : null}
    </bdo>
  );
}

function Wanted({ act }: { act: () => void }) {
  useEffect(act, []);
  return <div class="diff-note">Loading …</div>;
}

function useNarrow() {
  const narrow = useSignal(matchMedia("(max-width: 760px)").matches);
  useSignalEffect(() => {
    const media = matchMedia("(max-width: 760px)");
    const change = () => {
      narrow.value = media.matches;
    };
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  });
  return narrow;
}

export function LayoutSwitch() {
  return (
    <div class="choice" role="group" aria-label="How diffs are shown">
      {(["inline", "split"] as const).map((one) => (
        <button
          type="button"
          key={one}
          aria-pressed={layout.value === one}
          onClick={() => {
            layout.value = one;
          }}
        >
          {one === "inline" ? "Inline" : "Side by side"}
        </button>
      ))}
    </div>
  );
}

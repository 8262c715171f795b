// A list of any length of which only what can be seen is drawn. Heights are known beforehand, so nothing jumps.

import type { ComponentChildren, Ref } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

type Entry = { key: string | number; height: number };

type Properties<T extends Entry> = {
  items: T[];
  draw: (item: T, index: number) => ComponentChildren;
  label: string;
  role?: "listbox" | "region";
  class?: string;
  /** The item that should be in sight. */
  show?: number;
  active?: string;
  /** Called when the end comes near. */
  atEnd?: () => void;
  /** Columns of the widest row, if rows may be wider than the list. */
  columns?: number;
  /** No higher than what it holds. */
  fit?: boolean;
  box?: Ref<HTMLDivElement>;
  onWheel?: (event: WheelEvent) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
};

const BEYOND = 240;

export function VirtualList<T extends Entry>(list: Properties<T>) {
  const own = useRef<HTMLDivElement>(null);
  const box = (list.box as { current: HTMLDivElement | null } | undefined) ?? own;
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  const offsets = useMemo(() => sums(list.items), [list.items]);
  const total = offsets[list.items.length] ?? 0;

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    setHeight(element.clientHeight);
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    const at = list.show;
    if (!element || at === undefined || at < 0 || at >= list.items.length) return;
    const [from, until] = [offsets[at] ?? 0, offsets[at + 1] ?? 0];
    if (from < element.scrollTop) element.scrollTop = from;
    else if (until > element.scrollTop + element.clientHeight) element.scrollTop = until - element.clientHeight;
  }, [list.active ?? list.show]);

  // What is new above leaves in place what one is looking at; at the very top, one looks at what is new.
  const anchor = useRef<{ key: string | number; offset: number } | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    const held = anchor.current;
    if (!element || !held || element.scrollTop === 0) return;
    const at = list.items.findIndex((item) => item.key === held.key);
    const moved = at < 0 ? 0 : (offsets[at] ?? 0) - held.offset;
    if (moved !== 0) element.scrollTop += moved;
  }, [list.items]);

  const first = Math.max(0, find(offsets, top - BEYOND));
  const end = Math.min(list.items.length, find(offsets, top + height + BEYOND) + 1);
  useLayoutEffect(() => {
    const at = find(offsets, box.current?.scrollTop ?? 0);
    const item = list.items[at];
    anchor.current = item ? { key: item.key, offset: offsets[at] ?? 0 } : null;
  });
  useEffect(() => {
    if (list.atEnd && total - (top + height) < 2000) list.atEnd();
  }, [list.items, first, end]);

  const focusable = list.role === "listbox" || total > height || (list.columns ?? 0) > 0;
  return (
    <div
      ref={box}
      class={`scroll ${list.class ?? ""}`}
      role={list.role ?? "region"}
      aria-label={list.label}
      aria-activedescendant={list.active}
      tabIndex={focusable ? 0 : undefined}
      style={list.fit ? { height: `${total + 16}px` } : undefined}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onWheel={list.onWheel}
      onKeyDown={list.onKeyDown}
    >
      <div class="scroll-all" role="presentation" style={{ height: `${total}px`, minWidth: list.columns ? `${list.columns}ch` : undefined }}>
        <div class="scroll-part" role="presentation" style={{ transform: `translateY(${offsets[first] ?? 0}px)` }}>
          {list.items.slice(first, end).map((item, at) => list.draw(item, first + at))}
        </div>
      </div>
    </div>
  );
}

function sums(items: Entry[]): Float64Array {
  const result = new Float64Array(items.length + 1);
  items.forEach((item, at) => {
    result[at + 1] = (result[at] ?? 0) + item.height;
  });
  return result;
}

/** The item that covers this height. */
function find(offsets: Float64Array, y: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

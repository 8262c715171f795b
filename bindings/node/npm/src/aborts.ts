/** Signals that cancel work. However much work has one signal, it has one listener: Node warns of more than ten. */

import { cancel } from "./native.js";

interface Waiting {
  readonly works: Set<number>;
  readonly abort: () => void;
}

const signals = new WeakMap<AbortSignal, Waiting>();

/** Lets a signal cancel some work. */
export function cancelWith(signal: AbortSignal, work: number): void {
  let waiting = signals.get(signal);
  if (waiting === undefined) {
    const works = new Set<number>();
    waiting = { works, abort: () => works.forEach(cancel) };
    signals.set(signal, waiting);
    signal.addEventListener("abort", waiting.abort, { once: true });
  }
  waiting.works.add(work);
}

/** The work is done. */
export function forget(signal: AbortSignal, work: number): void {
  const waiting = signals.get(signal);
  waiting?.works.delete(work);
  if (waiting?.works.size !== 0) return;
  signals.delete(signal);
  signal.removeEventListener("abort", waiting.abort);
}

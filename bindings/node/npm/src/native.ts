/** Loads the native half, and routes its messages. It must not know tools, results or approvals beyond their numbers. */

import { nativeModule } from "./platform.js";

/** The native module. */
export interface Native {
  connect(deliver: Deliver): NativeLink;
  NativeToolbox: new (link: NativeLink, options: string) => NativeToolbox;
  errorKinds(): string[];
  version(): string;
  exec(program: string, arguments_: string[]): void;
}

export interface NativeLink {
  cancel(work: number): void;
  answer(question: number, answer: string): void;
  review(question: number): NativeReview | null;
}

export interface NativeHunk {
  id: string;
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  diff: string;
}

export interface NativeReview {
  diff(): string | null;
  page(number: number): { text: string; of: number };
  changes(): { path: string; from?: string; before?: Uint8Array; after?: Uint8Array; editable: boolean }[];
  hunks(file: number): NativeHunk[];
}

/** An opaque handle. */
export interface CallContext {
  readonly __callContext?: never;
}

export interface NativeToolbox {
  readonly roots: string[];
  context(options: string): CallContext;
  call(
    work: number,
    tool: string,
    parameters: string,
    context: CallContext,
    asks: boolean,
    waits: boolean,
  ): string | null;
  tools(): string;
  schemas(format: string): string;
  register(about: string): void;
  deregister(name: string): boolean;
  executions(): string;
  clearExecutions(): void;
  log(work: number, limit: number, context: CallContext): void;
  change(work: number, id: number, context: CallContext): void;
  reverse(work: number, redo: boolean, id: number | undefined, context: CallContext, asks: boolean): void;
  readBytes(work: number, path: string, most: number, context: CallContext, asks: boolean): void;
  stat(work: number, path: string, context: CallContext, asks: boolean, waits: boolean): string | null;
  writeBytes(work: number, path: string, bytes: Uint8Array, options: string, context: CallContext, asks: boolean): void;
}

type Deliver = (kind: number, work: number, question: number, text: string, bytes: Uint8Array[]) => void;

const native = require(nativeModule) as Native;

export { native };

/** Some work that is under way, and who asks in its course. */
export interface Work {
  done(text: string, bytes: Uint8Array[]): void;
  /** Answers the request of an approver. */
  ask(text: string, review: NativeReview, signal: AbortSignal): Promise<string>;
  /** Runs a tool. */
  run(text: string, signal: AbortSignal): Promise<string>;
}

// The order is that of `Kind` in bindings/node/src/link.rs.
const [DONE, ASK, RUN] = [0, 1, 2];

const works = new Map<number, Work>();
const questions = new Map<number, AbortController>();
let lastWork = 0;

/** How many answers in a row may come at once before the event loop gets a turn. */
const IN_A_ROW = 16;
let inARow = 0;

// The native half does not keep the process alive; this does, as long as there is work.
const alive = setInterval(() => {}, 2 ** 30);
alive.unref();

const link: NativeLink = native.connect((kind, number, question, text, bytes) => {
  const work = works.get(number);
  if (kind === DONE) {
    works.delete(number);
    if (works.size === 0) alive.unref();
    work?.done(text, bytes);
  } else if (kind === ASK || kind === RUN) {
    const controller = new AbortController();
    questions.set(question, controller);
    const review = kind === ASK ? link.review(question) : null;
    const answer =
      work === undefined || (kind === ASK && review === null)
        ? Promise.resolve("null")
        : review !== null
          ? work.ask(text, review, controller.signal)
          : work.run(text, controller.signal);
    void answer.then((answer) => {
      questions.delete(question);
      link.answer(question, answer);
    });
  } else {
    const controller = questions.get(question);
    questions.delete(question);
    controller?.abort();
  }
});

/**
 * Starts some work under a number of its own, and returns that. If it may wait for a moment, and the answer is there by then, the work is
 * done already, and has no number.
 */
export function start(work: Work, begin: (number: number, waits: boolean) => string | null | void): number | undefined {
  do {
    lastWork = (lastWork + 1) >>> 0;
  } while (works.has(lastWork));
  const number = lastWork;
  // Where work is under way, what begins now runs beside it.
  const answer = begin(number, works.size === 0 && inARow < IN_A_ROW);
  if (typeof answer === "string") {
    inARow += 1;
    // A message is no turn yet: many may come in one.
    if (inARow === IN_A_ROW) setImmediate(() => (inARow = 0));
    work.done(answer, []);
    return undefined;
  }
  if (works.size === 0) alive.ref();
  // Messages come in later turns of the event loop.
  works.set(number, work);
  return number;
}

export function cancel(number: number): void {
  link.cancel(number);
}

export function openNative(options: string): NativeToolbox {
  return new native.NativeToolbox(link, options);
}

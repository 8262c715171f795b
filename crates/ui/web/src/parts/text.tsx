// Small parts that show text: names, problems, empty places. Everything that comes from files goes through `Seen`.

import type { ComponentChildren } from "preact";
import { Problem } from "../api";
import { pieces } from "../visible";
import { folder, name } from "../words";

/** Text with its invisible characters shown by name. */
export function Seen({ text, line = true }: { text: string; line?: boolean }) {
  const all = pieces(text, line);
  if (all.length === 1 && !all[0]?.hidden) return <>{text}</>;
  return (
    <>
      {all.map((piece, at) =>
        piece.hidden ? (
          <span key={at} class="hidden-character">
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}

/** A path: the name is what one looks for, the folder is quieter. */
export function Path({ path, from }: { path: string; from?: string | null | undefined }) {
  return (
    <bdi class="path">
      {from && from !== path ? (
        <>
          <span class="folder">
            <Seen text={from} />
          </span>
          <span class="arrow"> → </span>
        </>
      ) : null}
      <span class="folder">
        <Seen text={folder(path)} />
      </span>
      <span class="name">
        <Seen text={name(path)} />
      </span>
    </bdi>
  );
}

export function Counts({ added, removed }: { added?: number | null | undefined; removed?: number | null | undefined }) {
  if (added == null && removed == null) return null;
  return (
    <span class="counts">
      <span class="added">+{added ?? 0}</span> <span class="removed">−{removed ?? 0}</span>
    </span>
  );
}

export function Trouble({ problem, retry }: { problem: Problem; retry?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <strong>
        <Seen text={problem.message} />
      </strong>
      {problem.hint ? (
        <p>
          <Seen text={problem.hint} />
        </p>
      ) : null}
      {retry ? (
        <button type="button" onClick={retry}>
          Try again
        </button>
      ) : null}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what} …
    </p>
  );
}

export function Kbd({ children }: { children: string }) {
  return <kbd>{children}</kbd>;
}

/** The head of a table: its columns, and last one for what can be done with a row, which is named for those who hear the page. */
export function Columns({ names, acts }: { names: string[]; acts?: string }) {
  return (
    <thead>
      <tr>
        {names.map((one) => (
          <th key={one} scope="col">
            {one}
          </th>
        ))}
        {acts ? (
          <th scope="col">
            <span class="unseen">{acts}</span>
          </th>
        ) : null}
      </tr>
    </thead>
  );
}

// A dialog over the page: the browser's own, so focus stays inside, Escape closes it and the rest is inert.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

type Properties = { title: string; close: () => void; wide?: boolean; children: ComponentChildren };

export function Dialog({ title, close, wide, children }: Properties) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    box.current?.showModal();
    return () => opener?.focus?.();
  }, []);
  return (
    <dialog
      ref={box}
      class={wide ? "wide" : ""}
      aria-label={title}
      onClose={close}
      onClick={(event) => {
        if (event.target === box.current) close();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2>{title}</h2>
          <button type="button" class="quiet-button" aria-label="Close" onClick={close}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

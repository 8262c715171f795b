// Short messages at the edge of the page. They take no focus and go away by themselves.

import { signal } from "@preact/signals";
import { link } from "../route";

type Notice = { id: number; text: string; change?: number | undefined };
const notices = signal<Notice[]>([]);
let next = 1;

export function say(text: string, change?: number): void {
  const notice = { id: next++, text, change };
  notices.value = [...notices.value.slice(-3), notice];
  setTimeout(() => {
    notices.value = notices.value.filter((one) => one !== notice);
  }, 8000);
}

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map((notice) => (
        <p key={notice.id}>
          {notice.text} {notice.change ? <a href={link("timeline", notice.change)}>change {notice.change}</a> : null}
        </p>
      ))}
    </div>
  );
}

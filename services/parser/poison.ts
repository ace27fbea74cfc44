import { createHash } from "node:crypto";

/** Remembers which items of which contents ended a worker, so that a repeated call leaves them out. */
export interface Poison {
  fingerprint(content: Uint8Array): string;
  /** Items to answer `{}` unread; `[ALL_ITEMS]` when too many ended a worker. */
  skippedIn(fingerprint: string): readonly number[];
  /** `item` is negative when the worker ended before it began one. */
  blame(fingerprint: string, item: number): void;
}

export const ALL_ITEMS = -1;

const MAX_CONTENTS = 64;
const MAX_CRASHES = 5;
const SAMPLE_BYTES = 65_536;

export function createPoison(): Poison {
  const blamed = new Map<string, number[]>();
  return {
    fingerprint,
    skippedIn(print) {
      const items = blamed.get(print) ?? [];
      return items.length < MAX_CRASHES ? items.filter((item) => item >= 0) : [ALL_ITEMS];
    },
    blame(print, item) {
      const items = blamed.get(print) ?? [];
      blamed.delete(print);
      blamed.set(print, [...items, item]);
      const [oldest] = blamed.keys();
      if (blamed.size > MAX_CONTENTS && oldest !== undefined) blamed.delete(oldest);
    },
  };
}

/** Both ends and the length: all of 100 MiB would hold the event loop for 50 ms. */
function fingerprint(content: Uint8Array): string {
  return createHash("sha1")
    .update(String(content.length))
    .update(content.subarray(0, SAMPLE_BYTES))
    .update(content.subarray(-SAMPLE_BYTES))
    .digest("base64");
}

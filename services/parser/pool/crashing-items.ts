import { createHash } from "node:crypto";

/** Records which items of which contents ended a worker, so that a repeated call leaves them out. */
export interface CrashingItems {
  fingerprint(content: Uint8Array): string;
  /** Items to answer `{}` unread; `[allItems]` when too many ended a worker. */
  skippedIn(fingerprint: string): readonly number[];
  /** `item` is negative when the worker ended before it began one. */
  blame(fingerprint: string, item: number): void;
}

export const allItems = -1;

const maxContents = 64;
const maxCrashes = 5;
const sampleBytes = 65_536;

export function createCrashingItems(): CrashingItems {
  const blamed = new Map<string, number[]>();
  return {
    fingerprint,
    skippedIn(print) {
      const items = blamed.get(print) ?? [];
      return items.length < maxCrashes ? items.filter((item) => item >= 0) : [allItems];
    },
    blame(print, item) {
      const items = blamed.get(print) ?? [];
      blamed.delete(print);
      blamed.set(print, [...items, item]);
      const [oldest] = blamed.keys();
      if (blamed.size > maxContents && oldest !== undefined) blamed.delete(oldest);
    },
  };
}

/** Both ends and the length: all of 100 MiB would hold the event loop for 50 ms. */
function fingerprint(content: Uint8Array): string {
  return createHash("sha1")
    .update(String(content.length))
    .update(content.subarray(0, sampleBytes))
    .update(content.subarray(-sampleBytes))
    .digest("base64");
}

import { createHash } from "node:crypto";
import { LruCache } from "../../../base/cache/lru-cache.ts";

/** Remembers the items of a content that crashed a worker, so that a repeated call skips them. */
export interface CrashingItems {
  fingerprint(content: Uint8Array): string;
  /** Returns the items that become `{}` without being parsed; `[allItems]` after too many crashes. */
  itemsToSkip(fingerprint: string): readonly number[];
  /** Records a crash; `item` is negative when the worker crashed before its first item. */
  add(fingerprint: string, item: number): void;
}

export const allItems = -1;

const maxContents = 64;
const maxCrashes = 5;
const sampleBytes = 65_536;

export function createCrashingItems(): CrashingItems {
  const blamed = new LruCache<string, readonly number[]>(maxContents);
  return {
    fingerprint,
    itemsToSkip(print) {
      const items = blamed.get(print) ?? [];
      return items.length < maxCrashes ? items.filter((item) => item >= 0) : [allItems];
    },
    add(print, item) {
      blamed.set(print, [...(blamed.get(print) ?? []), item]);
    },
  };
}

/** Hashes both ends and the length: hashing all of 100 MiB would block the event loop for 50 ms. */
function fingerprint(content: Uint8Array): string {
  return createHash("sha1")
    .update(String(content.length))
    .update(content.subarray(0, sampleBytes))
    .update(content.subarray(-sampleBytes))
    .digest("base64");
}

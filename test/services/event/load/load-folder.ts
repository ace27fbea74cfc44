import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type Rig, track } from "./load-rig.ts";
import { createMemoryStore, type MemoryStore } from "./memory-store.ts";

export let folder = "";
export let store: MemoryStore;

/** Makes a folder and a store for each test of the file. */
export function useFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "loader-"));
    store = createMemoryStore();
  });
  afterEach(() => rmSync(folder, { recursive: true }));
}

/** Returns the stored values of property `n`, in their order. */
export function storedNumbers({ rows }: MemoryStore): number[] {
  const number = store.schema(1).properties.get("event:n")?.number;
  return rows.events.map(({ p }) => p[String(number)] as number);
}

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

export async function appendAll(rig: Rig, count: number): Promise<void> {
  await Promise.all(numbers(count).map((n) => rig.append(track(n))));
}

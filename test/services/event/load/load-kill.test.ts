import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { appendAll, folder, numbers, store, storedNumbers, useFolder } from "./load-folder.ts";
import { openRig, track } from "./load-rig.ts";
import { createMemoryStore } from "./memory-store.ts";

useFolder();

describe("loader that is killed", () => {
  class Killed extends Error {}

  /** Simulates the end of the process at the given step: this step and all later ones throw. */
  function killAt(step: number): { gate: (name: string) => void; killed: Promise<string> } {
    const { promise: killed, resolve } = Promise.withResolvers<string>();
    let steps = 0;
    return {
      killed,
      gate(name) {
        if (steps++ < step) return;
        resolve(name);
        throw new Killed(name);
      },
    };
  }

  const steps = numbers(28);
  it.each(steps)("at step %i has every record once after it was started again", async (step) => {
    const all = numbers(60);
    const { gate, killed } = killAt(step);
    {
      await using rig = openRig({
        folder,
        store,
        gate,
        limits: { maxRecords: 20, batchMs: 0 },
        maxFileBytes: 2_500,
      });
      await Promise.all(all.slice(0, 40).map((n) => rig.append(track(n), track(n))));
      await Promise.race([killed, rig.flush()]);
      await setImmediate();
    }
    // The next process also loads the records of the previous one.
    await using rig = openRig({ folder, store, limits: { maxRecords: 20, batchMs: 0 }, maxFileBytes: 2_500 });
    await Promise.all(all.slice(35).map((n) => rig.append(track(n))));
    await rig.flush();
    expect(storedNumbers(store)).toEqual(all);
    const seen = new Set(store.rows.seen.map(({ u }) => u));
    expect([...seen].sort()).toEqual([...new Set(store.rows.events.map(({ u }) => u))].sort());
    expect(rig.faults).toEqual([]);
  });

  it("dies at each kind of step", async () => {
    const names = new Set<string>();
    for (const step of steps) {
      const own = mkdtempSync(join(folder, "run-"));
      const { gate, killed } = killAt(step);
      void killed.then((name) => names.add(name));
      await using rig = openRig({
        folder: own,
        store: createMemoryStore(),
        gate,
        limits: { maxRecords: 20, batchMs: 0 },
      });
      await appendAll(rig, 60);
      // The last steps follow the flush, and are done when the loader is disposed of.
      await Promise.race([killed, rig.flush()]);
    }
    const kinds = ["reset", "prepare", "load", "release"].flatMap((kind) => [
      `before ${kind}`,
      `after ${kind}`,
    ]);
    expect([...names].sort()).toEqual(kinds.sort());
  });
});

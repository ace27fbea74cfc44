import { expect, vi } from "vitest";
import type { Engage } from "../../webhook/engage.ts";
import type { Cluster } from "../cluster.ts";
import type { Fault } from "./fault.ts";

/** Longer than a lease. */
const takeOver = { timeout: 90_000, interval: 50 };
const batches = 3;

export const stoppedReplica: Fault = {
  name: "the replica that loads is stopped until another one loads, and continues",
  async inject(cluster, load) {
    await load.progress();
    const { watermarks } = load;
    const loader = await findLoader(cluster);
    const { token } = watermarks;
    loader.signal("SIGSTOP");
    try {
      await vi.waitUntil(() => watermarks.token > token, takeOver);
      await load.progress();
    } finally {
      loader.signal("SIGCONT");
    }
    await load.progress();
    expect(await loadedBy(loader)).toBeGreaterThan(0);
  },
};

/** Returns the replica which loads what is sent at the moment. */
async function findLoader({ replicas }: Cluster): Promise<Engage> {
  const before = await Promise.all(replicas.map(loadedBy));
  return await vi.waitFor(async () => {
    const after = await Promise.all(replicas.map(loadedBy));
    const at = after.findIndex((count, replica) => count >= before[replica]! + batches);
    expect(at).not.toBe(-1);
    return replicas[at]!;
  }, takeOver);
}

/** Returns the number of batches that a replica has loaded. */
async function loadedBy({ port }: Engage): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^engage_events_load_batches_total (\d+)$/m.exec(text)?.[1] ?? 0);
}

import { vi } from "vitest";
import type { Fault } from "./fault.ts";

const patient = { timeout: 60_000, interval: 20 };
const reports = 20;
const refusals = 3;
const unavailableCode = -1005;

export const unavailableShard: Fault = {
  name: "a shard is killed while it is loaded and queried",
  async inject({ shards }, { reports: { taken }, queries: { codes }, progress }) {
    // The first time it has no tables yet.
    for (const at of [1, 0, 1] as const) {
      const shard = shards[at];
      await shard.kill();
      const [before, refused] = [taken.length, codes.get(unavailableCode) ?? 0];
      await vi.waitUntil(() => taken.length > before + reports, patient);
      await vi.waitUntil(() => (codes.get(unavailableCode) ?? 0) > refused + refusals, patient);
      await shard.start();
      await progress();
    }
  },
};

import { expect, vi } from "vitest";
import type { Fault } from "./fault.ts";

const least = 10;

export const repeatedRequests: Fault = {
  name: "requests to shards arrive twice",
  async inject({ shardProxies }, load) {
    for (const proxy of shardProxies) proxy.isDuplicating = true;
    await load.progress();
    const inserts = () => shardProxies.map(({ duplicated }) => duplicated.get("INSERT") ?? 0);
    await vi.waitFor(() => expect(Math.min(...inserts())).toBeGreaterThan(least), { timeout: 60_000 });
    for (const proxy of shardProxies) proxy.isDuplicating = false;
    await load.progress();
  },
};

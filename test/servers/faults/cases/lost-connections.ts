import { setTimeout as sleep } from "node:timers/promises";
import { seeded } from "../../webhook/batches.ts";
import type { Fault } from "./fault.ts";

const times = 20;
const maxDelayMs = 60;
const maxPauseMs = 300;

export const lostConnections: Fault = {
  name: "connections to PostgreSQL and to shards are slow and lost",
  async inject({ postgresProxy, shardProxies }, load) {
    const random = seeded(load.project);
    const proxies = [postgresProxy, ...shardProxies];
    for (let time = 0; time < times; time++) {
      const proxy = proxies[Math.floor(random() * proxies.length)]!;
      proxy.delayMs = random() * maxDelayMs;
      await sleep(random() * maxPauseMs);
      proxy.cut();
    }
    for (const proxy of proxies) proxy.delayMs = 0;
    await load.progress();
  },
};

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { type RunResult, runEngage } from "../../../cmd/run-engage.ts";
import type { Fault } from "./fault.ts";

const name = "interrupted";

export const interruptedMigration: Fault = {
  name: "a shard is killed before and during a migration",
  async inject({ configFile, shards, shardProxies }, load) {
    const [, second] = shards;
    const migrate = (): Promise<RunResult> =>
      runEngage(["migrate"], {
        env: {
          ENGAGE_CONFIG: configFile,
          ENGAGE_STORES_POSTGRES_SCHEMA: name,
          ENGAGE_STORES_CLICKHOUSE_DATABASE: name,
        },
      });
    await second.kill();
    const refused = await migrate();
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("shard 2");
    await second.start();
    for (const waitMs of [0, 60, 120]) {
      shardProxies[1].delayMs = 40;
      const connected = shardProxies[1].connected();
      const migrating = migrate();
      await connected;
      await sleep(waitMs);
      await second.kill();
      await migrating;
      shardProxies[1].delayMs = 0;
      await second.start();
    }
    expect(await migrate()).toMatchObject({ code: 0, stderr: "" });
    const { stdout } = await migrate();
    expect(stdout.split("\n").filter((line) => !/^(?:nothing to do: .*)?$/.test(line))).toEqual([]);
    await load.progress();
  },
};

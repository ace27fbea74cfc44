import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFolder, type Server, startServer } from "../harness/processes.ts";
import { projectId, storeOptions } from "./data.ts";

export const benchToken = "bench-token";

/**
 * Starts `engage serve` in a process of its own.
 * @param settings further sections of engage.yaml
 * @param checkout folder of the sources
 * @param environment further variables of the process
 */
export async function startService(
  port: number,
  data: string,
  settings: object = {},
  checkout = ".",
  environment: Record<string, string> = {},
): Promise<Server> {
  const file = join(makeFolder(), "engage.json");
  const { memoryLimitBytes: memoryBytes, maxTempBytes, threads } = storeOptions(data);
  const config = {
    listen: `127.0.0.1:${port}`,
    data: resolve(data),
    log: { level: "error", access: false },
    projects: [{ id: projectId, name: "bench", appids: ["bench"], zone: "+00:00" }],
    analysis: { tokens: [{ name: "bench", token: benchToken, projects: [projectId] }] },
    events: { engine: { memoryBytes, maxTempBytes, threads } },
    ...settings,
  };
  writeFileSync(file, JSON.stringify(config));
  return await startServer(`${checkout}/cmd/engage.ts serve --config ${file}`, port, environment);
}

export async function query({ port }: Pick<Server, "port">, path: string, body: object): Promise<Response> {
  return await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${benchToken}` },
    body: JSON.stringify({ projectId, useCache: false, ...body }),
  });
}

/** Resolves when all accepted records can be queried. */
export async function allQueryable(server: Server, pollMs = 20): Promise<void> {
  while ((await waitingBytes(server)) !== 0) await sleep(pollMs);
}

/** Returns the bytes of the accepted records that cannot be queried yet; NaN while they are unknown. */
export async function waitingBytes({ port }: Server): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^engage_events_lag_bytes (\d+)$/m.exec(text)?.[1]);
}

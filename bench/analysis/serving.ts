import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { loadConfig } from "../../cmd/config.ts";
import { startServer } from "../../cmd/server.ts";
import { databaseFile, engineSettings } from "../../store/events/duckdb/database.ts";
import { makeFolder } from "../harness/processes.ts";
import { projectId, storeOptions } from "./data.ts";
import type { RestRequest } from "./rest-requests.ts";

const token = "bench-token";

/** A whole server in this process, and SQL by hand on its own engine. */
export interface Serving extends AsyncDisposable {
  readonly peer: DuckDBConnection;
  /** Resolves with the bytes of an answer of HTTP 200. */
  ask(request: RestRequest): Promise<Buffer>;
}

/** Of a server with this data folder and the engine of the bench. */
export function configOf(data: string): ReturnType<typeof loadConfig> {
  const cwd = makeFolder();
  const { memoryLimitBytes: memoryBytes, maxTempBytes, threads } = storeOptions(data);
  const settings = {
    ...{ listen: "127.0.0.1:0", data: resolve(data), log: { level: "error" } },
    projects: [{ id: projectId, name: "bench", appids: ["bench"], zone: "+00:00" }],
    analysis: { tokens: [{ name: "bench", token, projects: [projectId] }] },
    events: { engine: { memoryBytes, maxTempBytes, threads } },
  };
  writeFileSync(join(cwd, "engage.yaml"), JSON.stringify(settings));
  return loadConfig({ env: {}, cwd });
}

/** Serves a data folder with the generated events. */
export async function serveData(data: string): Promise<Serving> {
  const { config, locate } = configOf(data);
  await using opened = new AsyncDisposableStack();
  const server = await startServer(config, { locate });
  opened.defer(() => server.stop());
  const ask = async ({ path, body }: RestRequest): Promise<Buffer> => {
    const response = await fetch(`${server.address.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200) throw new Error(`${path} answers ${response.status}: ${bytes}`);
    return bytes;
  };
  // The store is opened by the first query.
  await ask({ path: "/open/event-analyze", body: { projectId } });
  const options = storeOptions(resolve(data));
  const instance = await DuckDBInstance.fromCache(databaseFile(options.folder), engineSettings(options));
  opened.defer(() => instance.closeSync());
  const peer = await instance.connect();
  opened.defer(() => peer.closeSync());
  const stack = opened.move();
  return { peer, ask, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { join, resolve } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { loadConfig } from "../../cmd/config/config.ts";
import { startServer } from "../../cmd/serve/server.ts";
import { databaseFile, engineSettings } from "../../store/events/duckdb/database.ts";
import { makeFolder } from "../harness/processes.ts";
import { projectId, storeOptions } from "./data.ts";
import type { RestRequest } from "./rest-requests.ts";

const token = "bench-token";

/** A whole server in this process, and a connection to its engine for SQL by hand. */
export interface Serving extends AsyncDisposable {
  readonly peer: DuckDBConnection;
  /** Resolves with the bytes of a response with HTTP 200. */
  ask(request: RestRequest): Promise<Buffer>;
}

/** Returns the configuration of a server with this data folder and the engine of the benchmark. */
export function configOf(data: string): ReturnType<typeof loadConfig> {
  const cwd = makeFolder();
  const { memoryLimitBytes: memoryBytes, maxTempBytes, threads } = storeOptions(data);
  const settings = {
    listen: "127.0.0.1:0",
    data: resolve(data),
    log: { level: "error" },
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
  const agent = new Agent({ keepAlive: true });
  opened.defer(() => agent.destroy());
  const ask = (asked: RestRequest) => post(agent, server.address.url, asked);
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

/** Posts with less work than fetch, which would count as the server's. */
async function post(agent: Agent, url: string, { path, body }: RestRequest): Promise<Buffer> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const call = request(`${url}${path}`, { agent, method: "POST", headers });
  call.end(JSON.stringify(body));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(response, "end");
  const bytes = Buffer.concat(chunks);
  if (response.statusCode !== 200) throw new Error(`${path} returned ${response.statusCode}: ${bytes}`);
  return bytes;
}

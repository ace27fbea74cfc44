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
import { benchToken } from "./service.ts";

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
    analysis: { tokens: [{ name: "bench", token: benchToken, projects: [projectId] }] },
    events: { engine: { memoryBytes, maxTempBytes, threads } },
  };
  writeFileSync(join(cwd, "engage.yaml"), JSON.stringify(settings));
  return loadConfig({ env: {}, cwd });
}

/** Serves a data folder with the generated events. */
export async function serveData(data: string): Promise<Serving> {
  await using opened = new AsyncDisposableStack();
  const { ask } = opened.use(await serveConfig(configOf(data)));
  const options = storeOptions(resolve(data));
  const instance = await DuckDBInstance.fromCache(databaseFile(options.folder), engineSettings(options));
  opened.defer(() => instance.closeSync());
  const peer = await instance.connect();
  opened.defer(() => peer.closeSync());
  const stack = opened.move();
  return { peer, ask, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Serves a configuration in this process, and opens its store. */
export async function serveConfig({
  config,
  locate,
}: ReturnType<typeof loadConfig>): Promise<Omit<Serving, "peer">> {
  await using opened = new AsyncDisposableStack();
  const server = await startServer(config, { locate });
  opened.defer(() => server.stop());
  const agent = new Agent({ keepAlive: true });
  opened.defer(() => agent.destroy());
  const headers = { "content-type": "application/json", authorization: `Bearer ${benchToken}` };
  const ask = ({ path, body }: RestRequest) =>
    post(`${server.address.url}${path}`, { agent, headers, body: JSON.stringify(body) });
  // The store is opened by the first query.
  await ask({ path: "/open/event-analyze", body: { projectId } });
  const stack = opened.move();
  return { ask, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

interface Posted {
  readonly agent: Agent;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Posts with less work than fetch, which would count as the server's.
 * @throws Error unless the response has HTTP 200
 */
export async function post(url: string, { agent, headers = {}, body }: Posted): Promise<Buffer> {
  const call = request(url, { agent, method: "POST", headers });
  call.end(body);
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(response, "end");
  const bytes = Buffer.concat(chunks);
  if (response.statusCode !== 200) throw new Error(`${url} returned ${response.statusCode}: ${bytes}`);
  return bytes;
}

import { onTestFinished } from "vitest";
import { loadConfig } from "../../cmd/config/config.ts";
import { type RunningServer, type ServerOptions, startServer } from "../../cmd/serve/server.ts";
import { folderWith } from "./config/load.ts";

/** A whole server with one project, and what an SDK and an analyst do with it. */
export interface EventServer extends RunningServer {
  readonly url: string;
  /** Sends records as the SDKs do; resolves with the answer's text. */
  send(records: readonly object[]): Promise<string>;
  /** The number of events of a name. */
  times(eventName: string): Promise<number>;
  get(path: string): Promise<string>;
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<string>;
}

export const project = { id: 1, appids: ["app"] };

export function settingsOf(data: string, settings: object = {}): string {
  return JSON.stringify({
    listen: "127.0.0.1:0",
    data,
    log: { level: "silent" },
    drainMs: 2_000,
    projects: [project],
    analysis: { tokens: [{ name: "t", token: "query-token", projects: "*" }] },
    events: { batch: { maxDelayMs: 20 }, spool: { minFreeBytes: 0 }, engine: { memoryBytes: 268_435_456 } },
    ...settings,
  });
}

/** Stopped when the test ends. */
export async function openEventServer(
  data: string,
  settings: object = {},
  options: Pick<ServerOptions, "logFd"> = {},
): Promise<EventServer> {
  const cwd = folderWith({ "engage.yaml": settingsOf(data, settings) });
  const { config, locate, describe } = loadConfig({ env: {}, cwd });
  const server = await startServer(config, { ...options, locate, describe });
  onTestFinished(() => server.stop());
  const { url } = server.address;
  const post: EventServer["post"] = async (path, body, headers = {}) => {
    const json = { "content-type": "application/json", ...headers };
    return (
      await fetch(`${url}${path}`, { method: "POST", headers: json, body: JSON.stringify(body) })
    ).text();
  };
  return {
    ...server,
    url,
    post,
    send: (records) => post("/sync_server", records, { appid: "app", compress: "none" }),
    get: async (path) => (await fetch(`${url}${path}`)).text(),
    async times(eventName) {
      const body = {
        projectId: 1,
        useCache: false,
        eventView: { recentDay: "0-3", timeParticleSize: "total" },
        events: [{ type: "normal", eventName, analysis: "TOTAL_TIMES" }],
      };
      const { data } = JSON.parse(await post("/open/event-analyze?token=query-token", body));
      return Number(data.y[0][`${eventName}.TOTAL_TIMES`][0].values[0]);
    },
  };
}

/** Now, as records have it. */
export function recordTime(): string {
  return new Date().toISOString().replace("T", " ").slice(0, 19);
}

export const trackOf = (account: string, changes: object = {}) => ({
  "#type": "track",
  "#event_name": "login",
  "#time": recordTime(),
  "#account_id": account,
  properties: {},
  ...changes,
});

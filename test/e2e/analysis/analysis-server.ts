import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { startServer } from "../../../cmd/serve/server.ts";

export const token = "token-of-all";

export interface AnalysisServer extends AnalysisClient {
  /** The time of the server. */
  readonly clock: { nowMs: number };
}

export interface AnalysisClient {
  readonly url: string;
  /** Reports records to the project with the appid `app-<id>`, as SDKs do. */
  report(projectId: number, records: readonly unknown[]): Promise<void>;
  /** Resolves when a project has this many events, of any time, that can be queried. */
  counted(projectId: number, events: number): Promise<void>;
  /** @param body JSON, or what is to become JSON */
  post(
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Response>;
  ask(path: string, body: unknown): Promise<Envelope>;
}

export interface Envelope {
  readonly return_code: number;
  readonly return_message: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly data?: any;
}

const patient = { timeout: 60_000, interval: 100 };

export interface AnalysisServerOptions {
  /** Further settings of the section `events`. */
  readonly events?: object;
  /** Further tokens. */
  readonly tokens?: readonly object[];
  /** Given what ends the server; the end of the test does it unless given. */
  readonly onEnd?: (stop: () => Promise<void>) => void;
}

/** A whole server, as `engage serve` starts it. @param projects more settings of each, by id */
export async function openAnalysisServer(
  projects: Readonly<Record<number, object>>,
  nowMs: number,
  { events = {}, tokens = [], onEnd = onTestFinished }: AnalysisServerOptions = {},
): Promise<AnalysisServer> {
  const settings = {
    listen: "127.0.0.1:0",
    data: "data",
    log: { level: "silent" },
    drainMs: 1_000,
    projects: Object.entries(projects).map(([id, more]) => ({
      id: Number(id),
      appids: [`app-${id}`],
      ...more,
    })),
    analysis: { tokens: [{ name: "all", token, projects: "*" }, ...tokens] },
    events: { batch: { maxDelayMs: 50 }, ...events },
  };
  const cwd = mkdtempSync(join(tmpdir(), "engage-analysis-"));
  writeFileSync(join(cwd, "engage.yaml"), JSON.stringify(settings));
  const { config, locate } = loadConfig({ env: {}, cwd });
  const clock = { nowMs };
  const server = await startServer(config, { locate, now: () => clock.nowMs });
  onEnd(async () => {
    await server.stop();
    rmSync(cwd, { recursive: true });
  });
  return { ...createAnalysisClient(server.address.url), clock };
}

/** A client of a server that is configured as those of `openAnalysisServer`. */
export function createAnalysisClient(url: string): AnalysisClient {
  const post = (path: string, body: unknown, headers = {}, signal?: AbortSignal) =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
  const ask = async (path: string, body: unknown): Promise<Envelope> => {
    const response = await post(`${path}?token=${token}`, body);
    return (await response.json()) as Envelope;
  };
  const countOf = async (projectId: number) => {
    const eventView = { startTime: "2010-01-01", endTime: "2035-01-01", timeParticleSize: "total" };
    const events = [{ type: "normal", eventName: "anyEvent", analysis: "TOTAL_TIMES" }];
    const { data } = await ask("/open/event-analyze", { projectId, eventView, events, useCache: false });
    return data?.y[0]["anyEvent.TOTAL_TIMES"][0].values[0];
  };
  return {
    url,
    post,
    ask,
    async report(projectId, records) {
      const headers = { appid: `app-${projectId}`, compress: "none" };
      const response = await post("/sync_server", records, headers);
      expect(await response.json()).toEqual({ code: 0 });
    },
    async counted(projectId, events) {
      await vi.waitFor(async () => expect(await countOf(projectId)).toBe(String(events)), patient);
    },
  };
}

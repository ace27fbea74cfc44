import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "../../../cmd/config/config.ts";
import { startServer } from "../../../cmd/serve/server.ts";
import { definitions, logins, now, payments, recordsOf } from "./data.ts";

/** A result as REST has it. */
export interface Result {
  readonly x: readonly string[];
  readonly x_compared?: readonly string[];
  readonly union_groups: readonly (readonly string[])[];
  readonly y: readonly Readonly<Record<string, readonly Group[]>>[];
}

export interface Group {
  readonly group_cols: readonly string[];
  readonly values: readonly string[];
  readonly values_compared?: readonly string[];
}

/** Posts a query to a path below `/open/`, and returns the data of its response. @throws Error if it is refused */
export type Ask = <T = Result>(path: string, query: object) => Promise<T>;

const token = "docs-token";

/** Starts a server with the data of the examples, and stops it after `work`. */
export async function withExamples<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "engage-docs-"));
  try {
    writeFileSync(join(folder, "engage.yaml"), JSON.stringify(settings));
    const { config, locate } = loadConfig({ env: {}, cwd: folder });
    const server = await startServer(config, { locate, now: () => Date.parse(now) });
    try {
      const ask = createAsk(server.address.url);
      await report(server.address.url);
      await loaded(ask);
      return await work(ask);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const settings = {
  listen: "127.0.0.1:0",
  data: "data",
  console: false,
  log: { level: "error" },
  projects: [{ id: 1, appids: ["docs"], ...definitions }],
  analysis: { tokens: [{ name: "docs", token, projects: [1] }] },
  events: { batch: { maxDelayMs: 10 }, engine: { threads: 2, maxWaiting: 1_000 } },
};

function createAsk(url: string): Ask {
  return async <T>(path: string, query: object) => {
    const response = await fetch(`${url}/open/${path}?token=${token}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(query),
    });
    const envelope = (await response.json()) as { return_code: number; return_message: string; data: T };
    if (envelope.return_code === 0) return envelope.data;
    throw new Error(`${JSON.stringify(query)} is refused: ${envelope.return_message}`);
  };
}

async function report(url: string): Promise<void> {
  const headers = { appid: "docs", compress: "none", "content-type": "application/json" };
  const body = JSON.stringify(recordsOf());
  const response = await fetch(`${url}/sync_server`, { method: "POST", headers, body });
  const reply = await response.text();
  if (reply !== '{"code":0}') throw new Error(`the records are refused: ${reply}`);
}

/** Waits until all records can be queried. */
async function loaded(ask: Ask): Promise<void> {
  const count = {
    projectId: 1,
    eventView: { startTime: "2026-01-01", endTime: "2026-12-31", timeParticleSize: "total" },
    events: [{ type: "normal", eventName: "anyEvent", analysis: "TOTAL_TIMES" }],
    useCache: false,
  };
  const expected = String(logins.length + payments.length);
  for (let waits = 0; waits < 1_200; waits++) {
    const { y } = await ask("event-analyze", count);
    if (y[0]!["anyEvent.TOTAL_TIMES"]![0]!.values[0] === expected) return;
    await sleep(50);
  }
  throw new Error("the records of the examples were not loaded within a minute");
}

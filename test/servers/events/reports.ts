import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { SignedBatch } from "../webhook/batches.ts";
import type { Sender } from "../webhook/senders.ts";

/** A body of `/sync_server`, and what it holds: each record has a `#uuid` of its own. */
export interface Report extends SignedBatch {
  readonly events: number;
  /** Sum of the events' `value`. */
  readonly value: number;
  /** The growth of each user's `coins`. */
  readonly coins: ReadonlyMap<string, number>;
}

export interface ReportShape {
  /** Events of a batch; there is one addition to a user property for every ten. */
  readonly events?: number;
  /** Users that all batches share. */
  readonly users?: number;
  /** Length of a text in each event. */
  readonly padding?: number;
}

/** `yyyy-MM-dd HH:mm:ss.SSS` in UTC. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").slice(0, -1);
}

/** Batch number `batch`, always with the same ids and numbers. */
export function reportOf(batch: number, shape: ReportShape = {}): Report {
  const { events = 20, users = 50, padding = 200 } = shape;
  const time = timeOf(Date.now());
  const ids = (kind: string, at: number) => ({
    "#uuid": `${kind}-${batch}-${at}`,
    "#time": time,
    "#account_id": userOf(batch * 7 + at, users),
  });
  const tracks = Array.from({ length: events }, (_, at) => ({
    "#type": "track",
    "#event_name": "play",
    ...ids("e", at),
    properties: { value: batch + at, batch: String(batch), text: "x".repeat(padding) },
  }));
  const adds = Array.from({ length: Math.ceil(events / 10) }, (_, at) => ({
    "#type": "user_add",
    ...ids("a", at),
    properties: { coins: at + 1 },
  }));
  const coins = new Map<string, number>();
  for (const { "#account_id": user, properties } of adds)
    coins.set(user, (coins.get(user) ?? 0) + properties.coins);
  return {
    events,
    coins,
    pushIds: [],
    value: tracks.reduce((sum, { properties }) => sum + properties.value, 0),
    body: gzipSync(JSON.stringify([...tracks, ...adds]), { level: 1 }),
    headers: { appid: "app", compress: "gzip", "content-type": "application/json" },
  };
}

function userOf(number: number, users: number): string {
  return `user-${number % users}`;
}

export const ingestPath = "/sync_server";

/** Sends it until it is acknowledged, as SDKs do. Resolves to false when the signal is aborted before. */
export async function reportUntilTaken(
  sender: Sender,
  report: Report,
  signal?: AbortSignal,
): Promise<boolean> {
  while (signal?.aborted !== true) {
    const answer = await sender.send(report, ingestPath).catch(() => undefined);
    if (answer?.status === 200 && answer.text === '{"code":0}') return true;
    await sleep(20);
  }
  return false;
}

/** Returns the content of a store that has each of these reports once. */
export function totalOf(reports: readonly Report[]): Totals {
  const coins: Record<string, number> = {};
  for (const report of reports)
    for (const [user, added] of report.coins) coins[user] = (coins[user] ?? 0) + added;
  return {
    events: reports.reduce((sum, { events }) => sum + events, 0),
    value: reports.reduce((sum, { value }) => sum + value, 0),
    coins,
  };
}

export interface Totals {
  readonly events: number;
  readonly value: number;
  /** Coins by account; users without coins are omitted. */
  readonly coins: Readonly<Record<string, number>>;
}

import { expect, vi } from "vitest";
import type { Totals } from "./reports.ts";

const token = "the-token";
const patient = { timeout: 90_000, interval: 100 };

/** engage.yaml of a service with one project, that loads what it is sent soon. */
export function eventsConfig(events: object = {}): object {
  return {
    log: { access: false },
    drainMs: 10_000,
    projects: [{ id: 1, appids: ["app"], zone: "UTC" }],
    analysis: { tokens: [{ name: "all", token, projects: "*" }] },
    events: {
      batch: { maxDelayMs: 30, maxBytes: 65_536 },
      spool: { maxFileBytes: 1_048_576, minFreeBytes: 0 },
      engine: { memoryBytes: 268_435_456 },
      ...events,
    },
  };
}

interface Address {
  readonly port: number;
}

export interface Envelope {
  readonly return_code: number;
  readonly return_message: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly data?: any;
}

const eventView = { recentDay: "0-3", timeParticleSize: "total" };

const play = (analysis: string, quota?: string) => ({
  type: "normal",
  eventName: "play",
  analysis,
  ...(quota !== undefined && { quota }),
});

export async function ask(
  { port }: Address,
  path: string,
  body: object,
  signal?: AbortSignal,
): Promise<Envelope> {
  const response = await fetch(`http://127.0.0.1:${port}/open/${path}?token=${token}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ projectId: 1, eventView, useCache: false, ...body }),
    ...(signal !== undefined && { signal }),
  });
  return (await response.json()) as Envelope;
}

/** Resolves when all records that have been taken can be queried. */
export async function loaded({ port }: Address): Promise<void> {
  await vi.waitFor(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(await response.text()).toMatch(/^engage_events_lag_bytes 0$/m);
  }, patient);
}

/** Returns what is stored, as two queries report it. */
export async function storedTotals(engage: Address, projectId = 1): Promise<Totals> {
  // Asking opens the store, where nothing has been reported yet.
  const first = await ask(engage, "event-analyze", { projectId, events: [play("TOTAL_TIMES")] });
  expect(first).toMatchObject({ return_code: 0 });
  await loaded(engage);
  const events = [play("TOTAL_TIMES"), play("SUM", "value")];
  const answer = await ask(engage, "event-analyze", { projectId, events });
  const [times = 0, value = 0] = answer.data.y.map((one: Record<string, { values: string[] }[]>) =>
    Number(Object.values(one)[0]![0]!.values[0]),
  );
  const everybody = [{ type: "normal", eventName: "anyEvent", analysis: "TRIG_USER_NUM" }];
  const slice = { projectId, events: everybody, sliceGroupVal: [], eventIndex: 0 };
  const { data } = await ask(engage, "event-user-list", slice);
  const users: readonly Record<string, string | number>[] = data.datalist;
  const coins = users.flatMap((user) =>
    user["coins"] === undefined ? [] : [[user["#account_id"], user["coins"]]],
  );
  return { events: times, value, coins: Object.fromEntries(coins) };
}

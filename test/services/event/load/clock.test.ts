import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createPreparer } from "../../../../services/event/load/prepare.ts";
import type { RecordCounts } from "../../../../services/event/load/prepared.ts";
import { encodeSpoolLine } from "../../../../services/event/spool-line.ts";
import { emptySchema } from "../../../../store/events/events.ts";
import { openSqliteIntake } from "../../../../store/intake/sqlite/open.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const startMs = Date.UTC(2026, 0, 2);

interface Received {
  /** The time since the start, by a clock that is never set. */
  readonly atMs: number;
  /** The milliseconds by which the computer's clock is ahead at that time. */
  readonly driftMs: number;
  readonly uuid: string;
  readonly event: string;
}

/** Loads records one by one, with a window of 3 h and two new names a minute. */
async function load(
  received: readonly Received[],
): Promise<{ readonly events: number; readonly duplicates: number }> {
  const folder = mkdtempSync(join(tmpdir(), "clock-"));
  const intake = openSqliteIntake({ path: join(folder, "intake.db") });
  const preparer = createPreparer({ intake, folder });
  const names = { maxEventNames: 100, maxNewNamesPerMinute: 2 };
  const projects = new Map([[1, { schema: emptySchema, zone: "+00:00" }]]);
  await preparer.reset({ loadedTo: undefined, projects, names });
  let from = { number: 1, offset: 0 };
  const counts: RecordCounts[] = [];
  for (const { atMs, driftMs, uuid, event } of received) {
    const wallMs = startMs + atMs + driftMs;
    const time = new Date(wallMs).toISOString().replace("T", " ").slice(0, 19);
    const record = {
      "#type": "track",
      "#time": time,
      "#distinct_id": "d",
      "#event_name": event,
      "#uuid": uuid,
    };
    const line = encodeSpoolLine(1, wallMs, Buffer.from(JSON.stringify([record])), "app", driftMs);
    const bytes = new Uint8Array([...line, 10]);
    const prepared = await preparer.prepare({ from, bytes, maxRecords: 10, skipped: [] });
    from = prepared.batch.to;
    counts.push(prepared.counts);
  }
  intake[Symbol.dispose]();
  rmSync(folder, { recursive: true });
  return {
    events: counts.reduce((sum, { events }) => sum + events, 0),
    duplicates: counts.reduce((sum, { duplicates }) => sum + duplicates.uuid, 0),
  };
}

const at = (minutes: number, driftHours: number, uuid: string, event = "e"): Received => ({
  atMs: minutes * minuteMs,
  driftMs: driftHours * hourMs,
  uuid,
  event,
});

it.each<[string, readonly Received[], number, number]>([
  ["a repeat after a minute", [at(0, 0, "a"), at(1, 0, "a")], 1, 1],
  ["a repeat after the window", [at(0, 0, "a"), at(180, 0, "a")], 2, 0],
  ["a repeat after the clock was put forward 25 h", [at(0, 0, "a"), at(1, 25, "a")], 1, 1],
  ["a repeat after the clock was put forward and back", [at(0, 0, "a"), at(1, 25, "b"), at(2, 0, "a")], 2, 1],
  ["a repeat of a record of that time", [at(0, 0, "a"), at(1, 25, "b"), at(2, 0, "b")], 2, 1],
  ["a repeat after the clock was set back 1 h", [at(0, 0, "a"), at(1, -1, "a")], 1, 1],
  ["a repeat after the window, with the clock set back 1 h", [at(0, 0, "a"), at(200, -1, "a")], 2, 0],
  ["a repeat after the window, with the clock set back 3 h", [at(0, 0, "a"), at(200, -3, "a")], 2, 0],
  [
    "new names after the clock was put forward and back",
    [
      at(0, 25, "a", "e1"),
      at(0, 25, "b", "e2"),
      at(0, 25, "c", "e3"),
      at(2, 0, "d", "e4"),
      at(2, 0, "e", "e5"),
    ],
    ...([4, 0] as const),
  ],
])("%s", async (_name, received, events, duplicates) => {
  expect(await load(received)).toEqual({ events, duplicates });
});

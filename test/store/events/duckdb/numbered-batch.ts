import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EventStore, LoadBatch } from "../../../../store/events/events.ts";
import {
  buy,
  dayMs,
  eventOf,
  noonMs,
  properties,
  updateOf,
  userOf,
  writeDays,
} from "../../../conformance/events/world.ts";

export const eventsPerBatch = 300;

/** Batch 1, 2, …, which ends at the offset of its number; each batch adds a property of its own. */
export async function writeNumberedBatch(folder: string, number: number): Promise<LoadBatch> {
  const own = { table: "event", name: `own_${number}`, number: 100 + number, type: "number" } as const;
  const price = properties.price.number;
  const events = Array.from({ length: eventsPerBatch }, (_, at) =>
    eventOf({ t: noonMs + (at % 3) * dayMs, u: 1 + (at % 50), p: { [price]: at, [own.number]: number } }),
  );
  const users = Array.from({ length: 50 }, (_, at) => at);
  const lines = {
    updatesFile: [updateOf({ p: { [price]: number } }), updateOf({ i: `id ${number}` })],
    seenFile: users.map((at) => ({ u: 1 + at, a: `account ${at}`, d: `visitor ${at} of ${number}` })),
    usersFile: users.map((at) => userOf("add", { u: 1 + at, p: { [properties.level.number]: 1 } })),
  };
  const write = async (key: string, list: readonly object[]): Promise<string> => {
    const path = join(folder, `${key}-${number}.ndjson`);
    await writeFile(path, list.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return path;
  };
  const files = Object.entries(lines).map(async ([key, list]) => [key, await write(key, list)] as const);
  const days = await writeDays(events, (list) => write(`day-${list[0]!.t}`, list));
  const first = number === 1 ? [properties.price, properties.level] : [];
  return {
    from: { number: 0, offset: number - 1 },
    to: { number: 0, offset: number },
    projects: [
      {
        projectId: 1,
        newEvents: number === 1 ? [buy] : [],
        newProperties: [...first, own],
        days,
        ...Object.fromEntries(await Promise.all(files)),
        counts: { events: events.length, updates: 2, seen: 50, users: 50 },
      },
    ],
  };
}

/** Returns the stats after batches 1 to `last` are loaded, each once. */
export function expectedStats(last: number): object {
  return {
    projectId: 1,
    days: 3,
    events: last * eventsPerBatch,
    updatableEvents: last + 1,
    users: 50,
    eventNames: 1,
    properties: last + 2,
  };
}

/** The level of each user: how many batches it was part of. */
export async function levelsOf(store: EventStore): Promise<number[]> {
  const range = { projectId: 1, startMs: 0, endMs: 0, users: true };
  const levels: number[] = [];
  for await (const records of store.export(range, new AbortController().signal))
    levels.push(...records.map((record) => (record["properties"] as { level?: number }).level ?? 0));
  // Records of further visitors of a user have no properties.
  return levels.filter((level) => level > 0);
}

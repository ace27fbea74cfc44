import { describe, expect, it } from "vitest";
import { formatMilli } from "./calendar.ts";
import { generateRecords } from "./generate-records.ts";
import { ingest, type ReferenceData, type ReferenceUser, type StandardRecord } from "./ingest.ts";
import { openLoadedStore } from "./loaded-store.ts";
import type { ReferenceProject } from "./project.ts";
import { createRandom } from "./random.ts";
import { scenes } from "./scenes.ts";

const seed = 20_240_331;
const everMs = 4_000_000_000_000;

/** Records through rules, identity, claims and the store, and out again: nothing but what the reference has. */
describe("records in the store", () => {
  it.each(scenes)("are those of the reference, zone $project.zone", async (scene) => {
    const { project } = scene;
    const records = generateRecords(createRandom(seed + project.projectId), scene, 800);
    const data = ingest(project, records);
    await using loaded = await openLoadedStore(project, records);
    const range = { projectId: project.projectId, startMs: 0, endMs: everMs, users: true };
    const exported: StandardRecord[] = [];
    for await (const some of loaded.store.export(range, AbortSignal.timeout(20_000))) exported.push(...some);
    const users = exported.filter((record) => record["#type"] === "user_set");
    expect(users.map(describeUser).sort()).toEqual(usersOf(data));
    // Users are distinguished by the records before them.
    expect(eventsOf(ingestAgain(project, exported))).toEqual(eventsOf(data));
    expect(identitiesOf(ingestAgain(project, exported))).toEqual(identitiesOf(data));
    expect(loaded.store.schema(project.projectId).properties.size).toBeGreaterThan(20);
  });
});

/** Ingests exported records: values that records can express must survive a second reading. */
function ingestAgain(project: ReferenceProject, records: readonly StandardRecord[]): ReferenceData {
  return ingest(
    project,
    records.map((record) => ({ record, receivedMs: Date.parse(`${record["#time"]}Z`) })),
  );
}

/** With the user that each is of, who may be known by another id too. */
function eventsOf({ events, users }: ReferenceData): readonly string[] {
  return events
    .map(({ name, time, userId, accountId, distinctId, values }) =>
      JSON.stringify([name, time, identityOf(users.get(userId)!), accountId, distinctId, sorted(values)]),
    )
    .sort();
}

function identitiesOf({ users }: ReferenceData): readonly string[] {
  return [...users.values()].map(identityOf).sort();
}

function identityOf({ accountId, distinctId, visitors }: ReferenceUser): string {
  return JSON.stringify([accountId, distinctId, [...visitors].sort()]);
}

/** One record for each user with all properties, and one for each further visitor. */
function usersOf({ users }: ReferenceData): readonly string[] {
  return [...users.values()]
    .flatMap(({ accountId, distinctId, visitors, values }) => {
      const own = [...values].filter(([name]) => !name.includes("."));
      const written = own.map(([name, value]): [string, unknown] => [name, writeUserValue(name, value)]);
      const others = [...visitors].filter((visitor) => visitor !== distinctId);
      return [
        JSON.stringify([accountId, distinctId, sorted(new Map(written))]),
        ...others.map((visitor) => JSON.stringify([accountId, visitor, []])),
      ];
    })
    .sort();
}

/** As an exported record has it. */
function writeUserValue(name: string, value: unknown): unknown {
  if (name === "birthday") return formatMilli(Number(value));
  return name === "wallet" ? JSON.parse(String(value)) : value;
}

function describeUser(record: StandardRecord): string {
  const properties = new Map(Object.entries(record["properties"] as object));
  return JSON.stringify([record["#account_id"], record["#distinct_id"], sorted(properties)]);
}

/** Exported times are written in UTC, which the zone offset then says. */
function sorted(values: ReadonlyMap<string, unknown>): unknown {
  return [...values]
    .filter(([name]) => name !== "#zone_offset")
    .map(([name, value]) => [name, Array.isArray(value) ? value.map(plain) : value])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

function plain(value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}

import { describe, expect, it } from "vitest";
import { encodeSpoolLine } from "../../../../services/event/spool-line.ts";
import { emptySchema } from "../../../../store/events/events.ts";
import {
  lettersOf,
  prepare,
  preparer,
  prepareText,
  receivedMs,
  rowsOf,
  spooled,
  start,
  track,
  usePreparer,
  user,
} from "./preparer-rig.ts";

usePreparer();

describe("a project with limits on names", () => {
  const names = { maxEventNames: 2, maxNewNamesPerMinute: 3 };
  const of = (name: string, properties: unknown = {}) => track({ "#event_name": name, properties });
  const from = (appid: string, ...records: unknown[]): string => {
    const line = encodeSpoolLine(1, receivedMs, Buffer.from(JSON.stringify(records)), appid);
    return `${Buffer.from(line).toString()}\n`;
  };

  it("refuses events of further names, as dead letters, and says so", async () => {
    await start(emptySchema, { names });
    const prepared = await prepare(of("a"), of("b"), of("c", { p: 1 }), of("a"));
    expect(prepared.counts).toMatchObject({ events: 3, refused: { event_limit: 1 } });
    expect(prepared.batch.projects[0]).toMatchObject({
      newEvents: [{ name: "a" }, { name: "b" }],
      newProperties: [],
    });
    expect(lettersOf(prepared)).toMatchObject([
      { reason: "event_limit", line: JSON.stringify(of("c", { p: 1 })) },
    ]);
    expect(prepared.limited).toEqual([{ projectId: 1, reason: "event_limit", name: "c" }]);
  });

  it("limits the new names of each app id in a minute, in any batches", async () => {
    await start(emptySchema, { names });
    const first = await prepareText(from("x", of("a", { p: 1 })));
    const second = await prepareText(from("x", of("a", { q: 1, r: 1 })) + from("y", of("a", { s: 1 })));
    expect(first.limited).toEqual([]);
    expect(second.limited).toEqual([{ projectId: 1, reason: "name_rate", name: "r" }]);
    expect(second.batch.projects[0]?.newProperties.map(({ name }) => name)).toEqual(["q", "s"]);
  });

  it("goes on counting where what the store has loaded left it", async () => {
    await start(emptySchema, { names });
    const { rates } = await prepareText(from("x", of("a", { p: 1, q: 1 })));
    await preparer.reset({
      loadedTo: undefined,
      names,
      projects: new Map([[1, { schema: emptySchema, zone: "+00:00", rates: rates?.get(1) }]]),
    });
    expect((await prepareText(from("x", of("a")))).counts.refused).toEqual({ name_rate: 1 });
  });

  it("takes any number of new properties of what names no app id", async () => {
    await start(emptySchema, { names });
    const { counts } = await prepare(of("a", { p: 1, q: 1, r: 1, s: 1, t: 1 }));
    expect(counts).toMatchObject({ events: 1, dropped: {} });
  });

  it("starts with any number of names", async () => {
    const events = new Map(
      Array.from({ length: 200_000 }, (_, i) => [`e${i}`, { name: `e${i}`, number: i + 1 }]),
    );
    await start({ ...emptySchema, events }, { names });
    expect((await prepare(of("e7"), of("new"))).counts).toMatchObject({
      events: 1,
      refused: { event_limit: 1 },
    });
  });
});

describe("a project with as many properties as it may have", () => {
  it("keeps those, and gets no further ones", async () => {
    await start(emptySchema, { maxProperties: 2 });
    const first = await prepare(track({ properties: { a: 1 } }), user("user_set", { x: 1, y: 2, z: 3 }));
    const second = await prepare(
      track({ properties: { b: 1, c: 2 } }),
      track({ properties: { d: 3, A: 4 } }),
    );
    expect(rowsOf(first, "usersFile")).toMatchObject([{ p: { 2: 1, 3: 2 } }]);
    expect(rowsOf(second, "days")).toMatchObject([{ p: { 4: 1 } }, { p: { 1: 4 } }]);
    expect(second.batch.projects[0]?.newProperties.map(({ name }) => name)).toEqual(["b"]);
    expect([first, second].map(({ counts }) => counts)).toMatchObject([
      { events: 1, users: 1, dropped: { property_limit: 1 } },
      { events: 2, refused: {}, dropped: { property_limit: 2 } },
    ]);
    expect([...first.overLimit]).toEqual([[1, { name: "z", reason: "property_limit" }]]);
  });

  it("counts each project by itself, and only what records define that are kept", async () => {
    await start(emptySchema, { maxProperties: 1 });
    await prepare(track({ "#uuid": "u" }));
    const duplicate = track({ "#uuid": "u", properties: { a: 1 } });
    const prepared = await prepareText(
      spooled([duplicate, track({ properties: { b: 1 } })]) + spooled([track({ properties: { c: 1 } })], 2),
    );
    expect(prepared.counts).toMatchObject({ events: 2, duplicates: { uuid: 1 }, dropped: {} });
    expect(prepared.overLimit.size).toBe(0);
  });

  it("keeps more when the store has more already", async () => {
    const stored = ["p", "q"].map(
      (name, at) => ({ table: "event", name, number: at + 1, type: "number" }) as const,
    );
    const properties = new Map(stored.map((one) => [`event:${one.name}`, one]));
    await start({ ...emptySchema, properties }, { maxProperties: 1 });
    const prepared = await prepare(track({ properties: { p: 1, q: 2, r: 3 } }));
    expect(rowsOf(prepared, "days")).toMatchObject([{ p: { 1: 1, 2: 2 } }]);
    expect(prepared.counts.dropped).toEqual({ property_limit: 1 });
  });
});

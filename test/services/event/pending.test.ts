import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecordsUnavailableError } from "../../../store/records/records.ts";
import { casesOf } from "../../thorough.ts";
import { type Drops, type LoadedLine, openPendingRig, type PendingRig, type Way } from "./pending-rig.ts";
import { event, nowMs, user } from "./record/checking.ts";

type Call = readonly [way: Way, records: readonly unknown[], reported: Drops];

/** How many drops there are of each reason, as the load counts them. */
function countReasons(drops: Drops): Readonly<Record<string, number>> {
  const reasons = Object.groupBy(drops, (drop) => drop.slice(drop.lastIndexOf(" ") + 1));
  return Object.fromEntries(Object.entries(reasons).map(([reason, all]) => [reason, all!.length]));
}

async function loadAll(rig: PendingRig): Promise<readonly LoadedLine[]> {
  const loads: LoadedLine[] = [];
  for (let line = await rig.loadLine(); line !== undefined; line = await rig.loadLine()) loads.push(line);
  return loads;
}

const text = [event({ p: "abc" })];
const number = [event({ p: 1 })];
const yes = [event({ p: true })];
const many = [event({ a: 1, b: 1 })];

describe("a verdict before earlier records are loaded", () => {
  it.each<[means: string, calls: readonly Call[]]>([
    [
      "knows the types of an SDK's call",
      [
        ["sdk", number, []],
        ["debug", text, ["p: type"]],
      ],
    ],
    [
      "and of a checked one",
      [
        ["debug", number, []],
        ["track", text, ["p: type"]],
      ],
    ],
    [
      "keeps what can be converted",
      [
        ["track", text, []],
        ["debug", yes, []],
        ["track", number, []],
      ],
    ],
    [
      "counts properties",
      [
        ["sdk", many, []],
        ["track", [event({ c: 1, a: 2 })], ["c: property_limit"]],
      ],
    ],
    [
      "of users apart",
      [
        ["sdk", many, []],
        ["track", [user("user_set", { c: 1 })], []],
      ],
    ],
    [
      "of one type for an operation",
      [
        ["sdk", [user("user_set", { p: "x" })], []],
        ["debug", [user("user_add", { p: 1 })], ["p: type"]],
      ],
    ],
    [
      "knows members of objects",
      [
        ["sdk", [event({ o: { m: 1 } })], []],
        ["track", [event({ o: { m: "x" } })], ["o.m: type"]],
      ],
    ],
    [
      "is not one of what a call drops",
      [
        ["sdk", number, []],
        ["track", [event({ p: "x" }), event({ q: "y" })], ["p: type"]],
        ["track", [event({ q: 1, p: 2 })], []],
        ["debug", [event({ r: 1 })], ["r: property_limit"]],
      ],
    ],
  ])("%s", async (_means, calls) => {
    await using rig = openPendingRig({ maxProperties: 2 });
    const reported: Drops[] = [];
    for (const [way, records] of calls) reported.push(await rig.send(way, records));
    expect(reported).toEqual(calls.map(([, , drops]) => drops));
    const loads = (await loadAll(rig)).map(({ dropped }) => dropped);
    expect(loads.slice(1)).toEqual(calls.slice(1).map(([, , drops]) => countReasons(drops)));
  });

  it("goes by the order of the spool when calls come at once, also over a stream", async () => {
    const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
    let appends = 0;
    const beforeAppend = async (): Promise<void> => {
      appends++;
      await isOpen;
    };
    await using rig = openPendingRig({ beforeAppend });
    const first = rig.send("track", number);
    // Its place in the spool is before the others'.
    await expect.poll(() => appends).toBe(1);
    const others = [text, text, number].map((records) => rig.send("track", records));
    open();
    expect(await Promise.all([first, ...others])).toEqual([[], ["p: type"], ["p: type"], []]);
    expect(
      await rig.stream([event({ s: "x" }), event({ p: "x", s: 1 }), event({ u: 1 }), event({ u: "x" })]),
    ).toEqual([[], ["p: type"], [], ["u: type"]]);
  });

  it("owes nothing to calls that were not kept, were dry runs, or of another project", async () => {
    let isFull = true;
    const beforeAppend = async (): Promise<void> => {
      if (isFull) throw new RecordsUnavailableError("disk full");
    };
    await using rig = openPendingRig({ beforeAppend });
    await expect(rig.send("track", text)).rejects.toThrow("the spool is temporarily unavailable");
    isFull = false;
    expect(await rig.send("sdk", text, 2)).toEqual([]);
    expect(await rig.send("dry run", text)).toEqual([]);
    expect(await rig.send("debug", number)).toEqual([]);
    expect(await rig.send("dry run", text)).toEqual(["p: type"]);
    expect(await rig.send("track", number, 2)).toEqual([]);
    expect(await rig.send("dry run", [event({ p: "9" }), event({ q: 1 }), event({ q: "x" })])).toEqual([
      "q: type",
    ]);
  });

  it("does without records of which there are too many", async () => {
    await using rig = openPendingRig({ maxPendingBytes: 300 });
    await rig.send("sdk", number);
    expect(await rig.send("track", text)).toEqual(["p: type"]);
    await rig.send("sdk", [event({ q: 1 }), event({ q: 2 }), event({ q: 3 })]);
    expect(await rig.send("track", [event({ q: "x" })])).toEqual([]);
    await loadAll(rig);
    expect(await rig.send("track", [event({ q: "x" })])).toEqual(["q: type"]);
  });

  it("is what the load does, whenever and however much is loaded", async () => {
    const value = fc.constantFrom<unknown>(1, "abc", "7", true, null, ["x"], { m: 1 }, { m: "x", n: 1 }, [
      { m: 1 },
    ]);
    const properties = fc.dictionary(fc.constantFrom("a", "b", "c"), value, { minKeys: 1 });
    const record = fc.oneof(
      properties.map((of) => event(of)),
      properties.map((of) => user("user_set", of)),
    );
    const way = fc.constantFrom<Way>("sdk", "debug", "track");
    const call = fc.record({ way, records: fc.array(record, { minLength: 1, maxLength: 3 }) });
    const step = fc.record({ calls: fc.array(call, { minLength: 1, maxLength: 3 }), loads: fc.nat(4) });
    const steps = fc.array(step, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        await using rig = openPendingRig({ maxProperties: 4 });
        const reported = new Map<string, Drops>();
        const loaded: (LoadedLine | undefined)[] = [];
        for (const [at, { calls, loads }] of given.entries()) {
          const sending = calls.map(async ({ way, records }, index) => {
            const id = `${way} ${at} ${index}`;
            const named = records.map((one) => ({ ...(one as object), "#distinct_id": id }));
            reported.set(id, await rig.send(way, named));
          });
          for (let load = 0; load < loads; load++) loaded.push(await rig.loadLine());
          await Promise.all(sending);
        }
        loaded.push(...(await loadAll(rig)));
        const checked = loaded
          .filter((line) => line !== undefined)
          .map(({ text, dropped }) => ({ dropped, id: /"#distinct_id":"([^"]+)"/.exec(text)![1]! }))
          .filter(({ id }) => !id.startsWith("sdk"));
        expect(checked).toEqual(checked.map(({ id }) => ({ id, dropped: countReasons(reported.get(id)!) })));
        expect(loaded.filter(Boolean)).toHaveLength(reported.size);
      }),
      { numRuns: casesOf(30) },
    );
  });

  describe("with limits on names", () => {
    const names = { maxEventNames: 2, maxNewNamesPerMinute: 3 };
    const named = (name: string, properties: unknown = {}) => event(properties, { "#event_name": name });

    it("counts the names that wait to be loaded, and those that were", async () => {
      let now = nowMs;
      await using rig = openPendingRig({ names, now: () => now });
      await rig.send("sdk", [named("a", { p: 1 })]);
      expect(await rig.send("track by app id", [named("a", { p: 1, q: 1, r: 1 })])).toEqual(["r: name_rate"]);
      expect(await rig.send("track by app id", [named("b")])).toEqual(["#event_name: name_rate"]);
      await loadAll(rig);
      expect(await rig.send("debug", [named("b")])).toEqual(["#event_name: name_rate"]);
      expect(await rig.send("track", [named("b", { s: 1 })])).toEqual([]);
      now += 60_000;
      expect(await rig.send("debug", [named("a", { r: 1 }), named("c")])).toEqual([
        "#event_name: event_limit",
      ]);
    });

    it("is what the load does, whenever and however much is loaded", async () => {
      const properties = fc.dictionary(fc.constantFrom("p", "q", "r", "s"), fc.constantFrom<unknown>(1, "x"));
      const record = fc
        .tuple(fc.constantFrom("a", "b", "c"), properties)
        .map(([name, of]) => named(name, of));
      const way = fc.constantFrom<Way>("sdk", "debug", "track by app id", "track");
      const call = fc.record({ way, records: fc.array(record, { minLength: 1, maxLength: 2 }) });
      const step = fc.record({ call, loads: fc.nat(2), seconds: fc.nat(50) });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
          let now = nowMs;
          await using rig = openPendingRig({ names, maxProperties: 3, now: () => now });
          const reported = new Map<string, Drops>();
          const sent = new Map<string, number>();
          const loaded: LoadedLine[] = [];
          for (const [at, { call, loads, seconds }] of steps.entries()) {
            now += seconds * 1_000;
            const id = `${call.way} ${at}`;
            const records = call.records.map((one) => ({ ...(one as object), "#distinct_id": id }));
            sent.set(id, records.length);
            reported.set(id, await rig.send(call.way, records));
            for (let load = 0; load < loads; load++)
              loaded.push(...[await rig.loadLine()].filter((one) => one !== undefined));
          }
          loaded.push(...(await loadAll(rig)));
          const seen = loaded.filter(({ text }) => !text.includes('"#distinct_id":"sdk'));
          const outcomes = seen.map(({ text, dropped, refused }) => {
            const id = /"#distinct_id":"([^"]+)"/.exec(text)![1]!;
            const isRefusal = (drop: string): boolean => drop.startsWith("#event_name");
            const drops = reported.get(id)!;
            // Records that were refused on arrival are not in the spool.
            const kept = (JSON.parse(text) as { b: unknown[] }).b.length;
            const refusedAtLoad = Object.values(refused).reduce((sum, count) => sum + count, 0);
            return {
              reported: [
                countReasons(drops.filter((drop) => !isRefusal(drop))),
                drops.filter(isRefusal).length,
              ],
              done: [dropped, sent.get(id)! - kept + refusedAtLoad],
            };
          });
          expect(outcomes.map((one) => one.reported)).toEqual(outcomes.map((one) => one.done));
        }),
        { numRuns: casesOf(25) },
      );
    });
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordTypes } from "../../../../base/record/record-type.ts";
import { checkRecord } from "../../../../services/event/record/check-record.ts";
import { KeyCollector } from "../../../../services/event/record/intake-keys.ts";
import type { CheckedRecord, RefusedRecord } from "../../../../services/event/record/record.ts";
import { createTypeTable } from "../../../../services/event/record/type-table.ts";
import type { ProjectKeys } from "../../../../store/intake/intake.ts";

const receivedMs = Date.UTC(2026, 0, 2);
const rules = { types: createTypeTable([]), toInstant: (localMs: number) => localMs };

const text = fc.oneof(
  fc.constantFrom("a", "b", "1", " ", "\u0000", "a\ud800", "\ud83d\ude00", "x".repeat(2_048)),
  fc.string({ unit: "binary", maxLength: 5 }),
);
const id = fc.oneof(
  { weight: 6, arbitrary: text },
  fc.integer(),
  fc.constantFrom("", null, -0, 1.5, 2 ** 53, 12n, true, [], {}, "ä".repeat(1_025)),
);
const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 });
const record = fc.record({
  "#type": fc.constantFrom(...recordTypes),
  "#time": fc.constant("2026-01-01 00:00:00"),
  "#event_name": fc.constantFrom("open", "Open", "close", "no name"),
  "#account_id": sometimes(id),
  "#distinct_id": sometimes(id),
  "#uuid": sometimes(id),
  "#event_id": fc.oneof(fc.constant("event"), id),
  "#first_check_id": sometimes(id),
  other: sometimes(id),
  properties: fc.constantFrom({}, { x: 1 }, undefined),
});

function expectKnown(keys: ProjectKeys, checked: Exclude<CheckedRecord, RefusedRecord>): void {
  const { accountIds, distinctIds, uuids, firstCheckIds } = keys;
  const ofEvent = checked.kind === "event" ? firstCheckIds.get(checked.name) : undefined;
  const used = [
    [checked.accountId, accountIds],
    [checked.distinctId, distinctIds],
    [checked.uuid, uuids],
    [checked.kind === "event" ? checked.firstCheckId : undefined, [...(ofEvent ?? [])]],
  ] as const;
  expect(used.filter(([one, among]) => one !== undefined && !among.includes(one))).toEqual([]);
}

describe("keys of records", () => {
  it("are at least the ids of all accepted records", () => {
    const accepted = { event: 0, update: 0, user: 0 };
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 10 }), (records) => {
        const collector = new KeyCollector();
        for (const one of records) collector.add(7, one);
        const keys = collector.keys.get(7)!;
        for (const one of records) {
          const checked = checkRecord(one, rules, receivedMs);
          if (checked.kind !== "refused") {
            accepted[checked.kind]++;
            expectKnown(keys, checked);
          }
        }
      }),
      { numRuns: 500 },
    );
    expect(Math.min(...Object.values(accepted))).toBeGreaterThan(100);
  });

  it("are those of each project", () => {
    const collector = new KeyCollector();
    const track = { "#event_name": "open", "#first_check_id": 5, "#uuid": "u", "#account_id": 12 };
    collector.add(1, track);
    collector.add(1, { ...track, "#distinct_id": "d" });
    collector.add(2, { "#distinct_id": "" });
    collector.addIds(1, { accountId: undefined, distinctId: "e", uuid: "v" });
    expect([...collector.keys]).toEqual([
      [
        1,
        {
          accountIds: ["12", "12"],
          distinctIds: ["d", "e"],
          uuids: ["u", "u", "v"],
          firstCheckIds: new Map([["open", new Set(["5"])]]),
        },
      ],
      [2, { accountIds: [], distinctIds: [], uuids: [], firstCheckIds: new Map() }],
    ]);
  });

  it.each([undefined, null, 1, "text", [{ "#uuid": "u" }]])("of %j are none", (json) => {
    const collector = new KeyCollector();
    collector.add(1, json);
    expect(collector.keys.size).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import type { CohortMember, CohortVersion, EventStore, KeyValue } from "../../../store/events/events.ts";
import {
  asyncOf,
  type CreateEventsWorld,
  eventOf,
  noonMs,
  noSignal,
  type OpenedStore,
  openStore,
  userOf,
} from "./world.ts";

const version: CohortVersion = { projectId: 1, name: "loyal", day: "2026-01-05", kind: "cohort" };

export function testCohorts(create: CreateEventsWorld): void {
  describe("cohorts", () => {
    it.each<[string, readonly CohortMember[], { members: number; unknown: number }]>([
      ["accounts", [{ accountId: "ada" }, { accountId: "bob" }], { members: 2, unknown: 0 }],
      ["visitors", [{ distinctId: "tab" }], { members: 1, unknown: 0 }],
      [
        "all visitors of a user",
        [{ distinctId: "tab" }, { distinctId: "phone" }, { distinctId: "alone" }],
        { members: 2, unknown: 0 },
      ],
      ["user ids", [{ userId: 1n }, { userId: 3n }], { members: 2, unknown: 0 }],
      ["one user by several ids once", [{ userId: 1n }, { accountId: "ada" }], { members: 1, unknown: 0 }],
      [
        "strangers as unknown",
        [{ accountId: "nobody" }, { distinctId: "ada" }, { userId: 9n }, {}, { accountId: "ada" }],
        { members: 1, unknown: 4 },
      ],
      ["nobody", [], { members: 0, unknown: 0 }],
      ["quotes", [{ accountId: "it's" }], { members: 0, unknown: 1 }],
    ])("takes %s", async (_what, members, counts) => {
      await using opened = await openKnown(create);
      expect(await opened.store.importCohort(version, asyncOf([...members]))).toEqual(counts);
      expect(await opened.store.cohorts(1)).toEqual([{ ...version, members: counts.members }]);
      expect(await opened.store.check(new AbortController().signal)).toEqual([]);
    });

    it("resolves a visitor to the user with whom it first appeared", async () => {
      await using opened = await openKnown(create);
      await opened.load({
        users: [userOf("seen", { u: 4, d: "alone" }), userOf("seen", { u: 4, d: "new" })],
      });
      const events = [1, 2, 3, 4, 5].map((u) => eventOf({ u }));
      await opened.load({ users: [userOf("seen", { u: 5, d: "new" })], events });
      const { store } = opened;
      const members = ["tab", "alone", "new"].map((distinctId) => ({ distinctId, value: distinctId }));
      await store.importCohort({ ...version, kind: "tag" }, asyncOf(members));
      expect(await tagOfUsers(store)).toEqual([
        ["1", "tab"],
        ["2", null],
        ["3", "alone"],
        ["4", "new"],
        ["5", null],
      ]);
    });

    it("keeps a version for each day and name, and replaces that of the same", async () => {
      await using opened = await openKnown(create);
      const { store } = opened;
      await store.importCohort(version, asyncOf([{ userId: 1n }]));
      await store.importCohort(
        { ...version, day: "2026-01-06" },
        asyncOf([{ userId: 1n }], [{ userId: 2n }]),
      );
      await store.importCohort(
        { ...version, name: "tier", kind: "tag" },
        asyncOf([{ userId: 1n, value: "gold" }]),
      );
      await store.importCohort(version, asyncOf([{ userId: 1n }, { userId: 2n }, { userId: 3n }]));
      const expected = [
        { ...version, members: 3 },
        { ...version, day: "2026-01-06", members: 2 },
        { ...version, name: "tier", kind: "tag", members: 1 },
      ];
      const byName = (a: CohortVersion, b: CohortVersion) => (a.name + a.day < b.name + b.day ? -1 : 1);
      expect([...(await store.cohorts(1))].sort(byName)).toEqual(expected);
      expect([...(await (await opened.reopen()).cohorts(1))].sort(byName)).toEqual(expected);
      expect(await opened.store.cohorts(2)).toEqual([]);
    });

    it("makes earlier results out of date", async () => {
      await using opened = await openKnown(create);
      const before = opened.store.schema(1).version;
      await opened.store.importCohort(version, asyncOf([{ userId: 1n }]));
      expect(opened.store.schema(1).version).toBeGreaterThan(before);
    });

    it("imports nothing when the members end with an error", async () => {
      await using opened = await openKnown(create);
      await opened.store.importCohort(version, asyncOf([{ userId: 1n }]));
      async function* broken(): AsyncGenerator<readonly CohortMember[], void> {
        yield [{ userId: 2n }, { userId: 3n }];
        throw new Error("cut off");
      }
      await expect(opened.store.importCohort(version, broken())).rejects.toThrow("cut off");
      expect(await opened.store.cohorts(1)).toEqual([{ ...version, members: 1 }]);
    });

    it("can be imported before anything was loaded", async () => {
      await using opened = await openKnown(create);
      const other = { ...version, projectId: 5 };
      expect(await opened.store.importCohort(other, asyncOf([{ userId: 1n }]))).toEqual({
        members: 0,
        unknown: 1,
      });
      expect(await (await opened.reopen()).cohorts(5)).toEqual([{ ...other, members: 0 }]);
    });
  });
}

async function openKnown(create: CreateEventsWorld): Promise<OpenedStore> {
  const opened = await openStore(create);
  await opened.load({
    users: [
      userOf("seen", { a: "ada", d: "tab" }),
      userOf("seen", { a: "ada", d: "phone" }),
      userOf("seen", { u: 2, a: "bob", d: "tab" }),
      userOf("seen", { u: 3, d: "alone" }),
    ],
  });
  return opened;
}

/** Returns the id and tag value of each user with an event. */
async function tagOfUsers(store: EventStore): Promise<readonly (readonly KeyValue[])[]> {
  await using found = await store.scan(
    {
      projectId: 1,
      zone: [],
      totals: false,
      buckets: { startMs: noonMs, endMs: noonMs + 1, localEdges: [noonMs, noonMs + 1] },
      keys: [
        { kind: "values", of: { kind: "builtin", name: "user_id" } },
        { kind: "values", of: { kind: "tag", cohort: { name: version.name } } },
      ],
      measures: [{ events: undefined, where: { kind: "always", value: true }, aggregate: { kind: "count" } }],
    },
    noSignal(),
  );
  return found.groups.keys
    .map(([userId, tag]) => [String(userId), tag ?? null])
    .sort(([a], [b]) => String(a).localeCompare(String(b)));
}

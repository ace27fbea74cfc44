import { Code, createClient, createRouterTransport } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { StoredEvents } from "../../../../gen/engage/operations/v1/stored_events_pb.ts";
import {
  createStoredEvents,
  type Deletion,
  type StoredEventsOptions,
} from "../../../../services/operations/stored-events/stored-events.ts";
import { EventsUnavailableError, TooManyEventsError } from "../../../../store/events/events.ts";

type Store = StoredEventsOptions["store"];
type Selection = Parameters<Store["deleteEvents"]>[0];

/** A service on a store that remembers what it was asked. Accounts `ann` and `bob` are the users 1 and 2. */
function openService(store: Partial<Store> = {}) {
  const asked: Selection[] = [];
  const deletions: Deletion[] = [];
  const ids: Readonly<Record<string, number>> = { ann: 1, bob: 2 };
  const service = createStoredEvents({
    store: {
      schema: () => ({
        version: 1,
        events: new Map(["login", "buy"].map((name, number) => [name, { name, number }])),
        properties: new Map(),
      }),
      findUsers: async (_projectId, identifiers) =>
        identifiers.map(({ accountId = "", userId }) =>
          userId === undefined ? ids[accountId] : Number(userId),
        ),
      async countEvents(selection) {
        asked.push(selection);
        return [
          { name: "login", records: 2 },
          { name: "buy", records: 1 },
        ];
      },
      async deleteEvents(selection) {
        asked.push(selection);
        return 3;
      },
      ...store,
    },
    projects: new Map([
      [1, { zone: "+08:00", isStored: true }],
      [2, { zone: "UTC", isStored: false }],
    ]),
    ready: async () => undefined,
    callerOf: () => "admin",
    onDeleted: (deletion) => deletions.push(deletion),
  });
  const client = createClient(
    StoredEvents,
    createRouterTransport(({ service: add }) => add(StoredEvents, service)),
  );
  return { client, asked, deletions };
}

const account = (value: string) => ({ id: { case: "accountId" as const, value } });

describe("CountEvents", () => {
  it("counts by name, and lists unknown users", async () => {
    const { client, asked } = openService();
    const users = [account("ann"), account("eve"), { id: { case: "userId" as const, value: 1n } }];
    const selection = {
      projectId: 1n,
      events: ["login", "login"],
      fromDay: "2026-01-01",
      toDay: "2026-01-31",
      users,
    };
    expect(await client.countEvents({ selection })).toMatchObject({
      count: 3n,
      events: [
        { event: "login", count: 2n },
        { event: "buy", count: 1n },
      ],
      unknownUsers: [{ id: { value: "eve" } }],
    });
    expect(asked).toEqual([
      {
        projectId: 1,
        events: ["login"],
        startMs: Date.UTC(2025, 11, 31, 16),
        endMs: Date.UTC(2026, 0, 31, 16),
        userIds: [1],
      },
    ]);
  });

  it.each<[string, object | undefined, Code, string]>([
    ["none", undefined, Code.InvalidArgument, "selection is required, and its project_id"],
    ["no project", {}, Code.InvalidArgument, "selection.project_id is required"],
    ["an unknown project", { projectId: 9n }, Code.NotFound, "project 9 is not known"],
    ["the platform's project", { projectId: 2n }, Code.FailedPrecondition, "are stored by the platform"],
    [
      "an unknown event",
      { projectId: 1n, events: ["lgin"] },
      Code.InvalidArgument,
      'selection.events[0] is "lgin", which is not known, the nearest is "login"',
    ],
    ["another event", { projectId: 1n, events: ["x"] }, Code.InvalidArgument, 'valid are "login", "buy"'],
    [
      "a day",
      { projectId: 1n, fromDay: "May" },
      Code.InvalidArgument,
      'selection.from_day is "May", valid are days',
    ],
    [
      "a range",
      { projectId: 1n, fromDay: "2026-01-02", toDay: "2026-01-01" },
      Code.InvalidArgument,
      'selection.to_day is "2026-01-01", which is before from_day, "2026-01-02"',
    ],
    [
      "no id",
      { projectId: 1n, users: [{}] },
      Code.InvalidArgument,
      "selection.users[0] is empty, valid is one of",
    ],
    [
      "an empty id",
      { projectId: 1n, users: [account("")] },
      Code.InvalidArgument,
      "is an empty text, valid is an id",
    ],
    [
      "many users",
      { projectId: 1n, users: Array.from({ length: 1_001 }, () => account("ann")) },
      Code.InvalidArgument,
      "selection.users has 1001 users, at most 1000 are valid",
    ],
  ])("refuses %s", async (_what, selection, code, message) => {
    const { client } = openService();
    await expect(client.countEvents({ ...(selection && { selection }) })).rejects.toMatchObject({
      code,
      rawMessage: expect.stringContaining(message),
    });
  });
});

describe("CountEvents of a project with many long names", () => {
  it("names the nearest only for the first unknown event", async () => {
    const names = Array.from({ length: 5_000 }, (_, at) => `${at}`.padStart(50, "name"));
    const events = new Map(names.map((name, number) => [name, { name, number }]));
    const { client } = openService({ schema: () => ({ version: 1, events, properties: new Map() }) });
    const selection = { projectId: 1n, events: names.slice(0, 50).map((name) => `${name}x`) };
    const error = await client.countEvents({ selection }).catch((caught: unknown) => caught);
    expect(String(error).match(/the nearest is|valid are/g)).toEqual([
      "the nearest is",
      ...Array<string>(49).fill("valid are"),
    ]);
  });
});

describe("DeleteEvents", () => {
  it("deletes, and says what for the log, without ids of users", async () => {
    const { client, asked, deletions } = openService();
    const selection = { projectId: 1n, toDay: "2026-01-31", users: [account("ann"), account("eve")] };
    expect(await client.deleteEvents({ selection, maxEvents: 3n })).toMatchObject({
      deleted: 3n,
      unknownUsers: [{ id: { value: "eve" } }],
    });
    expect(asked).toMatchObject([{ userIds: [1], startMs: Number.NEGATIVE_INFINITY }]);
    const days = { fromDay: "", toDay: "2026-01-31" };
    expect(deletions).toEqual([{ projectId: 1, events: [], ...days, users: 1, deleted: 3, caller: "admin" }]);
  });

  it("needs all for a whole project, and a number of events", async () => {
    const { client, asked } = openService();
    const selection = { projectId: 1n };
    const refused = client.deleteEvents({ selection, maxEvents: 3n });
    await expect(refused).rejects.toThrow("all is not set, and the selection has nothing but the project");
    await expect(client.deleteEvents({ selection, all: true })).rejects.toThrow("max_events is 0, valid are");
    expect(asked).toEqual([]);
    await client.deleteEvents({ selection, maxEvents: 3n, all: true });
    expect(asked).toEqual([
      { projectId: 1, startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY },
    ]);
  });

  it.each([
    [
      new TooManyEventsError(5, 3),
      Code.FailedPrecondition,
      "the selection has 5 events, at most 3 may be deleted: nothing is deleted, count them again",
    ],
    [new EventsUnavailableError("x"), Code.Unavailable, "the event store is temporarily unavailable"],
  ])("is refused after %s", async (error, code, rawMessage) => {
    const { client, deletions } = openService({ deleteEvents: () => Promise.reject(error) });
    const refused = client.deleteEvents({ selection: { projectId: 1n, events: ["buy"] }, maxEvents: 3n });
    await expect(refused).rejects.toMatchObject({ code, rawMessage });
    expect(deletions).toEqual([]);
  });
});

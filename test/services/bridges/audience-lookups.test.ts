import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AnalysisPorts, createChannelAudience } from "../../../services/bridges/channel-audience.ts";
import { noSignal } from "../../conformance/events/world.ts";
import { type OpenedPorts, openPorts } from "./audience-ports.ts";

describe("users of audiences", () => {
  let opened: OpenedPorts;
  let ports: AnalysisPorts;
  beforeAll(async () => {
    opened = await openPorts();
    ({ ports } = opened);
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  it("are looked up by their push ids, with events or without", async () => {
    const request = { projectId: 1, pushIdProperty: "nick", pushIds: ["p2", "p9"], properties: ["level"] };
    expect(await createChannelAudience(ports).lookup(request, noSignal())).toEqual(
      new Map([["p2", { level: 9 }]]),
    );
  });

  it.each<[string, string[], ReadonlyMap<string, object>]>([
    [
      "level",
      ["x", "3", ...Array.from({ length: 120 }, (_, i) => `u${i}`), "9"],
      new Map([
        ["3", {}],
        ["9", {}],
      ]),
    ],
    ["level", ["x", ""], new Map()],
    ["born", ["soon", "2026-01-05 12:00:00"], new Map([["2026-01-05 12:00:00", {}]])],
    ["#user_id", ["x", "2"], new Map([["2", {}]])],
  ])("are looked up by %s without what can't be one", async (pushIdProperty, pushIds, found) => {
    const request = { projectId: 1, pushIdProperty, pushIds, properties: [] };
    expect(await createChannelAudience(ports).lookup(request, noSignal())).toEqual(found);
  });

  it("are looked up by a number in one query, however many push ids are words", async () => {
    let queries = 0;
    const projects = new Map(
      [...ports.projects].map(([id, { engine, users }]) => {
        const select: NonNullable<typeof users>["select"] = (...args) => {
          queries++;
          return users!.select(...args);
        };
        return [id, { engine, users: { ...users!, select } }];
      }),
    );
    const pushIds = ["3", ...Array.from({ length: 5_000 }, (_, i) => `u${i}`)];
    const request = { projectId: 1, pushIdProperty: "level", pushIds, properties: [] };
    const found = await createChannelAudience({ ...ports, projects }).lookup(request, noSignal());
    expect([found, queries]).toEqual([new Map([["3", {}]]), 1]);
  });

  it("are not looked up by a list", async () => {
    const request = { projectId: 1, pushIdProperty: "badges", pushIds: ["x"], properties: [] };
    await expect(createChannelAudience(ports).lookup(request, noSignal())).rejects.toMatchObject({
      violations: [
        { field: "push_id_property", description: expect.stringContaining('is "badges", by which') },
      ],
    });
  });
});

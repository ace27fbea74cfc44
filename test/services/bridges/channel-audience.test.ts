import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DownloadEventUsersResponseSchema } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { TableType } from "../../../gen/engage/analysis/v1/column_pb.ts";
import { Comparator, Relation } from "../../../gen/engage/analysis/v1/filter_pb.ts";
import { AudienceSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import { createEmbeddedEngine } from "../../../services/analysis/embedded/embedded.ts";
import { createUserPort } from "../../../services/analysis/embedded/select-users.ts";
import type { AnalysisEngine } from "../../../services/analysis/engine.ts";
import {
  type AnalysisPorts,
  type ChannelAudience,
  createChannelAudience,
} from "../../../services/bridges/channel-audience.ts";
import type { UserEngines } from "../../../services/bridges/user-queries.ts";
import type { UserChoice } from "../../../services/channel/audience/source.ts";
import {
  asyncOf,
  collect,
  eventOf,
  noonMs,
  noSignal,
  type OpenedStore,
  openStore,
  properties,
  userOf,
} from "../../conformance/events/world.ts";
import { createDuckDbWorld } from "../../store/events/duckdb/duckdb-world.ts";
import { projectOf } from "../analysis/describe/described.ts";
import { analysisOf, cohortOf, filter, outOf, usersOf } from "./user-choices.ts";

const { level, nick, born, badges } = properties;

const project = projectOf({
  cohorts: {
    high: { filts: [{ columnName: "level", tableType: "user", comparator: "greater", ftv: ["5"] }] },
    buyers: { filts: [{ columnName: "#vp@cost", tableType: "user", comparator: "notNull", ftv: [] }] },
  },
  virtualProperties: { cost: { expression: "price * 2" } },
});

/** Only the first has had an event. */
const users = [
  userOf("set", {
    u: 1,
    a: "ada",
    p: { [nick.number]: "p1", [level.number]: 3, [born.number]: noonMs, [badges.number]: ["x"] },
  }),
  userOf("set", { u: 2, a: "bob", p: { [nick.number]: "p2", [level.number]: 9 } }),
  userOf("seen", { u: 3, d: "tab" }),
];

describe("users of audiences", () => {
  let opened: OpenedStore;
  let ports: AnalysisPorts;
  beforeAll(async () => {
    opened = await openStore(createDuckDbWorld);
    const { store } = opened;
    await opened.load({ events: [eventOf({ p: { [properties.price.number]: 1 } })], users });
    await store.importCohort(
      { projectId: 1, name: "vip", kind: "cohort", day: "2026-01-01" },
      asyncOf([{ userId: 3n }]),
    );
    const source = { store, project, now: () => noonMs };
    ports = {
      projects: new Map([[1, { engine: createEmbeddedEngine(source), users: createUserPort(source) }]]),
      schemaOf: (projectId) => store.schema(projectId),
      now: () => noonMs,
    };
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  async function pushIdsOf(source: ChannelAudience, choice: UserChoice): Promise<(string | undefined)[]> {
    const request = { projectId: 1, choice, pushIdProperty: "nick", properties: [] };
    const found: (string | undefined)[] = [];
    for await (const some of source.users(request, noSignal()))
      found.push(...some.map(({ pushId }) => pushId));
    return found;
  }

  /** An engine with rows only, which knows users only by their events. */
  function rowsOnly(): AnalysisPorts {
    const { findUsers: _, ...engine } = ports.projects.get(1)!.engine;
    return { ...ports, projects: new Map([[1, { engine }]]) };
  }

  it.each<[string, UserChoice, (string | undefined)[]]>([
    ["all users, with events or without", usersOf([]), ["p1", "p2", undefined]],
    ["users by a property", usersOf([filter("level", Comparator.GREATER, ["5"])]), ["p2"]],
    ["users by an id", usersOf([filter("#account_id", Comparator.EQUAL, ["bob"])]), ["p2"]],
    [
      "users by one of two conditions",
      usersOf(
        [filter("level", Comparator.LESS, ["4"]), filter("#distinct_id", Comparator.EQUAL, ["tab"])],
        Relation.OR,
      ),
      ["p1", undefined],
    ],
    [
      "users who are in no cohort",
      usersOf([filter("vip", Comparator.NOT_BELONG_TO_CLUSTER, [], TableType.CLUSTER)]),
      ["p1", "p2"],
    ],
    ["an imported cohort", cohortOf("vip"), [undefined]],
    ["a declared cohort", cohortOf("high"), ["p2"]],
    ["a declared cohort that looks at events", cohortOf("buyers"), ["p1"]],
    ["those of a number", analysisOf([]), ["p1"]],
  ])("are %s", async (_what, choice, expected) => {
    expect(await pushIdsOf(createChannelAudience(ports), choice)).toEqual(expected);
  });

  it.each<[string, string, UserChoice, string]>([
    [
      "a cohort",
      "cohort",
      cohortOf("vpi"),
      '"vpi" is not known as a cohort or tag, the nearest is "vip", valid are "high", "buyers", "vip"',
    ],
    [
      "a cohort of a day before its first",
      "cohort",
      cohortOf("vip", "2025-01-01"),
      '"2025-01-01" is not known as a version of "vip", valid are "2026-01-01"',
    ],
    [
      "those outside of a cohort",
      "users.filts[0].column_name",
      usersOf([outOf("vpi")]),
      '"vpi" is not known as a cohort or tag',
    ],
    [
      "those of a number",
      "analysis.event_view.filts[0].column_name",
      analysisOf([outOf("vpi")]),
      '"vpi" is not known as a cohort or tag',
    ],
    [
      "those of a group that does not exist",
      "analysis.slice_group_val",
      analysisOf([], { sliceGroupVal: [{ value: { case: "label", value: "zzz" } }] }),
      "must have 0 labels, not 1",
    ],
    [
      "those of a day that does not exist",
      "analysis.slice_date",
      analysisOf([], { sliceDate: "x" }),
      '"x" must be',
    ],
  ])(
    "are refused, and not nobody or everybody, by a name that is not there: %s",
    async (_what, field, source, text) => {
      const found = createChannelAudience(ports);
      const problem = expect.stringContaining(text);
      await expect(pushIdsOf(found, source)).rejects.toMatchObject({
        violations: [{ field: `audience.${field}`, description: problem }],
      });
      const audience = create(AudienceSchema, { source });
      expect(await found.checkAudience(1n, audience, noSignal())).toMatchObject({
        violations: [{ field, description: problem }],
      });
    },
  );

  it.each<[string, UserChoice]>([
    ["all", usersOf([])],
    ["those of a number", analysisOf([])],
  ])("are those with events on an engine that knows no others: %s", async (_what, choice) => {
    expect(await pushIdsOf(createChannelAudience(rowsOnly()), choice)).toEqual(["p1"]);
  });

  it.each<[string, () => AnalysisPorts, UserChoice]>([
    ["by a condition", () => ports, usersOf([filter("#account_id", Comparator.EQUAL, ["ada"])])],
    ["of a number", () => ports, analysisOf([])],
    ["in rows", rowsOnly, analysisOf([])],
  ])("come with their properties, times by the second: %s", async (_what, portsOf, choice) => {
    const request = { projectId: 1, pushIdProperty: "level", properties: ["born", "badges", "#account_id"] };
    const found = createChannelAudience(portsOf()).users({ ...request, choice }, noSignal());
    expect(await collect(found)).toEqual([
      {
        pushId: "3",
        properties: { born: "2026-01-05 12:00:00", badges: ["x"], "#account_id": "ada" },
      },
    ]);
  });

  const selecting = () => ports.projects.get(1)!;
  const downloading = () => ({ engine: ports.projects.get(1)!.engine });
  /** An engine with a user of each id. */
  const ofPlatform = (ids: readonly string[]) => () => {
    const rows = ids.map((id) => ({
      values: ["ada", id].map((text) => ({ kind: { case: "stringValue" as const, value: text } })),
    }));
    const engine: Pick<AnalysisEngine, "downloadUsers"> = {
      async *downloadUsers(query) {
        expect(query.selectedColumns).toEqual(["#account_id", "#user_id"]);
        yield create(DownloadEventUsersResponseSchema, { content: { case: "rows", value: { rows } } });
      },
    };
    return { engine: engine as AnalysisEngine };
  };
  it.each<[string, string, string[], () => UserEngines, (number | undefined)[]]>([
    ["selected by accounts", "#account_id", [], selecting, [1, 2, 3]],
    ["selected by accounts beside their ids", "#account_id", ["#user_id"], selecting, [1, 2, 3]],
    ["selected by their ids", "#user_id", [], selecting, [1, 2, 3]],
    ["downloaded by accounts", "#account_id", [], downloading, [1]],
    ["downloaded by their ids", "#user_id", ["level"], downloading, [1]],
    ["of the platform", "#account_id", [], ofPlatform(["7", "9007199254740991"]), [7, 9007199254740991]],
    [
      "of the platform, without an exact number",
      "#account_id",
      [],
      ofPlatform(["", "9007199254740992", "07", "-1", "0", "x"]),
      Array.from({ length: 6 }, () => undefined),
    ],
    [
      "selected by visitors, of which several users may be",
      "#distinct_id",
      [],
      selecting,
      [undefined, undefined, undefined],
    ],
    ["selected by a property", "nick", ["#user_id"], selecting, [undefined, undefined, undefined]],
  ])(
    "have the number of the user if no other one can have the push id: %s",
    async (_how, pushIdProperty, names, project, expected) => {
      const source = createChannelAudience({ ...ports, projects: new Map([[1, project()]]) });
      const request = { projectId: 1, choice: usersOf([]), pushIdProperty, properties: names };
      const found = await collect(source.users(request, noSignal()));
      expect(found.map(({ userId }) => userId)).toEqual(expected);
      expect(found.map(({ properties: values }) => Object.keys(values))).toEqual(expected.map(() => names));
    },
  );

  it.each<[string, UserChoice]>([
    ["all", usersOf([])],
    ["those of a number", analysisOf([])],
  ])("leave nothing in the engine when only some are read: %s", async (_what, choice) => {
    const request = { projectId: 1, choice, pushIdProperty: "nick", properties: [] };
    const source = createChannelAudience(ports);
    // The engine keeps fewer results at a time.
    for (let read = 0; read < 20; read++) {
      const users = source.users(request, noSignal())[Symbol.asyncIterator]();
      expect((await users.next()).value[0].pushId).toBe("p1");
      await users.return?.();
    }
  });

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

  it("have a list as push id as they have it as a value", async () => {
    const request = { projectId: 1, pushIdProperty: "badges", properties: ["badges"] };
    const choice = usersOf([filter("#account_id", Comparator.EQUAL, ["ada"])]);
    expect(await collect(createChannelAudience(ports).users({ ...request, choice }, noSignal()))).toEqual([
      { pushId: '["x"]', properties: { badges: ["x"] } },
    ]);
  });

  it.each<[string, UserChoice, string]>([
    ["users.filts[0].ftv", usersOf([filter("level", Comparator.GREATER, [])]), "must have 1 literal"],
    [
      "users.filts[0].comparator",
      usersOf([filter("badges", Comparator.GREATER, ["1"])]),
      "does not apply to a list column",
    ],
    ["cohort", cohortOf("vip", "2026-02-30"), "must be an existing day"],
  ])("are checked without being asked for: %s", async (field, source, problem) => {
    const audience = create(AudienceSchema, { source });
    expect(await createChannelAudience(ports).checkAudience(1n, audience, noSignal())).toMatchObject({
      violations: [{ field, description: expect.stringContaining(problem) }],
    });
  });

  it.each<[string, UserChoice, string[]]>([
    ["what everybody has", usersOf([filter("level", Comparator.GREATER, ["1"])]), []],
    [
      "a property that nobody has",
      usersOf([filter("levle", Comparator.GREATER, ["1"])]),
      ['audience.users.filts[0].column_name user property "levle" is not known, it has no values'],
    ],
    [
      "one of a number",
      analysisOf([filter("levle", Comparator.GREATER, ["1"])]),
      ['audience.analysis.event_view.filts[0].column_name user property "levle" is not known'],
    ],
  ])("are warned of by %s", async (_what, source, texts) => {
    const audience = create(AudienceSchema, { source });
    expect(await createChannelAudience(ports).checkAudience(1n, audience, noSignal())).toEqual({
      violations: [],
      warnings: texts.map((text) => expect.stringContaining(text)),
    });
  });

  it("are not there in a project that is not configured", async () => {
    const request = { projectId: 7, choice: usersOf([]), pushIdProperty: "nick", properties: [] };
    await expect(collect(createChannelAudience(ports).users(request, noSignal()))).rejects.toMatchObject({
      violations: [{ field: "project_id" }],
    });
  });
});

import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DownloadEventUsersResponseSchema } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { TableType } from "../../../gen/engage/analysis/v1/column_pb.ts";
import { Comparator, Relation } from "../../../gen/engage/analysis/v1/filter_pb.ts";
import { AudienceSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import type { AnalysisEngine } from "../../../services/analysis/engine.ts";
import { type AnalysisPorts, createChannelAudience } from "../../../services/bridges/channel-audience.ts";
import type { UserEngines } from "../../../services/bridges/user-queries.ts";
import { estimateAudience } from "../../../services/channel/audience/members.ts";
import type { UserChoice } from "../../../services/channel/audience/source.ts";
import { collect, noSignal } from "../../conformance/events/world.ts";
import { type OpenedPorts, openPorts, pushIdsOf } from "./audience-ports.ts";
import { analysisOf, cohortOf, filter, usersOf } from "./user-choices.ts";

describe("users of audiences", () => {
  let opened: OpenedPorts;
  let ports: AnalysisPorts;
  beforeAll(async () => {
    opened = await openPorts();
    ({ ports } = opened);
  });
  afterAll(() => opened[Symbol.asyncDispose]());

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
  const downloadingRows = () => rowsOnly().projects.get(1)!;

  it.each<[string, string, string[], () => UserEngines, (number | undefined)[]]>([
    ["selected by accounts", "#account_id", [], selecting, [1, 2, 3]],
    ["selected by accounts beside their ids", "#account_id", ["#user_id"], selecting, [1, 2, 3]],
    ["selected by their ids", "#user_id", [], selecting, [1, 2, 3]],
    ["downloaded by accounts", "#account_id", [], downloading, [1]],
    ["downloaded by their ids", "#user_id", ["level"], downloading, [1]],
    ["downloaded in rows by accounts", "#account_id", [], downloadingRows, [undefined]],
    ["downloaded in rows by their ids", "#user_id", ["level"], downloadingRows, [undefined]],
    [
      "selected by visitors, of which several users may be",
      "#distinct_id",
      [],
      selecting,
      [undefined, undefined, undefined],
    ],
    ["selected by a property", "nick", ["#user_id"], selecting, [undefined, undefined, undefined]],
  ])(
    "have the number of the user if the store has it, and no other one can have the push id: %s",
    async (_how, pushIdProperty, names, project, expected) => {
      const source = createChannelAudience({ ...ports, projects: new Map([[1, project()]]) });
      const request = { projectId: 1, choice: usersOf([]), pushIdProperty, properties: names };
      const found = await collect(source.users(request, noSignal()));
      expect(found.map(({ userId }) => userId)).toEqual(expected);
      expect(found.map(({ properties: values }) => Object.keys(values))).toEqual(expected.map(() => names));
    },
  );

  it.each(["#account_id", "#user_id"])("are one recipient in equal rows of %s", async (pushIdProperty) => {
    const row = { values: [{ kind: { case: "stringValue" as const, value: "7" } }] };
    const engine: Pick<AnalysisEngine, "downloadUsers"> = {
      async *downloadUsers({ selectedColumns }) {
        expect(selectedColumns).toEqual([pushIdProperty]);
        yield create(DownloadEventUsersResponseSchema, {
          content: { case: "rows", value: { rows: [row, row] } },
        });
      },
    };
    const projects = new Map([[1, { engine: engine as AnalysisEngine }]]);
    const audience = create(AudienceSchema, { source: usersOf([]) });
    const request = { projectId: 1, audience, pushIdProperty, sampleSize: 2 };
    expect(
      await estimateAudience(createChannelAudience({ ...ports, projects }), request, noSignal()),
    ).toEqual({
      users: 2,
      reachable: 1,
      samplePushIds: ["7"],
    });
  });

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

  it("have a list as push id as they have it as a value", async () => {
    const request = { projectId: 1, pushIdProperty: "badges", properties: ["badges"] };
    const choice = usersOf([filter("#account_id", Comparator.EQUAL, ["ada"])]);
    expect(await collect(createChannelAudience(ports).users({ ...request, choice }, noSignal()))).toEqual([
      { pushId: '["x"]', properties: { badges: ["x"] } },
    ]);
  });

  it("are not there in a project that is not configured", async () => {
    const request = { projectId: 7, choice: usersOf([]), pushIdProperty: "nick", properties: [] };
    await expect(collect(createChannelAudience(ports).users(request, noSignal()))).rejects.toMatchObject({
      violations: [{ field: "project_id" }],
    });
  });
});

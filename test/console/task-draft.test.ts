import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { defaultContent } from "../../console/src/contents/content-draft.ts";
import { readJsonTree } from "../../console/src/controls/json-tree.ts";
import {
  type AudienceDraft,
  audienceOf,
  checkAudience,
  newAudience,
  QueryTextError,
} from "../../console/src/pages/tasks/form/audience/audience-draft.ts";
import {
  checkTaskDraft,
  messagesOf,
  newTaskDraft,
  restOf,
  type TaskDraft,
  taskOf,
} from "../../console/src/pages/tasks/form/task-draft.ts";
import { TableType } from "../../gen/engage/analysis/v1/column_pb.ts";
import { Comparator, FilterType, Relation } from "../../gen/engage/analysis/v1/filter_pb.ts";
import { EventUserQuerySchema } from "../../gen/engage/analysis/v1/query_pb.ts";
import { ChannelSchema, InputMethod } from "../../gen/engage/channel/v1/channel_pb.ts";
import { AudienceSchema, TaskSchema } from "../../gen/engage/channel/v1/task_pb.ts";

const channel = create(ChannelSchema, {
  channelId: "c1",
  contentTemplate: [
    { name: "title", inputMethod: InputMethod.TEXT },
    { name: "items", inputMethod: InputMethod.ARRAY_ROW, columns: ["id"] },
    { name: "note", inputMethod: InputMethod.TEXT },
  ],
});

const draftWith = (changes: Partial<TaskDraft>): TaskDraft => ({ ...newTaskDraft, name: "News", ...changes });
const group = { groupId: "a", share: "50", contents: [] };

describe("an audience", () => {
  test.each<[Partial<AudienceDraft>, Parameters<typeof create<typeof AudienceSchema>>[1]]>([
    [
      { kind: "pushIds", pushIds: " ann \n\nbob" },
      { source: { case: "pushIds", value: { pushIds: ["ann", "bob"] } } },
    ],
    [{ kind: "all" }, { source: { case: "users", value: {} } }],
    [
      { kind: "cohort", cohort: " vip ", day: "2026-01-31" },
      { source: { case: "cohort", value: { name: "vip", day: "2026-01-31" } } },
    ],
    [
      {
        kind: "users",
        filters: readJsonTree(
          `{"relation":"or","filts":[
            {"columnName":"level","tableType":"user","comparator":"equal","ftv":["1","2"]},
            {"filterType":"COMPOUND","filts":[{"columnName":"vip","tableType":"cluster","comparator":"belongToCluster"}]}
          ]}`,
        )!,
      },
      {
        source: {
          case: "users",
          value: {
            relation: Relation.OR,
            filts: [
              {
                columnName: "level",
                tableType: TableType.USER,
                comparator: Comparator.EQUAL,
                ftv: ["1", "2"],
              },
              {
                filterType: FilterType.COMPOUND,
                filts: [
                  {
                    columnName: "vip",
                    tableType: TableType.CLUSTER,
                    comparator: Comparator.BELONG_TO_CLUSTER,
                  },
                ],
              },
            ],
          },
        },
      },
    ],
    [
      { kind: "analysis", query: '{"projectId":"7"}' },
      { source: { case: "analysis", value: { projectId: 7n } } },
    ],
  ])("%j", (entered, audience) => {
    expect(audienceOf({ ...newAudience, ...entered })).toEqual(create(AudienceSchema, audience));
  });

  test("of a saved query is that of its number, which is missed until there is one", () => {
    const saved = { ...newAudience, kind: "analysis", savedId: "q1" } as const;
    expect([...checkAudience(saved).keys()]).toEqual(["audience.analysis"]);
    const savedUsers = create(EventUserQuerySchema, { projectId: 7n, eventIndex: 0 });
    const whole = { ...saved, savedUsers, query: "of another choice" };
    expect(checkAudience(whole).size).toBe(0);
    expect(audienceOf(whole).source.value).toEqual(savedUsers);
  });

  test.each(["", "{", '{"nope":1}'])("of a query that is none fails with the reason: %j", (query) => {
    expect(() => audienceOf({ ...newAudience, kind: "analysis", query })).toThrow(QueryTextError);
  });

  test("has the faults of its filters only while it is one of users", () => {
    const place = "audience.users.filts[0]";
    const kinds = [newAudience, { ...newAudience, kind: "users" } as const];
    expect(kinds.map((audience) => [...checkAudience(audience).keys()])).toEqual([
      [],
      [`${place}.column_name`, `${place}.ftv[0]`],
    ]);
  });
});

describe("a task", () => {
  test("has the values of the fields that the channel has", () => {
    const texts = { title: "Hi", items: "of another kind", gone: "x", note: "" };
    const content = { language: " en ", texts, rows: { items: [{ id: "1" }], title: [{ id: "2" }] } };
    const contents = [defaultContent, content];
    const task = messagesOf(draftWith({ contents, groups: [{ ...group, contents }] }), channel);
    const expected = [
      { language: "default" },
      {
        language: "en",
        values: {
          title: { value: { case: "text", value: "Hi" } },
          items: { value: { case: "rows", value: { rows: [{ cells: { id: "1" } }] } } },
        },
      },
    ] as const;
    expect(task).toEqual(
      create(TaskSchema, {
        name: "News",
        channelId: "c1",
        contents: expected as never,
        experimentGroups: [{ groupId: "a", share: 50, contents: expected as never }],
      }),
    );
  });

  test.each([
    ["none", undefined],
    ["at", { at: "2030-01-01 00:00:00", cron: "", zone: "UTC" }],
    ["cron", { at: "", cron: "0 9 * * *", zone: "UTC" }],
  ] as const)("has the schedule that is chosen: %s", (kind, schedule) => {
    const entered = { kind, at: " 2030-01-01 00:00:00", cron: "0 9 * * * ", zone: "UTC" };
    const task = taskOf(draftWith({ schedule: entered }), channel);
    expect(task.schedule && { ...task.schedule }).toEqual(schedule && expect.objectContaining(schedule));
  });
});

test.each<[Partial<TaskDraft>, string[]]>([
  [{}, []],
  [{ name: "" }, ["name"]],
  [{ contents: [defaultContent, { ...defaultContent, language: "z h" }] }, ["contents[1].language"]],
  [
    { audience: { ...newAudience, kind: "users" } },
    ["audience.users.filts[0].column_name", "audience.users.filts[0].ftv[0]"],
  ],
  [{ languageProperty: "a b" }, ["language_property"]],
  [
    { groups: [{ groupId: "a b", share: "101", contents: [{ ...defaultContent, language: "" }] }] },
    [
      "experiment_groups[0].contents[0].language",
      "experiment_groups[0].group_id",
      "experiment_groups[0].share",
    ],
  ],
  [{ schedule: { kind: "at", at: "tomorrow", cron: "", zone: "" } }, ["schedule.at"]],
  [{ schedule: { kind: "none", at: "tomorrow", cron: "", zone: "" } }, []],
])("the faults of %j are found at %j", (changes, paths) => {
  expect([...checkTaskDraft(draftWith(changes)).keys()].sort()).toEqual(paths);
});

test.each([
  [["33.3", "33.3", "33.3"], 0.1],
  [["50", "50"], 0],
  [["60", "50"], undefined],
  [["half"], undefined],
  [[""], 100],
])("the shares %j leave %j percent", (shares, rest) => {
  expect(restOf(shares.map((share) => ({ ...group, share })))).toBe(rest);
});

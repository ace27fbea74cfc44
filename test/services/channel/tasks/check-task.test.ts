import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { TableType } from "../../../../gen/engage/analysis/v1/column_pb.ts";
import { FilterType } from "../../../../gen/engage/analysis/v1/filter_pb.ts";
import { type Task, TaskSchema } from "../../../../gen/engage/channel/v1/task_pb.ts";
import { checkContent } from "../../../../services/channel/content/check-content.ts";
import { checkTask } from "../../../../services/channel/tasks/check-task.ts";
import { channelOf, projects } from "../channels/sample-channel.ts";

type Init = Exclude<MessageInitShape<typeof TaskSchema>, Task>;

const nowMs = Date.parse("2026-03-01T00:00:00Z");
const rules = { checkContent, projects };
const contentOf = (language: string) =>
  ({ language, values: { title: { value: { case: "text", value: "Hi" } } } }) as const;
const pushIds = (...ids: string[]) => ({ source: { case: "pushIds", value: { pushIds: ids } } }) as const;

function faultsOf(changes: Init): string[] {
  const init = { name: "News", contents: [contentOf("default")], audience: pushIds("a"), ...changes };
  const task = create(TaskSchema, init);
  return checkTask(task, channelOf(), rules, nowMs).map(
    ({ field, description }) => `${field} ${description}`,
  );
}

const group = (groupId: string, share: number) => ({ groupId, share });

describe("a valid task", () => {
  it.each<[string, Init]>([
    ["with nothing optional", {}],
    ["in languages", { contents: [contentOf("default"), contentOf("zh-CN")], languageProperty: "#language" }],
    ["with groups of a third each", { experimentGroups: ["a", "b", "c"].map((id) => group(id, 100 / 3)) }],
    ["with a control", { experimentGroups: [group("a", 0.5)] }],
    ["of a journey", { journey: { flowId: "f", flowVersion: "1", nodeId: "n" } }],
    ["with a schedule", { schedule: { cron: "0 9 * * 1-5", zone: "+08:00" } }],
    ["for a cohort", { audience: { source: { case: "cohort", value: { name: "vip", day: "2026-02-28" } } } }],
    ["for all users", { audience: { source: { case: "users", value: {} } } }],
    ["with an empty push id", { audience: pushIds("", "a") }],
  ])("%s is taken", (_what, changes) => {
    expect(faultsOf(changes)).toEqual([]);
  });
});

describe("a task", () => {
  it.each<[string, Init]>([
    ["name is required", { name: "" }],
    ['contents has no content of the language "default", which is required', { contents: [] }],
    ['contents has no content of the language "default"', { contents: [contentOf("en")] }],
    [
      'contents[1].language is "default", which is a repeat',
      { contents: [contentOf("default"), contentOf("default")], languageProperty: "a" },
    ],
    [
      'contents[1].language is "Default", which is a repeat of "default"',
      { contents: [contentOf("default"), contentOf("Default")], languageProperty: "a" },
    ],
    [
      'experiment_groups[0].contents[2].language is "EN", which is a repeat of "en"',
      {
        languageProperty: "a",
        experimentGroups: [{ ...group("a", 1), contents: ["default", "en", "EN"].map(contentOf) }],
      },
    ],
    [
      "contents[1].language is required",
      { contents: [contentOf("default"), contentOf("")], languageProperty: "a" },
    ],
    [
      'contents[1].language is "a b"',
      { contents: [contentOf("default"), contentOf("a b")], languageProperty: "a" },
    ],
    ['contents[0].values["title"] is required', { contents: [{ language: "default" }] }],
    [
      "language_property is required because there are several contents",
      { contents: [contentOf("default"), contentOf("en")] },
    ],
    ['language_property is "1"', { languageProperty: "1" }],
    ["audience.source is required", { audience: {} }],
    [
      "audience.users.filts[0].filts[0].table_type is event, valid are user and cluster",
      {
        audience: {
          source: {
            case: "users",
            value: { filts: [{ filterType: FilterType.COMPOUND, filts: [{ tableType: TableType.EVENT }] }] },
          },
        },
      },
    ],
    ["audience.push_ids is empty", { audience: pushIds() }],
    ["audience.push_ids.push_ids[1] has 1001 characters", { audience: pushIds("a", "b".repeat(1_001)) }],
    ["audience.cohort.name is required", { audience: { source: { case: "cohort", value: {} } } }],
    [
      'audience.cohort.day is "2026-02-30"',
      { audience: { source: { case: "cohort", value: { name: "vip", day: "2026-02-30" } } } },
    ],
    [
      "audience.analysis.project_id is 2, valid is 1",
      { audience: { source: { case: "analysis", value: { projectId: 2n } } } },
    ],
    ["experiment_groups[0].group_id is required", { experimentGroups: [group("", 1)] }],
    ['experiment_groups[1].group_id is "a"', { experimentGroups: [group("a", 1), group("a", 1)] }],
    ["experiment_groups[0].share is 0, valid is above 0 to 100", { experimentGroups: [group("a", 0)] }],
    ["experiment_groups[0].share is NaN, valid", { experimentGroups: [group("a", Number.NaN)] }],
    [
      "experiment_groups has shares of 101 percent, at most 100 are valid",
      { experimentGroups: [group("a", 50), group("b", 51)] },
    ],
    [
      'experiment_groups[0].contents has no content of the language "default"',
      { experimentGroups: [{ ...group("a", 1), contents: [contentOf("en")] }] },
    ],
    ["journey.flow_version is required", { journey: { flowId: "f", nodeId: "n" } }],
    ["schedule.at or cron is required", { schedule: {} }],
    ['schedule.cron is "x", valid are five fields', { schedule: { cron: "x" } }],
  ])("is refused: %s", (message, changes) => {
    const faults = faultsOf(changes);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(message);
  });

  const many = 60_000;
  const unknownValues = Object.fromEntries(
    Array.from({ length: many }, (_, i) => [`x${i}`, { value: { case: "text", value: "" } } as const]),
  );
  const filtersOf = (count: number) => Array.from({ length: count }, () => ({ tableType: TableType.EVENT }));
  it.each<[string, Init, number]>([
    ["contents", { contents: new Array(many).fill(contentOf("default")) }, 2],
    ["groups", { experimentGroups: new Array(many).fill(group("", 0)) }, 1],
    ["values", { contents: [{ language: "default", values: unknownValues }] }, 51],
    ["filters", { audience: { source: { case: "users", value: { filts: filtersOf(many) } } } }, 50],
  ])("reports a bounded number of faults for very many wrong %s", (_what, changes, count) => {
    expect(faultsOf(changes).length).toBe(count);
  });

  it("is refused with the beginnings of long values", () => {
    const long = "x".repeat(1_000_000);
    const faults = faultsOf({
      name: long,
      languageProperty: long,
      contents: [contentOf("default"), contentOf(long)],
      experimentGroups: [group(long, 1)],
      schedule: { at: long, zone: "UTC" },
      journey: { flowId: long, flowVersion: long, nodeId: long },
    });
    expect(faults).toHaveLength(8);
    expect(Math.max(...faults.map((fault) => fault.length))).toBeLessThan(400);
  });

  it("is refused without an audience", () => {
    expect(faultsOf({ audience: undefined as never })).toEqual(["audience is required"]);
  });
});

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMessage } from "../../console/src/filters/read-message.ts";
import { writeMessage } from "../../console/src/filters/write-message.ts";
import { givenPartOf } from "../../console/src/pages/tasks/definition.ts";
import {
  draftOfTask,
  faithfulDraftOf,
  taskOfText,
  textOfDraft,
  textOfTask,
} from "../../console/src/pages/tasks/form/task-copy.ts";
import { checkTaskDraft, newTaskDraft, taskOf } from "../../console/src/pages/tasks/form/task-draft.ts";
import { TableType } from "../../gen/engage/analysis/v1/column_pb.ts";
import { Comparator, FilterType, Relation } from "../../gen/engage/analysis/v1/filter_pb.ts";
import { ChannelSchema, InputMethod } from "../../gen/engage/channel/v1/channel_pb.ts";
import { type Task, TaskSchema, UserFilterSchema } from "../../gen/engage/channel/v1/task_pb.ts";
import { casesOf } from "../thorough.ts";

const channel = create(ChannelSchema, {
  channelId: "c1",
  contentTemplate: [
    { name: "title", inputMethod: InputMethod.TEXT },
    { name: "items", inputMethod: InputMethod.ARRAY_ROW, columns: ["id"] },
  ],
});

type Audience = NonNullable<MessageInitShape<typeof TaskSchema>["audience"]>["source"];

const condition = {
  columnName: "level",
  tableType: TableType.USER,
  comparator: Comparator.RANGE,
  ftv: ["9007199254740993", "x"],
};
const audiences: readonly Audience[] = [
  { case: "pushIds", value: { pushIds: ["ann", "bob"] } },
  { case: "users", value: {} },
  { case: "users", value: { relation: Relation.OR, filts: [condition, condition] } },
  {
    case: "users",
    value: { filts: [{ filterType: FilterType.COMPOUND, relation: Relation.AND, filts: [condition] }] },
  },
  { case: "cohort", value: { name: "vip", day: "2026-01-31" } },
  { case: "analysis", value: { projectId: 7n } },
];

const text = fc.stringMatching(/^[\w<>"'{}é中😀]{1,12}$/u);
const content = fc.record({
  language: fc.constantFrom("default", "en", "zh-CN"),
  values: fc.record(
    {
      title: text.map((value) => ({ value: { case: "text" as const, value } })),
      items: fc
        .array(
          text.map((id) => ({ cells: { id } })),
          { minLength: 1, maxLength: 3 },
        )
        .map((rows) => ({ value: { case: "rows" as const, value: { rows } } })),
    },
    { requiredKeys: [] },
  ),
});
const group = fc.record({
  groupId: text,
  share: fc.double({ min: 0.001, max: 100, noNaN: true }),
  contents: fc.array(content, { maxLength: 2 }),
});
const schedule = fc.oneof(
  fc.constant({ at: "2026-01-31 18:30:00", zone: "+08:00" }),
  fc.constant({ cron: "30 9 * * *" }),
);
const task = fc
  .record(
    {
      name: text,
      languageProperty: fc.constantFrom("", "#lang"),
      contents: fc.array(content, { minLength: 1, maxLength: 3 }),
      audience: fc.constantFrom(...audiences).map((source) => ({ source })),
      experimentGroups: fc.array(group, { maxLength: 3 }),
      schedule,
      journey: fc.record({ flowId: text, flowVersion: text, nodeId: text }),
    },
    { requiredKeys: ["name", "contents", "audience"] },
  )
  .map((given) => create(TaskSchema, { channelId: "c1", ...given } as MessageInitShape<typeof TaskSchema>));

describe("a task that is copied into the form", () => {
  test("comes out of it as it was, by the form and by its JSON", () => {
    fc.assert(
      fc.property(task, (given) => {
        expect(taskOf(draftOfTask(given), channel)).toEqual(given);
        expect(faithfulDraftOf(given, channel)).toBeDefined();
        expect(taskOfText(textOfTask(given))).toEqual(given);
        expect(taskOfText(textOfDraft(draftOfTask(given), channel))).toEqual(given);
      }),
      { numRuns: casesOf(500) },
    );
  });

  test("leaves out what the server added", () => {
    const stored = create(TaskSchema, { taskId: "t1", channelId: "c1", etag: "v1", taskInstanceId: "r1" });
    expect(givenPartOf(stored)).toEqual(create(TaskSchema, { channelId: "c1" }));
    expect(textOfTask(stored)).not.toContain("t1");
  });

  const one = (changes: MessageInitShape<typeof TaskSchema>): Task =>
    create(TaskSchema, { channelId: "c1", name: "News", contents: [{ language: "default" }], ...changes });
  const pushIds = (...ids: string[]) =>
    one({ audience: { source: { case: "pushIds", value: { pushIds: ids } } } });

  test.each<[string, Task]>([
    ["of another channel", one({ channelId: "c2", audience: { source: { case: "users", value: {} } } })],
    ["with a push id of two lines", pushIds("a\nb")],
    ["with a push id that ends in a space", pushIds("a ")],
    [
      "with a value of a field that is gone",
      one({
        contents: [{ language: "default", values: { gone: { value: { case: "text", value: "x" } } } }],
        audience: { source: { case: "users", value: {} } },
      }),
    ],
    ["without an audience", one({})],
  ])("%s is edited as JSON", (_what, given) => {
    expect(faithfulDraftOf(given, channel)).toBeUndefined();
    expect(taskOfText(textOfTask(given))).toEqual(given);
  });
});

test("filters are written in the words in which they are read", () => {
  const filter = create(UserFilterSchema, {
    relation: Relation.OR,
    filts: [condition, { filterType: FilterType.COMPOUND, filts: [condition] }],
  });
  const read = readMessage(UserFilterSchema, writeMessage(UserFilterSchema, filter));
  expect(read).toEqual({ message: filter, faults: [], ignored: [] });
});

test("the ids of a journey are needed where there is one", () => {
  const isOn = { ...newTaskDraft, journey: { ...newTaskDraft.journey, isOn: true, flowId: "a b" } };
  const found = [...checkTaskDraft(isOn)].filter(([path]) => path.startsWith("journey"));
  expect(found.map(([path, { key }]) => [path, key])).toEqual([
    ["journey.flow_id", "form.format.id"],
    ["journey.flow_version", "form.fault.required"],
    ["journey.node_id", "form.fault.required"],
  ]);
  expect([...checkTaskDraft(newTaskDraft).keys()].filter((path) => path.startsWith("journey"))).toEqual([]);
});

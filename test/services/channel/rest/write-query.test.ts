import { create, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { NullValue } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SubTableType, TableType } from "../../../../gen/engage/analysis/v1/column_pb.ts";
import { Comparator, FilterType, Relation, TimeUnit } from "../../../../gen/engage/analysis/v1/filter_pb.ts";
import {
  GetTaskResponseSchema,
  ListTasksResponseSchema,
} from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { type Task, TaskSchema } from "../../../../gen/engage/channel/v1/task_pb.ts";
import { codecs, decode, taskOf } from "./task-json.ts";

function write(message: Message) {
  const response = { request: message, index: 0, attachment: undefined };
  return JSON.parse(codecs.get(message.$typeName)!.encode!(message, response) as string);
}

function encode(task: Task): { task: Record<string, JsonValue> } {
  return write(create(GetTaskResponseSchema, { task }));
}

describe("answers", () => {
  test("are written in the words that are read", () => {
    const task = decode(
      taskOf({ columnName: "level", tableType: "user", comparator: "greater", ftv: ["3"] }),
    );
    const { audience, state } = encode(task).task;
    expect(audience).toMatchObject({
      users: { filts: [{ columnName: "level", tableType: "user", comparator: "greater", ftv: ["3"] }] },
    });
    expect(JSON.stringify(audience)).not.toMatch(/[A-Z]+_UNSPECIFIED/);
    expect(state).toBe("TASK_STATE_UNSPECIFIED");
  });

  test("of lists too", () => {
    const task = decode(taskOf({ tableType: "user" }));
    const list = create(ListTasksResponseSchema, { tasks: [task, task] });
    const written = write(list);
    expect(written.tasks[1].audience.users.filts[0].tableType).toBe("user");
  });

  const anyOf = (type: object) =>
    fc.constantFrom(...Object.values(type).filter((value): value is number => typeof value === "number"));
  const leaf = fc.record({
    columnName: fc.string(),
    comparator: anyOf(Comparator),
    tableType: anyOf(TableType),
    subTableType: anyOf(SubTableType),
    timeUnit: anyOf(TimeUnit),
    ftv: fc.array(fc.string(), { maxLength: 3 }),
  });
  const filter = fc.oneof(
    leaf,
    fc.record({
      filterType: anyOf(FilterType),
      relation: anyOf(Relation),
      filts: fc.array(leaf, { maxLength: 3 }),
    }),
  );
  const group = fc.oneof(
    fc.string().map((label) => ({ value: { case: "label", value: label } })),
    fc.constant({ value: { case: "nullValue", value: NullValue.NULL_VALUE } }),
  );
  const source = fc.oneof(
    fc.record({
      case: fc.constant("users"),
      value: fc.record({ filts: fc.array(filter), relation: anyOf(Relation) }),
    }),
    fc.record({
      case: fc.constant("analysis"),
      value: fc.record({ projectId: fc.bigInt(1n, 9n), sliceGroupVal: fc.array(group, { minLength: 2 }) }),
    }),
  );

  test("are read as the task that was written", () => {
    fc.assert(
      fc.property(source, (value) => {
        const task = create(TaskSchema, { name: "a", audience: { source: value as never } });
        const plain = toJson(TaskSchema, task);
        expect(toJson(TaskSchema, decode(encode(task).task))).toEqual(plain);
      }),
    );
  });
});

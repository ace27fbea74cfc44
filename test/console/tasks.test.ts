import { create, fromJsonString } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { definitionOf, maxShownIds } from "../../console/src/pages/tasks/definition.ts";
import { failedOf, funnelRowsOf, progressOf } from "../../console/src/pages/tasks/funnel-rows.ts";
import {
  describeState,
  isRunning,
  mayCancel,
  mayRun,
  stateNames,
  stateOf,
} from "../../console/src/pages/tasks/states.ts";
import { FunnelStepSchema, TaskStatisticsSchema } from "../../gen/engage/channel/v1/statistics_pb.ts";
import { TaskSchema, TaskState, TaskStateSchema } from "../../gen/engage/channel/v1/task_pb.ts";

describe("the states of a task", () => {
  test("all have a word, which leads back to them", () => {
    const states = TaskStateSchema.values
      .map(({ number }) => number as TaskState)
      .filter((state) => state !== TaskState.UNSPECIFIED);
    expect(stateNames.map(stateOf)).toEqual(states);
    expect(states.map((state) => describeState(state).key)).toEqual(
      stateNames.map((name) => `tasks.state.${name}`),
    );
    expect(stateOf("toString")).toBeUndefined();
  });

  test.each([
    [TaskState.DRAFT, false, true, true],
    [TaskState.SCHEDULED, false, true, true],
    [TaskState.PREPARING, true, false, true],
    [TaskState.SENDING, true, false, true],
    [TaskState.DONE, false, true, false],
    [TaskState.CANCELLED, false, false, false],
    [TaskState.FAILED, false, true, false],
  ])("%i runs: %j, may run: %j, may be cancelled: %j", (state, runs, run, cancel) => {
    expect([isRunning(state), mayRun(state), mayCancel(state)]).toEqual([runs, run, cancel]);
  });
});

describe("a funnel", () => {
  const steps = (...users: bigint[]) =>
    users.map((count, i) => create(FunnelStepSchema, { name: `s${i}`, users: count }));

  test("has the part of its first step for each", () => {
    const huge = 9_007_199_254_740_993n;
    expect(funnelRowsOf(steps(huge * 3n, huge, 0n)).map(({ share }) => share)).toEqual([1, 0.3333, 0]);
  });

  test("of nobody has no parts", () => {
    expect(funnelRowsOf(steps(0n, 0n)).map(({ share }) => share)).toEqual([undefined, undefined]);
    expect(funnelRowsOf([])).toEqual([]);
  });
});

test("the progress of a run is that of its batches, and failures are those of all reasons", () => {
  const failed = [
    { reason: "timeout", count: 2n },
    { reason: "rejected", count: 3n },
  ];
  const statistics = create(TaskStatisticsSchema, { batches: 8n, settledBatches: 2n, failed });
  expect([progressOf(statistics), failedOf(statistics)]).toEqual([0.25, 5n]);
  expect(progressOf(create(TaskStatisticsSchema))).toBe(0);
});

describe("the definition of a task", () => {
  const task = (count: number) =>
    create(TaskSchema, {
      taskId: "t1",
      etag: "v2",
      state: TaskState.DONE,
      name: "News",
      channelId: "c1",
      schedule: { cron: "0 9 * * *" },
      audience: {
        source: { case: "pushIds", value: { pushIds: Array.from({ length: count }, (_, i) => `u${i}`) } },
      },
    });

  test("is what its caller gave", () => {
    const { text, omitted } = definitionOf(task(2));
    expect(fromJsonString(TaskSchema, text)).toEqual(
      create(TaskSchema, {
        name: "News",
        channelId: "c1",
        schedule: { cron: "0 9 * * *" },
        audience: { source: { case: "pushIds", value: { pushIds: ["u0", "u1"] } } },
      }),
    );
    expect(omitted).toBe(0);
  });

  test("has the first push ids of a long list", () => {
    const { text, omitted } = definitionOf(task(maxShownIds + 7));
    expect(omitted).toBe(7);
    expect(text).toContain(`"u${maxShownIds - 1}"`);
    expect(text).not.toContain(`"u${maxShownIds}"`);
  });
});

import { describe, expect, it } from "vitest";
import { EventQuerySchema } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { returnCodes } from "../../../../services/analysis/refusal/refusal.ts";
import {
  EventsUnavailableError,
  PatternTooLargeError,
  PlanTooLargeError,
  TooManyQueriesError,
} from "../../../../store/events/events.ts";
import { analyze, call, engineOn, queryOf } from "../shape/answers.ts";
import { byBrand, group, metric } from "../shape/plans.ts";

const brandLike = (pattern: string) => ({
  columnName: "brand",
  tableType: "event",
  comparator: "regexMatch",
  ftv: [pattern],
});

describe("an engine", () => {
  const query = () => queryOf(EventQuerySchema, { view: byBrand });

  it("keeps nothing of a store", async () => {
    const { engine, held, signals } = engineOn({ groups: () => [group(["a"], [1, 1, 1, 1, 1, 1, 1])] });
    const { signal } = new AbortController();
    await engine.analyze(query(), call(signal));
    expect([held(), signals]).toEqual([0, [signal]]);
  });

  it.each([
    [new TooManyQueriesError("2 run, 8 wait"), returnCodes.busy, "2 run, 8 wait", 1_000],
    [
      new EventsUnavailableError("disk is full"),
      returnCodes.unavailable,
      "the event store is temporarily unavailable",
      undefined,
    ],
    [
      new PlanTooLargeError("the statement has more than 9 characters"),
      returnCodes.parameter,
      expect.stringContaining(
        "query: is too large for the engine: its conditions count once for each metric",
      ),
      undefined,
    ],
  ])("tells what ails its store: %s", async (fault, returnCode, message, retryAfterMs) => {
    await expect(engineOn({ fault }).engine.analyze(query(), call())).rejects.toMatchObject({
      returnCode,
      message,
      retryAfterMs,
    });
  });

  it.each([
    [{ filts: [brandLike("a{9}"), brandLike("a{99}")] }, "eventView.filts[1].ftv[0]"],
    [
      {
        filts: [
          { filterType: "COMPOUND", filts: [brandLike("a{9}")] },
          { ...brandLike("a"), comparator: "equal" },
        ],
      },
      "eventView.filts[0].filts[0].ftv[0]",
    ],
    [{}, "query"],
  ])("names the pattern that the engine has no room for: %j", async (view, field) => {
    const { engine } = engineOn({ fault: new PatternTooLargeError("too large") });
    const asked = engine.analyze(queryOf(EventQuerySchema, { view }), call());
    await expect(asked).rejects.toMatchObject({ returnCode: -1001, violations: [{ field }] });
  });

  it("passes on unforeseen errors", async () => {
    const fault = new Error("out of the blue");
    await expect(engineOn({ fault }).engine.analyze(query(), call())).rejects.toBe(fault);
  });

  it("stops when the signal is aborted", async () => {
    const { engine } = engineOn({});
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(engine.analyze(query(), call(signal))).rejects.toThrow("gone");
  });

  it("refuses an answer that is too large to be sent at once", async () => {
    const cells = new Array<number>(730).fill(0);
    const groups = () => Array.from({ length: 1_000 }, (_, i) => ({ key: [`g${i}`], cells: () => cells }));
    const events = Array.from({ length: 28 }, () => metric("TOTAL_TIMES"));
    const asked = { view: { ...byBrand, recentDay: "1-730" }, events };
    await expect(analyze({ groups }, asked)).rejects.toThrow(
      "limit: the result would have 20440000 values, at most 20000000 are possible",
    );
  });

  it.each([
    [{ limit: 0 }, "limit: 0 must be a whole number from 1 to 10000"],
    [{ limit: 10_001 }, "limit: 10001 must be a whole number from 1 to 10000"],
    [{ timeoutSeconds: 0 }, "timeoutSeconds: 0 must be above 0"],
  ])("refuses %j", async (body, message) => {
    await expect(analyze({}, { body })).rejects.toMatchObject({ returnCode: returnCodes.parameter, message });
  });

  it("knows the version of its data", () => {
    expect(engineOn({}).engine.version(1)).toBe(1);
  });
});

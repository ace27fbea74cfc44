import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { AnalyzeEventsResponseSchema } from "../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { type EventQuery, EventQuerySchema } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { createCachedResults } from "../../../../services/analysis/cache/cached-results.ts";
import { createSharedRuns } from "../../../../services/analysis/cache/shared-runs.ts";
import type { AnalysisEngine, RestCall } from "../../../../services/analysis/engine.ts";
import { fakeEngine } from "../proxy-server.ts";

const query = (init: MessageInitShape<typeof EventQuerySchema> = {}) =>
  create(EventQuerySchema, { projectId: 1n, ...init });
const answer = () => create(AnalyzeEventsResponseSchema, { data: { info: {} } });
const never = new AbortController().signal;

/** Asks, and says where the answers came from. */
function openAnswers(engine: Partial<AnalysisEngine> = {}, message = answer()) {
  const state = { nowMs: 1_000, version: 1 as number | undefined, runs: 0 };
  const project = {
    engine: fakeEngine({ version: () => state.version, ...engine }),
    engineName: "embedded" as const,
  };
  const answers = createCachedResults({ cacheMaxBytes: () => 100_000, now: () => state.nowMs });
  const ask = async (asked: EventQuery = query(), rest?: RestCall) => {
    const run = async () => {
      state.runs++;
      return { message };
    };
    const { source, response: found } = await answers.analyze({
      project,
      query: asked,
      rest,
      signal: never,
      run,
    });
    return { source, cached: found.message.data?.info?.cached };
  };
  return { state, answers, ask, project };
}

const fresh = { source: "engine", cached: false };
const kept = { source: "cache", cached: true };

describe("kept results", () => {
  test("are answered again, and say so", async () => {
    const { ask } = openAnswers();
    expect([await ask(), await ask(), await ask()]).toEqual([fresh, kept, kept]);
  });

  test.each([
    ["another query", { limit: 5 }],
    ["another project", { projectId: 2n }],
    ["other ignored members, which are named in the answer", { ignoredFields: ["x"] }],
  ])("are not for %s", async (_what, other) => {
    const { ask } = openAnswers();
    await ask();
    expect(await ask(query(other))).toEqual(fresh);
  });

  test("are for callers who wait another time", async () => {
    const { ask } = openAnswers();
    await ask();
    expect(await ask(query({ timeoutSeconds: 5, useCache: true }))).toEqual(kept);
  });

  test("are left alone by who wants none, and renewed", async () => {
    const { ask, state } = openAnswers();
    await ask();
    expect(await ask(query({ useCache: false }))).toEqual(fresh);
    expect([await ask(), state.runs]).toEqual([kept, 2]);
  });

  test("are out of date when events were loaded, cohorts imported, or a day may have begun", async () => {
    const { ask, state, answers } = openAnswers();
    await ask();
    state.version = 2;
    expect(await ask()).toEqual(fresh);
    answers.cohortImported(1);
    expect(await ask()).toEqual(fresh);
    answers.cohortImported(2);
    expect(await ask()).toEqual(kept);
    state.nowMs = 15 * 60_000;
    expect(await ask()).toEqual(fresh);
  });

  test("are not kept where it is unknown whether they are out of date", async () => {
    const { ask, state } = openAnswers();
    state.version = undefined;
    expect([await ask(), await ask()]).toEqual([fresh, fresh]);
  });

  const groupOf = (label: string) => ({
    groupCols: [{ value: { case: "label" as const, value: label } }],
  });
  test.each([
    ["all groups", (group: ReturnType<typeof groupOf>) => ({ unionGroups: [group] })],
    ["each metric", (group: ReturnType<typeof groupOf>) => ({ y: [{ entries: [group] }] })],
  ])("are as large as the labels of %s", async (_what, dataOf) => {
    const answerWith = (label: string) =>
      create(AnalyzeEventsResponseSchema, { data: { info: {}, ...dataOf(groupOf(label)) } });
    const { ask } = openAnswers({}, answerWith("a".repeat(49_000)));
    expect([await ask(), await ask()]).toEqual([fresh, kept]);
    const { ask: askLarge } = openAnswers({}, answerWith("a".repeat(50_000)));
    expect([await askLarge(), await askLarge()]).toEqual([fresh, fresh]);
  });

  test("do not keep failures", async () => {
    const { answers, project, ask } = openAnswers();
    const run = () => Promise.reject(new Error("not this time"));
    const failed = answers.analyze({ project, query: query(), rest: undefined, signal: never, run });
    await expect(failed).rejects.toThrow("not this time");
    expect(await ask()).toEqual(fresh);
  });
});

describe("queries at the same time", () => {
  const rest = (body: string): RestCall => ({ body: Buffer.from(body), search: new URLSearchParams() });

  test("are computed once", async () => {
    const { ask, state } = openAnswers();
    const sources = await Promise.all([ask(), ask(), ask()]);
    expect(sources.map(({ source }) => source)).toEqual(["engine", "shared", "shared"]);
    expect(state.runs).toBe(1);
  });

  test.each([
    ["over REST the body counts where the engine passes it on", undefined, 2],
    ["and does not where it takes the message", 1, 1],
  ])("%s", async (_what, version, runs) => {
    const { ask, state } = openAnswers();
    state.version = version;
    await Promise.all([ask(query(), rest("{}")), ask(query(), rest("{ }")), ask(query(), rest("{}"))]);
    expect(state.runs).toBe(runs);
  });
});

describe("shared runs", () => {
  function open() {
    const signals: AbortSignal[] = [];
    const ends: ((value: string) => void)[] = [];
    const runs = createSharedRuns<string>();
    const join = (signal: AbortSignal) =>
      runs.join(
        "key",
        (own) => {
          signals.push(own);
          return new Promise((resolve) => void ends.push(resolve));
        },
        signal,
      );
    return { signals, ends, join };
  }

  test("end when the last caller has left, not before", async () => {
    const { signals, join } = open();
    const [first, second] = [new AbortController(), new AbortController()];
    const waiting = [join(first.signal).result, join(second.signal).result].map((one) =>
      one.catch((error: Error) => error.message),
    );
    first.abort(new Error("first left"));
    expect(await waiting[0]).toBe("first left");
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    second.abort(new Error("second left"));
    expect(await waiting[1]).toBe("second left");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("who stays gets the outcome", async () => {
    const { ends, join } = open();
    const leaver = new AbortController();
    const left = join(leaver.signal).result.catch((error: Error) => error.message);
    const stays = join(never);
    leaver.abort(new Error("left"));
    ends[0]?.("done");
    expect([await left, await stays.result, stays.isShared]).toEqual(["left", "done", true]);
  });

  test("a caller after all others have left starts again", async () => {
    const { ends, join } = open();
    const leaver = new AbortController();
    const left = join(leaver.signal).result.catch((error: Error) => error.message);
    leaver.abort(new Error("left"));
    const next = join(never);
    ends[1]?.("second");
    expect([await left, next.isShared, await next.result]).toEqual(["left", false, "second"]);
  });

  test("who has left before it begins starts nothing", async () => {
    const { signals, join } = open();
    await expect(join(AbortSignal.abort(new Error("gone"))).result).rejects.toThrow("gone");
    expect(signals).toEqual([]);
  });
});

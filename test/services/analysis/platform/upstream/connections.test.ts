import { describe, expect, test } from "vitest";
import type { BreakerState } from "../../../../../base/async/breaker.ts";
import { AnalysisRefusal } from "../../../../../services/analysis/refusal/refusal.ts";
import { createIdentity } from "../../../../cmd/config/certificate.ts";
import {
  answerChunks,
  answerText,
  type Behaviour,
  closeAtOnce,
  cutOff,
  inTurn,
  openFakePlatform,
  stall,
  staySilent,
  writeAndReset,
} from "../fake-platform.ts";
import { callers, failure, goodAnswers, openEngine, operations, run } from "../platform-engine.ts";

const answer = (operation: (typeof operations)[number]): Behaviour => {
  const { type, body } = goodAnswers[operation];
  return answerText(200, type, body);
};

describe("connections", () => {
  test.each(operations)("%s: one after the other goes over the same connections", async (operation) => {
    await using platform = await openFakePlatform(answer(operation));
    await using engine = openEngine(platform.url);
    for (let i = 0; i < 20; i++) await run(engine, operation, callers[i % 2]!);
    expect(platform.requests).toHaveLength(20);
    // A connection may still be finishing its last response when the next query starts.
    expect(platform.connections()).toBeLessThanOrEqual(2);
  });

  test("many at once share the connections that are allowed", async () => {
    await using platform = await openFakePlatform(answer("analyze"));
    await using engine = openEngine(platform.url, { maxConnections: 3 });
    await Promise.all(Array.from({ length: 30 }, () => run(engine, "analyze", "rest")));
    expect([platform.requests.length, platform.connections()]).toEqual([30, 3]);
  });

  test("a refusal leaves the connection usable", async () => {
    await using platform = await openFakePlatform(answerText(200, "application/json", '{"return_code":-1}'));
    await using engine = openEngine(platform.url);
    for (const operation of [...operations, ...operations]) await failure(run(engine, operation, "typed"));
    expect(platform.connections()).toBeLessThanOrEqual(2);
  });
});

describe("a platform with a private certificate authority", () => {
  const identity = createIdentity();

  test.each(operations)("%s: is asked when its authority is named", async (operation) => {
    await using platform = await openFakePlatform(answer(operation), identity);
    await using engine = openEngine(platform.url, {}, { ca: identity.cert });
    for (const caller of callers) await run(engine, operation, caller);
    expect(platform.requests).toHaveLength(2);
  });

  test.each([
    ["none", undefined],
    ["another one", createIdentity().cert],
  ])("is refused when %s is, and what to set is said", async (_name, ca) => {
    await using platform = await openFakePlatform(answer("analyze"), identity);
    await using engine = openEngine(platform.url, {}, { ca });
    const refusal = await failure(run(engine, "analyze", "rest"));
    expect(refusal).toBeInstanceOf(AnalysisRefusal);
    expect(refusal).toMatchObject({
      message:
        "the platform's certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT): name its authority in analysis.platform.tls.ca",
    });
    expect(platform.requests).toEqual([]);
  });
});

describe("retries", () => {
  const table: [name: string, first: Behaviour, requests: number][] = [
    ["a connection closed before the answer", closeAtOnce, 2],
    ["a reset within the head of the answer", writeAndReset("HTTP/1.1 20"), 1],
    ["a cut in the middle", cutOff("text/csv", "x", "chunked"), 1],
    ["an error page", answerText(502, "text/html", "<html>"), 1],
    ["a refusal", answerText(200, "application/json", '{"return_code":-1005}'), 1],
    ["silence", staySilent, 1],
  ];
  test.each(
    table.flatMap(([name, first, requests]) =>
      operations.map((operation) => [name, operation, first, requests] as const),
    ),
  )("after %s: %s", async (_name, operation, first, requests) => {
    await using platform = await openFakePlatform(inTurn(first, answer(operation)));
    await using engine = openEngine(platform.url, { retries: 3, timeoutMs: 400 });
    await failure(run(engine, operation, "rest"));
    expect(platform.requests).toHaveLength(requests);
  });

  test("on a kept connection too, when it is closed before a byte came", async () => {
    await using platform = await openFakePlatform(inTurn(answer("analyze"), closeAtOnce, answer("analyze")));
    const retried: Error[] = [];
    await using engine = openEngine(
      platform.url,
      { retries: 1 },
      { observer: { retried: (error) => void retried.push(error) } },
    );
    await run(engine, "analyze", "rest");
    await run(engine, "analyze", "rest");
    expect([platform.requests.length, platform.connections(), retried.length]).toEqual([3, 2, 1]);
  });

  test("but not there either once a byte came", async () => {
    await using platform = await openFakePlatform(inTurn(answer("analyze"), writeAndReset("HTTP/1.1 20")));
    await using engine = openEngine(platform.url, { retries: 3 });
    await run(engine, "analyze", "rest");
    expect(await failure(run(engine, "analyze", "rest"))).toMatchObject({ returnCode: -1006 });
    expect(platform.requests).toHaveLength(2);
  });

  test("are as many as configured", async () => {
    await using platform = await openFakePlatform(closeAtOnce);
    await using engine = openEngine(platform.url, { retries: 2 });
    expect(await failure(run(engine, "analyze", "typed"))).toMatchObject({ returnCode: -1006 });
    expect(platform.requests).toHaveLength(3);
  });

  test("a platform that is not there is UNAVAILABLE", async () => {
    const gone = await openFakePlatform();
    await gone[Symbol.asyncDispose]();
    await using engine = openEngine(gone.url, { retries: 1 });
    const message = "the platform cannot be reached: connection refused";
    expect(await failure(run(engine, "analyze", "typed"))).toMatchObject({ returnCode: -1006, message });
  });
});

describe("a caller who leaves", () => {
  const reason = new Error("gone");
  const places: [name: string, behaviour: Behaviour][] = [
    ["before the answer", staySilent],
    ["in the middle of it", stall("text/csv", '"Metric","version"')],
    ["in the middle of JSON", stall("application/json", '{"return_code":0')],
  ];
  test.each(
    places.flatMap(([name, behaviour]) =>
      operations.flatMap((operation) =>
        callers.map((caller) => [name, operation, caller, behaviour] as const),
      ),
    ),
  )("%s: %s by %s is cancelled upstream", async (_name, operation, caller, behaviour) => {
    const started = Promise.withResolvers<void>();
    await using platform = await openFakePlatform((exchange) => {
      void behaviour(exchange);
      started.resolve();
    });
    await using engine = openEngine(platform.url);
    const controller = new AbortController();
    const call = failure(run(engine, operation, caller, controller.signal));
    await started.promise;
    controller.abort(reason);
    expect(await call).toBe(reason);
    await platform.abandoned;
  });

  test("after the first piece of a download works by ending the read", async () => {
    await using platform = await openFakePlatform(stall("text/csv", "a,b\n"));
    await using engine = openEngine(platform.url, { paths: ["x"] });
    const query = { path: "x", projectId: 1, contentType: "application/json", body: Buffer.from("{}") };
    const pieces = engine.forward({ ...query, search: new URLSearchParams() }, new AbortController().signal);
    for await (const { data } of pieces) {
      expect(Buffer.from(data).toString()).toBe("a,b\n");
      break;
    }
    await platform.abandoned;
  });

  test("before it began makes no call", async () => {
    await using platform = await openFakePlatform();
    await using engine = openEngine(platform.url);
    expect(await failure(run(engine, "analyze", "rest", AbortSignal.abort(reason)))).toBe(reason);
    expect(platform.requests).toEqual([]);
  });
});

describe("the breaker", () => {
  const faults: [name: string, behaviour: Behaviour][] = [
    ["connections that fail", closeAtOnce],
    ["error pages", answerText(502, "text/html", "<html>")],
    ["pages in HTTP 200", answerText(200, "text/html", "<html>")],
    ["silence", staySilent],
    ["cuts in the middle", cutOff("text/csv", '"Metric","version","2026-08-23"\n', "chunked")],
  ];
  test.each(
    faults.flatMap(([name, behaviour]) =>
      operations.map((operation) => [name, operation, behaviour] as const),
    ),
  )("opens after %s in %s, and closes after a probe", async (_name, operation, behaviour) => {
    await using platform = await openFakePlatform(behaviour);
    const clock = { ms: 0 };
    const states: BreakerState["kind"][] = [];
    await using engine = openEngine(
      platform.url,
      { timeoutMs: 300, breaker: { failures: 3, openMs: 1_000 } },
      { now: () => clock.ms, observer: { breakerChanged: (state) => void states.push(state) } },
    );
    for (let i = 0; i < 3; i++) await failure(run(engine, operation, "rest"));
    const message =
      "the platform has failed several times in a row and is not called for now: the next attempt is in 1 s";
    expect(await failure(run(engine, operation, "rest"))).toMatchObject({ returnCode: -1006, message });
    expect(platform.requests).toHaveLength(3);
    clock.ms = 1_000;
    platform.behave(answer(operation));
    await run(engine, operation, "rest");
    await run(engine, operation, "rest");
    expect([platform.requests.length, states]).toEqual([5, ["open", "half-open", "closed"]]);
  });

  test.each([
    ["refusals", answerText(200, "application/json", '{"return_code":-1001}')],
    ["HTTP 404", answerText(404, "text/plain", "no")],
  ])("stays closed after %s: the platform works", async (_name, behaviour) => {
    await using platform = await openFakePlatform(behaviour);
    await using engine = openEngine(platform.url, { breaker: { failures: 1 } });
    for (const operation of operations) await failure(run(engine, operation, "typed"));
    expect(platform.requests).toHaveLength(4);
  });

  test.each([
    ["29 s", 29_999, []],
    ["30 s", 30_000, ["open"]],
  ])("counts silence until the caller's own time limit after %s", async (_name, waitedMs, expected) => {
    const started = Promise.withResolvers<void>();
    await using platform = await openFakePlatform(() => started.resolve());
    const clock = { ms: 0 };
    const states: BreakerState["kind"][] = [];
    await using engine = openEngine(
      platform.url,
      { breaker: { failures: 1 } },
      { now: () => clock.ms, observer: { breakerChanged: (state) => void states.push(state) } },
    );
    const limit = new AbortController();
    const call = failure(run(engine, "analyze", "rest", limit.signal));
    await started.promise;
    clock.ms = waitedMs;
    const refusal = new AnalysisRefusal(-1004, "time is over");
    limit.abort(refusal);
    expect([await call, states]).toEqual([refusal, expected]);
  });

  test("a download that is still running does not hold the probe", async () => {
    const first = answerText(500, "text/plain", "x");
    await using platform = await openFakePlatform(
      inTurn(first, stall("text/csv", "a"), answerChunks("text/csv", ["b"])),
    );
    const clock = { ms: 0 };
    const breaker = { failures: 1, openMs: 1_000 };
    await using engine = openEngine(platform.url, { paths: ["x"], breaker }, { now: () => clock.ms });
    const query = {
      path: "x",
      projectId: 1,
      contentType: "application/json",
      body: Buffer.from("{}"),
      search: new URLSearchParams(),
    };
    const { signal } = new AbortController();
    await failure(run(engine, "download", "rest"));
    clock.ms = 1_000;
    const running = engine.forward(query, signal)[Symbol.asyncIterator]();
    await running.next();
    expect(await run(engine, "download", "rest")).toHaveLength(1);
    await running.return?.();
  });
});

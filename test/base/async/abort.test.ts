import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eachUntilAborted, startTimeLimit, untilAborted } from "../../../base/async/abort.ts";

const never = new Promise<never>(() => {});
const listenersOf = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("untilAborted", () => {
  it("has the outcome of the work, and leaves no listener", async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(untilAborted(Promise.reject(new Error("failed")), signal)).rejects.toThrow("failed");
    expect(listenersOf(signal)).toBe(0);
  });

  it("rejects with the reason, also when the signal was aborted before", async () => {
    const call = new AbortController();
    const waiting = untilAborted(never, call.signal);
    call.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(untilAborted(never, call.signal)).rejects.toThrow("enough");
    expect(listenersOf(call.signal)).toBe(0);
  });

  it("rejects with the error that is made of the reason", async () => {
    const toError = (reason: unknown) => new Error(`made of ${reason}`);
    await expect(untilAborted(never, AbortSignal.abort("this"), toError)).rejects.toThrow("made of this");
  });

  it("ignores that the work fails later", async () => {
    const work = Promise.withResolvers<void>();
    await expect(untilAborted(work.promise, AbortSignal.abort(new Error("enough")))).rejects.toThrow();
    work.reject(new Error("late"));
    await expect(work.promise).rejects.toThrow("late");
  });
});

describe("eachUntilAborted", () => {
  it("gives the same items, and leaves no listener", async () => {
    const { signal } = new AbortController();
    const items = (async function* () {
      yield* [1, 2, 3];
    })();
    const given: number[] = [];
    for await (const item of eachUntilAborted(items, signal)) given.push(item);
    expect(given).toEqual([1, 2, 3]);
    expect(listenersOf(signal)).toBe(0);
  });

  it("throws the reason while a source that ignores the signal gives nothing", async () => {
    const call = new AbortController();
    const items = (async function* () {
      yield 1;
      await never;
    })();
    const each = eachUntilAborted(items, call.signal);
    expect(await each.next()).toEqual({ done: false, value: 1 });
    const next = each.next();
    call.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
  });

  it("ends the source when the reader leaves", async () => {
    const ended = Promise.withResolvers<string>();
    const items = (async function* () {
      try {
        yield* [1, 2, 3];
      } finally {
        ended.resolve("ended");
      }
    })();
    for await (const item of eachUntilAborted(items, new AbortController().signal)) if (item === 2) break;
    expect(await ended.promise).toBe("ended");
  });
});

describe("startTimeLimit", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("aborts when the time is over", () => {
    using limit = startTimeLimit(100, () => "over");
    vi.advanceTimersByTime(99);
    expect(limit.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(limit.signal.reason).toBe("over");
  });

  it("aborts with the caller's signal, also with one that was aborted before", () => {
    const caller = new AbortController();
    using limit = startTimeLimit(100, () => "over", caller.signal);
    caller.abort("left");
    expect(limit.signal.reason).toBe("left");
    using late = startTimeLimit(100, () => "over", caller.signal);
    expect(late.signal.reason).toBe("left");
  });

  it("leaves neither timer nor listener", () => {
    const caller = new AbortController();
    const limit = startTimeLimit(100, () => "over", caller.signal);
    limit[Symbol.dispose]();
    expect([vi.getTimerCount(), listenersOf(caller.signal)]).toEqual([0, 0]);
  });
});

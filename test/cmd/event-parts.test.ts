import { describe, expect, it, vi } from "vitest";
import { startCompaction } from "../../cmd/serve/event/compaction.ts";
import { gateService } from "../../cmd/serve/lazy/gated-service.ts";
import { createLazilyOpen } from "../../cmd/serve/lazy/lazily-open.ts";
import { EventCollector } from "../../gen/engage/event/v1/event_collector_pb.ts";
import type { CompactOptions, CompactReport } from "../../store/events/events.ts";
import { linesOf, problemsOf } from "./config/load.ts";

describe("something that is opened when it is needed", () => {
  const openable = () => {
    const log: string[] = [];
    const open = vi.fn(async () => ({ [Symbol.asyncDispose]: async () => void log.push("closed") }));
    return { log, open };
  };

  it("is opened once, and closed with it", async () => {
    const { log, open } = openable();
    const lazy = createLazilyOpen(open);
    expect(lazy.peek()).toBeUndefined();
    const [first, second] = await Promise.all([lazy.get(), lazy.get()]);
    expect(first).toBe(second);
    expect(lazy.peek()).toBe(first);
    await lazy[Symbol.asyncDispose]();
    expect([log, open.mock.calls.length, lazy.peek()]).toEqual([["closed"], 1, undefined]);
    await expect(lazy.get()).rejects.toThrow("it is closed");
  });

  it("is tried again after a failure", async () => {
    const { open } = openable();
    open.mockRejectedValueOnce(new Error("no"));
    const lazy = createLazilyOpen(open);
    expect(lazy.hasFailed()).toBe(false);
    await expect(lazy.get()).rejects.toThrow("no");
    expect(lazy.hasFailed()).toBe(true);
    expect(await lazy.get()).toBe(lazy.peek());
    expect(lazy.hasFailed()).toBe(false);
  });

  it("need not have been opened to be closed", async () => {
    const { log, open } = openable();
    await createLazilyOpen(open)[Symbol.asyncDispose]();
    expect([log, open.mock.calls.length]).toEqual([[], 0]);
  });
});

describe("service behind a gate", () => {
  const context = undefined as never;
  const implementation = {
    ingest: () => ({ code: 0 }),
    async *trackStream() {
      yield { sequence: 1n };
    },
    healthCheck: () => ({}),
  };

  it("is called when the gate is open, and at once from then on", async () => {
    let opening: Promise<void> | undefined = Promise.resolve();
    const service = gateService(EventCollector, implementation as never, () => opening, ["ingest"]);
    expect(await service.ingest({} as never, context)).toEqual({ code: 0 });
    expect(service.ingest({} as never, context)).toBeInstanceOf(Promise);
    opening = undefined;
    expect(service.ingest({} as never, context)).toEqual({ code: 0 });
    expect(service.healthCheck).toBe(implementation.healthCheck);
  });

  it("fails with the gate, streams too", async () => {
    const service = gateService(
      EventCollector,
      implementation as never,
      () => Promise.reject(new Error("shut")),
      ["ingest", "trackStream"],
    );
    await expect(service.ingest({} as never, context)).rejects.toThrow("shut");
    const stream = service.trackStream([] as never, context)[Symbol.asyncIterator]();
    await expect(stream.next()).rejects.toThrow("shut");
  });
});

describe("compaction", () => {
  const report = (rewrittenDays: number): CompactReport => ({
    rewrittenDays,
    droppedDays: 0,
    droppedEvents: 0,
  });

  it("runs once an hour, and tells what it changed and what failed", async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 22, 30) });
    try {
      const rounds: number[] = [];
      const told: unknown[] = [];
      const answers = [async () => report(1), async () => report(0), () => Promise.reject(new Error("away"))];
      await using _compaction = startCompaction({
        store: {
          compact: ({ nowMs }: CompactOptions) => {
            rounds.push(new Date(nowMs).getUTCHours());
            return answers[rounds.length - 1]!();
          },
        },
        keepDays: new Map(),
        now: Date.now,
        done: (one) => void told.push(one.rewrittenDays),
        failed: (error) => void told.push(String(error)),
      });
      await vi.advanceTimersByTimeAsync(120 * 60_000 - 1);
      expect(rounds).toEqual([22, 23, 0]);
      expect(told).toEqual([1, "Error: away"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is broken off when it is closed", async () => {
    vi.useFakeTimers();
    try {
      let signal: AbortSignal | undefined;
      const failed = vi.fn();
      const compaction = startCompaction({
        store: {
          compact: (options: CompactOptions) => {
            signal = options.signal;
            const { promise, reject } = Promise.withResolvers<CompactReport>();
            options.signal.addEventListener("abort", () => reject(options.signal.reason));
            return promise;
          },
        },
        keepDays: new Map(),
        now: Date.now,
        done: () => {},
        failed,
      });
      await vi.advanceTimersByTimeAsync(60_000);
      await compaction[Symbol.asyncDispose]();
      expect([signal?.aborted, failed.mock.calls.length]).toEqual([true, 0]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("settings of what is stored", () => {
  it.each([
    [
      "parser: { store: { project: 1 } }",
      "engage.yaml:1:29: parser.store.project: there is no project 1, projects is empty",
    ],
    [
      'projects: [{ id: 1 }]\nparser: { store: { project: 1, formats: [a] }, formats: [{ name: b, index: "*", type: pass_through }] }',
      'engage.yaml:2:42: parser.store.formats[0]: there is no format "a", formats are b',
    ],
  ])("%s", (text, problem) => {
    expect(linesOf(problemsOf(text))).toEqual([problem]);
  });
});

import { describe, expect, it, vi } from "vitest";
import { startCompaction } from "../../../../cmd/serve/event/compaction.ts";
import type { CompactOptions, CompactReport } from "../../../../store/events/events.ts";

describe("compaction", () => {
  const report = (rewrittenDays: number): CompactReport => ({
    rewrittenDays,
    droppedDays: 0,
    droppedEvents: 0,
  });

  it("runs once an hour, and reports what it changed and what failed", async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 22, 30) });
    try {
      const rounds: number[] = [];
      const reported: unknown[] = [];
      const answers = [async () => report(1), async () => report(0), () => Promise.reject(new Error("away"))];
      await using _compaction = startCompaction({
        store: {
          compact: ({ nowMs }: CompactOptions) => {
            rounds.push(new Date(nowMs).getUTCHours());
            return answers[rounds.length - 1]!();
          },
        },
        keepDays: () => new Map(),
        now: Date.now,
        done: (one) => void reported.push(one.rewrittenDays),
        failed: (error) => void reported.push(String(error)),
      });
      await vi.advanceTimersByTimeAsync(120 * 60_000 - 1);
      expect(rounds).toEqual([22, 23, 0]);
      expect(reported).toEqual([1, "Error: away"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is aborted when it is closed", async () => {
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
        keepDays: () => new Map(),
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

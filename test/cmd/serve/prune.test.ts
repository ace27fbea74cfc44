import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startPruning } from "../../../cmd/serve/prune.ts";
import type { PruneResult } from "../../../store/inbox/inbox.ts";

describe("pruning", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const result = { batches: 1, claims: 0, deadLetters: 0, more: false };

  it("prunes once a minute as long as there is more, also after a failure", async () => {
    const answers: (() => Promise<PruneResult>)[] = [
      async () => ({ ...result, more: true }),
      async () => result,
      async () => {
        throw new Error("away");
      },
      async () => result,
    ];
    const prune = vi.fn(() => answers.shift()!());
    const failed = vi.fn();
    const upkeep = startPruning({ prune }, failed);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(prune).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(prune).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(prune).toHaveBeenCalledTimes(4);
    expect(failed).toHaveBeenCalledExactlyOnceWith(new Error("away"));
    await upkeep[Symbol.asyncDispose]();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(prune).toHaveBeenCalledTimes(4);
  });

  it("waits for a piece that is under way, and begins no other", async () => {
    const piece = Promise.withResolvers<PruneResult>();
    const prune = vi.fn(() => piece.promise);
    const upkeep = startPruning({ prune }, () => {});
    await vi.advanceTimersByTimeAsync(180_000);
    const closed = upkeep[Symbol.asyncDispose]();
    piece.resolve({ ...result, more: true });
    await closed;
    expect(prune).toHaveBeenCalledTimes(1);
  });
});

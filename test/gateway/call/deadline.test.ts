import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DeadlineQueue, type ExpiringCall } from "../../../gateway/call/deadline.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function waiter(name: string, expired: string[]): ExpiringCall {
  const endMs = performance.now() + 100;
  return {
    timeoutMs: () => endMs - performance.now(),
    expire: () => {
      expired.push(name);
    },
  };
}

it("ends each one at its time, with one timer for all", () => {
  const expired: string[] = [];
  const queue = new DeadlineQueue(100);
  queue.add(waiter("first", expired));
  vi.advanceTimersByTime(60);
  queue.add(waiter("second", expired));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(40);
  expect(expired).toEqual(["first"]);
  vi.advanceTimersByTime(59);
  expect(expired).toEqual(["first"]);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual(["first", "second"]);
  expect(vi.getTimerCount()).toBe(0);
});

it("leaves out what was taken back, and starts again after a pause", () => {
  const expired: string[] = [];
  const queue = new DeadlineQueue(100);
  const done = waiter("done", expired);
  queue.add(done);
  queue.delete(done);
  vi.advanceTimersByTime(500);
  expect(expired).toEqual([]);
  queue.add(waiter("late", expired));
  vi.advanceTimersByTime(100);
  expect(expired).toEqual(["late"]);
});

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ListMember } from "../../../base/collections/linked-list.ts";
import { DeadlineQueue, type ExpiringCall } from "../../../gateway/call/deadline.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

class Waiter extends ListMember implements ExpiringCall {
  readonly #name: string;
  readonly #expired: string[];
  readonly #endMs = performance.now() + 100;

  constructor(name: string, expired: string[]) {
    super();
    this.#name = name;
    this.#expired = expired;
  }

  timeoutMs(): number {
    return this.#endMs - performance.now();
  }

  expire(): void {
    this.#expired.push(this.#name);
  }
}

const waiter = (name: string, expired: string[]): ExpiringCall => new Waiter(name, expired);

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

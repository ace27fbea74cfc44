import { expect, test } from "vitest";
import { Deadlines } from "../../../../../services/channel/delivery/call/deadlines.ts";
import { FakeClock } from "../../../../base/async/fake-clock.ts";

/** Returns a clock, what aborts calls by it, and what begins a call. */
function create() {
  const clock = new FakeClock();
  const deadlines = new Deadlines(clock);
  const begin = (ms: number): AbortController => {
    const ending = new AbortController();
    deadlines.add(ending, ms);
    return ending;
  };
  return { clock, deadlines, begin };
}

/** Returns the times after which calls are aborted that begin together and take this long at most. */
async function abortTimes(...maxMs: readonly number[]): Promise<readonly number[]> {
  const { clock, begin } = create();
  const endedMs: number[] = [];
  for (const [i, ms] of maxMs.entries()) {
    begin(ms).signal.addEventListener("abort", () => {
      endedMs[i] = clock.monotonicMs();
    });
  }
  await clock.advance(1_000);
  return endedMs;
}

test.each([
  ["a shorter time that is added later", [50, 20]],
  ["a longer time that is added later", [20, 50]],
  ["the shortest of several", [50, 20, 30]],
  ["two that are left, the longer one added last", [10, 20, 50]],
  ["two that are left, the longer one added first", [10, 50, 20]],
])("each call is aborted when its own time is over: %s", async (_name, maxMs) => {
  expect(await abortTimes(...maxMs)).toEqual(maxMs);
});

test("a call that has ended is not aborted, and one that begins later is", async () => {
  const { clock, deadlines, begin } = create();
  const [ended, short] = [begin(10), begin(20)];
  deadlines.delete(ended);
  await clock.advance(20);
  expect(short.signal.reason).toMatchObject({ name: "TimeoutError" });
  const late = begin(40);
  await clock.advance(39);
  expect([ended, late].map(({ signal }) => signal.aborted)).toEqual([false, false]);
  await clock.advance(1);
  expect(late.signal.aborted).toBe(true);
});

test("at most one timer waits, and none when all calls have ended", () => {
  const { clock, deadlines, begin } = create();
  const calls = [50, 20, 30].map(begin);
  expect(clock.timers).toBe(1);
  for (const call of calls) deadlines.delete(call);
  expect(clock.timers).toBe(0);
});

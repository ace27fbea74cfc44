import { expect, test } from "vitest";
import { Deadlines } from "../../../../../services/channel/delivery/call/deadlines.ts";
import { FakeClock } from "../../../../base/async/fake-clock.ts";

test("each call is aborted when its own time is over, unless it has ended", async () => {
  const clock = new FakeClock();
  const deadlines = new Deadlines(clock);
  const callOf = (ms: number) => {
    const ending = new AbortController();
    deadlines.add(ending, ms);
    return ending;
  };
  const [ended, long, short, other] = [callOf(10), callOf(50), callOf(20), callOf(20)];
  const states = () => [ended, long, short, other].map(({ signal }) => signal.aborted);
  deadlines.delete(ended!);
  await clock.advance(19);
  expect(states()).toEqual([false, false, false, false]);
  await clock.advance(1);
  expect(states()).toEqual([false, false, true, true]);
  expect(short!.signal.reason).toMatchObject({ name: "TimeoutError" });
  const late = callOf(40);
  await clock.advance(30);
  expect([...states(), late.signal.aborted]).toEqual([false, true, true, true, false]);
  await clock.advance(10);
  expect(late.signal.aborted).toBe(true);
});

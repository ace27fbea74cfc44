import { expect, it } from "vitest";
import { Notifier } from "../../../base/async/notifier.ts";
import { FakeClock } from "./fake-clock.ts";

function open() {
  const clock = new FakeClock();
  const notifier = new Notifier(clock);
  const woken: string[] = [];
  const wait = (name: string, ms: number) => void notifier.wait(ms).then(() => woken.push(name));
  return { clock, notifier, woken, wait };
}

it("ends all waits", async () => {
  const { clock, notifier, woken, wait } = open();
  wait("a", 100);
  wait("b", 100);
  await clock.advance(99);
  expect(woken).toEqual([]);
  notifier.notify();
  await clock.advance(0);
  expect(woken).toEqual(["a", "b"]);
});

it("ends a wait after its time", async () => {
  const { clock, woken, wait } = open();
  wait("a", 100);
  wait("b", 200);
  await clock.advance(100);
  expect(woken).toEqual(["a"]);
});

it("ends the next wait at once when nothing waits, and only that", async () => {
  const { clock, notifier, woken, wait } = open();
  notifier.notify();
  notifier.notify();
  wait("a", 100);
  await clock.advance(0);
  wait("b", 100);
  await clock.advance(0);
  expect(woken).toEqual(["a"]);
});

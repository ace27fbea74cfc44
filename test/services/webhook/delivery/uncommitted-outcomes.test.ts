import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { UncommittedOutcomes } from "../../../../services/webhook/delivery/uncommitted-outcomes.ts";

it("lets calls begin again once enough of what is answered is settled", async () => {
  const answered = new UncommittedOutcomes();
  answered.add(89);
  expect(answered.isFull).toBe(false);
  answered.add(1);
  const order: string[] = [];
  const waiting = answered.untilRoom(new AbortController().signal).then(() => order.push("room"));
  order.push("settled");
  answered.settled(1);
  await waiting;
  expect([order, answered.isFull]).toEqual([["settled", "room"], false]);
});

it("waits no longer than its signal allows", async () => {
  const answered = new UncommittedOutcomes();
  answered.add(100);
  const controller = new AbortController();
  const waiting = answered.untilRoom(controller.signal);
  controller.abort();
  await waiting;
  expect(answered.isFull).toBe(true);
});

it("leaves no listener on its signal after a wait", async () => {
  const uncommitted = new UncommittedOutcomes();
  uncommitted.add(100);
  const { signal } = new AbortController();
  const waiting = uncommitted.untilRoom(signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  uncommitted.settled(100);
  await waiting;
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

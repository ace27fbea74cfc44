import { expect, it, vi } from "vitest";
import { batchOf } from "../../services/webhook/bodies.ts";
import { booked, openWithTarget } from "./http-target.ts";

it("a batch sent 100 times at once is handled once, with 100 identical replies", async () => {
  const { server, target } = await openWithTarget();
  const body = batchOf(["a", "", "b"], "r-1");
  const answers = await Promise.all(Array.from({ length: 100 }, () => server.send(body)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  await vi.waitUntil(async () => (await booked(server, "delivered")) === 2);
  expect(await booked(server, "accepted")).toBe(2);
  expect(target.calls).toHaveLength(2);
});

it("100 bodies with one id at once: one is handled, the others are conflicts", async () => {
  const { server, target } = await openWithTarget();
  const bodies = Array.from({ length: 100 }, (_, n) => batchOf([`user-${n}`], "r-1"));
  const statuses = (await Promise.all(bodies.map((body) => server.send(body)))).map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array(99).fill(409)]);
  await vi.waitUntil(async () => (await booked(server, "delivered")) === 1);
  expect(target.calls).toHaveLength(1);
});

it("one id on two channels is two batches", async () => {
  const { server, target } = await openWithTarget();
  const body = batchOf(["a"], "r-1");
  const answers = [await server.send(body), await server.send(body, { channel: "other" })];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  await vi.waitUntil(async () => (await booked(server, "delivered")) === 2);
  expect(target.calls).toHaveLength(2);
});

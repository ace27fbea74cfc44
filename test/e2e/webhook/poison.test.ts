import { expect, it, vi } from "vitest";
import { batchOf } from "../../services/webhook/bodies.ts";
import { booked, openWithTarget } from "./http-target.ts";

it("one poisonous message of 500 dies alone, with its reason, and lives again when it is replayed", async () => {
  const { server, target } = await openWithTarget();
  const { answer } = target;
  target.answer = (response, call) => {
    const { push_id } = JSON.parse(call.body) as { push_id: string };
    response.statusCode = push_id === "user-250" ? 422 : 200;
    response.end(push_id === "user-250" ? "no such user" : "");
  };
  const pushIds = Array.from({ length: 500 }, (_, n) => `user-${n}`);
  expect((await server.send(batchOf(pushIds, "r-1"))).status).toBe(200);
  await vi.waitUntil(async () => (await booked(server, "pending")) === 0, { timeout: 20_000 });
  expect([await booked(server, "delivered"), await booked(server, "dead")]).toEqual([499, 1]);
  const { text } = await server.rest("/v1/webhook/dead-letters");
  expect(JSON.parse(text).deadLetters).toMatchObject([
    { pushId: "user-250", index: 251, reason: expect.stringContaining("no such user") },
  ]);

  target.answer = answer;
  const replay = { filter: { pushId: "user-250" }, nonce: "again" };
  expect(JSON.parse((await server.rest("/v1/webhook/dead-letters:replay", replay)).text)).toEqual({
    count: "1",
    nextPageToken: "",
  });
  await vi.waitUntil(async () => (await booked(server, "delivered")) === 500);
  expect([await booked(server, "dead"), target.calls.length]).toEqual([0, 501]);
});

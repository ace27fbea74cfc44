import { describe, expect, it } from "vitest";
import { InboxFullError, InboxUnavailableError } from "../../../../store/inbox/inbox.ts";
import { batchOf } from "../bodies.ts";
import { createMemoryInbox } from "../memory-inbox.ts";
import { createRig } from "../receiver.ts";
import { success } from "./replies.ts";

describe("the same id again", () => {
  const body = batchOf(["a"], "r1");

  it("gets the first reply byte for byte, whatever the rules say by now", async () => {
    const inbox = createMemoryInbox();
    const first = await createRig({ pushId: { pattern: "b" } }, {}, inbox).send(body);
    const second = await createRig({}, {}, inbox).send(body);
    expect(first).toContain("does not match");
    expect([second, inbox.stored.length]).toEqual([first, 1]);
  });

  it("100 times at once is stored once, with 100 identical replies", async () => {
    const { send, inbox } = createRig();
    const replies = await Promise.all(Array.from({ length: 100 }, () => send(body)));
    expect([new Set(replies).size, inbox.stored.length, inbox.accepts]).toEqual([1, 1, 1]);
  });

  it("waits for the first reply in a bounded number", async () => {
    const { send } = createRig();
    const replies = await Promise.all(Array.from({ length: 300 }, () => send(body)));
    const refused = replies.filter((reply) => typeof reply !== "string");
    expect(refused).toHaveLength(300 - 257);
    expect(refused[0]).toMatchObject({ kind: "unavailable", retryAfterMs: 5_000 });
    expect(await send(body)).toBe(success);
  });

  it("with another body is a conflict, at the same time and later", async () => {
    const { send, inbox } = createRig();
    const other = batchOf(["b"], "r1");
    const [first, atOnce] = await Promise.all([send(body), send(other)]);
    expect([first, atOnce]).toMatchObject([success, { kind: "conflict" }]);
    expect(await send(other)).toMatchObject({
      kind: "conflict",
      message: 'ops_request_id "r1" was used before by a batch with another body',
      detail: "first batch b1",
    });
    expect(inbox.stored).toHaveLength(1);
  });

  it("on another channel is another batch", async () => {
    const { send, inbox } = createRig();
    expect([await send(body), await send(body, "other")]).toEqual([success, success]);
    expect(inbox.stored.map(({ channel }) => channel)).toEqual(["demo", "other"]);
  });
});

describe("the inbox", () => {
  it.each([
    ["full", new InboxFullError("2 MiB free"), "the inbox is full", 30_000],
    ["away", new InboxUnavailableError("EIO"), "the inbox is unavailable", 5_000],
  ])(
    "%s: the batch is refused for now, and taken when it is back",
    async (_state, error, message, retryAfterMs) => {
      const { send, inbox } = createRig();
      const body = batchOf(["a"], "r1");
      inbox.failWith(error);
      expect(await send(body)).toMatchObject({
        kind: "unavailable",
        message,
        retryAfterMs,
        detail: error.message,
      });
      inbox.failWith(undefined);
      expect([await send(body), inbox.stored.length]).toEqual([success, 1]);
    },
  );

  it("with a fault of ours: the error goes on as it is", async () => {
    const { send, inbox } = createRig();
    const fault = new TypeError("oops");
    inbox.failWith(fault);
    expect(await send(batchOf(["a"]))).toBe(fault);
  });
});

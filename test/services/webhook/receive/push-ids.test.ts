import { describe, expect, it } from "vitest";
import { batchOf } from "../bodies.ts";
import { createRig } from "../receiver.ts";
import { success } from "./replies.ts";

describe("push ids", () => {
  const body = batchOf(["user-1", "user-9", "guest", "user-2"]);
  const failed = (reply: unknown) =>
    (JSON.parse(reply as string) as { data: { fail_list: unknown[] } }).data.fail_list;

  it.each([
    [{ pattern: "user-\\d" }, [[3, "push_id does not match the pattern of the channel"]]],
    [
      { list: "ids.txt" },
      [
        [2, "push_id is not in the list of the channel"],
        [3, "push_id is not in the list of the channel"],
      ],
    ],
    [
      { list: "ids.txt", listMeans: "unusable" },
      [
        [1, "push_id is listed as unusable"],
        [4, "push_id is listed as unusable"],
      ],
    ],
  ])("%j", async (pushId, failures) => {
    const { send, inbox } = createRig({ pushId });
    expect(failed(await send(body))).toEqual(failures.map(([index, message]) => ({ index, message })));
    expect(inbox.stored[0]?.elements).toHaveLength(4 - failures.length);
  });

  const check = { url: "http://127.0.0.1:1", timeoutMs: 20 };

  it("are asked for once each", async () => {
    const asked: unknown[] = [];
    const { send } = createRig(
      { pushId: { check } },
      {
        checkPushIds: async (channel, pushIds) => {
          asked.push([channel, pushIds]);
          return new Map([
            ["a", "account closed"],
            ["b", ""],
          ]);
        },
      },
    );
    expect(failed(await send(batchOf(["a", "b", "a", "c"])))).toEqual([
      { index: 1, message: "account closed" },
      { index: 2, message: "push_id is not usable" },
      { index: 3, message: "account closed" },
    ]);
    expect(asked).toEqual([["demo", ["a", "b", "c"]]]);
  });

  it.each([
    ["fails", () => Promise.reject(new Error("away"))],
    ["never answers", () => new Promise<never>(() => {})],
  ])("are all accepted when the check %s", async (_how, checkPushIds) => {
    const { send, events } = createRig({ pushId: { check } }, { checkPushIds });
    expect(await send(body)).toBe(success);
    expect(events[0]).toEqual(["failed", "demo", "push_id_check"]);
  });
});

import { describe, expect, it } from "vitest";
import { InboxFullError, InboxUnavailableError } from "../../../../store/inbox/inbox.ts";
import { batchOf, readBody } from "../bodies.ts";
import { createMemoryInbox } from "../memory-inbox.ts";
import { createRig, sign } from "../receiver.ts";

const success = '{"return_code":0,"return_message":"success","data":{"fail_list":[]}}';

it("a byte order mark is taken, and is part of what is signed and stored", async () => {
  const { send, inbox } = createRig();
  const body = `\ufeff${batchOf(["a"], "r9")}`;
  expect(await send(body)).toBe(success);
  const [stored] = inbox.stored;
  expect(Buffer.from(stored!.body).toString()).toBe(body);
  const { start, end } = stored!.elements[0]!;
  expect(JSON.parse(Buffer.from(stored!.body.subarray(start, end)).toString())).toMatchObject({
    push_id: "a",
  });
});

it("the messages of a reply are bounded, its elements are all named", async () => {
  const { send } = createRig({ maxMessages: 20_000, maxBytes: 1_000_000 });
  const reply = await send(`[${"{},".repeat(19_999)}{}]`);
  const { data } = JSON.parse(String(reply)) as { data: { fail_list: { index: number; message: string }[] } };
  expect(data.fail_list).toHaveLength(20_000);
  expect(data.fail_list[0]).toEqual({ index: 1, message: "push_id is required" });
  expect(data.fail_list.at(-1)).toEqual({ index: 20_000, message: "not accepted" });
});

describe("refused as a whole", () => {
  const many = `[${"{},".repeat(500)}{}]`;
  const table: [body: string, channel: string, kind: string, message: string][] = [
    ["[]", "nope", "unknown_channel", 'there is no channel "nope"'],
    [
      "[]",
      "n".repeat(5_000),
      "unknown_channel",
      `there is no channel "${"n".repeat(100)}…" (5000 characters)`,
    ],
    ['{"push_id":"user-1"}', "demo", "bad_body", "body must be an array of messages, found an object"],
    [
      "[{}",
      "demo",
      "bad_body",
      'body is not valid JSON: expected "," or "]", found the end of the text at line 1, column 4 (byte 3)',
    ],
    ["", "demo", "bad_body", "body is not valid JSON: text is empty at line 1, column 1 (byte 0)"],
    [many, "demo", "bad_body", "body has more than 500 messages"],
    [" ".repeat(2_001), "demo", "too_large", "body of 2001 bytes is larger than the limit of 2000"],
  ];
  it.each(table)("%.20j to %s", async (body, channel, kind, message) => {
    const { send, inbox, events } = createRig({ maxBytes: 2_000 });
    expect(await send(body, channel)).toMatchObject({ kind, message });
    expect([inbox.stored, events]).toEqual([[], [["refused", channel, kind, undefined]]]);
  });

  it("invalid UTF-8, by its place", async () => {
    const { send } = createRig();
    expect(await send(Buffer.from([0x5b, 0xff, 0x5d]))).toMatchObject({
      message: "body is not valid JSON: text is not UTF-8 at line 1, column 2 (byte 1)",
    });
  });
});

describe("who may call", () => {
  const body = readBody("w001_manual_sample_full.json");
  const keyed = { headers: { "X-Api-Key": "k1", Authorization: "Basic eA==" } };
  const named = { signatureHeaders: ["X-TE-OPS-Signature", "X-AE-OPS-Signature"] };
  const good = sign(body);
  const both = { "x-api-key": "k1", authorization: "Basic eA==" };
  const missing = "signature is missing, valid headers are";

  const refused: [settings: object, headers: Record<string, string>, message: string][] = [
    [{}, {}, `${missing} "x-svc-ops-signature"`],
    [{}, { "x-te-ops-signature": good }, `${missing} "x-svc-ops-signature"`],
    [{}, { "x-svc-ops-signature": "bad" }, "signature mismatch"],
    [{}, { "x-svc-ops-signature": sign(body, "other") }, "signature mismatch"],
    [named, {}, `${missing} "x-te-ops-signature", "x-ae-ops-signature"`],
    [keyed, { "x-svc-ops-signature": good }, 'header "X-Api-Key" is missing or wrong'],
    [
      keyed,
      { "x-svc-ops-signature": good, ...both, authorization: "Basic eQ==" },
      'header "Authorization" is missing or wrong',
    ],
    [keyed, both, `${missing} "x-svc-ops-signature"`],
    [
      { secrets: [], auth: "off", headers: { "X-Api-Key": "k1" } },
      {},
      'header "X-Api-Key" is missing or wrong',
    ],
  ];
  it.each(refused)("%j with %j is refused", async (settings, headers, message) => {
    const { receive, inbox } = createRig({ ...settings });
    const call = receive({ channel: "demo", body, headers: new Headers(headers) });
    await expect(call).rejects.toMatchObject({ kind: "unauthenticated", message });
    expect(inbox.accepts).toBe(0);
  });

  const accepted: [settings: object, headers: Record<string, string> | undefined][] = [
    [{}, { "X-SVC-OPS-Signature": good }],
    [{}, { "X-SVC-OPS-Signature": good.toUpperCase() }],
    [named, { "x-ae-ops-signature": good }],
    [named, { "x-te-ops-signature": "bad", "x-ae-ops-signature": good }],
    [keyed, { "x-svc-ops-signature": good, ...both }],
    [{ secrets: [], auth: "off" }, {}],
    [{}, undefined],
  ];
  it.each(accepted)("%j with %j is accepted", async (settings, headers) => {
    const { receive, inbox } = createRig({ ...settings });
    await receive({ channel: "demo", body, headers: headers && new Headers(headers) });
    expect(inbox.stored.map((batch) => Buffer.compare(batch.body, body))).toEqual([0]);
  });

  it("the log gets the cause of a mismatch, the answer does not", async () => {
    const { receive, events } = createRig();
    const headers = new Headers({ "x-svc-ops-signature": sign(Buffer.concat([body, Buffer.from("\n")])) });
    await expect(receive({ channel: "demo", body, headers })).rejects.toThrow(/^signature mismatch$/);
    expect(events).toEqual([["refused", "demo", "unauthenticated", "signed with a newline after the body"]]);
  });
});

describe("accepted", () => {
  it("w001 is stored with where its element and receipt stand", async () => {
    const body = readBody("w001_manual_sample_full.json");
    const { send, inbox, events } = createRig();
    expect(await send(body)).toBe(success);
    const [batch] = inbox.stored;
    const [element] = batch!.elements;
    const receipt = body.toString("utf8", element!.receiptStart, element!.receiptEnd);
    expect(JSON.parse(receipt)).toMatchObject({ ops_task_id: "0050" });
    expect(batch).toMatchObject({
      channel: "demo",
      requestId: "f7b66eb7-3363-4a46-a402-601a64b45f76",
      routes: [{ target: "t1", indexes: "all" }],
      elements: [{ index: 0, pushId: "accountid123987001" }],
    });
    expect(events).toEqual([["accepted", "demo", { batchId: "b1", accepted: 1, failed: 0 }]]);
  });

  it("w005 is answered with three failures and, without an id, not stored", async () => {
    const { send, inbox } = createRig();
    const failList = [
      { index: 1, message: "push_id is required" },
      { index: 2, message: "#ops_receipt_properties is required" },
      { index: 3, message: "params must be an object when provided" },
    ];
    expect(JSON.parse((await send(readBody("w005_three_bad_elements.json"))) as string)).toEqual({
      return_code: 0,
      return_message: "success",
      data: { fail_list: failList },
    });
    expect(inbox.stored).toEqual([]);
  });

  it("an empty array is a success and is not stored", async () => {
    const { send, inbox } = createRig();
    expect([await send(readBody("w007_empty_array.json")), inbox.accepts]).toEqual([success, 0]);
  });

  it("a batch of bad elements with an id is stored for its reply", async () => {
    const { send, inbox } = createRig();
    const body = '[{"#ops_receipt_properties":{"ops_request_id":"r1"}}]';
    const first = await send(body);
    expect([await send(body), inbox.stored.length]).toEqual([first, 1]);
    expect(inbox.stored[0]).toMatchObject({ elements: [], routes: [] });
  });

  it("journeys are not de-duplicated, but for the window", async () => {
    const { send, inbox } = createRig({ dedupeWindowMs: 5_000 });
    const body = readBody("w009_journey.json");
    expect([await send(body), await send(body)]).toEqual([success, success]);
    expect(inbox.stored).toMatchObject(Array(2).fill({ requestId: null, dedupeWindowMs: 5_000 }));
  });

  it("oddities are reported", async () => {
    const { send, events } = createRig();
    await send(
      '[{"push_id":1,"push_id":2,"#ops_receipt_properties":{"ops_request_id":"a","ops_task_id":1}},' +
        '{"push_id":"x","#ops_receipt_properties":{"ops_request_id":"b"}}]',
    );
    const duplicateKeys = { count: 1, found: [{ key: "push_id", byte: 15 }] };
    const warnings = { duplicateKeys, numbersForText: 2, oddReceiptValues: 1, requestIds: 2 };
    expect(events[0]).toEqual(["warned", "demo", warnings]);
  });
});

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

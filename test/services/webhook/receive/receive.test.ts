import { describe, expect, it } from "vitest";
import { batchOf, readBody } from "../bodies.ts";
import { createRig, sign } from "../receiver.ts";
import { success } from "./replies.ts";

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

describe("accepted", () => {
  it.each([
    ["is freed when the batch is stored", {}, 0],
    ["stays for attempts that go on, in sync mode", { mode: "sync" }, 20_000],
  ])("a large body %s", async (_what, settings, bytes) => {
    const { receive } = createRig({ maxBytes: 20_000, ...settings });
    const body = Buffer.allocUnsafeSlow(20_000).fill(" ");
    body.set(batchOf(["a"], "r1"));
    const headers = new Headers({ "x-svc-ops-signature": sign(body) });
    expect(String(await receive({ channel: "demo", body, headers }))).toContain("return_code");
    expect(body).toHaveLength(bytes);
  });

  it("a batch is stored with how it was authenticated", async () => {
    const { send, receive, inbox } = createRig({ signatureHeaders: ["X-SVC-OPS-Signature", "X-Sig"] });
    const body = Buffer.from(batchOf(["a"], "r1"));
    await send(body);
    const another = Buffer.from(batchOf(["a"], "r2"));
    const headers = new Headers({
      "x-svc-ops-signature": "0".repeat(40),
      "x-sig": ` ${sign(another).toUpperCase()} `,
    });
    await receive({ channel: "demo", body: another, headers });
    await receive({ channel: "demo", body: Buffer.from(batchOf(["a"], "r3")), headers: undefined });
    expect(inbox.stored.map(({ auth }) => auth)).toEqual([
      { scheme: "hmac-sha1", header: "x-svc-ops-signature", value: sign(body) },
      { scheme: "hmac-sha1", header: "x-sig", value: sign(another).toUpperCase() },
      { scheme: "caller" },
    ]);
    const open = createRig({ auth: "off" });
    await open.receive({ channel: "demo", body, headers: new Headers() });
    expect(open.inbox.stored[0]!.auth).toEqual({ scheme: "none" });
  });

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

import { describe, expect, it } from "vitest";
import { signBody } from "../../../../base/net/signature.ts";
import { contentOf } from "../content/template.ts";
import { ended, openDelivery, openReceiver, openStore, pushIds, startTask } from "./world.ts";

const rejecting = (reply: object) => (_call: unknown, response: { end(text: string): void }) =>
  response.end(JSON.stringify(reply));

describe("a task", () => {
  it("reaches everybody once, in batches of the size, signed", async () => {
    await using receiver = await openReceiver();
    await using store = await openStore();
    await using delivery = openDelivery(store);
    delivery.start();
    const run = await startTask(
      store,
      {
        url: receiver.url,
        delivery: { batchSize: 7 },
        customHeaders: [{ name: "X-Key", value: "k" }],
        authentication: { secret: "s", headerName: "X-Sign" },
      },
      { audience: pushIds(50) },
    );
    const statistics = await ended(store, run);
    expect(statistics).toMatchObject({
      state: "done",
      planned: 50,
      filtered: 0,
      control: 0,
      batched: 50,
      batches: 8,
      sent: 50,
      succeeded: 50,
      failed: [],
      retried: 0,
      warnings: 0,
      settledBatches: 8,
    });
    expect(
      receiver.calls.flatMap(({ elements }) => elements.map(({ push_id }) => push_id)).toSorted(),
    ).toEqual(Array.from({ length: 50 }, (_, i) => `u${i}`).toSorted());
    expect(receiver.calls.map(({ elements }) => elements.length).toSorted()).toEqual([
      1, 7, 7, 7, 7, 7, 7, 7,
    ]);
    const ids = receiver.calls.map(
      ({ elements }) => new Set(elements.map((one) => one["#ops_receipt_properties"].ops_request_id)),
    );
    expect(ids.every(({ size }) => size === 1)).toBe(true);
    expect(new Set(ids.flatMap((one) => [...one]))).toHaveProperty("size", 8);
    for (const { headers, text } of receiver.calls) {
      expect(headers).toMatchObject({
        "x-sign": signBody("s", Buffer.from(text)),
        "x-key": "k",
        "content-type": "application/json",
      });
    }
  });

  it("keeps request id and bytes over retries, and counts them", async () => {
    await using receiver = await openReceiver((_call, response, number) =>
      response.end(JSON.stringify({ return_code: number < 3 ? 1 : 0 })),
    );
    await using store = await openStore();
    await using delivery = openDelivery(store);
    delivery.start();
    const settings = { retries: 2, retryIntervalSeconds: 0 };
    const run = await startTask(store, { url: receiver.url, delivery: settings }, { audience: pushIds(3) });
    expect(await ended(store, run)).toMatchObject({ state: "done", succeeded: 3, retried: 2, sent: 3 });
    expect(new Set(receiver.calls.map(({ text }) => text))).toHaveProperty("size", 1);
    expect(receiver.calls).toHaveLength(3);
  });

  it("records the items that failed, by push id", async () => {
    const fail_list = [{ index: 2, message: "banned" }];
    await using receiver = await openReceiver(rejecting({ return_code: 0, data: { fail_list } }));
    await using store = await openStore();
    await using delivery = openDelivery(store);
    delivery.start();
    const run = await startTask(store, { url: receiver.url }, { audience: pushIds(3) });
    expect(await ended(store, run)).toMatchObject({
      succeeded: 2,
      failed: [{ reason: "rejected", count: 1 }],
      segments: [{ groupId: "", language: "default", sent: 3, succeeded: 2 }],
    });
    const page = await store.batches(run.runId, { onlyFailed: true }, { limit: 10 });
    expect(page.items[0]?.failedItems).toEqual([{ index: 2, message: "banned", pushId: "u1" }]);
  });

  const repeated = [
    ["a failed batch", (said: string) => ({ return_code: 1, return_message: said })],
    [
      "a failed item",
      (message: string) => ({ return_code: 0, data: { fail_list: [{ index: 1, message }] } }),
    ],
  ] as const;
  it.each(repeated)("stores no secret that the receiver repeats for %s", async (_what, replyOf) => {
    await using receiver = await openReceiver(({ headers }, response) => {
      const said = `wrong ${headers["x-key"]}, which is abcdef, not my "secret" text`;
      response.end(JSON.stringify(replyOf(said)));
    });
    await using store = await openStore();
    await using delivery = openDelivery(store);
    delivery.start();
    const customHeaders = [{ name: "X-Key", value: "Bearer abcdef" }];
    const authentication = { secret: 'my "secret" text' };
    const channel = { url: receiver.url, authentication, customHeaders, delivery: { retries: 0 } };
    const run = await startTask(store, channel, { audience: pushIds(1) });
    await ended(store, run);
    const { items } = await store.batches(run.runId, { onlyFailed: true }, { limit: 10 });
    const [{ lastFailure, failedItems }] = items as [(typeof items)[0]];
    expect(`${lastFailure}${failedItems[0]?.message}`).toContain("wrong ***, which is ***, not ***");
  });

  const fates = [
    ["an empty answer, strict", "", true, "invalid_answer"],
    ["an empty answer, lenient", "", false, undefined],
    ["a wrong form, strict", '{"code":0}', true, "invalid_answer"],
    ["a wrong form, lenient", '{"code":0}', false, undefined],
    ["a return code of 1, strict", '{"return_code":1}', true, "return_code"],
    ["a return code of 1, lenient", '{"return_code":1}', false, "return_code"],
    ["an index of 0, strict", '{"return_code":0,"data":{"fail_list":[{"index":0}]}}', true, "invalid_answer"],
    ["an index of 0, lenient", '{"return_code":0,"data":{"fail_list":[{"index":0}]}}', false, undefined],
  ] as const;
  it.each(fates)("ends with %s", async (_what, text, strictValidation, reason) => {
    await using receiver = await openReceiver((_call, response) => response.end(text));
    await using store = await openStore();
    await using delivery = openDelivery(store);
    delivery.start();
    const run = await startTask(
      store,
      { url: receiver.url, delivery: { strictValidation } },
      { audience: pushIds(2) },
    );
    expect((await ended(store, run)).failed).toEqual(
      [reason].flatMap((one) => (one === undefined ? [] : [{ reason: one, count: 2 }])),
    );
  });

  it("times out", async () => {
    await using receiver = await openReceiver(() => {});
    await using store = await openStore();
    await using delivery = openDelivery(store);
    delivery.start();
    const run = await startTask(
      store,
      { url: receiver.url, delivery: { timeoutSeconds: 1 } },
      { audience: pushIds(2) },
    );
    expect(await ended(store, run)).toMatchObject({ failed: [{ reason: "timeout", count: 2 }] });
  });

  it("names the group and language in receipts, and counts by them", async () => {
    await using receiver = await openReceiver();
    await using store = await openStore();
    await using delivery = openDelivery(store);
    delivery.start();
    const run = await startTask(
      store,
      { url: receiver.url, delivery: { batchSize: 30 } },
      {
        audience: pushIds(100),
        contents: [contentOf({}), contentOf({}, {}, "en")],
        languageProperty: "lang",
        experimentGroups: [
          { groupId: "A", share: 40 },
          { groupId: "B", share: 40 },
        ],
      },
    );
    const { control, sent, segments } = await ended(store, run);
    expect(control + sent).toBe(100);
    expect(segments.map(({ groupId, language }) => [groupId, language])).toEqual([
      ["A", "default"],
      ["B", "default"],
    ]);
    const receipts = receiver.calls.flatMap(({ elements }) =>
      elements.map((one) => one["#ops_receipt_properties"]),
    );
    expect(receipts.filter(({ ops_exp_group_id }) => ops_exp_group_id === "A")).toHaveLength(
      segments[0]!.sent,
    );
    expect(new Set(receipts.map(({ ops_push_language }) => ops_push_language))).toEqual(new Set(["default"]));
  });

  it("without users is done", async () => {
    await using store = await openStore();
    await using delivery = openDelivery(store);
    delivery.start();
    const audience = { source: { case: "users" as const, value: {} } };
    const run = await startTask(store, { url: "http://127.0.0.1:1/" }, { audience });
    expect(await ended(store, run)).toMatchObject({ state: "done", planned: 0, batches: 0 });
  });
});

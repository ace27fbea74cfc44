import { initWithAsyncBatchMode, initWithBatchMode, initWithDebugMode } from "thinkingdata-node";
import { describe, expect, it } from "vitest";
import { openCollector } from "./collector-server.ts";
import { check } from "./record/checking.ts";

type Callback = (error?: Error) => void;

/** Resolves with what the SDK calls back. */
function called(run: (callback: Callback) => void): Promise<Error | undefined> {
  return new Promise((resolve) => run(resolve));
}

const time = new Date("2026-01-02T03:04:05.678Z");
const who = { accountId: "account", distinctId: "visitor", time };

describe("the Node SDK", () => {
  it.each([
    ["gzip", true],
    ["plain", false],
  ])("reports batches: %s", async (_name, compress) => {
    const server = await openCollector();
    const sdk = initWithBatchMode("APP_ID", server.url, { batchSize: 6, compress });
    const error = await called((callback) => {
      sdk.track({ ...who, event: "buy", properties: { price: 1.5, tags: ["a"], at: time, item: { id: 1 } } });
      sdk.trackFirst({ ...who, event: "install", firstCheckId: "device" });
      sdk.trackUpdate({ ...who, event: "cost", eventId: "id" });
      sdk.trackOverWrite({ ...who, event: "cost", eventId: "id" });
      sdk.userSet({ ...who, properties: { name: "n" } });
      sdk.userDel({ ...who, callback });
    });
    expect(error).toBeUndefined();
    const records = server.lines.flatMap(({ b }) => b as unknown[]);
    const verdicts = records.map((record) => check(record, {}, Date.now()));
    expect(verdicts).toMatchObject([
      { kind: "event", name: "buy", dropped: [] },
      { kind: "event", name: "install", firstCheckId: "device", dropped: [] },
      { kind: "update", mode: "update", eventId: "id", dropped: [] },
      { kind: "update", mode: "overwrite", eventId: "id", dropped: [] },
      { kind: "user", operation: "set", dropped: [] },
      { kind: "user", operation: "del", dropped: [] },
    ]);
  });

  it("reports in the background", async () => {
    const server = await openCollector();
    const sdk = initWithAsyncBatchMode("APP_ID", server.url, { batchSize: 1 });
    const error = await called((callback) => sdk.track({ ...who, event: "buy", callback }));
    sdk.close();
    expect([error, server.lines.length]).toEqual([undefined, 1]);
  });

  it("gets an error for an unknown app id", async () => {
    const server = await openCollector();
    const sdk = initWithBatchMode("nobody", server.url, { batchSize: 1 });
    const error = await called((callback) => sdk.track({ ...who, event: "buy", callback }));
    expect(error?.message).toBe("Unexpected result code: -2, msg: unknown appid");
  });

  it.each([
    [false, 1],
    [true, 0],
  ])("debugs, dry run %s", async (dryRun, lines) => {
    const server = await openCollector(() => Date.now());
    const sdk = initWithDebugMode("APP_ID", server.url, { dryRun, deviceId: "device" });
    const error = await called((callback) =>
      sdk.track({ accountId: "a", event: "buy", properties: { price: 1 }, callback }),
    );
    expect([error, server.lines.length]).toEqual([undefined, lines]);
  });

  it("gets the faults of a record", async () => {
    const server = await openCollector(() => Date.now());
    const sdk = initWithDebugMode("APP_ID", server.url, { dryRun: false, deviceId: "device" });
    const old = { accountId: "a", event: "buy", time: new Date("2001-01-01T00:00:00Z") };
    const error = await called((callback) => sdk.track({ ...old, callback }));
    expect(error?.message).toContain("Unexpected result code: 2");
    expect(error?.message).toContain("is more than 3 years ago");
  });
});

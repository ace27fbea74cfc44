import { describe, expect, it } from "vitest";
import { compileChannels } from "../../../services/webhook/channels.ts";
import { channelSchema, clicksSchema } from "../../../services/webhook/config.ts";

const secrets = [{ value: "s" }];

describe("a channel", () => {
  it("has defaults", () => {
    expect(channelSchema.parse({ secrets })).toEqual({
      secrets,
      signatureHeaders: ["X-SVC-OPS-Signature"],
      headers: {},
      mode: "queue",
      sync: { timeoutMs: 5_000, late: "queue" },
      targets: [],
      pushId: { listMeans: "usable" },
      maxMessages: 500,
      maxBytes: 16_777_216,
      maxDepth: 64,
      dedupeWindowMs: 0,
    });
  });

  const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`X-${n}`, "v"]));
  const table: [channel: object, message: RegExp][] = [
    [{}, /needs secrets, or auth: off/],
    [{ auth: "on", secrets }, /auth/],
    [{ secrets: [{ value: "" }] }, /secrets/],
    [{ secrets: [{ value: "s", expires: "tomorrow" }] }, /expires/],
    [{ secrets, headers: eleven }, /at most 10 headers/],
    [{ secrets, headers: { "X Key": "v" } }, /headers/],
    [{ secrets, signatureHeaders: [] }, /signatureHeaders/],
    [{ secrets, signatureHeaders: ["a b"] }, /name of an HTTP header/],
    [{ secrets, targets: ["a", "a"] }, /a target is named twice/],
    [{ secrets, mode: "fast" }, /mode/],
    [{ secrets, sync: { late: "drop" } }, /late/],
    [{ secrets, pushId: { check: { url: "ftp://x" } } }, /must be a URL such as/],
    [{ secrets, maxMessages: 0 }, /maxMessages/],
    [{ secrets, unknown: 1 }, /unknown/],
  ];
  it.each(table)("%j is refused", (channel, message) => {
    expect(() => channelSchema.parse(channel)).toThrow(message);
  });

  it.each([
    [{ pattern: "a(b" }, /webhook\.channels\.demo\.pushId: bad regular expression "a\(b"/],
    [{ list: "gone.txt" }, /webhook\.channels\.demo\.pushId: cannot read "gone.txt"/],
  ])("with %j does not start", (pushId, message) => {
    const demo = channelSchema.parse({ secrets, pushId });
    const readList = (file: string): string => {
      throw new Error(`cannot read "${file}"`);
    };
    expect(() => compileChannels({ demo }, readList)).toThrow(message);
  });

  it("takes a list with any line ends and a byte order mark", () => {
    const demo = channelSchema.parse({ secrets, pushId: { list: "ids" } });
    const rule = compileChannels({ demo }, () => "\ufeffa\r\n\nb").get("demo")?.pushIdRule;
    expect(["a", "b", "", "\ufeffa"].map((id) => rule?.(id) === undefined)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("matches the whole push id, and none beyond 4096 characters", () => {
    const demo = channelSchema.parse({ secrets, pushId: { pattern: "a+" } });
    const rule = compileChannels({ demo }, () => "").get("demo")?.pushIdRule;
    const ids = ["a", "aab", "ba", "a".repeat(4_096), "a".repeat(4_097)];
    expect(ids.map((id) => rule?.(id) === undefined)).toEqual([true, false, false, true, false]);
  });
});

it("clicks have defaults", () => {
  expect(clicksSchema.parse({})).toEqual({ event: "ops_push_click", pushId: "account_id" });
});

it("forwarding clicks has defaults", () => {
  const forward = { url: "https://ingest.example.com", appid: "APP_ID" };
  expect(clicksSchema.parse({ forward }).forward).toEqual({
    ...forward,
    batchRecords: 500,
    batchBytes: 1_048_576,
    timeoutMs: 30_000,
    deleteForwarded: true,
  });
});

it.each([
  ["ftp://example.com", "APP_ID"],
  ["https://example.com/sync_server", "APP_ID"],
  ["https://example.com/?a=b", "APP_ID"],
  ["https://example.com", ""],
  ["https://example.com", "APP ID"],
  ["https://example.com", "APP\r\nID"],
])("forwarding clicks to %j as %j is refused", (url, appid) => {
  expect(clicksSchema.safeParse({ forward: { url, appid } }).success).toBe(false);
});

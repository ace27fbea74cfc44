import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Refusal, type RefusalKind } from "../../../../services/webhook/receive/refusal.ts";
import {
  createRefusedRequests,
  type RefusedRequests,
  type RefusedRequestsOptions,
} from "../../../../services/webhook/refused/refused-requests.ts";

function secretsOf(...values: readonly string[]) {
  const secrets = values.map((value) => ({
    key: createSecretKey(Buffer.from(value)),
    expiresMs: undefined,
  }));
  return { secrets };
}

function open(): RefusedRequests {
  const channels: RefusedRequestsOptions["channels"] = new Map([
    ["mail", secretsOf("key", "longer-key")],
    ["open", secretsOf()],
  ]);
  return createRefusedRequests({ channels, now: () => 7_000 });
}

const refusal = (kind: RefusalKind = "bad_body", message = "no") => new Refusal(kind, message);
const numbers = (requests: RefusedRequests, filter = {}, before = Infinity, limit = 1_000) =>
  requests.list(filter, before, limit).map(({ number }) => number);
const textOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

describe("refused requests", () => {
  it("are kept with what is known about them", () => {
    const requests = open();
    requests.add("mail", new Refusal("unauthenticated", "signature mismatch", { detail: "plain hash" }));
    requests.add("open", refusal(), Buffer.from("[1"));
    expect(requests.list({}, Infinity, 9)).toEqual([
      {
        number: 2,
        atMs: 7_000,
        channel: "open",
        kind: "bad_body",
        message: "no",
        cause: "",
        body: new Uint8Array(Buffer.from("[1")),
        bodyBytes: 2,
      },
      {
        number: 1,
        atMs: 7_000,
        channel: "mail",
        kind: "unauthenticated",
        message: "signature mismatch",
        cause: "plain hash",
        body: new Uint8Array(),
        bodyBytes: undefined,
      },
    ]);
  });

  it("are listed by channel, kind and place", () => {
    const requests = open();
    requests.add("mail", refusal());
    requests.add("open", refusal("conflict"));
    requests.add("mail", refusal("conflict"));
    requests.add("nope", refusal("unknown_channel"));
    expect(numbers(requests)).toEqual([4, 3, 2, 1]);
    expect(numbers(requests, { channel: "mail" })).toEqual([3, 1]);
    expect(numbers(requests, { channel: "nope" })).toEqual([4]);
    expect(numbers(requests, { kind: "conflict" })).toEqual([3, 2]);
    expect(numbers(requests, { kind: "conflict", channel: "open" })).toEqual([2]);
    expect(numbers(requests, {}, 4, 2)).toEqual([3, 2]);
  });

  it("of a channel are the latest 200, whatever comes to others", () => {
    const requests = open();
    requests.add("open", refusal());
    for (let count = 0; count < 250; count++) requests.add("mail", refusal());
    expect(numbers(requests, { channel: "open" })).toEqual([1]);
    expect(numbers(requests, { channel: "mail" })).toHaveLength(200);
    expect(numbers(requests, { channel: "mail" })[0]).toBe(251);
  });

  it("of made-up channels take one place together", () => {
    const requests = open();
    for (let count = 0; count < 1_000; count++) {
      requests.add(`${count}`.repeat(100), refusal("unknown_channel"), Buffer.alloc(100_000));
    }
    const kept = requests.list({}, Infinity, 10_000);
    expect(kept).toHaveLength(200);
    expect(Math.max(...kept.map(({ channel }) => channel.length))).toBe(100);
    expect(kept.map(({ body, bodyBytes }) => [body.buffer.byteLength, bodyBytes])).toEqual(
      kept.map(() => [4_096, 100_000]),
    );
  });

  it.each([
    ["mail", '{"secret":"longer-key","b":"key"}', '{"secret":"**********","b":"***"}'],
    ["nope", "keykey", "******"],
    ["mail", "nothing", "nothing"],
  ])("of %s never contain a secret: %s", (channel, body, kept) => {
    const requests = open();
    requests.add(channel, refusal(), Buffer.from(body));
    expect(textOf(requests.list({}, Infinity, 1)[0]?.body)).toBe(kept);
  });

  it("never contain the beginning of a secret where the body is cut", () => {
    const requests = open();
    requests.add("mail", refusal(), Buffer.from(`${"x".repeat(4_090)}longer-key`));
    expect(textOf(requests.list({}, Infinity, 1)[0]?.body)).toBe(`${"x".repeat(4_090)}******`);
  });
});
